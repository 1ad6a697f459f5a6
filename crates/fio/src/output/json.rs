//! JSON and JSON+: a result in fio's layout.

use super::layout::{
    Aggregate, Counters, Direction, Disk, Job, Latency, Open, Output, Prio, Provenance, Signed,
    SteadyState, SteadyStateWindow, Sync,
};
use super::{date, json_format};
use serde_json::{Map, Value, json};
use stats::bands::{BATCH_KEYS, BELOW_1000_KEYS, LEVEL_KEYS, MS_KEYS};
use stats::result::{DiskCounters, DiskUtil, SyncResult, Unified};
use stats::{
    Direction as Side, DirectionResult, JobResult, LatencyResult, PrioResult, RunResult,
    SteadyStateResult,
};

/// Which of fio's two JSON formats to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonKind {
    /// Percentiles only.
    Json,
    /// Also the bins of every latency that shows percentiles.
    JsonPlus,
}

/// The version that the layout is of, where a result has none.
const LAYOUT: &str = "fio-3.33";

/// Writes a result. `provenance` adds the key `drivelab` behind all others.
pub fn json(result: &RunResult, kind: JsonKind, provenance: Option<&Provenance>) -> String {
    let version = if result.fio_version.is_empty() { LAYOUT } else { &result.fio_version };
    let output = Output {
        fio_version: version,
        timestamp: result.timestamp_s,
        timestamp_ms: result.timestamp_ms,
        time: time_text(result),
        global_options: options(&result.global_options),
        jobs: result.jobs.iter().map(|one| job(one, kind)).collect(),
        disk_util: result.disk_util.iter().map(disk).collect(),
    };
    let fio = Open { known: output, other: &result.extra };
    // Every key is a string and every number is finite: this cannot fail.
    json_format::text(&json!(Signed { fio, drivelab: provenance }))
}

/// The date of a result, from its own text or else from its timestamp.
pub(super) fn time_text(result: &RunResult) -> String {
    if result.time.is_empty() { date::text(result.timestamp_s) } else { result.time.clone() }
}

/// A number with decimals; what is not finite has no place in JSON and counts as 0.
fn real(value: f64) -> f64 {
    if value.is_finite() { value } else { 0.0 }
}

/// Options with values; fio leaves flags out, and the whole if there are none.
fn options(list: &[(String, String)]) -> Option<Map<String, Value>> {
    let valued = list.iter().filter(|(_, value)| !value.is_empty());
    let map = valued.map(|(name, value)| (name.clone(), json!(value))).collect();
    (!list.is_empty()).then_some(map)
}

fn job(job: &JobResult, kind: JsonKind) -> Open<'_, Job<'_>> {
    let side = |side| {
        (job.unified != Unified::Mixed || job.mixed.is_none())
            .then(|| direction(job.direction(side), kind))
    };
    let mixed = |shown| {
        job.mixed.as_ref().filter(|_| job.unified == shown).map(|mixed| direction(mixed, kind))
    };
    let known = Job {
        jobname: &job.jobname,
        groupid: job.groupid,
        job_start: job.job_start_ms,
        error: job.error,
        eta: job.eta_s,
        elapsed: job.elapsed_s,
        job_options: options(&job.job_options).unwrap_or_default(),
        read: side(Side::Read),
        write: side(Side::Write),
        trim: side(Side::Trim),
        mixed_alone: mixed(Unified::Mixed),
        sync: sync(&job.sync, kind),
        mixed_too: mixed(Unified::Both),
        job_runtime: job.job_runtime_ms,
        usr_cpu: real(job.usr_cpu),
        sys_cpu: real(job.sys_cpu),
        ctx: job.ctx,
        majf: job.majf,
        minf: job.minf,
        iodepth_level: bands(&LEVEL_KEYS, &job.iodepth_level),
        iodepth_submit: bands(&BATCH_KEYS, &job.iodepth_submit),
        iodepth_complete: bands(&BATCH_KEYS, &job.iodepth_complete),
        latency_ns: bands(&BELOW_1000_KEYS, &job.latency_bands.ns),
        latency_us: bands(&BELOW_1000_KEYS, &job.latency_bands.us),
        latency_ms: bands(&MS_KEYS, &job.latency_bands.ms),
        total_err: job.total_err,
        first_error: job.total_err.map(|_| job.first_error.unwrap_or(0)),
        zone_resets: job.zone_resets,
        latency_depth: job.latency_depth,
        // The target is in nanoseconds, the window in microseconds.
        latency_target: job.latency_target_us.saturating_mul(1000),
        latency_percentile: real(job.latency_percentile),
        latency_window: job.latency_window_us,
        desc: job.desc.as_deref(),
        steadystate: job.steadystate.as_ref().map(steady_state),
    };
    Open { known, other: &job.extra }
}

