//! A cache tier in time: what each command costs, where its bytes go, and where the limits are.

use crate::common::tiers::{leaf, tiered};
use crate::common::*;
use engine::Ratio;
use iopath::volume::tier::config::{DestageConfig, Mode, WriteAdmission};
use iopath::volume::tier::{TierConfig, TierCounters};
use proptest::prelude::*;

const BLOCK: u64 = 8192;
const TIER: u16 = 2;

/// A tier that destages only when it must.
fn quiet(slots: u64, blocks: u64) -> TierConfig {
    let config = TierConfig::new("tier", slots * BLOCK, blocks * BLOCK);
    let destage = DestageConfig { idle_after: None, ..config.destage };
    TierConfig { destage, ..config }
}

/// A fast device of 100 us a unit written and 20 us read, a slow one of 1000 and 400.
fn bench(config: TierConfig) -> Machine<(), Times> {
    let fast = leaf("cache", 20, 100, Protection::Off);
    let slow = leaf("backing", 400, 1000, Protection::Off);
    tiered(fast, slow, config, Times::default()).0
}

fn ask(m: &mut Machine<(), Times>, op: Op, start: u64, len: u64) {
    m.issue(Command { target: TIER, ..command(op, start, len) });
}

/// Issues a command and waits until everything is at rest; returns how long that command took.
fn time(m: &mut Machine<(), Times>, op: Op, start: u64, len: u64) -> Duration {
    let begun = m.context.queue.now();
    ask(m, op, start, len);
    m.run(Instant::NEVER, u64::MAX);
    let (_, end) = *m.context.probe.commands.last().expect("it has ended");
    end.since(begun)
}

/// In microseconds: what the links take is left out.
fn round(time: Duration) -> u64 {
    time.ps() / 1_000_000
}

fn counters(m: &Machine<(), Times>) -> TierCounters {
    m.tier(TIER).counters()
}

/// Writes so many blocks in order on both devices alone, or on the tier; returns the time.
fn sequential(m: &mut Machine<(), Times>, target: u16, blocks: u64) -> Duration {
    let begun = m.context.queue.now();
    for block in 0..blocks {
        m.issue(Command { target, ..command(Op::Write, block * BLOCK, BLOCK) });
    }
    m.run(Instant::NEVER, u64::MAX);
    m.context.probe.commands.iter().map(|c| c.1).max().expect("they have ended").since(begun)
}

#[test]
fn the_first_read_comes_from_the_slow_device_and_the_second_from_the_cache() {
    let mut m = bench(quiet(64, 256));
    m.write_untimed(1, 0, 256 * BLOCK);
    m.resume();
    let first = time(&mut m, Op::Read, 5 * BLOCK, BLOCK);
    let second = time(&mut m, Op::Read, 5 * BLOCK, BLOCK);
    // Two senses of 400 us, and two of 20 us; the client does not wait for the fill.
    assert_eq!((round(first), round(second)), (800, 40));
    let c = counters(&m);
    assert_eq!((c.read_hits, c.read_misses, c.fill_bytes), (1, 1, BLOCK));
}

/// Half a block is valid: the other half comes from the slow device at the same time.
#[test]
fn a_read_takes_what_is_valid_from_the_cache_and_the_rest_from_behind() {
    let mut m = bench(quiet(64, 256));
    m.write_untimed(1, 0, 256 * BLOCK);
    m.resume();
    time(&mut m, Op::Read, 0, 4096);
    assert_eq!(round(time(&mut m, Op::Read, 0, BLOCK)), 400);
    let c = counters(&m);
    assert_eq!((c.read_hit_bytes, c.read_bytes), (4096, 4096 + BLOCK));
    assert_eq!(round(time(&mut m, Op::Read, 0, BLOCK)), 40, "now all of it is valid");
}

/// Validity is known by sector, so a small write to a block that is not cached needs nothing from
/// the slow device.
#[test]
fn a_write_smaller_than_a_block_does_not_wait_for_the_slow_device() {
    let mut m = bench(quiet(64, 256));
    m.write_untimed(1, 0, 256 * BLOCK);
    m.resume();
    time(&mut m, Op::Write, 7 * BLOCK, 4096);
    assert_eq!(m.drive(1).health().host_read_bytes, 0);
    assert_eq!(counters(&m).dirty_bytes, 4096);
    assert!(time(&mut m, Op::Write, 9 * BLOCK, 512) < us(400));
    assert_eq!(counters(&m).dirty_bytes, 4096 + 512);
}

