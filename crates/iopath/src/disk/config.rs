//! A hard disk as resolved numbers: what its model file says.

use super::geometry::DiskGeometry;
use super::seek::SeekCurve;
use crate::config::LinkConfig;
use engine::{Bandwidth, Duration, Power};

/// Bytes of a physical sector: what the head can write. The host may address 512 B.
pub const SECTOR: u64 = 4096;

/// The platters.
#[derive(Clone, Copy, Debug)]
pub struct PlatterConfig {
    /// Surfaces with a head.
    pub heads: u32,
    /// Zones of equal width; inside a zone every track holds as much.
    pub zones: u32,
    /// Time of a turn.
    pub turn: Duration,
    /// Rate of a long read in the outermost zone, with the switches between tracks.
    pub outer: Bandwidth,
    /// The same in the innermost zone.
    pub inner: Bandwidth,
}

/// The arm.
#[derive(Clone, Copy, Debug)]
pub struct ArmConfig {
    /// Seek to the next cylinder.
    pub track_to_track: Duration,
    /// What a seek over few cylinders takes at least.
    pub settle: Duration,
    /// Mean seek between two cylinders drawn at random.
    pub average: Duration,
    /// Seek over all cylinders.
    pub full_stroke: Duration,
    /// How much longer the head settles before it writes.
    pub write_settle: Duration,
    /// From one head to another of the same cylinder.
    pub head_switch: Duration,
}

/// The memory on the board.
#[derive(Clone, Copy, Debug)]
pub struct DiskBufferConfig {
    /// Bytes for data that was read.
    pub read_bytes: u64,
    /// Runs of sectors that are kept apart, at most.
    pub segments: u32,
    /// Bytes that are read on after the end of a read, at most; zero for none.
    pub read_ahead: u64,
    /// Writes are acknowledged from the buffer, which loses its content with power.
    pub write_cache: bool,
    /// Bytes for data that is not on the platters yet.
    pub write_bytes: u64,
    /// Runs of sectors that are not on the platters yet, at most.
    pub write_entries: u32,
}

/// The choice of what is done next.
#[derive(Clone, Copy, Debug)]
pub struct DiskQueueConfig {
    /// What can be reached first goes first; without it, in order of arrival.
    pub reorder: bool,
    /// What has waited longer goes before all else.
    pub age_limit: Duration,
}

/// What it draws.
#[derive(Clone, Copy, Debug)]
pub struct DiskPowerConfig {
    /// Always: the platters turn.
    pub idle: Power,
    /// In addition while the arm moves.
    pub seek: Power,
    /// In addition while sectors are read or written.
    pub transfer: Power,
}

/// One hard disk.
#[derive(Clone, Debug)]
pub struct DiskConfig {
    /// Name of the component.
    pub name: String,
    /// Bytes that the host sees.
    pub user_bytes: u64,
    /// Platters.
    pub platters: PlatterConfig,
    /// Arm.
    pub arm: ArmConfig,
    /// Memory.
    pub buffer: DiskBufferConfig,
    /// Choice.
    pub queue: DiskQueueConfig,
    /// Interface.
    pub link: LinkConfig,
    /// Processor time of a command; commands share one processor.
    pub command_cost: Duration,
    /// Power.
    pub power: DiskPowerConfig,
}

/// A value that cannot be, by its path in a model file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Such as `arm.average`.
    pub key: &'static str,
    /// Why.
    pub message: String,
    /// What would do.
    pub help: &'static str,
}

/// Complains about a value unless `holds`.
pub(crate) fn need(
    holds: bool,
    key: &'static str,
    message: &str,
    help: &'static str,
) -> Result<(), Fault> {
    if holds { Ok(()) } else { Err(Fault { key, message: message.to_owned(), help }) }
}

impl DiskConfig {
    /// What would keep a disk of this configuration from working, if anything: found before time 0,
    /// because inside the simulation there is no error path.
    pub fn check(&self) -> Result<(), Fault> {
        let (p, b) = (&self.platters, &self.buffer);
        let size = (SECTOR..=1 << 60).contains(&self.user_bytes);
        need(size, "body.capacity", "no disk has this size", "give 4 KiB to 1 EiB")?;
        let turn = (Duration::from_us(100)..=Duration::from_s(1)).contains(&p.turn);
        let help = "give 60 to 600000 turns a minute";
        need(turn, "platters.speed", "no platter turns at this speed", help)?;
        let heads = (1..=256).contains(&p.heads);
        need(heads, "platters.heads", "no disk has as many heads", "give 1 to 256")?;
        let zones = (1..=4096).contains(&p.zones);
        need(zones, "platters.zones", "no disk has as many zones", "give 1 to 4096")?;
        let help = "the outermost zone is the fastest";
        need(p.inner <= p.outer, "platters.inner_rate", "it is above the outer rate", help)?;
        let switch = Duration::from_ms(100);
        let fast = self.arm.track_to_track <= switch && self.arm.head_switch <= switch;
        let help = "give at most 100 ms";
        need(fast, "arm.track_to_track", "a switch between tracks takes too long", help)?;
        let long = self.arm.full_stroke.max(self.arm.write_settle) <= Duration::from_s(10);
        need(long, "arm.full_stroke", "the arm takes too long", "give at most 10 s")?;
        let help = "a track holds at least one sector of 4 KiB and at most 1 GiB";
        let tracks = DiskGeometry::track_sectors(p, &self.arm, p.inner) > 0
            && DiskGeometry::track_sectors(p, &self.arm, p.outer) <= 1 << 18;
        need(tracks, "platters.inner_rate", "this rate leaves no possible track", help)?;
        let geometry = DiskGeometry::new(self);
        SeekCurve::check(&self.arm, geometry.cylinders())?;
        let help = "give 1 to 65536 segments";
        let some = (1..=65536).contains(&b.segments);
        need(some, "buffer.segments", "the cache cannot be divided so", help)?;
        let help = "give as much as one segment holds at most (`size` less `write_size`, divided)";
        let fits = b.read_ahead <= b.read_bytes / u64::from(b.segments);
        need(fits, "buffer.read_ahead", "it is longer than a segment of the cache", help)?;
        let help = "give at least 1 MiB and 1 to 65536 entries, or `write_cache = \"off\"`";
        let write = (1..=65536).contains(&b.write_entries) && b.write_bytes >= 1 << 20;
        need(write || !b.write_cache, "buffer.write_size", "no write would fit", help)?;
        let help = "give `queue.reorder = \"no\"` for none";
        let aged = self.queue.age_limit > Duration::ZERO;
        need(aged, "queue.age_limit", "with no time to wait there is no choice", help)
    }
}
