//! What clients asked of a served drive, and how long the model took.

use super::Kind;
use engine::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stats::LatencyTally;

/// One kind of request.
#[derive(Clone, Debug, Default)]
pub struct OpTally {
    bytes: u64,
    latency: LatencyTally,
}

/// A summary of one kind; times in microseconds of the model.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OpSummary {
    /// Requests.
    pub requests: u64,
    /// Bytes.
    pub bytes: u64,
    /// Mean latency, us.
    pub mean_us: f64,
    /// Median, us.
    pub p50_us: f64,
    /// 99th percentile, us.
    pub p99_us: f64,
    /// 99.9th percentile, us.
    pub p999_us: f64,
}

impl OpTally {
    /// Bytes of all requests.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Latencies in the model.
    pub fn latency(&self) -> &LatencyTally {
        &self.latency
    }

    /// What there is to say of it; `None` if there was none.
    pub fn summary(&self) -> Option<OpSummary> {
        let LatencyTally { moments, histogram } = &self.latency;
        let us = |percent: f64| histogram.percentile_ns(percent).unwrap_or(0) as f64 / 1e3;
        (moments.n > 0).then(|| OpSummary {
            requests: moments.n,
            bytes: self.bytes,
            mean_us: moments.sum as f64 / 1e3 / moments.n as f64,
            p50_us: us(50.0),
            p99_us: us(99.0),
            p999_us: us(99.9),
        })
    }
}

/// All kinds.
#[derive(Clone, Debug, Default)]
pub struct Tallies {
    of: [OpTally; 4],
}

impl Tallies {
    pub(super) fn count(&mut self, kind: Kind, bytes: u64, latency: Duration) {
        let tally = &mut self.of[kind as usize];
        tally.bytes += bytes;
        tally.latency.record(latency.ns());
    }

    /// Reads, writes and trims, in the order of [`stats::Direction`].
    pub fn directions(&self) -> [&OpTally; 3] {
        let [read, write, trim, _] = &self.of;
        [read, write, trim]
    }

    /// Flushes.
    pub fn flushes(&self) -> &OpTally {
        &self.of[3]
    }

    /// Every kind with its name, in a fixed order.
    pub fn named(&self) -> [(&'static str, &OpTally); 4] {
        let [read, write, trim, flush] = &self.of;
        [("read", read), ("write", write), ("trim", trim), ("flush", flush)]
    }
}
