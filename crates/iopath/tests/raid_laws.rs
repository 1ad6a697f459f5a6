//! Closed forms of arrays: what bandwidth, I/Os and bytes a level must come to over members of
//! plain times, and how long a rebuild takes.

use crate::common::array::{array, plain};
use crate::common::media::{Bench, Seen, ask, keep};
use crate::common::*;
use iopath::kernel::Range;
use iopath::machine::system::SystemSpec;
use iopath::volume::raid::{
    Bitmap, Level, Lock, Modify, RaidConfig, RaidHealth, ReadBalance, StripeEngine, WriteLog,
};

const MIB: u64 = 1 << 20;
const CHUNK: u32 = 65536;

/// Bytes in a second of each member.
const RATE: f64 = 1e9;

fn build(system: &SystemSpec) -> (Bench, u16) {
    let mut m = Machine::new(Seen::default());
    let top = system.build(&mut m, 1).top;
    (m, top)
}

fn over(config: RaidConfig, rates: &[u64]) -> SystemSpec {
    array(config, rates.iter().map(|&rate| plain(64 * MIB, rate, us(10))).collect())
}

fn equal(config: RaidConfig) -> SystemSpec {
    let rates = vec![RATE as u64; (config.members + config.spares) as usize];
    over(config, &rates)
}

/// Bytes in a second of commands one after the other, `depth` of them at once.
fn bandwidth(system: &SystemSpec, op: Op, len: u64, depth: usize) -> f64 {
    let (mut m, top) = build(system);
    let places = m.capacity(top) / len;
    let count = 600;
    let took = keep(&mut m, top, depth, count, |i| ask(i, op, i as u64 % places * len, len));
    count as f64 * len as f64 / took.as_s()
}

fn near(measured: f64, expected: f64, tolerance: f64) {
    let ratio = measured / expected;
    assert!((ratio - 1.0).abs() < tolerance, "{measured:e} instead of {expected:e}: {ratio}");
}

/// Commands and bytes of a member: reads, writes, bytes written.
fn member(m: &Bench, node: u16) -> (u64, u64, u64) {
    let Node::XPoint(member) = m.node(node) else { panic!("a member") };
    let h = member.health();
    (h.read_commands, h.write_commands, h.host_write_bytes)
}

fn members(m: &Bench, count: u16) -> (u64, u64, u64) {
    (0..count).map(|i| member(m, i)).fold((0, 0, 0), |a, b| (a.0 + b.0, a.1 + b.1, a.2 + b.2))
}

#[test]
fn raid_0_is_the_sum_of_its_members() {
    for n in 2..=8 {
        let system = equal(RaidConfig::new(Level::Raid0, n, CHUNK));
        for op in [Op::Read, Op::Write] {
            near(bandwidth(&system, op, MIB, 32), n as f64 * RATE, 0.02);
        }
    }
}

#[test]
fn mirrors_write_once_and_read_twice() {
    let two = equal(RaidConfig::new(Level::Raid1, 2, CHUNK));
    near(bandwidth(&two, Op::Write, MIB, 16), RATE, 0.02);
    near(bandwidth(&two, Op::Read, MIB, 16), 2.0 * RATE, 0.02);
    let ten = equal(RaidConfig::new(Level::Raid10, 4, CHUNK));
    near(bandwidth(&ten, Op::Write, MIB, 16), 2.0 * RATE, 0.02);
    near(bandwidth(&ten, Op::Read, MIB, 32), 4.0 * RATE, 0.02);
}

/// Copies that take turns over the volume are not used evenly at every moment: a stream reads
/// faster than from half of the members, and slower than from all.
#[test]
fn mirrors_that_take_turns_read_between_once_and_twice() {
    let mut config = RaidConfig::new(Level::Raid10, 4, CHUNK);
    config.reads = ReadBalance::Region { bytes: 16 * MIB };
    let rate = bandwidth(&equal(config), Op::Read, MIB, 8) / RATE;
    assert!(rate > 2.1 && rate < 3.9, "{rate}");
}

#[test]
fn every_member_goes_at_the_pace_of_the_slowest() {
    let config = RaidConfig::new(Level::Raid0, 4, CHUNK);
    let mixed = over(config, &[1_000_000_000, 2_000_000_000, 500_000_000, 1_000_000_000]);
    for op in [Op::Read, Op::Write] {
        near(bandwidth(&mixed, op, MIB, 32), 4.0 * 0.5e9, 0.03);
    }
}

