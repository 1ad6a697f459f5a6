//! fio's report of what was counted.

use super::checks::Meter;
use super::observe::{Observer, ThreadTally};
use super::search;
use super::sense;
use super::simulated::{Series, Simulated};
use super::steady::Watch;
use super::tally::{DirectionTally, EntryTally};
use super::translate::{Entry, Plan, Planned};
use super::warn::{push_once, warning};
use fio::workload::Latencies;
use fio::{Job, JobFile};
use stats::result::{TIMELINE_MOST, Unified};
use stats::{
    Checks, Direction, DirectionResult, Histogram, JobResult, LatencyBands, LatencyResult,
    LatencyTally, Limit, LittleCheck, Moments, PercentileKinds, RunResult, SyncResult, Timeline,
    Warning, bands, enough_samples,
};

/// The version of fio whose report is imitated.
const VERSION: &str = "fio-3.33";
/// What fio calls an error of the medium (EIO).
const MEDIUM_ERROR: i64 = 5;

/// What a run adds up besides the I/Os themselves.
#[derive(Default)]
pub(super) struct Totals {
    /// Laws.
    pub checks: Checks,
    /// What limits each phase.
    pub limits: Vec<Limit>,
    /// Little's law of each phase.
    pub little: Vec<LittleCheck>,
    /// Watches for a steady state.
    pub watches: Vec<Watch>,
    /// What happened on the way.
    pub warnings: Vec<Warning>,
    /// Measured time of all phases, ps.
    pub measured_ps: u64,
    /// When the run began, ps.
    pub run_start_ps: u64,
    /// Events.
    pub events: u64,
    /// The budget ended a phase.
    pub ended_early: bool,
    /// The run over time.
    pub timeline: Timeline,
    /// One flash drive is all there is.
    pub single: bool,
    flash_bytes: u64,
    energy_pj: u128,
    powered_ps: u64,
    host_bytes: u64,
    read_retries: u64,
    lost_pages: u64,
}

impl Totals {
    /// Adds what happened between two readings.
    pub(super) fn add_meters(&mut self, from: &Meter, to: &Meter) {
        self.energy_pj += to.energy_pj - from.energy_pj;
        self.powered_ps += to.at_ps - from.at_ps;
        self.flash_bytes += to.flash_bytes - from.flash_bytes;
        self.host_bytes += to.host_bytes - from.host_bytes;
        self.read_retries += to.nand.retries - from.nand.retries;
        self.lost_pages += to.nand.lost - from.nand.lost;
    }

    /// The run over time, as short as a report holds it; `None` if nothing was sampled.
    fn thinned_timeline(&self) -> Option<stats::Series> {
        let mut timeline = self.timeline.clone();
        timeline.thin(TIMELINE_MOST);
        (!timeline.is_empty()).then(|| timeline.series("timeline"))
    }

    /// Mean power over the measured time, W.
    fn mean_power_w(&self) -> f64 {
        let seconds = self.powered_ps as f64 / 1e12;
        let joules = self.energy_pj as f64 / 1e12;
        if seconds > 0.0 { joules / seconds } else { 0.0 }
    }
}

/// The outcome of a run.
pub(super) fn assemble(
    file: &JobFile,
    mut plan: Plan,
    mut observer: Observer,
    mut totals: Totals,
) -> Simulated {
    let mut run = RunResult {
        fio_version: VERSION.to_owned(),
        timeline: totals.thinned_timeline(),
        global_options: file.global_options.clone(),
        ..RunResult::default()
    };
    let mut warnings = warnings(&mut plan, &mut totals);
    let mut series = Vec::new();
    for index in 0..plan.entries.len() {
        let job = &file.jobs[plan.entries[index].job];
        let result = seen(job, index, &plan, &mut observer, &totals);
        warnings.extend(search::unfinished(job, &threads_of(&plan, &observer.threads, index)));
        few_samples(job, &result, &mut warnings);
        judge(job, &result, &mut warnings);
        warnings.extend(sense::clipped(job, &result));
        let windows = observer.entries[index].series();
        series.push(Series { name: job.name.clone(), entry: index, windows });
        run.jobs.push(result);
    }
    group_shares(&mut run);
    add_logs(&mut run, &plan, &mut observer);
    let write_amplification = amplification(&run, &totals);
    Simulated {
        run,
        mean_power_w: totals.mean_power_w(),
        checks: totals.checks,
        warnings,
        limits: totals.limits,
        write_amplification,
        read_retries: totals.read_retries,
        lost_pages: totals.lost_pages,
        heat: None,
        series,
        timeline: totals.timeline,
        measured_s: totals.measured_ps as f64 / 1e12,
        busy_s: observer.busy_ps as f64 / 1e12,
        events: totals.events,
        ios: observer.ios,
        ended_early: totals.ended_early,
    }
}

