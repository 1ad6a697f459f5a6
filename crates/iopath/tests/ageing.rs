//! Drives that begin old: reads take their retries, fail when nothing helps, and are spared both by
//! refreshing in time.
use iopath::kernel::Device;

use crate::common::cells::mlc;
use crate::common::*;
use iopath::device::flash::cell::age::Age;
use iopath::device::flash::cell::refresh::RefreshPolicy;
use iopath::device::flash::cell::retention::YEAR_HOURS;
use iopath::device::flash::cell::{CellModel, Stress};
use iopath::device::flash::config::Cells;

fn cells() -> Cells {
    Cells { cell: mlc(), rebuild: false, refresh: None }
}

/// MLC with pages of two types, ten microseconds of decoding and 4 KiB in exactly ten more.
fn worn_drive() -> DriveConfig {
    let mut c = config(Geometry { pages_per_wl: 2, ..geometry() }, 1.5);
    c.nand.sense = vec![us(40), us(60)];
    c.nand.ecc = us(10);
    c.nand.bus = Bandwidth::from_base(409_600_000);
    c.cells = Some(cells());
    c
}

fn aged(c: &DriveConfig, age: Age) -> Machine<(), Times> {
    let mut m = seeded::<(), _>(c.clone(), 1, Times::default());
    prepare(&mut m, DriveState::Filled);
    assert!(m.drive_mut(0).set_age(age, Instant::ZERO));
    m
}

fn old(cycles: f64) -> Age {
    Age { cycles, hours: YEAR_HOURS, reads: 0.0 }
}

/// Random reads one after another.
fn read(m: &mut Machine<(), Times>, ios: u64) {
    let span = m.drive(0).config().user_bytes;
    let mut reads = thread("r", Directions::Read, 4096, span, 1);
    reads.io_limit = Some(ios);
    start(m, vec![reads], 3);
    m.run(Instant::NEVER, 50_000_000);
    assert!(m.drive(0).is_at_rest(), "{}", m.describe());
    m.drive(0).audit();
}

/// The same by as many threads, one after another: a thread stops at its first error.
fn read_apart(m: &mut Machine<(), Times>, ios: u64) {
    let span = m.drive(0).config().user_bytes;
    let threads = (0..ios).map(|i| {
        let mut one = thread("r", Directions::Read, 4096, span, 1);
        one.name = format!("r{i}");
        one.start_delay = us(2000 * i);
        one.io_limit = Some(1);
        one
    });
    start(m, threads.collect(), 3);
    m.run(Instant::NEVER, 50_000_000);
    assert!(m.drive(0).is_at_rest(), "{}", m.describe());
}

#[test]
fn a_worn_read_takes_a_sense_a_transfer_and_a_decoding_for_each_retry() {
    let c = worn_drive();
    let cell = CellModel::new(mlc());
    let mut m = aged(&c, old(3000.0));
    read(&mut m, 400);
    // A filled drive has erased each block once more.
    let stress = Stress { cycles: 3001.0, hours: YEAR_HOURS, reads: 0.0 };
    let [lower, upper] = [0, 1].map(|page| cell.read(stress, page).retries as u64);
    assert!(lower == 0 && upper > 0, "the upper page suffers first: {lower}, {upper}");
    // The time until data is decoded: sense, transfer, decoding, and the same for each retry.
    let took = |sense: u64, retries: u64| (retries + 1) * (sense + 20) * 1_000_000;
    let mut seen = [0, 0];
    for io in &m.context.probe.ios {
        let ps = io.completed.since(io.issued).ps();
        // The link of a test takes a few picoseconds.
        let is = |expected: u64| (expected..expected + 100_000).contains(&ps);
        let page = [is(took(40, lower)), is(took(60, upper))].iter().position(|&is| is);
        seen[page.unwrap_or_else(|| panic!("{ps} ps is neither page's time"))] += 1;
        assert_eq!(io.status, Status::Ok);
    }
    assert!(seen[0] > 100 && seen[1] > 100);
    let n = m.drive(0).nand().counters();
    assert_eq!((n.retries, n.senses, n.lost), (seen[1] * upper, 400 + n.retries, 0));
}

#[test]
fn a_drive_of_no_age_is_the_drive_without_cells() {
    let run = |with_cells: bool| {
        let mut c = worn_drive();
        if !with_cells {
            c.cells = None;
        }
        let mut m = seeded::<(), _>(c, 1, Times::default());
        prepare(&mut m, DriveState::Filled);
        assert_eq!(m.drive_mut(0).set_age(Age::default(), Instant::ZERO), with_cells);
        let span = m.drive(0).config().user_bytes;
        let mut mixed = thread("m", Directions::Mixed { read_percent: 50 }, 4096, span, 8);
        mixed.io_limit = Some(20_000);
        start(&mut m, vec![mixed], 3);
        m.run(Instant::NEVER, 50_000_000);
        let ios: Vec<_> = m.context.probe.ios.iter().map(|io| (io.start, io.completed)).collect();
        (ios, *m.drive(0).nand().counters(), m.drive(0).ftl().ledger())
    };
    assert!(run(true) == run(false));
}

