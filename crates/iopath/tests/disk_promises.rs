//! What a hard disk promises: a flush and a durable write survive a power loss at any time, a write
//! from the cache may not, and the disk reports how much it lost.

use crate::common::media::{Bench, ask, disk, disk_config};
use engine::{Duration, Instant, Stream};
use iopath::kernel::command::{Command, Op, Status};
use iopath::machine::Node;
use proptest::prelude::*;

const UNIT: u64 = 4096;
const UNITS: u64 = 48;

/// A command as the host knows it.
#[derive(Clone, Copy)]
struct Known {
    op: Op,
    first: u64,
    units: u64,
    durable: bool,
    issued: Instant,
    ended: Option<(Status, Instant)>,
}

/// Where unit `i` is: a few runs, far from one another.
fn place(i: u64) -> u64 {
    (i / 12 * 400_000_000_000 / UNIT + i % 12) * UNIT
}

fn load(machine: &mut Bench, at: u16, seed: u64, until: Instant) -> Vec<Known> {
    let mut stream = Stream::new(seed, "load");
    let mut known = Vec::new();
    while machine.context.queue.now() < until && known.len() < 400 {
        let op = match stream.below(20) {
            0..13 => Op::Write,
            13..19 => Op::Read,
            _ => Op::Flush,
        };
        let run = stream.below(UNITS / 12) * 12;
        let first = run + stream.below(12);
        let units = if op == Op::Flush { 0 } else { 1 + stream.below(run + 12 - first) };
        let durable = op == Op::Write && stream.chance(1, 8);
        let issued = machine.context.queue.now();
        let tag = known.len() as u32 + 1;
        let command = ask(tag, op, place(first), units * UNIT);
        known.push(Known { op, first, units, durable, issued, ended: None });
        machine.issue(Command { target: at, durable, ..command });
        let pause = match stream.below(3) {
            0 => 0,
            1 => stream.below(300_000),
            _ => stream.below(20_000_000),
        };
        machine.run_to(issued + Duration::from_ns(pause));
    }
    known
}

/// Writes that may be what a unit holds: none that a durable one came after.
fn allowed(known: &[Known], unit: u64) -> Vec<u32> {
    let covers = |k: &Known| k.op == Op::Write && (k.first..k.first + k.units).contains(&unit);
    let ended = |k: &Known| k.ended.filter(|(status, _)| *status == Status::Ok).map(|(_, at)| at);
    let is_durable = |k: &Known| {
        let Some(end) = ended(k) else { return false };
        let flushed = |f: &Known| f.op == Op::Flush && f.issued >= end && ended(f).is_some();
        k.durable || known.iter().any(flushed)
    };
    let durable: Vec<Instant> =
        known.iter().filter(|k| covers(k) && is_durable(k)).map(|k| k.issued).collect();
    let mut tags = Vec::new();
    if durable.is_empty() {
        tags.push(0);
    }
    for (i, k) in known.iter().enumerate().filter(|(_, k)| covers(k)) {
        let over = ended(k).is_some_and(|end| durable.iter().any(|issued| *issued >= end));
        if !over {
            tags.push(i as u32 + 1);
        }
    }
    tags
}

