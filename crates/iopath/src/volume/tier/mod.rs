//! A cache tier: a fast device before a slow one, for the blocks of the slow one that are used
//! most.
//!
//! A read takes what is valid from the cache and the rest from the slow device; what was missing
//! may be written to the cache afterwards, which the client does not wait for. A write goes to the
//! cache, to both or to the slow device only ([`config::Mode`]). Dirty data is destaged when the
//! host leaves the tier alone, or when there is too much of it.
//!
//! Order at each block: a slot with anything in flight does not leave. A fill is reserved when the
//! read begins and dropped by any write to the block since. A write to a block whose fill is in
//! flight to the cache waits for it. Sectors become valid when the write to the cache is done, and
//! clean when the slow device has flushed what was destaged, so that a power loss at any point
//! leaves the directory right.
//!
//! What is simplified: the directory itself is written in no time, as is plausible where it is
//! logged beside the data and updates are gathered. Everything the tier writes to the fast device
//! is written durably (FUA), which costs nothing on 3D XPoint and on drives with capacitors.

mod active;
pub mod admission;
mod chain;
pub mod config;
pub mod counters;
mod destage;
mod device;
pub mod directory;
pub mod eviction;
mod faults;
pub mod ghosts;
mod grid;
mod jobs;
pub mod masks;
pub mod ordered;
mod passing;
mod read;
mod saved;
pub mod sequential;
pub mod table;
mod untimed;
mod write;

pub use config::{Mode, TierConfig, TierFault};
pub use counters::TierCounters;
pub use saved::TierStateError;

use crate::kernel::Context;
use crate::kernel::command::{Command, CommandId, Op, Status};
use crate::kernel::data::UNIT;
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use active::{Activity, Filling};
use destage::Destager;
use directory::Directory;
use engine::{Instant, narrow};
use grid::{Grid, Run};
use jobs::{Job, Slab};
use passing::Passing;
use rustc_hash::FxHashMap;
use sequential::Streams;
use std::collections::VecDeque;

mod kind {
    /// The tier looks at a command; argument: the command.
    pub const DISPATCH: u16 = 0;
    /// The host may have left the tier alone for long enough.
    pub const QUIET: u16 = 1;
}

/// Whether the cache is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Use {
    Attached,
    /// Nothing new enters; dirty data leaves.
    Detaching,
    Detached,
}

/// A write that cannot continue yet.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    id: CommandId,
    bypass: bool,
}

/// A cache tier.
pub struct Tier<P: Payload> {
    config: TierConfig,
    grid: Grid,
    /// Addresses of the fast and of the slow device.
    cache: u16,
    backing: u16,
    /// Where its events go; another one after each power cut.
    node: u16,
    /// What parents know it by.
    address: u16,
    directory: Directory,
    activity: Activity,
    jobs: Slab<Job>,
    passing: Passing,
    waiting: VecDeque<Waiting>,
    /// Parts of writes through to both devices that are in the cache, until the client's end.
    through: FxHashMap<u32, Vec<Run>>,
    streams: Streams,
    /// Reads with blocks to fill, and fills, in flight.
    filling: u32,
    /// Blocks that count as dirty because a write to them is in flight.
    reserved: u32,
    destager: Destager<P>,
    counters: TierCounters,
    usage: Use,
    /// When the cache was detached.
    detached_at: Option<Instant>,
    cache_gone: bool,
    backing_gone: bool,
    gone: bool,
    /// Client commands inside.
    inside: u32,
    /// Slots of blocks that will be filled by the read that is being put together.
    to_fill: Vec<u32>,
}

