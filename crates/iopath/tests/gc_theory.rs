//! Collection against theory beyond uniform writes and the two plain policies: d choices, windows,
//! hot and cold, TRIM, static data, transients, the histogram of victims, and what is conserved.

use crate::common::theory::*;
use crate::common::*;
use iopath::device::flash::ftl::policies::WritePoints;
use iopath::device::flash::ftl::pool::GroupState;
use iopath::device::flash::ftl::{Ftl, UnitLedger};
use iopath::device::flash::geometry::Layout;

fn make(closed: u32, b: u32, alpha: f64, policies: FtlPolicies) -> Ftl<()> {
    // The reserve is always free (the room of open stripes counts as such); what the open stripes
    // hold already is part of the log that the laws speak of.
    let reserve = policies.reserve_stripes(&Layout::new(geometry()));
    let groups_per_lane = closed + reserve;
    let layout = Layout::new(Geometry { rows: b, groups_per_lane, ..geometry() });
    Ftl::new(layout, (closed as f64 * b as f64 / alpha) as u32, policies, false)
}

fn amplification(from: UnitLedger, to: UnitLedger) -> f64 {
    (to.total() - from.total()) as f64 / (to.host - from.host) as f64
}

/// Fills the drive, writes `warm` drive writes as `step` does it and measures over `over` more.
fn settle(
    ftl: &mut Ftl<()>,
    warm: f64,
    over: f64,
    mut step: impl FnMut(&mut Ftl<()>, &mut Stream),
) -> f64 {
    let user = ftl.map().logical_units();
    let mut stream = Stream::new(42, "writes");
    (0..user).for_each(|unit| ftl.write(unit, ()));
    (0..(warm * user as f64) as u64).for_each(|_| step(ftl, &mut stream));
    let from = ftl.ledger();
    (0..(over * user as f64) as u64).for_each(|_| step(ftl, &mut stream));
    ftl.audit();
    amplification(from, ftl.ledger())
}

fn uniform(ftl: &mut Ftl<()>, stream: &mut Stream) {
    let user = ftl.map().logical_units() as u64;
    ftl.write(stream.below(user) as u32, ());
}

/// A share `r` of the writes to the first `f` of the units.
fn skewed(f: f64, r: f64) -> impl FnMut(&mut Ftl<()>, &mut Stream) {
    move |ftl, stream| {
        let user = ftl.map().logical_units() as u64;
        let hot = (user as f64 * f) as u64;
        let unit =
            if stream.unit() < r { stream.below(hot) } else { hot + stream.below(user - hot) };
        ftl.write(unit as u32, ());
    }
}

fn check(name: &str, measured: f64, law: f64, tolerance: f64) {
    let error = measured / law - 1.0;
    println!(
        "| {name} | {law:.3} | {measured:.3} | {:+.2} % | {:.2} % |",
        100.0 * error,
        100.0 * tolerance
    );
    assert!(error.abs() < tolerance, "{name}: measured {measured:.3}, law {law:.3}");
}

/// The closed forms give the tables that were computed elsewhere from the same formulas.
#[test]
fn the_closed_forms_give_the_tables() {
    let near = |a: f64, table: f64| assert!((a - table).abs() < 0.0006, "{a} and {table}");
    // p = 28 %: FIFO, greedy with b = 4, 32, 64, 256, 1024, random, d = 2, 5, 10 with b = 256.
    near(fifo(1.28), 2.481);
    for (b, table) in [(4, 1.728), (32, 2.330), (64, 2.403), (256, 2.461), (1024, 2.476)] {
        near(greedy(1.28, b), table);
    }
    for (d, table) in [(1, 4.571), (2, 3.274), (5, 2.655), (10, 2.520)] {
        near(d_choices(1.28, 256, d), table);
    }
    near(fifo(1.07), 7.817);
    near(d_choices(1.07, 256, 2), 10.584);
    // p = 0.3 is published as 2.36 (Xiang and Kurkoski 2011).
    assert!((fifo(1.3) - 2.36).abs() < 0.005);
    for p in [0.05, 0.1, 0.2, 0.4] {
        assert!((fifo_small_spare(p) / fifo(1.0 + p) - 1.0).abs() < 0.003, "p {p}");
    }
    // Random choice has a form of its own: (1 + p) / p.
    near(d_choices(1.25, 64, 1), 5.0);
    // Hot and cold, p = 15 % and 28 %: mixed, and the best split with its hot share.
    near(fifo_mixed(1.15, 0.2, 0.8), 4.370);
    near(fifo_mixed(1.28, 0.1, 0.9), 3.296);
    for (p, f, r, a, share) in [(0.28, 0.1, 0.9, 1.412, 0.470), (0.07, 0.2, 0.8, 5.254, 0.499)] {
        let split = best_split(p, f, r);
        near(split, share);
        near(separate(p, f, r, split), a);
        near(separate(p, f, r, f), fifo(1.0 + p));
    }
    // For little spare the best split is in proportion to sqrt(r f), and A to its square.
    let (p, f, r) = (0.02, 0.3, 0.9f64);
    let (hot, cold) = ((r * f).sqrt(), ((1.0 - r) * (1.0 - f)).sqrt());
    assert!((best_split(p, f, r) - hot / (hot + cold)).abs() < 0.003);
    let best = (hot + cold).powi(2) / (2.0 * p) + 2.0 / 3.0;
    assert!((separate(p, f, r, best_split(p, f, r)) / best - 1.0).abs() < 0.005);
}

