//! Steady random writes through the timed drive: the write amplification of the laws and of the
//! untimed path, and the throughput that follows from it; and writes that keep missing most dies.

use crate::common::random::{cases, drives};
use crate::common::*;
use iopath::device::flash::ftl::{Ftl, UnitLedger};
use iopath::device::flash::geometry::Layout;
use iopath::machine::Stop;
use proptest::prelude::*;

fn amplification(from: UnitLedger, to: UnitLedger) -> f64 {
    (to.total() - from.total()) as f64 / (to.host - from.host) as f64
}

struct Measured {
    amplification: f64,
    writes_per_s: f64,
}

/// Random writes at depth 64 over the whole drive, from the constructed steady state.
fn timed(c: &DriveConfig, writes: usize) -> Measured {
    let mut m = machine::<(), _>(c.clone(), Times::default());
    prepare(&mut m, DriveState::Steady(1.0));
    let unit = c.unit_bytes();
    start(&mut m, vec![thread("w", Directions::Write, unit, c.user_bytes, 64)], 3);
    let run = |m: &mut Machine<(), Times>, until: usize| {
        while m.context.probe.ios.len() < until {
            assert_eq!(m.run(Instant::NEVER, 1000), Stop::Events, "{}", m.describe());
        }
    };
    run(&mut m, writes / 3);
    let (from, begun, before) =
        (m.drive(0).ftl().ledger(), m.context.queue.now(), m.context.probe.ios.len());
    run(&mut m, writes);
    let seconds = m.context.queue.now().since(begun).as_s();
    m.audit();
    Measured {
        amplification: amplification(from, m.drive(0).ftl().ledger()),
        writes_per_s: (m.context.probe.ios.len() - before) as f64 / seconds,
    }
}

fn untimed(c: &DriveConfig, writes: u64) -> f64 {
    let logical = (c.user_bytes / c.geometry.unit_bytes as u64) as u32;
    let mut ftl: Ftl<()> = Ftl::new(Layout::new(c.geometry), logical, c.policies.clone(), false);
    let mut stream = Stream::new(8, "untimed");
    ftl.construct_steady(logical, 1, None, &mut stream);
    let mut write = |ftl: &mut Ftl<()>, n| {
        for _ in 0..n {
            ftl.write(stream.below(logical as u64) as u32, ());
        }
        ftl.ledger()
    };
    let from = write(&mut ftl, writes / 3);
    amplification(from, write(&mut ftl, writes))
}

/// Eight dies of two planes, 4 KiB pages, 600 stripes.
fn shape(span: GroupSpan, parity_period: u32) -> Geometry {
    Geometry {
        channels: 4,
        dies: 8,
        planes: 2,
        pages_per_wl: 2,
        rows: if span == GroupSpan::Block { 32 } else { 8 },
        span,
        groups_per_lane: if span == GroupSpan::Block { 150 } else { 600 },
        parity_period,
        ..geometry()
    }
}

#[test]
fn timed_writes_amplify_like_untimed_ones_and_like_the_law() {
    for (span, parity, alpha) in [
        (GroupSpan::Superblock, 0, 1.15),
        (GroupSpan::Superblock, 4, 1.15),
        (GroupSpan::Superblock, 0, 1.4),
        (GroupSpan::Block, 0, 1.15),
        (GroupSpan::Block, 0, 1.28),
    ] {
        let c = config(shape(span, parity), alpha);
        let layout = Layout::new(c.geometry);
        // Parity is written beside the data: in one die of each period.
        let with_parity = layout.group_units as f64 / layout.group_data_units as f64;
        // Of the reserve one stripe's worth is written at any time (two open stripes, half full):
        // as good as closed, which matters with only some hundred stripes.
        let closed =
            (c.geometry.groups_per_lane - iopath::device::flash::ftl::RESERVE_STRIPES - 1) as f64;
        let alpha_here = alpha * (closed + 1.0) / closed;
        let law = theory::greedy(alpha_here, layout.group_data_units) * with_parity;
        let units = c.user_bytes / 4096;
        let (a, b) = (timed(&c, 4 * units as usize).amplification, untimed(&c, 6 * units));
        println!(
            "{span:?} parity {parity} alpha {alpha}: timed {a:.3} untimed {b:.3} law {law:.3}"
        );
        assert!((a / b - 1.0).abs() < 0.01, "{span:?} {parity} {alpha}: {a} timed, {b} untimed");
        assert!((a / law - 1.0).abs() < 0.01, "{span:?} {parity} {alpha}: {a}, law {law}");
    }
}

