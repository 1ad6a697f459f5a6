//! A drive as resolved numbers: what the model files say, checked and at the scale of the run.

use crate::device::flash::cell::CellConfig;
use crate::device::flash::cell::refresh::RefreshPolicy;
use crate::device::flash::ftl::policies::{FtlPolicies, Padding};
use crate::device::flash::geometry::{Geometry, Layout};
use crate::device::heat::HeatConfig;
use crate::device::queues::QueueConfig;
use engine::{Bandwidth, Duration, Energy, Power, Quantiles, Ratio};

/// The cells of a drive and what it does about their errors.
#[derive(Clone, Debug, PartialEq)]
pub struct Cells {
    /// The cells and their code.
    pub cell: CellConfig,
    /// Pages that cannot be read are put together again from the other dies of their stripe, if
    /// there is parity.
    pub rebuild: bool,
    /// When data is rewritten; `None`: never.
    pub refresh: Option<RefreshPolicy>,
}

/// The interface between host and controller.
#[derive(Clone, Debug)]
pub struct LinkConfig {
    /// Host to device, net of packet overhead.
    pub down: Bandwidth,
    /// Device to host, net of packet overhead.
    pub up: Bandwidth,
    /// Commands the device takes at once (SATA NCQ: 32).
    pub queue_limit: u32,
    /// True if both directions share the wire (SATA).
    pub half_duplex: bool,
    /// From doorbell to command in the controller.
    pub command_latency: Duration,
    /// From last byte to completion seen by the host's software, in the mean.
    pub completion_latency: Duration,
    /// How that varies: its delays beyond the least. `None`: it does not. Their mean is not above
    /// the completion latency.
    pub jitter: Option<Quantiles>,
}

/// The processors of the controller.
#[derive(Clone, Debug)]
pub struct ControllerConfig {
    /// Cores that share the command work.
    pub cores: u32,
    /// Core time of a read command.
    pub read_cost: Duration,
    /// Core time of a write command.
    pub write_cost: Duration,
    /// Core time of each mapping unit that collection moves.
    pub copy_cost: Duration,
    /// Mapping units that collection moves before the cores look at commands again; of no
    /// meaning where copies cost no time.
    pub copy_batch: u32,
    /// Core time of a trim or flush command.
    pub admin_cost: Duration,
    /// What the controller can take in of write data; `None` if that limits nothing.
    pub write_path: Option<Bandwidth>,
    /// What it can give out of read data; `None` if that limits nothing.
    pub read_path: Option<Bandwidth>,
    /// The data of a read goes to the host when all of it is there. A drive with native command
    /// queueing gives the wire to one command from its DMA setup to its last data frame.
    pub whole_reads: bool,
    /// Pipeline time of a read before the flash is asked (adds latency, not load).
    pub read_front_end: Duration,
    /// Pipeline time of a write from accepted data to acknowledgement.
    pub write_ack: Duration,
    /// Pipeline time of data found in the buffer or unmapped.
    pub buffer_read: Duration,
}

/// What the controller reads before the host asks for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReadAheadConfig {
    /// Mapping units that are read ahead of a stream, at most.
    pub units: u32,
    /// Streams that are followed at a time.
    pub streams: u32,
    /// Reads in order that make a stream.
    pub after: u32,
}

/// What the write buffer promises.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protection {
    /// Capacitors: acknowledged is durable.
    Protected,
    /// Acknowledged data in the buffer is lost with power, unless flushed.
    Volatile,
    /// No write is acknowledged before it is programmed.
    Off,
}

/// The write buffer.
#[derive(Clone, Debug)]
pub struct BufferConfig {
    /// Mapping units of host data that are accepted and not yet programmed, at most.
    pub units: u32,
    /// Mapping units of copies that are read and not yet programmed, at most.
    pub copy_units: u32,
    /// What happens at power loss.
    pub protection: Protection,
    /// Which writes enter when it is full.
    pub admission: Admission,
}

/// How writes get into a full buffer. The default takes them one after the other, whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Admission {
    /// Mapping units of one write that are taken in before the next write has its turn.
    pub turn: u32,
    /// Writes of at most this many bytes are small; zero: none is.
    pub small_bytes: u32,
    /// Mapping units of the buffer that only small writes use, while others wait.
    pub kept_units: u32,
}

impl Default for Admission {
    fn default() -> Self {
        Admission { turn: u32::MAX, small_bytes: 0, kept_units: 0 }
    }
}

