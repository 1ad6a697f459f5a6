//! Exact moments of a set of integers: count, sum, sum of squares, least and greatest.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The moments of a set of `u64` values, kept in integers.
///
/// A running mean in floating point depends on the order of its inputs; integer sums do not, so
/// merging the parts of a run in any order yields the same bytes. The unit is the caller's
/// (nanoseconds for latencies).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Moments {
    /// Number of values.
    pub n: u64,
    /// Sum of the values, saturating. JSON has no 128-bit numbers: written as a decimal string.
    #[serde(with = "crate::decimal")]
    #[schemars(with = "crate::decimal::Digits")]
    pub sum: u128,
    /// Sum of the squares, saturating; written as a decimal string.
    #[serde(with = "crate::decimal")]
    #[schemars(with = "crate::decimal::Digits")]
    pub sum_squares: u128,
    /// Least value; `u64::MAX` while there are none (see [`Moments::least`]).
    pub min: u64,
    /// Greatest value; 0 while there are none.
    pub max: u64,
}

impl Default for Moments {
    fn default() -> Self {
        Self { n: 0, sum: 0, sum_squares: 0, min: u64::MAX, max: 0 }
    }
}

impl Moments {
    /// No values yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one value.
    #[inline]
    pub fn record(&mut self, value: u64) {
        self.n = self.n.saturating_add(1);
        self.sum = self.sum.saturating_add(u128::from(value));
        let square = u128::from(value) * u128::from(value);
        self.sum_squares = self.sum_squares.saturating_add(square);
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }

    /// Adds all values of `other`, as if each had been recorded here.
    pub fn merge(&mut self, other: &Self) {
        self.n = self.n.saturating_add(other.n);
        self.sum = self.sum.saturating_add(other.sum);
        self.sum_squares = self.sum_squares.saturating_add(other.sum_squares);
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// The least value, 0 if there are none (what fio prints then).
    pub fn least(&self) -> u64 {
        if self.n == 0 { 0 } else { self.min }
    }

    /// The arithmetic mean, 0 if there are no values.
    pub fn mean(&self) -> f64 {
        if self.n == 0 {
            return 0.0;
        }
        // Whole part and remainder apart: a sum beyond 2^53 would lose its last digits at once.
        let n = u128::from(self.n);
        (self.sum / n) as f64 + (self.sum % n) as f64 / self.n as f64
    }

    /// The standard deviation of the sample (divisor n - 1), 0 below two values; what fio prints.
    pub fn stddev(&self) -> f64 {
        if self.n < 2 {
            return 0.0;
        }
        // Squares about the whole part q of the mean, in integers, so that nothing cancels: S =
        // sum((x - q)^2) - r^2/n with r = sum - n q. The true value fits, so wrapping arithmetic is
        // exact for every set of values whose sums did not saturate.
        let n = u128::from(self.n);
        let whole = self.sum / n;
        let rest = self.sum % n;
        let about_whole = self
            .sum_squares
            .wrapping_add(n.wrapping_mul(whole).wrapping_mul(whole))
            .wrapping_sub(whole.wrapping_mul(self.sum).wrapping_mul(2));
        let rest_share = rest as f64 * (rest as f64 / self.n as f64);
        let squares = (about_whole as f64 - rest_share).max(0.0);
        libm::sqrt(squares / (self.n - 1) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_yields_zeros() {
        let none = Moments::new();
        assert_eq!((none.least(), none.max, none.mean(), none.stddev()), (0, 0, 0.0, 0.0));
    }

    #[test]
    fn known_sample() {
        let mut m = Moments::new();
        [2, 4, 4, 4, 5, 5, 7, 9].into_iter().for_each(|v| m.record(v));
        assert_eq!(m.mean(), 5.0);
        assert!((m.stddev() - libm::sqrt(32.0 / 7.0)).abs() < 1e-12);
    }

    #[test]
    fn small_spread_on_a_large_mean_survives() {
        let mut m = Moments::new();
        let base = 1 << 50;
        for i in 0..1_000_000_u64 {
            m.record(base + i % 2);
        }
        assert!((m.stddev() - 0.5).abs() < 1e-6, "{}", m.stddev());
    }

    #[test]
    fn the_greatest_values_do_not_panic() {
        let mut m = Moments::new();
        for _ in 0..5 {
            m.record(u64::MAX);
        }
        let _ = (m.mean(), m.stddev());
        let text = serde_json::to_string(&m).expect("serialises");
        assert_eq!(serde_json::from_str::<Moments>(&text).expect("parses"), m);
    }
}