/// Host throughput is what the dies have time for: each host unit costs A programs, A erases and
/// A - 1 reads, in shares of a word line, a block and a page: 1/(A/Bp + (A-1)/Br).
#[test]
fn throughput_is_the_dies_time_over_the_amplification() {
    for (sense, erase) in [(1, 1), (50, 1), (50, 3000)] {
        let mut c = config(shape(GroupSpan::Superblock, 0), 1.2);
        c.nand.sense = vec![us(sense)];
        c.nand.erase = us(erase);
        c.buffer.units *= 4;
        c.buffer.copy_units *= 4;
        let g = c.geometry;
        let m = timed(&c, 150_000);
        let a = m.amplification;
        let program = a * 500e-6 / (g.planes * g.pages_per_wl) as f64;
        let erase = a * erase as f64 * 1e-6 / (g.planes * g.rows) as f64;
        let read = (a - 1.0) * sense as f64 * 1e-6;
        let law = g.dies as f64 / (program + erase + read);
        let share = m.writes_per_s / law;
        println!("sense {sense}: {:.0} writes/s, bound {law:.0}, {share:.3}", m.writes_per_s);
        assert!(share < 1.005, "{share} of the bound");
        assert!(share > 0.98, "only {share} of the bound");
    }
}

/// Overwriting every sixteenth unit after a sequential fill puts all stale data on a quarter of the
/// lanes. Stripes need a group from each lane, so the others must be evened out.
#[test]
fn writes_that_miss_most_lanes_still_get_their_space() {
    let g = Geometry {
        channels: 4,
        dies: 8,
        planes: 1,
        page_bytes: 16384,
        span: GroupSpan::Block,
        rows: 16,
        groups_per_lane: 40,
        ..geometry()
    };
    for victim in [VictimPolicy::Greedy, VictimPolicy::Fifo] {
        let mut c = config(g, 1.25);
        c.policies = victim.into();
        let logical = (c.user_bytes / 4096) as u32;
        let mut ftl: Ftl<()> = Ftl::new(Layout::new(g), logical, c.policies.clone(), false);
        for unit in 0..logical {
            ftl.write(unit, ());
        }
        let mut stream = Stream::new(1, "stride");
        for _ in 0..4 * logical {
            ftl.write(stream.below(logical as u64 / 16) as u32 * 16, ());
        }
        ftl.audit();
        let mut m = machine::<(), _>(c.clone(), Times::default());
        prepare(&mut m, DriveState::Filled);
        let mut writes = thread("stride", Directions::Write, 4096, c.user_bytes, 32);
        writes.regions[0].pattern =
            [0, 1, 2].map(|_| Pattern::Random(Sampler::Uniform { n: c.user_bytes / 65536 }));
        writes.align = [65536; 3];
        writes.io_limit = Some(2 * logical as u64);
        start(&mut m, vec![writes], 1);
        m.run(Instant::NEVER, 50_000_000);
        assert_eq!(m.context.probe.ios.len(), 2 * logical as usize, "{}", m.describe());
        m.audit();
    }
}

proptest! {
    #![proptest_config(cases(200))]

    /// From a constructed steady state of any live share, over any shape, timed work continues.
    #[test]
    fn a_constructed_state_bears_timed_work(
        mut c in drives(Protection::Protected), share in 0.001..1.0f64, seed: u64
    ) {
        // A drive at the end of its life would refuse writes.
        c.policies.bad_blocks = None;
        let mut m = machine::<(), _>(c.clone(), Times::default());
        m.drive_mut(0).prepare(&DriveState::Steady(share), &mut Stream::new(seed, "steady"));
        m.audit();
        let live = m.drive(0).ftl().map().mapped() as u64;
        let unit = c.unit_bytes();
        prop_assert_eq!(live, ((c.user_bytes / unit) as f64 * share).max(1.0) as u64);
        let mixed = Directions::Mixed { read_percent: 30 };
        let mut load = thread("load", mixed, unit, c.user_bytes, 8);
        load.io_limit = Some(400);
        start(&mut m, vec![load], seed);
        m.run(Instant::NEVER, 1_000_000);
        prop_assert_eq!(m.context.probe.ios.len(), 400, "{}", m.describe());
        m.audit();
    }
}
