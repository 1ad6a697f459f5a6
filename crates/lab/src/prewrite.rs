//! Hours of a load on a modelled drive, without simulating every second of them.
//!
//! Short timed windows say at what rate the drive writes in its present state; between them the
//! same FTL writes as much as the drive would have in that time, without time. On a drive at a
//! fraction of its capacity a second of a timed window represents a second over the fraction, and
//! volumes shrink with it.

use super::failure::Failure;
use super::load::Load;
use engine::{Stream, index, whole};
use iopath::device::flash::ftl::UnitLedger;
use metric::Pattern;
use simulate::{HostCost, Rig, RunOptions, Simulated};
use stats::{JobResult, StretchFlash, Timeline};

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
    /// All of it over time: each window with the time that it represents.
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
) -> Result<Done, Failure> {
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
) -> Result<Done, Failure> {
    let load = &load.on_devices(rig.devices().len());
    let before = rig.ledger();
    let stream = Stream::new(seed, "prewrite");
    let mut writing =
        Writing { rig, scale, load, host: host.host, stream, cursor: 0, done: Done::default() };
    let part = seconds / f64::from(parts.max(1));
    let mut window = WINDOW_US;
    // Windows take half of the time at most.
    let longest = whole(part * scale * 1e6 / 4.0);
    while writing.done.seconds < seconds {
        let began = writing.done.seconds;
        let seen = writing.window(window)?;
        if seen.short && 2 * window <= longest {
            window *= 2;
            writing.count(&seen, began);
        } else {
            let rest = part.min(seconds - writing.done.seconds).max(0.0);
            writing.go_on(&seen, began, rest);
        }
    }
    Ok(writing.over(before))
}

/// Writes that are made together without time.
const BATCH: usize = 256;

/// A load that is kept up, now with time and now without.
struct Writing<'a> {
    rig: &'a mut Rig,
    scale: f64,
    load: &'a Load,
    host: HostCost,
    /// Places of the writes without time.
    stream: Stream,
    /// The last block that was written in order.
    cursor: u64,
    done: Done,
}

/// What a timed window showed.
struct Window {
    simulated: Simulated,
    /// It wrote so little that the drive lived on space that nobody had to pay for.
    short: bool,
}

impl Window {
    fn write_bytes(&self) -> u64 {
        self.job().write().io_bytes
    }

    fn read_bytes(&self) -> u64 {
        self.job().read().io_bytes
    }

    /// All devices report as one group.
    fn job(&self) -> &JobResult {
        &self.simulated.run.jobs[0]
    }

    fn per_s(&self, bytes: u64) -> f64 {
        bytes as f64 / self.simulated.measured_s.max(1e-9)
    }
}

impl Writing<'_> {
    /// A ramp and a window of so many microseconds each, with time.
    fn window(&mut self, us: u64) -> Result<Window, Failure> {
        let file = self.load.parse(us, us)?;
        let filled = self.rig.ledger().total();
        let shrink = self.load.span.is_some();
        let mut options = RunOptions { host: self.host, shrink, ..Default::default() };
        let simulated = self.rig.run(&file, &mut options)?;
        if let Some(broken) = simulated.broken() {
            return Err(Failure::failed(broken));
        }
        self.done.seconds += 2.0 * us as f64 / 1e6 / self.scale;
        let stripes = self.rig.drives().map(|drive| drive.ftl().layout().stripe_data_units());
        let stripes: u64 = stripes.map(u64::from).sum();
        let few = self.rig.ledger().total() - filled < LEAST_STRIPES * stripes;
        let short = few && simulated.run.jobs[0].write().total_ios > 0;
        Ok(Window { simulated, short })
    }

    /// Counts a window and its ramp as they were: its time counts, not the rate measured in it.
    fn count(&mut self, seen: &Window, began: f64) {
        self.done.write_bytes += seen.write_bytes() as f64 * 2.0 / self.scale;
        self.done.read_bytes += seen.read_bytes() as f64 * 2.0 / self.scale;
        self.add_window(&seen.simulated, self.done.seconds - began);
    }

    /// Lets the drive do for `rest` seconds, without time, what it did in a window.
    fn go_on(&mut self, seen: &Window, began: f64, rest: f64) {
        let bytes_per_s = seen.per_s(seen.write_bytes());
        self.rig.skip_time(rest);
        self.done.seconds += rest;
        let stands_for = self.done.seconds - began;
        self.done.write_bytes += bytes_per_s * stands_for;
        self.done.read_bytes += seen.per_s(seen.read_bytes()) * stands_for;
        self.write_untimed(whole(bytes_per_s * rest * self.scale));
        self.add_window(&seen.simulated, stands_for);
    }

    /// Writes so many bytes without time. The load runs on every device, and each writes its part.
    fn write_untimed(&mut self, bytes: u64) {
        let unit = self.rig.unit_bytes();
        let block = self.load.block.max(unit) / unit * unit;
        let devices = self.rig.devices().len().max(1) as u64;
        let places = self.spanned(block) / block;
        let mut batch = Vec::with_capacity(BATCH);
        for number in 0..bytes / block {
            let device = index(number % devices);
            let place = match self.load.pattern {
                Pattern::Random => self.stream.below(places),
                Pattern::Sequential => {
                    self.cursor = (self.cursor + u64::from(device == 0)) % places;
                    self.cursor
                }
            };
            batch.push((device, place * block));
            if batch.len() == BATCH {
                self.rig.write_all_untimed(&batch, block);
                batch.clear();
            }
        }
        self.rig.write_all_untimed(&batch, block);
    }

    /// Simulated bytes of each device that the load addresses: a block at least.
    fn spanned(&self, block: u64) -> u64 {
        let least = self.rig.devices().iter().copied().min().unwrap_or(0);
        let simulated = |bytes: u64| whole(bytes as f64 * self.scale);
        let capacity = simulated(least);
        self.load.span.map_or(capacity, simulated).clamp(block, capacity)
    }

    /// Adds what a window showed for the time that it represents, s, with the levels after it.
    fn add_window(&mut self, window: &Simulated, stands_for: f64) {
        let Some(seen) = window.timeline.total().filter(|seen| seen.seconds > 0.0) else { return };
        let mut stretch = seen.scaled(stands_for / seen.seconds, 1.0);
        if let Some(flash) = stretch.flash {
            let (now, level) = (self.rig.flash_totals(), 1.0 / self.scale);
            stretch.flash = Some(StretchFlash {
                slc_used_bytes: now.slc_used as f64 * level,
                slc_room_bytes: now.slc_room as f64 * level,
                mapped: now.mapped_share(),
                ..flash
            });
        }
        self.done.line.push(stretch);
    }

    /// What was done since the ledger said `before`.
    fn over(self, before: UnitLedger) -> Done {
        let after = self.rig.ledger();
        let host = (after.accepted - before.accepted).max(1) as f64;
        let mut done = self.done;
        done.flash_bytes = done.write_bytes * (after.total() - before.total()) as f64 / host;
        done
    }
}
