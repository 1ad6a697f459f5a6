//! The reference of methods and metrics.

use crate::show::{steps_text, values_text};
use lab::Method;
use metric::{Better, METRICS, UNITS};
use report::{Column, Table};

fn table(titles: &[&str]) -> Table {
    Table::new(titles.iter().map(|title| Column::left(title)).collect())
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

/// Every method.
pub fn methods() -> String {
    let methods = lab::methods();
    let mut text = "A parameter is given as `--param NAME=VALUE`. `drivelab show METHOD` prints \
                    the jobs too.\n\n"
        .to_owned();
    for Method { name, title, .. } in methods {
        text.push_str(&format!("- [{name}](#{name}): {title}\n"));
    }
    for method in methods {
        let Method { name, title, description, provenance, .. } = method;
        text.push_str(&format!("\n## {name}\n\n{title}. {}\n\n", description.trim()));
        text.push_str(&format!("Provenance: {provenance}\n"));
        let mut params = table(&["Parameter", "What", "Values"]);
        for (spec, param) in method.specs() {
            params.row(vec![code(spec.name), param.about.clone(), values_text(spec, param)]);
        }
        if !method.params.is_empty() {
            text.push_str(&format!("\n{}", params.to_markdown()));
        }
        let mut metrics = table(&["Metric", "Unit", "Of"]);
        for (name, formula) in &method.metrics {
            let spec = METRICS.iter().find(|metric| metric.name == name);
            let unit = spec.map_or("", |spec| spec.dimension.base());
            metrics.row(vec![code(name), unit.to_owned(), code(formula)]);
        }
        text.push_str(&format!("\n{}", metrics.to_markdown()));
        let mut steps = String::new();
        steps_text(&method.steps, 0, &mut steps);
        text.push_str(&format!("\nSteps:\n\n```text\n{}```\n", steps));
    }
    text
}

/// Every metric, and every unit.
pub fn metrics() -> String {
    let mut text = "Values in JSON and Records are in the unit of the first table; figures of \
                    reviews may use any of the second.\n\n"
        .to_owned();
    let mut metrics = table(&["Metric", "Unit", "Better", "What"]);
    for metric in METRICS {
        let better = match metric.better {
            Better::Higher => "higher",
            Better::Lower => "lower",
            Better::Neither => "-",
        };
        let unit = metric.dimension.base();
        let measured = lab::methods().iter().any(|method| method.gives(metric.name));
        let about = match (metric.fact, metric.carried && !measured) {
            (true, _) => format!("{}; a value of the model", metric.doc),
            (_, true) => format!("{}; no method measures it", metric.doc),
            _ => metric.doc.to_owned(),
        };
        metrics.row(vec![code(metric.name), unit.to_owned(), better.to_owned(), about]);
    }
    text.push_str(&metrics.to_markdown());
    let mut units = table(&["Unit", "Is"]);
    for unit in UNITS {
        let base = unit.dimension.base();
        units.row(vec![code(unit.symbol), format!("{} {base}", metric::plain(unit.factor))]);
    }
    text.push_str(&format!("\n## Units\n\n{}", units.to_markdown()));
    text
}