/// A small write: old data and old parity are read, new ones written. RAID 5: 4 I/Os, RAID 6: 6.
#[test]
fn a_small_write_costs_four_or_six_ios() {
    for (level, n, each) in [(Level::Raid5, 6, 2), (Level::Raid6, 8, 3)] {
        let (mut m, top) = build(&equal(RaidConfig::new(level, n, CHUNK)));
        let count = 200;
        keep(&mut m, top, 1, count, |i| {
            ask(i, Op::Write, i as u64 * 7 * CHUNK as u64 % (32 * MIB), 4096)
        });
        let (reads, writes, _) = members(&m, n as u16);
        assert_eq!((reads, writes), (each * count as u64, each * count as u64));
    }
}

/// A full stripe reads nothing and writes n / (n - parities) of its data; a run of them is one
/// command to each member.
#[test]
fn full_stripes_read_nothing() {
    for (level, parities) in [(Level::Raid5, 1), (Level::Raid6, 2)] {
        for n in 4..9u64 {
            let (mut m, top) = build(&equal(RaidConfig::new(level, n as u32, CHUNK)));
            let stripe = (n - parities) * CHUNK as u64;
            keep(&mut m, top, 4, 30, |i| ask(i, Op::Write, i as u64 * 3 * stripe, 3 * stripe));
            let (reads, writes, bytes) = members(&m, n as u16);
            assert_eq!((reads, writes), (0, 30 * n));
            assert_eq!(bytes * (n - parities), 90 * stripe * n);
        }
    }
}

/// Sequential writes of full stripes: all members write, n - parities of them data.
#[test]
fn raid_5_and_6_write_full_stripes_at_the_rate_of_their_data_members() {
    for (level, data) in [(Level::Raid5, 4.0), (Level::Raid6, 3.0)] {
        let system = equal(RaidConfig::new(level, 5, CHUNK));
        let stripe = data as u64 * CHUNK as u64;
        near(bandwidth(&system, Op::Write, stripe, 32), data * RATE, 0.02);
    }
}

/// Reads of RAID 5 use all members, since parity moves; what a member skips costs nothing here.
#[test]
fn raid_5_reads_from_all_members() {
    for n in 3..=6 {
        let system = equal(RaidConfig::new(Level::Raid5, n, CHUNK));
        near(bandwidth(&system, Op::Read, MIB, 32), n as f64 * RATE, 0.06);
    }
}

/// One core that calculates parity at X bytes a second writes full stripes at X.
#[test]
fn parity_costs_what_its_cores_can_do() {
    let rate = |threads, xor: Option<u64>| {
        let mut config = RaidConfig::new(Level::Raid5, 9, CHUNK);
        let xor = xor.map(Bandwidth::from_base);
        config.engine = StripeEngine { threads, xor, ..StripeEngine::default() };
        bandwidth(&equal(config), Op::Write, 8 * CHUNK as u64, 32)
    };
    near(rate(1, Some(2_000_000_000)), 2e9, 0.02);
    near(rate(2, Some(2_000_000_000)), 4e9, 0.02);
    near(rate(1, Some(40_000_000_000)), 8e9, 0.02);
}

/// Pieces of a stripe that wait for each other become a full stripe: nothing is read.
#[test]
fn gathered_pieces_become_full_stripes() {
    let reads = |gather| {
        let mut config = RaidConfig::new(Level::Raid5, 5, CHUNK);
        config.writes.gather = us(gather);
        let (mut m, top) = build(&equal(config));
        keep(&mut m, top, 32, 512, |i| ask(i, Op::Write, i as u64 * 16384, 16384));
        members(&m, 5).0
    };
    assert_eq!(reads(200), 0);
    assert!(reads(0) > 100, "{} reads", reads(0));
}

/// The rate of a rebuild: bytes of a member over the limit, or over what a member can write.
#[test]
fn a_rebuild_takes_bytes_over_rate() {
    for (level, n) in [(Level::Raid1, 2), (Level::Raid5, 4), (Level::Raid6, 5), (Level::Raid10, 4)]
    {
        for (limit, expected) in [(100_000_000, 1e8), (50_000_000_000, RATE)] {
            let mut config = RaidConfig::new(level, n, CHUNK);
            config.spares = 1;
            config.sync.max = Bandwidth::from_base(limit);
            let (mut m, top) = build(&equal(config));
            m.fail(1);
            // The array learns of it with the next command that needs the member.
            m.issue(Command { target: top, ..ask(1, Op::Write, 0, MIB) });
            let mut rebuilt = None;
            while m.run(Instant::NEVER, 1) == iopath::machine::Stop::Events {
                let status = m.raid(top).status();
                match status.health {
                    RaidHealth::Rebuilding => rebuilt = Some(m.context.queue.now()),
                    _ if rebuilt.is_some() => break,
                    _ => {}
                }
            }
            let took = rebuilt.unwrap().since(Instant::ZERO).as_s();
            near(64.0 * MIB as f64 / took, expected, 0.05);
        }
    }
}