#[test]
fn d_choices_follow_van_houdt() {
    let (closed, b) = (2000, 64);
    for alpha in [1.15, 1.28] {
        for d in [1, 2, 5, 10] {
            let mut ftl = make(closed, b, alpha, VictimPolicy::DChoices(d).into());
            let a = settle(&mut ftl, 5.0, 4.0, uniform);
            let law = d_choices(alpha, b, d);
            // Victims differ: the mean of n of them is known to sigma / sqrt(n), twice that here,
            // and A follows 1 / (b - v).
            let (v, sigma) = d_choices_victim(alpha, b, d);
            let n = 4.0 * closed as f64 / alpha * law;
            let doubt = 2.0 * sigma / n.sqrt() / (b as f64 - v);
            check(&format!("d = {d}, alpha {alpha}"), a, law, tolerance(closed, alpha) + doubt);
        }
    }
}

#[test]
fn greedy_depends_on_the_size_of_groups() {
    let alpha = 1.28;
    for (b, closed) in [(32, 4000), (1024, 1000)] {
        let mut ftl = make(closed, b, alpha, VictimPolicy::Greedy.into());
        let a = settle(&mut ftl, 5.0, 4.0, uniform);
        check(&format!("greedy b = {b}"), a, greedy(alpha, b), tolerance(closed, alpha));
    }
}

/// A window of one is FIFO, one over all groups is greedy, others are between and in order.
#[test]
fn windows_lie_between_fifo_and_greedy() {
    let (closed, b, alpha) = (2000, 16, 1.15);
    let windows = [1, 20, 200, 10_000].map(|window| {
        let mut ftl = make(closed, b, alpha, VictimPolicy::Windowed(window).into());
        settle(&mut ftl, 5.0, 6.0, uniform)
    });
    let limit = tolerance(closed, alpha);
    check("window 1", windows[0], fifo(alpha), limit);
    check("window over all, b = 16", windows[3], greedy(alpha, b), limit);
    println!("windows of 1, 20, 200, all: {windows:.3?}");
    assert!(windows.is_sorted_by(|a, b| a > b), "{windows:?}");
}

/// Hot and cold in one log, and greedy with one write point and with two (table 3 of the theory;
/// the last two are figures of an independent simulator with b = 256).
#[test]
fn mixing_hot_and_cold_costs_more_than_uniform_writes() {
    for (f, r, p) in [(0.2, 0.8, 0.15), (0.1, 0.9, 0.28)] {
        let (closed, alpha) = (2000, 1.0 + p);
        let mut ftl = make(closed, 64, alpha, VictimPolicy::Fifo.into());
        let a = settle(&mut ftl, 6.0, 3.0, skewed(f, r));
        let law = fifo_mixed(alpha, f, r);
        assert!(law > fifo(alpha));
        check(&format!("FIFO mixed f {f} r {r} p {p}"), a, law, tolerance(closed, alpha));
    }
    let (f, r, p) = (0.1, 0.9, 0.28);
    let (closed, alpha) = (1000, 1.0 + p);
    let [one, two] = [WritePoints::Shared, WritePoints::Separate].map(|write_points| {
        let mut ftl = make(closed, 256, alpha, FtlPolicies { write_points, ..Default::default() });
        settle(&mut ftl, 7.0, 4.0, skewed(f, r))
    });
    check("greedy, one write point, f 0.1 r 0.9 p 0.28", one, 3.289, tolerance(closed, alpha));
    // The other simulator gives 2.925 here, 11 % less than with one. How much two write points
    // save depends on what shares a group at first, so only the order and the size are held.
    println!("two write points: {two:.3}");
    assert!(two < 0.9 * one && two > separate(p, f, r, best_split(p, f, r)), "{two}");
}

