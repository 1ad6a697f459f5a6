//! When programs and erases make way for reads, exact to the picosecond, and how both progress.

use crate::common::nand::*;
use crate::common::*;

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
    c.erase_bytes = LINE;
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
    // Each cycle is at most one hold, one sense in progress, the resumption and the least run.
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

/// Reads that give way to a program because it has waited long continue at once if that program may
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