/// Bytes in a second of each member of an array of 4 x 64 MiB that is rebuilt from the beginning to
/// the end of `ios` random reads of 4 KiB, 4 at once, and after them.
fn rebuild_beside(edit: &dyn Fn(&mut RaidConfig), ios: usize) -> (f64, f64) {
    let mut config = RaidConfig::new(Level::Raid5, 4, CHUNK);
    config.spares = 1;
    config.sync.min = Bandwidth::from_base(20_000_000);
    config.sync.max = Bandwidth::from_base(500_000_000);
    config.sync.window = CHUNK;
    edit(&mut config);
    let (mut m, top) = build(&equal(config));
    m.fail(1);
    let took =
        keep(&mut m, top, 4, ios, |i| ask(i, Op::Read, i as u64 * 7919 * 4096 % (128 * MIB), 4096));
    let share = m.raid(top).status().rebuilt.unwrap().fraction();
    let pace = share * 64.0 * MIB as f64 / took.as_s();
    let before = m.context.queue.now();
    m.run(Instant::NEVER, u64::MAX);
    assert_eq!(m.raid(top).status().health, RaidHealth::Clean);
    let rest = (1.0 - share) * 64.0 * MIB as f64 / m.context.queue.now().since(before).as_s();
    (pace, rest)
}

/// Without windows beside a load a rebuild keeps to its lower limit; without a load it goes at its
/// upper one.
#[test]
fn a_rebuild_gives_way_to_the_host() {
    let (pace, rest) = rebuild_beside(&|config| config.sync.beside = 0, 20_000);
    near(pace, 20e6, 0.05);
    near(rest, 500e6, 0.05);
}

/// With one window beside a load, the next begins when it is done: it is read from three members
/// and written to the fourth, each a chunk over the rate, 10 us for the command, and what waits
/// before it in the queue of a member: a part of the four reads of the host, 14.1 us each.
#[test]
fn one_window_beside_a_load_follows_the_other() {
    let (pace, _) =
        rebuild_beside(&|config| config.sync.max = Bandwidth::from_base(50_000_000_000), 2_000);
    let alone = CHUNK as f64 / RATE + 10e-6;
    let (least, most) = (2.0 * alone, 2.0 * alone + 2.0 * 4.0 * 14.1e-6);
    assert!(pace < CHUNK as f64 / least && pace > CHUNK as f64 / most, "{pace}");
}

/// The upper limit holds beside a load too.
#[test]
fn a_rebuild_beside_a_load_keeps_the_upper_limit() {
    let (pace, rest) =
        rebuild_beside(&|config| config.sync.max = Bandwidth::from_base(60_000_000), 20_000);
    near(pace, 60e6, 0.02);
    near(rest, 60e6, 0.02);
}

/// If one window after the other is too slow for the lower limit, more are in progress.
#[test]
fn the_lower_limit_takes_more_windows() {
    let of = |min: u64| {
        let edit = |config: &mut RaidConfig| {
            config.sync.min = Bandwidth::from_base(min);
            config.sync.max = Bandwidth::from_base(50_000_000_000);
        };
        rebuild_beside(&edit, 2_000).0
    };
    let one = of(1_000_000);
    near(of((0.95 * one) as u64), one, 0.02);
    assert!(of((1.3 * one) as u64) > 1.25 * one, "{} after {one}", of((1.3 * one) as u64));
}

/// A rebuild that is held goes on for ever, and no row counts as rebuilt.
#[test]
fn a_rebuild_that_is_held_stays_at_its_beginning() {
    let mut config = RaidConfig::new(Level::Raid5, 4, CHUNK);
    config.spares = 1;
    let (mut m, top) = build(&equal(config));
    m.hold_rebuild(top);
    m.fail(1);
    // 64 MiB of each member take a third of a second.
    keep(&mut m, top, 1, 40_000, |i| ask(i, Op::Read, i as u64 * 4096 % (128 * MIB), 4096));
    let status = m.raid(top).status();
    assert!(status.recovery.done > 100 * MIB, "{:?}", status.recovery);
    assert_eq!(
        (status.health, status.rebuilt),
        (RaidHealth::Rebuilding, Some(engine::Ratio::from_base(0)))
    );
}

