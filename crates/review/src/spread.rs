//! A simulated number as several seeds give it: mean and 95 % interval.

use stats::difference::{half_width_of_mean, mean_and_variance};

/// What an interval holds of the chance.
const CONFIDENCE: f64 = 0.95;

/// A mean and half the width of its 95 % interval, in one unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spread {
    /// The mean over the seeds.
    pub mean: f64,
    /// Half the width of the interval; 0 of a number that no seed changes.
    pub half_width: f64,
}

impl Spread {
    /// The mean of what the seeds gave, with Student's interval. One value alone has none: it is
    /// taken as exact.
    pub fn of(values: &[f64]) -> Self {
        let alone = values.first().copied().unwrap_or(f64::NAN);
        let mean = match values.len() {
            0 | 1 => alone,
            _ => mean_and_variance(values).map_or(f64::NAN, |(mean, _)| mean),
        };
        Self { mean, half_width: half_width_of_mean(values, CONFIDENCE) }
    }

    /// The same where each run knows its own value only so well (half widths): a few seeds may
    /// scatter less than that by chance. The mean of n runs is known better by the root of n.
    #[must_use]
    pub fn of_runs(self, own: &[f64]) -> Self {
        let squares: f64 = own.iter().map(|half| half * half).sum();
        let of_mean = if own.is_empty() { 0.0 } else { squares.sqrt() / own.len() as f64 };
        Self { half_width: self.half_width.max(of_mean), ..self }
    }

    /// Whether the interval is at most this share of the mean, to each side. A number that no seed
    /// changes is known to any precision.
    pub fn is_within(self, precision: f64) -> bool {
        self.half_width <= precision * self.mean.abs()
    }

    /// Whether all of the interval is between two limits (these included) or all of it beyond one;
    /// `None` if a limit is inside it.
    pub fn within(self, low: f64, high: f64) -> Option<bool> {
        if self.mean.is_nan() {
            return Some(false);
        }
        let (from, to) = (self.mean - self.half_width, self.mean + self.half_width);
        match (low <= from && to <= high, to < low || high < from) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }

    /// Whether all of the interval is below a limit; `Some(false)` if none of it does.
    pub fn below(self, limit: f64) -> Option<bool> {
        let (from, to) = (self.mean - self.half_width, self.mean + self.half_width);
        match (to < limit, from >= limit || self.mean.is_nan()) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_a_mean_is_students() {
        // t(0.975, 2) = 4.303; the variance of 1, 2, 3 is 1.
        let spread = Spread::of(&[1.0, 2.0, 3.0]);
        assert_eq!(spread.mean, 2.0);
        assert!((spread.half_width - 4.303 / 3f64.sqrt()).abs() < 1e-3, "{spread:?}");
        assert_eq!(Spread::of(&[0.1; 3]), Spread { mean: 0.1, half_width: 0.0 });
        assert_eq!(Spread::of(&[7.0]), Spread { mean: 7.0, half_width: 0.0 });
        assert!(Spread::of(&[]).mean.is_nan() && Spread::of(&[1.0, f64::NAN]).mean.is_nan());
    }

    #[test]
    fn only_an_interval_on_one_side_decides() {
        let spread = Spread { mean: 10.0, half_width: 1.0 };
        assert_eq!(spread.within(9.0, 11.0), Some(true));
        assert_eq!(spread.within(9.1, 20.0), None);
        assert_eq!(spread.within(11.0, 20.0), None, "the limit is part of both");
        assert_eq!(spread.within(11.1, 20.0), Some(false));
        assert_eq!(spread.within(0.0, 8.9), Some(false));
        assert_eq!(spread.below(11.1), Some(true));
        assert_eq!((spread.below(11.0), spread.below(9.1)), (None, None));
        assert_eq!(spread.below(9.0), Some(false));
        assert_eq!(spread.of_runs(&[6.0; 4]).half_width, 3.0, "four runs halve what one knows");
        assert_eq!(spread.of_runs(&[6.0; 4]).within(9.0, 11.0), None);
        assert_eq!((spread.of_runs(&[1.0; 4]), spread.of_runs(&[])), (spread, spread));
        let exact = Spread::of(&[5.0]);
        assert_eq!((exact.below(5.0), exact.within(5.0, 5.0)), (Some(false), Some(true)));
        assert_eq!(Spread::of(&[]).within(0.0, 1.0), Some(false));
    }

    #[test]
    fn precision_is_a_share_of_the_mean() {
        let spread = Spread { mean: -200.0, half_width: 2.0 };
        assert!(spread.is_within(0.01) && !spread.is_within(0.0099));
        assert!(Spread::of(&[0.0]).is_within(0.0) && Spread::of(&[7.0; 3]).is_within(0.0));
        assert!(!Spread::of(&[-1.0, 0.0, 1.0]).is_within(0.5));
    }
}