impl<P: Payload> Tier<P> {
    /// An empty cache on the device at `cache` before the one at `backing`, which may hold data.
    ///
    /// # Panics
    /// If [`TierConfig::check`] finds a fault.
    pub fn new(config: TierConfig, cache: u16, backing: u16, node: u16) -> Self {
        if let Err(fault) = config.check(config.cache_bytes, config.backing_bytes) {
            panic!("{}: {}", config.name, fault.message);
        }
        Tier {
            grid: Grid { block: config.block, sector: config.sector },
            directory: Directory::new(&config),
            cache,
            backing,
            node,
            address: node,
            activity: Activity::default(),
            jobs: Slab::default(),
            passing: Passing::default(),
            waiting: VecDeque::new(),
            through: FxHashMap::default(),
            streams: Streams::default(),
            filling: 0,
            reserved: 0,
            destager: Destager::default(),
            counters: TierCounters::default(),
            usage: Use::Attached,
            detached_at: None,
            cache_gone: false,
            backing_gone: false,
            gone: false,
            inside: 0,
            to_fill: Vec::new(),
            config,
        }
    }

    /// The configuration the tier was built from.
    pub fn config(&self) -> &TierConfig {
        &self.config
    }

    /// The directory, to read.
    pub fn directory(&self) -> &Directory {
        &self.directory
    }

    /// What the tier has counted.
    pub fn counters(&self) -> TierCounters {
        let dirty = if self.cache_gone { 0 } else { self.directory.dirty_sectors() };
        TierCounters { dirty_bytes: dirty * self.config.sector, ..self.counters }
    }

    /// When the cache was detached, if it was.
    pub fn detached_at(&self) -> Option<Instant> {
        self.detached_at
    }

    fn dispatch<O: Probe<P>>(&mut self, context: &mut Context<P, O>, id: CommandId) {
        let command = context.commands.get(id);
        let (op, start, len) = (command.op, command.start, command.len as u64);
        if self.backing_gone && op != Op::Read {
            self.note(context, id, Status::DeviceGone);
            return self.end_if_done(context, id, true);
        }
        let mut bypass = false;
        if let (Op::Read | Op::Write, Some(after)) = (op, self.config.bypass_after) {
            bypass = self.streams.note(start, len) >= after;
            self.counters.bypassed_bytes += if bypass { len } else { 0 };
        }
        match op {
            Op::Read => self.read(context, id, bypass),
            Op::Write => {
                self.counters.written_bytes += len;
                if !self.waiting.is_empty() || !self.write(context, id, bypass) {
                    self.waiting.push_back(Waiting { id, bypass });
                }
            }
            Op::Trim => self.trim(context, id),
            Op::Flush => self.flush(context, id),
        }
        self.destage(context);
    }