/// Sequential degraded reads: what is missing is found from the others of its stripe, which are
/// read anyway, so the members that are left set the pace.
#[test]
fn degraded_reads_read_each_chunk_once() {
    let (mut m, top) = build(&equal(RaidConfig::new(Level::Raid5, 5, CHUNK)));
    m.fail(1);
    m.issue(Command { target: top, ..ask(0, Op::Read, 0, MIB) });
    m.run(Instant::NEVER, u64::MAX);
    let before = members(&m, 5).0;
    let stripe = 4 * CHUNK as u64;
    keep(&mut m, top, 4, 60, |i| ask(i, Op::Read, i as u64 * stripe, stripe));
    assert_eq!(members(&m, 5).0 - before, 60 * 4);
    assert_eq!(m.raid(top).status().health, RaidHealth::Degraded);
}

/// Three members; the parity of stripe 0 is on the slowest. One chunk of the stripe is written and
/// power fails when the data is on its member and the parity is not. Then another member is lost:
/// its chunk, which nobody wrote, is found from a parity that does not fit. A log closes the hole.
#[test]
fn the_write_hole_is_there_and_a_log_closes_it() {
    for log in [WriteLog::None, WriteLog::PartialParity, WriteLog::Protected] {
        let mut config = RaidConfig::new(Level::Raid5, 3, 4096);
        config.log = log;
        config.metadata = if log == WriteLog::PartialParity { 8192 } else { 0 };
        let (mut m, top) = build(&over(config, &[1_000_000_000, 1_000_000_000, 4_000_000]));
        m.issue(Command { target: top, ..ask(7, Op::Write, 0, 4096) });
        m.run(Instant::NEVER, u64::MAX);
        m.issue(Command { target: top, ..ask(8, Op::Write, 4096, 4096) });
        m.run(Instant::NEVER, u64::MAX);
        assert_eq!(m.raid(top).status().health, RaidHealth::Clean);
        // One chunk is written again.
        m.issue(Command { target: top, ..ask(9, Op::Write, 0, 4096) });
        let before = member(&m, 0).1;
        while member(&m, 0).1 == before {
            m.run(Instant::NEVER, 1);
        }
        m.power_cut_all();
        m.fail(1);
        m.issue(Command { target: top, ..ask(3, Op::Read, 4096, 4096) });
        m.run(Instant::NEVER, u64::MAX);
        let (_, found) = m.context.probe.reads.last().unwrap();
        let risk = m.raid(top).status().at_risk;
        match log {
            WriteLog::None => {
                // 7 was the old chunk, 9 the new: the parity is still that of 7 and 8.
                assert_eq!(found, &[7 ^ 8 ^ 9], "stale parity gives wrong data");
                assert!(risk > 0, "and the array knows that it may");
            }
            _ => {
                assert_eq!(found, &[8], "{log:?}");
                assert_eq!(risk, 0);
            }
        }
    }
}

/// What is logged is a page and the rows, however much room there is for it.
#[test]
fn a_log_is_as_long_as_what_it_holds() {
    let written = |metadata: u64| {
        let mut config = RaidConfig::new(Level::Raid5, 3, 4096);
        config.log = WriteLog::PartialParity;
        config.metadata = metadata;
        let member = plain(8192 * MIB, RATE as u64, us(10));
        let (mut m, top) = build(&array(config, vec![member; 3]));
        m.issue(Command { target: top, ..ask(7, Op::Write, 0, 4096) });
        m.run(Instant::NEVER, u64::MAX);
        members(&m, 3).2
    };
    assert_eq!(written(4096 * MIB), written(8192));
}

