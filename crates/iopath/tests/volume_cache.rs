//! The write-back volume cache: what it promises at random and at power cuts, what it loses in
//! bytes, and when it helps.

use crate::common::array::{Volume, array, flash, plain};
use crate::common::media::{Seen, ask, disk_config, keep};
use crate::common::model::Model;
use crate::common::random::cases;
use crate::common::*;
use iopath::machine::Stop;
use iopath::machine::system::{NodeSpec, SystemSpec};
use iopath::volume::cache::{CacheConfig, DestageOrder, Retention};
use iopath::volume::raid::{Level, RaidConfig};
use proptest::prelude::*;

/// A cache in front of the last node of a system.
fn cached(mut system: SystemSpec, config: CacheConfig) -> SystemSpec {
    let below = system.nodes.len() - 1;
    system.nodes.push(NodeSpec::Cache { config: Box::new(config), below });
    system
}

fn single(node: NodeSpec) -> SystemSpec {
    SystemSpec { nodes: vec![node], ..SystemSpec::default() }
}

#[derive(Clone, Debug)]
enum Step {
    Issue(Op, u16, u16, bool),
    Wait(u16),
    Rest,
    PowerCut,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let op = prop_oneof![
        7 => Just(Op::Write),
        5 => Just(Op::Read),
        1 => Just(Op::Trim),
        1 => Just(Op::Flush),
    ];
    let issue = (op, any::<u16>(), any::<u16>(), proptest::bool::weighted(0.1));
    let step = prop_oneof![
        120 => issue.prop_map(|(op, at, len, durable)| Step::Issue(op, at, len, durable)),
        24 => (0..900u16).prop_map(Step::Wait),
        3 => Just(Step::Rest),
        2 => Just(Step::PowerCut),
    ];
    proptest::collection::vec(step, 250)
}

fn caches() -> impl Strategy<Value = CacheConfig> {
    (1..40u64, 0..3u32, any::<bool>(), any::<bool>(), 1..5u32, 1..9u32, any::<bool>(), 0..4u64)
        .prop_map(|(lines, line, protected, sorted, depth, request, costs, shares)| {
            let size = 4096 << line;
            let mut c = CacheConfig::new(lines * size);
            c.line = size as u32;
            c.retention = if protected { Retention::Protected } else { Retention::Volatile };
            c.order = if sorted { DestageOrder::Sorted } else { DestageOrder::Oldest };
            c.depth = depth;
            c.request = request * size as u32;
            c.dirty_low = engine::Ratio::from_base(shares * 250_000);
            c.dirty_high = engine::Ratio::from_base(1_000_000);
            c.idle_after = us(500 + shares * 1000);
            if costs {
                c.threads = 1;
                c.copy = Some(Bandwidth::from_base(8_000_000_000));
                c.command = us(1);
                c.per_line = Duration::from_ns(300);
            }
            c
        })
}

fn rest(m: &mut Machine<u32, Volume>) {
    let stop = m.run(Instant::NEVER, 3_000_000);
    assert_eq!(stop, Stop::Idle, "does not come to rest: {}", m.describe());
    let outstanding = m.context.probe.model.outstanding();
    assert_eq!(outstanding, 0, "commands under way: {}", m.describe());
    assert_eq!(m.context.commands.outstanding(), 0, "{}", m.describe());
}

fn read_all(m: &mut Machine<u32, Volume>, top: u16, bytes: u64) {
    let mut at = 0;
    while at < bytes {
        let len = (16 * 4096).min(bytes - at);
        Volume::issue(m, top, command(Op::Read, at, len));
        at += len;
    }
    rest(m);
}

fn play(system: &SystemSpec, protection: Protection, stripe: u64, steps: &[Step]) {
    let mut m = Machine::new(Volume::new(Model::new(protection, 4096)));
    let top = system.build(&mut m, 1).top;
    let bytes = m.capacity(top);
    for step in steps {
        match *step {
            Step::Issue(op, at, len, durable) => {
                let unit = if op == Op::Trim { stripe } else { 4096 };
                let (at, len) = (at as u64, len as u64);
                let most = match len % 16 {
                    0 => 40,
                    1..4 => 12,
                    _ => 3,
                };
                let span = if at % 2 == 0 { (16 * 4096).max(unit) } else { bytes };
                let start = (at * 7919 * unit % span / unit * unit).min(bytes - unit);
                let len = (len * 104_729 % most + 1) * unit;
                let len = if op == Op::Flush { 0 } else { len.min(bytes - start) };
                let start = if op == Op::Flush { 0 } else { start };
                let c = command::<u32>(op, start, len);
                let durable = durable && op == Op::Write;
                Volume::issue(&mut m, top, Command { durable, ..c });
            }
            Step::Wait(t) => {
                let now = m.context.queue.now();
                m.run_to(now + us(t as u64));
            }
            Step::Rest => rest(&mut m),
            Step::PowerCut => {
                m.context.probe.model.power_cut();
                m.power_cut_all();
                rest(&mut m);
                m.context.probe.settle(true);
                read_all(&mut m, top, bytes);
                m.context.probe.settle(false);
            }
        }
        m.audit();
    }
    rest(&mut m);
    read_all(&mut m, top, bytes);
    m.audit();
}

