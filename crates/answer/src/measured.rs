//! What a method measured on a target.

use crate::interval90::Interval90;
use crate::origin::Origin;
use crate::pairs::Pairs;
use metric::{Dimension, Measurement, Metric, MetricValue, Provenance, tail};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use stats::{Convergence, Limit, NamedHistogram, Series};
use std::collections::BTreeMap;

/// A value in the base unit of its metric.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Number {
    /// The value; `null` if it came out as no number.
    #[serde(deserialize_with = "number_or_none")]
    #[schemars(with = "Option<f64>")]
    pub value: f64,
    /// Its unit: `s`, `B/s`, `1/s`, `W`, `1`, ...
    #[serde(default)]
    pub unit: String,
    /// On how many samples it rests, if that is countable.
    pub samples: Option<u64>,
    /// Its 95 % interval, if known.
    pub interval95: Option<(f64, f64)>,
    /// Where that of the real drive lies, of a model with `--interval`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval90: Option<Interval90>,
}

/// JSON has no word for a value that is no number.
fn number_or_none<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or(f64::NAN))
}

/// A point of a sweep.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Point {
    /// The parameters that were swept, with their values here.
    pub at: Pairs<String>,
    /// What was measured there, by metric.
    pub metrics: BTreeMap<String, Number>,
}

/// How sure it is that a method does what the reviewer did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Certainty {
    /// Whether it does.
    pub exact: bool,
    /// By which source, or what is not known.
    pub about: String,
}

/// What a method measured on a target.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Measured {
    /// The target.
    pub target: String,
    /// Whether it was measured or comes out of a model; earlier versions did not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// Values by metric.
    pub metrics: BTreeMap<String, Number>,
    /// Points of a sweep, in their order.
    pub points: Vec<Point>,
    /// Curves over time and position.
    pub series: Vec<Series>,
    /// Distributions of latencies.
    pub histograms: Vec<NamedHistogram>,
    /// How rounds came to rest, of methods that measure until a number is steady.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub convergence: Vec<Convergence>,
    /// What limits it: of a sweep, each point.
    pub limited_by: Vec<Limit>,
    /// What to be careful with.
    pub warnings: Vec<String>,
    /// How sure the method is.
    pub provenance: Certainty,
    /// Why there is nothing, if the run failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// The method, of a run of a reproduction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Its parameters, of a run of a reproduction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub params: Option<BTreeMap<String, String>>,
}

impl Measured {
    /// What was measured on a target.
    pub fn new(target: &str, origin: Origin, measurement: &Measurement) -> Self {
        let point = |point: &metric::Point| Point {
            at: point.at.iter().cloned().collect(),
            metrics: numbers(&point.metrics),
        };
        let (exact, about) = match &measurement.method_provenance {
            Provenance::Exact(source) => (true, source.clone()),
            Provenance::Approximation(what) => (false, what.clone()),
        };
        Self {
            target: target.to_owned(),
            origin: Some(origin),
            metrics: numbers(&measurement.metrics),
            points: measurement.points.iter().map(point).collect(),
            series: measurement.series.clone(),
            histograms: measurement.histograms.clone(),
            convergence: measurement.convergence.clone(),
            limited_by: measurement.limits.clone(),
            warnings: measurement.warnings.clone(),
            provenance: Certainty { exact, about },
            ..Self::default()
        }
    }

    /// Names of all its metrics, those of its points among them; one may come several times.
    pub fn metric_names(&self) -> impl Iterator<Item = &String> {
        let points = self.points.iter().map(|point| &point.metrics);
        std::iter::once(&self.metrics).chain(points).flat_map(BTreeMap::keys)
    }
}

fn numbers(metrics: &BTreeMap<String, MetricValue>) -> BTreeMap<String, Number> {
    let number = |(name, metric): (&String, &MetricValue)| {
        let number = Number {
            value: metric.value,
            unit: of_metric(tail(name)).base().to_owned(),
            samples: metric.samples,
            interval95: metric.interval95,
            interval90: None,
        };
        (name.clone(), number)
    };
    metrics.iter().map(number).collect()
}

/// What the metric of this name measures.
pub fn of_metric(name: &str) -> Dimension {
    Metric::parse(name).map_or(Dimension::Number, |(metric, _)| metric.dimension())
}
