//! The report that fio prints for people.

use stats::result::{DiskCounters, DiskUtil, Unified};
use stats::{Direction, DirectionResult, JobResult, RunResult, Shares, SteadyStateResult};

use super::json::time_text;
use super::number_text::{bandwidth, bytes_binary, bytes_decimal, iops};
use super::{latency_text, number_text};

/// The whole report: one block a job, one a group, one for the disks. It begins with an empty
/// line, as it follows the [`super::banner`].
pub fn normal(result: &RunResult) -> String {
    let mut out = String::from("\n");
    let time = time_text(result);
    for job in &result.jobs {
        job_block(&mut out, job, &time);
    }
    let mut groups: Vec<u64> = result.jobs.iter().map(|job| job.groupid).collect();
    groups.sort_unstable();
    groups.dedup();
    for group in groups {
        let jobs: Vec<&JobResult> = result.jobs.iter().filter(|job| job.groupid == group).collect();
        group_block(&mut out, group, &jobs);
    }
    if !result.disk_util.is_empty() {
        out.push_str("\nDisk stats (read/write):\n");
        for disk in &result.disk_util {
            disk_line(&mut out, disk);
        }
    }
    out
}

fn job_block(out: &mut String, job: &JobResult, time: &str) {
    if job.total_ios() == 0 && shown(job).iter().all(|(_, side)| side.is_empty()) {
        // fio says nothing of a job that did nothing, unless it failed.
        if job.error == 0 {
            return;
        }
    }
    let error = match job.error {
        0 => String::new(),
        number => format!(" ({})", error_text(number)),
    };
    out.push_str(&format!(
        "{}: (groupid={}, jobs={}): err={:2}{error}: pid={}: {time}\n",
        job.jobname, job.groupid, job.numjobs, job.error, job.pid
    ));
    if let Some(text) = job.desc.as_ref().filter(|text| !text.is_empty()) {
        out.push_str(&format!("  Description  : [{text}]\n"));
    }
    for (name, side) in shown(job) {
        if side.runtime_ms > 0 && side.io_bytes > 0 {
            direction_block(out, name, side, job.zone_resets.filter(|_| name == "write"));
        }
    }
    bands(out, job);
    if job.sync.lat.n > 0 {
        out.push_str("  fsync/fdatasync/sync_file_range:\n");
        latency_text::summary(out, "sync", &job.sync.lat);
        latency_text::percentiles(out, "sync", &job.sync.lat.percentiles);
    }
    counters(out, job);
    if let Some(state) = &job.steadystate {
        steady_state(out, state);
    }
}

/// The directions that a job shows, by name.
fn shown(job: &JobResult) -> Vec<(&'static str, &DirectionResult)> {
    let apart = || Direction::ALL.map(|side| (side.name(), job.direction(side))).into_iter();
    let mixed = job.mixed.as_ref().map(|mixed| ("mixed", mixed));
    match (job.unified, mixed) {
        (Unified::Mixed, Some(mixed)) => vec![mixed],
        (Unified::Both, mixed) => apart().chain(mixed).collect(),
        _ => apart().collect(),
    }
}

fn direction_block(out: &mut String, name: &str, side: &DirectionResult, zone_resets: Option<u64>) {
    let (binary, decimal) = bandwidth(side.bw_bytes_s);
    out.push_str(&format!(
        "  {name}: IOPS={}, BW={binary} ({decimal})({}/{}msec)",
        iops(side.iops.max(0.0) as u64),
        bytes_binary(side.io_bytes),
        side.runtime_ms
    ));
    if let Some(resets) = zone_resets {
        out.push_str(&format!("; {resets} zone resets"));
    }
    out.push('\n');
    latency_text::summary(out, "slat", &side.slat);
    latency_text::summary(out, "clat", &side.clat);
    latency_text::summary(out, " lat", &side.lat);
    for prio in &side.prios {
        let kind = if prio.is_total { "lat" } else { "clat" };
        let name = format!("{kind} prio {}/{}", prio.prio_class, prio.prio);
        latency_text::summary(out, &name, &prio.latency);
    }
    latency_text::percentiles(out, "slat", &side.slat.percentiles);
    latency_text::percentiles(out, "clat", &side.clat.percentiles);
    latency_text::percentiles(out, "lat", &side.lat.percentiles);
    samples(out, side);
}

