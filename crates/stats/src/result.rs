//! What a run of a job file yields, whether the drive was modelled or real.
//!
//! Every key of fio's JSON has a place here, so that a real run read back from fio's output and
//! a modelled run take the same path into text, JSON, JSON+ and reports. Keys that newer or
//! older versions of fio add are kept in `extra`.

use crate::bands::{LatencyBands, Shares};
use crate::direction::{Direction, DirectionResult, LatencyResult};
use crate::log::{HistLog, JobLog};
use crate::series::Series;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The percentiles that fio shows unless `percentile_list` says otherwise.
pub const DEFAULT_PERCENTILES: [f64; 17] = [
    1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95,
    99.99,
];

/// The outcome of a job file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RunResult {
    /// `fio version` as fio prints it, e.g. `fio-3.33`; of a modelled run, the one imitated.
    pub fio_version: String,
    /// When it ended, seconds since 1970; 0 for a modelled run, which has no date.
    pub timestamp_s: u64,
    /// The same in ms.
    pub timestamp_ms: u64,
    /// The same as text; empty for a modelled run.
    pub time: String,
    /// Options of the `[global]` section in order; flags without a value have none.
    pub global_options: Vec<(String, String)>,
    /// One entry a job, or a group where the job file asks for group reporting.
    pub jobs: Vec<JobResult>,
    /// Load of the block devices.
    pub disk_util: Vec<DiskUtil>,
    /// A modelled run over time, ramps included: all jobs together, and the state of the drives, as
    /// simulated. At most [`TIMELINE_MOST`] stretches, and one for each phase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeline: Option<Series>,
    /// Other keys of fio's JSON, kept as they were.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub extra: BTreeMap<String, Value>,
}

/// Stretches of [`RunResult::timeline`] at most.
pub const TIMELINE_MOST: usize = 400;

/// Which directions `unified_rw_reporting` shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Unified {
    /// Read, write and trim apart.
    #[default]
    None,
    /// Only their sum, as `mixed`.
    Mixed,
    /// All four.
    Both,
}

/// Which kinds of latency show percentiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PercentileKinds {
    /// Submission latency.
    pub slat: bool,
    /// Completion latency.
    pub clat: bool,
    /// Total latency.
    pub lat: bool,
}

impl Default for PercentileKinds {
    /// fio's: completion latency only.
    fn default() -> Self {
        Self { slat: false, clat: true, lat: false }
    }
}

/// The outcome of one job, or of one group of jobs reported together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct JobResult {
    /// Name of the section.
    pub jobname: String,
    /// Reporting group, from 0.
    pub groupid: u64,
    /// How many jobs this entry sums up (fio's text says `jobs=N`; its JSON does not).
    pub numjobs: u64,
    /// Process id, where known.
    pub pid: u64,
    /// When the job started, ms since 1970; reported by fio from 3.36 on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job_start_ms: Option<u64>,
    /// First error number of the job; 0 is success.
    pub error: i64,
    /// Estimated seconds to the end; 0 in a finished run.
    pub eta_s: u64,
    /// Seconds since the run began, rounded up.
    pub elapsed_s: u64,
    /// fio's `description`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub desc: Option<String>,
    /// Options of the job's own section in order; flags without a value have an empty one.
    pub job_options: Vec<(String, String)>,
    /// Read, write, trim: see [`JobResult::direction`].
    pub directions: [DirectionResult; 3],
    /// The sum of the directions, if the job asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mixed: Option<DirectionResult>,
    /// Which of `directions` and `mixed` are shown.
    pub unified: Unified,
    /// Flushes.
    pub sync: SyncResult,
    /// Sum of the run times of the jobs, ms.
    pub job_runtime_ms: u64,
    /// Processor time in user mode, percent.
    pub usr_cpu: f64,
    /// Processor time in the kernel, percent.
    pub sys_cpu: f64,
    /// Context switches.
    pub ctx: u64,
    /// Major page faults.
    pub majf: u64,
    /// Minor page faults.
    pub minf: u64,
    /// Queue depth when an I/O was issued, percent by [`crate::bands::LEVEL_KEYS`].
    pub iodepth_level: Shares,
    /// I/Os a submission call, percent by [`crate::bands::BATCH_KEYS`].
    pub iodepth_submit: Shares,
    /// I/Os a completion call, percent by [`crate::bands::BATCH_KEYS`].
    pub iodepth_complete: Shares,
    /// Total latencies by bands, percent (`latency_ns`, `latency_us`, `latency_ms`).
    pub latency_bands: LatencyBands,
    /// Queue depth (found, if `latency_target` is set).
    pub latency_depth: u64,
    /// `latency_target`, us.
    pub latency_target_us: u64,
    /// `latency_percentile`, percent.
    pub latency_percentile: f64,
    /// `latency_window`, us.
    pub latency_window_us: u64,
    /// The steady-state test, if the job asks for one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steadystate: Option<SteadyStateResult>,
    /// Zone resets, where zones are used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone_resets: Option<u64>,
    /// Errors skipped (fio's `continue_on_error`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_err: Option<u64>,
    /// The first error skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_error: Option<i64>,
    /// The percentiles asked for, percent.
    pub percentile_list: Vec<f64>,
    /// Which kinds of latency show them.
    pub percentile_kinds: PercentileKinds,
    /// Bandwidth, IOPS and latency logs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub logs: Vec<JobLog>,
    /// Histogram logs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hist_logs: Vec<HistLog>,
    /// Other keys of fio's JSON, kept as they were.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub extra: BTreeMap<String, Value>,
}