/// Each pool is a log of its own; how the spare is split between them decides.
#[test]
fn the_best_split_of_the_spare_beats_the_split_by_size() {
    let (f, r, p) = (0.1, 0.9, 0.28);
    let total = 4000.0 / (1.0 + p);
    let pools = |s: f64| -> f64 {
        let parts = [(f, r, s), (1.0 - f, 1.0 - r, 1.0 - s)];
        let a = parts.map(|(f, r, s)| {
            let alpha = 1.0 + s * p / f;
            let closed = (total * f * alpha) as u32;
            let mut ftl = make(closed, 64, alpha, VictimPolicy::Fifo.into());
            r * settle(&mut ftl, 4.0, 4.0, uniform)
        });
        a[0] + a[1]
    };
    let best = best_split(p, f, r);
    let small = (total * f * (1.0 + best * p / f)) as u32;
    check("pools, best split", pools(best), separate(p, f, r, best), tolerance(small, 1.0 + p));
    check("pools, split by size", pools(f), fifo(1.0 + p), tolerance(400, 1.0 + p));
}

/// Trims leave a share of the units without data: alpha counts what is live (Frankie et al. 2012).
/// If a share q of the operations are trims of random units, a share 1 - q is live.
#[test]
fn trims_add_spare() {
    let (closed, b, alpha, q) = (3000, 64, 1.10, 0.1);
    for (policy, law) in [
        (VictimPolicy::Fifo, fifo(alpha / (1.0 - q))),
        (VictimPolicy::Greedy, greedy(alpha / (1.0 - q), b)),
    ] {
        let mut ftl = make(closed, b, alpha, policy.into());
        let a = settle(&mut ftl, 6.0, 5.0, |ftl, stream| {
            let unit = stream.below(ftl.map().logical_units() as u64) as u32;
            if stream.unit() < q { ftl.trim(unit) } else { ftl.write(unit, ()) }
        });
        let live = ftl.map().mapped() as f64 / ftl.map().logical_units() as f64;
        assert!((live - (1.0 - q)).abs() < 0.005, "{live}");
        check(&format!("trims, {policy:?}"), a, law, tolerance(closed, alpha / (1.0 - q)));
    }
}

/// Data that is never rewritten: greedy leaves its groups alone, so that the rest has all of the
/// spare; first in, first out moves it again and again.
#[test]
fn static_data_is_spare_for_the_rest_unless_it_is_moved() {
    let (closed, b, alpha, g) = (3000, 64, 1.15, 0.5);
    let rest = |ftl: &mut Ftl<()>, stream: &mut Stream| {
        let user = ftl.map().logical_units();
        let kept = (user as f64 * g) as u32;
        ftl.write(kept + stream.below((user - kept) as u64) as u32, ());
    };
    let mut ftl = make(closed, b, alpha, VictimPolicy::Greedy.into());
    let a = settle(&mut ftl, 4.0, 3.0, rest);
    let law = greedy(1.0 + (alpha - 1.0) / (1.0 - g), b);
    check("static half, greedy", a, law, tolerance(closed, alpha));
    // Mixed from the start: in one piece it would pass the end of the log in one piece too, and
    // what is measured would depend on when.
    let mut ftl = make(closed, b, alpha, VictimPolicy::Fifo.into());
    let user = ftl.map().logical_units() as u64;
    let order = engine::Permutation::new(user, 11);
    (0..user).for_each(|i| ftl.write(order.map(i) as u32, ()));
    let mut stream = Stream::new(44, "writes");
    let from = (0..7 * user).fold(ftl.ledger(), |from, i| {
        rest(&mut ftl, &mut stream);
        if i < 4 * user { ftl.ledger() } else { from }
    });
    let a = amplification(from, ftl.ledger());
    check("static half, FIFO", a, fifo_mixed(alpha, 1.0 - g, 1.0), tolerance(closed, alpha));
}