    /// Sends a command to a device for `job`.
    fn send<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        job: Job,
        command: Command<P>,
    ) -> CommandId {
        let tag = self.jobs.insert(job);
        self.send_for(context, tag, command)
    }

    fn send_for<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        tag: u32,
        command: Command<P>,
    ) -> CommandId {
        let issued = context.queue.now();
        context.send(Command { parent: self.node, tag, issued, ..command })
    }

    /// A command of the client's kind for part of its range on the slow device.
    fn part(&self, client: &Command<P>, start: u64, end: u64) -> Command<P> {
        Command {
            target: self.backing,
            namespace: 0,
            start,
            len: narrow(end - start),
            submitted: Instant::NEVER,
            answered: false,
            status: Status::Ok,
            remaining: 0,
            progress: 0,
            next: None,
            ..*client
        }
    }

    /// The same for a run in the cache; what is written there is written durably.
    fn part_in_cache(&self, client: &Command<P>, run: Run) -> Command<P> {
        let start = self.grid.on_cache(run);
        let durable = client.op == Op::Write;
        let part = self.part(client, run.start, run.end());
        Command { target: self.cache, start, durable, ..part }
    }

    /// Sends part of a client's command; the client waits for it.
    fn send_part<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        client: CommandId,
        job: Job,
        command: Command<P>,
        offset: u64,
    ) -> CommandId {
        context.commands.get_mut(client).remaining += 1;
        let child = self.send(context, job, command);
        if P::CARRIED && command.op == Op::Write {
            for unit in 0..(command.len as u64).div_ceil(UNIT) {
                if let Some(tag) = context.data.get(client, offset / UNIT + unit) {
                    context.data.put(child, unit, tag);
                }
            }
        }
        child
    }

    /// Notes how part of a client's command ended; the first that did not end well counts.
    fn note<O: Probe<P>>(&self, context: &mut Context<P, O>, client: CommandId, status: Status) {
        let command = context.commands.get_mut(client);
        if command.status == Status::Ok {
            command.status = status;
        }
    }

    /// One part of a client's command has ended.
    fn part_done<O: Probe<P>>(&mut self, context: &mut Context<P, O>, client: CommandId) {
        context.commands.get_mut(client).remaining -= 1;
        let command = context.commands.get(client);
        let whole = command.op != Op::Write || command.progress == command.len;
        self.end_if_done(context, client, whole);
    }

    /// Ends a client's command if all of it was begun and no part is in flight.
    fn end_if_done<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        client: CommandId,
        whole: bool,
    ) {
        if !whole || context.commands.get(client).remaining > 0 {
            return;
        }
        if let Some(runs) = self.through.remove(&client.0) {
            let ok = context.commands.get(client).status == Status::Ok;
            self.written_through(&runs, ok);
        }
        if context.commands.get(client).op == Op::Trim {
            self.trimmed(context, client);
        }
        let now = context.queue.now();
        context.complete(client, now);
        self.inside -= 1;
        if self.inside == 0 {
            self.became_quiet(context);
        }
    }

    /// A device has done a command.
    fn completed<O: Probe<P>>(&mut self, context: &mut Context<P, O>, child: CommandId) {
        let units = context.data.take(child);
        let done = context.commands.remove(child);
        let Some(job) = self.jobs.remove(done.tag) else { return };
        if done.status == Status::DeviceGone {
            if done.target == self.cache {
                self.cache_failed();
            } else {
                self.backing_failed(context);
            }
        }
        match job {
            Job::ReadCache { client, run } => {
                self.read_from_cache(context, client, run, &done, units)
            }
            Job::ReadBacking { client, fills } => {
                self.read_from_backing(context, client, fills, &done, units, done.tag);
            }
            Job::WriteCache { client, run } => self.written_to_cache(context, client, run, &done),
            Job::WriteBacking { client } => self.written_to_backing(context, client, &done),
            Job::Flush { client, passed } => self.flushed(context, client, passed, &done),
            Job::Fill { run } => self.filled(run, &done),
            Job::DestageRead { destage, run } => {
                self.destage_read(context, destage, run, &done, units);
            }
            Job::DestageWrite { destage } => self.destage_written(destage, &done),
            Job::Settle { passed } => self.settled(context, passed, &done),
        }
        self.go_on(context);
    }

    /// Lets writes continue that may have waited for what just changed, and destaging.
    fn go_on<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        while let Some(&Waiting { id, bypass }) = self.waiting.front() {
            if !self.write(context, id, bypass) {
                break;
            }
            self.waiting.pop_front();
        }
        self.destage(context);
        self.detach_if_clean(context);
    }

    /// Gives a slot's record back if nothing is in flight, and the slot if it holds nothing.
    fn settle(&mut self, slot: u32) {
        if self.activity.settle(slot) && self.directory.valid(slot) == 0 {
            self.directory.remove(slot);
        }
    }

    /// A fill of this slot must not become valid: something newer is written elsewhere.
    fn drop_fill(&mut self, slot: u32) {
        if !self.activity.is_busy(slot) {
            return;
        }
        let record = self.activity.at(slot);
        record.filling = match record.filling {
            Filling::Reading(_) => Filling::No,
            Filling::Writing(job) => Filling::Dropped(job),
            other => other,
        };
    }

    /// True if nothing is in flight inside the tier.
    pub fn is_at_rest(&self) -> bool {
        self.gone || self.inside == 0 && self.jobs.len() == 0
    }
}
