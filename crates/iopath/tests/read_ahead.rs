//! Reading ahead: from which read on, what it gives, what it costs, and what it never does.

use crate::common::*;
use engine::Instant;
use iopath::device::flash::config::ReadAheadConfig;

const UNIT: u64 = 4096;
/// What follows takes this long from memory and from the flash, us.
const MEMORY: u64 = 2;
const SENSE: u64 = 50;

/// Eight dies whose pages are one unit each, filled in order: the next unit is on the next die.
fn drive(ahead: Option<ReadAheadConfig>) -> Machine<(), Times> {
    let mut c = config(Geometry { dies: 8, ..geometry() }, 1.3);
    c.controller.buffer_read = us(MEMORY);
    c.read_ahead = ahead;
    let mut m = machine::<(), _>(c, Times::default());
    prepare(&mut m, DriveState::Filled);
    m
}

fn ahead(units: u32, streams: u32, after: u32) -> Option<ReadAheadConfig> {
    Some(ReadAheadConfig { units, streams, after })
}

/// Reads units one by one, each so many us after the one before, and says how long each took, us.
fn read(m: &mut Machine<(), Times>, units: &[u64], every: u64) -> Vec<u64> {
    let begin = m.context.queue.now() + us(1000);
    let first = m.context.probe.commands.len();
    let mut issued = Vec::new();
    for (i, unit) in (0..).zip(units) {
        m.run_to(begin + us(i * every));
        issued.push(m.context.queue.now());
        let tag = u32::try_from(first).unwrap() + u32::try_from(i).unwrap();
        m.issue(Command { tag, ..command(Op::Read, unit * UNIT, UNIT) });
    }
    m.run(Instant::NEVER, 100_000);
    let mut done = m.context.probe.commands[first..].to_vec();
    done.sort_unstable_by_key(|(tag, _)| *tag);
    let took = |(done, at): (&(u32, Instant), &Instant)| done.1.since(*at).ps() / 1_000_000;
    done.iter().zip(&issued).map(took).collect()
}

fn senses(m: &Machine<(), Times>) -> u64 {
    m.drive(0).nand().counters().senses
}

#[test]
fn it_begins_with_the_read_that_makes_a_stream() {
    let order: Vec<u64> = (0..6).collect();
    assert_eq!(read(&mut drive(None), &order, 100), [SENSE; 6]);
    for after in 1..5 {
        let took = read(&mut drive(ahead(4, 1, after)), &order, 100);
        let (before, since) = took.split_at(after as usize);
        assert!(before.iter().all(|&us| us == SENSE), "{after}: {took:?}");
        assert!(since.iter().all(|&us| us == MEMORY), "{after}: {took:?}");
    }
}

/// A read that comes while its unit is on the way waits for the rest of the sense.
#[test]
fn a_read_waits_for_what_is_on_its_way() {
    for early in [0, 1, 20, 49] {
        let took = read(&mut drive(ahead(4, 1, 1)), &[0, 1], SENSE - early);
        assert_eq!(took, [SENSE, early]);
    }
    assert_eq!(read(&mut drive(ahead(4, 1, 1)), &[0, 1], SENSE + 1), [SENSE, MEMORY]);
}

/// Reads without a pause get what the window holds in a sense: half of it is asked for at a time.
#[test]
fn a_stream_is_as_fast_as_its_window() {
    let units = 4000;
    let rate = |config: Option<ReadAheadConfig>| {
        let mut m = drive(config);
        let mut spec = thread("r", Directions::Read, UNIT, units * UNIT, 1);
        spec.regions[0].pattern = [0, 1, 2].map(|_| Pattern::Sequential);
        spec.io_limit = Some(units);
        start(&mut m, vec![spec], 1);
        while (m.context.probe.ios.len() as u64) < units {
            m.run(Instant::NEVER, 1);
        }
        units as f64 / m.context.queue.now().since(Instant::ZERO).as_s()
    };
    let alone = 1e6 / SENSE as f64;
    assert!((rate(None) / alone - 1.0).abs() < 0.01);
    // Half a window is one sense of several dies, and is fetched while the other half is read.
    for half in [2, 4] {
        let ratio = rate(ahead(2 * half, 1, 1)) / (alone * f64::from(half));
        assert!((0.98..=2.0).contains(&ratio), "windows of {}: {ratio}", 2 * half);
    }
}

#[test]
fn it_follows_so_many_streams_and_no_more() {
    let interleaved = |streams: u64| -> Vec<u64> {
        (0..6).flat_map(|i| (0..streams).map(move |stream| stream * 1000 + i)).collect()
    };
    let late = |streams: u64| {
        let took = read(&mut drive(ahead(4, 3, 2)), &interleaved(streams), 100);
        took[took.len() / 2..].to_vec()
    };
    assert!(late(3).iter().all(|&us| us == MEMORY), "{:?}", late(3));
    // The one that has been quiet for longest is forgotten just before it goes on.
    assert!(late(4).iter().all(|&us| us == SENSE), "{:?}", late(4));
}

/// What is read in vain is a window at most, and random reads cost nothing.
#[test]
fn what_is_read_in_vain_is_a_window_at_most() {
    for (units, read_units) in [(4, 9), (8, 30), (32, 5)] {
        let mut m = drive(ahead(units, 1, 2));
        read(&mut m, &(0..read_units).collect::<Vec<_>>(), 100);
        let vain = senses(&m) - read_units;
        assert!(vain > 0 && vain <= u64::from(units), "{vain} of a window of {units}");
    }
    let mut m = drive(ahead(8, 4, 2));
    let scattered: Vec<u64> = (0..50).map(|i| i * 37 % 1000 * 2).collect();
    assert!(read(&mut m, &scattered, 100).iter().all(|&us| us == SENSE));
    assert_eq!(senses(&m), 50);
}

/// A unit that was written since it was read ahead comes from where it is now.
#[test]
fn what_was_written_since_is_not_taken_from_memory() {
    let mut m = drive(ahead(4, 1, 2));
    assert_eq!(read(&mut m, &[0, 1, 2], 100), [SENSE, SENSE, MEMORY]);
    m.issue(command(Op::Write, 3 * UNIT, UNIT));
    m.run(Instant::NEVER, 100_000);
    // The other units of the window still come from memory.
    assert_eq!(read(&mut m, &[3, 4], 100), [SENSE, MEMORY]);
}
