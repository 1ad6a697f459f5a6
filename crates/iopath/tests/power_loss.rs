//! Power cuts one by one: what each kind of buffer keeps, counted in commands. The property tests
//! in `promises.rs` search the same ground at random.

use crate::common::media::Seen;
use crate::common::*;
use iopath::device::flash::config::Protection::{Off, Protected, Volatile};

type M = Machine<u32, Seen>;

fn drive(protection: Protection) -> M {
    // Sixteen units of four to a page: nothing is programmed unless a word line fills up.
    let g = Geometry { page_bytes: 16384, pages_per_wl: 2, planes: 2, ..geometry() };
    let mut c = config(g, 1.5);
    c.buffer.protection = protection;
    machine(c, Seen::default())
}

fn issue(m: &mut M, tag: u32, op: Op, start: u64, len: u64, durable: bool) {
    let c = Command { tag, durable, payload: tag, ..command(op, start, len) };
    m.issue(c);
}

fn rest(m: &mut M) {
    m.run(Instant::NEVER, u64::MAX);
}

fn value(m: &mut M, unit: u64) -> u32 {
    issue(m, 99, Op::Read, unit * 4096, 4096, false);
    rest(m);
    let found = m.context.probe.units.pop().expect("the read has ended");
    assert_eq!(found.0, unit);
    found.1
}

#[test]
fn only_a_volatile_buffer_loses_what_it_acknowledged() {
    for (protection, lost, kept) in [(Protected, 0, 7), (Volatile, 1, 0), (Off, 0, 7)] {
        let mut m = drive(protection);
        issue(&mut m, 7, Op::Write, 0, 4096, false);
        rest(&mut m);
        let ends = m.context.probe.ends.iter().map(|end| (end.0, end.1));
        assert!(ends.eq([(7, Status::Ok)]));
        assert_eq!(m.power_cut(0), lost, "{protection:?}");
        assert_eq!(value(&mut m, 0), kept, "{protection:?}");
        m.audit();
    }
}

#[test]
fn a_flush_or_fua_makes_a_volatile_buffer_keep() {
    for fua in [false, true] {
        let mut m = drive(Volatile);
        issue(&mut m, 7, Op::Write, 0, 4096, fua);
        rest(&mut m);
        if !fua {
            issue(&mut m, 8, Op::Flush, 0, 0, false);
            rest(&mut m);
        }
        assert_eq!(m.power_cut(0), 0);
        assert_eq!(value(&mut m, 0), 7);
    }
}

/// A write of half a unit has to read the other half first. A flush that comes meanwhile must wait
/// for it: the write is acknowledged already.
#[test]
fn a_flush_waits_for_units_that_are_only_half_there() {
    let mut m = drive(Volatile);
    prepare(&mut m, DriveState::Filled);
    issue(&mut m, 7, Op::Write, 512, 512, false);
    issue(&mut m, 8, Op::Flush, 0, 0, false);
    while m.context.probe.ends.len() < 2 {
        m.run(Instant::NEVER, 1);
    }
    m.power_cut(0);
    assert_eq!(value(&mut m, 0), 7);
}

/// Two durable writes of parts of one unit, and one of the whole unit on top: all complete.
#[test]
fn durable_parts_of_one_unit_all_complete() {
    let mut m = drive(Volatile);
    prepare(&mut m, DriveState::Filled);
    issue(&mut m, 1, Op::Write, 512, 512, true);
    issue(&mut m, 2, Op::Write, 1024, 512, true);
    issue(&mut m, 3, Op::Write, 0, 4096, false);
    issue(&mut m, 4, Op::Write, 4096 + 512, 512, true);
    issue(&mut m, 5, Op::Trim, 4096, 4096, false);
    rest(&mut m);
    assert_eq!(m.context.probe.ends.len(), 5, "{}", m.describe());
    assert_eq!((value(&mut m, 0), value(&mut m, 1)), (3, 0));
    m.audit();
}

#[test]
fn commands_under_way_end_as_gone_and_nothing_of_them_comes_later() {
    let mut m = drive(Protected);
    prepare(&mut m, DriveState::Filled);
    for tag in 0..20 {
        issue(&mut m, tag, Op::Read, tag as u64 * 16384, 4096, false);
    }
    m.run_to(at_us(120));
    let answered = m.context.probe.ends.len();
    assert!(answered > 0 && answered < 20);
    m.power_cut(0);
    rest(&mut m);
    let gone = m.context.probe.ends.iter().filter(|d| d.1 == Status::DeviceGone).count();
    assert_eq!((m.context.probe.ends.len(), gone), (20, 20 - answered));
    assert_eq!(m.drive(0).health().unsafe_shutdowns, 1);
}

/// A limit set while running outlives the cut, and so do counters and wear.
#[test]
fn limits_counters_and_wear_outlive_a_cut() {
    let mut m = drive(Protected);
    prepare(&mut m, DriveState::Filled);
    m.drive_mut(0).set_power_cap(Some(Power::from_base(1_000_000)));
    issue(&mut m, 1, Op::Write, 0, 1 << 20, false);
    rest(&mut m);
    let before = *m.drive(0).nand().counters();
    for _ in 0..1000 {
        m.power_cut(0);
    }
    assert_eq!(*m.drive(0).nand().counters(), before);
    assert_eq!(m.drive(0).config().power.cap, Some(Power::from_base(1_000_000)));
    m.audit();
}

/// A drive that fails while a thread waits: its commands end as gone and the thread stops.
#[test]
fn a_thread_stops_at_a_dead_drive() {
    let c = config(geometry(), 1.5);
    let span = c.user_bytes;
    let mut m = machine::<(), _>(c, Times::default());
    let mut load = thread("load", Directions::Write, 4096, span, 8);
    // Some commands are still on their way from the thread to the drive.
    load.submit_cost = us(40);
    let workload = start(&mut m, vec![load], 1);
    m.run(at_us(1000), u64::MAX);
    m.fail(0);
    assert_eq!(m.run(Instant::NEVER, 1_000_000), iopath::machine::Stop::Idle);
    assert!(m.workload(workload).is_done());
    assert_eq!(m.context.commands.outstanding(), 0);
    let gone = m.context.probe.ios.iter().filter(|io| io.status == Status::DeviceGone).count();
    assert!((1..=8).contains(&gone));
}
