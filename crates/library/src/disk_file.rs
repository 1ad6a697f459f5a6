//! A disk file: the description of one hard disk.

use super::host_path::HostPath;
use super::interface::Interface;
use super::nand_file::YesNo;
use super::sourced::Sourced;
use engine::{Bandwidth, Bytes, Count, Duration, Power};
use iopath::device::disk::{
    ArmConfig, DiskBufferConfig, DiskConfig, DiskPowerConfig, DiskQueueConfig, PlatterConfig,
};
use schemars::JsonSchema;
use serde::Deserialize;

/// One hard disk, as written in its file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiskFile {
    /// Its full name.
    pub name: String,
    /// `disk`.
    #[schemars(extend("const" = "disk"))]
    pub media: String,
    /// Other names by which it can be called.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Notes on this model.
    #[serde(default)]
    pub note: String,
    /// What the host sees.
    pub body: DiskBody,
    /// The interface.
    pub link: DiskLink,
    /// The processor.
    pub controller: DiskController,
    /// The platters.
    pub platters: Platters,
    /// The arm.
    pub arm: Arm,
    /// The choice of what is done next.
    pub queue: DiskQueue,
    /// The memory on the board.
    pub buffer: DiskBuffer,
    /// Its power.
    pub power: DiskPower,
}

/// What the host sees.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiskBody {
    /// Bytes the host sees.
    pub capacity: Sourced<Bytes>,
}

/// The interface.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiskLink {
    /// Kind, generation and width.
    pub interface: Sourced<Interface>,
    /// From the command on the wire to the command in the processor.
    pub command_latency: Sourced<Duration>,
}

/// The processor.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiskController {
    /// Its time for a command.
    pub command_cost: Sourced<Duration>,
}

/// The platters.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Platters {
    /// Turns a minute.
    pub speed: Sourced<Count>,
    /// Surfaces with a head.
    pub heads: Sourced<Count>,
    /// Zones of equal width.
    pub zones: Sourced<Count>,
    /// Rate of a long read in the outermost zone.
    pub outer_rate: Sourced<Bandwidth>,
    /// Rate of a long read in the innermost zone.
    pub inner_rate: Sourced<Bandwidth>,
}

/// The arm.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Arm {
    /// Seek to the next cylinder.
    pub track_to_track: Sourced<Duration>,
    /// Least time of a seek over few cylinders.
    pub settle: Sourced<Duration>,
    /// Mean seek over pairs of cylinders at random.
    pub average: Sourced<Duration>,
    /// Seek over all cylinders.
    pub full_stroke: Sourced<Duration>,
    /// How much longer the head settles before it writes.
    pub write_settle: Sourced<Duration>,
    /// From one head to another of the same cylinder.
    pub head_switch: Sourced<Duration>,
}

/// The choice of what is done next.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiskQueue {
    /// Whether the sector that can be reached first goes first.
    pub reorder: Sourced<YesNo>,
    /// Age above which a command goes before all others.
    pub age_limit: Sourced<Duration>,
}

/// Treatment of a write in the buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WriteCache {
    /// It is acknowledged, and lost with power unless flushed.
    Volatile,
    /// It is acknowledged when it is on the platter.
    Off,
}

/// The memory on the board.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiskBuffer {
    /// All of it.
    pub size: Sourced<Bytes>,
    /// The part for data that is not on the platters yet.
    pub write_size: Sourced<Bytes>,
    /// Treatment of writes.
    pub write_cache: Sourced<WriteCache>,
    /// Runs of sectors that are not on the platters yet, at most.
    pub write_entries: Sourced<Count>,
    /// Runs of sectors that were read, at most.
    pub segments: Sourced<Count>,
    /// Bytes that are read on after the end of a read.
    pub read_ahead: Sourced<Bytes>,
}

/// Its power.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiskPower {
    /// Always, while the platters turn.
    pub idle: Sourced<Power>,
    /// In addition while the arm moves.
    pub seek: Sourced<Power>,
    /// In addition while sectors are read or written.
    pub transfer: Sourced<Power>,
}

impl DiskFile {
    /// What will run, unchecked.
    pub(super) fn config(&self, slug: &str) -> DiskConfig {
        let (p, a, b) = (&self.platters, &self.arm, &self.buffer);
        let turns = u64::from(p.speed.get().number.max(1));
        let size = b.size.get().base();
        let write_bytes = b.write_size.get().base();
        DiskConfig {
            name: slug.to_owned(),
            user_bytes: self.body.capacity.get().base(),
            platters: PlatterConfig {
                heads: p.heads.get().number,
                zones: p.zones.get().number,
                turn: Duration::from_s(60).scaled(1, turns),
                outer: *p.outer_rate.get(),
                inner: *p.inner_rate.get(),
            },
            arm: ArmConfig {
                track_to_track: *a.track_to_track.get(),
                settle: *a.settle.get(),
                average: *a.average.get(),
                full_stroke: *a.full_stroke.get(),
                write_settle: *a.write_settle.get(),
                head_switch: *a.head_switch.get(),
            },
            buffer: DiskBufferConfig {
                read_bytes: size.saturating_sub(write_bytes),
                segments: b.segments.get().number,
                read_ahead: b.read_ahead.get().base(),
                write_cache: *b.write_cache.get() == WriteCache::Volatile,
                write_bytes,
                write_entries: b.write_entries.get().number,
            },
            queue: DiskQueueConfig {
                reorder: self.queue.reorder.get().is_yes(),
                age_limit: *self.queue.age_limit.get(),
            },
            // SATA frames are not packets of PCIe: the payload does not matter.
            link: (self.link.interface.get()).link(
                Bytes::from_base(256),
                *self.link.command_latency.get(),
                &HostPath::default(),
            ),
            command_cost: *self.controller.command_cost.get(),
            power: DiskPowerConfig {
                idle: *self.power.idle.get(),
                seek: *self.power.seek.get(),
                transfer: *self.power.transfer.get(),
            },
        }
    }
}