proptest! {
    #![proptest_config(cases(300))]

    /// A protected cache keeps what it acknowledged, a volatile one what was flushed, whatever the
    /// drive below forgets.
    #[test]
    fn a_cache_keeps_its_promises(
        config in caches(), units in 200..300u64, volatile in any::<bool>(), steps in steps()
    ) {
        let kept = config.retention == Retention::Protected;
        let below = if volatile { Protection::Volatile } else { Protection::Protected };
        let system = cached(single(flash(units, below)), config);
        let promise = if kept { Protection::Protected } else { Protection::Volatile };
        // Trims of a volatile drive are not durable, even below a protected cache.
        let steps: Vec<Step> = steps
            .into_iter()
            .filter(|s| !(kept && volatile && matches!(s, Step::Issue(Op::Trim, ..))))
            .collect();
        play(&system, promise, 4096, &steps);
    }

    #[test]
    fn a_cache_before_an_array_keeps_its_promises(config in caches(), steps in steps()) {
        let kept = config.retention == Retention::Protected;
        let raid = RaidConfig::new(Level::Raid5, 3, 8192);
        let members = (0..3).map(|_| flash(100, Protection::Protected)).collect();
        let system = cached(array(raid, members), config);
        let promise = if kept { Protection::Protected } else { Protection::Volatile };
        let steps: Vec<Step> = steps
            .into_iter()
            .filter(|s| !matches!(s, Step::Issue(Op::Trim, ..)))
            .collect();
        play(&system, promise, 16384, &steps);
    }

    /// The bytes that a power cut is said to cost are those that are found to be old afterwards:
    /// exactly so if nothing was on its way below, and never fewer.
    #[test]
    fn what_is_lost_is_counted(
        writes in proptest::collection::vec((0..120u64, 0..400u64), 1..200), depth in 1..4u32
    ) {
        let mut config = CacheConfig::new(64 * 4096);
        config.depth = depth;
        config.dirty_low = engine::Ratio::from_base(400_000);
        let system = cached(single(plain(128 * 4096, 100_000_000, us(20))), config);
        let mut m = Machine::new(Seen::default());
        let top = system.build(&mut m, 1).top;
        for (i, &(unit, wait)) in writes.iter().enumerate() {
            let write = ask(i as u32 + 1, Op::Write, unit * 4096, 4096);
            m.issue(Command { target: top, ..write });
            let now = m.context.queue.now();
            m.run_to(now + us(wait));
        }
        let mut acknowledged = [0; 128];
        for &(tag, status, ..) in &m.context.probe.ends {
            prop_assert_eq!(status, Status::Ok);
            acknowledged[writes[tag as usize - 1].0 as usize] = tag;
        }
        let still = m.context.commands.outstanding() == 0;
        let said = m.cache(top).dirty_bytes();
        prop_assert_eq!(m.power_cut_all(), said);
        m.issue(Command { target: top, ..ask(999, Op::Read, 0, 120 * 4096) });
        m.run(Instant::NEVER, u64::MAX);
        let (_, found) = m.context.probe.reads.last().expect("the read ended");
        let old = (0..120).filter(|&u| acknowledged[u] != 0 && found[u] != acknowledged[u]);
        let old = old.count() as u64 * 4096;
        prop_assert!(old <= said, "{} bytes are old, {} were said to be", old, said);
        prop_assert!(!still || old == said, "{} bytes are old, {} were said to be", old, said);
    }
}

