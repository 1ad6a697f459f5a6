//! A served drive: the model says when a request ends and what a power cut leaves, the contents
//! have the bytes.

mod ends;
mod faults;
mod kept;
mod recover;
mod spaces;
mod tallies;

use crate::contents::Contents;
use crate::spaces::Spaces;
use ends::Ends;
use engine::{Duration, Instant, Power};
pub use faults::Immune;
use iopath::device::flash::config::Protection;
use iopath::device::flash::drive::DriveState;
use iopath::kernel::command::{Command, Op, Status};
use iopath::machine::Machine;
use iopath::machine::system::{BlockDevice, Built, NodeSpec, SystemSpec};
pub use kept::{KeptError, is_kept};
pub use recover::Cut;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
pub use tallies::{OpSummary, OpTally, Tallies};

/// Events of the model between two looks at the sockets, at most.
const EVENTS_AT_ONCE: u64 = 20_000;

/// What a client asks of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ask {
    /// The bytes of a range.
    Read,
    /// These bytes at the beginning of the range.
    Write(Vec<u8>),
    /// Zeros.
    WriteZeros {
        /// Whether the blocks may be given up instead.
        may_trim: bool,
    },
    /// The range is needed no more.
    Trim,
    /// Everything acknowledged is durable when this ends.
    Flush,
}

/// A request as it arrives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The device, from 0.
    pub device: usize,
    /// What is asked.
    pub ask: Ask,
    /// First byte on the device.
    pub start: u64,
    /// Bytes.
    pub len: u64,
    /// Durable before it ends (FUA).
    pub durable: bool,
    /// The drive does it of itself, as a format gives up what it formats: it is not counted, and
    /// it reaches what is closed to clients.
    pub own: bool,
    /// The caller's own name for it.
    pub ticket: u64,
}

/// A request at its end.
#[derive(Debug)]
pub struct End {
    /// The caller's own name for it.
    pub ticket: u64,
    /// When the model ends it.
    pub due: Instant,
    /// What was read, or why nothing can be answered.
    pub result: Result<Vec<u8>, Fault>,
}

/// Why a request failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The medium cannot give the data back.
    #[error("media error")]
    Media,
    /// The drive takes no more writes.
    #[error("write-protected")]
    WriteProtected,
    /// The drive has no power, or has failed.
    #[error("the device is gone")]
    Gone,
    /// The range is being formatted or sanitized.
    #[error("the drive is being formatted or sanitized")]
    Closed,
    /// The store of the contents is full.
    #[error("the store is full")]
    Full,
    /// The store cannot be read or written.
    #[error("the store failed")]
    Store,
}

/// What a drive does when it is asked to flush.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flushes {
    /// As the model says.
    #[default]
    Honoured,
    /// It says that it has, and has not: flushes and FUA are answered and ignored.
    Ignored,
}

/// A request that is under way.
#[derive(Clone, Debug)]
struct Pending {
    ticket: u64,
    device: usize,
    kind: Kind,
    start: u64,
    len: u64,
    arrived: Instant,
    own: bool,
    /// Number of the write; for a flush the number below which all was acknowledged before it.
    order: u64,
}

/// What a request is, without its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Read,
    Write,
    Trim,
    Flush,
}

/// A drive or a system as clients see it.
pub struct LiveDrive {
    machine: Machine<u32, Ends>,
    system: SystemSpec,
    seed: u64,
    built: Built,
    flash: Vec<u16>,
    contents: Vec<Contents>,
    pending: Vec<Option<Pending>>,
    free: Vec<u32>,
    ended: VecDeque<End>,
    flushes: Flushes,
    /// Whether all that is acknowledged survives a power cut.
    protected: bool,
    powered: bool,
    /// The number of the next write.
    order: u64,
    /// The version of the next write; 0 is that of what was never written.
    version: u32,
    /// Numbers of the writes under way.
    writing: BTreeSet<u64>,
    tallies: Tallies,
    cuts: u64,
    /// Units that each flash drive had written when it was prepared, by its address.
    prepared: BTreeMap<u16, u64>,
    /// Namespaces of the first device, if they are not one that is all of it.
    spaces: Option<Spaces>,
    /// Ranges of the first device, first byte and bytes, that are being formatted or sanitized.
    closed: Vec<(u64, u64)>,
    past: kept::Past,
    caps: Caps,
}