/// What the plan, the run, the flash and the recordings have to say.
fn warnings(plan: &mut Plan, totals: &mut Totals) -> Vec<Warning> {
    let mut warnings = std::mem::take(&mut plan.warnings);
    warnings.append(&mut totals.warnings);
    if totals.lost_pages > 0 {
        let message = format!(
            "{} pages of the flash could not be read: its cells are too old, and nothing is known \
             of what they held",
            totals.lost_pages
        );
        warnings.push(warning("pages-lost", "cells", message));
    }
    let replays = plan.threads.iter().filter_map(|planned| planned.spec.replay.as_deref());
    for complaint in replays.filter_map(|replay| replay.recording.complaint()) {
        push_once(&mut warnings, warning("trace-changed", "read_iolog", complaint));
    }
    warnings
}

/// What was seen of the threads of an entry of the report.
fn threads_of<'a>(plan: &Plan, seen: &'a [ThreadTally], index: usize) -> Vec<&'a ThreadTally> {
    let threads = plan.threads.iter().zip(seen);
    threads.filter(|(planned, _)| planned.entry == index).map(|(_, seen)| seen).collect()
}

/// What was seen of an entry of the report, with its steady state and its batches.
fn seen(
    job: &Job,
    index: usize,
    plan: &Plan,
    observer: &mut Observer,
    totals: &Totals,
) -> JobResult {
    let tally = &mut observer.entries[index];
    let origin_ps = tally.origin_ps.unwrap_or(0);
    let threads = threads_of(plan, &observer.threads, index);
    let end_ps = threads.iter().filter_map(|t| t.ended_ps).max().unwrap_or(origin_ps);
    tally.finish(end_ps.max(origin_ps));
    let entry = &plan.entries[index];
    let mut result = entry_result(job, entry, tally, &threads, totals.run_start_ps);
    result.steadystate =
        totals.watches.iter().find(|watch| watch.entry == index).map(Watch::result);
    let own = plan.threads.iter().filter(|planned| planned.entry == index);
    let depths: Vec<&Planned> = own.collect();
    batches(&mut result, &depths);
    result
}

/// Gives each entry the logs of its threads.
fn add_logs(run: &mut RunResult, plan: &Plan, observer: &mut Observer) {
    for (planned, thread) in plan.threads.iter().zip(&mut observer.threads) {
        let Some(log) = thread.log.take() else { continue };
        let (logs, hist) = log.finish(thread.ended_ps.unwrap_or(0));
        run.jobs[planned.entry].logs.extend(logs);
        run.jobs[planned.entry].hist_logs.extend(hist);
    }
}

/// Of one drive what its flash took over what the host gave it. Of a system what all flash took
/// over what the jobs wrote: parity, mirrors and cached copies count too.
fn amplification(run: &RunResult, totals: &Totals) -> Option<f64> {
    let written: u64 = match totals.single {
        true => totals.host_bytes,
        false => run.jobs.iter().map(|job| job.write().io_bytes).sum(),
    };
    (written > 0 && totals.flash_bytes > 0).then(|| totals.flash_bytes as f64 / written as f64)
}

