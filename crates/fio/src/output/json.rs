//! JSON and JSON+: fio 3.33's keys in its order.

use serde_json::{Map, Number, Value};
use stats::bands::{BATCH_KEYS, BELOW_1000_KEYS, LEVEL_KEYS, MS_KEYS};
use stats::result::{DiskCounters, DiskUtil, Unified};
use stats::{
    Direction, DirectionResult, JobResult, LatencyResult, PrioResult, RunResult, SteadyStateResult,
};

use super::{date, json_format};

/// Which of fio's two JSON formats to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonKind {
    /// Percentiles only.
    Json,
    /// Also the bins of every latency that shows percentiles.
    JsonPlus,
}

/// What really made the result, for a key of its own at the end of fio's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// Version of drivelab.
    pub version: String,
    /// The modelled drive.
    pub target: String,
    /// What the user should know, in order.
    pub warnings: Vec<String>,
}

/// The version that the layout is of, where a result has none.
const LAYOUT: &str = "fio-3.33";

/// Writes a result. `provenance` adds the key `drivelab` behind all others.
pub fn json(result: &RunResult, kind: JsonKind, provenance: Option<&Provenance>) -> String {
    let mut top = Map::new();
    let version = if result.fio_version.is_empty() { LAYOUT } else { &result.fio_version };
    put(&mut top, "fio version", version);
    put(&mut top, "timestamp", result.timestamp_s);
    put(&mut top, "timestamp_ms", result.timestamp_ms);
    put(&mut top, "time", time_text(result));
    if let Some(options) = options(&result.global_options) {
        put(&mut top, "global options", options);
    }
    let jobs: Vec<Value> = result.jobs.iter().map(|one| job(one, kind)).collect();
    put(&mut top, "jobs", jobs);
    if !result.disk_util.is_empty() {
        let disks: Vec<Value> = result.disk_util.iter().map(disk).collect();
        put(&mut top, "disk_util", disks);
    }
    extend(&mut top, &result.extra);
    if let Some(provenance) = provenance {
        let mut own = Map::new();
        put(&mut own, "version", provenance.version.as_str());
        put(&mut own, "target", provenance.target.as_str());
        put(&mut own, "warnings", provenance.warnings.clone());
        put(&mut top, "drivelab", own);
    }
    json_format::text(&Value::Object(top))
}

/// The date of a result, from its own text or else from its timestamp.
pub(super) fn time_text(result: &RunResult) -> String {
    if result.time.is_empty() { date::text(result.timestamp_s) } else { result.time.clone() }
}

fn put(map: &mut Map<String, Value>, key: &str, value: impl Into<Value>) {
    map.insert(key.to_owned(), value.into());
}

/// A number with decimals; what is not finite has no place in JSON and counts as 0.
fn real(value: f64) -> Value {
    Number::from_f64(value).map_or_else(|| real(0.0), Value::Number)
}

fn extend<'a>(
    map: &mut Map<String, Value>,
    extra: impl IntoIterator<Item = (&'a String, &'a Value)>,
) {
    for (key, value) in extra {
        if !map.contains_key(key) {
            map.insert(key.clone(), value.clone());
        }
    }
}

/// Options with values; fio leaves flags out, and the whole if there are none.
fn options(list: &[(String, String)]) -> Option<Map<String, Value>> {
    let mut map = Map::new();
    for (name, value) in list.iter().filter(|(_, value)| !value.is_empty()) {
        put(&mut map, name, value.as_str());
    }
    (!list.is_empty()).then_some(map)
}

