//! What one job did in one direction (read, write, trim): bytes, latencies, rates by sample.

use crate::histogram::Histogram;
use crate::moments::Moments;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// A data direction, in fio's order.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Reads; 0 in fio's logs.
    Read,
    /// Writes; 1 in fio's logs.
    Write,
    /// Trims (discards); 2 in fio's logs.
    Trim,
}

impl Direction {
    /// All directions in fio's order.
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Trim];

    /// Position in [`Direction::ALL`], and fio's number for it in logs.
    pub fn index(self) -> usize {
        self as usize
    }

    /// The key of fio's JSON: `read`, `write` or `trim`.
    pub fn name(self) -> &'static str {
        ["read", "write", "trim"][self as usize]
    }
}

/// A latency being measured: exact moments and the histogram, both filled by one call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LatencyTally {
    /// Exact count, sums and extremes, in ns.
    pub moments: Moments,
    /// Counts by bucket.
    pub histogram: Histogram,
}

impl LatencyTally {
    /// Nothing measured yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts one latency.
    #[inline]
    pub fn record(&mut self, ns: u64) {
        self.moments.record(ns);
        self.histogram.record(ns);
    }

    /// Adds everything that `other` measured.
    pub fn merge(&mut self, other: &Self) {
        self.moments.merge(&other.moments);
        self.histogram.merge(&other.histogram);
    }
}

/// One percentile of a latency.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PercentileValue {
    /// Which, in percent: 0 < `percent` <= 100.
    pub percent: f64,
    /// Its value in ns.
    pub ns: u64,
}

/// A latency of one kind (submission, completion, total), in ns.
///
/// `n` to `stddev_ns` are what fio prints. A modelled run also has the exact `moments` they come
/// from; fio's JSON does not report them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LatencyResult {
    /// Number of samples.
    pub n: u64,
    /// Least, 0 without samples.
    pub min_ns: u64,
    /// Greatest.
    pub max_ns: u64,
    /// Mean.
    pub mean_ns: f64,
    /// Standard deviation of the sample (divisor n - 1).
    pub stddev_ns: f64,
    /// The exact sums, where they are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moments: Option<Moments>,
    /// Counts by bucket: all of them, whether or not they are to be printed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub histogram: Option<Histogram>,
    /// The percentiles asked for, ascending; empty if this kind is not to show any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub percentiles: Vec<PercentileValue>,
}

impl LatencyResult {
    /// From exact moments alone: mean and extremes without a distribution.
    pub fn from_moments(moments: &Moments) -> Self {
        Self {
            n: moments.n,
            min_ns: moments.least(),
            max_ns: moments.max,
            mean_ns: moments.mean(),
            stddev_ns: moments.stddev(),
            moments: Some(*moments),
            histogram: None,
            percentiles: Vec::new(),
        }
    }

    /// From a tally, with the percentiles of `percents` (none asked for: none shown).
    pub fn from_tally(tally: &LatencyTally, percents: &[f64]) -> Self {
        let mut result = Self::from_moments(&tally.moments);
        result.percentiles = percentiles(&tally.histogram, percents);
        if !tally.histogram.is_empty() {
            result.histogram = Some(tally.histogram.clone());
        }
        result
    }

    /// The percentile (0 < `percent` <= 100) in ns: one that was asked for, else from the
    /// histogram; `None` if neither knows it.
    pub fn percentile_ns(&self, percent: f64) -> Option<u64> {
        let listed = self.percentiles.iter().find(|known| known.percent == percent);
        match listed {
            Some(known) => Some(known.ns),
            None => self.histogram.as_ref()?.percentile_ns(percent),
        }
    }
}

/// The percentiles `percents` of a histogram, ascending and without repetitions; none of an
/// empty one.
pub fn percentiles(histogram: &Histogram, percents: &[f64]) -> Vec<PercentileValue> {
    let mut wanted: Vec<f64> = percents.to_vec();
    wanted.sort_by(f64::total_cmp);
    wanted.dedup();
    let value =
        |percent| histogram.percentile_ns(percent).map(|ns| PercentileValue { percent, ns });
    wanted.into_iter().filter_map(value).collect()
}

/// Bandwidth over fio's samples (500 ms unless `bwavgtime` says otherwise).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BandwidthSamples {
    /// Least, KiB/s.
    pub min_kib_s: u64,
    /// Greatest, KiB/s.
    pub max_kib_s: u64,
    /// Mean of the samples as percent of the group's bandwidth, at most 100.
    pub agg_percent: f64,
    /// Mean, KiB/s.
    pub mean_kib_s: f64,
    /// Standard deviation, KiB/s.
    pub dev_kib_s: f64,
    /// Number of samples.
    pub samples: u64,
}

/// I/Os a second over fio's samples (500 ms unless `iopsavgtime` says otherwise).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct IopsSamples {
    /// Least.
    pub min: u64,
    /// Greatest.
    pub max: u64,
    /// Mean.
    pub mean: f64,
    /// Standard deviation.
    pub stddev: f64,
    /// Number of samples.
    pub samples: u64,
}

/// Latencies of one I/O priority, listed by fio when a job mixes priorities.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PrioResult {
    /// Priority class (0 none, 1 real time, 2 best effort, 3 idle).
    pub prio_class: u64,
    /// Priority within the class.
    pub prio: u64,
    /// Priority hint, where fio reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prio_hint: Option<u64>,
    /// Whether the latency is the total (`lat_ns`) rather than the completion (`clat_ns`).
    pub is_total: bool,
    /// The latency.
    pub latency: LatencyResult,
}

/// What one job did in one direction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DirectionResult {
    /// Bytes moved.
    pub io_bytes: u64,
    /// I/Os completed.
    pub total_ios: u64,
    /// I/Os that moved less than was asked.
    pub short_ios: u64,
    /// I/Os dropped (fio's `ignore_error` and truncated replays).
    pub drop_ios: u64,
    /// Time over which rates are computed, ms.
    pub runtime_ms: u64,
    /// Mean bandwidth, bytes/s, truncated.
    pub bw_bytes_s: u64,
    /// Mean I/Os a second.
    pub iops: f64,
    /// From the request to its submission.
    pub slat: LatencyResult,
    /// From submission to completion.
    pub clat: LatencyResult,
    /// From the request to completion.
    pub lat: LatencyResult,
    /// Bandwidth by sample.
    pub bw_samples: BandwidthSamples,
    /// I/Os a second by sample.
    pub iops_samples: IopsSamples,
    /// Latencies by I/O priority, if the job mixes priorities.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prios: Vec<PrioResult>,
    /// Keys of fio's JSON that have no field here, kept as they were.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub extra: BTreeMap<String, Value>,
}

impl DirectionResult {
    /// Sets `bw_bytes_s` and `iops` from bytes, I/Os and runtime, as fio derives them: bytes
    /// times 1000 over ms in whole bytes, I/Os times 1000 over ms. No runtime means 0.
    pub fn derive_rates(&mut self) {
        (self.bw_bytes_s, self.iops) = (0, 0.0);
        if self.runtime_ms > 0 {
            let bytes = u128::from(self.io_bytes) * 1000 / u128::from(self.runtime_ms);
            self.bw_bytes_s = u64::try_from(bytes).unwrap_or(u64::MAX);
            self.iops = 1000.0 * self.total_ios as f64 / self.runtime_ms as f64;
        }
    }

    /// Whether nothing happened in this direction.
    pub fn is_empty(&self) -> bool {
        self.total_ios == 0 && self.io_bytes == 0 && self.runtime_ms == 0
    }
}
