//! What is worth a picture: metrics, parameters that were swept, and shapes that are new.

use super::measured::Measured;
use crate::quantity::parse;
use std::collections::{BTreeMap, BTreeSet};

/// Metrics worth a picture of their own, in the order in which they are shown.
const DRAWN: [&str; 30] = [
    "iops",
    "peak_iops",
    "read_iops",
    "write_iops",
    "bandwidth",
    "read_bandwidth",
    "write_bandwidth",
    "read.bandwidth",
    "write.bandwidth",
    "lat_mean",
    "latency_at_peak",
    "read_lat_mean",
    "write_lat_mean",
    "read_lat_p99",
    "read_lat_p99.99",
    "read_lat_p99.9999",
    "write_lat_p99.99",
    "tps",
    "mean_ms",
    "p99_ms",
    "power",
    "energy_per_io",
    "write_amplification",
    "temperature",
    "bandwidth_after",
    "first_throttle",
    "wear",
    "max_rate",
    "recovery_time",
    "hit_rate",
];

/// Rounds of one load: a curve over time in points.
pub const ROUND: &str = "round";

/// Whether a run has points of its own that were swept; rounds are not.
pub fn is_sweep(run: &Measured) -> bool {
    run.points.iter().any(|point| point.at.keys().any(|over| over != ROUND))
}

/// Position of a metric among those that are drawn; a metric of a named measurement
/// (`read.bandwidth`) has the position of the metric.
pub fn place(metric: &str) -> Option<usize> {
    DRAWN.iter().position(|known| *known == metric::tail(metric))
}

/// Whether a parameter takes three or more numbers on one target while all else stays.
pub fn is_swept(runs: &[&Measured], name: &str) -> bool {
    // What stays: the target, then the other parameters with their values.
    let mut lines: BTreeMap<Vec<&str>, BTreeSet<&str>> = BTreeMap::new();
    for run in runs {
        let others = run.params.iter().filter(|(other, _)| *other != name);
        let others = others.flat_map(|(name, value)| [name.as_str(), value.as_str()]);
        let key = std::iter::once(run.target.as_str()).chain(others).collect();
        let value = run.params.get(name).filter(|value| parse(value).is_some());
        lines.entry(key).or_default().extend(value.map(String::as_str));
    }
    lines.values().any(|values| values.len() >= 3)
}

/// Shapes that were drawn. A rate that is another one in other units (bytes instead of commands of
/// one size, reads where there is nothing else) would be the same picture again.
#[derive(Default)]
pub struct Shapes {
    drawn: Vec<(bool, Vec<Option<f64>>)>,
}

impl Shapes {
    /// Whether these values show anything that was not drawn yet; takes note of them.
    pub fn is_new(&mut self, unit: &str, values: &[Option<f64>]) -> bool {
        let rate = matches!(unit, "1/s" | "B/s");
        let first = match rate {
            true => values.iter().flatten().copied().find(|value| *value != 0.0).unwrap_or(0.0),
            false => 1.0,
        };
        if rate && first == 0.0 {
            return false;
        }
        let shape: Vec<Option<f64>> = values.iter().map(|value| value.map(|v| v / first)).collect();
        let near = |a: &Option<f64>, b: &Option<f64>| match (a, b) {
            (Some(a), Some(b)) => (a - b).abs() <= 1e-3 * a.abs().max(b.abs()),
            (a, b) => a.is_none() && b.is_none(),
        };
        let same = |(known, drawn): &(bool, Vec<Option<f64>>)| {
            *known == rate
                && drawn.len() == shape.len()
                && drawn.iter().zip(&shape).all(|(a, b)| near(a, b))
        };
        let new = !self.drawn.iter().any(same);
        if new {
            self.drawn.push((rate, shape));
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_picture_is_not_drawn_twice() {
        let mut shapes = Shapes::default();
        assert!(shapes.is_new("1/s", &[Some(1.0), Some(2.0), None]));
        assert!(!shapes.is_new("B/s", &[Some(4096.0), Some(8192.0), None]), "bytes of 4 KiB each");
        assert!(shapes.is_new("B/s", &[Some(4096.0), Some(8192.0), Some(1.0)]));
        assert!(!shapes.is_new("1/s", &[Some(0.0), Some(0.0), None]), "nothing was done");
        assert!(shapes.is_new("s", &[Some(1.0), Some(2.0), None]), "a latency is no rate");
    }
}
