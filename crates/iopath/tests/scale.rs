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

/// Steady 70/30 random 4 KiB at depth 16 on 16 dies whose blocks are `rows` long.
fn mixed(rows: u32) -> Seen {
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

/// Random writes a second that a drive with half of its flash to spare takes when it collects,
/// with blocks of so many programs.
fn written(programs: u32) -> f64 {
    let g = Geometry {
        channels: 16,
        dies: 96,
        planes: 4,
        page_bytes: 16384,
        pages_per_wl: 4,
        rows: 4 * programs,
        groups_per_lane: 400,
        ..geometry()
    };
    let mut c = config(g, 1.5);
    c.erase_bytes = 768 * 4 * 4 * 16384;
    c.programs.dies_collecting = 90;
    c.controller.write_cost = Duration::from_ns(1630);
    c.controller.write_ack = us(9);
    c.buffer.units = 16384;
    c.buffer.copy_units = 16384;
    c.nand.sense = vec![us(60), us(73), us(87), us(100)];
    c.nand.program = vec![us(8200)];
    c.nand.bus = Bandwidth::from_base(1_080_000_000);
    c.nand.transfer_overhead = Duration::from_ns(200);
    c.nand.erase = us(12_000);
    c.nand.independent_planes = true;
    let span = c.user_bytes;
    let mut m = machine::<(), _>(c, Times::default());
    prepare(&mut m, DriveState::Steady(1.0));
    start(&mut m, vec![thread("w", Directions::Write, 4096, span, 256)], 3);
    let run = |m: &mut Machine<(), Times>, until: usize| {
        while m.context.probe.ios.len() < until {
            assert_eq!(m.run(Instant::NEVER, 5000), Stop::Events, "{}", m.describe());
        }
    };
    run(&mut m, 100_000);
    m.context.probe.ios.clear();
    let begun = m.context.queue.now();
    run(&mut m, 600_000);
    m.context.probe.ios.len() as f64 / m.context.queue.now().since(begun).as_s()
}

/// A row of word lines fills over all dies at once, that of the host as that of copies. Where
/// writes may be ahead of collection by a part of a row only, each waits for the other to fill, and
/// dies stand idle.
#[test]
fn blocks_of_a_single_program_do_not_make_writes_wait_for_collection() {
    let whole = written(12);
    for programs in [1, 2, 3] {
        let moved = written(programs) / whole - 1.0;
        println!("{programs} programs: moved {:.2} % of {whole:.0}", 100.0 * moved);
        assert!(moved.abs() < 0.02, "with blocks of {programs} programs the rate moves by {moved}");
    }
}
