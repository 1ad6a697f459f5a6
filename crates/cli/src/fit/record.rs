//! A Record of a method as rows of a reviews file, so that it is read as one.

use crate::render::Failure;
use serde_json::Value;
use stats::{Kind, Outcome, Record};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What a Record says, as a reviews file.
pub struct Rows {
    /// The text.
    pub text: String,
    /// Relative standard uncertainty of each row by id.
    pub sigma: BTreeMap<String, f64>,
    /// What was left out.
    pub notes: Vec<String>,
}

/// Rows of the target that is the model, or of the only one there is.
pub fn rows(
    path: &Path,
    text: &str,
    names: &BTreeSet<String>,
    slug: &str,
) -> Result<Rows, Failure> {
    let shown = path.display().to_string();
    let record = Record::from_json(text, path).map_err(|error| {
        Failure::wrong(error.to_string()).with_help("`drivelab test --record` writes Records")
    })?;
    let result = record.result();
    let target = measured(result, names).map_err(|failure| failure.at(shown.clone()))?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let stem: String = stem.split('.').next().unwrap_or_default().to_owned();
    let mut rows = Rows { text: String::new(), sigma: BTreeMap::new(), notes: Vec::new() };
    let about = About::of(result, slug);
    let metrics = target["metrics"].as_object();
    let mut left_out = Vec::new();
    let mut list = Vec::new();
    for (name, metric) in metrics.into_iter().flatten() {
        let id = format!("{stem}.{name}");
        let Some(value) = metric["value"].as_f64().filter(|value| *value != 0.0) else { continue };
        if !is_a_figure(name, metric) || metrics.is_some_and(|all| repeats(name, all)) {
            left_out.push(name.clone());
            continue;
        }
        rows.sigma.insert(id.clone(), sampling(metric, value));
        list.push(about.row(id, name, metric, value));
    }
    if !left_out.is_empty() {
        let what = "too few samples, a maximum, or said by another metric";
        rows.notes.push(format!("left out of {shown}, {what}: {}", left_out.join(", ")));
    }
    let file = toml::Table::from_iter([("ref".to_owned(), toml::Value::from(list))]);
    rows.text =
        toml::to_string(&file).map_err(|error| Failure::failed(format!("{shown}: {error}")))?;
    Ok(rows)
}

/// What was measured on the target that is the model, or on the only one there is.
fn measured<'a>(result: &'a Outcome, names: &BTreeSet<String>) -> Result<&'a Value, Failure> {
    if result.kind != Kind::Method {
        return Err(Failure::wrong("this Record is not of a method")
            .with_help("a fit needs what `drivelab test METHOD --record` has written"));
    }
    let targets = result.data["targets"].as_array().map(Vec::as_slice).unwrap_or_default();
    let named = |target: &&Value| target["target"].as_str().is_some_and(|t| names.contains(t));
    match (targets.iter().find(named), targets) {
        (Some(target), _) => Ok(target),
        (None, [target]) => Ok(target),
        _ => Err(Failure::wrong("this Record is of several targets, none of which is the model")
            .with_help("measure the drive that is meant alone, and record that")),
    }
}

/// What all rows say alike.
struct About<'a> {
    slug: &'a str,
    method: &'a str,
    params: toml::Table,
}

impl<'a> About<'a> {
    fn of(result: &'a Outcome, slug: &'a str) -> Self {
        let mut params = toml::Table::new();
        for (name, value) in result.data["params"].as_object().into_iter().flatten() {
            params.insert(name.clone(), value.as_str().unwrap_or_default().into());
        }
        About { slug, method: result.data["method"].as_str().unwrap_or_default(), params }
    }

    /// A number as a row.
    fn row(&self, id: String, name: &str, metric: &Value, value: f64) -> toml::Value {
        let unit = match metric["unit"].as_str().unwrap_or_default() {
            "1/s" => "IOPS",
            unit => unit,
        };
        toml::Value::from(toml::Table::from_iter([
            ("id".to_owned(), toml::Value::from(id)),
            ("target".to_owned(), self.slug.into()),
            ("method".to_owned(), self.method.into()),
            ("params".to_owned(), self.params.clone().into()),
            ("metric".to_owned(), name.into()),
            ("value".to_owned(), value.into()),
            ("unit".to_owned(), unit.into()),
        ]))
    }
}

/// Relative standard uncertainty of a number by its interval; 0 if it has none.
fn sampling(metric: &Value, value: f64) -> f64 {
    let bound = |k: usize| metric["interval95"][k].as_f64();
    match (bound(0), bound(1)) {
        (Some(low), Some(high)) => relative_sigma(low, high, value),
        _ => 0.0,
    }
}

/// Whether the number would come out again if the drive were measured again.
fn is_a_figure(name: &str, metric: &Value) -> bool {
    let Ok((parsed, _)) = metric::Metric::parse(name) else { return false };
    let enough = match (parsed.percent(), metric["samples"].as_u64()) {
        (Some(percent), Some(samples)) => stats::enough_samples(percent, samples),
        _ => true,
    };
    enough && !name.ends_with("_max") && !["rounds", "steady", "iops_cv"].contains(&name)
}

/// Whether it is the same number as another one: bytes a second where operations a second are
/// there, and reads where there is nothing else.
fn repeats(name: &str, all: &serde_json::Map<String, Value>) -> bool {
    let value = |name: &str| all.get(name).and_then(|metric| metric["value"].as_f64());
    match name.strip_suffix("bandwidth") {
        Some(which) if value(&format!("{which}iops")).is_some() => true,
        _ => ["read_iops", "write_iops"].contains(&name) && value(name) == value("iops"),
    }
}

/// Relative standard uncertainty behind a 95 % interval, which is 1.96 standard deviations to each
/// side.
pub fn relative_sigma(low: f64, high: f64, value: f64) -> f64 {
    (high - low).abs() / 2.0 / 1.96 / value.abs()
}
