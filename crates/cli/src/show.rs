//! `drivelab show`: a model or a workload with its sources, a method, a review.

use crate::args::ShowArgs;
use crate::files;
use crate::render::Failure;
use crate::target;
use method::library::{self, Overrides, Scale};
use method::measure::steps::Step;
use method::measure::{Method, Param, unit_of};
use method::review::{FACTS, Library, METRICS, ParamKind, ParamSpec, ReviewFile, Subject, nearest};
use report::{Column, Table};

/// Runs the command.
pub fn command(args: &ShowArgs) -> Result<(), Failure> {
    if !args.devices.describe().is_empty() {
        return files::print(&devices_text(args)?);
    }
    files::print(&text_of(&args.name)?)
}

/// The block devices that a target would show, and what is left of its capacity as spare.
fn devices_text(args: &ShowArgs) -> Result<String, Failure> {
    let system = target::model(&args.name, &[])?;
    let overrides = Overrides {
        drives: args.devices.drives,
        namespaces: args.devices.namespaces.clone(),
        ..Overrides::default()
    };
    let resolved = system.resolve(Scale::default(), &overrides)?;
    let whole = Overrides { namespaces: None, ..overrides };
    let all = system.resolve(Scale::default(), &whole)?.real_bytes;
    let columns = vec![Column::right("Device"), Column::left("Name"), Column::right("Bytes")];
    let mut table = Table::new(columns);
    for (number, bytes) in resolved.devices.iter().enumerate() {
        let name = format!("/dev/target{number}");
        table.row(vec![number.to_string(), name, bytes.to_string()]);
    }
    let spare = all - resolved.real_bytes;
    let mut text = format!("{}{}\n\n{}", system.slug, args.devices.describe(), table.to_text());
    text.push_str(&format!("\nCapacity: {all} bytes\nHeld: {} bytes\n", resolved.real_bytes));
    text.push_str(&format!("Spare, beside that of the drives: {spare} bytes\n"));
    Ok(text)
}

fn text_of(name: &str) -> Result<String, Failure> {
    let reviews = Library::shipped()?;
    if let Ok(slug) = library::find(name) {
        return Ok(library::source_text(slug).unwrap_or_default().to_owned());
    }
    if let Ok(slug) = library::find_system(name) {
        return Ok(library::system_text(slug).unwrap_or_default().to_owned());
    }
    if let Ok(text) = library::nand_text(name) {
        return Ok(text.to_owned());
    }
    if let Ok(text) = library::workload_text(name) {
        return Ok(text.to_owned());
    }
    if let Ok(method) = method::measure::find(name) {
        return Ok(method_text(method));
    }
    if name == FACTS {
        return Ok(facts_text());
    }
    if reviews.names().contains(&name) {
        let read = reviews.select(&[name.to_owned()]).map_err(Failure::failed)?;
        return Ok(review_text(name, &read));
    }
    let methods = method::measure::methods();
    let mut known: Vec<&str> = Vec::new();
    for slug in library::drives().chain(library::systems()).chain(library::workloads()) {
        known.push(slug);
    }
    known.extend(methods.iter().map(|method| method.name.as_str()));
    known.extend(reviews.names());
    let help = match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            "see `drivelab list drives`, `systems`, `methods`, `workloads` and `reviews`".to_owned()
        }
    };
    Err(Failure::wrong(format!("nothing is called `{name}`")).with_help(help))
}

fn method_text(method: &Method) -> String {
    let mut text = format!("{}: {}\n\n{}\n", method.name, method.title, method.description.trim());
    text.push_str(&format!("\nProvenance: {}\n", method.provenance));
    text.push_str("\nParameters (--param NAME=VALUE):\n");
    let width = method.params.keys().map(String::len).max().unwrap_or(0);
    for (spec, param) in method.specs() {
        let about = &param.about;
        text.push_str(&format!(
            "  {:<width$}  {about} ({})\n",
            spec.name,
            values_text(spec, param)
        ));
    }
    text.push_str("\nSteps:\n");
    steps_text(&method.steps, 1, &mut text);
    text.push_str("\nMetrics:\n");
    let width = method.metrics.keys().map(String::len).max().unwrap_or(0);
    for (name, formula) in &method.metrics {
        let doc = METRICS.iter().find(|metric| metric.name == name).map(|metric| metric.doc);
        let doc = doc.unwrap_or("every number of this step");
        text.push_str(&format!("  {name:<width$}  {doc} = {formula}\n"));
    }
    for (name, job) in &method.jobs {
        text.push_str(&format!("\nJob `{name}`, with variables for the parameters:\n\n"));
        text.push_str(job.trim());
        text.push('\n');
    }
    text
}

/// What values a parameter takes, and what it is where it is not given.
fn values_text(spec: &ParamSpec, param: &Param) -> String {
    let kind = match spec.kind {
        ParamKind::Word(words) => words.join(", "),
        kind => unit_of(kind).to_owned(),
    };
    let mut parts = vec![kind];
    parts.extend(param.required.as_ref().map(|_| "required".to_owned()));
    parts.extend(param.default.as_ref().map(|value| format!("default {value}")));
    for when in &param.when {
        parts.push(format!("{} if {}", when.then, when.condition));
    }
    parts.join("; ")
}

/// The steps by name, those inside others further in.
fn steps_text(steps: &[Step], depth: usize, text: &mut String) {
    for step in steps {
        text.push_str(&format!("{}{step}\n", "  ".repeat(depth)));
        steps_text(step.inner(), depth + 1, text);
    }
}

fn facts_text() -> String {
    let mut text = format!("{FACTS}: values that the model contains; nothing is run\n\nMetrics:\n");
    let width = METRICS.iter().filter(|m| m.fact).map(|m| m.name.len()).max().unwrap_or(0);
    for metric in METRICS.iter().filter(|metric| metric.fact) {
        text.push_str(&format!("  {:<width$}  {}\n", metric.name, metric.doc));
    }
    text
}

fn review_text(name: &str, read: &ReviewFile) -> String {
    let mut text = format!("{name}\n");
    for (_, setup) in &read.setups {
        text.push_str(&format!("\n{}\n", setup.trim()));
    }
    let mut table = Table::new(vec![
        Column::left("Figure"),
        Column::left("Drive"),
        Column::left("Run"),
        Column::left("Metric"),
        Column::right("Published"),
        Column::left("Unit"),
        Column::left("Basis"),
    ]);
    for figure in &read.figures {
        let run = match &figure.subject {
            Subject::Runs { runs, .. } => {
                runs.iter().map(|run| run.label()).collect::<Vec<_>>().join("; ")
            }
            Subject::NotModelled(_) => "-".to_owned(),
        };
        table.row(vec![
            figure.id.clone(),
            figure.device.clone(),
            run,
            figure.metric_text.clone(),
            report::plain(figure.value),
            figure.unit.symbol.to_owned(),
            figure.basis.name().to_owned(),
        ]);
    }
    text.push_str(&format!("\n{}", table.to_text()));
    if !read.claims.is_empty() {
        text.push_str("\nClaims\n");
    }
    for claim in &read.claims {
        text.push_str(&format!("  {}: {}\n", claim.id, claim.claim));
    }
    text
}