/// Writes that meet in the cache cost one write below.
#[test]
fn writes_of_the_same_line_are_written_once() {
    let system = cached(single(plain(1 << 20, 1_000_000_000, us(10))), CacheConfig::new(65536));
    let mut m = Machine::new(Seen::default());
    let top = system.build(&mut m, 1).top;
    for i in 0..1000 {
        m.issue(Command { target: top, ..ask(i, Op::Write, i as u64 % 4 * 4096, 4096) });
        m.run_to(at_us(i as u64));
    }
    m.run(Instant::NEVER, u64::MAX);
    let Node::XPoint(below) = m.node(0) else { panic!("a member") };
    assert_eq!(below.health().host_write_bytes, 4 * 4096);
    assert_eq!(below.health().write_commands, 1, "neighbours go together");
}

/// With flushes ignored ("flush off") a flush costs nothing and saves nothing.
#[test]
fn flush_off_is_fast_and_loses() {
    for honours in [true, false] {
        let mut config = CacheConfig::new(65536);
        config.honours_flush = honours;
        let system = cached(single(plain(1 << 20, 100_000_000, us(100))), config);
        let mut m = Machine::new(Seen::default());
        let top = system.build(&mut m, 1).top;
        m.issue(Command { target: top, ..ask(1, Op::Write, 0, 4096) });
        m.issue(Command { target: top, ..ask(2, Op::Flush, 0, 0) });
        m.run_to(at_us(1000));
        let took = m.context.probe.ends.iter().find(|e| e.0 == 2).unwrap().3;
        assert_eq!(took > us(140), honours, "{took:?}");
        assert_eq!(m.power_cut_all(), if honours { 0 } else { 4096 });
    }
}

fn rate(system: &SystemSpec, depth: usize, len: u64, count: usize, random: bool) -> f64 {
    let mut m = Machine::new(Seen::default());
    let top = system.build(&mut m, 1).top;
    let places = (1u64 << 30) / len;
    let took = keep(&mut m, top, depth, count, |i| {
        let at = if random { i as u64 * 7919 % places } else { i as u64 % places };
        ask(i, Op::Write, at * len, len)
    });
    count as f64 * len as f64 / took.as_s()
}

/// The same cache, with a copy and a lock for each line, makes sequential writes of an array of
/// fast drives slower and random writes of a hard disk faster. Nothing else differs than what is
/// below: five members of 2.2 GB/s against a disk that seeks.
#[test]
fn the_same_cache_slows_fast_drives_and_speeds_up_a_disk() {
    let mut config = CacheConfig::new(256 << 20);
    config.honours_flush = false;
    config.threads = 1;
    config.copy = Some(Bandwidth::from_base(8_000_000_000));
    config.per_line = Duration::from_ns(300);
    config.command = us(2);
    config.dirty_low = engine::Ratio::from_base(250_000);
    let members = || (0..5).map(|_| plain(4 << 30, 2_200_000_000, us(10))).collect();
    let raid = RaidConfig::new(Level::Raid0, 5, 65536);
    let bare = array(raid, members());
    let with = cached(bare.clone(), config.clone());
    let (without, through) =
        (rate(&bare, 8, 1 << 20, 3000, false), rate(&with, 8, 1 << 20, 3000, false));
    assert!(through < 0.9 * without, "{through} {without}");
    // The bound: 256 lines under the lock on the way in and on the way out.
    let bound = 4096.0 / (2.0 * 300e-9);
    assert!(through < bound * 1.05, "{through} above {bound}");

    let mut disk = disk_config();
    disk.buffer.write_cache = false;
    let bare = single(NodeSpec::Disk(Box::new(disk)));
    let with = cached(bare.clone(), config);
    let (without, through) = (rate(&bare, 1, 4096, 2000, true), rate(&with, 1, 4096, 2000, true));
    assert!(through > 10.0 * without, "{through} {without}");
}

#[test]
fn what_cannot_be_built_is_reported_with_a_fix() {
    let fault = |change: fn(&mut CacheConfig)| {
        let mut c = CacheConfig::new(1 << 20);
        change(&mut c);
        c.check(1 << 30).unwrap_err().message
    };
    assert!(fault(|c| c.bytes = (1 << 30) + 4096).contains("over a volume"));
    assert!(fault(|c| c.line = 6000).contains("6000"));
    assert!(fault(|c| c.bytes = 4095).contains("4095"));
    assert!(fault(|c| c.dirty_low = engine::Ratio::from_base(1_000_001)).contains("out of order"));
    assert!(fault(|c| c.copy = Some(Bandwidth::from_base(1))).contains("need a core"));
    let mut c = CacheConfig::new(1 << 30);
    assert_eq!(c.check(1 << 30), Ok(vec![]), "as large as what it caches");
    c.honours_flush = false;
    assert!(c.check(1 << 30).unwrap()[0].contains("loses acknowledged data"));
}
