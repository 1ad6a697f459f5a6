//! A flash drive: link, controller and buffer in front, FTL and flash behind.
//!
//! The path of a read: `submit` -> controller core -> `dispatch` (map) -> flash -> link ->
//! completion. A write is acknowledged when its data is in the buffer (unless the buffer is off);
//! word lines go to the flash as they fill up.

mod admission;
mod background;
mod buffer;
mod cells;
mod collect;
mod device;
mod faults;
mod fetch;
mod heat;
mod link;
mod modify;
mod namespaces;
mod own_time;
mod pace;
mod programs;
mod read;
mod read_ahead;
mod saved;
mod sense;
mod state;
mod stripes;
mod translate;
mod waiting;
mod write;

pub use namespaces::{MOST_NAMESPACES, Namespace, NamespaceFault, Namespaces};
pub use own_time::OwnTime;
pub use state::DriveState;

use crate::device::completion::Completion;
use crate::device::flash::config::{DriveConfig, Protection};
use crate::device::flash::ftl::Ftl;
use crate::device::flash::ftl::compression::Rounding;
use crate::device::flash::ftl::stream::Ready;
use crate::device::flash::geometry::Layout;
use crate::device::flash::nand::Nand;
use crate::device::health::Health;
use crate::kernel::Context;
use crate::kernel::command::{Command, CommandId, Op, Status};
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use background::Background;
use buffer::Buffer;
use cells::CellState;
use collect::Copies;
use engine::{Duration, Event, FifoServers, Instant, Priority, Stream, narrow};
use fetch::Entry;
use link::Link;
use modify::Modifies;
use programs::Programs;
use read_ahead::ReadAhead;
use sense::PageTypes;
use stripes::Stripes;
use translate::Translation;
use waiting::Waiting;

/// The drive's own event kinds, after those of the flash.
mod kind {
    use crate::device::flash::nand::kind::END;
    /// The controller has looked at a command; argument: the command.
    pub const DISPATCH: u16 = END;
    /// A command has left a device whose queue is bounded.
    pub const FINISH: u16 = END + 1;
    /// The host may have left the drive alone for long enough.
    pub const IDLE: u16 = END + 2;
    /// A core can take the next command from the submission queues.
    pub const FETCH: u16 = END + 3;
    /// The cores have set up a batch of copies.
    pub const COPIES: u16 = END + 4;
}

/// Units between the one that a command is at and the one whose place in the map is asked for.
const AHEAD: u64 = 4;

/// A flash drive.
pub struct Drive<P: Payload> {
    config: DriveConfig,
    ftl: Ftl<P>,
    nand: Nand,
    link: Link,
    completion: Completion,
    cores: FifoServers,
    stripes: Stripes,
    namespaces: Namespaces,
    /// First byte on the drive of each namespace.
    bases: Vec<u64>,
    /// Where its events go; another one after each power cut.
    node: u16,
    /// What parents know it by.
    address: u16,
    entry: Entry,
    /// Writes that wait for the buffer or for collection.
    waiting: Waiting,
    buffer: Buffer,
    /// Bytes of one write that are taken in before the next has its turn.
    turn_bytes: u64,
    /// Units of a command that are placed together; see [`DriveConfig::units_at_once`].
    at_once: u32,
    copies: Copies,
    /// Units that collection may be behind, and is ahead of its reserve.
    slack: i64,
    lead: i64,
    background: Background,
    ready: Ready,
    modifies: Modifies<P>,
    programs: Programs,
    page_types: PageTypes,
    read_ahead: Option<Box<ReadAhead>>,
    gone: bool,
    /// Somebody wants to know of arrivals: background work or the temperature.
    watched: bool,
    /// Its temperature, if the model has one.
    heat: Option<Box<heat::DriveHeat>>,
    own_time: OwnTime,
    /// Errors of the cells, if the drive has an age.
    cells: Option<Box<CellState>>,
    /// Something is to be refreshed.
    refresh_due: bool,
    seed: u64,
    /// Commands that wait for parts of the map, if not all of it is in memory.
    translation: Option<Box<Translation>>,
    /// What the FTL's random choices follow from.
    ftl_seed: u64,
    health: Health,
    unit_bytes: u64,
    /// Lengths of compressed units in whole grains.
    rounding: Rounding,
}

