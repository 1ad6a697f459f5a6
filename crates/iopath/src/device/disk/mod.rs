//! A hard disk: platters, an arm, and a buffer behind a link.
//!
//! A command takes the processor, in order of arrival. A read that the buffer holds goes out over
//! the wire; any other waits for the arm. A write comes in over the wire; with the write cache on
//! it is acknowledged as soon as the buffer has room for it, and the arm brings it to the platters
//! later. A write that must be durable waits for the arm as a read does. What the arm does next,
//! and when it is done, is in `arm.rs`; processor and wire are arithmetic.

mod arm;
mod check;
mod config;
mod device;
pub mod geometry;
pub mod head;
pub mod scheduler;
pub mod seek;
pub mod segments;
mod tags;
pub mod write_cache;

pub(crate) use config::need;
pub use config::{
    ArmConfig, DiskBufferConfig, DiskConfig, DiskPowerConfig, DiskQueueConfig, Fault,
    PlatterConfig, SECTOR,
};

use crate::device::completion::Completion;
use crate::device::health::Health;
use crate::kernel::Context;
use crate::kernel::command::{Command, CommandId, Op};
use crate::kernel::data::UNIT;
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use arm::Arm;
use engine::{Duration, Event, FifoServer, Instant, Priority};
use head::{Mechanics, Track};
use segments::Segments;
use std::collections::VecDeque;
use tags::Tags;
use write_cache::WriteCache;

mod kind {
    /// The processor has seen to a command; argument: the command.
    pub const DISPATCH: u16 = 0;
    /// The data of a write is in the buffer; argument: the command.
    pub const RECEIVED: u16 = 1;
    /// The arm has done what it did.
    pub const ARM: u16 = 2;
    /// Reading ahead has come to its limit.
    pub const LIMIT: u16 = 3;
    /// A command has left the queue.
    pub const LEFT: u16 = 4;
}

/// Data goes out while it is read: when the last sector has passed, so much is left to send.
const TAIL: u64 = 64 << 10;

/// A hard disk.
pub struct Disk<P: Payload> {
    config: DiskConfig,
    mechanics: Mechanics,
    completion: Completion,
    processor: FifoServer,
    /// One wire for both directions, or one for each.
    wires: [FifoServer; 2],
    segments: Segments,
    cache: WriteCache,
    tags: Tags<P>,
    arm: Arm,
    track: Track,
    /// Reads, and writes past the cache, that wait for the arm.
    pending: Vec<CommandId>,
    /// Writes that wait for room in the cache, in order.
    waiting: VecDeque<CommandId>,
    /// Flushes, and up to which write.
    flushes: Vec<(u64, CommandId)>,
    /// The last thing the arm did was to empty the cache.
    wrote_last: bool,
    inside: u32,
    overflow: VecDeque<CommandId>,
    node: u16,
    address: u16,
    gone: bool,
    health: Health,
    seeking: Duration,
    transferring: Duration,
    /// Time in which the arm worked for somebody, and up to when it is counted.
    working: Duration,
    worked_until: Instant,
}

impl<P: Payload> Disk<P> {
    /// A disk with nothing on it, its arm at the outermost cylinder. Its events go to `node`.
    ///
    /// # Panics
    /// If [`DiskConfig::check`] finds a fault.
    pub fn new(config: DiskConfig, seed: u64, node: u16) -> Self {
        if let Err(fault) = config.check() {
            panic!("{}: {}: {}", config.name, fault.key, fault.message);
        }
        let b = &config.buffer;
        Disk {
            mechanics: Mechanics::new(&config),
            completion: Completion::new(&config.link, seed, &config.name),
            processor: FifoServer::default(),
            wires: Default::default(),
            segments: Segments::new(b.segments, b.read_bytes / SECTOR),
            cache: WriteCache::new(b.write_bytes, b.write_entries),
            tags: Tags::default(),
            arm: Arm::Still,
            track: Track::default(),
            pending: Vec::new(),
            waiting: VecDeque::new(),
            flushes: Vec::new(),
            wrote_last: false,
            inside: 0,
            overflow: VecDeque::new(),
            node,
            address: node,
            gone: false,
            health: Health::default(),
            seeking: Duration::ZERO,
            transferring: Duration::ZERO,
            working: Duration::ZERO,
            worked_until: Instant::ZERO,
            config,
        }
    }

    /// The configuration it was built from.
    pub fn config(&self) -> &DiskConfig {
        &self.config
    }

    /// What moves.
    pub fn mechanics(&self) -> &Mechanics {
        &self.mechanics
    }

    /// Its own counters.
    pub fn health(&self) -> &Health {
        &self.health
    }

    /// Time that the arm has moved, and time that sectors have passed for a read or a write.
    pub fn busy(&self) -> (Duration, Duration) {
        (self.seeking, self.transferring)
    }

    /// Time in which the arm was at work for a command, the write cache or a reader in order: it
    /// moved, waited for a sector, or read or wrote.
    pub fn arm_busy(&self) -> Duration {
        self.working
    }

    /// Time in which the wire of each direction was in use; of one for both it is the first.
    pub fn wires_busy(&self) -> [Duration; 2] {
        [self.wires[0].busy(), self.wires[1].busy()]
    }

    /// Acknowledged bytes that are not on the platters.
    pub fn unsafe_bytes(&self) -> u64 {
        self.cache.unsafe_bytes()
    }