/// Under greedy a level i between the victim's and full holds U / (i (b - v)) groups; and what is
/// conserved: victims are emptied at a mean validity of 1 - 1/A, and groups are erased as often as
/// they are filled.
#[test]
fn groups_stand_at_each_level_as_one_over_i() {
    let (closed, b, alpha) = (3000u32, 64u32, 1.28);
    let mut ftl = make(closed, b, alpha, VictimPolicy::Greedy.into());
    settle(&mut ftl, 4.0, 1.0, uniform);
    let user = ftl.map().logical_units();
    let mut stream = Stream::new(43, "writes");
    let mut levels = vec![0u64; b as usize + 1];
    let (from, freed) = (ftl.ledger(), ftl.released());
    let looks = 60;
    for _ in 0..looks {
        (0..user / 20).for_each(|_| uniform(&mut ftl, &mut stream));
        let pool = ftl.pool();
        let closed = (0..pool.groups()).filter(|&g| pool.state(g) == GroupState::Closed);
        closed.for_each(|g| levels[pool.valid(g) as usize] += 1);
    }
    let v = greedy_victim(alpha, b);
    let first = v.ceil() as usize + 1;
    for band in (first..b as usize).step_by(5) {
        let band = band..(band + 5).min(b as usize);
        let found: u64 = levels[band.clone()].iter().sum();
        let law: f64 = band.clone().map(|i| user as f64 / (i as f64 * (b as f64 - v))).sum();
        let found = found as f64 / looks as f64;
        check(&format!("groups with {band:?} valid units"), found, law, 0.015);
    }
    let (to, freed) = (ftl.ledger(), ftl.released() - freed);
    let a = amplification(from, to);
    let per_victim = (to.copies - from.copies) as f64 / (freed as f64 * b as f64);
    check("mean validity of victims", per_victim, 1.0 - 1.0 / a, 0.001);
    let filled = (to.total() - from.total()) as f64 / b as f64;
    check("groups freed and filled", freed as f64, filled, 0.001);
    assert_eq!(to.total(), to.host + to.copies, "nothing but the host and its copies");
}

/// Uniform random writes after a sequential fill, greedy, b = 256: nothing is copied until the
/// spare is used up, then one overshoot. The table is of an independent simulator, per tenth of
/// a drive write: tenth of the peak, peak, tenths after which the limit is kept within 1 %, limit.
#[test]
fn the_transient_is_that_of_the_table() {
    let table = [
        (0.07, 2, 7.81, 3, 7.60),
        (0.145, 3, 4.47, 6, 4.06),
        (0.28, 4, 3.11, 10, 2.46),
        (0.72, 9, 1.67, 22, 1.42),
    ];
    for (p, peak_at, peak, settled, limit) in table {
        let (closed, b) = (2000u32, 256u32);
        let mut ftl = make(closed, b, 1.0 + p, VictimPolicy::Greedy.into());
        let user = ftl.map().logical_units();
        (0..user).for_each(|unit| ftl.write(unit, ()));
        let mut stream = Stream::new(7, "transient");
        let tenths: Vec<f64> = (0..settled + 5)
            .map(|_| {
                let from = ftl.ledger();
                (0..user / 10).for_each(|_| uniform(&mut ftl, &mut stream));
                amplification(from, ftl.ledger())
            })
            .collect();
        println!("p {p}: {tenths:.2?}");
        let most = tenths.iter().copied().fold(0.0, f64::max);
        let at = tenths.iter().position(|&a| a == most).unwrap() as i32 + 1;
        let clean = (p * 10.0) as usize;
        assert!(tenths[..clean].iter().all(|&a| a == 1.0), "p {p}: nothing to copy yet");
        assert!((at - peak_at).abs() <= 1, "p {p}: peak at {at}");
        check(&format!("peak, p {p}"), most, peak, 0.05);
        let end = &tenths[settled as usize..];
        let mean = end.iter().sum::<f64>() / end.len() as f64;
        check(&format!("settled, p {p}"), mean, limit, 0.01 + tolerance(closed, 1.0 + p));
    }
}

/// A write of a part of a unit costs the whole unit: A counts units, the flash sees the unit's size
/// over the write's as much.
#[test]
fn writes_below_the_unit_cost_its_size() {
    let g = Geometry { page_bytes: 16384, unit_bytes: 16384, ..geometry() };
    let c = config(g, 1.3);
    let mut m = machine::<(), _>(c.clone(), Times::default());
    prepare(&mut m, DriveState::Steady(1.0));
    let mut writes = thread("w", Directions::Write, 4096, c.user_bytes, 1);
    writes.io_limit = Some(6000);
    start(&mut m, vec![writes], 1);
    let from = m.drive(0).ftl().ledger();
    m.run(Instant::NEVER, u64::MAX);
    let to = m.drive(0).ftl().ledger();
    let health = m.drive(0).health();
    assert_eq!(health.host_write_bytes, 6000 * 4096);
    assert_eq!(health.modify_bytes, 3 * health.host_write_bytes, "the rest of each unit");
    // Two writes that meet in a unit while its rest is read make one.
    let flash = (to.total() - from.total()) * 16384;
    let total = flash as f64 / health.host_write_bytes as f64;
    check("4 KiB into units of 16 KiB", total, 4.0 * amplification(from, to), 0.002);
}