fn entry_result(
    job: &Job,
    entry: &Entry,
    tally: &EntryTally,
    threads: &[&ThreadTally],
    run_start_ps: u64,
) -> JobResult {
    let window_ps =
        |thread: &&ThreadTally| thread.ended_ps.unwrap_or(0).saturating_sub(thread.open_ps);
    // A group takes as long as the longest of its threads, as in fio.
    let longest_ps = threads.iter().map(window_ps).max().unwrap_or(0);
    let end_ps = threads.iter().filter_map(|thread| thread.ended_ps).max().unwrap_or(0);
    let mut result = JobResult {
        jobname: job.name.clone(),
        groupid: u64::from(job.group_id),
        numjobs: entry.threads,
        error: if tally.errors > 0 { MEDIUM_ERROR } else { 0 },
        total_err: (tally.errors > 0).then_some(tally.errors),
        elapsed_s: end_ps.saturating_sub(run_start_ps).div_ceil(1_000_000_000_000),
        desc: job.description.clone(),
        job_options: job.options.clone(),
        unified: job.unified,
        job_runtime_ms: threads.iter().map(|thread| ms(window_ps(thread))).sum(),
        latency_depth: u64::from(search::depth(threads).unwrap_or(job.iodepth)),
        latency_target_us: job.latency_target.map_or(0, |asked| asked.target_us),
        latency_window_us: job.latency_target.map_or(0, |asked| asked.window_us),
        latency_percentile: job.latency_target.map_or(100.0, |asked| asked.percentile),
        percentile_list: job.latencies.percentile_list.clone(),
        percentile_kinds: PercentileKinds {
            slat: job.latencies.slat_percentiles,
            clat: job.latencies.clat_percentiles,
            lat: job.latencies.lat_percentiles,
        },
        ..JobResult::default()
    };
    for direction in Direction::ALL {
        let counted = &tally.directions[direction.index()];
        if counted.clat.moments.n > 0 {
            let filled = direction_result(counted, longest_ps, &job.latencies);
            *result.direction_mut(direction) = filled;
            samples(result.direction_mut(direction), tally, direction);
        }
    }
    if job.unified != Unified::None {
        let all = &merged(&tally.directions);
        result.mixed = Some(direction_result(all, longest_ps, &job.latencies));
    }
    result.sync = SyncResult {
        total_ios: tally.sync.moments.n,
        lat: LatencyResult::from_tally(&tally.sync, &job.latencies.percentile_list),
    };
    result.iodepth_level = bands::depth_shares(&tally.levels, tally.levels.iter().sum());
    let mut all = Histogram::new();
    tally.directions.iter().for_each(|counted| all.merge(&counted.clat.histogram));
    result.latency_bands = LatencyBands::from_histogram(&all, all.count());
    result
}

/// fio rounds run times up to whole milliseconds.
fn ms(ps: u64) -> u64 {
    ps.div_ceil(1_000_000_000)
}

fn direction_result(
    counted: &DirectionTally,
    window_ps: u64,
    latencies: &Latencies,
) -> DirectionResult {
    let ios = counted.clat.moments.n;
    let mut result = DirectionResult {
        io_bytes: counted.bytes,
        total_ios: ios,
        runtime_ms: ms(window_ps),
        ..DirectionResult::default()
    };
    // Rates come from the window itself: in a short one a whole millisecond is a visible error.
    if window_ps > 0 {
        let bytes = u128::from(counted.bytes) * 1_000_000_000_000 / u128::from(window_ps);
        result.bw_bytes_s = u64::try_from(bytes).unwrap_or(u64::MAX);
        result.iops = ios as f64 / (window_ps as f64 / 1e12);
    }
    let percents = |asked: bool| match asked {
        true => latencies.percentile_list.as_slice(),
        false => &[],
    };
    if !latencies.disable_clat {
        let asked = percents(latencies.clat_percentiles);
        result.clat = LatencyResult::from_tally(&counted.clat, asked);
    }
    let host_costs = counted.lat.n > 0;
    if !latencies.disable_lat {
        let moments = if host_costs { counted.lat } else { counted.clat.moments };
        result.lat = other_latency(moments, &counted.lat_histogram, latencies);
    }
    if !latencies.disable_slat {
        let moments = if host_costs { counted.slat } else { zeros(ios) };
        result.slat = other_latency(moments, &counted.slat_histogram, latencies);
    }
    result
}

/// A latency whose distribution is counted only if it is asked for.
fn other_latency(
    moments: Moments,
    histogram: &Option<Histogram>,
    latencies: &Latencies,
) -> LatencyResult {
    match histogram {
        None => LatencyResult::from_moments(&moments),
        Some(histogram) => {
            let tally = LatencyTally { moments, histogram: histogram.clone() };
            LatencyResult::from_tally(&tally, &latencies.percentile_list)
        }
    }
}

/// The moments of `n` zeros.
fn zeros(n: u64) -> Moments {
    if n == 0 { Moments::new() } else { Moments { n, sum: 0, sum_squares: 0, min: 0, max: 0 } }
}

