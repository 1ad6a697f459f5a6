//! Wear levelling and bad blocks: how even the erases are, what evenness costs, and how a drive
//! ends.

use crate::common::*;
use iopath::device::flash::config::CompressionConfig;
use iopath::device::flash::ftl::Ftl;
use iopath::device::flash::ftl::pool::GroupState;
use iopath::device::flash::geometry::Layout;

/// A drive of 100 groups of 64 units, half of its data static, written on for 200 drive writes of
/// the other half.
fn worn(wear: WearLevelling) -> Ftl<()> {
    let c = config(Geometry { groups_per_lane: 105, ..geometry() }, 1.25);
    let user = (c.user_bytes / 4096) as u32;
    let policies = FtlPolicies { wear, ..FtlPolicies::default() };
    let mut ftl: Ftl<()> = Ftl::new(Layout::new(c.geometry), user, policies, false);
    let mut stream = Stream::new(5, "wear");
    (0..user).for_each(|unit| ftl.write(unit, ()));
    let hot = user / 2;
    for _ in 0..200 * hot {
        ftl.write(stream.below(hot as u64) as u32, ());
    }
    ftl.audit();
    ftl
}

/// Least, mean and most erases of a group.
fn erases(ftl: &Ftl<()>) -> (u32, f64, u32) {
    let all = ftl.pool().erases();
    let mean = all.iter().map(|&n| n as f64).sum::<f64>() / all.len() as f64;
    (*all.iter().min().unwrap(), mean, *all.iter().max().unwrap())
}

#[test]
fn static_data_spares_its_groups_the_wear_unless_it_is_moved() {
    let none = erases(&worn(WearLevelling::None));
    let dynamic = erases(&worn(WearLevelling::Dynamic));
    let ftl = worn(WearLevelling::Static(16));
    let levelled = erases(&ftl);
    let ledger = ftl.ledger();
    let cost = ledger.levelling as f64 / ledger.host as f64;
    println!("erases (least, mean, most): none {none:?}, dynamic {dynamic:?}");
    println!("static {levelled:?}, {:.4} units moved for each unit of the host", cost);
    assert!(none.0 <= 2 && dynamic.0 <= 2, "the groups of static data keep their first erase");
    assert!(none.2 as f64 > 1.5 * none.1);
    // The limit and what is added while a group waits for its turn.
    assert!(levelled.2 - levelled.0 <= 16 + 8, "{levelled:?}");
    // A group of cold data moves once while the most erased count rises by the limit. It rises as
    // the mean of all groups does, or faster by no more than the share of groups that move.
    let a = ledger.total() as f64 / ledger.host as f64;
    let cold = 0.5 * 80.0;
    let (least, most) = (a * cold / (105.0 * 17.0), a * cold / ((105.0 - cold) * 16.0));
    println!("expected {least:.4} to {most:.4}, A {a:.3}");
    assert!(least < cost && cost < most, "{cost}");
    assert_eq!(worn(WearLevelling::Dynamic).ledger().levelling, 0);
}

/// Without cold data, opening the least erased free group keeps the spread at its least; the order
/// of freeing lets it grow as a random walk does.
#[test]
fn dynamic_levelling_evens_out_hot_groups() {
    let spread = |wear| {
        let c = config(Geometry { groups_per_lane: 105, ..geometry() }, 2.0);
        let user = (c.user_bytes / 4096) as u32;
        let policies = FtlPolicies { wear, ..FtlPolicies::default() };
        let mut ftl: Ftl<()> = Ftl::new(Layout::new(c.geometry), user, policies, false);
        let mut stream = Stream::new(6, "wear");
        for _ in 0..200 * user {
            ftl.write(stream.below(user as u64) as u32, ());
        }
        let (least, _, most) = erases(&ftl);
        most - least
    };
    let (none, dynamic) = (spread(WearLevelling::None), spread(WearLevelling::Dynamic));
    println!("spread of erases: none {none}, dynamic {dynamic}");
    assert!(dynamic < none, "{dynamic} against {none}");
}

fn flash(reserve: f64) -> BadBlocks {
    BadBlocks { factory: 0.005, reserve, rated: 50, failed_at_rated: 0.02, shape: 4.0 }
}

/// The share of blocks that have failed follows Weibull's law, as far as all groups are erased
/// alike.
#[test]
fn blocks_fail_by_weibulls_law() {
    let c = config(Geometry { dies: 16, rows: 8, groups_per_lane: 505, ..geometry() }, 1.3);
    let user = (c.user_bytes / 4096) as u32;
    let policies = FtlPolicies {
        wear: WearLevelling::Dynamic,
        bad_blocks: Some(flash(1.0)),
        ..FtlPolicies::default()
    };
    let mut ftl: Ftl<()> = Ftl::new(Layout::new(c.geometry), user, policies, false);
    let mut stream = Stream::new(8, "wear");
    for _ in 0..40 * user {
        ftl.write(stream.below(user as u64) as u32, ());
    }
    let erases = ftl.pool().erases();
    // A group that has been opened n times has been erased n - 1 times after use, and once more if
    // it is free now.
    let expected: f64 = (0..505u32)
        .map(|group| {
            let free = ftl.pool().state(group) == GroupState::Free;
            let n = erases[group as usize].saturating_sub(u32::from(!free)) as f64;
            // A replacement can fail too: the expected number is the integrated hazard.
            16.0 * -f64::ln_1p(-0.02) * (n / 50.0).powi(4)
        })
        .sum();
    let grown = ftl.block_counts().unwrap().grown as f64;
    println!("grown bad blocks {grown}, Weibull {expected:.1}");
    // Poisson: four standard deviations.
    assert!(expected > 100.0 && (grown - expected).abs() < 4.0 * expected.sqrt());
}

