//! A distribution of latencies small enough to keep with every number: at most [`BINS`] bins.
//!
//! fio's buckets are 64 to a power of two, and a latency that reaches over three decades fills more
//! than six hundred of them. Neighbours are joined, the pair first whose join is narrowest, until
//! few enough are left. Counts stay exact at every edge that is left, so a percentile is in the
//! same bin as that of all buckets; over six decades a bin is then less than 8 % wide. Buckets that
//! stand alone, as those of the highest latencies do, stay what they were.

use crate::histogram::{BUCKETS, Histogram, lower_ns, samples_needed, upper_ns};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bins at most.
pub const BINS: usize = 200;

/// A bin: its first value, the first value above it (both ns), and how many latencies are in it.
pub type Bin = (u64, u64, u64);

/// A distribution with a name: its bins in columns, those that are not empty, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct NamedHistogram {
    /// What was timed: `read_lat` or `write_lat`; of a point of a sweep `POINT.read_lat`.
    pub name: String,
    /// Number of latencies.
    pub n: u64,
    /// First value of each bin, ns.
    pub lower_ns: Vec<u64>,
    /// First value above each bin, ns.
    pub upper_ns: Vec<u64>,
    /// Latencies in each.
    pub counts: Vec<u64>,
}

impl NamedHistogram {
    /// The distribution of a histogram, of which `max_ns` was the greatest latency.
    pub fn new(name: impl Into<String>, histogram: &Histogram, max_ns: u64) -> Self {
        let bin = |(index, count)| {
            // The last bucket holds everything above it.
            let open = index == BUCKETS - 1;
            let end = if open { upper_ns(index).max(max_ns + 1) } else { upper_ns(index) };
            (lower_ns(index), end, count)
        };
        let bins = joined(histogram.sparse().map(bin).collect());
        Self {
            name: name.into(),
            n: histogram.count(),
            lower_ns: bins.iter().map(|bin| bin.0).collect(),
            upper_ns: bins.iter().map(|bin| bin.1).collect(),
            counts: bins.iter().map(|bin| bin.2).collect(),
        }
    }

    /// Its bins.
    pub fn bins(&self) -> impl Iterator<Item = Bin> {
        let edges = self.lower_ns.iter().zip(&self.upper_ns);
        edges.zip(&self.counts).map(|((lower, upper), count)| (*lower, *upper, *count))
    }

    /// The bin that holds a percentile (0 < `percent` <= 100); `None` if there is nothing.
    pub fn bin_of(&self, percent: f64) -> Option<Bin> {
        let need = samples_needed(percent, self.n);
        let mut sum = 0;
        let holds = |bin: &Bin| {
            sum += bin.2;
            sum >= need
        };
        self.bins().find(holds)
    }

    /// The middle of that bin, ns.
    pub fn percentile_ns(&self, percent: f64) -> Option<u64> {
        self.bin_of(percent).map(|(from, to, _)| from + (to - from) / 2)
    }
}

/// Joins neighbours until there are at most [`BINS`].
fn joined(mut bins: Vec<Bin>) -> Vec<Bin> {
    while bins.len() > BINS {
        // Widths are compared as ratios; that of values below a nanosecond is without meaning.
        let width = |i: usize| (bins[i + 1].1 as f64) / (bins[i].0.max(1) as f64);
        let narrowest = (0..bins.len() - 1).min_by(|a, b| width(*a).total_cmp(&width(*b)));
        let Some(i) = narrowest else { break };
        let next = bins.remove(i + 1);
        bins[i] = (bins[i].0, next.1, bins[i].2 + next.2);
    }
    bins
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six decades, evenly over the logarithm.
    fn wide() -> Histogram {
        let mut histogram = Histogram::new();
        for i in 0..600_000 {
            histogram.record(libm::pow(10.0, 3.0 + f64::from(i) / 100_000.0) as u64);
        }
        histogram
    }

    #[test]
    fn percentiles_lie_in_the_bins_that_are_left() {
        let histogram = wide();
        let named = NamedHistogram::new("read_lat", &histogram, 1_000_000_000);
        assert!(histogram.sparse().count() > 1000);
        assert_eq!((named.counts.len(), named.n), (BINS, 600_000));
        assert_eq!(named.counts.iter().sum::<u64>(), named.n);
        let bins: Vec<Bin> = named.bins().collect();
        assert!(bins.windows(2).all(|pair| pair[0].1 <= pair[1].0));
        for percent in [1.0, 50.0, 90.0, 99.0, 99.9, 99.99, 99.999] {
            let exact = histogram.percentile_ns(percent).unwrap();
            let (from, to, _) = named.bin_of(percent).unwrap();
            assert!((from..to).contains(&exact), "p{percent}: {exact} in {from}..{to}");
            assert!(to as f64 / (from as f64) < 1.08 + 1.0 / 64.0, "{from}..{to}");
        }
    }

    #[test]
    fn few_buckets_stay_as_they_are_and_the_tail_does() {
        let mut histogram = Histogram::new();
        histogram.record_n(90_000, 1_000_000);
        histogram.record(5_000_000);
        histogram.record(40_000_000_000);
        let named = NamedHistogram::new("read_lat", &histogram, 40_000_000_000);
        assert_eq!(named.counts.len(), 3);
        assert_eq!(named.percentile_ns(99.0), histogram.percentile_ns(99.0));
        assert_eq!(named.upper_ns[2], 40_000_000_001, "beyond the range the maximum counts");
        assert_eq!(NamedHistogram::new("x", &Histogram::new(), 0).percentile_ns(50.0), None);
        // A long body does not cost the tail its place.
        let mut tailed = wide();
        tailed.record(15_000_000_000);
        let named = NamedHistogram::new("read_lat", &tailed, 15_000_000_000);
        assert_eq!(named.counts.last(), Some(&1));
    }
}
