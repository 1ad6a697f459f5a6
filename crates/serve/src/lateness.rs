//! How late answers leave: what the machine that serves adds to the time of the model.

use crate::drive::OpSummary;
use engine::{Duration, Instant};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stats::Histogram;

/// An answer later than this is counted apart.
const LATE: Duration = Duration::from_us(10);

/// Share of a latency of the model from which on lateness spoils it.
const SPOILING: f64 = 0.1;

/// The lateness of all answers so far, in time of the model.
#[derive(Clone, Debug, Default)]
pub struct Lateness {
    histogram: Histogram,
    worst: Duration,
    late: u64,
}

/// A summary of [`Lateness`]; times in microseconds of the model.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LatenessSummary {
    /// Answers.
    pub answers: u64,
    /// Median, us.
    pub p50_us: f64,
    /// 99th percentile, us.
    pub p99_us: f64,
    /// 99.9th percentile, us.
    pub p999_us: f64,
    /// The latest of all, us.
    pub worst_us: f64,
    /// Share of answers that were more than 10 us late, 0 to 1.
    pub late_share: f64,
}

impl Lateness {
    /// An answer was due at `due` and left at `left`.
    pub fn count(&mut self, due: Instant, left: Instant) {
        let by = left.max(due).since(due);
        self.histogram.record(by.ns());
        self.worst = self.worst.max(by);
        self.late += u64::from(by > LATE);
    }

    /// What there is to say of them.
    pub fn summary(&self) -> LatenessSummary {
        // A bucket may end above the latest of all.
        let worst_us = self.worst.ps() as f64 / 1e6;
        let of = |percent| self.histogram.percentile_ns(percent).unwrap_or(0) as f64 / 1e3;
        let us = |percent: f64| of(percent).min(worst_us);
        let answers = self.histogram.count();
        LatenessSummary {
            answers,
            p50_us: us(50.0),
            p99_us: us(99.0),
            p999_us: us(99.9),
            worst_us,
            late_share: self.late as f64 / answers.max(1) as f64,
        }
    }
}

impl LatenessSummary {
    /// Whether clients saw a latency of the model longer by more than a tenth: `late_us` is the
    /// lateness at the same percentile.
    fn spoils(late_us: f64, latency_us: f64) -> bool {
        late_us > SPOILING * latency_us
    }

    /// Which of mean, p50, p99 and p99.9 of a kind of request clients saw longer by more than a
    /// tenth. The mean is held against the median of lateness: few answers are very late.
    pub fn spoiled(&self, of: &OpSummary) -> [bool; 4] {
        let pairs = [
            (self.p50_us, of.mean_us),
            (self.p50_us, of.p50_us),
            (self.p99_us, of.p99_us),
            (self.p999_us, of.p999_us),
        ];
        pairs.map(|(late, latency)| Self::spoils(late, latency))
    }
}

impl std::fmt::Display for LatenessSummary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.answers == 0 {
            return f.write_str("nothing was answered");
        }
        write!(
            f,
            "{} answers, late by p50 {:.1} us, p99 {:.1} us, p99.9 {:.1} us, worst {:.1} us; \
             {:.2} % later than 10 us",
            self.answers,
            self.p50_us,
            self.p99_us,
            self.p999_us,
            self.worst_us,
            100.0 * self.late_share
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenth_of_a_latency_spoils_it() {
        let of = |us: f64| OpSummary {
            requests: 1,
            bytes: 1,
            mean_us: us,
            p50_us: us,
            p99_us: 10.0 * us,
            p999_us: us,
        };
        let mut lateness = Lateness::default();
        lateness.count(Instant::ZERO, Instant::ZERO + Duration::from_us(8));
        let summary = lateness.summary();
        assert_eq!(summary.spoiled(&of(81.0)), [false; 4]);
        assert_eq!(summary.spoiled(&of(79.0)), [true, true, false, true]);
    }

    #[test]
    fn late_is_later_than_ten_microseconds() {
        let mut lateness = Lateness::default();
        let due = Instant::ZERO + Duration::from_us(100);
        for ns in [0, 10_000, 10_001] {
            lateness.count(due, due + Duration::from_ns(ns));
        }
        lateness.count(due, Instant::ZERO);
        let summary = lateness.summary();
        assert_eq!((summary.answers, summary.late_share), (4, 0.25));
        assert!((summary.worst_us - 10.001).abs() < 1e-9);
    }
}
