//! The layout of fio 3.33's JSON: its keys, in its order.
//!
//! Objects of fio may have further keys: those that other versions of fio add are kept as they are.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::ser::Error;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// An object of fio with the keys that its own version added, behind the known ones.
#[derive(Clone, Debug)]
pub struct Open<'a, T> {
    /// What the layout knows.
    pub known: T,
    /// Keys of other versions. A known key is not replaced.
    pub other: &'a BTreeMap<String, Value>,
}

impl<T: Serialize> Serialize for Open<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.other.is_empty() {
            return self.known.serialize(serializer);
        }
        let mut value = serde_json::to_value(&self.known).map_err(S::Error::custom)?;
        if let Value::Object(map) = &mut value {
            for (key, value) in self.other {
                if !map.contains_key(key) {
                    map.insert(key.clone(), value.clone());
                }
            }
        }
        value.serialize(serializer)
    }
}

impl<T: JsonSchema> JsonSchema for Open<'_, T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// The answer of fio, and of `drivelab run --json`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output<'a> {
    /// Version of fio that ran or is imitated, `fio-3.33`.
    #[serde(rename = "fio version")]
    pub fio_version: &'a str,
    /// When the run ended, seconds since 1970; 0 for a modelled run.
    pub timestamp: u64,
    /// The same in ms.
    pub timestamp_ms: u64,
    /// The same as text.
    pub time: String,
    /// Options of the `[global]` section. Flags without a value are left out.
    #[serde(rename = "global options", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<BTreeMap<String, String>>")]
    pub global_options: Option<Map<String, Value>>,
    /// One entry a job, or a group where the job file asks for group reporting.
    pub jobs: Vec<Open<'a, Job<'a>>>,
    /// Load of the block devices.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub disk_util: Vec<Open<'a, Disk<'a>>>,
}

/// The same with what made it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Signed<'a> {
    /// fio's part.
    #[serde(flatten)]
    pub fio: Open<'a, Output<'a>>,
    /// What really made the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drivelab: Option<&'a Provenance>,
}

/// What really made a result, for a key of its own at the end of fio's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Provenance {
    /// Version of drivelab.
    pub version: String,
    /// The modelled drive, or the path of the real one.
    pub target: String,
    /// What the user should know, in order.
    pub warnings: Vec<String>,
}

/// One job, or one group of jobs reported together.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Job<'a> {
    /// Name of the section.
    pub jobname: &'a str,
    /// Reporting group, from 0.
    pub groupid: u64,
    /// When the job started, ms since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job_start: Option<u64>,
    /// First error number of the job; 0 is success.
    pub error: i64,
    /// Estimated seconds to the end; 0 in a finished run.
    pub eta: u64,
    /// Seconds since the run began, rounded up.
    pub elapsed: u64,
    /// Options of the job's own section. Flags without a value are left out.
    #[serde(rename = "job options")]
    #[schemars(with = "BTreeMap<String, String>")]
    pub job_options: Map<String, Value>,
    /// Reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read: Option<Open<'a, Direction>>,
    /// Writes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write: Option<Open<'a, Direction>>,
    /// Trims.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trim: Option<Open<'a, Direction>>,
    /// The directions together, where `unified_rw_reporting=mixed` shows them in their place.
    #[serde(rename = "mixed", skip_serializing_if = "Option::is_none")]
    pub mixed_alone: Option<Open<'a, Direction>>,
    /// Flushes.
    pub sync: Sync,
    /// The same, where `unified_rw_reporting=both` shows them too.
    #[serde(rename = "mixed", skip_serializing_if = "Option::is_none")]
    pub mixed_too: Option<Open<'a, Direction>>,
    /// Run times of all jobs added up, ms.
    pub job_runtime: u64,
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
    /// Queue depth when an I/O was issued, percent by the lower end of a band.
    #[schemars(with = "BTreeMap<String, f64>")]
    pub iodepth_level: Map<String, Value>,
    /// I/Os a submission call, percent by the upper end of a band.
    #[schemars(with = "BTreeMap<String, f64>")]
    pub iodepth_submit: Map<String, Value>,
    /// I/Os a completion call, percent by the upper end of a band.
    #[schemars(with = "BTreeMap<String, f64>")]
    pub iodepth_complete: Map<String, Value>,
    /// Total latencies below 1 us, percent by the end of a band in ns.
    #[schemars(with = "BTreeMap<String, f64>")]
    pub latency_ns: Map<String, Value>,
    /// Total latencies from 1 us to 1 ms, percent by the end of a band in us.
    #[schemars(with = "BTreeMap<String, f64>")]
    pub latency_us: Map<String, Value>,
    /// Total latencies from 1 ms, percent by the end of a band in ms.
    #[schemars(with = "BTreeMap<String, f64>")]
    pub latency_ms: Map<String, Value>,
    /// Errors skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_err: Option<u64>,
    /// The first error skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_error: Option<i64>,
    /// Zone resets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone_resets: Option<u64>,
    /// Queue depth, found by fio where `latency_target` is set.
    pub latency_depth: u64,
    /// `latency_target`, ns.
    pub latency_target: u64,
    /// `latency_percentile`, percent.
    pub latency_percentile: f64,
    /// `latency_window`, us.
    pub latency_window: u64,
    /// `description`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub desc: Option<&'a str>,
    /// The steady-state test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steadystate: Option<Open<'a, SteadyState<'a>>>,
}

