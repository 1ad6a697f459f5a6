//! How a number is spread over drives, within a third of a percent.

use engine::{index, whole};

/// Steps of each power of two.
const STEP_BITS: u32 = 8;
/// Bits of a number below those that say its step.
const BELOW: u32 = f64::MANTISSA_DIGITS - 1 - STEP_BITS;
/// The least number that is not nought, and what counts as the most: 2^-20 and 2^20.
const LEAST: f64 = 1.0 / 1_048_576.0;
const MOST: f64 = 1_048_576.0;

/// Counts of numbers from 0 up.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Histogram {
    /// Numbers below the least, then those of each step.
    counts: Vec<u64>,
    all: u64,
    sum: f64,
    /// The least and the greatest of them.
    ends: Option<(f64, f64)>,
}

/// The step of a number: its power of two, and the first bits behind it.
#[inline]
fn step(value: f64) -> usize {
    if value < LEAST {
        return 0;
    }
    index((value.min(MOST).to_bits() >> BELOW) - (LEAST.to_bits() >> BELOW)) + 1
}

/// The least number of a step.
fn bottom(step: usize) -> f64 {
    match step.checked_sub(1) {
        None => 0.0,
        Some(above) => f64::from_bits((above as u64 + (LEAST.to_bits() >> BELOW)) << BELOW),
    }
}

impl Histogram {
    /// Adds a number, 0 or above.
    #[inline]
    pub fn add(&mut self, value: f64) {
        let place = step(value);
        if place >= self.counts.len() {
            self.counts.resize(place + 1, 0);
        }
        self.counts[place] += 1;
        self.all += 1;
        self.sum += value;
        let (least, most) = self.ends.unwrap_or((value, value));
        self.ends = Some((least.min(value), most.max(value)));
    }

    /// Numbers in it.
    pub fn len(&self) -> u64 {
        self.all
    }

    /// True if nothing was added.
    pub fn is_empty(&self) -> bool {
        self.all == 0
    }

    /// The mean of the numbers; `None` of none.
    pub fn mean(&self) -> Option<f64> {
        (self.all > 0).then(|| self.sum / self.all as f64)
    }

    /// The share (0 to 1) of all that lies below a number, within a step; `None` of none.
    pub fn below(&self, value: f64) -> Option<f64> {
        let place = step(value);
        let whole: u64 = self.counts.iter().take(place).sum();
        let (low, high) = (bottom(place), bottom(place + 1));
        let part = self.counts.get(place).map_or(0.0, |count| *count as f64);
        let inside = ((value - low) / (high - low)).clamp(0.0, 1.0);
        (self.all > 0).then(|| (whole as f64 + inside * part) / self.all as f64)
    }

    /// The number below which a share (0 to 1) of all lies, within a step; `None` of none.
    pub fn at(&self, share: f64) -> Option<f64> {
        let ((least, most), wanted) = (self.ends?, share * self.all as f64);
        let mut sum = 0.0;
        for (place, count) in self.counts.iter().enumerate() {
            let count = *count as f64;
            if count > 0.0 && sum + count >= wanted {
                let inside = ((wanted - sum) / count).clamp(0.0, 1.0);
                let is_last = place + 1 == self.counts.len();
                let (low, high) = (bottom(place), if is_last { most } else { bottom(place + 1) });
                return Some((low + inside * (high - low)).clamp(least, most));
            }
            sum += count;
        }
        Some(most)
    }
}

/// The whole part of a number of months or drives.
pub(crate) fn number(value: f64) -> usize {
    index(whole(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_those_of_the_numbers() {
        let mut histogram = Histogram::default();
        assert_eq!((histogram.at(0.5), histogram.is_empty()), (None, true));
        assert_eq!(histogram.mean(), None);
        (1..=1000).for_each(|n| histogram.add(n as f64 / 100_000.0));
        for share in [0.01, 0.5, 0.95] {
            let at = histogram.at(share).unwrap() * 100.0;
            assert!((at / share - 1.0).abs() < 0.005, "{share}: {at}");
        }
        assert!((histogram.mean().unwrap() - 0.005_005).abs() < 1e-12);
        for value in [0.002, 0.004, 0.0099] {
            let below = histogram.below(value).unwrap() / 100.0;
            assert!((below / value - 1.0).abs() < 0.01, "{value}: {below}");
        }
        assert_eq!((histogram.below(0.0), histogram.below(0.5)), (Some(0.0), Some(1.0)));
        assert_eq!(Histogram::default().below(1.0), None);
        histogram.add(1e300);
        assert_eq!((histogram.at(1.0), histogram.len()), (Some(1e300), 1001));
    }

    #[test]
    fn what_is_the_same_for_all_is_exact() {
        for value in [0.0, 1e-9, 0.003, 1.0, 1.195, 663.7] {
            let mut histogram = Histogram::default();
            (0..100).for_each(|_| histogram.add(value));
            assert_eq!([0.5, 0.99].map(|share| histogram.at(share)), [Some(value); 2]);
        }
    }

    #[test]
    fn a_step_begins_where_the_one_before_ends() {
        for value in [LEAST, 0.1, 1.0, 1.9, 500.0] {
            let (low, high) = (bottom(step(value)), bottom(step(value) + 1));
            assert!(low <= value && value < high && high / low < 1.004, "{low} {value} {high}");
        }
    }
}