/// All writes go through the cache: a cache that writes more slowly than the device behind it makes
/// writes slower than without it, whatever it does for reads. The 16 GB module of the Optane Memory
/// review does so; the one of twice the rate does not.
#[test]
fn writes_go_at_the_rate_of_the_cache_even_if_that_is_slower() {
    for (fast, slow) in [(1000, 700), (500, 700)] {
        let time_of = |target| {
            let cache = leaf("cache", 20, fast, Protection::Off);
            let backing = leaf("backing", 400, slow, Protection::Off);
            let config = quiet(512, 640);
            let mut m: Machine<(), Times> = tiered(cache, backing, config, Times::default()).0;
            sequential(&mut m, target, 300)
        };
        let (cache, backing, tier) = (time_of(0), time_of(1), time_of(TIER));
        assert_eq!(tier, cache);
        assert_eq!(tier > backing, fast > slow);
    }
}

/// When as much is changed as may be, each block that comes in waits for one that goes out: the
/// pace is that of the slow device, and before that of the fast one.
#[test]
fn beyond_the_dirty_limit_writes_go_at_the_rate_of_the_slow_device() {
    let mut config = quiet(512, 640);
    config.destage.limit = Ratio::percent(10);
    config.destage.goal = Ratio::percent(5);
    config.destage.command_bytes = BLOCK;
    let limit = config.dirty_limit() as u64;
    let alone =
        |target, blocks| sequential(&mut bench(quiet(512, 640)), target, blocks).ps() as f64;
    let law = alone(0, limit) + alone(1, 600 - limit);
    let took = sequential(&mut bench(config), TIER, 600).ps() as f64;
    assert!((took / law - 1.0).abs() < 0.03, "{} of the law", took / law);
}

#[test]
fn the_limit_lets_in_as_many_blocks_as_it_says_and_not_one_more() {
    let mut config = quiet(100, 1000);
    config.destage.limit = Ratio::percent(8);
    config.destage.goal = Ratio::percent(4);
    for (blocks, destaged) in [(7, false), (8, false), (9, true)] {
        let mut m = bench(config.clone());
        for block in 0..blocks {
            // Not in a row, so that each is destaged by itself.
            time(&mut m, Op::Write, 3 * block * BLOCK, BLOCK);
        }
        let c = counters(&m);
        assert_eq!(c.destaged_bytes > 0, destaged, "{blocks} blocks");
        assert!(c.dirty_bytes <= 8 * BLOCK);
        if destaged {
            assert_eq!(c.dirty_bytes, 4 * BLOCK, "down to the goal");
        }
        m.audit();
    }
}

#[test]
fn a_stream_passes_the_cache_from_the_length_on_that_is_set() {
    for (commands, passed) in [(3, 0), (4, 1), (6, 3)] {
        let mut m = bench(TierConfig { bypass_after: Some(4 * BLOCK), ..quiet(64, 256) });
        for i in 0..commands {
            time(&mut m, Op::Write, i * BLOCK, BLOCK);
        }
        assert_eq!(counters(&m).passed_bytes, passed * BLOCK, "{commands} commands");
        assert_eq!(counters(&m).bypassed_bytes, passed * BLOCK);
    }
}

#[test]
fn changed_data_leaves_when_the_host_is_quiet_for_long_enough_and_not_before() {
    let mut config = quiet(64, 256);
    config.destage.idle_after = Some(us(50_000));
    let mut m = bench(config);
    ask(&mut m, Op::Write, 0, 8 * BLOCK);
    m.run_to(at_us(20_000));
    let (_, end) = m.context.probe.commands[0];
    m.run_to(end + us(49_999));
    assert_eq!(counters(&m).dirty_bytes, 8 * BLOCK);
    // A command begins the wait anew.
    time(&mut m, Op::Read, 0, 4096);
    assert_eq!(counters(&m).dirty_bytes, 0, "and at its end everything is destaged");
    assert_eq!(counters(&m).destaged_bytes, 8 * BLOCK);
    let (_, read) = m.context.probe.commands[1];
    assert!(m.context.queue.now() > read + us(50_000));
}

#[test]
fn runs_that_are_destaged_are_long_where_addresses_follow_one_another() {
    let mut config = quiet(64, 256);
    config.destage.idle_after = Some(us(1000));
    let mut m = bench(config);
    // Backwards, so that slots and addresses run against each other.
    for block in (0..16).rev() {
        ask(&mut m, Op::Write, block * BLOCK, BLOCK);
    }
    m.run(Instant::NEVER, u64::MAX);
    assert_eq!(m.drive(1).health().write_commands, 1);
    assert_eq!(m.drive(1).health().host_write_bytes, 16 * BLOCK);
}

