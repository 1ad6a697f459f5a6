//! How a share is spread over drives, in steps of a five-hundredth.

use engine::{index, whole};

/// Steps of one.
const STEPS: f64 = 500.0;
/// What is beyond so much counts as so much.
const MOST: usize = 8 * 500;

/// Counts of values from 0 to 8.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    counts: Vec<u64>,
    all: u64,
}

impl Histogram {
    /// Adds a value, 0 or above.
    #[inline]
    pub fn add(&mut self, value: f64) {
        let place = index(whole(value * STEPS)).min(MOST);
        if place >= self.counts.len() {
            self.counts.resize(place + 1, 0);
        }
        self.counts[place] += 1;
        self.all += 1;
    }

    /// Values in it.
    pub fn len(&self) -> u64 {
        self.all
    }

    /// True if nothing was added.
    pub fn is_empty(&self) -> bool {
        self.all == 0
    }

    /// The value below which a share (0 to 1) of all lies, within a step; `None` of none.
    pub fn at(&self, share: f64) -> Option<f64> {
        let wanted = share * self.all as f64;
        let mut sum = 0.0;
        for (place, count) in (0_u32..).zip(&self.counts) {
            let count = *count as f64;
            if count > 0.0 && sum + count >= wanted {
                let inside = ((wanted - sum) / count).clamp(0.0, 1.0);
                return Some((f64::from(place) + inside) / STEPS);
            }
            sum += count;
        }
        None
    }

    /// Adds all of another one.
    pub fn merge(&mut self, other: &Histogram) {
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        self.counts.iter_mut().zip(&other.counts).for_each(|(own, more)| *own += more);
        self.all += other.all;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_those_of_the_values() {
        let mut histogram = Histogram::default();
        assert_eq!(histogram.at(0.5), None);
        (0..1000).for_each(|n| histogram.add(n as f64 / 1000.0));
        for share in [0.01, 0.5, 0.95] {
            assert!((histogram.at(share).unwrap() - share).abs() < 0.002, "{share}");
        }
        histogram.add(1e300);
        assert!(histogram.at(1.0).unwrap() >= 8.0);
        let mut both = Histogram::default();
        both.merge(&histogram);
        assert_eq!((both.len(), both.at(0.3)), (1001, histogram.at(0.3)));
    }
}