fn samples(out: &mut String, side: &DirectionResult) {
    let bw = &side.bw_samples;
    if bw.samples > 0 {
        // Beyond 1 GiB/s the line counts MiB.
        let large = bw.mean_kib_s > 1024.0 * 1024.0;
        let (unit, scale) = if large { ("MiB", 1024) } else { ("KiB", 1) };
        out.push_str(&format!(
            "   bw ({unit:>5}/s): min={:5}, max={:5}, per={:3.2}%, avg={:5.02}, stdev={:5.02}, \
             samples={}\n",
            bw.min_kib_s / scale,
            bw.max_kib_s / scale,
            bw.agg_percent,
            bw.mean_kib_s / scale as f64,
            bw.dev_kib_s / scale as f64,
            bw.samples
        ));
    }
    let counts = &side.iops_samples;
    if counts.samples > 0 {
        out.push_str(&format!(
            "   iops        : min={:5}, max={:5}, avg={:5.02}, stdev={:5.02}, samples={}\n",
            counts.min, counts.max, counts.mean, counts.stddev, counts.samples
        ));
    }
}

fn bands(out: &mut String, job: &JobResult) {
    use stats::bands::{BELOW_1000_KEYS, MS_KEYS};
    band_lines(out, "nsec", &BELOW_1000_KEYS, &job.latency_bands.ns);
    band_lines(out, "usec", &BELOW_1000_KEYS, &job.latency_bands.us);
    band_lines(out, "msec", &MS_KEYS, &job.latency_bands.ms);
}

/// Up to five bands a line; empty ones are left out.
fn band_lines(out: &mut String, unit: &str, keys: &[&str], shares: &[f64]) {
    let full: Vec<String> = keys
        .iter()
        .zip(shares)
        .filter(|(_, share)| **share > 0.0)
        .map(|(key, share)| format!("{key}={share:3.2}%"))
        .collect();
    for line in full.chunks(5) {
        out.push_str(&format!("  lat ({unit})   : {}\n", line.join(", ")));
    }
}

fn counters(out: &mut String, job: &JobResult) {
    out.push_str(&format!(
        "  cpu          : usr={:3.2}%, sys={:3.2}%, ctx={}, majf={}, minf={}\n",
        job.usr_cpu, job.sys_cpu, job.ctx, job.majf, job.minf
    ));
    use stats::bands::{BATCH_KEYS, LEVEL_KEYS};
    shares(out, "  IO depths    : ", &LEVEL_KEYS, &job.iodepth_level);
    shares(out, "     submit    : ", &BATCH_KEYS, &job.iodepth_submit);
    shares(out, "     complete  : ", &BATCH_KEYS, &job.iodepth_complete);
    let list = |value: fn(&DirectionResult) -> u64| match (job.unified, &job.mixed) {
        // Together, they take the place of reads.
        (Unified::Mixed, Some(mixed)) => format!("{},0,0", value(mixed)),
        _ => Direction::ALL.map(|side| value(job.direction(side)).to_string()).join(","),
    };
    out.push_str(&format!(
        "     issued rwts: total={},{} short={},0 dropped={},0\n",
        list(|side| side.total_ios),
        job.sync.total_ios,
        list(|side| side.short_ios),
        list(|side| side.drop_ios)
    ));
    if let Some(total) = job.total_err {
        let first = job.first_error.unwrap_or(0);
        out.push_str(&format!(
            "     errors    : total={total}, first_error={first}/<{}>\n",
            error_text(first)
        ));
    }
    if job.latency_depth > 0 {
        out.push_str(&format!(
            "     latency   : target={}, window={}, percentile={:.2}%, depth={}\n",
            job.latency_target_us.saturating_mul(1000),
            job.latency_window_us,
            job.latency_percentile,
            job.latency_depth
        ));
    }
}

fn shares(out: &mut String, title: &str, keys: &[&str; 7], shares: &Shares) {
    let list: Vec<String> =
        keys.iter().zip(shares).map(|(key, share)| format!("{key}={share:3.1}%")).collect();
    out.push_str(&format!("{title}{}\n", list.join(", ")));
}