/// Times of the flash itself.
#[derive(Clone, Debug)]
pub struct NandTiming {
    /// Sense time of each page type; row r has type r mod the number of types.
    pub sense: Vec<Duration>,
    /// Program times of the program units of a word line, in turn (one if they are all alike).
    pub program: Vec<Duration>,
    /// Erase time of a block.
    pub erase: Duration,
    /// Rate of a channel, after the share that error correction takes.
    pub bus: Bandwidth,
    /// Command and address cycles of a transfer.
    pub transfer_overhead: Duration,
    /// Program data that goes over a channel before a read may go; a page of a plane without it,
    /// and a word line at most.
    pub write_burst: Option<u64>,
    /// Decoding of a page, after its transfer.
    pub ecc: Duration,
    /// Planes of a die sense different pages at the same time.
    pub independent_planes: bool,
    /// Program time of a word line that holds one bit a cell, if the drive uses cells so.
    pub slc_program: Option<Duration>,
    /// Sense time of its page.
    pub slc_sense: Option<Duration>,
}

impl NandTiming {
    /// Sense time of each page type; that of SLC blocks, if there are any, comes last.
    pub fn senses(&self) -> Vec<Duration> {
        self.sense.iter().copied().chain(self.slc_sense).collect()
    }

    /// The longest program.
    pub fn longest_program(&self) -> Duration {
        self.program.iter().copied().max().unwrap_or(Duration::ZERO)
    }
}

/// Suspension of programs and erases for reads.
#[derive(Clone, Debug)]
pub struct SuspendConfig {
    /// False: reads wait for the end of programs and erases.
    pub enabled: bool,
    /// Longest time from request to suspended, as long as a step of a program; uniform from 0.
    pub latency: Duration,
    /// The last part of a program, which is never suspended.
    pub closed_window: Duration,
    /// Parts of an erase between which it can be suspended.
    pub erase_segment: Duration,
    /// Time to resume, added to the operation.
    pub resume: Duration,
    /// Times one operation is suspended at most.
    pub max_count: u32,
    /// Least run between two suspensions.
    pub min_run: Duration,
    /// Longest time that reads hold a program or erase back.
    pub max_hold: Duration,
    /// Programs in a million that are never suspended.
    pub never_ppm: u32,
}

/// Energies and power states.
#[derive(Clone, Debug)]
pub struct PowerConfig {
    /// Drawn always.
    pub idle: Power,
    /// Each sense of a page.
    pub sense: Energy,
    /// Each byte read from the flash and sent to the host.
    pub transfer_per_byte: Energy,
    /// Each byte programmed.
    pub program_per_byte: Energy,
    /// Each erase of a block over the planes of a die.
    pub erase: Energy,
    /// Limit of the mean power; `None` is uncapped.
    pub cap: Option<Power>,
    /// How long the drive may exceed the cap before it holds work back.
    pub cap_window: Duration,
    /// The most that the maker states. It limits nothing; it is for comparison with the results.
    pub rated: Option<Power>,
}

/// Limits on programs in flight, from power or firmware.
#[derive(Clone, Copy, Debug)]
pub struct ProgramLimits {
    /// Dies that program at once.
    pub dies: u32,
    /// The same while collection runs.
    pub dies_collecting: u32,
}

/// How foreground collection is paced.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Pace {
    /// Each host write pays for the space it takes: both continue side by side.
    #[default]
    Paid,
    /// When space is short, writes wait until this many stripes beyond the reserve are free.
    Burst {
        /// Stripes beyond the reserve.
        stripes: u32,
    },
}

/// Collection while the host leaves the drive time for it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BackgroundConfig {
    /// From the last command to the begin of the work; zero for "as soon as nothing is inside".
    pub after: Duration,
    /// Share of the spare area that is freed.
    pub target: Ratio,
    /// Reads do not keep it away: it runs between them.
    pub during_reads: bool,
}

/// Compression in the controller.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CompressionConfig {
    /// What is stored of data that compresses to nothing.
    pub smallest: Ratio,
}

/// When collection runs.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct CollectionConfig {
    /// In the foreground.
    pub pace: Pace,
    /// Besides; `None` for never.
    pub background: Option<BackgroundConfig>,
    /// Mapping units beyond the reserve from which on writes are slowed, more and more, until at
    /// the reserve each pays for all the space it takes; zero: they pay from there on only.
    pub slow_units: u32,
}

