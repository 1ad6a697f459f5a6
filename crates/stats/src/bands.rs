//! The coarse distributions of fio's output: latency bands and queue-depth shares, in percent.

use crate::histogram::Histogram;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Keys of `latency_ns` and `latency_us`: exclusive upper ends of the bands.
pub const BELOW_1000_KEYS: [&str; 10] =
    ["2", "4", "10", "20", "50", "100", "250", "500", "750", "1000"];
/// Keys of `latency_ms`; the last band has no end.
pub const MS_KEYS: [&str; 12] =
    ["2", "4", "10", "20", "50", "100", "250", "500", "750", "1000", "2000", ">=2000"];
/// Keys of `iodepth_level`: each band starts at its key and ends below the next.
pub const LEVEL_KEYS: [&str; 7] = ["1", "2", "4", "8", "16", "32", ">=64"];
/// Keys of `iodepth_submit` and `iodepth_complete`: each band ends at its key, inclusive.
pub const BATCH_KEYS: [&str; 7] = ["0", "4", "8", "16", "32", "64", ">=64"];

/// Ends (exclusive) of the bands below 1000.
const ENDS: [u64; 10] = [2, 4, 10, 20, 50, 100, 250, 500, 750, 1000];

/// Percentages of a whole by seven bands of queue depth.
pub type Shares = [f64; 7];

/// Band of a queue depth in [`LEVEL_KEYS`].
#[inline]
pub fn level_index(depth: u64) -> usize {
    (depth.max(1).ilog2() as usize).min(6)
}

/// Band of the number of I/Os submitted or completed at once in [`BATCH_KEYS`].
#[inline]
pub fn batch_index(count: u64) -> usize {
    match count {
        0 => 0,
        1..=4 => 1,
        5..=8 => 2,
        9..=16 => 3,
        17..=32 => 4,
        33..=64 => 5,
        _ => 6,
    }
}

/// Counts as percentages of `total`, as fio prints them: what happened at all is at least 0.1 %.
pub fn depth_shares(counts: &[u64; 7], total: u64) -> Shares {
    counts.map(|count| share(count, total, 0.1))
}

/// Latencies by bands, in percent of all I/Os.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LatencyBands {
    /// Below 1 us, by [`BELOW_1000_KEYS`] in ns.
    pub ns: [f64; 10],
    /// From 1 us to below 1 ms, by [`BELOW_1000_KEYS`] in us.
    pub us: [f64; 10],
    /// From 1 ms, by [`MS_KEYS`] in ms.
    pub ms: [f64; 12],
}

impl LatencyBands {
    /// Sorts the latencies of a histogram into the bands, as percent of `total` I/Os.
    ///
    /// fio sorts each exact latency; here a bucket goes where its middle is, so that a band's end
    /// is exact to 1/128. What happened at all is at least 0.01 %, as fio prints.
    pub fn from_histogram(histogram: &Histogram, total: u64) -> Self {
        let mut counts = BandCounts::default();
        for (mid_ns, count) in histogram.bins() {
            counts.add(mid_ns, count);
        }
        counts.percent(total)
    }
}

/// The counts behind [`LatencyBands`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BandCounts {
    ns: [u64; 10],
    us: [u64; 10],
    ms: [u64; 12],
}

impl BandCounts {
    /// Counts `count` latencies of `ns` each.
    pub fn add(&mut self, ns: u64, count: u64) {
        let slot = match ns {
            0..1_000 => &mut self.ns[band(ns)],
            1_000..1_000_000 => &mut self.us[band(ns / 1_000)],
            1_000_000..1_000_000_000 => &mut self.ms[band(ns / 1_000_000)],
            1_000_000_000..2_000_000_000 => &mut self.ms[10],
            _ => &mut self.ms[11],
        };
        *slot = slot.saturating_add(count);
    }

    /// The counts as percentages of `total`.
    pub fn percent(&self, total: u64) -> LatencyBands {
        LatencyBands {
            ns: self.ns.map(|count| share(count, total, 0.01)),
            us: self.us.map(|count| share(count, total, 0.01)),
            ms: self.ms.map(|count| share(count, total, 0.01)),
        }
    }
}

/// Band of a value below 1000.
fn band(value: u64) -> usize {
    ENDS.partition_point(|end| *end <= value).min(9)
}

/// Percentage that is never rounded down to nothing.
fn share(count: u64, total: u64, floor: f64) -> f64 {
    if count == 0 || total == 0 {
        return 0.0;
    }
    (100.0 * count as f64 / total as f64).max(floor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_belong_to_the_next_band() {
        let cases = [
            (1, "ns", 0),
            (2, "ns", 1),
            (999, "ns", 9),
            (1_000, "us", 0),
            (1_999, "us", 0),
            (2_000, "us", 1),
            (249_999, "us", 6),
            (250_000, "us", 7),
            (1_000_000, "ms", 0),
            (999_999_999, "ms", 9),
            (1_000_000_000, "ms", 10),
            (2_000_000_000, "ms", 11),
        ];
        for (ns, unit, at) in cases {
            let mut counts = BandCounts::default();
            counts.add(ns, 3);
            let slots: &[u64] = match unit {
                "ns" => &counts.ns,
                "us" => &counts.us,
                _ => &counts.ms,
            };
            assert_eq!(slots[at], 3, "{ns} ns");
        }
    }

    #[test]
    fn depths() {
        let levels: Vec<_> = [0, 1, 2, 3, 4, 63, 64, 9999].map(level_index).into();
        assert_eq!(levels, [0, 0, 1, 1, 2, 5, 6, 6]);
        let batches: Vec<_> = [0, 1, 4, 5, 64, 65].map(batch_index).into();
        assert_eq!(batches, [0, 1, 1, 2, 5, 6]);
        assert_eq!(depth_shares(&[1, 0, 0, 0, 0, 0, 99_999], 100_000)[0], 0.1);
        assert_eq!(depth_shares(&[0; 7], 0), [0.0; 7]);
    }
}