fn steady_state(out: &mut String, state: &SteadyStateResult) {
    let metric = ["iops", "lat"].into_iter().find(|name| state.ss.starts_with(name));
    let kind = if state.ss.contains("slope") { "slope" } else { "mean dev" };
    let (number, percent) = match state.criterion.strip_suffix('%') {
        Some(number) => (number, "%"),
        None => (state.criterion.as_str(), ""),
    };
    // fio shows the second of these 2.4 % too small, as it divides by 1024 and counts thousands.
    let (binary, decimal) = bandwidth(state.bw_mean_bytes_s);
    out.push_str(&format!(
        "  steadystate  : attained={}, bw={binary} ({decimal}), iops={}, \
         {} {kind}={:.3}{percent}\n",
        if state.attained { "yes" } else { "no" },
        number_text::iops(state.iops_mean),
        metric.unwrap_or("bw"),
        number.trim().parse().unwrap_or(0.0_f64),
    ));
}

fn group_block(out: &mut String, group: u64, jobs: &[&JobResult]) {
    out.push_str(&format!("\nRun status group {group} (all jobs):\n"));
    let unified = jobs.first().map_or(Unified::None, |job| job.unified);
    let of = |side: Direction| jobs.iter().map(move |job| job.direction(side));
    let mixed = || jobs.iter().filter_map(|job| job.mixed.as_ref());
    if unified != Unified::Mixed {
        for side in Direction::ALL {
            group_line(out, &side.name().to_uppercase(), of(side));
        }
    }
    if unified != Unified::None {
        group_line(out, "MIXED", mixed());
    }
}

fn group_line<'a>(out: &mut String, name: &str, sides: impl Iterator<Item = &'a DirectionResult>) {
    let sides: Vec<&DirectionResult> = sides.filter(|side| side.runtime_ms > 0).collect();
    let range = |value: fn(&DirectionResult) -> u64| {
        let values = || sides.iter().map(|side| value(side));
        Some((values().min()?, values().max()?))
    };
    let Some((run_min, run_max)) = range(|side| side.runtime_ms) else { return };
    let (bw_min, bw_max) = range(|side| side.bw_bytes_s).unwrap_or_default();
    let bytes = sides.iter().fold(0_u64, |sum, side| sum.saturating_add(side.io_bytes));
    // The group's bandwidth is its bytes over its longest job.
    let total = u128::from(bytes) * 1000 / u128::from(run_max);
    let total = bandwidth(u64::try_from(total).unwrap_or(u64::MAX));
    let (least, most) = (bandwidth(bw_min), bandwidth(bw_max));
    let binary = format!("bw={} ({}), {}-{}", total.0, total.1, least.0, most.0);
    let (io_binary, io_decimal) = (bytes_binary(bytes), bytes_decimal(bytes));
    out.push_str(&format!(
        "{name:>7}: {binary} ({}-{}), io={io_binary} ({io_decimal}), run={run_min}-{run_max}msec\n",
        least.1, most.1
    ));
}

fn disk_line(out: &mut String, disk: &DiskUtil) {
    let indent = if disk.aggregate.is_some() { "    " } else { "  " };
    out.push_str(&format!("{indent}{}: {}", disk.name, disk_counters(&disk.own, "")));
    if let Some(aggregate) = &disk.aggregate {
        out.push_str(&format!(", {}", disk_counters(aggregate, "aggr")));
    }
    out.push('\n');
}

fn disk_counters(counters: &DiskCounters, prefix: &str) -> String {
    format!(
        "{prefix}ios={}/{}, {prefix}merge={}/{}, {prefix}ticks={}/{}, {prefix}in_queue={}, \
         {prefix}util={:3.2}%",
        counters.read_ios,
        counters.write_ios,
        counters.read_merges,
        counters.write_merges,
        counters.read_ticks_ms,
        counters.write_ticks_ms,
        counters.in_queue_ms,
        counters.util_percent
    )
}

/// The usual words for the error numbers that drives cause.
fn error_text(number: i64) -> &'static str {
    match number {
        0 => "Success",
        5 => "Input/output error",
        6 => "No such device or address",
        12 => "Cannot allocate memory",
        19 => "No such device",
        22 => "Invalid argument",
        28 => "No space left on device",
        61 => "No data available",
        62 => "Timer expired",
        84 => "Invalid or incomplete multibyte or wide character",
        121 => "Remote I/O error",
        _ => "Unknown error",
    }
}
