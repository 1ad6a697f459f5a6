//! The wall that random writes run into while a drive collects: bytes a second, whatever the size
//! of the writes. It needs no cap: it follows from the dies that may program and from the write
//! amplification.

use crate::common::*;
use iopath::device::flash::ftl::policies::{Padding, WritePoints};

/// Thirty-two dies, of which all may program, but only `collecting` of them while groups are
/// collected, as in a drive that saves power for the copies.
fn drive(collecting: u32) -> DriveConfig {
    let g = Geometry {
        dies: 32,
        channels: 4,
        planes: 2,
        page_bytes: 16384,
        pages_per_wl: 3,
        rows: 24,
        groups_per_lane: 160,
        ..geometry()
    };
    let mut c = config(g, 1.25);
    c.nand.erase = us(3000);
    c.programs.dies_collecting = collecting;
    c
}

/// Bytes a second of random writes of a size in the steady state of such writes, the amplification,
/// and the commands a second.
fn wall(c: &DriveConfig, block: u64) -> (f64, f64, f64) {
    let mut m = machine::<(), _>(c.clone(), Times::default());
    prepare(&mut m, DriveState::Steady(1.0));
    start(&mut m, vec![thread("w", Directions::Write, block, c.user_bytes, 256)], 3);
    // Larger writes have a steady state of their own: time for it.
    m.run_to(at_us(3_000_000));
    let before = m.drive(0).ftl().ledger();
    m.run_to(at_us(5_000_000));
    let after = m.drive(0).ftl().ledger();
    let host = (after.host - before.host) as f64 * 4096.0 / 2.0;
    let all = host + (after.copies - before.copies) as f64 * 4096.0 / 2.0;
    (host, all / host, host / block as f64)
}

#[test]
fn random_writes_of_every_size_run_into_the_same_wall_of_bytes() {
    let c = drive(10);
    // Ten dies, each a word line in the time of a program; a die that erases is not one of them.
    let programs = 10.0 * (3 * 2 * 16_384) as f64 / 500e-6;
    let (small, amplification, commands) = wall(&c, 4096);
    let law = programs / amplification;
    assert!((small / law - 1.0).abs() < 0.03, "{small} B/s, {law} by the programs");
    for block in [8192, 16384, 65536] {
        let (bytes, amplification, fewer) = wall(&c, block);
        let law = programs / amplification;
        assert!((bytes / law - 1.0).abs() < 0.03, "{block}: {bytes} B/s, {law} by the programs");
        assert!((bytes / small - 1.0).abs() < 0.1, "{block}: {bytes} B/s against {small}");
        let times = block as f64 / 4096.0;
        assert!((commands / fewer / times - 1.0).abs() < 0.1, "{block}: {fewer} of {commands}");
    }
}

#[test]
fn the_wall_is_proportional_to_the_dies_that_may_program() {
    let (ten, a, _) = wall(&drive(10), 4096);
    let (eleven, b, _) = wall(&drive(11), 4096);
    let ratio = eleven * b / (ten * a);
    assert!((ratio / 1.1 - 1.0).abs() < 0.02, "{ratio}");
}

/// Where a drive has a limit of its own in bytes, it is `controller.write_path`.
#[test]
fn a_data_path_is_a_cap_in_bytes_too() {
    let mut c = drive(32);
    c.controller.write_path = Some(Bandwidth::from_base(20_000_000));
    for block in [4096, 16384] {
        let (bytes, _, _) = wall(&c, block);
        assert!((bytes / 20e6 - 1.0).abs() < 0.01, "{block}: {bytes}");
    }
}

/// Rates of three passes in order over a drive whose pages are given up at the end of a command,
/// after random writes, and copies during each of them.
fn passes_in_order(c: &DriveConfig, state: DriveState, seed: u64) -> [(f64, u64); 3] {
    let mut m = seeded::<(), _>(c.clone(), seed, Times::default());
    prepare(&mut m, state);
    let mut writer = thread("w", Directions::Write, 128 * KIB, c.user_bytes, 8);
    writer.regions[0].pattern = [0, 1, 2].map(|_| Pattern::Sequential);
    start(&mut m, vec![writer], seed);
    [(); 3].map(|()| {
        let (begin, before) = (m.context.queue.now(), m.drive(0).ftl().ledger());
        let all = c.user_bytes / 4096;
        while m.drive(0).ftl().ledger().host - before.host < all {
            m.run(Instant::NEVER, 1000);
        }
        let time = m.context.queue.now().since(begin).ps() as f64 / 1e12;
        let after = m.drive(0).ftl().ledger();
        ((after.host - before.host) as f64 * 4096.0 / time, after.copies - before.copies)
    })
}

/// Copies that fill no page wait for more of them, which may never come: a drive that has come back
/// into order is as fast as it was when it was new.
#[test]
fn copies_that_wait_for_a_page_do_not_hold_the_host_up() {
    let mut c = drive(4);
    c.geometry.groups_per_lane = 40;
    c.user_bytes = config(c.geometry, 1.5).user_bytes / (128 * KIB) * (128 * KIB);
    c.policies.padding = Padding::Page;
    c.policies.write_points = WritePoints::Ordered { after: 256 };
    c.buffer.units = 2 * c.least_buffer_units();
    c.buffer.copy_units = 2 * c.least_copy_units();
    let fresh = passes_in_order(&c, DriveState::Fresh, 1)[2].0;
    for seed in 0..12 {
        let [first, _, last] = passes_in_order(&c, DriveState::Steady(1.0), seed);
        assert!(first.0 < 0.7 * fresh, "it does collect first: {first:?} against {fresh}");
        assert_eq!(last.1, 0, "and comes back into order");
        assert!(last.0 > 0.97 * fresh, "seed {seed}: {last:?} against {fresh}");
    }
}