/// From new to read-only: the reserve goes first, then groups, then writes are refused and every
/// read still returns what was written.
#[test]
fn a_drive_ends_by_taking_no_more_writes() {
    let mut c = config(Geometry { dies: 4, rows: 8, groups_per_lane: 45, ..geometry() }, 1.5);
    c.policies.bad_blocks = Some(flash(0.02));
    let user = c.user_bytes;
    let units = user / 4096;
    let mut m = machine::<u32, _>(c, crate::common::model::Model::new(Protection::Protected, 4096));
    let mut stream = Stream::new(2, "life");
    let issue = |m: &mut Machine<u32, crate::common::model::Model>, op, unit: u64| {
        let mut command = command::<u32>(op, unit * 4096, 4096);
        if op == Op::Write {
            command.payload = m.context.probe.next_value();
        }
        let id = m.issue(command);
        m.context.probe.issued(id, &command);
    };
    (0..units).for_each(|unit| issue(&mut m, Op::Write, unit));
    m.run(Instant::NEVER, u64::MAX);
    let mut spare = Vec::new();
    while m.context.probe.refused == 0 {
        (0..500).for_each(|_| issue(&mut m, Op::Write, stream.below(units)));
        m.run(Instant::NEVER, u64::MAX);
        assert!(m.drive(0).is_at_rest());
        let counts = m.drive(0).ftl().block_counts().unwrap();
        spare.push((counts.spare_left, counts.retired_groups));
        assert!(spare.len() < 10_000, "a drive does not live for ever: {counts:?}");
    }
    let counts = m.drive(0).ftl().block_counts().unwrap();
    println!("{counts:?} after {} writes", 500 * spare.len());
    assert!(spare.is_sorted_by(|a, b| a.0 >= b.0 && a.1 <= b.1), "health only gets worse");
    assert!(spare.iter().any(|s| s.0 < counts.spare_at_start && s.1 == 0), "the reserve is first");
    assert!(counts.read_only && counts.spare_left == 0 && counts.retired_groups > 5);
    assert_eq!(m.drive(0).ftl().pool().total_valid(), units, "no data was lost");
    let checked = m.context.probe.reads_checked;
    (0..units).for_each(|unit| issue(&mut m, Op::Read, unit));
    m.run(Instant::NEVER, u64::MAX);
    assert_eq!(m.context.probe.reads_checked - checked, units);
    m.audit();
    // A power cut does not bring it back.
    m.power_cut(0);
    let refused = m.context.probe.refused;
    issue(&mut m, Op::Write, 0);
    issue(&mut m, Op::Trim, 1);
    m.run(Instant::NEVER, u64::MAX);
    assert_eq!(m.context.probe.refused, refused + 2);
}

/// Data may stop to compress at any time: a drive that compresses gives up while all of its units
/// still fit whole, and whoever writes then is refused instead of kept waiting.
#[test]
fn a_drive_that_compresses_ends_before_its_data_has_no_room() {
    let g = Geometry { page_bytes: 16384, dies: 2, rows: 3, groups_per_lane: 45, ..geometry() };
    let mut c = config(g, 1.5);
    c.policies.bad_blocks = Some(flash(0.02));
    c.policies.grains = Some(2);
    c.compression = Some(CompressionConfig { smallest: engine::Ratio::from_base(0) });
    c.user_bytes = c.user_bytes / 8192 * 8192;
    c.buffer.units = c.least_buffer_units();
    c.buffer.copy_units = c.least_copy_units();
    let units = c.user_bytes / 8192;
    let mut m = machine::<u32, _>(c, crate::common::media::Seen::default());
    let mut stream = Stream::new(2, "life");
    let mut written = 0;
    while !m.drive(0).ftl().is_read_only() {
        for _ in 0..500 {
            m.issue(command(Op::Write, stream.below(units) * 8192, 8192));
        }
        m.run(Instant::NEVER, u64::MAX);
        assert_eq!(m.context.commands.outstanding(), 0, "after {written}: {}", m.describe());
        written += 500;
    }
    let (ftl, stripe) = (m.drive(0).ftl(), m.drive(0).ftl().layout().stripe_data_units());
    let left = 45 - ftl.block_counts().unwrap().retired_groups;
    println!("{left} of 45 groups left after {written} writes");
    assert!(u64::from((left - RESERVE_STRIPES) * stripe) >= 2 * units, "{left}");
    m.audit();
}
