//! A value with the bounds that the resolution of its counters leaves.

/// A value and its bounds: `low <= value <= high`. All are at least zero; `high` may be infinite.
///
/// Operations are those of interval arithmetic on positive numbers: the bounds of a result hold
/// for every combination of true values inside the bounds of the operands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Least value.
    pub low: f64,
    /// What the counters say as read.
    pub value: f64,
    /// Greatest value.
    pub high: f64,
}

impl Interval {
    /// A value known exactly.
    pub fn exact(value: f64) -> Self {
        Interval { low: value, value, high: value }
    }

    /// A counter that shows whole steps done: the true value is in `[count, count + 1)` steps.
    pub fn counted(count: f64, step: f64) -> Self {
        Interval { low: count * step, value: count * step, high: (count + 1.0) * step }
    }

    /// The difference of two readings of one counter: a step less or more, whichever way it
    /// rounds.
    pub fn difference(before: f64, after: f64, step: f64) -> Self {
        let steps = after - before;
        Interval {
            low: (steps - 1.0).max(0.0) * step,
            value: steps * step,
            high: (steps + 1.0) * step,
        }
    }

    /// All of it times a positive number.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        Interval { low: self.low * factor, value: self.value * factor, high: self.high * factor }
    }

    /// The product.
    #[must_use]
    pub fn multiplied(self, other: Interval) -> Self {
        Interval {
            low: self.low * other.low,
            value: self.value * other.value,
            high: self.high * other.high,
        }
    }

    /// The quotient; its upper bound is infinite if the divisor may be zero.
    #[must_use]
    pub fn over(self, other: Interval) -> Self {
        let quotient = |a: f64, b: f64| if b > 0.0 { a / b } else { f64::INFINITY };
        Interval {
            low: quotient(self.low, other.high),
            value: quotient(self.value, other.value),
            high: quotient(self.high, other.low),
        }
    }

    /// What is left of `whole` after this is taken away, not below zero.
    #[must_use]
    pub fn rest_of(self, whole: f64) -> Self {
        Interval {
            low: (whole - self.high).max(0.0),
            value: (whole - self.value).max(0.0),
            high: (whole - self.low).max(0.0),
        }
    }

    /// The lesser of this and a limit.
    #[must_use]
    pub fn at_most(self, limit: f64) -> Self {
        Interval {
            low: self.low.min(limit),
            value: self.value.min(limit),
            high: self.high.min(limit),
        }
    }

    /// How far the bounds are apart, as a factor; infinite if the lower bound is zero.
    pub fn spread(self) -> f64 {
        if self.low > 0.0 { self.high / self.low } else { f64::INFINITY }
    }

    /// Whether a number is inside the bounds.
    pub fn contains(self, number: f64) -> bool {
        self.low <= number && number <= self.high
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Whatever the true values inside the bounds, the true result is inside those of the result.
    fn inside(interval: Interval, at: f64) -> f64 {
        interval.low + (interval.high - interval.low) * at
    }

    proptest! {
        #[test]
        fn bounds_hold_for_every_true_value(
            a in 1u32..1000, b in 1u32..1000, c in 2u32..1000, d in 0u32..1000,
            s in 0.0..1.0f64, t in 0.0..1.0f64
        ) {
            let x = Interval::difference(f64::from(a), f64::from(a + b), 3.0);
            let y = Interval::difference(f64::from(d), f64::from(c + d), 0.5);
            let (tx, ty) = (inside(x, s), inside(y, t));
            let wide = |i: Interval| {
                let e = 1e-12 * i.high;
                Interval { low: i.low - e, high: i.high + e, ..i }
            };
            prop_assert!(wide(x.over(y)).contains(tx / ty));
            prop_assert!(wide(x.multiplied(y)).contains(tx * ty));
            prop_assert!(wide(y.rest_of(2000.0)).contains(2000.0 - ty));
        }
    }

    #[test]
    fn a_counter_that_has_not_moved_bounds_from_above_only() {
        let wear = Interval::difference(7.0, 7.0, 1.0);
        assert_eq!((wear.low, wear.value, wear.high), (0.0, 0.0, 1.0));
        let life = Interval::exact(10.0).over(wear);
        assert_eq!((life.low, life.high), (10.0, f64::INFINITY));
        assert_eq!(wear.spread(), f64::INFINITY);
    }
}
