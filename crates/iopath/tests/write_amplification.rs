//! Write amplification of the untimed FTL against closed forms and tables.
//!
//! Conventions and laws: `common/theory.rs`.

use crate::common::theory::{fifo, greedy, tolerance};
use engine::Stream;
use iopath::device::flash::ftl::victim::VictimPolicy;
use iopath::device::flash::ftl::{Ftl, RESERVE_STRIPES};
use iopath::device::flash::geometry::{Geometry, GroupSpan, Layout};

/// A flash of one die whose closed pool is `closed` groups of `b` units.
fn flash(closed: u32, b: u32) -> Layout {
    Layout::new(Geometry {
        channels: 1,
        dies: 1,
        planes: 1,
        page_bytes: 4096,
        pages_per_wl: 1,
        rows: b,
        unit_bytes: 4096,
        span: GroupSpan::Superblock,
        // The reserve is always free; what open stripes hold is part of the log.
        groups_per_lane: closed + RESERVE_STRIPES,
        parity_period: 0,
    })
}

/// Steady write amplification of uniform random writes over the first `live` units.
fn measure(closed: u32, b: u32, alpha: f64, live_share: f64, policy: VictimPolicy) -> f64 {
    let user = (closed as f64 * b as f64 / alpha) as u32;
    let live = (user as f64 * live_share) as u64;
    let mut ftl: Ftl<()> = Ftl::new(flash(closed, b), user, policy, false);
    let mut stream = Stream::new(42, "writes");
    for unit in 0..live {
        ftl.write(unit as u32, ());
    }
    let before = (6.0 * live as f64) as u64;
    for _ in 0..before {
        ftl.write(stream.below(live) as u32, ());
    }
    let start = ftl.ledger();
    for _ in 0..4 * live {
        ftl.write(stream.below(live) as u32, ());
    }
    let end = ftl.ledger();
    ftl.audit();
    (end.total() - start.total()) as f64 / (end.host - start.host) as f64
}

fn check(name: &str, measured: f64, law: f64, tolerance: f64) {
    let error = measured / law - 1.0;
    println!("| {name} | {law:.3} | {measured:.3} | {:+.2} % |", 100.0 * error);
    assert!(error.abs() < tolerance, "{name}: measured {measured:.3}, law {law:.3}");
}

#[test]
fn fifo_follows_the_lambert_law() {
    for alpha in [1.07, 1.15, 1.28, 1.4] {
        let a = measure(3000, 64, alpha, 1.0, VictimPolicy::Fifo);
        check(&format!("FIFO alpha {alpha}"), a, fifo(alpha), tolerance(3000, alpha));
    }
}

#[test]
fn greedy_follows_bux_and_iliadis() {
    for alpha in [1.07, 1.15, 1.28, 1.4] {
        for (b, closed) in [(4, 6000), (64, 3000), (256, 1500)] {
            let a = measure(closed, b, alpha, 1.0, VictimPolicy::Greedy);
            let limit = tolerance(closed, alpha);
            check(&format!("greedy alpha {alpha} b {b}"), a, greedy(alpha, b), limit);
        }
    }
}

#[test]
fn a_live_part_counts_as_more_spare() {
    let alpha = 1.0 / 0.875 / 0.8;
    let laws = [(VictimPolicy::Greedy, greedy(alpha, 64)), (VictimPolicy::Fifo, fifo(alpha))];
    for (policy, law) in laws {
        let a = measure(3000, 64, 1.0 / 0.875, 0.8, policy);
        check(&format!("{policy:?} 80 % live"), a, law, tolerance(3000, alpha));
    }
}

#[test]
fn sequential_overwriting_costs_nothing() {
    let (closed, b) = (600, 64);
    let user = (closed as f64 * b as f64 / 1.1) as u32;
    let mut ftl: Ftl<()> = Ftl::new(flash(closed, b), user, VictimPolicy::Greedy, false);
    for _ in 0..5 {
        for unit in 0..user {
            ftl.write(unit, ());
        }
    }
    let ledger = ftl.ledger();
    let a = ledger.total() as f64 / ledger.host as f64;
    assert!(a < 1.002, "sequential write amplification is {a}");
}