proptest! {
    #![proptest_config(crate::common::random::cases(400))]
    #[test]
    fn flushed_and_durable_data_survives_a_cut_at_any_time(
        seed in 0u64..100_000,
        cut_us in 100u64..400_000,
        entries in 1u32..16,
        cached in proptest::bool::weighted(0.8),
    ) {
        let mut config = disk_config();
        config.buffer.write_entries = entries;
        config.buffer.write_cache = cached;
        let (mut machine, at) = disk(config);
        let cut = Instant::ZERO + Duration::from_us(cut_us);
        let mut known = load(&mut machine, at, seed, cut);
        machine.audit();
        let Node::Disk(disk) = machine.node(at) else { panic!() };
        let promised = disk.unsafe_bytes();
        let lost = machine.power_cut(at);
        prop_assert_eq!(lost, promised);
        prop_assert!(cached || lost == 0);
        machine.drain();
        for &(tag, status, end, _) in &machine.context.probe.ends {
            known[tag as usize - 1].ended = Some((status, end));
        }
        prop_assert!(known.iter().all(|k| k.ended.is_some()), "every command ends");
        let acknowledged =
            |k: &&Known| k.op == Op::Write && matches!(k.ended, Some((Status::Ok, _)));
        for unit in 0..UNITS {
            machine.issue(Command { target: at, ..ask(1_000_000, Op::Read, place(unit), UNIT) });
            machine.drain();
            let (_, found) = machine.context.probe.reads.pop().unwrap();
            let allowed = allowed(&known, unit);
            prop_assert!(allowed.contains(&found[0]), "unit {unit}: {found:?}, not of {allowed:?}");
            if lost == 0 {
                // Then the last acknowledged write of the unit is there, or a later one.
                let covers = |k: &&Known| (k.first..k.first + k.units).contains(&unit);
                let last = known.iter().filter(acknowledged).filter(covers).map(|k| k.issued).max();
                let held = found[0].checked_sub(1).map(|i| known[i as usize]);
                if let Some(last) = last {
                    let late = held.and_then(|k| k.ended).is_some_and(|(_, end)| end >= last);
                    prop_assert!(late, "unit {unit}: nothing was lost, and an old write is there");
                }
            }
        }
    }

    /// Without a cut, a read finds the last write, wherever it is by then.
    #[test]
    fn reads_find_the_last_write(seed in 0u64..100_000) {
        let (mut machine, at) = disk(disk_config());
        let mut stream = Stream::new(seed, "steps");
        let mut plain = [0u32; UNITS as usize];
        for tag in 1..120u32 {
            let run = stream.below(UNITS / 12) * 12;
            let first = run + stream.below(12);
            let units = 1 + stream.below(run + 12 - first);
            let op = if stream.chance(1, 2) { Op::Write } else { Op::Read };
            let durable = stream.chance(1, 6);
            let before = machine.context.probe.ends.len();
            let command = ask(tag, op, place(first), units * UNIT);
            machine.issue(Command { target: at, durable, ..command });
            while machine.context.probe.ends.len() == before {
                machine.run(Instant::NEVER, 1);
            }
            let range = first as usize..(first + units) as usize;
            if op == Op::Write {
                plain[range].fill(tag);
            } else {
                let (_, found) = machine.context.probe.reads.pop().unwrap();
                prop_assert_eq!(&found[..], &plain[range]);
            }
            let pause = machine.context.queue.now() + Duration::from_us(stream.below(20_000));
            machine.run_to(pause);
        }
        machine.drain();
        machine.audit();
    }
}

/// A cut right after writes from the cache loses them to the byte; after a flush it loses nothing.
#[test]
fn what_is_lost_is_counted_in_bytes() {
    for flush in [false, true] {
        let (mut machine, at) = disk(disk_config());
        for i in 0..20 {
            machine.issue(Command { target: at, ..ask(i, Op::Write, u64::from(i) << 30, 8192) });
        }
        let now = Instant::ZERO + Duration::from_ms(3);
        machine.run_to(now);
        assert_eq!(machine.context.probe.ends.len(), 20, "all are acknowledged");
        if flush {
            machine.issue(Command { target: at, ..ask(99, Op::Flush, 0, 0) });
            while machine.context.probe.ends.len() < 21 {
                machine.run(Instant::NEVER, 1);
            }
            let took = machine.context.queue.now().since(now);
            assert!(took > Duration::from_ms(60), "20 places take the arm {took:?}");
        }
        let lost = machine.power_cut(at);
        let first = 8192;
        if flush {
            assert_eq!(lost, 0);
        } else {
            // The first may be on the platters, the outermost track is where the arm begins.
            assert!(lost == 20 * 8192 || lost == 20 * 8192 - first, "{lost}");
        }
    }
}
