//! A hard disk as resolved numbers: what its model file says.

use crate::device::flash::config::LinkConfig;
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
    /// Age above which a command goes before all others.
    pub age_limit: Duration,
}

/// Its power.
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
