//! Reading what fio itself wrote with `--output-format=json` or `json+`.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use stats::bands::{BATCH_KEYS, BELOW_1000_KEYS, LEVEL_KEYS, MS_KEYS};
use stats::histogram;
use stats::result::{DiskCounters, DiskUtil, PercentileKinds, Unified};
use stats::{
    BandwidthSamples, Direction, DirectionResult, Histogram, IopsSamples, JobResult, LatencyResult,
    PercentileValue, PrioResult, RunResult, SteadyStateResult, SyncResult,
};

/// Why a text is not a result of fio.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonError {
    /// There is nothing in it.
    #[error("the output is empty: did fio fail before it could write?")]
    Empty,
    /// There is text, but no JSON.
    #[error("the output has no JSON: run fio with --output-format=json or json+")]
    NoJson,
    /// The JSON ends too soon.
    #[error("the JSON is cut off at line {line}: did fio run to its end?")]
    Truncated {
        /// Line of the text, from 1, at which it ends.
        line: usize,
    },
    /// The JSON is malformed.
    #[error("line {line}, column {column}: {reason}")]
    Invalid {
        /// Line of the text, from 1.
        line: usize,
        /// Column, from 1; 0 if the line end is meant.
        column: usize,
        /// What is wrong.
        reason: String,
    },
    /// It is JSON, but not fio's.
    #[error("the JSON is not fio's: {reason}")]
    NotFio {
        /// What is missing or of the wrong type.
        reason: String,
    },
    /// It is of a version of fio whose latencies are in other units.
    #[error("{version} is too old: its latencies are in microseconds; use fio 3.0 or later")]
    TooOld {
        /// The version as fio reports it.
        version: String,
    },
}

/// Reads a result. Text before the JSON (fio's warnings) and behind it is skipped. Keys that are
/// unknown here are kept in the `extra` maps; keys that are missing count as 0.
///
/// # Errors
///
/// [`JsonError`], if there is no complete JSON of fio 3 in the text.
pub fn parse(text: &str) -> Result<RunResult, JsonError> {
    if text.trim().is_empty() {
        return Err(JsonError::Empty);
    }
    let mut first_error = None;
    // The JSON begins on a line of its own; a brace within a warning does not count.
    for (offset, _) in text.match_indices('{') {
        let line_start = text[..offset].rfind('\n').map_or(0, |end| end + 1);
        if !text[line_start..offset].trim().is_empty() {
            continue;
        }
        let mut values = serde_json::Deserializer::from_str(&text[offset..]).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) => match run(value) {
                Err(error @ JsonError::NotFio { .. }) => {
                    first_error.get_or_insert(error);
                }
                other => return other,
            },
            Some(Err(error)) => {
                let before = text[..offset].matches('\n').count();
                first_error.get_or_insert(invalid(&error, before));
                // Where a key begins, this was the JSON, and braces further down are its parts.
                if text[offset + 1..].trim_start().starts_with('"') || error.is_eof() {
                    break;
                }
            }
            None => {}
        }
    }
    Err(first_error.unwrap_or(JsonError::NoJson))
}

fn invalid(error: &serde_json::Error, lines_before: usize) -> JsonError {
    let line = error.line() + lines_before;
    if error.is_eof() {
        return JsonError::Truncated { line };
    }
    let reason = error.to_string();
    let reason = reason.split(" at line ").next().unwrap_or_default().to_owned();
    JsonError::Invalid { line, column: error.column(), reason }
}

/// An object being taken apart: what is left at the end is `extra`.
struct Object(Map<String, Value>);

impl Object {
    fn of(value: Value) -> Option<Self> {
        match value {
            Value::Object(map) => Some(Self(map)),
            _ => None,
        }
    }

    fn object(&mut self, key: &str) -> Self {
        match self.0.get(key) {
            Some(Value::Object(_)) => {
                self.0.shift_remove(key).and_then(Self::of).unwrap_or(Self(Map::new()))
            }
            _ => Self(Map::new()),
        }
    }