fn job(job: &JobResult, kind: JsonKind) -> Value {
    let mut map = Map::new();
    put(&mut map, "jobname", job.jobname.as_str());
    put(&mut map, "groupid", job.groupid);
    if let Some(start) = job.job_start_ms {
        put(&mut map, "job_start", start);
    }
    put(&mut map, "error", job.error);
    put(&mut map, "eta", job.eta_s);
    put(&mut map, "elapsed", job.elapsed_s);
    put(&mut map, "job options", options(&job.job_options).unwrap_or_default());
    directions(&mut map, job, kind);
    let mut sync = Map::new();
    put(&mut sync, "total_ios", job.sync.total_ios);
    put(&mut sync, "lat_ns", latency(&job.sync.lat, kind));
    put(&mut map, "sync", sync);
    if let Some(mixed) = job.mixed.as_ref().filter(|_| job.unified == Unified::Both) {
        put(&mut map, "mixed", direction(mixed, kind));
    }
    put(&mut map, "job_runtime", job.job_runtime_ms);
    put(&mut map, "usr_cpu", real(job.usr_cpu));
    put(&mut map, "sys_cpu", real(job.sys_cpu));
    put(&mut map, "ctx", job.ctx);
    put(&mut map, "majf", job.majf);
    put(&mut map, "minf", job.minf);
    put(&mut map, "iodepth_level", bands(&LEVEL_KEYS, &job.iodepth_level));
    put(&mut map, "iodepth_submit", bands(&BATCH_KEYS, &job.iodepth_submit));
    put(&mut map, "iodepth_complete", bands(&BATCH_KEYS, &job.iodepth_complete));
    put(&mut map, "latency_ns", bands(&BELOW_1000_KEYS, &job.latency_bands.ns));
    put(&mut map, "latency_us", bands(&BELOW_1000_KEYS, &job.latency_bands.us));
    put(&mut map, "latency_ms", bands(&MS_KEYS, &job.latency_bands.ms));
    if let Some(total) = job.total_err {
        put(&mut map, "total_err", total);
        put(&mut map, "first_error", job.first_error.unwrap_or(0));
    }
    if let Some(resets) = job.zone_resets {
        put(&mut map, "zone_resets", resets);
    }
    put(&mut map, "latency_depth", job.latency_depth);
    // The target is in nanoseconds, the window in microseconds.
    put(&mut map, "latency_target", job.latency_target_us.saturating_mul(1000));
    put(&mut map, "latency_percentile", real(job.latency_percentile));
    put(&mut map, "latency_window", job.latency_window_us);
    if let Some(text) = &job.desc {
        put(&mut map, "desc", text.as_str());
    }
    if let Some(state) = &job.steadystate {
        put(&mut map, "steadystate", steady_state(state));
    }
    extend(&mut map, &job.extra);
    Value::Object(map)
}

/// The directions apart, or their sum in their place.
fn directions(map: &mut Map<String, Value>, job: &JobResult, kind: JsonKind) {
    match job.mixed.as_ref().filter(|_| job.unified == Unified::Mixed) {
        Some(mixed) => put(map, "mixed", direction(mixed, kind)),
        None => {
            for side in Direction::ALL {
                put(map, side.name(), direction(job.direction(side), kind));
            }
        }
    }
}

fn direction(side: &DirectionResult, kind: JsonKind) -> Value {
    let mut map = Map::new();
    put(&mut map, "io_bytes", side.io_bytes);
    put(&mut map, "io_kbytes", side.io_bytes >> 10);
    put(&mut map, "bw_bytes", side.bw_bytes_s);
    put(&mut map, "bw", side.bw_bytes_s >> 10);
    put(&mut map, "iops", real(side.iops));
    put(&mut map, "runtime", side.runtime_ms);
    put(&mut map, "total_ios", side.total_ios);
    put(&mut map, "short_ios", side.short_ios);
    put(&mut map, "drop_ios", side.drop_ios);
    put(&mut map, "slat_ns", latency(&side.slat, kind));
    put(&mut map, "clat_ns", latency(&side.clat, kind));
    put(&mut map, "lat_ns", latency(&side.lat, kind));
    if !side.prios.is_empty() {
        let prios: Vec<Value> = side.prios.iter().map(|one| prio(one, kind)).collect();
        put(&mut map, "prios", prios);
    }
    let (bw, iops) = (&side.bw_samples, &side.iops_samples);
    put(&mut map, "bw_min", bw.min_kib_s);
    put(&mut map, "bw_max", bw.max_kib_s);
    put(&mut map, "bw_agg", real(bw.agg_percent));
    put(&mut map, "bw_mean", real(bw.mean_kib_s));
    put(&mut map, "bw_dev", real(bw.dev_kib_s));
    put(&mut map, "bw_samples", bw.samples);
    put(&mut map, "iops_min", iops.min);
    put(&mut map, "iops_max", iops.max);
    put(&mut map, "iops_mean", real(iops.mean));
    put(&mut map, "iops_stddev", real(iops.stddev));
    put(&mut map, "iops_samples", iops.samples);
    extend(&mut map, &side.extra);
    Value::Object(map)
}

