//! A Record of a method as rows of a reviews file, so that it is read as one.

use super::row::{self, NumberedRow, is_sampled};
use crate::method;
use crate::render::Failure;
use answer::measured::Number;
use answer::{Measured, Tested};
use stats::difference::relative_sigma;
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
    let tested = tested(result).map_err(|failure| failure.at(shown.clone()))?;
    let method = method_of(&tested, result).map_err(|failure| failure.at(shown.clone()))?;
    let target = measured(&tested, names).map_err(|failure| failure.at(shown.clone()))?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let stem: String = stem.split('.').next().unwrap_or_default().to_owned();
    let mut rows = Rows { text: String::new(), sigma: BTreeMap::new(), notes: Vec::new() };
    let about = About::of(&tested, method, slug);
    let mut left_out = Vec::new();
    let mut list = Vec::new();
    for (name, metric) in &target.metrics {
        let id = format!("{stem}.{name}");
        let value = metric.value;
        if value == 0.0 || !value.is_finite() {
            continue;
        }
        if !is_a_figure(name, metric) || repeats(name, &target.metrics) {
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
    rows.text = row::file(list).map_err(|error| Failure::failed(format!("{shown}: {error}")))?;
    Ok(rows)
}

/// What the method measured.
fn tested(result: &Outcome) -> Result<Tested, Failure> {
    if result.kind != Kind::Method {
        return Err(Failure::wrong("this Record is not of a method")
            .with_help("a fit needs what `drivelab test METHOD --record` has written"));
    }
    answer::read(&result.data).map_err(|error| Failure::wrong(error.to_string()))
}

/// The name by which the method is found: the path of a file of the user's own, which must be the
/// one that was measured with.
fn method_of<'a>(tested: &'a Tested, result: &Outcome) -> Result<&'a str, Failure> {
    let Some(file) = &tested.file else { return Ok(&tested.method) };
    let now = method::find(file)?;
    match result.job_text.as_ref() == Some(&now.text) {
        true => Ok(file),
        false => Err(Failure::wrong(format!("{file} was another when this was measured"))
            .with_help("measure again with the file as it is now")),
    }
}

/// What was measured on the target that is the model, or on the only one there is.
fn measured<'a>(tested: &'a Tested, names: &BTreeSet<String>) -> Result<&'a Measured, Failure> {
    let named = |measured: &&Measured| names.contains(&measured.target);
    match (tested.targets.iter().find(named), tested.targets.as_slice()) {
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
    fn of(tested: &'a Tested, method: &'a str, slug: &'a str) -> Self {
        let params = tested.params.iter();
        let params = params.map(|(name, value)| (name.clone(), value.as_str().into())).collect();
        About { slug, method, params }
    }

    /// A number as a row.
    fn row<'r>(
        &'r self,
        id: String,
        metric: &'r str,
        number: &'r Number,
        value: f64,
    ) -> NumberedRow<'r> {
        let (target, method, params) = (self.slug, self.method, self.params.clone());
        NumberedRow { id, target, method, params, metric, value, unit: &number.unit }
    }
}

/// Relative standard uncertainty of a number by its interval; 0 if it has none.
fn sampling(metric: &Number, value: f64) -> f64 {
    metric.interval95.map_or(0.0, |(low, high)| relative_sigma(low, high, value))
}

/// Whether the number would come out again if the drive were measured again.
fn is_a_figure(name: &str, metric: &Number) -> bool {
    let Ok((parsed, _)) = metric::Metric::parse(name) else { return false };
    is_sampled(&parsed, metric.samples)
        && !name.ends_with("_max")
        && !["rounds", "steady", "iops_cv"].contains(&name)
}

/// Whether it is the same number as another one: bytes a second where operations a second are
/// there, and reads where there is nothing else.
fn repeats(name: &str, all: &BTreeMap<String, Number>) -> bool {
    let value = |name: &str| all.get(name).map(|metric| metric.value);
    match name.strip_suffix("bandwidth") {
        Some(which) if value(&format!("{which}iops")).is_some() => true,
        _ => ["read_iops", "write_iops"].contains(&name) && value(name) == value("iops"),
    }
}