impl Default for JobResult {
    fn default() -> Self {
        Self {
            jobname: String::new(),
            groupid: 0,
            numjobs: 1,
            pid: 0,
            job_start_ms: None,
            error: 0,
            eta_s: 0,
            elapsed_s: 0,
            desc: None,
            job_options: Vec::new(),
            directions: Default::default(),
            mixed: None,
            unified: Unified::None,
            sync: SyncResult::default(),
            job_runtime_ms: 0,
            usr_cpu: 0.0,
            sys_cpu: 0.0,
            ctx: 0,
            majf: 0,
            minf: 0,
            iodepth_level: [0.0; 7],
            iodepth_submit: [0.0; 7],
            iodepth_complete: [0.0; 7],
            latency_bands: LatencyBands::default(),
            latency_depth: 1,
            latency_target_us: 0,
            latency_percentile: 100.0,
            latency_window_us: 0,
            steadystate: None,
            zone_resets: None,
            total_err: None,
            first_error: None,
            percentile_list: DEFAULT_PERCENTILES.to_vec(),
            percentile_kinds: PercentileKinds::default(),
            logs: Vec::new(),
            hist_logs: Vec::new(),
            extra: BTreeMap::new(),
        }
    }
}

impl JobResult {
    /// What the job did in a direction.
    pub fn direction(&self, direction: Direction) -> &DirectionResult {
        &self.directions[direction.index()]
    }

    /// What the job did in a direction, to be filled in.
    pub fn direction_mut(&mut self, direction: Direction) -> &mut DirectionResult {
        &mut self.directions[direction.index()]
    }

    /// Reads, as [`JobResult::direction`].
    pub fn read(&self) -> &DirectionResult {
        self.direction(Direction::Read)
    }

    /// Writes, as [`JobResult::direction`].
    pub fn write(&self) -> &DirectionResult {
        self.direction(Direction::Write)
    }

    /// Trims, as [`JobResult::direction`].
    pub fn trim(&self) -> &DirectionResult {
        self.direction(Direction::Trim)
    }

    /// I/Os of all directions.
    pub fn total_ios(&self) -> u64 {
        self.directions.iter().fold(0, |sum, d| sum.saturating_add(d.total_ios))
    }
}

/// Flushes (fsync, fdatasync, ...).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SyncResult {
    /// How many.
    pub total_ios: u64,
    /// How long they took.
    pub lat: LatencyResult,
}

/// fio's steady-state test.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SteadyStateResult {
    /// Criterion and limit as fio prints them, e.g. `iops_slope:0.300000%`.
    pub ss: String,
    /// Length of the window, s.
    pub duration_s: u64,
    /// Whether it was met.
    pub attained: bool,
    /// What was reached, as fio prints it, e.g. `0.110000%`.
    pub criterion: String,
    /// Largest deviation from the mean of the window, in the unit of the criterion.
    pub max_deviation: f64,
    /// Slope of the window, units a second.
    pub slope: f64,
    /// Mean bandwidth of the window, bytes/s.
    pub bw_mean_bytes_s: u64,
    /// Mean IOPS of the window.
    pub iops_mean: u64,
    /// Mean latency of the window, ns; reported by newer versions of fio for latency criteria.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lat_mean_ns: Option<f64>,
    /// IOPS by second of the window.
    pub iops: Vec<u64>,
    /// Bandwidth by second of the window, bytes/s.
    pub bw_bytes_s: Vec<u64>,
    /// Mean latency by second of the window, ns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lat_ns: Vec<u64>,
    /// Other keys of fio's JSON, kept as they were.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub extra: BTreeMap<String, Value>,
}

/// Load of one block device while the run lasted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DiskUtil {
    /// Name of the device, e.g. `sda`.
    pub name: String,
    /// Its own counters.
    pub own: DiskCounters,
    /// The counters of the devices below it (fio's `aggr_` keys), if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aggregate: Option<DiskCounters>,
    /// Other keys of fio's JSON, kept as they were.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub extra: BTreeMap<String, Value>,
}

/// Counters of a block device as the kernel keeps them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DiskCounters {
    /// Reads.
    pub read_ios: u64,
    /// Writes.
    pub write_ios: u64,
    /// Sectors of 512 bytes read; reported by newer versions of fio.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_sectors: Option<u64>,
    /// Sectors of 512 bytes written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_sectors: Option<u64>,
    /// Reads merged.
    pub read_merges: u64,
    /// Writes merged.
    pub write_merges: u64,
    /// Time reads were outstanding, ms.
    pub read_ticks_ms: u64,
    /// Time writes were outstanding, ms.
    pub write_ticks_ms: u64,
    /// Time weighted by queue length, ms.
    pub in_queue_ms: u64,
    /// Share of the time at work, percent.
    pub util_percent: f64,
}
