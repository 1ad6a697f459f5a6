//! A write-back volume cache: memory in front of a node, volatile or protected.
//!
//! The path of a write: `submit` -> the lock of the cache and the copy into it -> lines
//! become dirty, and the write is acknowledged. Dirty lines are written below in the background
//! (`destage.rs`). A read of lines that are all there is a copy; any other goes below.

mod config;
mod destage;
mod device;
mod lines;

pub use config::{CacheConfig, DestageOrder, Retention};

use crate::kernel::Context;
use crate::kernel::command::{Command, CommandId, Op, Status};
use crate::kernel::data::UNIT;
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use destage::Epochs;
use engine::{FifoServer, FifoServers, Instant, index, narrow};
use lines::{Lines, State};
use std::collections::VecDeque;

/// The cache's own event kinds.
mod kind {
    /// Bookkeeping and copying are done; argument: the command.
    pub const BEGIN: u16 = 0;
    /// A run of dirty lines may be sent below; argument: the part.
    pub const SEND: u16 = 1;
    /// No command may have come for long enough.
    pub const IDLE: u16 = 2;
    /// Power is back.
    pub const START: u16 = 3;
}

/// What a command to the node below is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Purpose {
    /// A read of the host goes through.
    Read(CommandId),
    /// A line of which a write covers only a part.
    Fill,
    /// Dirty lines are written.
    Destage,
    /// A trim of the host goes through.
    Trim(CommandId),
    /// A flush of the host, or a durable write, has emptied the cache.
    Flush(CommandId),
}

/// A command to the node below.
struct Part<P> {
    purpose: Purpose,
    /// Lines that it is for.
    first: u64,
    count: u64,
    /// In tests: what the cache held of a read when it came.
    held: Vec<Option<P>>,
}

/// A write-back cache in front of a node.
pub struct Cache<P: Payload> {
    config: CacheConfig,
    below: u16,
    capacity: u64,
    lines: Lines<P>,
    /// The lock on the lines.
    lock: FifoServer,
    threads: Option<FifoServers>,
    parts: Vec<Part<P>>,
    free_parts: Vec<u32>,
    /// Where its events go; another one after each power cut.
    node: u16,
    /// What parents know it by.
    address: u16,
    /// Commands of the host inside.
    hosts: u32,
    /// Writes and trims that have not all been taken in, in order.
    queue: VecDeque<CommandId>,
    /// The first of them waits for the node below.
    filling: u32,
    /// It is a trim.
    trimming: bool,
    /// Commands that write dirty lines.
    destaging: u32,
    epochs: Epochs,
    /// Lines that may be dirty before they are written, and before writes wait.
    low: u64,
    high: u64,
    last_command: Instant,
    idle_timer: bool,
    /// Everything dirty is to be written, since the host is silent.
    emptying: bool,
    resting: bool,
    gone: bool,
    /// How the node below failed.
    broken: Option<Status>,
}

impl<P: Payload> Cache<P> {
    /// An empty cache before the node at `below`, which has `capacity` bytes.
    ///
    /// # Panics
    /// If [`CacheConfig::check`] finds a fault.
    pub fn new(config: CacheConfig, below: u16, capacity: u64, node: u16) -> Self {
        if let Err(fault) = config.check(capacity) {
            panic!("{}: {}", config.name, fault.message);
        }
        let most = config.lines();
        let threads =
            (config.threads > 0 && config.pool.is_none()).then(|| FifoServers::new(config.threads));
        Cache {
            lines: Lines::new(most, (config.line as u64 / UNIT) as usize, config.order),
            lock: FifoServer::default(),
            threads,
            parts: Vec::new(),
            free_parts: Vec::new(),
            below,
            capacity,
            node,
            address: node,
            hosts: 0,
            queue: VecDeque::new(),
            filling: 0,
            trimming: false,
            destaging: 0,
            epochs: Epochs::default(),
            low: config.dirty_low.of(most),
            high: config.dirty_high.of(most),
            last_command: Instant::ZERO,
            idle_timer: false,
            emptying: false,
            resting: false,
            gone: false,
            broken: None,
            config,
        }
    }

    /// The configuration the cache was built from.
    pub fn config(&self) -> &CacheConfig {
        &self.config
    }

    /// Bytes that are not below for certain: what a power cut would cost a volatile cache.
    pub fn dirty_bytes(&self) -> u64 {
        self.lines.unsaved() * self.config.line as u64
    }