#[test]
fn taking_the_cache_away_takes_as_long_as_writing_back_what_is_changed() {
    let mut m = bench(quiet(128, 256));
    for block in 0..100 {
        ask(&mut m, Op::Write, block * BLOCK, BLOCK);
    }
    m.run(Instant::NEVER, u64::MAX);
    let begun = m.context.queue.now();
    m.detach(TIER);
    assert_eq!(m.tier(TIER).detached_at(), None);
    m.run(Instant::NEVER, u64::MAX);
    let took = m.tier(TIER).detached_at().expect("it is detached").since(begun).ps() as f64;
    let law = 200.0 * us(1000).ps() as f64;
    assert!((took / law - 1.0).abs() < 0.1, "{took} ps, law {law}");
    assert_eq!(round(time(&mut m, Op::Read, 0, BLOCK)), 800, "from the slow device");
    m.tier_mut(TIER).attach();
    assert_eq!(m.tier(TIER).directory().len(), 0, "begins empty");
    assert_eq!(round(time(&mut m, Op::Read, 0, BLOCK)), 800);
    assert_eq!(round(time(&mut m, Op::Read, 0, BLOCK)), 40, "and is used again");
}

#[test]
fn a_directory_that_lasts_is_warm_after_a_restart_and_after_a_loss_of_power() {
    for persistent in [true, false] {
        let mut m = bench(TierConfig { persistent, ..quiet(64, 256) });
        time(&mut m, Op::Write, 0, 3 * BLOCK);
        let lost = m.power_cut_all();
        assert_eq!(lost, if persistent { 0 } else { 3 * BLOCK });
        assert_eq!(counters(&m).lost_bytes, lost);
        m.resume();
        time(&mut m, Op::Read, 0, 3 * BLOCK);
        assert_eq!(counters(&m).read_hits, if persistent { 3 } else { 0 });
    }
}

#[test]
fn a_cache_that_fails_loses_what_only_it_had_and_nothing_else() {
    for (mode, lost) in
        [(Mode::WriteBack, 5 * BLOCK), (Mode::WriteThrough, 0), (Mode::WriteAround, 0)]
    {
        let mut m = bench(TierConfig { mode, ..quiet(64, 256) });
        time(&mut m, Op::Write, 0, 5 * BLOCK);
        time(&mut m, Op::Read, 100 * BLOCK, BLOCK);
        m.fail(0);
        time(&mut m, Op::Read, 100 * BLOCK, BLOCK);
        assert_eq!(counters(&m).lost_bytes, lost, "{mode:?}");
        // Writes continue, to the slow device.
        time(&mut m, Op::Write, 0, 5 * BLOCK);
        time(&mut m, Op::Read, 0, 5 * BLOCK);
        m.audit();
    }
}

/// A flush goes where acknowledged data may still be in a volatile buffer.
#[test]
fn a_flush_goes_to_the_devices_that_hold_the_data() {
    let slow = || {
        let mut slow = leaf("backing", 400, 1000, Protection::Volatile);
        slow.controller.admin_cost = us(500);
        slow
    };
    let fast = || leaf("cache", 20, 100, Protection::Protected);
    for (mode, behind) in [(Mode::WriteBack, false), (Mode::WriteThrough, true)] {
        let config = TierConfig { mode, ..quiet(64, 256) };
        let mut m: Machine<(), Times> = tiered(fast(), slow(), config, Times::default()).0;
        time(&mut m, Op::Write, 0, BLOCK);
        assert_eq!(time(&mut m, Op::Flush, 0, 0) >= us(500), behind, "{mode:?}");
        let again = time(&mut m, Op::Flush, 0, 0);
        assert!(again < us(500), "nothing passed since: {mode:?}");
    }
}

#[test]
fn a_cache_is_warmed_without_time_up_to_its_size() {
    let mut m = bench(quiet(64, 256));
    assert_eq!(m.warm(TIER, 10 * BLOCK, 20 * BLOCK), 20 * BLOCK);
    assert_eq!(m.warm(TIER, 100 * BLOCK, 100 * BLOCK), 64 * BLOCK);
    m.resume();
    time(&mut m, Op::Read, 136 * BLOCK, 64 * BLOCK);
    assert_eq!(counters(&m).read_hits, 64);
    time(&mut m, Op::Read, 100 * BLOCK, 36 * BLOCK);
    assert_eq!(counters(&m).read_misses, 36);
    m.audit();
}

