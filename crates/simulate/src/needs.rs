//! How much of a drive must be simulated for a given load.

use super::extents;
use super::replay;
use super::scale::{MARGIN, Room};
use fio::{Diagnostic, Job};
use trace::Replays;

/// The least share of the devices at which the regions of the jobs and the traces that they replay
/// fit, 0 to 1; regions that keep their size at a fraction are not asked for more.
///
/// # Errors
/// Jobs that fit at no scale.
pub(super) fn least_share(
    jobs: &[Job],
    rooms: &[Room],
    replays: &Replays,
) -> Result<f64, Diagnostic> {
    let real: Vec<u64> = rooms.iter().map(|room| room.real_bytes).collect();
    let unit_bytes = rooms.iter().map(|room| room.unit_bytes).max().unwrap_or(1);
    let extents = extents::place(jobs, &real, unit_bytes)?;
    let mut least = 0.0_f64;
    for (job, regions) in jobs.iter().zip(&extents.regions) {
        if job.replay.is_some() {
            let touched = replay::touched_bytes(job, replays, &rooms[0])?;
            let share = touched as f64 / rooms[0].real_bytes.max(1) as f64;
            least = least.max((share * MARGIN).min(1.0));
            continue;
        }
        for region in regions {
            least = least.max(rooms[region.device].least_share(job, *region));
        }
    }
    Ok(least)
}
