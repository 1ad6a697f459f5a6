//! What becomes of a job's region on a drive that is simulated at a fraction of its capacity.
//!
//! Small regions keep their true size, because what they measure (a cache, a hot spot) depends
//! on it. Large ones shrink with the drive, because what they measure (collection) depends on
//! the share of the drive that they cover.

use super::extents::{Extents, Region};
use super::warn::warning;
use engine::saturated;
use fio::{Diagnostic, Job};
use stats::Warning;

/// A device that a job file is resolved against.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// Capacity of the device that the model represents, bytes.
    pub real_bytes: u64,
    /// Capacity of all drives, of which a scale in bytes is a part, bytes.
    pub drive_bytes: u64,
    /// Capacity that is simulated, bytes.
    pub simulated_bytes: u64,
    /// A mapping unit, bytes.
    pub unit_bytes: u64,
    /// The write buffers of the drives below it, bytes.
    pub buffer_bytes: u64,
    /// Data in a stripe of the array below it, bytes; 1 without an array.
    pub stripe_bytes: u64,
}

/// Least size of a scaled region that is written at random, in write buffers: in a smaller one too
/// many writes would meet their own place in the buffer.
const LEAST_BUFFERS: u64 = 100;
/// The same of a region that is written in order: a pass must be out of the buffer before the next.
const LEAST_BUFFERS_IN_ORDER: u64 = 4;
/// Regions that have many of these keep their place within one, bytes.
const COARSE: u64 = 1 << 20;
/// How many are many.
const MANY: u64 = 64;

/// What rounding to superblocks may take from a share.
pub(super) const MARGIN: f64 = 1.03;

impl Room {
    /// Bytes that a region of a job must have at least when it shrinks.
    fn least_bytes(&self, job: &Job) -> u64 {
        least_buffers(job).saturating_mul(self.buffer_bytes).max(job.max_block_bytes())
    }

    /// What a region of this size keeps its place within: whole MiB and stripes if it has many of
    /// them.
    fn coarse(&self, span: u64) -> u64 {
        let stripes = COARSE / common(COARSE, self.stripe_bytes) * self.stripe_bytes;
        let fitting = [stripes, COARSE].into_iter().find(|bytes| span / MANY >= *bytes);
        fitting.unwrap_or(self.unit_bytes)
    }

    /// The least share of the device at which a region of a job is large enough, which works on
    /// `all` bytes of it; at 1 every region keeps its size.
    pub(super) fn least_share(&self, job: &Job, region: Region, all: u64) -> f64 {
        let of = |least: u64, bytes: u64| least as f64 / bytes.max(1) as f64 * MARGIN;
        let block = of(job.max_block_bytes(), region.span);
        block.max(of(self.least_bytes(job), all)).min(1.0)
    }
}

/// The greatest number that divides both.
fn common(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common(b, a % b) }
}

/// Write buffers that a region of a job must hold at least when it shrinks.
fn least_buffers(job: &Job) -> u64 {
    match (job.rw.write || job.rw.trim, job.rw.random) {
        (true, true) => LEAST_BUFFERS,
        (true, false) => LEAST_BUFFERS_IN_ORDER,
        (false, _) => 0,
    }
}

/// How addresses and volumes of a real device become those of the simulated one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    room: Room,
    /// Regions shrink with the drive.
    pub shrinks: bool,
    /// What the regions' starts move down by if they do not shrink, bytes.
    shift: u64,
}

impl Scale {
    /// Decides for all regions of all devices together, so that jobs of one file stay where they
    /// are to each other; with `all` small ones shrink too. One scale a device.
    pub(super) fn of_devices(rooms: &[Room], extents: &Extents, all: bool) -> Vec<Scale> {
        let is_scaled = |room: &Room| room.simulated_bytes < room.real_bytes;
        let is_large = |(room, hull): (&Room, &u64)| *hull > room.simulated_bytes / 4;
        let shrink = all || rooms.iter().zip(&extents.hulls).any(is_large);
        let of = |(device, room): (usize, &Room)| {
            let shrinks = is_scaled(room) && shrink;
            let still = is_scaled(room) && !shrinks;
            let shift = if still { shift(*room, extents, device) } else { 0 };
            Scale { room: *room, shrinks, shift }
        };
        rooms.iter().enumerate().map(of).collect()
    }

