//! A point of a sweep with what was measured there.

use crate::row::{Row, Status};
use answer::sweep::SweepValue;
use metric::MetricValue;
use std::collections::BTreeMap;

/// A value with its interval. Where none is known, both ends are the value; of a percentile for
/// which there are too few samples, they are zero and infinity.
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
    /// narrower than the metric is resolved. A percentile that one of them has too few samples for
    /// can be anything: what the longest of a few took is not what one in a million takes. `None`
    /// of no run.
    pub fn of_runs(name: &str, runs: &[&MetricValue]) -> Option<Self> {
        let first = runs.first()?;
        if runs.iter().any(|run| has_too_few_samples(name, run)) {
            let value = runs.iter().map(|run| run.value).sum::<f64>() / runs.len() as f64;
            let samples = runs.iter().map(|run| run.samples).sum();
            return Some(Self { value, low: 0.0, high: f64::INFINITY, samples });
        }
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

    /// Whether anything is known of the value.
    pub fn is_known(&self) -> bool {
        self.high.is_finite()
    }

    /// Whether it has an interval.
    pub fn is_interval(&self) -> bool {
        self.is_known() && self.low < self.high
    }
}

/// What to keep in mind of a percentile that runs have too few samples for.
pub fn too_few_samples(name: &str) -> String {
    format!(
        "{name}: runs have too few I/Os to know it, so nothing surely keeps or misses a limit on \
         it; measure more (--budget)"
    )
}

/// What to keep in mind of a metric of which a run knows no interval, where there is one run.
pub fn of_one_run(name: &str) -> String {
    format!(
        "{name}: of one run, which knows no interval of it, so that chance is not told from what \
         is sought and required; --repeats 3 tells it"
    )
}

/// Whether a run knows nothing about the chance of a value that more I/Os or other seeds change.
pub fn has_no_interval(name: &str, run: &MetricValue) -> bool {
    run.interval95.is_none() && !has_too_few_samples(name, run)
}

/// Whether a value is a percentile of so few samples that the run knows no interval for it.
pub fn has_too_few_samples(name: &str, run: &MetricValue) -> bool {
    run.interval95.is_none() && run.samples.is_some() && metric::percent(name).is_some()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Standing;

    fn run(value: f64, samples: u64, interval95: Option<(f64, f64)>) -> MetricValue {
        MetricValue { value, samples: Some(samples), interval95 }
    }

    /// Of 11,000 reads a tenth of one lies beyond p99.999.
    #[test]
    fn a_percentile_beyond_the_samples_can_be_anything() {
        let limit = crate::requirement("read_lat_p99.999 < 2 ms", "").unwrap();
        let standing = |runs: &[&MetricValue]| {
            Standing::of(&limit, Estimate::of_runs("read_lat_p99.999", runs).as_ref())
        };
        let [few, many] = [run(0.7e-3, 11_000, None), run(0.7e-3, 900_000, Some((0.6e-3, 0.8e-3)))];
        assert_eq!(standing(&[&many]), Standing::Met);
        assert_eq!(standing(&[&many, &many]), Standing::Met);
        for runs in [&[&few][..], &[&few, &few], &[&many, &few]] {
            assert_eq!(standing(runs), Standing::Open);
            let estimate = Estimate::of_runs("load.read_lat_p99.999", runs).unwrap();
            assert!(!estimate.is_known() && !estimate.is_interval());
            assert_eq!(SweepValue::from(&estimate).high95, None);
        }
        // What is no percentile needs no interval of its own.
        assert!(Estimate::of_runs("iops", &[&few]).unwrap().is_known());
    }
}