impl<P: Payload> Drive<P> {
    /// A fresh drive. Its events go to `node`.
    ///
    /// # Panics
    /// If [`DriveConfig::check`] finds a fault.
    pub fn new(config: DriveConfig, seed: u64, node: u16) -> Self {
        if let Err(fault) = config.check() {
            panic!("{}: {fault}", config.name);
        }
        let layout = Layout::new(config.geometry);
        let unit_bytes = config.unit_bytes();
        let ftl_seed = Stream::new(seed, &format!("{}/ftl", config.name)).bits();
        let mut ftl = new_ftl(&config, &layout);
        ftl.set_seed(ftl_seed);
        Drive {
            nand: Nand::new(&config, seed, node),
            stripes: Stripes::new(&layout),
            ftl,
            ftl_seed,
            translation: config.policies.map_cache.map(|_| Box::default()),
            link: Link::new(&config.link, &config.controller),
            completion: Completion::new(&config.link, seed, &config.name),
            cores: FifoServers::new(config.controller.cores),
            namespaces: Namespaces::whole(config.user_bytes, unit_bytes),
            bases: vec![0],
            node,
            address: node,
            entry: Entry::new(&config),
            waiting: Waiting::default(),
            buffer: Buffer::new(&config.buffer),
            turn_bytes: match config.buffer.admission.turn {
                u32::MAX => u64::MAX,
                units => u64::from(units) * unit_bytes,
            },
            at_once: config.units_at_once(),
            copies: Copies::default(),
            slack: pace::slack(&layout),
            lead: pace::lead(&config, &layout),
            background: Background::default(),
            ready: Ready::new(),
            modifies: Modifies::default(),
            programs: Programs::default(),
            page_types: PageTypes::new(&config),
            read_ahead: config.read_ahead.map(|config| Box::new(ReadAhead::new(config))),
            gone: false,
            watched: config.collection.background.is_some() || config.heat.is_some(),
            heat: config.heat.clone().map(|heat| Box::new(heat::DriveHeat::new(heat))),
            own_time: OwnTime::Same,
            cells: None,
            refresh_due: false,
            seed,
            health: Health::default(),
            unit_bytes,
            rounding: Rounding::default(),
            config,
        }
    }

    /// The configuration the drive was built from.
    pub fn config(&self) -> &DriveConfig {
        &self.config
    }

    /// The FTL, to read.
    pub fn ftl(&self) -> &Ftl<P> {
        &self.ftl
    }

    /// Asks the processor to fetch the map's entry of what begins at byte `at`.
    #[inline]
    pub fn prefetch(&self, at: u64) {
        self.ftl.map().prefetch(u32::try_from(at / self.unit_bytes).unwrap_or(u32::MAX));
    }

    /// The same for a unit that a command to byte `end` comes to after some others.
    #[inline]
    fn prefetch_ahead(&self, at: u64, end: u64) {
        let later = at + AHEAD * self.unit_bytes;
        if later < end {
            self.prefetch(later);
        }
    }

    /// Asks the processor to fetch the map's entry of the command that follows this one. That of
    /// this one was asked for with the one before it; where nothing is known, it is asked for now.
    #[inline]
    fn look_ahead(&self, command: &Command<P>) {
        if matches!(command.op, Op::Read | Op::Write) {
            self.prefetch(self.base(command) + command.next.unwrap_or(command.start));
        }
    }

    /// The flash, to read.
    pub fn nand(&self) -> &Nand {
        &self.nand
    }

    /// Units that it has taken without work on the flash: those in its write buffer and in that of
    /// copies, and those for which no space was collected yet, as far as such buffers could hold.
    /// While they become more, writes are faster than they can stay.
    pub fn on_credit(&self) -> i64 {
        let room = i64::from(self.config.buffer.units) + i64::from(self.config.buffer.copy_units);
        let buffered = i64::from(self.buffer.used()) + i64::from(self.copies.buffered());
        buffered + self.ftl.debt().max(-room)
    }

    /// The drive's own counters.
    pub fn health(&self) -> &Health {
        &self.health
    }

    /// Its namespaces.
    pub fn namespaces(&self) -> &Namespaces {
        &self.namespaces
    }

    /// Replaces the namespaces, at rest; what they hold stays where it is.
    ///
    /// # Panics
    /// If they are those of a larger drive.
    pub fn set_namespaces(&mut self, namespaces: Namespaces) {
        assert!(namespaces.total() <= self.config.user_bytes, "namespaces of a larger drive");
        self.bases = namespaces.starts();
        self.namespaces = namespaces;
    }

    /// First byte on the drive that a command is about.
    #[inline]
    fn on_drive(&self, command: &Command<P>) -> u64 {
        self.base(command) + command.start
    }

    /// First byte on the drive of a command's namespace: the one place where addresses of a
    /// namespace become those of the drive.
    #[inline]
    fn base(&self, command: &Command<P>) -> u64 {
        self.bases[usize::from(command.namespace)]
    }

    /// Changes the limit on mean power.
    pub fn set_power_cap(&mut self, cap: Option<engine::Power>) {
        self.config.power.cap = cap;
        self.apply_caps();
    }

    /// Busy time of the controller's cores over all of them, and of the link's two directions.
    pub fn busy(&self) -> (Duration, Duration, Duration) {
        let (down, up) = self.link.busy();
        (self.cores.busy(), down, up)
    }