    /// A volume of data, bytes; at least one.
    pub(super) fn volume(&self, bytes: u64) -> u64 {
        if self.shrinks { share(bytes, &self.room).max(1) } else { bytes }
    }

    /// A region on the simulated drive; a job works on `all` bytes of its device.
    pub(super) fn region(&self, job: &Job, region: Region, all: u64) -> Result<Region, Diagnostic> {
        if !self.shrinks {
            return Ok(Region { start: region.start - self.shift, ..region });
        }
        let coarse = self.room.coarse(share(region.span, &self.room));
        let block = job.min_block_bytes().max(1);
        // Where a region starts within the rows of the flash and the stripes of an array stays as
        // it is: threads that go through them in step meet or do not, by their starts.
        let within = region.start % coarse / self.room.unit_bytes * self.room.unit_bytes;
        let start = share(region.start, &self.room) / coarse * coarse + within;
        let span = share(region.span, &self.room).saturating_sub(within) / block * block;
        // What the other files of the job add to its own.
        let beside = share(all - region.span, &self.room);
        let together = span.saturating_add(beside);
        let buffers = least_buffers(job);
        let (least, block) = (self.room.least_bytes(job), job.max_block_bytes());
        let short = match (span < block, together < least && buffers > 0) {
            (_, true) => Some((all, together, least, format!("{buffers} times the write buffer"))),
            (true, false) => Some((region.span, span, block, "a block".to_owned())),
            (false, false) => None,
        };
        if let Some(short) = short {
            return Err(self.too_small(job, short, self.room.least_share(job, region, all)));
        }
        let span = span.min(self.room.simulated_bytes - start);
        Ok(Region { start, span, ..region })
    }

    /// Refuses a scale at which so many bytes of a job would be less than they have to be, and why
    /// they have to; from `share` of the device on they are enough.
    fn too_small(
        &self,
        job: &Job,
        (real, scaled, least, why): (u64, u64, u64, String),
        share: f64,
    ) -> Diagnostic {
        let [real, scaled, least] = [real, scaled, least].map(|bytes| size(bytes as f64));
        let message = format!(
            "job `{}`: its {real} would be {scaled} at this scale, less than {least} ({why})",
            job.name,
        );
        let help = format!(
            "simulate {} or more of it (--scale), or leave --scale out",
            size(share * self.room.drive_bytes as f64)
        );
        Diagnostic::new(&job.place, message).with_help(help)
    }

    /// Says that regions shrink, if they do.
    pub(super) fn warning(&self) -> Option<Warning> {
        self.shrinks.then(|| {
            let factor = self.room.real_bytes as f64 / self.room.simulated_bytes as f64;
            let message = format!(
                "the drive is simulated at 1/{factor:.4} of its capacity: regions and volumes of \
                 data are that much smaller than the job file says"
            );
            warning("scaled", "size", message)
        })
    }
}

/// What regions that keep their size move down by, so that they are inside the simulated device.
fn shift(room: Room, extents: &Extents, device: usize) -> u64 {
    let first = extents.on(device).map(|region| region.start).min().unwrap_or(0);
    let end = extents.on(device).map(|region| region.start + region.span).max().unwrap_or(0);
    if end <= room.simulated_bytes {
        return 0;
    }
    // Far out on the real drive: as far out on the simulated one.
    let moved = share(first, &room).min(room.simulated_bytes - extents.hulls[device]);
    first - moved / COARSE * COARSE
}

fn size(bytes: f64) -> String {
    metric::show(metric::Dimension::Bytes, bytes)
}

fn share(bytes: u64, room: &Room) -> u64 {
    let scaled = u128::from(bytes) * u128::from(room.simulated_bytes);
    saturated(scaled / u128::from(room.real_bytes.max(1)))
}
