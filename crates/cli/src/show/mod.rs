//! `drivelab show`: a model or a workload with its sources, a method, a review; the schema of a
//! kind of file.

mod args;
mod uncertainty;

use crate::files::{self, json_text};
use crate::kind::{self, Content, Usable};
use crate::method;
use crate::render::Failure;
use crate::schemas::KINDS;
use crate::target;
use answer::devices::{Device, Devices};
use answer::shown::{ShownFacts, ShownFigure, ShownReview};
pub use args::ShowArgs;
use lab::FACTS;
use lab::steps::Step;
use lab::{Method, Param, written};
use library::{self, Overrides, Scale};
use metric::{METRICS, ParamSpec, nearest};
use report::{Column, Table};
use review::{Figure, Library, ReviewFile, Subject};
use serde_json::Value;
use std::path::Path;

/// Runs the command.
pub fn command(args: &ShowArgs) -> Result<(), Failure> {
    if let Some(load) = &args.interval {
        return uncertainty::command(args, load);
    }
    if !args.devices.describe().is_empty() {
        return devices(args);
    }
    if args.name == SCHEMA || args.kind.is_some() {
        return schema(args);
    }
    let found = find(&args.name)?;
    if args.toml {
        return files::print(&found.as_toml()?);
    }
    match (found, args.json) {
        (Found::File(text), false) => files::print(&text),
        (Found::Method(method), false) => files::print(&method_text(method)),
        (Found::Facts, false) => files::print(&facts_text()),
        (Found::Review(read, _), false) => files::print(&review_text(&args.name, &read)),
        (found, true) => files::print(&json_text(&found.as_json(&args.name)?)?),
    }
}

/// The word before the name of a kind of file.
const SCHEMA: &str = "schema";

/// The schema of a kind of file. It is JSON, whatever is asked for.
fn schema(args: &ShowArgs) -> Result<(), Failure> {
    let help = || {
        let kinds: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
        format!("`drivelab show schema KIND`, with one of {}", kinds.join(", "))
    };
    let wrong = |why: String| Err(Failure::wrong(why).with_help(help()));
    match (args.name.as_str(), &args.kind) {
        (SCHEMA, Some(name)) => match KINDS.iter().find(|kind| kind.name == name) {
            Some(kind) => files::print(&json_text(&kind.schema())?),
            None => wrong(format!("no kind of file is called `{name}`")),
        },
        (SCHEMA, None) => wrong("the schema of what?".to_owned()),
        (_, kind) => {
            let kind = kind.as_deref().unwrap_or_default();
            wrong(format!("`{kind}`: only a schema has a kind"))
        }
    }
}

/// What a name means.
enum Found {
    /// The text of a file.
    File(String),
    Method(&'static Method),
    Facts,
    /// With the text of its file.
    Review(ReviewFile, String),
}

/// The block devices that a target would show, and what is left of its capacity as spare.
fn devices(args: &ShowArgs) -> Result<(), Failure> {
    let system = target::model(&args.name, &[])?;
    let overrides = args.devices.overrides();
    let resolved = system.resolve(Scale::default(), &overrides)?;
    let whole = Overrides { namespaces: None, ..overrides };
    let all = system.resolve(Scale::default(), &whole)?.real_bytes;
    let spare = all - resolved.real_bytes;
    let device = |(number, bytes): (usize, &u64)| Device {
        name: format!("/dev/target{number}"),
        bytes: *bytes,
    };
    let devices = resolved.devices.iter().enumerate().map(device);
    if args.json {
        return files::print(&json_text(&Devices {
            target: system.slug,
            devices: devices.collect(),
            capacity_bytes: all,
            held_bytes: resolved.real_bytes,
            spare_bytes: spare,
        })?);
    }
    let columns = vec![Column::right("Device"), Column::left("Name"), Column::right("Bytes")];
    let mut table = Table::new(columns);
    for (number, Device { name, bytes }) in devices.enumerate() {
        table.row(vec![number.to_string(), name, bytes.to_string()]);
    }
    let mut text = format!("{}{}\n\n{}", system.slug, args.devices.describe(), table.to_text());
    text.push_str(&format!("\nCapacity: {all} bytes\nHeld: {} bytes\n", resolved.real_bytes));
    text.push_str(&format!("Spare, beside that of the drives: {spare} bytes\n"));
    files::print(&text)
}

/// A file of the user's, checked.
fn file(name: &str) -> Result<Found, Failure> {
    let Usable { text, content, .. } = kind::read(Path::new(name))?;
    Ok(match content {
        Some(Content::Method(method)) => Found::Method(method),
        Some(Content::Review(read)) => Found::Review(read, text),
        None => Found::File(text),
    })
}

fn find(name: &str) -> Result<Found, Failure> {
    if name.ends_with(".toml") {
        return file(name);
    }
    if method::is_file(name) {
        return Ok(Found::Method(method::find(name)?));
    }
    let reviews = Library::shipped()?;
    let file = |text: &str| Ok(Found::File(text.to_owned()));
    if let Some(text) = library::find(name).ok().and_then(library::source_text) {
        return file(text);
    }
    if let Some(text) = library::find_system(name).ok().and_then(library::system_text) {
        return file(text);
    }
    let others = [library::nand_text, library::cooling_text, library::workload_text];
    if let Some(text) = others.iter().find_map(|text| text(name).ok()) {
        return file(text);
    }
    if let Ok(method) = lab::find(name) {
        return Ok(Found::Method(method));
    }
    if name == FACTS {
        return Ok(Found::Facts);
    }
    if reviews.names().contains(&name) {
        let read = reviews.select(&[name.to_owned()]).map_err(Failure::failed)?;
        let text = review::texts().find(|(file, _)| file.ends_with(&format!("/{name}.toml")));
        let text = text.map_or_else(String::new, |(_, text)| text.to_owned());
        return Ok(Found::Review(read, text));
    }
    if let Some(several) = library::could_be(name) {
        return Err(Failure::wrong(several));
    }
    let methods = lab::methods();
    let mut known: Vec<&str> = Vec::new();
    let models = library::names_of_models().chain(library::nands());
    for slug in models.chain(library::workloads()).chain(library::coolings()) {
        known.push(slug);
    }
    known.extend(methods.iter().map(|method| method.name.as_str()));
    known.extend(reviews.names());
    let help = match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`drivelab list` shows what there is; a file ends in .toml: ./mine.toml".to_owned(),
    };
    Err(Failure::wrong(format!("nothing is called `{name}`")).with_help(help))
}