/// One flash drive.
#[derive(Clone, Debug)]
pub struct DriveConfig {
    /// Name of the component in random streams.
    pub name: String,
    /// Bytes that the host sees, at the simulated scale.
    pub user_bytes: u64,
    /// Shape of the flash.
    pub geometry: Geometry,
    /// Bytes of a real block over the planes of one die: one erase is charged for this many.
    pub erase_bytes: u64,
    /// What the FTL decides by.
    pub policies: FtlPolicies,
    /// When collection runs.
    pub collection: CollectionConfig,
    /// Compression; the FTL's units are grains then ([`FtlPolicies::grains`]).
    pub compression: Option<CompressionConfig>,
    /// Interface.
    pub link: LinkConfig,
    /// Submission queues; `None`: commands are taken in the order in which they arrive.
    pub queues: Option<QueueConfig>,
    /// Processors.
    pub controller: ControllerConfig,
    /// Reading ahead of reads in order; `None`: nothing is read before it is asked for.
    pub read_ahead: Option<ReadAheadConfig>,
    /// Write buffer.
    pub buffer: BufferConfig,
    /// Flash times.
    pub nand: NandTiming,
    /// Suspension.
    pub suspend: SuspendConfig,
    /// Limits on programs.
    pub programs: ProgramLimits,
    /// Energies.
    pub power: PowerConfig,
    /// Errors of the cells; `None`: nothing is ever read wrong. They matter from the time on at
    /// which the drive is given an age.
    pub cells: Option<Cells>,
    /// Heat; `None`: the drive has no temperature.
    pub heat: Option<HeatConfig>,
}

/// What the state of a drive follows from that is brought into it in zero time: drives that are
/// alike in this come to the same one, whatever their times, links and powers.
#[derive(Clone, Debug, PartialEq)]
pub struct StateShape<'c> {
    /// Name of the component in random streams.
    pub name: &'c str,
    /// Bytes that the host sees.
    pub user_bytes: u64,
    /// Shape of the flash.
    pub geometry: Geometry,
    /// What the FTL decides by.
    pub policies: &'c FtlPolicies,
    /// What is in the buffer survives a power loss: the FTL keeps nothing to undo.
    pub protection: Protection,
}