    fn list(&mut self, key: &str) -> Option<Vec<Value>> {
        match self.0.get(key) {
            Some(Value::Array(_)) => match self.0.shift_remove(key) {
                Some(Value::Array(list)) => Some(list),
                _ => None,
            },
            _ => None,
        }
    }

    fn optional<T>(&mut self, key: &str, read: impl Fn(&Value) -> Option<T>) -> Option<T> {
        let value = read(self.0.get(key)?)?;
        self.0.shift_remove(key);
        Some(value)
    }

    fn text(&mut self, key: &str) -> Option<String> {
        self.optional(key, |value| value.as_str().map(str::to_owned))
    }

    fn count(&mut self, key: &str) -> u64 {
        self.optional(key, as_count).unwrap_or(0)
    }

    fn real(&mut self, key: &str) -> f64 {
        self.optional(key, Value::as_f64).unwrap_or(0.0)
    }

    fn rest(self) -> BTreeMap<String, Value> {
        self.0.into_iter().collect()
    }
}

/// A count; newer and older versions of fio differ in what they write as a fraction.
fn as_count(value: &Value) -> Option<u64> {
    // Conversion from a float saturates, and takes a negative number for 0.
    value.as_u64().or_else(|| value.as_f64().map(|value| value as u64))
}

fn as_signed(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_f64().map(|value| value as i64))
}

fn not_fio(reason: &str) -> JsonError {
    JsonError::NotFio { reason: reason.to_owned() }
}

fn run(value: Value) -> Result<RunResult, JsonError> {
    let mut top = Object::of(value).ok_or_else(|| not_fio("it is not an object"))?;
    let version =
        top.text("fio version").ok_or_else(|| not_fio("the key `fio version` is missing"))?;
    if version.starts_with("fio-2") || version.starts_with("fio-1") {
        return Err(JsonError::TooOld { version });
    }
    let jobs = match top.list("jobs") {
        Some(jobs) => jobs,
        None => top
            .list("client_stats")
            .ok_or_else(|| not_fio("neither `jobs` nor `client_stats` is there"))?,
    };
    let jobs = jobs.into_iter().map(|value| {
        Object::of(value).map(job).ok_or_else(|| not_fio("an entry of `jobs` is not an object"))
    });
    let mut jobs: Vec<JobResult> = jobs.collect::<Result<_, _>>()?;
    copies(&mut jobs);
    let disks = top.list("disk_util").unwrap_or_default();
    Ok(RunResult {
        fio_version: version,
        timestamp_s: top.count("timestamp"),
        timestamp_ms: top.count("timestamp_ms"),
        time: top.text("time").unwrap_or_default(),
        global_options: options(top.object("global options")),
        jobs,
        disk_util: disks.into_iter().filter_map(Object::of).map(disk).collect(),
        timeline: None,
        extra: top.rest(),
    })
}

fn options(object: Object) -> Vec<(String, String)> {
    let text = |value: Value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    object.0.into_iter().map(|(name, value)| (name, text(value))).collect()
}

fn job(mut object: Object) -> JobResult {
    let mut job = JobResult {
        jobname: object.text("jobname").unwrap_or_default(),
        groupid: object.count("groupid"),
        job_start_ms: object.optional("job_start", as_count),
        error: object.optional("error", as_signed).unwrap_or(0),
        eta_s: object.count("eta"),
        elapsed_s: object.count("elapsed"),
        desc: object.text("desc"),
        job_options: options(object.object("job options")),
        job_runtime_ms: object.count("job_runtime"),
        usr_cpu: object.real("usr_cpu"),
        sys_cpu: object.real("sys_cpu"),
        ctx: object.count("ctx"),
        majf: object.count("majf"),
        minf: object.count("minf"),
        iodepth_level: shares(object.object("iodepth_level"), &LEVEL_KEYS),
        iodepth_submit: shares(object.object("iodepth_submit"), &BATCH_KEYS),
        iodepth_complete: shares(object.object("iodepth_complete"), &BATCH_KEYS),
        latency_depth: object.count("latency_depth"),
        latency_target_us: object.count("latency_target") / 1000,
        latency_percentile: object.real("latency_percentile"),
        latency_window_us: object.count("latency_window"),
        zone_resets: object.optional("zone_resets", as_count),
        total_err: object.optional("total_err", as_count),
        first_error: object.optional("first_error", as_signed),
        ..JobResult::default()
    };
    job.latency_bands.ns = shares(object.object("latency_ns"), &BELOW_1000_KEYS);
    job.latency_bands.us = shares(object.object("latency_us"), &BELOW_1000_KEYS);
    job.latency_bands.ms = shares(object.object("latency_ms"), &MS_KEYS);
    if object.0.contains_key("steadystate") {
        job.steadystate = Some(steady_state(object.object("steadystate")));
    }
    let mut sync = object.object("sync");
    job.sync =
        SyncResult { total_ios: sync.count("total_ios"), lat: latency(sync.object("lat_ns")) };
    directions(&mut job, &mut object);
    percentiles_shown(&mut job);
    job.extra = object.rest();
    job
}

