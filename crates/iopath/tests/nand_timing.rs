//! Every gate of the flash, exact to the picosecond: what is refused one picosecond before its
//! time happens at its time. Reads and programs are given to the flash directly, without a drive
//! around it.

use crate::common::*;
use engine::{Event, EventQueue, Priority};
use iopath::device::flash::ftl::stream::ReadyWordLine;
use iopath::device::flash::nand::{Fate, Nand, Outcome, PageRead, ReadOwner, WordLine};

/// What came back, with its time in picoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Back {
    /// A read, by its number.
    Read(u32),
    /// A program, by its number.
    Line(u64),
}

/// A flash and its queue, with a scripted user.
struct Rig {
    nand: Nand,
    queue: EventQueue,
    back: Vec<(u64, Back)>,
    planes: u32,
}

const OUTSIDE: u16 = 9;

impl Rig {
    fn new(config: &DriveConfig) -> Rig {
        let mut queue = EventQueue::new();
        let lanes = config.nand.sense.iter().map(|_| queue.new_lane()).collect();
        let nand = Nand::new(config, 1, lanes, 0);
        Rig { nand, queue, back: Vec::new(), planes: config.geometry.planes }
    }

    /// Runs up to and including the picosecond `ps`, and makes it the present.
    fn run_to(&mut self, ps: u64) {
        let stop = Event { node: OUTSIDE, kind: 0, argument: 0 };
        self.queue.push(Instant::from_ps(ps), Priority::Timer, stop);
        self.run();
    }

