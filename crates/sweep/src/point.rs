//! A point of a sweep with what was measured there.

use crate::row::{Row, Status};
use answer::sweep::SweepValue;
use metric::MetricValue;
use std::collections::BTreeMap;

/// A value with its interval. Where none is known, both ends are the value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The value, in the base unit.
    pub value: f64,
    /// Lower end of its 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Samples that it rests on, if they are counted.
    pub samples: Option<u64>,
}

impl Estimate {
    /// A value about which nothing else is known.
    pub fn exact(value: f64) -> Self {
        Self { value, low: value, high: value, samples: None }
    }

    /// What runs with different seeds give together of a metric: their mean with Student's
    /// interval; of one run its value, with the interval that the run knows. No interval is
    /// narrower than the metric is resolved. `None` of no run.
    pub fn of_runs(name: &str, runs: &[&MetricValue]) -> Option<Self> {
        let first = runs.first()?;
        if runs.len() == 1 {
            let (low, high) = first.interval95.unwrap_or((first.value, first.value));
            let half = metric::resolution(name, first.value);
            let (low, high) = (low.min(first.value - half), high.max(first.value + half));
            return Some(Self { value: first.value, low, high, samples: first.samples });
        }
        let values: Vec<f64> = runs.iter().map(|run| run.value).collect();
        let (mean, _) = stats::difference::mean_and_variance(&values)?;
        let half = stats::difference::half_width_of_mean(&values, CONFIDENCE);
        let half = half.max(metric::resolution(name, mean));
        let samples: Option<u64> = runs.iter().map(|run| run.samples).sum();
        Some(Self { value: mean, low: mean - half, high: mean + half, samples })
    }

    /// Whether it has an interval.
    pub fn is_interval(&self) -> bool {
        self.low < self.high
    }
}

impl From<&Estimate> for SweepValue {
    fn from(estimate: &Estimate) -> Self {
        SweepValue {
            value: estimate.value,
            low95: estimate.is_interval().then_some(estimate.low),
            high95: estimate.is_interval().then_some(estimate.high),
            samples: estimate.samples,
        }
    }
}

/// A point and what all runs of it gave together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Point {
    /// The value of each factor.
    pub at: Vec<String>,
    /// Ids of its runs.
    pub ids: Vec<String>,
    /// Values by metric; empty if a run failed.
    pub values: BTreeMap<String, Estimate>,
    /// Values of the single runs of what is sought and required, in the order of their seeds, which
    /// all points share; empty of one run.
    pub runs: BTreeMap<String, Vec<f64>>,
    /// Why a run failed.
    pub failure: Option<String>,
    /// What limits the drive, in words.
    pub limits: Vec<String>,
}

/// Confidence of all intervals.
const CONFIDENCE: f64 = 0.95;

impl Point {
    /// A point of its runs, one a seed. Of several, a value is their mean with Student's interval;
    /// of one it is the run's own, with the interval that the run knows.
    pub fn of(at: Vec<String>, rows: &[&Row]) -> Self {
        let ids = rows.iter().map(|row| row.id.clone()).collect();
        let failed = rows.iter().find(|row| row.status == Status::Failed);
        if let Some(failed) = failed {
            let failure = Some(failed.message.clone().unwrap_or_default());
            return Self { at, ids, failure, ..Self::default() };
        }
        let limits = rows.first().map(|row| row.limits.clone()).unwrap_or_default();
        let names = rows.first().into_iter().flat_map(|row| row.values.keys());
        let values = names.filter_map(|name| Some((name.clone(), together(name, rows)?)));
        Self { at, ids, values: values.collect(), limits, ..Self::default() }
    }

    /// Whether it was measured.
    pub fn is_ok(&self) -> bool {
        self.failure.is_none()
    }
}

/// A metric over the runs of a point; `None` if one of them lacks it.
fn together(name: &str, rows: &[&Row]) -> Option<Estimate> {
    let all: Vec<&MetricValue> = rows.iter().filter_map(|row| row.values.get(name)).collect();
    if all.len() == rows.len() { Estimate::of_runs(name, &all) } else { None }
}