    /// The disk takes a command into its queue.
    fn accept<O: Probe<P>>(&mut self, context: &mut Context<P, O>, id: CommandId) {
        self.inside += 1;
        let now = context.queue.now() + self.config.link.command_latency;
        let at = self.processor.serve(now, self.config.command_cost);
        self.schedule(context, at, kind::DISPATCH, id.0);
    }

    fn schedule<O: Probe<P>>(
        &self,
        context: &mut Context<P, O>,
        at: Instant,
        kind: u16,
        argument: u32,
    ) {
        let event = Event { node: self.node, kind, argument };
        context.queue.push(at, Priority::Normal, event);
    }

    fn dispatch<O: Probe<P>>(&mut self, context: &mut Context<P, O>, id: CommandId) {
        let command = *context.commands.get(id);
        let now = context.queue.now();
        if command.len == 0 && command.op != Op::Flush {
            return self.answer(context, id, now);
        }
        match command.op {
            Op::Read => {
                self.health.read_commands += 1;
                self.health.host_read_bytes += u64::from(command.len);
                self.pending.push(id);
                self.go_on(context);
            }
            Op::Write => {
                self.health.write_commands += 1;
                self.health.host_write_bytes += u64::from(command.len);
                let cost = self.config.link.down.time_for(u64::from(command.len));
                let wire = usize::from(!self.config.link.half_duplex);
                let at = self.wires[wire].serve(now, cost);
                self.schedule(context, at, kind::RECEIVED, id.0);
            }
            // There is no map from which anything could be taken.
            Op::Trim => self.answer(context, id, now),
            Op::Flush => {
                self.flushes.push((self.cache.next_order(), id));
                self.end_flushes(context);
                self.go_on(context);
            }
        }
    }

    /// The data of a write is in the buffer.
    fn received<O: Probe<P>>(&mut self, context: &mut Context<P, O>, id: CommandId) {
        if context.commands.get(id).durable || !self.config.buffer.write_cache {
            self.pending.push(id);
        } else {
            self.waiting.push_back(id);
            self.let_in(context);
        }
        self.go_on(context);
    }

    /// Acknowledges writes, in order, as long as the cache has room.
    fn let_in<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        let now = context.queue.now();
        while let Some(&id) = self.waiting.front() {
            let command = *context.commands.get(id);
            let end = command.start + u64::from(command.len);
            if !self.cache.insert(command.start, end, now) {
                return;
            }
            self.waiting.pop_front();
            for (i, unit) in units_of(&command) {
                let tag = context.data.get(id, i).unwrap_or(command.payload);
                self.tags.cache(unit, tag);
            }
            self.answer(context, id, now);
        }
    }

    /// Sends the data of a read that is in the buffer, of which `bytes` have not gone out yet.
    fn send<O: Probe<P>>(&mut self, context: &mut Context<P, O>, id: CommandId, bytes: u64) {
        let command = *context.commands.get(id);
        for (i, unit) in units_of(&command) {
            context.data.put(id, i, self.tags.newest(unit));
        }
        let now = context.queue.now();
        let at = self.wires[0].serve(now, self.config.link.up.time_for(bytes));
        self.answer(context, id, at);
    }

    /// Ends a command whose last byte is through at `at`.
    fn answer<O: Probe<P>>(&mut self, context: &mut Context<P, O>, id: CommandId, at: Instant) {
        let seen = self.completion.seen(at);
        context.complete(id, seen);
        self.schedule(context, at, kind::LEFT, 0);
    }

    /// A place in the queue is free.
    fn leave<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        self.inside -= 1;
        if let Some(id) = self.overflow.pop_front() {
            self.accept(context, id);
        }
    }

    /// Ends the flushes whose writes are all on the platters.
    fn end_flushes<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        if self.flushes.is_empty() {
            return;
        }
        let oldest = self.cache.runs().map(|run| run.order).chain(self.arm.order()).min();
        let now = context.queue.now();
        for (upto, id) in std::mem::take(&mut self.flushes) {
            if oldest.is_some_and(|order| order < upto) {
                self.flushes.push((upto, id));
            } else {
                self.answer(context, id, now);
            }
        }
    }

    /// Drops everything in flight and in the buffer. The arm is parked outside.
    fn stop<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        context.abandon(self.address);
        self.processor = FifoServer::default();
        self.wires = Default::default();
        self.segments.clear();
        self.cache.clear();
        self.tags.cut();
        self.arm = Arm::Still;
        self.track = Track::default();
        self.pending.clear();
        self.waiting.clear();
        self.flushes.clear();
        self.overflow.clear();
        self.inside = 0;
    }

    /// True if nothing is in flight and nothing acknowledged is off the platters.
    pub fn is_at_rest(&self) -> bool {
        let empty = self.cache.unsafe_bytes() == 0 && self.pending.is_empty();
        self.gone || self.inside == 0 && self.overflow.is_empty() && empty
    }
}

/// The units that a command touches: their place in the command, and on the disk.
fn units_of<P: Payload>(command: &Command<P>) -> impl Iterator<Item = (u64, u64)> + use<P> {
    let first = command.start / UNIT;
    let end = (command.start + u64::from(command.len)).div_ceil(UNIT);
    let units = if P::CARRIED { first..end } else { 0..0 };
    units.map(move |unit| (unit - first, unit))
}