fn merged(directions: &[DirectionTally; 3]) -> DirectionTally {
    let mut all = DirectionTally {
        bytes: 0,
        clat: LatencyTally::new(),
        slat: Moments::new(),
        lat: Moments::new(),
        slat_histogram: None,
        lat_histogram: None,
    };
    for one in directions {
        all.bytes += one.bytes;
        all.clat.merge(&one.clat);
        all.slat.merge(&one.slat);
        all.lat.merge(&one.lat);
        let pairs = [
            (&mut all.slat_histogram, &one.slat_histogram),
            (&mut all.lat_histogram, &one.lat_histogram),
        ];
        for (into, from) in pairs {
            if let Some(from) = from {
                into.get_or_insert_with(Histogram::new).merge(from);
            }
        }
    }
    all
}

fn samples(result: &mut DirectionResult, tally: &EntryTally, direction: Direction) {
    result.bw_samples = tally.samples.bandwidth_samples(direction, result.bw_bytes_s);
    let windows = tally.iops_samples.as_ref().unwrap_or(&tally.samples);
    result.iops_samples = windows.iops_samples(direction);
}

/// What each entry has of its group's bandwidth.
fn group_shares(run: &mut RunResult) {
    for direction in Direction::ALL {
        let rates: Vec<(u64, u64)> =
            run.jobs.iter().map(|job| (job.groupid, job.direction(direction).bw_bytes_s)).collect();
        for job in &mut run.jobs {
            let of_group = rates.iter().filter(|(group, _)| *group == job.groupid);
            let group_bytes_s: u64 = of_group.map(|(_, rate)| rate).sum();
            let samples = &mut job.direction_mut(direction).bw_samples;
            if group_bytes_s > 0 {
                let share = 100.0 * samples.mean_kib_s * 1024.0 / group_bytes_s as f64;
                samples.agg_percent = share.min(100.0);
            }
        }
    }
}

/// I/Os a submission and a completion, by the threads' batches: the model has no system calls.
fn batches(result: &mut JobResult, threads: &[&Planned]) {
    let mut counts = [0; 7];
    for thread in threads {
        let batch = thread.spec.depth - thread.spec.refill_below;
        counts[bands::batch_index(u64::from(batch))] += 1;
    }
    if result.total_ios() > 0 {
        result.iodepth_submit = bands::depth_shares(&counts, threads.len() as u64);
        result.iodepth_complete = result.iodepth_submit;
    }
}

/// Warns of percentiles that hang on a few I/Os.
fn few_samples(job: &Job, result: &JobResult, warnings: &mut Vec<Warning>) {
    let latencies = &job.latencies;
    let shown =
        latencies.clat_percentiles || latencies.lat_percentiles || latencies.slat_percentiles;
    for direction in Direction::ALL {
        let n = result.direction(direction).total_ios;
        let few: Vec<String> = latencies
            .percentile_list
            .iter()
            .filter(|percent| !enough_samples(**percent, n))
            .map(|percent| format!("{percent}"))
            .collect();
        if n == 0 || few.is_empty() || !shown {
            continue;
        }
        let message = format!(
            "job `{}`: {n} {}s are too few for the percentiles {}: fewer than ten lie beyond",
            job.name,
            direction.name(),
            few.join(", ")
        );
        push_once(warnings, warning("few-samples", job.name.clone(), message));
    }
}

/// Warns where a real fio would have ended the job with an error.
fn judge(job: &Job, result: &JobResult, warnings: &mut Vec<Warning>) {
    for direction in Direction::ALL {
        let i = direction.index();
        let seen = result.direction(direction);
        if seen.total_ios == 0 {
            continue;
        }
        let slow = job.rate_min[i].is_some_and(|min| seen.bw_bytes_s < min)
            || job.rate_iops_min[i].is_some_and(|min| seen.iops < min as f64);
        let late = job.max_latency_us[i].filter(|us| seen.lat.max_ns > us.saturating_mul(1000));
        if slow {
            let message =
                format!("job `{}`: {}s stayed below the least rate", job.name, direction.name());
            push_once(warnings, warning("below-rate-min", job.name.clone(), message));
        }
        if let Some(us) = late {
            let message = format!(
                "job `{}`: {}s took up to {} ns, more than max_latency of {us} us; fio would have \
                 ended the job",
                job.name,
                direction.name(),
                seen.lat.max_ns
            );
            push_once(warnings, warning("above-max-latency", job.name.clone(), message));
        }
    }
}