fn directions(job: &mut JobResult, object: &mut Object) {
    let apart = Direction::ALL.iter().any(|side| object.0.contains_key(side.name()));
    for side in Direction::ALL {
        *job.direction_mut(side) = direction(object.object(side.name()));
    }
    if object.0.contains_key("mixed") {
        job.mixed = Some(direction(object.object("mixed")));
        job.unified = if apart { Unified::Both } else { Unified::Mixed };
    }
}

/// JSON does not report how many jobs an entry covers. A section with several copies that has a
/// single entry was reported as a group; sections that were merged into one stay unnoticed.
fn copies(jobs: &mut [JobResult]) {
    for index in 0..jobs.len() {
        let job = &jobs[index];
        let entries = jobs
            .iter()
            .filter(|other| other.jobname == job.jobname && other.groupid == job.groupid)
            .count();
        let option = job.job_options.iter().find(|(name, _)| name == "numjobs");
        let count = option.and_then(|(_, count)| count.parse().ok());
        if let Some(count) = count.filter(|_| entries == 1) {
            jobs[index].numjobs = count;
        }
    }
}

/// Which percentiles were asked for can only be inferred from those that are there.
fn percentiles_shown(job: &mut JobResult) {
    let sides = || job.directions.iter().chain(job.mixed.as_ref());
    let any = |kind: fn(&DirectionResult) -> &LatencyResult| {
        sides().map(kind).find(|latency| !latency.percentiles.is_empty())
    };
    let (slat, clat, lat) = (any(|side| &side.slat), any(|side| &side.clat), any(|side| &side.lat));
    let measured = sides().any(|side| side.clat.n > 0);
    let kinds = PercentileKinds {
        slat: slat.is_some(),
        // Without samples nothing can be inferred, and fio's default applies.
        clat: clat.is_some() || !measured,
        lat: lat.is_some(),
    };
    let list: Option<Vec<f64>> = clat
        .or(lat)
        .or(slat)
        .map(|latency| latency.percentiles.iter().map(|one| one.percent).collect());
    job.percentile_kinds = kinds;
    if let Some(list) = list {
        job.percentile_list = list;
    }
}

fn direction(mut object: Object) -> DirectionResult {
    object.0.shift_remove("io_kbytes");
    object.0.shift_remove("bw");
    let mut prios = Vec::new();
    for value in object.list("prios").unwrap_or_default() {
        prios.extend(Object::of(value).map(prio));
    }
    DirectionResult {
        io_bytes: object.count("io_bytes"),
        bw_bytes_s: object.count("bw_bytes"),
        iops: object.real("iops"),
        runtime_ms: object.count("runtime"),
        total_ios: object.count("total_ios"),
        short_ios: object.count("short_ios"),
        drop_ios: object.count("drop_ios"),
        slat: latency(object.object("slat_ns")),
        clat: latency(object.object("clat_ns")),
        lat: latency(object.object("lat_ns")),
        bw_samples: BandwidthSamples {
            min_kib_s: object.count("bw_min"),
            max_kib_s: object.count("bw_max"),
            agg_percent: object.real("bw_agg"),
            mean_kib_s: object.real("bw_mean"),
            dev_kib_s: object.real("bw_dev"),
            samples: object.count("bw_samples"),
        },
        iops_samples: IopsSamples {
            min: object.count("iops_min"),
            max: object.count("iops_max"),
            mean: object.real("iops_mean"),
            stddev: object.real("iops_stddev"),
            samples: object.count("iops_samples"),
        },
        prios,
        extra: object.rest(),
    }
}

