//! Arrays: RAID 0, 1, 5, 6 and 10 over nodes below.
//!
//! The path of a command: `submit` -> the array's own cost -> reads, and writes of RAID 0,
//! go straight to members (`direct.rs`); writes with redundancy, and reads of what a member cannot
//! give, are operations of the stripe cache (`operate.rs`, `stripe.rs`) -> commands to members ->
//! completion. Rebuild and resync (`sync.rs`) are operations too, so locks keep them apart.

pub mod config;
mod device;
mod direct;
mod dirty;
mod engine;
mod follow;
pub mod layout;
mod marks;
mod members;
mod operate;
pub mod parity;
pub mod plan;
mod spread;
mod status;
mod stripe;
mod sync;
mod tags;

pub use config::{
    Bitmap, Fault, Level, Lock, Modify, ParityLayout, RaidConfig, ReadBalance, StripeEngine,
    SyncPolicy, WriteLog, WritePolicy,
};
pub use layout::Layout;
pub use status::{Pace, RaidHealth, RaidStatus, Recovery};

use crate::kernel::Context;
use crate::kernel::command::{Command, CommandId, Op, Status};
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use ::engine::{Instant, narrow};
use dirty::Regions;
use engine::Engine;
use follow::Follow;
use members::Members;
use std::collections::VecDeque;
use stripe::Stripes;
use sync::Sync;

/// The array's own event kinds.
mod kind {
    /// The array has taken note of a command; argument: the command.
    pub const BEGIN: u16 = 0;
    /// The parity of an operation is calculated; argument: the operation.
    pub const COMPUTED: u16 = 1;
    /// A partial stripe has waited long enough for more.
    pub const GATHERED: u16 = 2;
    /// A rebuild or resync may continue.
    pub const SYNC: u16 = 3;
    /// Regions may have been quiet for long enough.
    pub const CLEAN: u16 = 4;
    /// Power is back.
    pub const START: u16 = 5;
}

/// What a command to a member is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Purpose {
    /// Part of a command of the host, named by `owner`.
    Host,
    /// Part of an operation of the stripe cache, named by `owner`.
    Operation,
    /// Marks of regions.
    Marks,
    /// A flush before regions are marked clean.
    Quiet,
    /// Nobody waits for it.
    Nobody,
}

/// One command to a member.
#[derive(Clone, Copy, Debug)]
struct Part {
    purpose: Purpose,
    slot: u8,
    member: u16,
    owner: u32,
}

/// Commands to members in flight, in slots that are used again.
#[derive(Default)]
struct Parts {
    slots: Vec<Part>,
    free: Vec<u32>,
}

impl Parts {
    fn insert(&mut self, part: Part) -> u32 {
        if let Some(place) = self.free.pop() {
            self.slots[place as usize] = part;
            return place;
        }
        self.slots.push(part);
        narrow(self.slots.len() - 1)
    }

    fn remove(&mut self, place: u32) -> Part {
        self.free.push(place);
        self.slots[place as usize]
    }

    fn live(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    fn clear(&mut self) {
        self.slots.clear();
        self.free.clear();
    }
}

/// An array.
pub struct Raid<P: Payload> {
    config: RaidConfig,
    layout: Layout,
    members: Members,
    engine: Engine,
    stripes: Stripes<P>,
    parts: Parts,
    regions: Regions,
    sync: Option<Sync>,
    /// Rebuilds stay at their beginning.
    at_start: bool,
    follow: Follow,
    /// Where its events go; another one after each power cut.
    node: u16,
    /// What parents know it by.
    address: u16,
    /// Commands of the host inside, and how many there have been.
    hosts: u32,
    arrivals: u64,
    /// Writes to stripes that have not all been taken into the stripe cache.
    queue: VecDeque<CommandId>,
    /// Pages of rows in the stripe cache.
    rows: u32,
    /// Operations that may begin.
    ready: VecDeque<u32>,
    /// Partial stripes that gather: until when, which, and its sequence.
    gathering: VecDeque<(Instant, u32, u64)>,
    /// Partial stripes that wait until fewer are being read.
    held: VecDeque<(u32, u64)>,
    /// Partial stripes that were held back and may begin.
    released: VecDeque<u32>,
    /// Partial stripes that are being read.
    reading: u32,
    /// Operations that wait for marks: those whose marks are on the way, and the next.
    marking: Vec<u32>,
    to_mark: Vec<u32>,
    marks_pending: u32,
    quiet_pending: u32,
    clean_timer: bool,
    /// Nothing new in the background.
    resting: bool,
    gone: bool,
    /// Too many members have failed.
    lost: bool,
    /// A rebuild met data that cannot be read; it is not tried again.
    rebuild_failed: bool,
    /// Bytes of the volume whose redundancy may be wrong while a member is missing.
    at_risk: u64,
    /// Runs of neighbouring chunks on each slot or column, while a command is split.
    runs: Vec<(u64, u64)>,
}

impl<P: Payload> Raid<P> {
    /// An array that is clean over fresh nodes: their addresses and bytes, members first and then
    /// spares.
    ///
    /// # Panics
    /// If [`RaidConfig::check`] finds a fault.
    pub fn new(config: RaidConfig, below: &[(u16, u64)], node: u16) -> Self {
        let capacities: Vec<u64> = below.iter().map(|&(_, bytes)| bytes).collect();
        if let Err(fault) = config.check(&capacities) {
            panic!("{}: {}", config.name, fault.message);
        }
        let least = capacities.iter().copied().min().unwrap_or(0);
        let layout = Layout::new(&config, least);
        let addresses: Vec<u16> = below.iter().map(|&(address, _)| address).collect();
        let bytes = layout.member_bytes();
        let (region, after) = match config.bitmap {
            Some(bitmap) => (bitmap.region, bitmap.clean_after),
            None => (bytes, config.clean_after),
        };
        Raid {
            members: Members::new(&addresses, config.members),
            engine: Engine::new(&config.engine),
            stripes: Stripes::new(config.writes.lock == Lock::Stripe, layout.parities() == 0),
            parts: Parts::default(),
            regions: Regions::new(region, bytes, after, config.metadata > 0),
            sync: None,
            at_start: false,
            follow: Follow::default(),
            node,
            address: node,
            hosts: 0,
            arrivals: 0,
            queue: VecDeque::new(),
            rows: 0,
            ready: VecDeque::new(),
            gathering: VecDeque::new(),
            held: VecDeque::new(),
            released: VecDeque::new(),
            reading: 0,
            marking: Vec::new(),
            to_mark: Vec::new(),
            marks_pending: 0,
            quiet_pending: 0,
            clean_timer: false,
            resting: false,
            gone: false,
            lost: false,
            rebuild_failed: false,
            at_risk: 0,
            runs: vec![(0, 0); config.members as usize],
            layout,
            config,
        }
    }

