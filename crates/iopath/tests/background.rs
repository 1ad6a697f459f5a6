//! When collection runs: not before the delay, not while commands come, between reads if that is
//! allowed, and in bursts.

use crate::common::*;
use engine::{Duration, Instant, Ratio, Stream};
use iopath::device::flash::config::{BackgroundConfig, Pace};
use iopath::device::flash::drive::OwnTime;
use iopath::device::flash::ftl::UnitLedger;

/// A drive of which every group holds some stale units, and which collects on idle.
fn dirty(during_reads: bool, target: f64) -> Machine<(), Times> {
    let mut g = geometry();
    g.groups_per_lane = 128;
    let mut c = config(g, 1.3);
    c.collection.background = Some(BackgroundConfig {
        after: Duration::from_ms(10),
        target: Ratio::from_base((target * 1e6) as u64),
        during_reads,
    });
    let mut m = machine::<(), _>(c, Times::default());
    prepare(&mut m, DriveState::Steady(1.0));
    m
}

fn ledger(m: &Machine<(), Times>) -> UnitLedger {
    m.drive(0).ftl().ledger()
}

#[test]
fn idling_frees_the_share_that_was_asked_for_and_not_before_the_delay() {
    let mut m = dirty(false, 0.5);
    let before = ledger(&m);
    m.idle(Duration::from_us(9_999));
    assert_eq!(ledger(&m), before, "one microsecond less than the delay");
    m.idle(Duration::from_s(20));
    m.audit();
    let ftl = m.drive(0).ftl();
    let free = -ftl.debt();
    let spare = ftl.spare_units();
    let stripe = ftl.layout().stripe_data_units() as i64;
    assert!((free - spare / 2).abs() <= 2 * stripe, "{free} of {spare} units are free");
    assert_eq!(ftl.ledger().host, before.host);
}

/// A tenth of a drive that stands for the whole waits a tenth of the time.
#[test]
fn the_delay_passes_at_the_pace_of_what_is_simulated() {
    let mut m = dirty(false, 0.5);
    let before = ledger(&m);
    let now = m.context.queue.now();
    m.drive_mut(0).set_own_time(OwnTime::Pause(10.0), now);
    m.idle(Duration::from_us(999));
    assert_eq!(ledger(&m), before, "one microsecond less than the delay");
    m.idle(Duration::from_ms(20));
    assert!(ledger(&m).copies > before.copies);
}

/// Gaps between commands are the host's, whatever part of the drive is simulated.
#[test]
fn gaps_of_a_load_are_as_long_on_a_part_of_a_drive() {
    let mut m = dirty(false, 0.5);
    let before = ledger(&m);
    let now = m.context.queue.now();
    m.drive_mut(0).set_own_time(OwnTime::Load(10.0), now);
    m.idle(Duration::from_us(9_999));
    assert_eq!(ledger(&m), before, "one microsecond less than the delay");
    m.idle(Duration::from_ms(20));
    assert!(ledger(&m).copies > before.copies);
}

#[test]
fn commands_keep_it_away() {
    let mut m = dirty(false, 0.5);
    let before = ledger(&m);
    for i in 0..100 {
        m.issue(command(Op::Read, i * 4096, 4096));
        m.run_to(m.context.queue.now() + Duration::from_ms(9));
    }
    assert_eq!(ledger(&m), before);
}

#[test]
fn reads_do_not_if_it_may_run_during_reads() {
    let mut m = dirty(true, 0.5);
    let before = ledger(&m);
    for i in 0..100 {
        m.issue(command(Op::Read, i * 4096, 4096));
        m.run_to(m.context.queue.now() + Duration::from_ms(9));
    }
    assert!(ledger(&m).copies > before.copies);
    // A write stops it at once.
    let mut m = dirty(true, 0.5);
    let before = ledger(&m);
    for i in 0..100 {
        m.issue(command(Op::Write, i * 4096, 4096));
        m.run_to(m.context.queue.now() + Duration::from_ms(9));
    }
    assert!(ledger(&m).copies - before.copies < 400, "only what 100 writes pay for");
}

#[test]
fn what_was_collected_in_advance_costs_later_writes_nothing() {
    let mut m = dirty(false, 0.8);
    m.idle(Duration::from_s(60));
    let before = ledger(&m);
    let free = -m.drive(0).ftl().debt();
    assert!(free > 1000);
    let span = m.drive(0).config().user_bytes;
    let mut spec = thread("w", Directions::Write, 4096, span, 16);
    spec.io_limit = Some(free as u64 / 2);
    start(&mut m, vec![spec], 3);
    while (m.context.probe.ios.len() as i64) < free / 2 {
        m.run(Instant::NEVER, 1);
    }
    let after = ledger(&m);
    assert_eq!(after.host - before.host, free as u64 / 2);
    assert_eq!(after.copies, before.copies);
}

#[test]
fn bursts_stop_writes_now_and_then_and_amplify_no_less() {
    let measure = |pace: Pace| {
        let mut g = geometry();
        g.groups_per_lane = 128;
        let mut c = config(g, 1.3);
        c.collection.pace = pace;
        let mut m = machine::<(), _>(c.clone(), Times::default());
        m.drive_mut(0).prepare(&DriveState::Steady(1.0), &mut Stream::new(1, "prepare"));
        let from = ledger(&m);
        let mut spec = thread("w", Directions::Write, 4096, c.user_bytes, 16);
        spec.io_limit = Some(40_000);
        start(&mut m, vec![spec], 3);
        m.run(Instant::NEVER, u64::MAX);
        m.audit();
        let to = ledger(&m);
        let longest = *m.context.probe.latencies(Op::Write).last().unwrap();
        ((to.total() - from.total()) as f64 / (to.host - from.host) as f64, longest)
    };
    let (paid, paid_longest) = measure(Pace::Paid);
    let (burst, burst_longest) = measure(Pace::Burst { stripes: 8 });
    assert!(burst_longest > 5.0 * paid_longest, "{burst_longest} against {paid_longest}");
    // Eight stripes of 127 that are free instead of filled are spare area lost.
    assert!(burst > paid && burst < paid * 1.35, "{burst} against {paid}");
}