fn sync(sync: &SyncResult, kind: JsonKind) -> Sync {
    Sync { total_ios: sync.total_ios, lat_ns: latency(&sync.lat, kind) }
}

fn direction(side: &DirectionResult, kind: JsonKind) -> Open<'_, Direction> {
    let (bw, iops) = (&side.bw_samples, &side.iops_samples);
    let known = Direction {
        io_bytes: side.io_bytes,
        io_kbytes: side.io_bytes >> 10,
        bw_bytes: side.bw_bytes_s,
        bw: side.bw_bytes_s >> 10,
        iops: real(side.iops),
        runtime: side.runtime_ms,
        total_ios: side.total_ios,
        short_ios: side.short_ios,
        drop_ios: side.drop_ios,
        slat_ns: latency(&side.slat, kind),
        clat_ns: latency(&side.clat, kind),
        lat_ns: latency(&side.lat, kind),
        prios: side.prios.iter().map(|one| prio(one, kind)).collect(),
        bw_min: bw.min_kib_s,
        bw_max: bw.max_kib_s,
        bw_agg: real(bw.agg_percent),
        bw_mean: real(bw.mean_kib_s),
        bw_dev: real(bw.dev_kib_s),
        bw_samples: bw.samples,
        iops_min: iops.min,
        iops_max: iops.max,
        iops_mean: real(iops.mean),
        iops_stddev: real(iops.stddev),
        iops_samples: iops.samples,
    };
    Open { known, other: &side.extra }
}

fn latency(latency: &LatencyResult, kind: JsonKind) -> Latency {
    // Bins come with percentiles or not at all.
    let shown = !latency.percentiles.is_empty();
    let histogram = latency.histogram.as_ref().filter(|_| shown && kind == JsonKind::JsonPlus);
    let percentiles = latency.percentiles.iter();
    let percentile = percentiles.map(|one| (format!("{:.6}", one.percent), json!(one.ns)));
    Latency {
        min: latency.min_ns,
        max: latency.max_ns,
        mean: real(latency.mean_ns),
        stddev: real(latency.stddev_ns),
        n: latency.n,
        percentile: shown.then(|| percentile.collect()),
        bins: histogram.map(|known| {
            known.bins().map(|(mid_ns, count)| (mid_ns.to_string(), json!(count))).collect()
        }),
    }
}

fn prio(prio: &PrioResult, kind: JsonKind) -> Prio {
    let [lat_ns, clat_ns] =
        [prio.is_total, !prio.is_total].map(|shown| shown.then(|| latency(&prio.latency, kind)));
    Prio { prioclass: prio.prio_class, prio: prio.prio, priohint: prio.prio_hint, lat_ns, clat_ns }
}

fn bands(keys: &[&str], shares: &[f64]) -> Map<String, Value> {
    keys.iter().zip(shares).map(|(key, share)| ((*key).to_owned(), json!(real(*share)))).collect()
}

fn steady_state(state: &SteadyStateResult) -> Open<'_, SteadyState<'_>> {
    let data = SteadyStateWindow {
        bw_mean: state.bw_mean_bytes_s,
        iops_mean: state.iops_mean,
        lat_mean: state.lat_mean_ns.map(real),
        lat_ns: &state.lat_ns,
        iops: &state.iops,
        bw: &state.bw_bytes_s,
    };
    let known = SteadyState {
        ss: &state.ss,
        duration: state.duration_s,
        attained: u64::from(state.attained),
        criterion: &state.criterion,
        max_deviation: real(state.max_deviation),
        slope: real(state.slope),
        data,
    };
    Open { known, other: &state.extra }
}

fn disk(disk: &DiskUtil) -> Open<'_, Disk<'_>> {
    let own = counters(&disk.own);
    let aggregate = disk.aggregate.as_ref().map(|below| aggregate(counters(below)));
    Open { known: Disk { name: &disk.name, own, aggregate }, other: &disk.extra }
}

fn counters(counters: &DiskCounters) -> Counters {
    Counters {
        read_ios: counters.read_ios,
        write_ios: counters.write_ios,
        read_sectors: counters.read_sectors,
        write_sectors: counters.write_sectors,
        read_merges: counters.read_merges,
        write_merges: counters.write_merges,
        read_ticks: counters.read_ticks_ms,
        write_ticks: counters.write_ticks_ms,
        in_queue: counters.in_queue_ms,
        util: real(counters.util_percent),
    }
}

fn aggregate(below: Counters) -> Aggregate {
    Aggregate {
        aggr_read_ios: below.read_ios,
        aggr_write_ios: below.write_ios,
        aggr_read_sectors: below.read_sectors,
        aggr_write_sectors: below.write_sectors,
        aggr_read_merges: below.read_merges,
        aggr_write_merge: below.write_merges,
        aggr_read_ticks: below.read_ticks,
        aggr_write_ticks: below.write_ticks,
        aggr_in_queue: below.in_queue,
        aggr_util: below.util,
    }
}
