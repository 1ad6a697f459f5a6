//! A run of a method as Records keep it: what was measured on one target with one set of
//! parameters.

use crate::origin::Origin;
use crate::source::Source;
use serde::Deserialize;
use serde_json::Value;
use stats::{Limit, NamedHistogram, Series};
use std::collections::BTreeMap;

/// A value in the base unit of its metric.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Number {
    /// The value.
    pub value: f64,
    /// Its unit: `s`, `B/s`, `1/s`, `W`, `1`, ...
    pub unit: String,
    /// On how many samples it rests, if that is countable.
    pub samples: Option<u64>,
    /// Its 95 % interval, if known.
    pub interval95: Option<(f64, f64)>,
}

/// A point of a sweep.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Point {
    /// The parameters that were swept.
    pub at: BTreeMap<String, String>,
    /// What was measured there.
    pub metrics: BTreeMap<String, Number>,
}

/// How sure the method is.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Certainty {
    /// Whether it does what the reviewer did.
    pub exact: bool,
    /// By which source, or what is not known.
    pub about: String,
}

/// What a method measured on a target.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Measured {
    /// The target.
    pub target: String,
    /// The method.
    pub method: String,
    /// Its parameters.
    pub params: BTreeMap<String, String>,
    /// Values by metric.
    pub metrics: BTreeMap<String, Number>,
    /// Points of a sweep.
    pub points: Vec<Point>,
    /// Curves over time.
    pub series: Vec<Series>,
    /// Distributions.
    pub histograms: Vec<NamedHistogram>,
    /// What limits it: of a sweep, each point.
    pub limited_by: Vec<Limit>,
    /// What to be careful with.
    pub warnings: Vec<String>,
    /// How sure the method is.
    pub provenance: Certainty,
    /// Why there is nothing, if the run failed.
    pub failed: Option<String>,
    /// Whether it was measured or comes out of a model.
    #[serde(skip)]
    pub origin: Origin,
}

impl Measured {
    /// The targets of the answer of `test`.
    pub fn of_method(source: &Source) -> Vec<Self> {
        let data = &source.outcome.data;
        let method = data["method"].as_str().unwrap_or_default();
        let params: BTreeMap<String, String> = strings(&data["params"]);
        let mut list = Self::list(source, &data["targets"]);
        for measured in &mut list {
            measured.method = method.to_owned();
            measured.params.clone_from(&params);
        }
        list
    }

    /// The runs of a reproduction.
    pub fn of_reproduction(source: &Source) -> Vec<Self> {
        Self::list(source, &source.outcome.data["runs"])
    }

    fn list(source: &Source, value: &Value) -> Vec<Self> {
        let items = value.as_array().into_iter().flatten();
        let read = |item: &Value| {
            let measured = Self::deserialize(item).ok()?;
            Some(Self { origin: source.origin(&measured.target, item), ..measured })
        };
        items.filter_map(read).collect()
    }
}

/// A table of texts; what is no text is left out.
fn strings(value: &Value) -> BTreeMap<String, String> {
    let entries = value.as_object().into_iter().flatten();
    let text = |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
    entries.filter_map(text).collect()
}