/// After an unclean stop everything is gone over, or with a bitmap what was being written.
#[test]
fn a_resync_goes_over_what_may_differ() {
    let read = |bitmap, cut: bool| {
        let mut config = RaidConfig::new(Level::Raid5, 4, CHUNK);
        config.bitmap = bitmap;
        config.metadata = 65536;
        config.sync.max = Bandwidth::from_base(50_000_000_000);
        let (mut m, top) = build(&equal(config));
        m.issue(Command { target: top, ..ask(1, Op::Write, 30 * MIB, 3 * MIB) });
        if !cut {
            m.run(Instant::NEVER, u64::MAX);
            assert_eq!(m.raid(top).status().health, RaidHealth::Clean);
        }
        m.run_to(at_us(1_000_000));
        let before = if cut { 0 } else { members(&m, 4).0 };
        if cut {
            m.issue(Command { target: top, ..ask(2, Op::Write, 0, 4096) });
            m.run_to(at_us(1_000_005));
        }
        m.power_cut_all();
        m.run(Instant::NEVER, u64::MAX);
        assert!(!m.raid(top).status().dirty);
        members(&m, 4).0 - before
    };
    let bitmap = Some(Bitmap { region: 4 * MIB, clean_after: us(100_000) });
    let window = 128 << 10;
    assert_eq!(read(None, false), 0, "nothing was being written");
    // A metadata write leaves one chunk less.
    assert!(read(None, true) >= 4 * (64 * MIB / window - 1), "{}", read(None, true));
    assert!(read(bitmap, true) <= 2 + 4 * 4 * MIB / window, "{}", read(bitmap, true));
    assert_eq!(read(bitmap, false), 0);
}

/// What a driver that treats each request by itself does with sequential writes of 1 MiB: requests
/// of one chunk, the whole stripe locked for the whole cycle, the rest of the stripe read and all
/// of it put into the parity, on one core. More members make every request dearer.
fn driver(n: u32) -> RaidConfig {
    let mut config = RaidConfig::new(Level::Raid5, n, CHUNK);
    config.writes.request = Some(CHUNK);
    config.writes.lock = Lock::Stripe;
    config.writes.merge = false;
    config.writes.modify = Modify::Rest;
    config.engine.threads = 1;
    config.engine.xor = Some(Bandwidth::from_base(5_000_000_000));
    config
}

#[test]
fn request_by_request_raid_5_gets_slower_with_every_member() {
    let rates = |config: fn(u32) -> RaidConfig, op| -> Vec<f64> {
        (3..=5)
            .map(|n| {
                let members = vec![2_200_000_000; n as usize];
                bandwidth(&over(config(n), &members), op, MIB, 8)
            })
            .collect()
    };
    let writes = rates(driver, Op::Write);
    assert!(writes.windows(2).all(|w| w[1] < 0.95 * w[0]), "{writes:?}");
    let reads = rates(driver, Op::Read);
    assert!(reads.windows(2).all(|w| w[1] > 1.1 * w[0]), "{reads:?}");
    // The same members with a stripe cache that takes whole stripes together grow.
    let plain = rates(|n| RaidConfig::new(Level::Raid5, n, CHUNK), Op::Write);
    assert!(plain[2] > 1.2 * plain[0], "{plain:?}");
}

/// A controller's memory moves every byte: mirrors move each byte twice on its way out, full
/// stripes of RAID 5 move it into the parity and out with it.
#[test]
fn the_memory_of_a_controller_limits_all_levels() {
    let rate = |level, n| {
        let mut config = RaidConfig::new(level, n, CHUNK);
        config.engine.memory = Some((0, Bandwidth::from_base(6_000_000_000)));
        let mut system = over(config, &vec![5_000_000_000; n as usize]);
        system.pools = vec![1];
        bandwidth(&system, Op::Write, 12 * CHUNK as u64, 32)
    };
    near(rate(Level::Raid0, 4), 6e9, 0.02);
    near(rate(Level::Raid10, 8), 3e9, 0.02);
    // One in, 1/4 out of the calculation, 5/4 to the members.
    near(rate(Level::Raid5, 5), 6e9 / 2.5, 0.02);
}

/// The array can be simulated with as many members as a controller takes.
#[test]
fn unequal_members_are_used_as_the_smallest() {
    let config = RaidConfig::new(Level::Raid5, 3, CHUNK);
    let sizes = [64 * MIB, 80 * MIB, 100 * MIB];
    let system = array(config, sizes.iter().map(|&s| plain(s, 1_000_000_000, us(1))).collect());
    let (m, top) = build(&system);
    assert_eq!(m.capacity(top), 128 * MIB);
    let mut leaves = m.leaves(top, 0, 2 * CHUNK as u64);
    leaves.sort_unstable_by_key(|leaf| leaf.address);
    let chunk = |address| Range { address, start: 0, len: CHUNK as u64 };
    assert_eq!(leaves, (0..3).map(chunk).collect::<Vec<_>>());
}