fn latency(latency: &LatencyResult, kind: JsonKind) -> Value {
    let mut map = Map::new();
    put(&mut map, "min", latency.min_ns);
    put(&mut map, "max", latency.max_ns);
    put(&mut map, "mean", real(latency.mean_ns));
    put(&mut map, "stddev", real(latency.stddev_ns));
    put(&mut map, "N", latency.n);
    // Bins come with percentiles or not at all.
    if !latency.percentiles.is_empty() {
        let mut percentiles = Map::new();
        for one in &latency.percentiles {
            put(&mut percentiles, &format!("{:.6}", one.percent), one.ns);
        }
        put(&mut map, "percentile", percentiles);
        if let Some(histogram) = latency.histogram.as_ref().filter(|_| kind == JsonKind::JsonPlus) {
            let mut bins = Map::new();
            for (mid_ns, count) in histogram.bins() {
                put(&mut bins, &mid_ns.to_string(), count);
            }
            put(&mut map, "bins", bins);
        }
    }
    Value::Object(map)
}

fn prio(prio: &PrioResult, kind: JsonKind) -> Value {
    let mut map = Map::new();
    put(&mut map, "prioclass", prio.prio_class);
    put(&mut map, "prio", prio.prio);
    if let Some(hint) = prio.prio_hint {
        put(&mut map, "priohint", hint);
    }
    let key = if prio.is_total { "lat_ns" } else { "clat_ns" };
    put(&mut map, key, latency(&prio.latency, kind));
    Value::Object(map)
}

fn bands(keys: &[&str], shares: &[f64]) -> Value {
    let mut map = Map::new();
    for (key, share) in keys.iter().zip(shares) {
        put(&mut map, key, real(*share));
    }
    Value::Object(map)
}

fn steady_state(state: &SteadyStateResult) -> Value {
    let mut map = Map::new();
    put(&mut map, "ss", state.ss.as_str());
    put(&mut map, "duration", state.duration_s);
    put(&mut map, "attained", u64::from(state.attained));
    put(&mut map, "criterion", state.criterion.as_str());
    put(&mut map, "max_deviation", real(state.max_deviation));
    put(&mut map, "slope", real(state.slope));
    let mut data = Map::new();
    put(&mut data, "bw_mean", state.bw_mean_bytes_s);
    put(&mut data, "iops_mean", state.iops_mean);
    if let Some(mean) = state.lat_mean_ns {
        put(&mut data, "lat_mean", real(mean));
    }
    if !state.lat_ns.is_empty() {
        put(&mut data, "lat_ns", state.lat_ns.clone());
    }
    put(&mut data, "iops", state.iops.clone());
    put(&mut data, "bw", state.bw_bytes_s.clone());
    put(&mut map, "data", data);
    extend(&mut map, &state.extra);
    Value::Object(map)
}

fn disk(disk: &DiskUtil) -> Value {
    let mut map = Map::new();
    put(&mut map, "name", disk.name.as_str());
    counters(&mut map, &disk.own, "", "write_merges");
    if let Some(aggregate) = &disk.aggregate {
        // fio itself leaves the `s` out of this one key.
        counters(&mut map, aggregate, "aggr_", "write_merge");
    }
    extend(&mut map, &disk.extra);
    Value::Object(map)
}

fn counters(map: &mut Map<String, Value>, counters: &DiskCounters, prefix: &str, merges: &str) {
    let mut add = |key: &str, value: Value| put(map, &format!("{prefix}{key}"), value);
    add("read_ios", counters.read_ios.into());
    add("write_ios", counters.write_ios.into());
    if let Some(sectors) = counters.read_sectors {
        add("read_sectors", sectors.into());
    }
    if let Some(sectors) = counters.write_sectors {
        add("write_sectors", sectors.into());
    }
    add("read_merges", counters.read_merges.into());
    add(merges, counters.write_merges.into());
    add("read_ticks", counters.read_ticks_ms.into());
    add("write_ticks", counters.write_ticks_ms.into());
    add("in_queue", counters.in_queue_ms.into());
    add("util", real(counters.util_percent));
}
