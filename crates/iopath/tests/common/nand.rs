//! The flash without a drive around it: reads and programs are given to it directly.

use super::*;
use engine::{Event, EventQueue, Priority};
use iopath::device::flash::ftl::stream::ReadyWordLine;
use iopath::device::flash::nand::{Fate, Nand, Outcome, PageRead, ReadOwner, WordLine};

/// What came back, with its time in picoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Back {
    /// A read, by its number.
    Read(u32),
    /// A program, by its number.
    Line(u64),
}

/// A flash and its queue, with a scripted user.
pub struct Rig {
    pub nand: Nand,
    pub queue: EventQueue,
    pub back: Vec<(u64, Back)>,
    planes: u32,
}

const OUTSIDE: u16 = 9;

impl Rig {
    pub fn new(config: &DriveConfig) -> Rig {
        let nand = Nand::new(config, 1, 0);
        let queue = EventQueue::new();
        Rig { nand, queue, back: Vec::new(), planes: config.geometry.planes }
    }

    /// Runs up to and including the picosecond `ps`, and makes it the present.
    pub fn run_to(&mut self, ps: u64) {
        let stop = Event { node: OUTSIDE, kind: 0, argument: 0 };
        self.queue.push(Instant::from_ps(ps), Priority::Timer, stop);
        self.run();
    }

    /// Runs to the next stop, or until nothing is left.
    pub fn run(&mut self) {
        while let Some((now, event)) = self.queue.pop() {
            if event.node == OUTSIDE {
                return;
            }
            match self.nand.handle(&mut self.queue, now, event) {
                Outcome::Nothing => {}
                Outcome::Arrived(read) => self.back.push((now.ps(), Back::Read(read.unit))),
                Outcome::Programmed(line) => self.back.push((now.ps(), Back::Line(line.sequence))),
            }
        }
    }

    pub fn read_of(&mut self, number: u32, die: u16, plane: u8, bytes: u32, host: bool) {
        let owner = if host { ReadOwner::Host(CommandId(0)) } else { ReadOwner::Copy(1) };
        let read = PageRead {
            owner,
            unit: number,
            bytes,
            die,
            plane,
            page_type: 0,
            retries: 0,
            fate: Fate::Whole,
        };
        let now = self.queue.now();
        self.nand.read(&mut self.queue, now, read);
    }

    pub fn read(&mut self, number: u32, die: u16, plane: u8) {
        self.read_of(number, die, plane, 4096, true);
    }

    pub fn program(&mut self, number: u64, die: u32, row: u32) {
        self.program_in(number, die, row, false);
    }

    /// One bit a cell.
    pub fn program_slc(&mut self, number: u64, die: u32, row: u32) {
        self.program_in(number, die, row, true);
    }

    fn program_in(&mut self, number: u64, die: u32, row: u32, slc: bool) {
        let ready = ReadyWordLine {
            die,
            row,
            group: 0,
            host_units: self.planes,
            copy_units: 0,
            parity: false,
            slc,
        };
        let line = WordLine { ready, sequence: number, erase_first: false };
        let now = self.queue.now();
        self.nand.program(&mut self.queue, now, line);
    }

    pub fn time_of(&self, what: Back) -> u64 {
        let found = self.back.iter().find(|(_, b)| *b == what);
        found.unwrap_or_else(|| panic!("{what:?} did not come back: {:?}", self.back)).0
    }
}

/// Two dies of two planes on one channel; 4096 bytes take exactly 10 us to move. Blocks are so long
/// that no erase comes up.
pub fn flash() -> DriveConfig {
    let g = Geometry { dies: 2, planes: 2, ..geometry() };
    let mut c = config(g, 1.5);
    c.nand.bus = Bandwidth::from_base(409_600_000);
    c.erase_bytes = 1 << 60;
    c
}

pub const SENSE: u64 = 50_000_000;
pub const MOVE: u64 = 10_000_000;
pub const PROGRAM: u64 = 500_000_000;
pub const ERASE: u64 = 3_000_000_000;
/// Bytes of a word line of two pages, and the time to move them.
pub const LINE: u64 = 2 * 4096;
pub const LOAD: u64 = 2 * MOVE;
