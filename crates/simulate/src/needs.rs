//! How much of a drive must be simulated for a given load.

use super::extents;
use super::replay;
use super::scale::{MARGIN, Room};
use fio::{Diagnostic, Job};
use library::{Accesses, Least};
use metric::Dimension;
use trace::Replays;

/// The least share of the devices at which the regions of the jobs and the traces that they replay
/// fit, 0 to 1; regions that keep their size at a fraction are not asked for more.
///
/// # Errors
/// Jobs that fit at no scale.
pub(super) fn least_share(
    jobs: &[Job],
    rooms: &[Room],
    too_small: &[Least],
    replays: &Replays,
) -> Result<f64, Diagnostic> {
    let real: Vec<u64> = rooms.iter().map(|room| room.real_bytes).collect();
    let unit_bytes = rooms.iter().map(|room| room.unit_bytes).max().unwrap_or(1);
    let extents = extents::place(jobs, &real, unit_bytes)?;
    let mut least = 0.0_f64;
    for (job, regions) in jobs.iter().zip(&extents.regions) {
        for short in too_small.iter().filter(|least| makes(job, least.accesses)) {
            least = least.max(short.share);
        }
        if job.replay.is_some() {
            let touched = replay::touched_bytes(job, replays, &rooms[0])?;
            let share = touched as f64 / rooms[0].real_bytes.max(1) as f64;
            least = least.max((share * MARGIN).min(1.0));
            continue;
        }
        for regions in regions {
            let all = extents::bytes_by_device(regions, rooms.len());
            for region in regions {
                let device = region.device;
                least = least.max(rooms[device].least_share(job, *region, all[device]));
            }
        }
    }
    Ok(least)
}

/// Refuses a job that makes accesses which the system is too small for at its scale.
pub(super) fn enough(job: &Job, least: &[Least]) -> Result<(), Diagnostic> {
    let wanting = least.iter().filter(|least| makes(job, least.accesses));
    let Some(least) = wanting.max_by(|a, b| a.share.total_cmp(&b.share)) else { return Ok(()) };
    let message = format!("job `{}`: {least}", job.name);
    let help = format!(
        "simulate {} or more of it (--scale), or leave --scale out",
        metric::show(Dimension::Bytes, least.bytes)
    );
    Err(Diagnostic::new(&job.place, message).with_help(help))
}

/// A recording may hold accesses of any kind.
fn makes(job: &Job, accesses: Accesses) -> bool {
    let random = job.rw.random || job.replay.is_some();
    match accesses {
        Accesses::Random => random,
        Accesses::RandomWrites => random && (job.rw.write || job.replay.is_some()),
    }
}
