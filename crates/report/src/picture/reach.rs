//! How far percentiles reach: what a number of samples can tell.

use super::measured::Measured;
use answer::measured::Number;

/// A metric of a run, unless it is a percentile beyond which there is not one I/O.
pub fn told<'m>(run: &'m Measured, metric: &str) -> Option<&'m Number> {
    let number = run.metrics.get(metric)?;
    let percentile = percentile(metric, number);
    (!percentile.is_some_and(|(percent, samples)| is_largest(percent, samples))).then_some(number)
}

/// What is wrong with a percentile of so many samples, if they are too few. The words are the same
/// for all: a table says them once.
pub fn too_few(percent: f64, samples: u64) -> Option<String> {
    let few = !stats::enough_samples(percent, samples);
    few.then(|| "fewer than ten I/Os are beyond this percentile".to_owned())
}

/// Whether not a single one of so many samples is beyond a percentile: what it says is the largest
/// of them and nothing else.
pub fn is_largest(percent: f64, samples: u64) -> bool {
    samples as f64 * (1.0 - percent / 100.0) < 1.0 - 1e-9
}

/// The percentile that a metric is, and its samples.
pub fn percentile(metric: &str, number: &Number) -> Option<(f64, u64)> {
    let (_, percent) = metric.rsplit_once("_p")?;
    Some((percent.parse().ok()?, number.samples?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_beyond_which_no_sample_is_left_is_the_largest() {
        assert!(!is_largest(99.99, 10_000) && is_largest(99.99, 9_999));
    }
}