    /// Runs to the next stop, or until nothing is left.
    fn run(&mut self) {
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

    fn read_of(&mut self, number: u32, die: u16, plane: u8, bytes: u32, host: bool) {
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

    fn read(&mut self, number: u32, die: u16, plane: u8) {
        self.read_of(number, die, plane, 4096, true);
    }

    /// Row 1 needs no erase before it, row 0 does (a block is one real block here).
    fn program(&mut self, number: u64, die: u32, row: u32) {
        let ready = ReadyWordLine {
            die,
            row,
            group: 0,
            host_units: self.planes,
            copy_units: 0,
            parity: false,
            slc: false,
        };
        let line = WordLine { ready, sequence: number, erase_first: false };
        let now = self.queue.now();
        self.nand.program(&mut self.queue, now, line);
    }

    fn time_of(&self, what: Back) -> u64 {
        let found = self.back.iter().find(|(_, b)| *b == what);
        found.unwrap_or_else(|| panic!("{what:?} did not come back: {:?}", self.back)).0
    }
}

/// Two dies of two planes on one channel; 4096 bytes take exactly 10 us to move.
fn flash() -> DriveConfig {
    let g = Geometry { dies: 2, planes: 2, ..geometry() };
    let mut c = config(g, 1.5);
    c.nand.bus = Bandwidth::from_base(409_600_000);
    c
}

const SENSE: u64 = 50_000_000;
const MOVE: u64 = 10_000_000;
const PROGRAM: u64 = 500_000_000;
const ERASE: u64 = 3_000_000_000;
/// A word line of two pages.
const LOAD: u64 = 2 * MOVE;

#[test]
fn a_read_takes_its_sense_and_its_transfer_and_not_a_picosecond_less() {
    let mut rig = Rig::new(&flash());
    rig.read(1, 0, 0);
    rig.run_to(SENSE + MOVE - 1);
    assert_eq!(rig.back, []);
    rig.run_to(SENSE + MOVE);
    assert_eq!(rig.back, [(SENSE + MOVE, Back::Read(1))]);
}

#[test]
fn each_page_type_senses_in_its_own_time_and_a_transfer_has_its_overhead() {
    let mut c = flash();
    c.nand.sense = vec![us(40), us(70)];
    c.nand.transfer_overhead = Duration::from_ns(300);
    for (page_type, sense) in [(0, 40_000_000), (1, 70_000_000)] {
        let mut rig = Rig::new(&c);
        let owner = ReadOwner::Host(CommandId(0));
        let read = PageRead {
            owner,
            unit: 1,
            bytes: 4096,
            die: 0,
            plane: 0,
            page_type,
            retries: 0,
            fate: Fate::Whole,
        };
        rig.nand.read(&mut rig.queue, Instant::ZERO, read);
        rig.run();
        assert_eq!(rig.time_of(Back::Read(1)), sense + MOVE + 300_000);
    }
}

#[test]
fn a_second_read_of_a_plane_waits_until_the_first_has_left_it() {
    let mut rig = Rig::new(&flash());
    rig.read(1, 0, 0);
    rig.read(2, 0, 0);
    rig.run();
    assert_eq!(rig.time_of(Back::Read(2)), 2 * (SENSE + MOVE));
}

#[test]
fn another_plane_waits_unless_planes_are_independent() {
    let mut c = flash();
    let mut rig = Rig::new(&c);
    rig.read(1, 0, 0);
    rig.read(2, 0, 1);
    rig.run();
    assert_eq!(rig.time_of(Back::Read(2)), 2 * (SENSE + MOVE));
    c.nand.independent_planes = true;
    let mut rig = Rig::new(&c);
    rig.read(1, 0, 0);
    rig.read(2, 0, 1);
    rig.run();
    // Both sense at once; the channel moves one page after the other.
    assert_eq!(rig.back, [(SENSE + MOVE, Back::Read(1)), (SENSE + 2 * MOVE, Back::Read(2))]);
}

#[test]
fn dies_of_one_channel_take_turns_and_those_of_two_do_not() {
    let mut c = flash();
    for (channels, second) in [(1, SENSE + 2 * MOVE), (2, SENSE + MOVE)] {
        c.geometry.channels = channels;
        let mut rig = Rig::new(&c);
        rig.read(1, 0, 0);
        rig.read(2, 1, 0);
        rig.run();
        assert_eq!(rig.time_of(Back::Read(1)), SENSE + MOVE);
        assert_eq!(rig.time_of(Back::Read(2)), second);
    }
}

#[test]
fn a_program_follows_its_data_and_an_erase_goes_before_it() {
    let mut rig = Rig::new(&flash());
    rig.program(1, 0, 1);
    rig.run();
    assert_eq!(rig.time_of(Back::Line(1)), LOAD + PROGRAM);
    let mut rig = Rig::new(&flash());
    rig.program(1, 0, 0);
    rig.run();
    // The data moves while the block is erased.
    assert_eq!(rig.time_of(Back::Line(1)), ERASE + PROGRAM);
    assert_eq!((rig.nand.counters().erases, rig.nand.counters().programs), (1, 1));
}

#[test]
fn the_next_line_loads_while_one_is_programmed() {
    let mut rig = Rig::new(&flash());
    rig.program(1, 0, 1);
    rig.program(2, 0, 2);
    rig.run();
    assert_eq!(rig.time_of(Back::Line(2)), LOAD + 2 * PROGRAM);
}

#[test]
fn a_shorter_block_charges_a_whole_erase_once_for_so_many_bytes() {
    let mut c = flash();
    c.erase_bytes *= 4;
    let mut rig = Rig::new(&c);
    for n in 0..40 {
        rig.program(n, 0, 0);
    }
    rig.run();
    assert_eq!(rig.nand.counters().erases, 10);
}

/// Program data goes page by page: a read that arrives meanwhile waits for the page on the bus,
/// not for the word line.
#[test]
fn a_read_goes_between_the_pages_of_a_program() {
    let mut c = flash();
    // Slices are pages of 16 KiB here.
    c.geometry.page_bytes = 16384;
    c.geometry.unit_bytes = 16384;
    c.geometry.pages_per_wl = 2;
    let page = 4 * MOVE;
    // Data of four pages starts at 0 and would end at 4 pages; the sensed data of the other die is
    // there in the middle of the second page (or exactly at its end).
    for (sense, begins) in [(page + 1, 2 * page), (2 * page, 2 * page), (2 * page + 1, 3 * page)] {
        c.nand.sense = vec![Duration::from_ps(sense)];
        let mut rig = Rig::new(&c);
        rig.program(1, 0, 2);
        rig.read(7, 1, 0);
        rig.run();
        let at_the_edge = sense % page == 0;
        let arrived = rig.time_of(Back::Read(7)) - MOVE;
        if at_the_edge {
            // Both end in the same picosecond: either may be first, but no page is cut.
            assert!(arrived == begins || arrived == begins + page);
        } else {
            assert_eq!(arrived, begins);
        }
        assert_eq!(rig.time_of(Back::Line(1)), 4 * page + MOVE + PROGRAM);
    }
}

/// Where program data goes in longer bursts, the read waits for the rest of the burst.
#[test]
fn a_read_waits_for_the_end_of_a_burst() {
    let mut c = flash();
    c.geometry.page_bytes = 16384;
    c.geometry.unit_bytes = 16384;
    c.geometry.pages_per_wl = 2;
    let page = 4 * MOVE;
    // In the middle of the first page, of four.
    c.nand.sense = vec![Duration::from_ps(page / 2)];
    for (burst, pages) in [(None, 1), (Some(2), 2), (Some(3), 3), (Some(4), 4), (Some(9), 4)] {
        c.nand.write_burst = burst.map(|pages| pages * 16384);
        let mut rig = Rig::new(&c);
        rig.program(1, 0, 2);
        rig.read(7, 1, 0);
        rig.run();
        assert_eq!(rig.time_of(Back::Read(7)) - MOVE, pages * page, "{burst:?}");
        // A read that comes after the last page holds nothing up.
        let between = if pages < 4 { MOVE } else { 0 };
        assert_eq!(rig.time_of(Back::Line(1)), 4 * page + between + PROGRAM);
    }
}

/// Starts a program at time 0 whose data needs no time, and returns the rig.
fn programming(c: &DriveConfig) -> Rig {
    let mut rig = Rig::new(c);
    rig.program(1, 0, 1);
    rig.run_to(2);
    assert_eq!(rig.nand.counters().programs, 1);
    rig
}

/// A drive whose bus is free (a picosecond or two) and whose programs can be suspended.
fn suspending() -> DriveConfig {
    let mut c = flash();
    c.nand.bus = Bandwidth::from_base(1_000_000_000_000_000_000);
    c.suspend.enabled = true;
    c.suspend.closed_window = us(100);
    c
}

#[test]
fn without_suspension_a_read_waits_for_the_end_of_a_program() {
    let mut c = suspending();
    c.suspend.enabled = false;
    let mut rig = programming(&c);
    rig.read(1, 0, 0);
    rig.run();
    assert!((PROGRAM + SENSE..PROGRAM + SENSE + 10).contains(&rig.time_of(Back::Read(1))));
}

#[test]
fn a_program_is_suspended_before_its_closed_window_and_not_in_it() {
    let c = suspending();
    let until = {
        let mut rig = programming(&c);
        rig.run();
        rig.time_of(Back::Line(1))
    };
    let window = until - 100_000_000;
    for (asked, suspended) in [(window - 1, true), (window, false), (window + 1, false)] {
        let mut rig = programming(&c);
        rig.run_to(asked);
        rig.read(1, 0, 0);
        rig.run();
        assert_eq!(rig.nand.counters().suspends, u64::from(suspended), "asked at {asked}");
        let begun = if suspended { asked } else { until };
        let arrived = rig.time_of(Back::Read(1));
        assert!((begun + SENSE..begun + SENSE + 3).contains(&arrived));
        // What was left is done after the read.
        let ended = if suspended { arrived + (until - asked) } else { until };
        assert_eq!(rig.time_of(Back::Line(1)), ended);
    }
}

#[test]
fn suspension_takes_up_to_its_latency_and_resuming_adds_its_cost() {
    let mut c = suspending();
    c.suspend.latency = us(30);
    c.suspend.resume = us(7);
    let (mut least, mut most) = (u64::MAX, 0);
    let mut rig = Rig::new(&c);
    for n in 0..2000 {
        let start = rig.queue.now().ps();
        rig.program(n, 0, 1);
        rig.run_to(start + 200_000_000);
        rig.read(n as u32, 0, 0);
        rig.run();
        let waited = rig.time_of(Back::Read(n as u32)) - start - 200_000_000 - SENSE;
        (least, most) = (least.min(waited), most.max(waited));
        // Sense and resumption are added; the time until the suspension was worked through.
        let took = rig.time_of(Back::Line(n)) - start;
        let expected = PROGRAM + SENSE + 7_000_000;
        assert!((expected..expected + 10).contains(&took), "{took} for {expected}");
    }
    assert_eq!(rig.nand.counters().suspends, 2000);
    assert!(least < 100_000 && most > 29_900_000 && most <= 30_000_003, "{least}..{most}");
}

#[test]
fn a_program_runs_its_least_time_before_it_is_suspended() {
    let mut c = suspending();
    c.suspend.min_run = us(60);
    let mut rig = programming(&c);
    rig.read(1, 0, 0);
    rig.run();
    let arrived = rig.time_of(Back::Read(1));
    assert!((60_000_000 + SENSE..60_000_000 + SENSE + 10).contains(&arrived), "{arrived}");
}

#[test]
fn a_program_is_suspended_so_many_times_and_no_more() {
    let mut c = suspending();
    c.suspend.max_count = 3;
    let mut rig = programming(&c);
    for n in 0..4 {
        rig.run_to((n as u64 + 1) * 70_000_000);
        rig.read(n, 0, 0);
    }
    rig.run();
    assert_eq!(rig.nand.counters().suspends, 3);
    // The fourth read waited for the end.
    assert!(rig.time_of(Back::Read(3)) >= rig.time_of(Back::Line(1)) + SENSE);
}

#[test]
fn some_programs_are_never_suspended() {
    let mut c = suspending();
    c.suspend.never_ppm = 250_000;
    let mut rig = Rig::new(&c);
    for n in 0..4000 {
        let start = rig.queue.now().ps();
        rig.program(n, 0, 1);
        rig.run_to(start + 100_000_000);
        rig.read(0, 0, 0);
        rig.run();
    }
    let share = 1.0 - rig.nand.counters().suspends as f64 / 4000.0;
    assert!((share - 0.25).abs() < 0.03, "{share} were never suspended");
}

#[test]
fn an_erase_stops_at_the_ends_of_its_segments() {
    let mut c = suspending();
    c.suspend.erase_segment = us(700);
    for (asked, stops) in
        [(1, 700_000_000), (700_000_000, 700_000_000), (700_000_001, 1_400_000_000)]
    {
        let mut rig = Rig::new(&c);
        rig.program(1, 0, 0);
        rig.run_to(asked);
        rig.read(1, 0, 0);
        rig.run();
        let arrived = rig.time_of(Back::Read(1));
        assert!((stops + SENSE..stops + SENSE + 3).contains(&arrived), "asked {asked}: {arrived}");
    }
    // In the last segment there is nothing to gain.
    let mut rig = Rig::new(&c);
    rig.program(1, 0, 0);
    rig.run_to(2_900_000_000);
    rig.read(1, 0, 0);
    rig.run();
    assert_eq!(rig.nand.counters().suspends, 0);
}

/// Reads that never end hold a program back for `max_hold` at most; then it runs at least
/// `min_run` before they get their turn again. Neither side starves.
#[test]
fn saturating_reads_and_programs_both_get_on() {
    let mut c = suspending();
    c.suspend.min_run = us(50);
    c.suspend.max_hold = us(300);
    c.suspend.resume = us(20);
    c.suspend.max_count = u32::MAX;
    let mut rig = Rig::new(&c);
    for n in 0..8 {
        rig.program(n, 0, 1);
    }
    let mut reads = 0;
    for n in 0..4000 {
        while rig.back.iter().filter(|(_, b)| matches!(b, Back::Read(_))).count() + 4 > reads {
            rig.read(reads as u32, 0, 0);
            reads += 1;
        }
        rig.run_to((n + 1) * 10_000_000);
    }
    let lines: Vec<u64> = (0..8).map(|n| rig.time_of(Back::Line(n))).collect();
    // Each cycle is at most one hold, one sense under way, the resumption and the least run.
    let cycle = 300 + 50 + 20 + 50;
    let cycles = (500 - 100u64).div_ceil(50) + 2;
    for pair in lines.windows(2) {
        let took = (pair[1] - pair[0]) / 1_000_000;
        assert!(took <= cycles * cycle + 500, "a program took {took} us");
    }
    // Reads get the hold time of each cycle.
    let served = rig.back.iter().filter(|(_, b)| matches!(b, Back::Read(_))).count() as f64;
    assert!(served > 0.6 * 40_000.0 / 50.0, "{served} reads in 40 ms");
}

#[test]
fn no_more_dies_program_than_the_limit_says() {
    let mut c = flash();
    c.geometry.dies = 8;
    c.nand.bus = Bandwidth::from_base(FAST);
    c.programs = ProgramLimits { dies: 3, dies_collecting: 1 };
    let mut rig = Rig::new(&c);
    for n in 0..8 {
        rig.program(n, n as u32, 1);
    }
    rig.run();
    let rounds: Vec<u64> = (0..8).map(|n| rig.time_of(Back::Line(n)) / PROGRAM).collect();
    assert_eq!(rounds, [1, 1, 1, 2, 2, 2, 3, 3]);
    let mut rig = Rig::new(&c);
    rig.nand.set_collecting(&mut rig.queue, Instant::ZERO, true);
    for n in 0..4 {
        rig.program(n, n as u32, 1);
    }
    rig.run();
    let rounds: Vec<u64> = (0..4).map(|n| rig.time_of(Back::Line(n)) / PROGRAM).collect();
    assert_eq!(rounds, [1, 2, 3, 4]);
}

/// Reads that give way to a program because it has waited long go on at once if that program may
/// not begin.
#[test]
fn reads_do_not_wait_for_a_program_that_waits_for_the_limit() {
    let mut c = suspending();
    c.programs = ProgramLimits { dies: 1, dies_collecting: 1 };
    c.suspend.max_hold = us(120);
    let mut rig = programming(&c);
    rig.program(2, 1, 1);
    (10..15).for_each(|n| rig.read(n, 1, 0));
    rig.run();
    let last = rig.time_of(Back::Read(14));
    assert!((5 * SENSE..5 * SENSE + 100).contains(&last), "{last}");
    assert_eq!(rig.time_of(Back::Line(1)) / PROGRAM, 1);
    assert_eq!(rig.time_of(Back::Line(2)) / PROGRAM, 2);
}

/// The gate holds programs back so that the mean power stays below the cap: 2 pages of 4096 bytes
/// at 10 nJ/B are 81.92 uJ a line; a budget of 0.098 W above idle lets 1196 lines a second pass.
#[test]
fn the_energy_gate_holds_the_mean_power() {
    let mut c = flash();
    c.geometry.dies = 8;
    c.nand.bus = Bandwidth::from_base(FAST);
    c.power.idle = Power::from_base(1_000_000);
    c.power.program_per_byte = Energy::from_base(10_000);
    c.power.cap = Some(Power::from_base(1_100_000));
    c.power.cap_window = us(1000);
    let mut rig = Rig::new(&c);
    for n in 0..1200 {
        rig.program(n, n as u32 % 8, 1);
    }
    rig.run();
    let seconds = rig.queue.now().ps() as f64 / 1e12;
    let mean = rig.nand.counters().energy_pj as f64 / 1e12 / seconds;
    assert!((0.097..0.1).contains(&mean), "{mean} W above idle");
    assert!((1200.0 / seconds / 1196.0 - 1.0).abs() < 0.01);
}

#[test]
fn fast_and_slow_pages_of_a_word_line_take_turns() {
    let mut c = flash();
    c.nand.program = vec![us(500), us(2100)];
    let mut rig = Rig::new(&c);
    for row in 1..=4 {
        rig.program(row, 0, row as u32);
    }
    rig.run();
    let at = |row| rig.time_of(Back::Line(row));
    let (fast, slow) = (500_000_000, 2_100_000_000);
    // Row 1 is an upper page; the data of the next row comes over the bus meanwhile.
    assert_eq!(at(1), LOAD + slow);
    assert_eq!(at(2) - at(1), fast);
    assert_eq!(at(3) - at(2), slow);
    assert_eq!(at(4) - at(3), fast);
}