impl Found {
    /// The file it is read from.
    fn as_toml(&self) -> Result<String, Failure> {
        match self {
            Found::File(text) | Found::Review(_, text) => Ok(text.clone()),
            Found::Method(method) => Ok(method.text.clone()),
            Found::Facts => Err(Failure::wrong(format!("`{FACTS}` has no file"))
                .with_help("its values are those of the models: `drivelab list metrics`")),
        }
    }

    fn as_json(&self, name: &str) -> Result<Value, Failure> {
        match self {
            Found::File(text) => values_of(text),
            Found::Method(method) => values_of(&method.text),
            Found::Facts => {
                let facts = METRICS.iter().filter(|metric| metric.fact);
                let metrics = facts.map(|fact| (fact.name.to_owned(), fact.doc.to_owned()));
                files::kept(&ShownFacts { method: FACTS, metrics: metrics.collect() })
            }
            Found::Review(read, _) => {
                let claims = read.claims.iter();
                files::kept(&ShownReview {
                    review: name.to_owned(),
                    figures: read.figures.iter().map(figure).collect(),
                    claims: claims.map(|claim| (claim.id.clone(), claim.claim.clone())).collect(),
                })
            }
        }
    }
}

/// The values of a TOML file.
fn values_of(text: &str) -> Result<Value, Failure> {
    let table: toml::Table = toml::from_str(text)
        .map_err(|error| Failure::failed(format!("a file of the library: {error}")))?;
    serde_json::to_value(table).map_err(|error| Failure::failed(error.to_string()))
}

/// The runs behind a figure, in words.
fn runs_text(figure: &Figure) -> String {
    match &figure.subject {
        Subject::Runs { runs, .. } => {
            runs.iter().map(|run| run.label()).collect::<Vec<_>>().join("; ")
        }
        Subject::NotModelled(_) => "-".to_owned(),
    }
}

fn figure(figure: &Figure) -> ShownFigure {
    ShownFigure {
        id: figure.id.clone(),
        drive: figure.device.clone(),
        run: runs_text(figure),
        metric: figure.metric_text.clone(),
        published: figure.value,
        published_to: figure.value_to,
        unit: figure.unit.symbol,
        basis: figure.basis,
    }
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
        let plain = metric::tail(name);
        let doc = METRICS.iter().find(|metric| metric.name == plain).map(|metric| metric.doc);
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
pub fn values_text(spec: &ParamSpec, param: &Param) -> String {
    let kind = if param.values.is_empty() { written(spec.kind) } else { param.values.join(", ") };
    let mut parts = vec![kind];
    parts.extend(param.required.as_ref().map(|_| "required".to_owned()));
    parts.extend(param.default.as_ref().map(|value| format!("default {value}")));
    for when in &param.when {
        parts.push(format!("{} if {}", when.then, when.condition));
    }
    if let Some([low, high]) = &param.range {
        parts.push(format!("may have been {low} to {high} of it"));
    }
    parts.join("; ")
}

/// The steps by name, those inside others further in.
pub fn steps_text(steps: &[Step], depth: usize, text: &mut String) {
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
    if !read.remarks.is_empty() {
        text.push_str("\nContradictions and gaps, and how they are read:\n");
    }
    for remark in &read.remarks {
        text.push_str(&format!("- {}\n", remark.text.trim()));
    }
    text.push_str(&format!("\n{}", figures_table(read).to_text()));
    if !read.claims.is_empty() {
        text.push_str("\nClaims\n");
    }
    for claim in &read.claims {
        text.push_str(&format!("  {}: {}\n", claim.id, claim.claim));
    }
    text
}

/// The figures of a review, one a row.
pub fn figures_table(read: &ReviewFile) -> Table {
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
        let run = runs_text(figure);
        table.row(vec![
            figure.id.clone(),
            figure.device.clone(),
            run,
            figure.metric_text.clone(),
            report::published(figure.value, figure.value_to, None),
            figure.unit.symbol.to_owned(),
            figure.basis.name().to_owned(),
        ]);
    }
    table
}