/// Limits of the mean power of its flash drives; the lower one counts.
#[derive(Clone, Copy, Debug, Default)]
struct Caps {
    of_state: Option<Power>,
    from_outside: Option<Power>,
}

impl LiveDrive {
    /// Builds the drives of a system and brings them into a state. `contents` makes the contents of
    /// the device of a number, given its bytes and those of a block.
    ///
    /// # Errors
    /// What `contents` says.
    pub fn build<E>(
        system: &SystemSpec,
        (state, seed): (&DriveState, u64),
        flushes: Flushes,
        mut contents: impl FnMut(usize, u64, u64) -> Result<Contents, E>,
    ) -> Result<Self, E> {
        let mut machine = Machine::new(Ends::default());
        // The real host interrupts and wakes up by itself.
        let system = &system.without_jitter();
        let built = system.build(&mut machine, seed);
        let block = system.flash().map(|config| config.unit_bytes()).max().unwrap_or(0).max(4096);
        let devices = built.devices.iter().enumerate();
        let contents = devices
            .map(|(number, device)| contents(number, device.bytes, block))
            .collect::<Result<Vec<_>, E>>()?;
        let name = system.flash().next().map_or("", |config| config.name.as_str());
        let mut stream = engine::Stream::new(seed, &format!("{name}/prepare"));
        machine.prepare(state, &mut stream);
        machine.resume();
        machine.idle(Duration::ZERO);
        let protected = is_protected(system);
        let flash: Vec<u16> = system.flash_places().map(|place| built.addresses[place]).collect();
        let spaces = contents.first().and_then(|contents| {
            let (kept, bytes) = (contents.spaces()?, contents.bytes());
            Spaces::of_kept(kept, bytes, contents.block()).ok()
        });
        let written = |address: &u16| (*address, machine.drive(*address).ftl().ledger().total());
        Ok(LiveDrive {
            prepared: flash.iter().map(written).collect(),
            spaces,
            closed: Vec::new(),
            machine,
            system: system.clone(),
            seed,
            flash,
            built,
            contents,
            pending: Vec::new(),
            free: Vec::new(),
            ended: VecDeque::new(),
            flushes,
            protected,
            powered: true,
            order: 1,
            version: 1,
            writing: BTreeSet::new(),
            tallies: Tallies::default(),
            cuts: 0,
            past: kept::Past::default(),
            caps: Caps::default(),
        })
    }

    /// The devices, in the order of the host.
    pub fn devices(&self) -> &[BlockDevice] {
        &self.built.devices
    }

    /// Bytes of the blocks whose versions the model keeps.
    pub fn block(&self) -> u64 {
        self.contents.first().map_or(4096, Contents::block)
    }

    /// Time of the last event of the model.
    pub fn now(&self) -> Instant {
        self.machine.context.queue.now()
    }

    /// When the model has something to do next.
    pub fn next(&self) -> Option<Instant> {
        self.machine.context.queue.peek()
    }

    /// The seed of its random streams.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Requests under way.
    pub fn under_way(&self) -> usize {
        self.pending.len() - self.free.len()
    }

    /// Whether it has power.
    pub fn is_powered(&self) -> bool {
        self.powered
    }

    /// What was asked and how long it took, so far.
    pub fn tallies(&self) -> &Tallies {
        &self.tallies
    }

    /// The machine, to look at its drives.
    pub fn machine(&self) -> &Machine<u32, impl iopath::kernel::probe::Probe<u32>> {
        &self.machine
    }

