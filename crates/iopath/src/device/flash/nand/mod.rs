//! The flash: dies that sense, program and erase, channels that move pages, and the energy all of
//! that takes.
//!
//! Time passes by events: a sense, a transfer and an array operation (program or erase) each end
//! with one. A die has at most one pending array event and a channel one pending transfer; stale
//! array events carry an old generation and are ignored.

mod array;
mod channel;
mod counters;
mod die;
mod read;

pub use counters::NandCounters;
pub use read::{Fate, PageRead, ReadOwner};

use crate::device::flash::config::{
    DriveConfig, NandTiming, PowerConfig, ProgramLimits, SuspendConfig,
};
use crate::device::flash::ftl::stream::ReadyWordLine;
use channel::{Channel, Transfer};
use die::{Array, Die};
use engine::{Duration, Event, EventQueue, Instant, Priority, RateGate, Stream, narrow};
use read::Reads;
use std::collections::VecDeque;

/// Event kinds that belong to the flash; a drive uses higher ones for itself.
pub mod kind {
    /// A page has been sensed; argument: the read.
    pub const SENSED: u16 = 0;
    /// A channel has moved something; argument: the channel.
    pub const MOVED: u16 = 1;
    /// An array operation ends or is suspended; argument: die and generation.
    pub const ARRAY: u16 = 2;
    /// The first kind that is not the flash's.
    pub const END: u16 = 3;
}

/// A word line on its way to the flash.
#[derive(Clone, Copy, Debug)]
pub struct WordLine {
    /// What is programmed.
    pub ready: ReadyWordLine,
    /// Running number of the program, for flushes.
    pub sequence: u64,
    /// A block must be erased before it.
    pub erase_first: bool,
}

/// What an event of the flash means for the drive.
#[derive(Clone, Copy, Debug)]
pub enum Outcome {
    /// Nothing.
    Nothing,
    /// The data of a read has reached the controller.
    Arrived(PageRead),
    /// A word line has been programmed.
    Programmed(WordLine),
}

/// Bytes of a program that go over a channel in one go.
fn slice(config: &DriveConfig) -> u64 {
    let g = &config.geometry;
    let page = g.page_bytes as u64;
    let line = page * g.planes as u64 * g.pages_per_wl as u64;
    let usual = page.max(16384.min(page * g.planes as u64));
    config.nand.write_burst.map_or(usual, |burst| burst.clamp(page, line.max(page)))
}

/// All dies and channels of a drive.
pub struct Nand {
    timing: NandTiming,
    suspend: SuspendConfig,
    power: PowerConfig,
    limits: ProgramLimits,
    collecting: bool,
    dies: Vec<Die>,
    channels: Vec<Channel>,
    reads: Reads,
    lines: Vec<WordLine>,
    free_lines: Vec<u32>,
    /// Dies that have a program ready and wait for the limit on programs.
    held: VecDeque<u32>,
    programming: u32,
    /// Since when so many are.
    programming_since: Instant,
    energy_gate: Option<RateGate>,
    pages_per_wl: u32,
    line_bytes: u64,
    slc_line_bytes: u64,
    slice_bytes: u64,
    /// Native bytes of a block for each word line that it has in SLC mode.
    slc_erase_debt: u64,
    erase_bytes: u64,
    /// Sense time of each page type; that of SLC blocks comes last.
    senses: Vec<Duration>,
    node: u16,
    random: Stream,
    counters: NandCounters,
}

impl Nand {
    /// The flash of a drive. `node` is where its events go.
    pub fn new(config: &DriveConfig, seed: u64, node: u16) -> Self {
        let g = &config.geometry;
        let mut random = Stream::new(seed, &format!("{}/nand", config.name));
        let die_block_bytes = g.rows as u64 * g.planes as u64 * g.page_bytes as u64;
        let slc_rows = config.policies.slc.as_ref().map_or(1, |slc| u64::from(slc.rows));
        let planes = if config.nand.independent_planes { g.planes } else { 1 };
        let dies = (0..g.dies)
            .map(|d| Die::new(d % g.channels, planes, random.below(config.erase_bytes.max(1))))
            .collect();
        let page = g.page_bytes as u64;
        let mut nand = Nand {
            timing: config.nand.clone(),
            suspend: config.suspend.clone(),
            power: config.power.clone(),
            limits: config.programs,
            collecting: false,
            dies,
            channels: (0..g.channels).map(|_| Channel::default()).collect(),
            reads: Reads::default(),
            lines: Vec::new(),
            free_lines: Vec::new(),
            held: VecDeque::new(),
            programming: 0,
            programming_since: Instant::ZERO,
            energy_gate: None,
            pages_per_wl: g.pages_per_wl,
            line_bytes: page * g.planes as u64 * g.pages_per_wl as u64,
            slc_line_bytes: page * g.planes as u64,
            slice_bytes: slice(config),
            slc_erase_debt: die_block_bytes / slc_rows.max(1),
            erase_bytes: config.erase_bytes,
            senses: config.nand.senses(),
            node,
            random,
            counters: NandCounters::default(),
        };
        nand.set_cap(config.power.cap);
        nand
    }

