//! fio's `steadystate`: watches an entry, a sample an interval, and says when it is steady.

use super::tally::EntryTally;
use engine::{Duration, narrow};
use fio::workload::{SteadyMetric, SteadyState};
use stats::steady::{FioMetric, FioShape};
use stats::{FioCriterion, FioVerdict, SteadyStateResult};

/// The watch over one entry.
pub(super) struct Watch {
    /// Position of the entry.
    pub entry: usize,
    /// When the next sample is due, ps.
    pub next_ps: u64,
    /// The criterion has been met.
    pub attained: bool,
    asked: SteadyState,
    criterion: FioCriterion,
    interval_ps: u64,
    last: (u64, u64, u128),
    primed: bool,
    iops: Vec<u64>,
    bytes_s: Vec<u64>,
    lat_ns: Vec<u64>,
    /// What is judged: the quantity in the unit of the limit.
    values: Vec<f64>,
    verdict: Option<FioVerdict>,
}

impl Watch {
    /// A watch that begins to sample `ss_ramp` after `start_ps`.
    pub(super) fn new(asked: SteadyState, entry: usize, start_ps: u64) -> Self {
        let interval_us = asked.interval_us.max(1);
        let criterion = FioCriterion {
            metric: match asked.metric {
                SteadyMetric::Iops => FioMetric::Iops,
                SteadyMetric::Bw => FioMetric::Bw,
                SteadyMetric::Lat => FioMetric::Lat,
            },
            shape: if asked.slope { FioShape::Slope } else { FioShape::Deviation },
            limit: asked.limit,
            percent: asked.limit_is_percent,
            window: usize::try_from(asked.duration_us / interval_us).unwrap_or(usize::MAX).max(1),
        };
        Watch {
            entry,
            next_ps: start_ps.saturating_add(Duration::from_us(asked.ramp_us).ps()),
            attained: false,
            asked,
            criterion,
            interval_ps: Duration::from_us(interval_us).ps(),
            last: (0, 0, 0),
            primed: false,
            iops: Vec::new(),
            bytes_s: Vec::new(),
            lat_ns: Vec::new(),
            values: Vec::new(),
            verdict: None,
        }
    }

    /// Takes the sample that is due; true once the criterion is met.
    pub(super) fn sample(&mut self, tally: &EntryTally) -> bool {
        let now = tally.totals();
        self.next_ps = self.next_ps.saturating_add(self.interval_ps);
        let last = std::mem::replace(&mut self.last, now);
        if !std::mem::replace(&mut self.primed, true) {
            // The first one only says where counting begins.
            return false;
        }
        let rate = |amount: u64| {
            let per_s = u128::from(amount) * 1_000_000_000_000 / u128::from(self.interval_ps);
            u64::try_from(per_s).unwrap_or(u64::MAX)
        };
        let (ios, bytes, ns) = (now.0 - last.0, now.1 - last.1, now.2 - last.2);
        self.iops.push(rate(ios));
        self.bytes_s.push(rate(bytes));
        self.lat_ns.push(if ios == 0 { 0 } else { narrow(ns / u128::from(ios)) });
        let value = match self.asked.metric {
            SteadyMetric::Iops => self.iops.last().map(|v| *v as f64),
            // A limit without percent is in KiB/s.
            SteadyMetric::Bw => self.bytes_s.last().map(|v| *v as f64 / 1024.0),
            SteadyMetric::Lat => self.lat_ns.last().map(|v| *v as f64),
        };
        self.values.extend(value);
        self.verdict = self.criterion.judge(&self.values);
        self.attained = self.verdict.is_some_and(|verdict| verdict.attained);
        self.attained
    }

    /// What fio reports about it.
    pub(super) fn result(&self) -> SteadyStateResult {
        let percent = if self.asked.limit_is_percent { "%" } else { "" };
        let metric = match self.asked.metric {
            SteadyMetric::Iops => "iops",
            SteadyMetric::Bw => "bw",
            SteadyMetric::Lat => "lat",
        };
        let slope = if self.asked.slope { "_slope" } else { "" };
        let from = self.values.len().saturating_sub(self.criterion.window);
        let mean = |values: &[u64]| {
            let sum: u128 = values.iter().map(|v| u128::from(*v)).sum();
            narrow(sum.checked_div(values.len() as u128).unwrap_or(0))
        };
        let criterion = self.verdict.map_or(0.0, |verdict| verdict.criterion);
        SteadyStateResult {
            ss: format!("{metric}{slope}:{:.6}{percent}", self.asked.limit),
            duration_s: self.asked.duration_us / 1_000_000,
            attained: self.attained,
            criterion: format!("{criterion:.6}{percent}"),
            max_deviation: self.verdict.map_or(0.0, |verdict| verdict.max_deviation),
            slope: self.verdict.map_or(0.0, |verdict| verdict.slope),
            bw_mean_bytes_s: mean(&self.bytes_s[from..]),
            iops_mean: mean(&self.iops[from..]),
            lat_mean_ns: (self.asked.metric == SteadyMetric::Lat)
                .then(|| mean(&self.lat_ns[from..]) as f64),
            iops: self.iops[from..].to_vec(),
            bw_bytes_s: self.bytes_s[from..].to_vec(),
            lat_ns: match self.asked.metric {
                SteadyMetric::Lat => self.lat_ns[from..].to_vec(),
                _ => Vec::new(),
            },
            extra: Default::default(),
        }
    }
}
