//! A hard disk against the closed forms of its mechanics.
use iopath::kernel::Device;

use crate::common::media::{Bench, ask, disk, disk_config, keep};
use engine::{Duration, Instant, Stream};
use iopath::device::disk::head::{Mechanics, Stream as Ahead, Track};
use iopath::device::disk::seek::SeekCurve;
use iopath::device::disk::{Disk, DiskConfig, SECTOR};
use iopath::kernel::command::{Command, Op};
use iopath::machine::Node;

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

fn the_disk(machine: &Bench, at: u16) -> &Disk<u32> {
    let Node::Disk(disk) = machine.node(at) else { panic!("no disk") };
    disk
}

/// Reads or writes of 4 KiB over the whole disk; returns how many a second.
fn random_rate(config: DiskConfig, op: Op, depth: usize, count: usize) -> f64 {
    let sectors = config.user_bytes / SECTOR;
    let (mut machine, at) = disk(config);
    let mut stream = Stream::new(7, "places");
    let mut next = |i| ask(i, op, stream.below(sectors) * SECTOR, SECTOR);
    // The cache fills first.
    keep(&mut machine, at, depth, count / 4, &mut next);
    count as f64 / keep(&mut machine, at, depth, count, &mut next).as_s()
}

#[test]
fn a_sector_comes_round_after_half_a_turn_in_the_mean() {
    let mechanics = Mechanics::new(&disk_config());
    let turn = mechanics.geometry().turn();
    let mut stream = Stream::new(1, "arrivals");
    let (mut sum, count) = (0.0, 100_000);
    for _ in 0..count {
        let now = Instant::from_ps(stream.below(1 << 50));
        let sector = stream.below(2_000_398_934_016 / SECTOR);
        let reach = mechanics.reach(mechanics.track(sector), now, sector, false);
        assert_eq!(reach.settled, now);
        let wait = reach.begin.since(now).ps();
        assert!(wait < turn);
        sum += wait as f64;
    }
    let mean = sum / f64::from(count) / turn as f64;
    assert!((mean - 0.5).abs() < 0.005, "{mean} of a turn");
}

/// Every sector of the disk has one place, and the next one is where the head is next.
#[test]
fn sectors_follow_one_another_over_tracks_cylinders_and_zones() {
    let mechanics = Mechanics::new(&disk_config());
    let geometry = mechanics.geometry();
    let zones = geometry.zones();
    assert_eq!(zones.len(), 30);
    let mut edges: Vec<u64> = zones[1..].iter().map(|zone| zone.sector).collect();
    let track = u64::from(zones[0].track);
    edges.extend([track, 4 * track, 8 * track]);
    for edge in edges {
        let at = Instant::from_ps(12_345_678_901);
        let before = mechanics.reach(Track::default(), at, edge - 1, false);
        let passed = mechanics.pass(edge - 1, edge, before.begin);
        let next = mechanics.reach(mechanics.track(edge - 1), passed, edge, false);
        assert_eq!(next.begin, next.settled, "no wait at sector {edge}");
        let passed_too = mechanics.pass(edge - 1, edge + 1, before.begin);
        assert_eq!(next.begin + one(&mechanics, edge), passed_too);
    }
    let place = geometry.place(2_000_398_934_016 / SECTOR - 1);
    assert!(place.cylinder < geometry.cylinders());
}

/// How long one sector passes.
fn one(mechanics: &Mechanics, sector: u64) -> Duration {
    let begin = Instant::from_ps(0);
    mechanics.pass(sector, sector + 1, begin).since(begin)
}

/// Reading ahead knows at any time how far it is: against one sector after another.
#[test]
fn reading_ahead_is_as_far_as_time_has_gone() {
    let mechanics = Mechanics::new(&disk_config());
    let track = u64::from(mechanics.geometry().zones()[0].track);
    let (first, limit, begin) = (track - 3, 5 * track + 10, Instant::from_ps(777));
    let ends: Vec<Instant> = (first..limit).map(|s| mechanics.pass(first, s + 1, begin)).collect();
    let mut stream = Stream::new(3, "looks");
    for _ in 0..50 {
        let mut ahead = Ahead::new(first, begin, limit);
        let mut now = begin;
        for _ in 0..20 {
            let mut step = stream.below(5_000_000_000);
            if stream.chance(1, 3) {
                // Exactly at an end of a sector.
                let end = ends[stream.below(ends.len() as u64) as usize];
                step = if end > now { end.since(now).ps() } else { 0 };
            }
            now += Duration::from_ps(step);
            let passed = ends.iter().take_while(|end| **end <= now).count() as u64;
            assert_eq!(ahead.reached(&mechanics, now), first + passed);
            for sector in (first + passed..limit).step_by(100) {
                let end = ends[(sector - first) as usize];
                assert_eq!(ahead.time_of(&mechanics, sector + 1), end);
            }
        }
    }
}