fn latency(mut object: Object) -> LatencyResult {
    let mut percentiles: Vec<PercentileValue> = Vec::new();
    for (percent, value) in object.object("percentile").0 {
        if let (Ok(percent), Some(ns)) = (percent.parse(), as_count(&value)) {
            percentiles.push(PercentileValue { percent, ns });
        }
    }
    let mut bins: Option<Histogram> = None;
    for (mid_ns, count) in object.object("bins").0 {
        if let (Ok(mid_ns), Some(count)) = (mid_ns.parse(), as_count(&count)) {
            bins.get_or_insert_default().add(histogram::index(mid_ns), count);
        }
    }
    LatencyResult {
        n: object.count("N"),
        min_ns: object.count("min"),
        max_ns: object.count("max"),
        mean_ns: object.real("mean"),
        stddev_ns: object.real("stddev"),
        moments: None,
        histogram: bins,
        percentiles,
    }
}

fn prio(mut object: Object) -> PrioResult {
    let is_total = object.0.contains_key("lat_ns");
    PrioResult {
        prio_class: object.count("prioclass"),
        prio: object.count("prio"),
        prio_hint: object.optional("priohint", as_count),
        is_total,
        latency: latency(object.object(if is_total { "lat_ns" } else { "clat_ns" })),
    }
}

fn shares<const N: usize>(mut object: Object, keys: &[&str; N]) -> [f64; N] {
    keys.map(|key| object.real(key))
}

fn steady_state(mut object: Object) -> SteadyStateResult {
    let mut data = object.object("data");
    let counts = |list: Option<Vec<Value>>| -> Vec<u64> {
        list.unwrap_or_default().iter().filter_map(as_count).collect()
    };
    SteadyStateResult {
        ss: object.text("ss").unwrap_or_default(),
        duration_s: object.count("duration"),
        attained: object.count("attained") != 0,
        criterion: object.text("criterion").unwrap_or_default(),
        max_deviation: object.real("max_deviation"),
        slope: object.real("slope"),
        bw_mean_bytes_s: data.count("bw_mean"),
        iops_mean: data.count("iops_mean"),
        lat_mean_ns: data.optional("lat_mean", Value::as_f64),
        iops: counts(data.list("iops")),
        bw_bytes_s: counts(data.list("bw")),
        lat_ns: counts(data.list("lat_ns")),
        extra: object.rest(),
    }
}

fn disk(mut object: Object) -> DiskUtil {
    let name = object.text("name").unwrap_or_default();
    let own = counters(&mut object, "");
    let aggregate = object.0.contains_key("aggr_read_ios");
    let aggregate = aggregate.then(|| counters(&mut object, "aggr_"));
    DiskUtil { name, own, aggregate, extra: object.rest() }
}

fn counters(object: &mut Object, prefix: &str) -> DiskCounters {
    let key = |name: &str| format!("{prefix}{name}");
    let merges = if prefix.is_empty() { "write_merges" } else { "write_merge" };
    DiskCounters {
        read_ios: object.count(&key("read_ios")),
        write_ios: object.count(&key("write_ios")),
        read_sectors: object.optional(&key("read_sectors"), as_count),
        write_sectors: object.optional(&key("write_sectors"), as_count),
        read_merges: object.count(&key("read_merges")),
        write_merges: object.count(&key(merges)),
        read_ticks_ms: object.count(&key("read_ticks")),
        write_ticks_ms: object.count(&key("write_ticks")),
        in_queue_ms: object.count(&key("in_queue")),
        util_percent: object.real(&key("util")),
    }
}