    /// Changes the limit on mean power.
    pub fn set_cap(&mut self, cap: Option<engine::Power>) {
        self.energy_gate = cap.map(|cap| {
            // A regulator holds the mean below the limit, not at it.
            let above_idle = cap.base().saturating_sub(self.power.idle.base()).max(1);
            // Microwatts are picojoules a microsecond.
            RateGate::new(above_idle * 1_000_000 / 100 * 98, self.power.cap_window)
        });
    }

    /// The same flash after a power cut: nothing is in flight, counters and wear continue. Its
    /// events go to `node`.
    pub fn after_power_cut(&self, config: &DriveConfig, node: u16) -> Nand {
        let mut nand = Nand::new(config, 0, node);
        nand.random = self.random.clone();
        nand.counters = self.counters;
        for (die, before) in nand.dies.iter_mut().zip(&self.dies) {
            die.erase_debt = before.erase_debt;
        }
        nand
    }

    /// What has happened so far.
    pub fn counters(&self) -> &NandCounters {
        &self.counters
    }

    /// Reads, programs and erases that are waiting or in flight.
    pub fn is_at_rest(&self) -> bool {
        self.reads.live() == 0 && self.lines.len() == self.free_lines.len()
    }

    /// When the energy gate lets a host command through that reads so many bytes in pages of
    /// `page_bytes`.
    #[inline]
    pub fn admit_energy(&mut self, now: Instant, bytes: u64, page_bytes: u64) -> Instant {
        let Some(gate) = &mut self.energy_gate else { return now };
        let pages = bytes.div_ceil(page_bytes);
        let energy = pages * self.power.sense.base() + bytes * self.power.transfer_per_byte.base();
        let at = gate.opens_at(now);
        gate.take(at, energy);
        at
    }

    /// Under a limit, pays for senses that a host command was not charged for when it was admitted.
    #[inline]
    pub fn pay_senses(&mut self, now: Instant, senses: u64) {
        if let Some(gate) = &mut self.energy_gate {
            gate.take(now, senses * self.power.sense.base());
        }
    }

    /// Accounts bytes that a write moves from the host to the controller.
    #[inline]
    pub fn count_written_bytes(&mut self, now: Instant, bytes: u64) {
        self.spend(now, bytes * self.power.transfer_per_byte.base());
    }

    /// Accounts bytes that a read finds in the controller; it paid for them when it was admitted.
    #[inline]
    pub fn count_read_bytes(&mut self, bytes: u64) {
        self.counters.energy_pj += bytes * self.power.transfer_per_byte.base();
    }

    /// Accounts energy that no gate holds back; under a cap the gate makes others pay for it.
    #[inline]
    fn spend(&mut self, now: Instant, energy: u64) {
        self.counters.energy_pj += energy;
        if let Some(gate) = &mut self.energy_gate {
            gate.take(now, energy);
        }
    }

    /// Tells whether collection runs, which may lower the limit on programs.
    pub fn set_collecting(&mut self, queue: &mut EventQueue, now: Instant, collecting: bool) {
        if self.collecting != collecting {
            self.collecting = collecting;
            self.release_held(queue, now);
        }
    }

    /// So many more or fewer dies program from now on.
    #[inline]
    fn change_programming(&mut self, now: Instant, by: i32) {
        let time = now.since(self.programming_since).ps();
        self.counters.programming_ps += u128::from(self.programming) * u128::from(time);
        self.programming_since = now;
        self.programming = self.programming.wrapping_add_signed(by);
    }

    fn program_limit(&self) -> u32 {
        if self.collecting { self.limits.dies_collecting } else { self.limits.dies }
    }

