//! Physical sense of a run: warnings at its end about values that no drive could reach and about
//! numbers that mean less than they seem to, with the values.

use super::checks::Meter;
use super::warn::warning;
use fio::Job;
use iopath::device::flash::config::DriveConfig;
use stats::{Direction, JobResult, Warning, histogram};

/// A mean so far above a limit is above it.
const ABOVE: f64 = 1.02;
/// What a cache owes counts from this share of what was written on.
const OWED: f64 = 0.01;

/// Drives that draw more than the maker states as most, or than their power state allows.
pub(super) fn power(from: &Meter, to: &Meter, drives: &[&DriveConfig], of: &str) -> Vec<Warning> {
    let window_ps = to.at_ps.saturating_sub(from.at_ps) as f64;
    let mut warnings: Vec<Warning> = Vec::new();
    if window_ps <= 0.0 {
        return warnings;
    }
    for (i, config) in drives.iter().enumerate() {
        let (from, to) = (&from.drives[i], &to.drives[i]);
        // Picojoules over picoseconds are watts, limits are in microwatts.
        let watts = to.energy_pj.saturating_sub(from.energy_pj) as f64 / window_ps;
        let limit = |limit: Option<engine::Power>| limit.map(|limit| limit.base() as f64 / 1e6);
        let known = [
            (limit(config.power.cap), "its power state allows"),
            (limit(config.power.rated), "its maker states as most"),
        ];
        let most = known.into_iter().find_map(|(limit, what)| Some((limit?, what)));
        let Some((limit, what)) = most.filter(|(limit, _)| watts > ABOVE * limit) else { continue };
        if warnings.iter().any(|known| known.concerns == config.name) {
            continue;
        }
        let message = format!(
            "{of}: {} draws {watts:.1} W, more than the {limit:.1} W that {what}: nothing holds it \
             back, and a real drive may be slower here, or its energies ([power]) are too high",
            config.name
        );
        warnings.push(warning("power", config.name.clone(), message));
    }
    warnings
}

/// Writes that SLC caches have taken and that are still to be folded: the write amplification does
/// not have them yet.
pub(super) fn owed(from: &Meter, to: &Meter) -> Option<Warning> {
    let sum = |meter: &Meter| meter.drives.iter().map(|drive| drive.slc_bytes).sum::<u64>();
    let host = (to.host_bytes - from.host_bytes) as f64;
    // Blocks of the cache count whole: no more than what was written is in them.
    let owed = (sum(to).saturating_sub(sum(from)) as f64).min(host);
    if host <= 0.0 || owed < OWED * host {
        return None;
    }
    let flash = (to.flash_bytes - from.flash_bytes) as f64;
    let message = format!(
        "the write amplification of {:.3} leaves out what lies in the SLC cache and is still to be \
         folded, up to {:.0} % of what was written: with that it is {:.2}",
        flash / host,
        100.0 * owed / host,
        (flash + owed) / host
    );
    Some(warning("folding-owed", "slc", message))
}

/// Percentiles that are in the last bucket of the histogram: they are at least what they say.
pub(super) fn clipped(job: &Job, result: &JobResult) -> Vec<Warning> {
    let end_ns = histogram::lower_ns(histogram::BUCKETS - 1);
    let mut warnings = Vec::new();
    for direction in Direction::ALL {
        let clat = &result.direction(direction).clat;
        let Some(counts) = clat.histogram.as_ref().filter(|_| clat.max_ns > end_ns) else {
            continue;
        };
        let list = &job.latencies.percentile_list;
        let beyond = |percent: &&f64| {
            counts.percentile_index(**percent).is_some_and(|at| at + 1 == histogram::BUCKETS)
        };
        let names: Vec<String> = list.iter().filter(beyond).map(|p| format!("{p}")).collect();
        if names.is_empty() {
            continue;
        }
        let message = format!(
            "job `{}`: the percentiles {} of its {}s lie at the end of fio's histogram: they are \
             {:.2} s at least (mean {:.2} s, longest {:.2} s)",
            job.name,
            names.join(", "),
            direction.name(),
            end_ns as f64 / 1e9,
            clat.mean_ns / 1e9,
            clat.max_ns as f64 / 1e9
        );
        warnings.push(warning("clipped", job.name.clone(), message));
    }
    warnings
}