#[test]
fn reads_slow_down_with_wear_and_fail_in_the_end() {
    let mut before = (0.0, 0);
    for cycles in [0.0, 1500.0, 3000.0, 4500.0, 10_000.0, 40_000.0] {
        let mut m = aged(&worn_drive(), old(cycles));
        read_apart(&mut m, 1000);
        let failed =
            m.context.probe.ios.iter().filter(|io| io.status == Status::MediaError).count();
        let now = (mean(&m.context.probe.latencies(Op::Read)), failed);
        assert!(now.0 >= before.0 && now.1 >= before.1, "{cycles}: {now:?} after {before:?}");
        assert_eq!(m.drive(0).nand().counters().lost, failed as u64);
        if cycles <= 4500.0 {
            assert_eq!(failed, 0, "up to the rated cycles every read succeeds");
        }
        before = now;
    }
    assert!(before.1 > 990, "far beyond its life the drive loses nearly everything: {before:?}");
}

#[test]
fn what_is_written_now_is_not_old() {
    // A worn drive whose data is rewritten reads as one without shelf life, all but the stripe that
    // was half full before: it counts as old as its first data.
    let c = worn_drive();
    let mut m = aged(&c, old(3000.0));
    read(&mut m, 1000);
    let needed = m.drive(0).nand().counters().retries;
    let mut fill = thread("w", Directions::Write, 4096, c.user_bytes, 8);
    fill.regions[0].pattern = [0, 1, 2].map(|_| Pattern::Sequential);
    fill.byte_limit = Some(c.user_bytes);
    start(&mut m, vec![fill], 2);
    m.run(Instant::NEVER, 50_000_000);
    read(&mut m, 1000);
    let now = m.drive(0).nand().counters().retries - needed;
    assert!(needed > 1000 && now < needed / 20, "{needed} before, {now} after");
}

#[test]
fn a_lost_page_is_rebuilt_from_the_other_dies_of_its_stripe() {
    let geometry = Geometry { pages_per_wl: 2, dies: 4, parity_period: 4, ..geometry() };
    let mut c = config(geometry, 1.5);
    c.nand.sense = vec![us(50), us(50)];
    c.cells = Some(Cells { rebuild: true, ..cells() });
    let mut m = aged(&c, old(40_000.0));
    read_apart(&mut m, 500);
    assert!(m.context.probe.ios.iter().all(|io| io.status == Status::Ok));
    let n = *m.drive(0).nand().counters();
    assert!(n.lost > 450, "{n:?}");
    // First the page with all its retries, then the three other dies at once with theirs.
    let longest = *m.context.probe.latencies(Op::Read).last().unwrap();
    assert!((longest - 2.0 * 9.0 * 50e-6).abs() < 5e-6, "{longest}");
    // Without the choice the same reads fail.
    c.cells = Some(cells());
    let mut m = aged(&c, old(40_000.0));
    read_apart(&mut m, 500);
    assert!(m.context.probe.ios.iter().filter(|io| io.status == Status::MediaError).count() > 450);
}

#[test]
fn refreshing_moves_what_was_read_too_often_and_nothing_else() {
    let mut c = worn_drive();
    c.cells = Some(Cells {
        refresh: Some(RefreshPolicy { share: 0.7, reads: Some(100_000.0) }),
        ..cells()
    });
    let few = Age { cycles: 1000.0, hours: 0.0, reads: 50_000.0 };
    let mut m = aged(&c, few);
    read(&mut m, 1000);
    assert_eq!(m.drive(0).ftl().ledger().refresh, 0, "half of the reads are no reason");
    let mut m = aged(&c, Age { reads: 100_001.0, ..few });
    let written = m.drive(0).ftl().ledger();
    read(&mut m, 1000);
    let ledger = m.drive(0).ftl().ledger();
    let filled = m.drive(0).ftl().map().mapped() as u64;
    // All but what is in the stripe that was still open.
    let open = m.drive(0).ftl().layout().stripe_data_units() as u64;
    assert!(ledger.refresh + open >= filled && ledger.refresh <= filled, "{ledger:?} {filled}");
    assert_eq!((ledger.host, ledger.copies), (written.host, written.copies));
}

#[test]
fn refreshing_aged_data_takes_its_retries_away() {
    let run = |refresh| {
        let mut c = worn_drive();
        c.cells = Some(Cells { refresh, ..cells() });
        let mut m = aged(&c, Age { cycles: 3500.0, hours: YEAR_HOURS, reads: 100_000.0 });
        read(&mut m, 20_000);
        m.context.probe.ios.clear();
        let before = m.drive(0).nand().counters().retries;
        read(&mut m, 1000);
        m.drive(0).nand().counters().retries - before
    };
    let (without, with) = (run(None), run(Some(RefreshPolicy { share: 0.5, reads: None })));
    assert!(without > 500 && with < without / 20, "{without} retries, {with} after a refresh");
}