    /// The addresses of its flash drives in the machine.
    pub fn flash(&self) -> impl Iterator<Item = u16> + '_ {
        self.flash.iter().copied()
    }

    /// Bytes that the flash drive at an address has programmed since it was prepared, before it was
    /// switched off too.
    pub fn programmed_bytes(&self, address: u16) -> u64 {
        let drive = self.machine.drive(address);
        let prepared = self.prepared_units(address);
        let units = drive.ftl().ledger().total().saturating_sub(prepared);
        units * u64::from(drive.config().geometry.unit_bytes)
    }

    /// Units that it had written by then; none if it took the place of another one since.
    fn prepared_units(&self, address: u16) -> u64 {
        self.prepared.get(&address).copied().unwrap_or(0)
    }

    /// How long a read of one block takes in the model, alone, at the beginning of the first
    /// device. Nothing may be under way.
    pub fn read_latency(&mut self) -> Duration {
        self.machine.drain();
        let (device, issued, block) = (self.built.devices[0], self.now(), self.block());
        let len = u32::try_from(block.min(device.bytes)).unwrap_or(u32::MAX);
        self.machine.issue(Command {
            target: device.address,
            namespace: device.namespace,
            issued,
            ..Command::new(Op::Read, 0, len)
        });
        self.machine.drain();
        let done = std::mem::take(&mut self.machine.context.probe.done);
        self.machine.idle(Duration::ZERO);
        done.first().map_or(Duration::ZERO, |done| done.at.since(issued))
    }

    /// How a range of a device is held.
    pub fn stretches(&self, device: usize, start: u64, len: u64) -> Vec<crate::contents::Stretch> {
        self.contents[device].stretches(start, len)
    }

    /// A request arrives at `at`, or now if the model is further. Its end comes from
    /// [`LiveDrive::take_end`].
    pub fn submit(&mut self, arrival: Arrival, at: Instant) {
        let at = at.max(self.now());
        if !self.powered {
            return self.refuse(arrival.ticket, at, Fault::Gone);
        }
        if self.is_closed(&arrival) {
            return self.refuse(arrival.ticket, at, Fault::Closed);
        }
        if arrival.ask == Ask::Flush && self.flushes == Flushes::Ignored {
            let result = Ok(Vec::new());
            return self.ended.push_back(End { ticket: arrival.ticket, due: at, result });
        }
        self.machine.run_to(at);
        if let Err(error) = self.change(&arrival) {
            // Whatever was written of it is taken back.
            let full = error.kind() == std::io::ErrorKind::StorageFull;
            let _ = self.contents[arrival.device].take_back(self.order);
            return self.refuse(arrival.ticket, at, if full { Fault::Full } else { Fault::Store });
        }
        self.issue(&arrival, at);
    }

    /// Gives the request to the model.
    fn issue(&mut self, arrival: &Arrival, at: Instant) {
        let (op, kind) = operation(arrival, self.block());
        let device = self.built.devices[arrival.device];
        let payload = if kind == Kind::Write { self.version } else { 0 };
        let order = match kind {
            Kind::Write | Kind::Trim => self.begin_write(),
            Kind::Read | Kind::Flush => self.settled(),
        };
        let slot = self.keep(Pending {
            ticket: arrival.ticket,
            device: arrival.device,
            kind,
            start: arrival.start,
            len: arrival.len,
            arrived: at,
            own: arrival.own,
            order,
        });
        let durable = arrival.durable && kind == Kind::Write && self.flushes == Flushes::Honoured;
        self.machine.issue(Command {
            target: device.address,
            namespace: device.namespace,
            durable,
            tag: slot,
            payload,
            issued: at,
            // Lengths beyond 4 GiB are no request of any protocol.
            ..Command::new(op, arrival.start, u32::try_from(arrival.len).unwrap_or(u32::MAX))
        });
        self.collect();
    }

    /// A write is under way: returns its number.
    fn begin_write(&mut self) -> u64 {
        let order = self.order;
        self.writing.insert(order);
        self.order += 1;
        // 0 is the version of what was never written.
        self.version = self.version.wrapping_add(1).max(1);
        order
    }

    fn refuse(&mut self, ticket: u64, due: Instant, fault: Fault) {
        self.ended.push_back(End { ticket, due, result: Err(fault) });
    }

    fn keep(&mut self, pending: Pending) -> u32 {
        match self.free.pop() {
            Some(slot) => {
                self.pending[slot as usize] = Some(pending);
                slot
            }
            None => {
                self.pending.push(Some(pending));
                engine::narrow(self.pending.len() - 1)
            }
        }
    }

    /// The number below which every write has been acknowledged.
    fn settled(&self) -> u64 {
        self.writing.first().copied().unwrap_or(self.order)
    }

    /// Changes the contents as the request wants.
    fn change(&mut self, arrival: &Arrival) -> std::io::Result<()> {
        let (block, version, order) = (self.block(), self.version, self.order);
        let contents = &mut self.contents[arrival.device];
        let (start, len) = (arrival.start, arrival.len);
        match &arrival.ask {
            Ask::Write(data) => contents.write(start, data, version, order),
            Ask::WriteZeros { .. } if operation(arrival, block).1 == Kind::Write => {
                contents.write_zeros(start, len, version, order)
            }
            Ask::WriteZeros { .. } | Ask::Trim => contents.trim(start, len, order),
            Ask::Read | Ask::Flush => Ok(()),
        }
    }

    /// Lets the model run until `until`, or for a while if it has much to do. True if it got there.
    pub fn run(&mut self, until: Instant) -> bool {
        let stop = self.machine.run(until, EVENTS_AT_ONCE);
        self.collect();
        stop != iopath::machine::Stop::Events
    }

    /// The next request that has ended.
    pub fn take_end(&mut self) -> Option<End> {
        self.ended.pop_front()
    }

    /// Takes what the probe has seen.
    fn collect(&mut self) {
        for done in std::mem::take(&mut self.machine.context.probe.done) {
            let Some(pending) = self.pending[done.slot as usize].take() else { continue };
            self.free.push(done.slot);
            let result = self.end(&pending, done.status);
            if !pending.own {
                self.tallies.count(pending.kind, pending.len, done.at.since(pending.arrived));
            }
            self.ended.push_back(End { ticket: pending.ticket, due: done.at, result });
        }
    }

    fn end(&mut self, pending: &Pending, status: Status) -> Result<Vec<u8>, Fault> {
        if matches!(pending.kind, Kind::Write | Kind::Trim) {
            self.writing.remove(&pending.order);
        }
        let contents = &mut self.contents[pending.device];
        match status {
            Status::Ok => {}
            Status::MediaError => return Err(Fault::Media),
            Status::WriteProtected => {
                contents.take_back(pending.order).map_err(|_| Fault::Store)?;
                return Err(Fault::WriteProtected);
            }
            Status::DeviceGone => return Err(Fault::Gone),
        }
        if pending.kind == Kind::Read {
            let mut data = vec![0; usize::try_from(pending.len).unwrap_or(0)];
            contents.read(pending.start, &mut data).map_err(|_| Fault::Store)?;
            return Ok(data);
        }
        if pending.kind == Kind::Flush {
            self.contents.iter_mut().for_each(|contents| contents.settle(pending.order));
        } else if self.protected {
            let settled = self.settled();
            self.contents.iter_mut().for_each(|contents| contents.settle(settled));
        }
        Ok(Vec::new())
    }
}