    /// Busy time of the controller's data paths for writes and reads.
    pub fn paths_busy(&self) -> (Duration, Duration) {
        self.link.paths_busy()
    }

    /// Time until `now` in which at least one write waited for the buffer or for collection.
    pub fn writes_waited(&self, now: Instant) -> Duration {
        self.waiting.waited(now)
    }

    /// The device takes a command into its queue.
    #[inline]
    fn accept<O: Probe<P>>(&mut self, context: &mut Context<P, O>, id: CommandId) {
        self.entry.enter();
        let now = context.queue.now();
        let op = context.commands.get(id).op;
        self.note_arrival(context, op);
        let command = context.commands.get(id);
        let c = &self.config.controller;
        let (cost, front) = match command.op {
            Op::Read => (c.read_cost, c.read_front_end),
            Op::Write => (c.write_cost, Duration::ZERO),
            Op::Trim | Op::Flush => (c.admin_cost, Duration::ZERO),
        };
        self.look_ahead(command);
        let served = self.cores.serve(now + self.config.link.command_latency, cost);
        let event = Event { node: self.node, kind: kind::DISPATCH, argument: id.0 };
        let mut at = served + front;
        if command.op == Op::Read {
            at = self.nand.admit_energy(at, u64::from(command.len), self.page_bytes());
        }
        context.queue.push(at, Priority::Normal, event);
    }

    /// The controller knows where the data of a command is.
    #[inline]
    fn dispatch<O: Probe<P>>(&mut self, context: &mut Context<P, O>, id: CommandId) {
        match context.commands.get(id).op {
            Op::Read => self.dispatch_read(context, id),
            Op::Write => {
                self.health.write_commands += 1;
                self.waiting.push(id);
                self.go_on(context);
            }
            Op::Trim => self.dispatch_trim(context, id),
            Op::Flush => self.dispatch_flush(context, id),
        }
    }

    /// Schedules the completion of a command whose last byte is through at `at`.
    #[inline]
    fn finish<O: Probe<P>>(&mut self, context: &mut Context<P, O>, id: CommandId, at: Instant) {
        let command = context.commands.get_mut(id);
        command.answered = true;
        let (parent, op, queue) = (command.parent, command.op, command.queue);
        self.note_answer(context, op);
        let done = self.completion.seen(at);
        let event = Event { node: parent, kind: crate::kernel::COMPLETED, argument: id.0 };
        context.queue.push(done, Priority::Normal, event);
        if self.entry.is_unbounded() {
            self.entry.leave();
        } else {
            // A bounded queue frees its place when the device has answered, not before.
            let event = Event { node: self.node, kind: kind::FINISH, argument: queue };
            context.queue.push(at, Priority::Normal, event);
        }
    }

    /// Ends a command that would change data on a drive that takes no more.
    #[cold]
    fn refuse<O: Probe<P>>(&mut self, context: &mut Context<P, O>, id: CommandId) {
        context.commands.get_mut(id).status = Status::WriteProtected;
        let now = context.queue.now();
        self.finish(context, id, now);
    }

    /// Deallocates every unit that is wholly inside the range.
    fn dispatch_trim<O: Probe<P>>(&mut self, context: &mut Context<P, O>, id: CommandId) {
        let command = *context.commands.get(id);
        let start = self.on_drive(&command);
        let first = start.div_ceil(self.unit_bytes);
        let end = (start + command.len as u64) / self.unit_bytes;
        for unit in first..end {
            self.ftl.trim(narrow(unit));
            if !self.modifies.is_empty() {
                self.drop_modify(context, narrow(unit));
            }
        }
        let now = context.queue.now();
        self.finish(context, id, now);
        self.go_on(context);
    }

    /// True if nothing is in flight inside the drive.
    pub fn is_at_rest(&self) -> bool {
        self.gone || self.entry.is_empty() && self.waiting.is_empty() && self.nand.is_at_rest()
    }

    /// All commands of this drive that are in flight complete as gone.
    fn abandon<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        context.abandon(self.address);
        self.entry.clear();
        self.waiting.clear();
        self.programs.abandon();
        if let Some(ahead) = &mut self.read_ahead {
            ahead.forget();
        }
        if let Some(translation) = &mut self.translation {
            translation.clear();
        }
    }
}

/// A translation layer with nothing in it.
fn new_ftl<P: Payload>(config: &DriveConfig, layout: &Layout) -> Ftl<P> {
    let logical: u32 = narrow(config.user_bytes.div_ceil(config.unit_bytes()));
    let keep_undo = config.buffer.protection != Protection::Protected;
    Ftl::new(layout.clone(), logical, config.policies.clone(), keep_undo)
}
