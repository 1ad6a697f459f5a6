//! Write amplification of the untimed FTL against closed forms and tables.
//!
//! Conventions and laws: `common/theory.rs`.

use crate::common::theory::{fifo, greedy, tolerance};
use engine::Stream;
use iopath::device::flash::ftl::policies::{FtlPolicies, Padding, WritePoints};
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

/// The same where a write that ends inside a page gives up the rest of it, and copies, which come
/// in full pages, fill the same groups: pages of two kinds, of which copies hold more.
#[test]
fn the_constructed_state_of_padded_pages_is_the_written_one() {
    for (slots, run, alpha) in [(2u32, 1u32, 1.6), (2, 1, 2.6), (4, 1, 2.2), (4, 2, 1.6)] {
        let (closed, pages) = (1000u32, 256u32);
        let user = (closed as f64 * (pages * slots) as f64 / alpha) as u32;
        let live = user / run * run;
        let base = flash(closed, pages).geometry;
        let layout = Layout::new(Geometry { page_bytes: 4096 * slots, ..base });
        let policies = FtlPolicies {
            padding: Padding::Page,
            write_points: WritePoints::Shared,
            ..FtlPolicies::default()
        };
        let new = || -> Ftl<()> { Ftl::new(layout.clone(), user, policies.clone(), false) };
        let mut stream = Stream::new(5, "steady");
        let mut write = |ftl: &mut Ftl<()>, units: u32| {
            let before = ftl.ledger();
            for _ in 0..units / run {
                let at = stream.below((live / run) as u64) as u32 * run;
                (at..at + run).for_each(|unit| ftl.write(unit, ()));
                ftl.end_command();
            }
            let after = ftl.ledger();
            (after.total() - before.total()) as f64 / (after.host - before.host) as f64
        };
        let mut written = new();
        written.write_in_order(0, live, ());
        write(&mut written, 6 * live);
        let mut built = new();
        assert!(built.has_law(live, run, None));
        built.construct_steady(live, run, None, &mut Stream::new(9, "steady"));
        built.audit();
        for (w, b) in groups_by_age(&written, slots).iter().zip(groups_by_age(&built, slots)) {
            let groups = (w[0] - b[0]).abs();
            // Collection that begins inside a write parts its units, and copies after them.
            let pages = (w[1] / b[1] - 1.0).abs();
            assert!(groups < 0.03 && pages < 0.03, "groups and pages hold {w:?} and {b:?}");
        }
        for tenth in 0..5 {
            let (w, b) = (write(&mut written, live / 10), write(&mut built, live / 10));
            println!("{slots} slots, runs of {run}, alpha {alpha}: {w:.3} and {b:.3}");
            assert!((w / b - 1.0).abs() < 0.03, "tenth {tenth}: written {w}, built {b}");
        }
    }
}

/// What tenths of the groups hold at least, as a share of the full ones, and how many units are on
/// each page of them that holds any.
fn groups_by_age(ftl: &Ftl<()>, slots: u32) -> Vec<[f64; 2]> {
    let size = ftl.layout().group_units;
    let on_pages = |group: u32| {
        let pages = (group * size..(group + 1) * size).step_by(slots as usize);
        let held = pages.map(|page| ftl.map().valid_bits(page, slots).count_ones());
        let held: Vec<u32> = held.filter(|units| *units > 0).collect();
        f64::from(held.iter().sum::<u32>()) / (held.len() as f64).max(1.0)
    };
    let mut groups: Vec<u32> = (0..ftl.pool().groups()).collect();
    groups.sort_by_key(|group| ftl.pool().valid(*group));
    let of = |tenth: usize| {
        let near = &groups[groups.len() * tenth / 10 - 10..][..20];
        let valid: u32 = near.iter().map(|group| ftl.pool().valid(*group)).sum();
        let on_pages: f64 = near.iter().map(|group| on_pages(*group)).sum();
        [f64::from(valid) / f64::from(20 * size), on_pages / 20.0]
    };
    (1..10).map(of).collect()
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