    /// The configuration the array was built from.
    pub fn config(&self) -> &RaidConfig {
        &self.config
    }

    /// The map of the array.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Busy time and number of the array's own threads; `None` without any.
    pub fn busy(&self) -> Option<(::engine::Duration, u32)> {
        self.engine.busy()
    }

    /// Whether redundancy can replace a member.
    fn redundant(&self) -> bool {
        self.config.level != Level::Raid0
    }

    fn parity(&self) -> bool {
        self.layout.parities() > 0
    }

    fn begin<O: Probe<P>>(&mut self, context: &mut Context<P, O>, id: CommandId) {
        let command = *context.commands.get(id);
        if self.lost {
            return self.part_done(context, id, Status::DeviceGone);
        }
        match command.op {
            Op::Read => self.read(context, id),
            Op::Write | Op::Trim if self.parity() => return self.queue.push_back(id),
            Op::Write | Op::Trim => self.write_plain(context, id),
            Op::Flush => self.flush(context, id),
        }
        self.part_done(context, id, Status::Ok);
    }

    fn flush<O: Probe<P>>(&mut self, context: &mut Context<P, O>, id: CommandId) {
        for slot in 0..self.config.members {
            if self.members.at(slot).is_some() {
                context.commands.get_mut(id).remaining += 1;
                let flush = Command::new(Op::Flush, 0, 0);
                self.send(context, slot, Purpose::Host, id.0, flush);
            }
        }
    }

    /// A part of a command of the host has ended.
    fn part_done<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        id: CommandId,
        status: Status,
    ) {
        let now = context.queue.now();
        let command = context.commands.get_mut(id);
        if status != Status::Ok {
            command.status = status;
        }
        command.remaining -= 1;
        if command.remaining == 0 {
            self.hosts -= 1;
            context.complete(id, now);
        }
    }

    /// Sends a command to the member in a slot, which has one.
    fn send<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        slot: u32,
        purpose: Purpose,
        owner: u32,
        command: Command<P>,
    ) -> CommandId {
        let index = self.members.at(slot).unwrap_or_default();
        let member = &mut self.members.all[index as usize];
        member.outstanding += 1;
        let place = self.parts.insert(Part { purpose, slot: narrow(slot), member: index, owner });
        let (target, now) = (member.address, context.queue.now());
        context.send(Command { target, parent: self.node, tag: place, issued: now, ..command })
    }

    /// A command to a member has ended.
    #[inline]
    fn completed<O: Probe<P>>(&mut self, context: &mut Context<P, O>, child: CommandId) {
        let units = context.data.take(child);
        let command = context.commands.remove(child);
        let part = self.parts.remove(command.tag);
        let member = &mut self.members.all[part.member as usize];
        member.outstanding -= 1;
        member.head = command.start + command.len as u64;
        let broken = match command.status {
            Status::Ok => false,
            Status::DeviceGone => true,
            // A member that cannot keep what it is given is of no use; RAID 0 has no other.
            Status::MediaError | Status::WriteProtected => {
                command.op != Op::Read && self.redundant()
            }
        };
        if broken {
            self.fail_member(context, part.member);
        }
        match part.purpose {
            Purpose::Host => self.host_part(context, part, &command, units),
            Purpose::Operation => self.operation_part(context, part, &command, units),
            Purpose::Marks => self.marks_part(context),
            Purpose::Quiet => self.quiet_part(context),
            Purpose::Nobody => {}
        }
    }

    /// Begins what may begin, until nothing is left to begin.
    fn settle<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        loop {
            while let Some(op) = self.ready.pop_front() {
                self.unblocked(context, op);
            }
            self.begin_released(context);
            if !self.admit(context) && self.ready.is_empty() && self.released.is_empty() {
                return;
            }
        }
    }

    /// True if nothing is in flight.
    pub fn is_at_rest(&self) -> bool {
        self.gone || self.hosts == 0 && self.stripes.live() == 0 && self.parts.live() == 0
    }
}
