//! What one run of a method measured.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub use stats::{Convergence, Limit, NamedHistogram, PhaseKind, Series, SeriesPhase};

/// One value of a measurement, in the base unit of its metric
/// ([`Dimension::base`](super::Dimension::base): seconds, B/s, watts, ...).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetricValue {
    /// The value.
    pub value: f64,
    /// On how many samples it rests, if that is countable.
    pub samples: Option<u64>,
    /// Its 95 % interval, if known.
    pub interval95: Option<(f64, f64)>,
}

impl MetricValue {
    /// A value about which nothing else is known.
    pub fn exact(value: f64) -> Self {
        Self { value, samples: None, interval95: None }
    }
}

/// How sure it is that a method does what the reviewer did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Provenance {
    /// Known from this source.
    Exact(String),
    /// Not wholly known; this is what is not.
    Approximation(String),
}

/// What one run measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// Values by the canonical name of the metric (`iops`, `read_lat_p99.99`, ...).
    pub metrics: BTreeMap<String, MetricValue>,
    /// Points of a sweep, in the order in which they were made.
    pub points: Vec<Point>,
    /// Curves over time and position.
    pub series: Vec<Series>,
    /// Distributions of latencies, of the measurements that are about them.
    pub histograms: Vec<NamedHistogram>,
    /// How rounds came to rest, of methods that measure until a number is steady.
    pub convergence: Vec<Convergence>,
    /// What limited its runs, in their order.
    pub limits: Vec<Limit>,
    /// What a reader of the values must know.
    pub warnings: Vec<String>,
    /// How sure the method is.
    pub method_provenance: Provenance,
    /// Of a real target: what it is and what was done to it, in order; null of a model.
    pub about: serde_json::Value,
}

/// One point of a sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// The parameters that were swept, with their values here.
    pub at: Vec<(String, String)>,
    /// Values by metric; where a point has several measurements, `MEASUREMENT.METRIC`.
    pub metrics: BTreeMap<String, MetricValue>,
}

/// Why a run gave nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MeasureError {
    /// No such method; the text is a hint at the known ones.
    #[error("the method is not built yet ({0})")]
    UnknownMethod(String),
    /// No such model, or one that cannot be: the text is a hint at the known ones, or why.
    #[error("the drive cannot be modelled yet ({0})")]
    UnknownTarget(String),
    /// The method or the model leaves this out on purpose.
    #[error("{0}")]
    NotModelled(String),
    /// It was tried and went wrong.
    #[error("the run failed: {0}")]
    Failed(String),
}

impl MeasureError {
    /// The reason, for a text that already says that nothing was measured.
    pub fn reason(&self) -> String {
        match self {
            MeasureError::Failed(why) => why.clone(),
            other => other.to_string(),
        }
    }
}
