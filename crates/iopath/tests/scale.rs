//! A drive simulated at a fraction of its capacity, with the same dies and shorter blocks, gives
//! the same results: rates and latencies do not move, and erases are charged for the same bytes.

use crate::common::*;
use iopath::machine::Stop;

struct Seen {
    ios_per_s: f64,
    read_mean: f64,
    read_p999: f64,
    bytes_per_erase: f64,
}

/// 16 dies whose blocks are `rows` long, of 48 rows in all.
fn drive(rows: u32) -> DriveConfig {
    let g = Geometry {
        channels: 4,
        dies: 16,
        planes: 2,
        page_bytes: 16384,
        pages_per_wl: 3,
        rows,
        groups_per_lane: 600,
        ..geometry()
    };
    let mut c = config(g, 1.15);
    c.erase_bytes = 48 * 2 * 16384;
    c.nand.sense = vec![us(40), us(60), us(80)];
    c.nand.program = vec![us(1500)];
    c.nand.bus = Bandwidth::from_base(1_000_000_000);
    c.nand.independent_planes = true;
    c.controller.read_cost = us(1);
    c.controller.write_cost = us(2);
    // The buffer does not scale: four rows of word lines at any length of the blocks.
    c.suspend = SuspendConfig {
        enabled: true,
        latency: us(30),
        closed_window: us(300),
        erase_segment: us(600),
        resume: us(5),
        max_count: 10,
        min_run: us(100),
        max_hold: us(1000),
        never_ppm: 0,
    };
    c
}

/// Steady 70/30 random 4 KiB at depth 16.
fn mixed(rows: u32) -> Seen {
    let c = drive(rows);
    let span = c.user_bytes;
    let mut m = machine::<(), _>(c, Times::default());
    prepare(&mut m, DriveState::Steady(1.0));
    start(&mut m, vec![thread("m", Directions::Mixed { read_percent: 70 }, 4096, span, 16)], 2);
    let run = |m: &mut Machine<(), Times>, until: usize| {
        while m.context.probe.ios.len() < until {
            assert_eq!(m.run(Instant::NEVER, 5000), Stop::Events, "{}", m.describe());
        }
    };
    run(&mut m, 400_000);
    m.context.probe.ios.clear();
    let (begun, before) = (m.context.queue.now(), *m.drive(0).nand().counters());
    run(&mut m, 1_200_000);
    m.audit();
    let after = *m.drive(0).nand().counters();
    let reads = m.context.probe.latencies(Op::Read);
    let seconds = m.context.queue.now().since(begun).as_s();
    Seen {
        ios_per_s: m.context.probe.ios.len() as f64 / seconds,
        read_mean: mean(&reads),
        read_p999: percentile(&reads, 0.999),
        bytes_per_erase: (after.program_bytes - before.program_bytes) as f64
            / (after.erases - before.erases) as f64,
    }
}

#[test]
fn results_do_not_move_with_the_scale() {
    let whole = mixed(48);
    let erase = 48.0 * 2.0 * 16384.0;
    assert!((whole.bytes_per_erase / erase - 1.0).abs() < 0.03);
    for (scale, rows) in [(2, 24), (4, 12), (8, 6)] {
        let part = mixed(rows);
        for (name, a, b, most) in [
            ("rate", whole.ios_per_s, part.ios_per_s, 0.02),
            ("mean read", whole.read_mean, part.read_mean, 0.02),
            ("p99.9 read", whole.read_p999, part.read_p999, 0.03),
            ("bytes an erase", whole.bytes_per_erase, part.bytes_per_erase, 0.03),
        ] {
            let moved = b / a - 1.0;
            println!("1/{scale}: {name}: {b:.6e}, moved {:.2} %", 100.0 * moved);
            assert!(moved.abs() < most, "at 1/{scale} {name} moves by {moved}");
        }
    }
}

/// The blocks of a superblock are erased together, as those of a real one are. At different times
/// each die would hold up the writes of all: an SN850 at 16 Mi units wrote 2 % less than the whole.
#[test]
fn all_dies_are_erased_for_the_same_superblock() {
    let config = drive(6);
    let superblock = 16 * 6 * 2 * 16384;
    let mut writes = thread("w", Directions::Write, 131_072, config.user_bytes, 16);
    for (superblocks, more) in [(9, 1), (20, 2), (29, 3)] {
        let mut m = machine::<(), _>(config.clone(), Times::default());
        writes.io_limit = Some(superblocks * superblock / 131_072);
        start(&mut m, vec![writes.clone()], 1);
        m.run(Instant::NEVER, u64::MAX);
        let erases = m.drive(0).nand().counters().erases;
        assert!(erases % 16 == 0, "{erases} erases of 16 dies after {superblocks} superblocks");
        assert!(erases.abs_diff(16 * more) <= 16, "{erases} erases, one for 8 short blocks");
    }
}