/// A long read is as fast as the tracks of a cylinder over as many turns and the switches.
#[test]
fn a_long_read_has_the_rate_of_its_zone() {
    let config = disk_config();
    let geometry = Mechanics::new(&config).geometry().clone();
    let turn = config.platters.turn.as_s();
    let switches = 3.0 * config.arm.head_switch.as_s() + config.arm.track_to_track.as_s();
    let mut rates = Vec::new();
    for zone in [0, 15, 29] {
        let zone = geometry.zones()[zone];
        let expected = 4.0 * f64::from(zone.track) * SECTOR as f64 / (4.0 * turn + switches);
        for (op, depth) in [(Op::Read, 1), (Op::Read, 4), (Op::Write, 1)] {
            let (mut machine, at) = disk(config.clone());
            let block = 256 * KIB;
            let mut i = 0;
            let mut next = |tag| {
                i += 1;
                ask(tag, op, zone.sector * SECTOR + i * block, block)
            };
            // The write cache is filled first, at the rate of the wire.
            keep(&mut machine, at, depth, 400, &mut next);
            let took = keep(&mut machine, at, depth, 3000, &mut next);
            let rate = 3000.0 * block as f64 / took.as_s();
            assert!((rate / expected - 1.0).abs() < 0.01, "{op:?} QD{depth}: {rate}, {expected}");
            rates.push(rate);
        }
    }
    assert!((rates[0] / 200e6 - 1.0).abs() < 0.01 && (rates[6] / 100e6 - 1.0).abs() < 0.01);
}

/// Small reads in sequence come from the buffer: processor, wire and latencies are what they take.
#[test]
fn small_reads_in_sequence_wait_for_no_turn() {
    let (mut machine, at) = disk(disk_config());
    keep(&mut machine, at, 1, 10, |i| ask(i, Op::Read, u64::from(i) * 4096, 4096));
    let took =
        keep(&mut machine, at, 1, 20_000, |i| ask(i, Op::Read, u64::from(i + 10) * 4096, 4096));
    let each = (50.0 + 2.0 + 3.0) * 1e-6 + 4096.0 / 552e6;
    assert!((took.as_s() / 20_000.0 / each - 1.0).abs() < 0.03, "{:?}", took);
}

/// Ten reads in sequence at a time, over a file that begins again: whatever the head is nearest to
/// where the file begins again, no part of it is left behind.
#[test]
fn a_run_of_reads_is_served_from_its_begin() {
    let (mut machine, at) = disk(disk_config());
    let (block, file) = (64 * KIB, 256 * MIB);
    let took = keep(&mut machine, at, 10, 30_000, |i| {
        ask(i, Op::Read, u64::from(i) * block % file, block)
    });
    let ends = &machine.context.probe.ends;
    let longest = ends.iter().map(|(.., took)| *took).max().unwrap();
    assert!(longest < Duration::from_ms(60), "{longest:?}");
    let rate = 30_000.0 * block as f64 / took.as_s();
    // The file is larger than the buffer, so the platters set the pace, in every pass.
    assert!((196e6..200e6).contains(&rate), "{rate}");
}

/// IOPS at queue depth 1 = 1 / (seek + half a turn + a sector + overhead).
#[test]
fn random_reads_at_queue_depth_one_take_what_their_parts_take() {
    let config = disk_config();
    let mechanics = Mechanics::new(&config);
    let curve = SeekCurve::new(&config.arm, mechanics.geometry().cylinders());
    let sectors = config.user_bytes / SECTOR;
    let count = 4000;
    let mut places = Stream::new(5, "places");
    let places: Vec<u64> = (0..count).map(|_| places.below(sectors)).collect();
    let cylinder = |i: usize| mechanics.track(places[i]).cylinder;
    let seeks: f64 =
        (1..count).map(|i| curve.time(cylinder(i).abs_diff(cylinder(i - 1))).as_s()).sum();
    let (mut machine, at) = disk(config.clone());
    let took =
        keep(&mut machine, at, 1, count, |i| ask(i, Op::Read, places[i as usize] * SECTOR, SECTOR));
    let turn = config.platters.turn.as_s();
    let overhead = (50.0 + 2.0 + 3.0) * 1e-6 + 4096.0 / 552e6;
    let sector: f64 = places.iter().map(|s| one(&mechanics, *s).as_s()).sum();
    let expected = seeks + sector + count as f64 * (turn / 2.0 + overhead);
    assert!((took.as_s() / expected - 1.0).abs() < 0.01, "{} s, {expected} s", took.as_s());
    let rate = count as f64 / took.as_s();
    assert!((75.0..90.0).contains(&rate), "{rate} reads a second");
}

#[test]
fn reordering_gains_with_the_depth_of_the_queue_and_order_does_not() {
    let rate = |reorder, depth| {
        let mut config = disk_config();
        config.queue.reorder = reorder;
        random_rate(config, Op::Read, depth, 3000)
    };
    // With two, only one is left to choose when the other has ended.
    let depths = [1, 4, 8, 16, 24, 32];
    let ordered = depths.map(|depth| rate(false, depth));
    let reordered = depths.map(|depth| rate(true, depth));
    eprintln!("in order {ordered:.1?}, reordered {reordered:.1?}");
    for rate in ordered {
        assert!((rate / ordered[0] - 1.0).abs() < 0.02, "{ordered:?}");
    }
    assert!((reordered[0] / ordered[0] - 1.0).abs() < 0.02, "one command leaves no choice");
    assert!(reordered[1..].windows(2).all(|pair| pair[1] > 1.04 * pair[0]), "{reordered:?}");
    assert!(reordered[5] > 1.8 * reordered[0], "{reordered:?}");
    // SATA takes 32 commands: what waits outside cannot be chosen.
    let deeper = rate(true, 64);
    assert!((deeper / reordered[5] - 1.0).abs() < 0.03, "{deeper}");
}