impl DriveConfig {
    /// What the state of the drive follows from, if no time passes.
    pub fn state_shape(&self) -> StateShape<'_> {
        StateShape {
            name: &self.name,
            user_bytes: self.user_bytes,
            geometry: self.geometry,
            policies: &self.policies,
            protection: self.buffer.protection,
        }
    }

    /// What would keep a drive of this configuration from working, if anything: found before time
    /// 0, because inside the simulation there is no error path.
    ///
    /// # Errors
    /// The first limit that the configuration breaks: of geometry, SLC cache, heat, queues, buffers
    /// or admission.
    pub fn check(&self) -> Result<(), String> {
        let g = &self.geometry;
        let layout = Layout::new(*g);
        let need = |holds: bool, text: &str| if holds { Ok(()) } else { Err(text.to_owned()) };
        need(g.planes <= 8, "a die has at most 8 planes")?;
        need(g.dies <= 1 << 16, "a drive has at most 65536 dies")?;
        need(layout.slots <= 32, "a page holds at most 32 mapping units")?;
        need(g.parity_period != 1, "parity needs a data die")?;
        need(g.channels > 0 && self.controller.cores > 0, "no channel or no core")?;
        // SLC blocks have a page type of their own after the others.
        let types = self.nand.sense.len() + usize::from(self.policies.slc.is_some());
        need(!self.nand.sense.is_empty() && types <= 256, "no page type, or more than 256")?;
        if let Some(slc) = &self.policies.slc {
            let timed = self.nand.slc_program.is_some() && self.nand.slc_sense.is_some();
            need(timed, "the flash has no times for one bit a cell")?;
            need(slc.rows > 0 && slc.rows <= g.rows, "an SLC block has no rows, or too many")?;
            need(slc.bits > 1, "cells of one bit need no SLC cache")?;
        }
        if let Some(full) = self.policies.grains {
            let room = full >= 1 && 2 * full as u32 <= layout.slots && layout.unit_planes == 1;
            need(room, "a page holds two mapping units at least, if they are compressed")?;
        }
        if let Some(heat) = &self.heat {
            heat.check()?;
            let low = heat.throttle.iter().any(|level| level.cap <= self.power.idle);
            need(!low, "a throttling level below the idle power stops all work")?;
        }
        need(!self.nand.program.is_empty(), "no program time")?;
        need(self.link.queue_limit > 0, "a queue needs a depth of at least 1")?;
        need(self.controller.copy_batch > 0, "a batch of copies has a unit at least")?;
        if let Some(queues) = &self.queues {
            queues.check()?;
            need(self.link.queue_limit == u32::MAX, "the interface has only one queue")?;
        }
        need(self.programs.dies.min(self.programs.dies_collecting) > 0, "no die may program")?;
        let s = &self.suspend;
        need(!s.enabled || s.erase_segment.ps() > 0, "an erase segment needs a length")?;
        need(
            self.buffer.units >= self.least_buffer_units(),
            "the write buffer cannot fill a line",
        )?;
        need(
            self.buffer.copy_units >= self.least_copy_units(),
            "the copy buffer cannot fill a line",
        )?;
        let admission = &self.buffer.admission;
        need(
            self.buffer.units - self.least_buffer_units() >= admission.kept_units,
            "the part kept for small writes leaves too little of the write buffer for others",
        )?;
        need(admission.turn > 0, "a turn of 0 units admits no write")?;
        let slows = self.collection.slow_units > 0;
        need(!slows || self.collection.pace == Pace::Paid, "bursts hold writes back, or pacing")?;
        // All open stripes may hold nothing valid while every closed group is full.
        let stripes = self.policies.least_spare_stripes(&layout) as u64;
        let least = stripes * layout.stripe_data_units() as u64;
        let all = layout.groups as u64 * layout.group_data_units as u64;
        let little = "too little spare for collection to gain anything";
        let user = self.user_bytes.div_ceil(g.unit_bytes as u64);
        // More than the layout has, which are fewer than 2^32.
        let units = u32::try_from(user).map_err(|_| little)?;
        let own = self.policies.own_units(&layout, units) as u64;
        need(user + own + least <= all, little)
    }

    /// Mapping units of buffer that a write stream can hold without any word line being full: a
    /// stream fills row after row over all dies, so the first line is full only in its last row.
    fn open_units(&self) -> u32 {
        let layout = Layout::new(self.geometry);
        let die_row = layout.plane_slots * layout.slots;
        (self.geometry.pages_per_wl - 1) * self.geometry.dies * die_row + die_row
    }

    /// Bytes of a mapping unit: of all its grains, if the drive compresses.
    pub fn unit_bytes(&self) -> u64 {
        self.geometry.unit_bytes as u64 * self.policies.grains.unwrap_or(1) as u64
    }

    /// Bytes of host data that its write buffer holds, B.
    pub fn buffer_bytes(&self) -> u64 {
        u64::from(self.buffer.units) * u64::from(self.geometry.unit_bytes)
    }

    /// The smallest buffer for host data with which writes always continue.
    pub fn least_buffer_units(&self) -> u32 {
        let layout = Layout::new(self.geometry);
        // A stream into SLC blocks has full lines in its first row, but all may be open.
        let slc = self.policies.slc.as_ref().map_or(0, |_| layout.plane_slots * layout.slots);
        // A unit is admitted if it fits as a whole, and so is a page.
        let grains = self.policies.grains.map_or(1, u32::from);
        let rest = self.page_at_once().max(grains) - 1;
        self.open_units() * self.policies.host_streams() + slc + rest
    }

    /// Mapping units of a command that are placed together: those of a page where commands begin
    /// their own pages, so that copies do not come between them, else one.
    pub fn units_at_once(&self) -> u32 {
        let grains = self.policies.grains.map_or(1, u32::from);
        let (page, kept) = (self.page_at_once(), self.buffer.admission.kept_units);
        // What is kept for small writes has to hold a page.
        if kept > 0 && kept < page { 1 } else { (page / grains).max(1) }
    }

    /// The same in grains, whatever room is kept for small writes.
    fn page_at_once(&self) -> u32 {
        if self.policies.padding == Padding::Page { Layout::new(self.geometry).slots } else { 1 }
    }

    /// The smallest buffer for copies with which collection always continues: it needs whole pages.
    pub fn least_copy_units(&self) -> u32 {
        let streams = 1 + self.policies.extra_copy_streams();
        let page = Layout::new(self.geometry).slots;
        // Copies that wait for a page of them are beside those in open lines.
        let held = if self.policies.padding == Padding::Page { page } else { 0 };
        self.open_units() * streams + page + held
    }
}
