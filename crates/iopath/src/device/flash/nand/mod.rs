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
mod register;
mod sense;
mod transfer;

pub use counters::NandCounters;
pub use read::{Fate, PageRead, ReadOwner};

use crate::device::flash::config::{
    DriveConfig, NandTiming, PowerConfig, ProgramLimits, SuspendConfig,
};
use crate::device::flash::ftl::stream::ReadyWordLine;
use channel::Channel;
use die::{Array, Die};
use engine::{Duration, Event, EventQueue, Instant, RateGate, Stream, TransferTime, narrow};
use read::{PlaneQueue, Reads};
use register::Registers;
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
    bus: TransferTime,
    suspend: SuspendConfig,
    power: PowerConfig,
    limits: ProgramLimits,
    collecting: bool,
    dies: Vec<Die>,
    /// Planes of a die that sense by themselves.
    planes: u32,
    /// The reads that wait for each of these, die after die.
    waiting: Vec<PlaneQueue>,
    registers: Registers,
    channels: Vec<Channel>,
    reads: Reads,
    lines: Vec<WordLine>,
    free_lines: Vec<u32>,
    /// Dies that have a program ready and wait for the limit on programs.
    held: VecDeque<u32>,
    programming: u32,
    /// Up to when the counters hold what takes time.
    timed: Instant,
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
            .map(|d| Die::new(d % g.channels, random.below(config.erase_bytes.max(1))))
            .collect();
        let page = g.page_bytes as u64;
        let mut nand = Nand {
            timing: config.nand.clone(),
            bus: TransferTime::new(config.nand.bus),
            suspend: config.suspend.clone(),
            power: config.power.clone(),
            limits: config.programs,
            collecting: false,
            dies,
            planes,
            waiting: vec![PlaneQueue::default(); (g.dies * planes) as usize],
            registers: Registers::new(g, planes),
            channels: (0..g.channels).map(|_| Channel::default()).collect(),
            reads: Reads::default(),
            lines: Vec::new(),
            free_lines: Vec::new(),
            held: VecDeque::new(),
            programming: 0,
            timed: Instant::ZERO,
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

    /// What has happened so far; times up to the last change of what is timed.
    pub fn counters(&self) -> &NandCounters {
        &self.counters
    }

    /// The same with times up to `now`.
    pub fn counters_at(&self, now: Instant) -> NandCounters {
        let mut counters = self.counters;
        counters.pass(now.since(self.timed), self.programming, self.collecting);
        counters
    }

    /// Brings the counters up to `now`, before something that is timed changes.
    #[inline]
    fn settle(&mut self, now: Instant) {
        self.counters.pass(now.since(self.timed), self.programming, self.collecting);
        self.timed = now;
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
            self.settle(now);
            self.collecting = collecting;
            self.release_held(queue, now);
        }
    }

    /// So many more or fewer dies program from now on.
    #[inline]
    fn change_programming(&mut self, now: Instant, by: i32) {
        self.settle(now);
        self.programming = self.programming.wrapping_add_signed(by);
    }

    fn program_limit(&self) -> u32 {
        if self.collecting { self.limits.dies_collecting } else { self.limits.dies }
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
        let d = &self.dies[die as usize];
        match d.array {
            Array::Idle | Array::Suspended { .. } | Array::Granted => {
                let wants_array = !d.lines.is_empty() || !matches!(d.array, Array::Idle);
                if d.senses_now() != 0 {
                    self.start_senses(queue, now, die);
                }
                if wants_array {
                    self.start_array(queue, now, die);
                }
            }
            Array::Running { .. } => self.consider_suspend(queue, now, die),
            Array::AwaitingEnergy => self.start_senses(queue, now, die),
            Array::Suspending { .. } => {}
        }
    }

    /// An event of the flash.
    #[inline]
    pub fn handle(&mut self, queue: &mut EventQueue, now: Instant, event: Event) -> Outcome {
        match event.kind {
            kind::SENSED => {
                self.sensed(queue, now, event.argument);
                Outcome::Nothing
            }
            kind::MOVED => self.moved(queue, now, event.argument),
            _ => self.array_event(queue, now, event.argument),
        }
    }
}