/// One read far away among many that are near one another.
#[test]
fn nothing_waits_much_longer_than_the_limit() {
    let far = |limit| {
        let mut config = disk_config();
        config.queue.age_limit = limit;
        config.buffer.read_ahead = 0;
        let end = config.user_bytes - SECTOR;
        let (mut machine, at) = disk(config);
        let mut stream = Stream::new(2, "near");
        keep(&mut machine, at, 32, 1000, |i| {
            let start = if i == 40 { end } else { stream.below(1000) * 100 * SECTOR };
            ask(i, Op::Read, start, SECTOR)
        });
        let ends = &machine.context.probe.ends;
        ends.iter().find(|(tag, ..)| *tag == 40).map(|(.., took)| *took)
    };
    let limit = Duration::from_ms(300);
    let took = far(limit).unwrap();
    assert!(took > limit && took < limit + Duration::from_ms(100), "{took:?}");
    let without = far(Duration::from_s(1000)).unwrap_or(Duration::from_s(1000));
    assert!(without > Duration::from_s(2), "without a limit it waits until the others end");
}

/// The cache takes writes at the rate of the wire until its entries are used up, and then at the
/// rate at which the arm, which chooses among them, gets rid of them.
#[test]
fn random_writes_are_fast_until_the_cache_is_full_and_sorted_then() {
    let config = disk_config();
    let (mut machine, at) = disk(config.clone());
    let mut stream = Stream::new(9, "places");
    let sectors = config.user_bytes / SECTOR;
    let burst = keep(&mut machine, at, 1, 60, |i| {
        ask(i, Op::Write, stream.below(sectors) * SECTOR, SECTOR)
    });
    assert!(burst < Duration::from_ms(6), "{burst:?}");
    let cached = random_rate(config.clone(), Op::Write, 1, 3000);
    let mut off = config;
    off.buffer.write_cache = false;
    let plain = random_rate(off, Op::Write, 1, 2000);
    eprintln!("writes a second: {cached:.1} with the cache, {plain:.1} without");
    assert!((150.0..210.0).contains(&cached), "{cached}");
    assert!((65.0..80.0).contains(&plain), "{plain}");
}

#[test]
fn a_write_of_part_of_a_sector_costs_a_turn_more() {
    let config = disk_config();
    let took = |start: u64, len: u64| {
        let (mut machine, at) = disk(config.clone());
        let command = Command { durable: true, ..ask(1, Op::Write, start, len) };
        let took = keep(&mut machine, at, 1, 1, |_| command);
        assert_eq!(the_disk(&machine, at).health().modify_bytes % SECTOR, 0);
        (took, the_disk(&machine, at).health().modify_bytes / SECTOR)
    };
    // The wire takes less for less data; no more than the platters turn meanwhile.
    let (whole, part) = (took(100 * MIB, 4096), took(100 * MIB + 512, 512));
    let turn = config.platters.turn;
    assert_eq!((whole.1, part.1), (0, 1));
    assert_eq!(part.0, whole.0 + turn);
    let (two, both) = (took(100 * MIB, 8192), took(100 * MIB + 512, 8192 - 1024));
    assert_eq!((both.0, both.1), (two.0 + turn, 2));
}

#[test]
fn the_same_commands_give_the_same_times() {
    let run = || {
        let (mut machine, at) = disk(disk_config());
        let mut stream = Stream::new(4, "mixed");
        keep(&mut machine, at, 16, 1500, |i| {
            let op = if stream.chance(1, 3) { Op::Write } else { Op::Read };
            ask(i, op, stream.below(1 << 28) * SECTOR, SECTOR << stream.below(6))
        });
        machine.drain();
        machine.audit();
        (machine.context.probe.ends.clone(), machine.energy_pj(machine.context.queue.now()))
    };
    assert_eq!(run(), run());
}

/// Idle power for all the time, the rest for the time that the arm and the sectors need.
#[test]
fn energy_follows_what_moves() {
    let (mut machine, at) = disk(disk_config());
    let mut stream = Stream::new(4, "places");
    keep(&mut machine, at, 1, 500, |i| ask(i, Op::Read, stream.below(1 << 28) * SECTOR, SECTOR));
    let now = machine.context.queue.now();
    let time = now.since(Instant::ZERO).as_s();
    let (seeking, passing) = the_disk(&machine, at).busy();
    assert!(seeking.as_s() / time > 0.5 && seeking.as_s() / time < 0.75);
    let joules = 4.4 * time + 2.0 * (seeking.as_s() + passing.as_s());
    assert!((the_disk(&machine, at).energy_pj(now) as f64 / 1e12 / joules - 1.0).abs() < 1e-6);
}
