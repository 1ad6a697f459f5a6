//! Every gate of the flash, exact to the picosecond: what is refused one picosecond before its
//! time happens at its time. Suspension has its own file.

use crate::common::nand::*;
use crate::common::*;
use iopath::device::flash::ftl::slc::{SlcPolicy, WhenFull};
use iopath::device::flash::nand::{Fate, PageRead, ReadOwner};

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

/// What a plane has sensed stays in its register: reads of the same page need a transfer only, at
/// once or later, until another page is sensed or the array works.
#[test]
fn a_read_of_a_page_that_is_still_in_its_register_needs_no_sense() {
    let mut c = flash();
    c.geometry.page_bytes = 16384;
    let mut rig = Rig::new(&c);
    // Units 4 to 7 are on one page, 8 is on the next.
    for unit in [4, 7, 8, 5] {
        rig.read(unit, 0, 0);
    }
    rig.run();
    let one = SENSE + MOVE;
    let times = [(4, one), (7, one + MOVE), (8, 2 * one + MOVE), (5, 3 * one + MOVE)];
    assert_eq!(rig.back, times.map(|(unit, time)| (time, Back::Read(unit))));
    let from = 10 * one;
    rig.run_to(from);
    rig.read(6, 0, 0);
    rig.run();
    assert_eq!(rig.time_of(Back::Read(6)), from + MOVE);
    rig.program(1, 0, 2);
    rig.run();
    let from = rig.queue.now().ps();
    rig.read(44, 0, 0);
    rig.run();
    rig.back.clear();
    rig.read(4, 0, 0);
    rig.run();
    assert_eq!(rig.time_of(Back::Read(4)), from + 2 * one);
    assert_eq!((rig.nand.counters().senses, rig.nand.counters().kept), (5, 2));
}

/// Planes that sense together hold all pages that one sense served, and no more.
#[test]
fn planes_that_sense_together_hold_what_they_sensed() {
    let mut c = flash();
    c.geometry.page_bytes = 16384;
    for (independent, sensed) in [(false, 1), (true, 2)] {
        c.nand.independent_planes = independent;
        let mut rig = Rig::new(&c);
        rig.read_of(4, 0, 0, 2 * 16384, true);
        rig.run();
        rig.read(9, 0, 1);
        rig.run();
        assert_eq!(rig.nand.counters().senses, sensed, "independent: {independent}");
        rig.read(12, 0, 0);
        rig.run();
        assert_eq!(rig.nand.counters().senses, sensed + 1);
    }
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
    let mut c = flash();
    c.erase_bytes = LINE;
    let mut rig = Rig::new(&c);
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

/// Whatever the length of a scaled block: one erase for the bytes of a real one.
#[test]
fn a_die_erases_once_for_the_bytes_of_a_real_block() {
    let mut c = flash();
    c.erase_bytes = 4 * LINE;
    for row in [0, 1] {
        let mut rig = Rig::new(&c);
        for n in 0..40 {
            rig.program(n, 0, row);
        }
        rig.run();
        assert_eq!(rig.nand.counters().erases, 10);
    }
}

/// Were all dies to erase at once, a short run would see the pause or miss it.
#[test]
fn dies_erase_one_after_the_other() {
    let mut c = flash();
    c.geometry.dies = 64;
    c.erase_bytes = 16 * LINE;
    let mut rig = Rig::new(&c);
    for line in 1..=16_u64 {
        for die in 0..64 {
            rig.program(64 * line + u64::from(die), die, 1);
        }
        rig.run();
        let (erases, share) = (rig.nand.counters().erases, 4 * line);
        assert!(erases.abs_diff(share) <= 16, "{erases} after {line} lines of 16");
    }
    assert_eq!(rig.nand.counters().erases, 64);
}

/// A block that holds one bit a cell is erased as often as others, for fewer bytes.
#[test]
fn a_block_in_slc_mode_is_erased_as_a_whole() {
    let mut c = flash();
    let when_full = WhenFull::Direct;
    let rows = c.geometry.rows / 2;
    c.policies.slc =
        Some(SlcPolicy { bits: 2, rows, static_units: 0, dynamic_units: 0, when_full });
    c.erase_bytes = u64::from(c.geometry.rows) * LINE / u64::from(c.geometry.pages_per_wl);
    c.nand.slc_program = Some(us(90));
    let mut rig = Rig::new(&c);
    for n in 0..u64::from(10 * rows) {
        rig.program_slc(n, 0, 1);
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