    /// Flushes and durable writes have to empty the cache.
    fn honours(&self) -> bool {
        self.config.honours_flush && self.config.retention == Retention::Volatile
    }

    /// The lines that a range touches.
    fn range(&self, start: u64, len: u64) -> (u64, u64) {
        let line = self.config.line as u64;
        (start / line, (start + len).div_ceil(line))
    }

    fn holds(&self, first: u64, end: u64) -> bool {
        (first..end).all(|line| self.lines.find(line).is_some())
    }

    /// When a command that touches lines and copies bytes is through, of which so many move in the
    /// memory.
    fn spend<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        lines: u64,
        copied: u64,
        moved: u64,
    ) -> Instant {
        let now = context.queue.now();
        let c = &self.config;
        let mut at = self.lock.serve(now, c.command + c.per_line * lines);
        if let (Some(rate), true) = (c.copy, copied > 0) {
            let cost = rate.time_for(copied);
            at = at.max(match (&mut self.threads, c.pool) {
                (Some(threads), _) => threads.serve(now, cost),
                (None, Some(pool)) => context.shared.pools[pool].serve(now, cost),
                (None, None) => now,
            });
        }
        if let (Some((pool, rate)), true) = (c.memory, moved > 0) {
            at = at.max(context.shared.pools[pool].serve(now, rate.time_for(moved)));
        }
        at
    }

    fn begin<O: Probe<P>>(&mut self, context: &mut Context<P, O>, id: CommandId) {
        if let Some(status) = self.broken {
            return self.end(context, id, status);
        }
        match context.commands.get(id).op {
            Op::Read => self.read(context, id),
            Op::Write | Op::Trim => self.queue.push_back(id),
            Op::Flush => self.flush(context, id),
        }
    }

    /// Ends a command of the host.
    fn end<O: Probe<P>>(&mut self, context: &mut Context<P, O>, id: CommandId, status: Status) {
        let now = context.queue.now();
        context.commands.get_mut(id).status = status;
        self.hosts -= 1;
        self.last_command = now;
        context.complete(id, now);
        self.watch_idle(context);
    }

    fn part(&mut self, part: Part<P>) -> u32 {
        if let Some(place) = self.free_parts.pop() {
            self.parts[place as usize] = part;
            return place;
        }
        self.parts.push(part);
        narrow(self.parts.len() - 1)
    }

    fn send<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        part: u32,
        command: Command<P>,
    ) -> CommandId {
        let now = context.queue.now();
        let (target, parent) = (self.below, self.node);
        context.send(Command { target, parent, tag: part, issued: now, ..command })
    }

    fn read<O: Probe<P>>(&mut self, context: &mut Context<P, O>, id: CommandId) {
        let own = *context.commands.get(id);
        let (first, end) = self.range(own.start, own.len as u64);
        let all = self.holds(first, end);
        let mut held = Vec::new();
        if P::CARRIED {
            for unit in 0..(own.len as u64).div_ceil(UNIT) {
                let tag = self.tag_at(own.start + unit * UNIT);
                match (all, tag) {
                    (true, Some(tag)) => context.data.put(id, unit, tag),
                    _ => held.push(tag),
                }
            }
        }
        if all {
            return self.end(context, id, Status::Ok);
        }
        let purpose = Purpose::Read(id);
        let part = self.part(Part { purpose, first, count: end - first, held });
        let read = Command {
            stream: own.stream,
            queue: own.queue,
            ..Command::new(Op::Read, own.start, own.len)
        };
        self.send(context, part, read);
    }

    /// What the cache holds at a byte.
    fn tag_at(&self, at: u64) -> Option<P> {
        let line = self.config.line as u64;
        let slot = self.lines.find(at / line)?;
        Some(self.lines.tag(slot, (at % line / UNIT) as usize))
    }

    /// Takes in writes and trims in order, as long as there is room.
    fn admit<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        while self.filling == 0
            && let Some(&id) = self.queue.front()
        {
            let own = *context.commands.get(id);
            if let Some(status) = self.broken {
                self.queue.pop_front();
                self.end(context, id, status);
                continue;
            }
            let done = match own.op {
                Op::Trim => self.trim(context, id, &own),
                _ => self.take(context, id, &own),
            };
            if !done {
                return;
            }
            self.queue.pop_front();
        }
    }

    /// Takes in a write, or as much of it as there is room for if it is larger than the cache may
    /// hold. True if all of it is in.
    fn take<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        id: CommandId,
        own: &Command<P>,
    ) -> bool {
        let (first, end) = self.range(own.start, own.len as u64);
        let (mut line, size) = (first + own.progress as u64, self.config.line as u64);
        let stop = own.start + own.len as u64;
        let room = self.high.saturating_sub(self.lines.unsaved());
        let saved = |line| matches!(self.lines.state(line), State::Free | State::Clean);
        let need = match end - line {
            lines if lines <= room => 0,
            lines if lines > self.high => room.min(1) ^ 1,
            _ => (line..end).filter(|&line| saved(line)).count() as u64,
        };
        if need > room {
            return false;
        }
        while line < end && own.len > 0 {
            let state = self.lines.state(line);
            let full = self.lines.unsaved() >= self.high;
            let (from, to) = (line * size, ((line + 1) * size).min(self.capacity));
            let part = own.start > from || stop < to;
            if matches!(state, State::Free | State::Clean) && full
                || part && state == State::Free && self.fill(context, line, from, to)
            {
                context.commands.get_mut(id).progress = narrow(line - first);
                return false;
            }
            let (slot, counts) = self.lines.dirty(line, self.epochs.now());
            if counts {
                self.epochs.enter();
            }
            if P::CARRIED {
                for unit in 0..size / UNIT {
                    let at = line * size + unit * UNIT;
                    if at + UNIT > own.start && at < stop {
                        let i = at.saturating_sub(own.start) / UNIT;
                        let tag = context.data.get(id, i).unwrap_or(own.payload);
                        self.lines.set_tag(slot, index(unit), tag);
                    }
                }
            }
            line += 1;
        }
        if own.durable && self.honours() {
            self.epochs.wait(id);
            self.try_flushes(context);
        } else {
            self.end(context, id, Status::Ok);
        }
        true
    }

    /// Reads a line from below of which a write covers only a part.
    fn fill<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        line: u64,
        from: u64,
        to: u64,
    ) -> bool {
        self.filling = 1;
        let part = Part { purpose: Purpose::Fill, first: line, count: 1, held: Vec::new() };
        let part = self.part(part);
        self.send(context, part, Command::new(Op::Read, from, narrow(to - from)));
        true
    }

    /// Drops lines and passes a trim on. True if the trim is in flight.
    fn trim<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        id: CommandId,
        own: &Command<P>,
    ) -> bool {
        let (first, end) = self.range(own.start, own.len as u64);
        let there = self.lines.within(first, end);
        // Data in flight to the node below must not arrive after the trim.
        let moving =
            |&line: &u64| matches!(self.lines.state(line), State::Destaging | State::Redirtied);
        if there.iter().any(moving) {
            return false;
        }
        // Nothing behind it is taken in before it has ended, and nothing is written below. The
        // lines stay until then: if power fails, what they hold is still promised.
        self.filling = 1;
        self.trimming = true;
        let part = Part { purpose: Purpose::Trim(id), first, count: 0, held: Vec::new() };
        let part = self.part(part);
        self.send(context, part, Command::new(Op::Trim, own.start, own.len));
        true
    }

    /// A trim has ended below: the lines that it covers are dropped.
    fn trimmed(&mut self, own: &Command<P>) {
        let size = self.config.line as u64;
        let stop = own.start + own.len as u64;
        let (first, end) = self.range(own.start, own.len as u64);
        for line in self.lines.within(first, end) {
            let (from, to) = (line * size, ((line + 1) * size).min(self.capacity));
            if own.start > from || stop < to {
                // Lines are kept or dropped as a whole: the trimmed part of this line becomes
                // zeros.
                for at in (from..to).step_by(index(UNIT)) {
                    let slot = self.lines.find(line);
                    if let (true, Some(slot)) = (at >= own.start && at + UNIT <= stop, slot) {
                        self.lines.set_tag(slot, ((at - from) / UNIT) as usize, P::default());
                    }
                }
            } else if let Some(epoch) = self.lines.forget(line) {
                self.epochs.leave(epoch);
            }
        }
    }

    fn flush<O: Probe<P>>(&mut self, context: &mut Context<P, O>, id: CommandId) {
        if !self.honours() {
            return self.end(context, id, Status::Ok);
        }
        self.epochs.wait(id);
        self.try_flushes(context);
    }

    /// True if nothing is in flight; what is dirty may stay so.
    pub fn is_at_rest(&self) -> bool {
        self.gone || self.hosts == 0 && self.parts.len() == self.free_parts.len()
    }
}
