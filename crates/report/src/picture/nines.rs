//! Axes of latency against the share of I/Os that are quicker, in nines.

use crate::document::{Axis, Scale};
use crate::quantity::Shown;

/// Position of a percentile on an axis of nines.
pub fn nines(percent: f64) -> f64 {
    -(1.0 - percent / 100.0).log10()
}

/// The axis of nines up to the last percentile shown.
pub fn axis(last: f64) -> Axis {
    let to = Some(last.ceil().max(2.0));
    Axis { from: Some(0.0), to, ..Axis::new("share of I/Os", "%", Scale::Nines) }
}

/// The axis of latencies in the unit that fits the longest, s.
pub fn latency_axis(longest_s: f64) -> (Axis, Shown) {
    let shown = Shown::of("s", "lat", longest_s);
    (Axis::new("latency", &shown.unit, Scale::Log), shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nines_are_evenly_apart() {
        assert!((nines(90.0) - 1.0).abs() < 1e-12);
        assert!((nines(99.99) - 4.0).abs() < 1e-9);
        assert_eq!(nines(0.0), 0.0);
    }
}
