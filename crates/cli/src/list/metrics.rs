//! Metrics, each with the unit in which it is given.

use crate::render::Failure;
use crate::shelves::{Row, Shelves};
use metric::{METRICS, MetricSpec};
use schemars::JsonSchema;
use serde::Serialize;

/// A metric.
#[derive(Serialize, JsonSchema)]
pub struct Metric {
    /// Its name.
    name: &'static str,
    /// The unit of its values in results.
    unit: &'static str,
    /// What it is.
    what: &'static str,
}

impl Row for Metric {
    const TITLES: &'static [(&'static str, &'static str)] =
        &[("name", "Name"), ("unit", "Unit"), ("what", "What")];
}

/// The table.
pub fn shelves() -> Result<Shelves, Failure> {
    let row =
        |spec: &MetricSpec| Metric { name: spec.name, unit: spec.dimension.base(), what: spec.doc };
    Shelves::of(METRICS.iter().filter(|spec| !spec.carried).map(row))
}
