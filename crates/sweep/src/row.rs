//! What one run of a point gave: a line of the journal.

use metric::MetricValue;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Whether a run gave values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It did.
    Ok,
    /// It could not be made, or went wrong.
    Failed,
}

/// A run of a point with a seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Hash of all that the run follows from.
    pub id: String,
    /// The value of each factor, by its name.
    pub at: BTreeMap<String, String>,
    /// Seed of its random streams.
    pub seed: u64,
    /// I/Os that it was to measure.
    pub ios: u64,
    /// Whether it gave values.
    pub status: Status,
    /// Why it gave none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Values by metric.
    #[serde(default)]
    pub values: BTreeMap<String, MetricValue>,
    /// What limits the drive, in words.
    #[serde(default)]
    pub limits: Vec<String>,
    /// What a reader of the values must know.
    #[serde(default)]
    pub warnings: Vec<String>,
}
