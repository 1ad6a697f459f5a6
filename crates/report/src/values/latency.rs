//! Rows of a latency: its mean, extremes and percentiles, in seconds.

use super::Row;
use super::warned::{Subject, Warned, too_few};
use stats::{LatencyResult, PercentileEstimate};
use std::sync::Arc;

/// Nanoseconds in seconds, rounded as the decimal number is.
pub(super) fn seconds(ns: f64) -> f64 {
    ns / 1e9
}

/// What rows of one job and direction share besides their numbers.
pub(super) struct Frame<'a> {
    pub row: Row,
    pub job: &'a str,
    pub warned: &'a Warned,
    pub own: &'a [String],
}

impl Frame<'_> {
    /// A row with a number; `more` are warnings about it alone.
    pub fn row(&self, metric: &str, value: f64, unit: &str, more: Option<String>) -> Row {
        let all: Vec<String> = self.own.iter().cloned().chain(more).collect();
        let subject = Subject { job: Some(self.job), metric };
        Row {
            metric: metric.into(),
            value: Some(value),
            unit: unit.into(),
            warnings: self.warned.about(subject, &all),
            ..self.row.clone()
        }
    }

    /// The rows of a latency, named `PREFIX_mean` and so on; none without samples.
    pub fn latency(&self, prefix: &str, latency: &LatencyResult) -> Vec<Row> {
        if latency.n == 0 {
            return Vec::new();
        }
        let samples = Some(latency.n);
        let row = |name: &str, ns: f64, more: Option<String>| Row {
            samples,
            ..self.row(&format!("{prefix}_{name}"), seconds(ns), "s", more)
        };
        let mut rows = vec![
            row("mean", latency.mean_ns, None),
            row("min", latency.min_ns as f64, None),
            row("max", latency.max_ns as f64, None),
            row("stddev", latency.stddev_ns, None),
        ];
        for known in &latency.percentiles {
            let (percent, ns) = (known.percent, known.ns as f64);
            let more = too_few(percent, latency.n);
            let mut row = row(&format!("p{percent}"), ns, more);
            if let Some(interval) = interval(latency, percent) {
                (row.low95, row.high95) = interval;
            }
            rows.push(row);
        }
        rows
    }
}

/// The ends of the 95 % interval in s, where the whole histogram is known.
fn interval(latency: &LatencyResult, percent: f64) -> Option<(Option<f64>, Option<f64>)> {
    let histogram = latency.histogram.as_ref().filter(|all| all.count() == latency.n)?;
    let estimate = PercentileEstimate::new(histogram, latency.moments.as_ref(), percent)?;
    let end = |ns: Option<u64>| ns.map(|ns| seconds(ns as f64));
    Some((end(estimate.low_ns), end(estimate.high_ns)))
}

/// A shared copy of a name.
pub(super) fn shared(text: &str) -> Option<Arc<str>> {
    (!text.is_empty()).then(|| text.into())
}