/// The constructor of steady states against writing: the same amplification from the first write
/// on, and the same histogram of valid units.
#[test]
fn the_constructed_steady_state_is_the_written_one() {
    for (b, alpha, share) in [(64u32, 1.1428, 0.8), (64, 1.1428, 1.0), (1024, 1.145, 1.0)] {
        let closed = 2000u32;
        let user = (closed as f64 * b as f64 / alpha) as u32;
        let live = (user as f64 * share) as u32;
        let mut stream = Stream::new(9, "steady");
        let mut written: Ftl<()> = Ftl::new(flash(closed, b), user, VictimPolicy::Greedy, false);
        for unit in 0..live {
            written.write(unit, ());
        }
        for _ in 0..6 * live as u64 {
            written.write(stream.below(live as u64) as u32, ());
        }
        let mut built: Ftl<()> = Ftl::new(flash(closed, b), user, VictimPolicy::Greedy, false);
        built.construct_steady(live, 1, None, &mut stream);
        built.audit();
        let deciles = |ftl: &Ftl<()>| -> Vec<f64> {
            let mut valid: Vec<u32> =
                (0..ftl.pool().groups()).map(|g| ftl.pool().valid(g)).collect();
            valid.sort_unstable();
            (1..10).map(|d| valid[valid.len() * d / 10] as f64 / b as f64).collect()
        };
        for (w, c) in deciles(&written).iter().zip(deciles(&built)) {
            assert!((w - c).abs() < 0.03, "validity deciles {w} and {c}");
        }
        for tenth in 0..5 {
            let wa = |ftl: &mut Ftl<()>, stream: &mut Stream| {
                let start = ftl.ledger();
                for _ in 0..live / 10 {
                    ftl.write(stream.below(live as u64) as u32, ());
                }
                let end = ftl.ledger();
                (end.total() - start.total()) as f64 / (end.host - start.host) as f64
            };
            let (w, c) = (wa(&mut written, &mut stream), wa(&mut built, &mut stream));
            assert!((w / c - 1.0).abs() < 0.03, "b {b}: tenth {tenth}: written {w}, built {c}");
        }
    }
}

/// A steady state of longer writes keeps each of them together: both units of a write are on one
/// page, side by side, and collection moves as much as with single units.
#[test]
fn a_steady_state_of_longer_writes_keeps_them_together() {
    // Groups of many writes: with few in each, chance makes better victims.
    let (closed, b) = (1000u32, 1024u32);
    let live = (closed as f64 * b as f64 / 1.1428) as u32;
    let geometry = Geometry { page_bytes: 16384, rows: b / 4, ..flash(closed, b).geometry };
    let layout = Layout::new(geometry);
    let mut amplifications = Vec::new();
    for run in [1u32, 4] {
        let mut stream = Stream::new(4, "steady");
        let mut ftl: Ftl<()> = Ftl::new(layout.clone(), live, VictimPolicy::Greedy, false);
        ftl.construct_steady(live, run, None, &mut stream);
        ftl.audit();
        let side_by_side = (0..live / run).filter(|n| {
            let first = ftl.map().get(n * run);
            (1..run).all(|i| ftl.map().get(n * run + i) == first + i)
        });
        let together = side_by_side.count() as f64 / (live / run) as f64;
        assert!(together > 0.99, "{together} of the writes of {run} units");
        let before = ftl.ledger();
        for _ in 0..live / run {
            let at = stream.below((live / run) as u64) as u32 * run;
            (at..at + run).for_each(|unit| ftl.write(unit, ()));
        }
        let after = ftl.ledger();
        amplifications
            .push((after.total() - before.total()) as f64 / (after.host - before.host) as f64);
    }
    let ratio = amplifications[1] / amplifications[0];
    assert!((ratio - 1.0).abs() < 0.05, "{amplifications:?}");
}