/// What the model is asked for.
fn operation(arrival: &Arrival, block: u64) -> (Op, Kind) {
    let whole = arrival.start.is_multiple_of(block) && arrival.len.is_multiple_of(block);
    match arrival.ask {
        Ask::Read => (Op::Read, Kind::Read),
        Ask::Write(_) => (Op::Write, Kind::Write),
        Ask::WriteZeros { may_trim } if may_trim && whole => (Op::Trim, Kind::Trim),
        Ask::WriteZeros { .. } => (Op::Write, Kind::Write),
        Ask::Trim => (Op::Trim, Kind::Trim),
        Ask::Flush => (Op::Flush, Kind::Flush),
    }
}

/// Whether all that is acknowledged survives a power cut, so that it need not be kept twice.
fn is_protected(system: &SystemSpec) -> bool {
    system.nodes.iter().all(|node| match node {
        NodeSpec::Flash(config) => config.buffer.protection != Protection::Volatile,
        NodeSpec::Disk(config) => !config.buffer.write_cache,
        NodeSpec::XPoint(_) | NodeSpec::Path { .. } | NodeSpec::Raid { .. } => true,
        // What a cache loses depends on its policies: the versions say it.
        NodeSpec::Tier { .. } | NodeSpec::Cache { .. } => false,
    })
}
