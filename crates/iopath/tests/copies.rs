//! What copies cost the cores: firmware sets them up in batches, and commands wait for the end of
//! the batch that is being set up, never for a second one.

use crate::common::*;
use iopath::host::workload::Rate;

/// Time of the cores for a unit that is copied.
const COST: Duration = Duration::from_us(1);
/// Units of a page: a batch ends with the page that fills it.
const SLOTS: u32 = 4;
/// More than the link adds to a read that waits for nothing, s.
const LINK: f64 = 1e-8;

/// Thirty-two dies under collection, of which copies take the cores' time in such batches.
fn drive(batch: u32) -> DriveConfig {
    let g = Geometry {
        dies: 32,
        channels: 4,
        planes: 2,
        page_bytes: 4096 * SLOTS,
        pages_per_wl: 3,
        rows: 24,
        groups_per_lane: 160,
        ..geometry()
    };
    let mut c = config(g, 1.25);
    c.controller.copy_cost = COST;
    c.controller.copy_batch = batch;
    c
}

/// Waits of reads that need nothing but the cores, in seconds, beside random writes at a rate that
/// the drive holds; and copies a second.
fn waits(c: &DriveConfig) -> (Vec<f64>, f64) {
    let written = c.user_bytes / 10 * 9 / 4096 * 4096;
    let mut m = machine::<(), _>(c.clone(), Times::default());
    prepare(&mut m, DriveState::Steady(0.9));
    let mut writes = thread("w", Directions::Write, 4096, written, 256);
    writes.rate[1] = Some(Rate::Ios(40_000));
    // Nothing is mapped there, so that no die is asked.
    let mut reads = thread("r", Directions::Read, 4096, c.user_bytes / 20, 256);
    reads.regions[0].start = written + 4096;
    reads.rate[0] = Some(Rate::Ios(200_000));
    reads.rate_process = RateProcess::Poisson;
    start(&mut m, vec![writes, reads], 5);
    m.run_to(at_us(500_000));
    let before = m.drive(0).ftl().ledger().copies;
    m.context.probe.ios.clear();
    m.run_to(at_us(2_500_000));
    let copies = (m.drive(0).ftl().ledger().copies - before) as f64 / 2.0;
    (m.context.probe.latencies(Op::Read), copies)
}

/// A read that comes at any time finds a batch being set up with the share of time that batches
/// take, and waits for the rest of it, half a batch in the mean: copies a second times cost times
/// half of cost times batch (the residual time of a renewal process).
#[test]
fn a_read_waits_for_the_rest_of_a_batch() {
    for batch in [16, 64, 256] {
        let (waits, copies) = waits(&drive(batch));
        let cost = COST.ps() as f64 / 1e12;
        // The last page of a batch may hold more units than are wanted.
        let (least, most) = (f64::from(batch), f64::from(batch + SLOTS - 1));
        let law = |units: f64| copies * cost * units * cost / 2.0;
        let mean = mean(&waits);
        assert!(copies > 30_000.0 && waits.len() > 300_000, "{copies} copies a second");
        let room = 0.03;
        assert!(
            mean > law(least) * (1.0 - room) && mean < law(most) * (1.0 + room),
            "{batch}: {mean} s, {} to {} by the law",
            law(least),
            law(most)
        );
        let longest = waits.last().unwrap();
        assert!(
            *longest <= most * cost + LINK && *longest > 0.9 * least * cost,
            "{batch}: {longest}"
        );
    }
}

#[test]
fn copies_that_cost_nothing_delay_no_read() {
    let mut c = drive(64);
    c.controller.copy_cost = Duration::ZERO;
    assert!(*waits(&c).0.last().unwrap() < LINK);
}