#[test]
fn writing_without_time_leaves_the_end_in_the_cache_and_nothing_changed() {
    let mut m = bench(quiet(64, 256));
    m.write_untimed(TIER, 0, 256 * BLOCK);
    m.resume();
    assert_eq!(counters(&m).dirty_bytes, 0);
    assert_eq!(m.tier(TIER).directory().len(), 64);
    time(&mut m, Op::Read, 192 * BLOCK, 64 * BLOCK);
    assert_eq!((counters(&m).read_hits, counters(&m).read_misses), (64, 0));
}

/// LRU at queue depth 1, through the node: the order of touches is the order of commands.
#[test]
fn hits_of_the_node_are_those_of_a_plain_list() {
    let mut m = bench(quiet(40, 300));
    m.write_untimed(1, 0, 300 * BLOCK);
    m.resume();
    let mut zipf = Sampler::zipf(300, 0.9, 3);
    let mut stream = Stream::new(4, "references");
    let (mut list, mut hits): (Vec<u64>, u64) = (Vec::new(), 0);
    for _ in 0..3000 {
        let block = zipf.draw(&mut stream);
        time(&mut m, Op::Read, block * BLOCK, BLOCK);
        hits += u64::from(list.contains(&block));
        list.retain(|&b| b != block);
        list.push(block);
        if list.len() > 40 {
            list.remove(0);
        }
    }
    assert_eq!(counters(&m).read_hits, hits);
    assert!(hits > 1000, "a test with too few hits: {hits}");
}

/// Plays random commands and checks the ledger: what the devices were asked for is what the tier
/// says by cause, byte for byte.
fn ledger(config: TierConfig, commands: &[(u8, u16, u8)]) -> (TierCounters, Instant) {
    let mut m = bench(config);
    for &(what, at, len) in commands {
        let start = at as u64 % 250 * BLOCK + at as u64 % 3 * 512;
        let len = (1 + len as u64 % 40) * 512;
        match what % 8 {
            0..4 => ask(&mut m, Op::Read, start, len),
            4..7 => ask(&mut m, Op::Write, start, len),
            _ => m.run_to(m.context.queue.now() + us(len)),
        }
    }
    m.run(Instant::NEVER, u64::MAX);
    m.audit();
    let (c, fast, slow) = (counters(&m), m.drive(0).health(), m.drive(1).health());
    assert_eq!(fast.host_read_bytes, c.read_hit_bytes + c.destage_read_bytes);
    assert_eq!(fast.host_write_bytes, c.cache_written_bytes + c.fill_bytes);
    assert_eq!(slow.host_read_bytes, c.read_bytes - c.read_hit_bytes);
    assert_eq!(slow.host_write_bytes, c.passed_bytes + c.destaged_bytes);
    assert_eq!(c.destage_read_bytes, c.destaged_bytes);
    if m.tier(TIER).config().mode == Mode::WriteBack {
        assert_eq!(c.written_bytes, c.cache_written_bytes + c.passed_bytes);
    } else {
        assert_eq!((c.written_bytes, c.destaged_bytes), (c.passed_bytes, 0));
    }
    (c, m.context.queue.now())
}

proptest! {
    #![proptest_config(crate::common::random::cases(100))]

    #[test]
    fn every_byte_has_a_cause_and_every_run_is_the_same_again(
        mode in 0..3usize, as_reads in any::<bool>(), bypass in any::<bool>(), limit in 3..100u64,
        sector in 0..2usize, commands in proptest::collection::vec(any::<(u8, u16, u8)>(), 1..150),
    ) {
        let mut config = quiet(32, 256);
        config.mode = [Mode::WriteBack, Mode::WriteThrough, Mode::WriteAround][mode];
        config.sector = [512, 4096][sector];
        config.bypass_after = bypass.then_some(3 * BLOCK);
        config.destage.limit = Ratio::percent(limit);
        config.destage.goal = Ratio::percent(limit / 2);
        config.destage.idle_after = Some(us(3000));
        if as_reads {
            config.write_admission = WriteAdmission::AsReads;
        }
        let first = ledger(config.clone(), &commands);
        prop_assert_eq!(first, ledger(config, &commands));
    }
}
