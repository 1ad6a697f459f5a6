//! Numbers of a step.

use metric::MetricValue;
use std::collections::BTreeMap;

/// Numbers of one step, by name, in base units.
pub type Values = BTreeMap<String, MetricValue>;
