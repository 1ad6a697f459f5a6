//! Hours of a load on a modelled drive, without simulating every second of them.
//!
//! Short timed windows say at what rate the drive writes in its present state; between them the
//! same FTL writes as much as the drive would have in that time, without time. On a drive at a
//! fraction of its capacity a second of a timed window stands for a second over the fraction, and
//! volumes shrink with it.

use super::load::Load;
use engine::Stream;
use fio::Diagnostic;
use metric::Pattern;
use simulate::{Rig, RunOptions, Simulated};
use stats::{StretchFlash, Timeline};

/// Parts into which the time is cut; the rate is measured again in each.
const PARTS: u32 = 48;
/// Length of a timed window and of its ramp at first, in microseconds of simulated time.
const WINDOW_US: u64 = 60_000;
/// Stripes that a window and its ramp fill at least: between two of them the fast path leaves up to
/// a stripe of space that nobody has to pay for, and a slow drive would live on that.
const LEAST_STRIPES: u64 = 6;

/// What was done, in bytes and seconds of the real drive.
#[derive(Clone, Debug, Default)]
pub(super) struct Done {
    /// Bytes read by the host.
    pub read_bytes: f64,
    /// Bytes written by the host.
    pub write_bytes: f64,
    /// Bytes programmed: those written, times the write amplification of everything that was
    /// written, with time and without.
    pub flash_bytes: f64,
    /// Time.
    pub seconds: f64,
    /// All of it over time: each window with what it stands for.
    pub line: Timeline,
}

/// Keeps up a load for `seconds` of the real drive's time. `scale` is simulated over real
/// capacity.
pub(super) fn load_for(
    rig: &mut Rig,
    scale: f64,
    seconds: f64,
    load: &Load,
    seed: u64,
    host: RunOptions<'_>,
) -> Result<Done, Diagnostic> {
    load_in_parts(rig, scale, seconds, PARTS, load, seed, host)
}

/// The same with the rate measured anew in each of `parts`.
pub(super) fn load_in_parts(
    rig: &mut Rig,
    scale: f64,
    seconds: f64,
    parts: u32,
    load: &Load,
    seed: u64,
    host: RunOptions<'_>,
) -> Result<Done, Diagnostic> {
    let mut stream = Stream::new(seed, "prewrite");
    let mut cursor = 0u64;
    let mut done = Done::default();
    let part = seconds / f64::from(parts.max(1));
    let before = rig.ledger();
    let mut window = WINDOW_US;
    let load = &load.on_devices(rig.devices().len());
    // Windows take half of the time at most.
    let longest = (part * scale * 1e6 / 4.0) as u64;
    while done.seconds < seconds {
        let file = load.parse(window, window)?;
        let filled = rig.ledger().total();
        let shrink = load.span.is_some();
        let mut options =
            RunOptions { host: host.host, audit: false, shrink, ..Default::default() };
        let simulated = rig.run(&file, &mut options)?;
        let began = done.seconds;
        done.seconds += 2.0 * window as f64 / 1e6 / scale;
        let per_s = |bytes: u64| bytes as f64 / simulated.measured_s.max(1e-9);
        let job = &simulated.run.jobs[0]; // All devices report as one group.
        let stripes = rig.drives().map(|drive| drive.ftl().layout().stripe_data_units());
        let stripes: u64 = stripes.map(u64::from).sum();
        let short = rig.ledger().total() - filled < LEAST_STRIPES * stripes;
        let writes = job.write().total_ios > 0;
        if short && writes && 2 * window <= longest {
            // The time counts, but not what was measured in it.
            window *= 2;
            done.write_bytes += job.write().io_bytes as f64 * 2.0 / scale;
            done.read_bytes += job.read().io_bytes as f64 * 2.0 / scale;
            let stands_for = done.seconds - began;
            add_window(&mut done.line, &simulated, stands_for, rig, scale);
            continue;
        }
        let bytes_per_s = per_s(job.write().io_bytes);
        let rest = part.min(seconds - done.seconds).max(0.0);
        rig.skip_time(rest);
        done.seconds += rest;
        let stands_for = done.seconds - began;
        done.write_bytes += bytes_per_s * stands_for;
        done.read_bytes += per_s(job.read().io_bytes) * stands_for;
        let unit = rig.unit_bytes();
        let block = load.block.max(unit) / unit * unit;
        let blocks = (bytes_per_s * rest * scale) as u64 / block;
        // The load runs on every device, and each writes its part.
        let devices = rig.devices().len().max(1);
        let least = rig.devices().iter().copied().min().unwrap_or(0);
        let capacity = (least as f64 * scale) as u64;
        let spanned = load.span.map_or(capacity, |span| (span as f64 * scale) as u64);
        let places = spanned.clamp(block, capacity) / block;
        for number in 0..blocks {
            let device = (number % devices as u64) as usize;
            let place = match load.pattern {
                Pattern::Random => stream.below(places),
                Pattern::Sequential => {
                    cursor = (cursor + u64::from(device == 0)) % places;
                    cursor
                }
            };
            rig.write_untimed(device, place * block, block);
        }
        add_window(&mut done.line, &simulated, stands_for, rig, scale);
    }
    let after = rig.ledger();
    let host = (after.accepted - before.accepted).max(1) as f64;
    done.flash_bytes = done.write_bytes * (after.total() - before.total()) as f64 / host;
    Ok(done)
}

/// Adds what a window showed for the time that it stands for, s, with the levels after it.
fn add_window(line: &mut Timeline, window: &Simulated, stands_for: f64, rig: &Rig, scale: f64) {
    let Some(seen) = window.timeline.total().filter(|seen| seen.seconds > 0.0) else { return };
    let mut stretch = seen.scaled(stands_for / seen.seconds, 1.0);
    if let (Some(flash), Some(now)) = (stretch.flash, rig.levels()) {
        let level = 1.0 / scale;
        stretch.flash = Some(StretchFlash {
            slc_used_bytes: now.slc_used as f64 * level,
            slc_room_bytes: now.slc_room as f64 * level,
            mapped: now.mapped,
            ..flash
        });
    }
    line.push(stretch);
}