    /// Queues a read of a page.
    #[inline]
    pub fn read(&mut self, queue: &mut EventQueue, now: Instant, read: PageRead) {
        let die = read.die;
        let for_host = read.owner.is_host();
        let plane = if self.timing.independent_planes { read.plane as usize } else { 0 };
        let id = self.reads.insert(read);
        let d = &mut self.dies[die as usize];
        let (list, waiting) = match for_host {
            true => (&mut d.host[plane], &mut d.host_waiting),
            false => (&mut d.copies[plane], &mut d.copies_waiting),
        };
        self.reads.push(list, id);
        *waiting |= 1 << plane;
        self.advance(queue, now, die as u32);
    }

    /// Queues the program of a word line.
    pub fn program(&mut self, queue: &mut EventQueue, now: Instant, mut line: WordLine) {
        let die = line.ready.die;
        // One erase for a real block's bytes, at a time of the die's own: blocks are erased one die
        // after another, ahead of their first program, whatever the length of a scaled block.
        let d = &mut self.dies[die as usize];
        d.erase_debt += if line.ready.slc { self.slc_erase_debt } else { self.line_bytes };
        if d.erase_debt >= self.erase_bytes {
            d.erase_debt -= self.erase_bytes;
            line.erase_first = true;
        }
        let id = match self.free_lines.pop() {
            Some(id) => {
                self.lines[id as usize] = line;
                id
            }
            None => {
                self.lines.push(line);
                narrow(self.lines.len() - 1)
            }
        };
        self.dies[die as usize].lines.push_back(id);
        self.load(queue, now, die);
        self.advance(queue, now, die);
    }

    /// Bytes of a word line.
    fn bytes_of(&self, line: &WordLine) -> u64 {
        if line.ready.slc { self.slc_line_bytes } else { self.line_bytes }
    }

    /// Time to program it.
    fn program_time(&self, line: &WordLine) -> Duration {
        match self.timing.slc_program {
            Some(time) if line.ready.slc => time,
            // Units of a word line take turns.
            _ => match self.timing.program[..] {
                [all] => all,
                ref times => times[(line.ready.row / self.pages_per_wl) as usize % times.len()],
            },
        }
    }

    /// Asks the channel for the data of the die's next word line.
    fn load(&mut self, queue: &mut EventQueue, now: Instant, die: u32) {
        let d = &mut self.dies[die as usize];
        if d.loading == 0 && !d.loaded && !d.lines.is_empty() {
            let slc = self.lines[d.lines[0] as usize].ready.slc;
            d.loading = if slc { self.slc_line_bytes } else { self.line_bytes };
            let channel = d.channel;
            self.channels[channel as usize].slices.push_back(die);
            self.start_transfer(queue, now, channel);
        }
    }

    /// Starts whatever the die can do now; called after every change of its state.
    #[inline]
    fn advance(&mut self, queue: &mut EventQueue, now: Instant, die: u32) {
        match self.dies[die as usize].array {
            Array::Idle | Array::Suspended { .. } | Array::Granted => {
                self.start_senses(queue, now, die);
                self.start_array(queue, now, die);
            }
            Array::Running { .. } => self.consider_suspend(queue, now, die),
            Array::Suspending { .. } | Array::AwaitingEnergy => {
                if matches!(self.dies[die as usize].array, Array::AwaitingEnergy) {
                    self.start_senses(queue, now, die);
                }
            }
        }
    }

    /// Begins the senses that the die's free planes can take: the host's first.
    #[inline]
    fn start_senses(&mut self, queue: &mut EventQueue, now: Instant, die: u32) {
        let d = &mut self.dies[die as usize];
        let suspended = matches!(d.array, Array::Suspended { .. });
        // Copies are not worth a suspended program's time.
        let waiting = if suspended { d.host_waiting } else { d.host_waiting | d.copies_waiting };
        let mut planes = waiting & !d.busy_planes;
        if planes == 0 {
            return;
        }
        // An array operation that has waited long goes first; reads will then suspend it.
        if d.wants_array_since.is_some_and(|t| now.since(t) >= self.suspend.max_hold) {
            return;
        }
        while planes != 0 {
            let plane = planes.trailing_zeros() as usize;
            planes &= planes - 1;
            let for_host = d.host_waiting >> plane & 1 == 1;
            let (list, waiting) = match for_host {
                true => (&mut d.host[plane], &mut d.host_waiting),
                false => (&mut d.copies[plane], &mut d.copies_waiting),
            };
            let Some(id) = self.reads.pop(list) else { continue };
            if list.is_empty() {
                *waiting &= !(1 << plane);
            }
            d.busy_planes |= 1 << plane;
            let time = self.senses[self.reads.get(id).page_type as usize];
            let event = Event { node: self.node, kind: kind::SENSED, argument: id };
            queue.push(now + time, Priority::Normal, event);
            self.counters.senses += 1;
            self.counters.sensing_ps += u128::from(time.ps());
            self.counters.energy_pj += self.power.sense.base();
            // A host command has paid when it was admitted.
            if let Some(gate) = self.energy_gate.as_mut().filter(|_| !for_host) {
                gate.take(now, self.power.sense.base());
            }
        }
    }