/// What a job did in one direction.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Direction {
    /// Bytes moved.
    pub io_bytes: u64,
    /// The same in KiB.
    pub io_kbytes: u64,
    /// Mean bandwidth, bytes/s.
    pub bw_bytes: u64,
    /// The same in KiB/s.
    pub bw: u64,
    /// Mean I/Os a second.
    pub iops: f64,
    /// Time over which rates are computed, ms.
    pub runtime: u64,
    /// I/Os completed.
    pub total_ios: u64,
    /// I/Os that moved less than was asked.
    pub short_ios: u64,
    /// I/Os dropped.
    pub drop_ios: u64,
    /// From the request to its submission.
    pub slat_ns: Latency,
    /// From submission to completion.
    pub clat_ns: Latency,
    /// From the request to completion.
    pub lat_ns: Latency,
    /// Latencies by I/O priority, if the job mixes priorities.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prios: Vec<Prio>,
    /// Least bandwidth of a sample, KiB/s.
    pub bw_min: u64,
    /// Greatest, KiB/s.
    pub bw_max: u64,
    /// Mean as percent of the group's bandwidth.
    pub bw_agg: f64,
    /// Mean, KiB/s.
    pub bw_mean: f64,
    /// Standard deviation, KiB/s.
    pub bw_dev: f64,
    /// Samples of bandwidth.
    pub bw_samples: u64,
    /// Least I/Os a second of a sample.
    pub iops_min: u64,
    /// Greatest.
    pub iops_max: u64,
    /// Mean.
    pub iops_mean: f64,
    /// Standard deviation.
    pub iops_stddev: f64,
    /// Samples of I/Os a second.
    pub iops_samples: u64,
}

/// A latency, ns.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Latency {
    /// Least.
    pub min: u64,
    /// Greatest.
    pub max: u64,
    /// Mean.
    pub mean: f64,
    /// Standard deviation.
    pub stddev: f64,
    /// Samples.
    #[serde(rename = "N")]
    pub n: u64,
    /// Percentiles, by percent with six decimals.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<BTreeMap<String, u64>>")]
    pub percentile: Option<Map<String, Value>>,
    /// JSON+ only: samples, by the middle of their bin in ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<BTreeMap<String, u64>>")]
    pub bins: Option<Map<String, Value>>,
}

/// Latencies of one I/O priority.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Prio {
    /// Priority class: 0 none, 1 real time, 2 best effort, 3 idle.
    pub prioclass: u64,
    /// Priority within the class.
    pub prio: u64,
    /// Priority hint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priohint: Option<u64>,
    /// From the request to completion, where the job asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lat_ns: Option<Latency>,
    /// Else from submission to completion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clat_ns: Option<Latency>,
}

/// Flushes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Sync {
    /// How many.
    pub total_ios: u64,
    /// How long they took.
    pub lat_ns: Latency,
}

/// The steady-state test.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SteadyState<'a> {
    /// Criterion and limit, `iops_slope:0.300000%`.
    pub ss: &'a str,
    /// Length of the window, s.
    pub duration: u64,
    /// Whether it was met: 1, else 0.
    pub attained: u64,
    /// What was reached, `0.110000%`.
    pub criterion: &'a str,
    /// Largest deviation from the mean of the window, in the unit of the criterion.
    pub max_deviation: f64,
    /// Slope of the window, units a second.
    pub slope: f64,
    /// The window.
    pub data: SteadyStateWindow<'a>,
}

/// The window of a steady-state test.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SteadyStateWindow<'a> {
    /// Mean bandwidth, bytes/s.
    pub bw_mean: u64,
    /// Mean I/Os a second.
    pub iops_mean: u64,
    /// Mean latency, ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lat_mean: Option<f64>,
    /// Mean latency by second, ns.
    #[serde(skip_serializing_if = "<[u64]>::is_empty")]
    pub lat_ns: &'a [u64],
    /// I/Os by second.
    pub iops: &'a [u64],
    /// Bandwidth by second, bytes/s.
    pub bw: &'a [u64],
}

/// Load of one block device.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Disk<'a> {
    /// Name of the device, `sda`.
    pub name: &'a str,
    /// Its own counters.
    #[serde(flatten)]
    pub own: Counters,
    /// The counters of the devices below it.
    #[serde(flatten)]
    pub aggregate: Option<Aggregate>,
}

/// Counters of a block device.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Counters {
    /// Reads.
    pub read_ios: u64,
    /// Writes.
    pub write_ios: u64,
    /// Sectors of 512 bytes read.
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
    pub read_ticks: u64,
    /// Time writes were outstanding, ms.
    pub write_ticks: u64,
    /// Time weighted by queue length, ms.
    pub in_queue: u64,
    /// Share of the time at work, percent.
    pub util: f64,
}

/// Counters of the devices below a block device.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Aggregate {
    /// Reads.
    pub aggr_read_ios: u64,
    /// Writes.
    pub aggr_write_ios: u64,
    /// Sectors of 512 bytes read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aggr_read_sectors: Option<u64>,
    /// Sectors of 512 bytes written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aggr_write_sectors: Option<u64>,
    /// Reads merged.
    pub aggr_read_merges: u64,
    /// Writes merged. fio itself leaves the `s` out of this one key.
    pub aggr_write_merge: u64,
    /// Time reads were outstanding, ms.
    pub aggr_read_ticks: u64,
    /// Time writes were outstanding, ms.
    pub aggr_write_ticks: u64,
    /// Time weighted by queue length, ms.
    pub aggr_in_queue: u64,
    /// Share of the time at work, percent.
    pub aggr_util: f64,
}