    /// An event of the flash.
    #[inline]
    pub fn handle(&mut self, queue: &mut EventQueue, now: Instant, event: Event) -> Outcome {
        match event.kind {
            kind::SENSED => {
                let die = self.reads.get(event.argument).die as u32;
                let channel = self.dies[die as usize].channel;
                let c = &mut self.channels[channel as usize];
                self.reads.push(&mut c.reads, event.argument);
                self.start_transfer(queue, now, channel);
                Outcome::Nothing
            }
            kind::MOVED => self.moved(queue, now, event.argument),
            _ => self.array_event(queue, now, event.argument),
        }
    }

    /// Gives the channel its next transfer if it is free: reads first, then a slice of a write.
    #[inline]
    fn start_transfer(&mut self, queue: &mut EventQueue, now: Instant, channel: u32) {
        let c = &mut self.channels[channel as usize];
        if c.current.is_some() {
            return;
        }
        let (transfer, bytes) = if let Some(id) = self.reads.pop(&mut c.reads) {
            (Transfer::Read(id), self.reads.get(id).bytes as u64)
        } else if let Some(die) = c.slices.pop_front() {
            let left = self.dies[die as usize].loading;
            (Transfer::Slice(die), left.min(self.slice_bytes))
        } else {
            return;
        };
        c.current = Some(transfer);
        let cost = self.timing.bus.time_for(bytes) + self.timing.transfer_overhead;
        self.counters.bus_busy_ps += cost.ps() as u128;
        let event = Event { node: self.node, kind: kind::MOVED, argument: channel };
        queue.push(now + cost, Priority::Normal, event);
    }

    /// The code could not correct the data: decoding has failed and the page is sensed again with
    /// other references. Its plane is kept meanwhile.
    #[cold]
    fn read_again(&mut self, queue: &mut EventQueue, now: Instant, id: u32) {
        self.reads.count_retry(id);
        let read = *self.reads.get(id);
        self.counters.retries += 1;
        self.counters.senses += 1;
        self.counters.sensing_ps += u128::from(self.senses[read.page_type as usize].ps());
        self.counters.read_bytes += read.bytes as u64;
        let moved = read.bytes as u64 * self.power.transfer_per_byte.base();
        self.spend(now, moved + self.power.sense.base());
        let done = now + self.timing.ecc + self.senses[read.page_type as usize];
        let event = Event { node: self.node, kind: kind::SENSED, argument: id };
        queue.push(done, Priority::Normal, event);
    }

    #[inline]
    fn moved(&mut self, queue: &mut EventQueue, now: Instant, channel: u32) -> Outcome {
        let c = &mut self.channels[channel as usize];
        let outcome = match c.current.take() {
            Some(Transfer::Read(id)) if self.reads.get(id).retries > 0 => {
                self.read_again(queue, now, id);
                Outcome::Nothing
            }
            Some(Transfer::Read(id)) => {
                let read = self.reads.remove(id);
                let energy = read.bytes as u64 * self.power.transfer_per_byte.base();
                if read.owner.is_host() {
                    self.counters.energy_pj += energy;
                } else {
                    self.spend(now, energy);
                }
                self.counters.read_bytes += read.bytes as u64;
                self.counters.lost += u64::from(read.fate == Fate::Lost);
                let d = &mut self.dies[read.die as usize];
                let plane = if self.timing.independent_planes { read.plane } else { 0 };
                d.busy_planes &= !(1 << plane);
                self.advance(queue, now, read.die as u32);
                Outcome::Arrived(read)
            }
            Some(Transfer::Slice(die)) => {
                let d = &mut self.dies[die as usize];
                d.loading -= d.loading.min(self.slice_bytes);
                if d.loading > 0 {
                    self.channels[channel as usize].slices.push_back(die);
                } else {
                    d.loaded = true;
                    self.advance(queue, now, die);
                }
                Outcome::Nothing
            }
            None => Outcome::Nothing,
        };
        self.start_transfer(queue, now, channel);
        outcome
    }
}
