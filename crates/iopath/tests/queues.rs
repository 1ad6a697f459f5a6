//! Submission queues: which queue gets the controller when the offered load exceeds its capacity.
//!
//! The drive answers reads of units that were never written, so that the core is the only thing
//! that takes time: one command each microsecond.

use crate::common::*;
use iopath::device::queues::{Arbitration, Class, QueueConfig};

const COST_US: u64 = 1;

fn queues(count: u32) -> QueueConfig {
    QueueConfig {
        count,
        depth: u32::MAX,
        slots: u32::MAX,
        burst: 1,
        arbitration: Arbitration::RoundRobin,
    }
}

fn weighted(weights: [u32; 3], classes: &[Class]) -> QueueConfig {
    let arbitration = Arbitration::Weighted { weights, classes: classes.to_vec() };
    QueueConfig { arbitration, ..queues(classes.len() as u32) }
}

fn drive(queues: Option<QueueConfig>) -> DriveConfig {
    let mut c = config(geometry(), 1.3);
    c.controller.read_cost = us(COST_US);
    c.queues = queues;
    c
}

/// Reads at these depths for 20 ms, at depth 0 for no time at all. Returns what every thread got,
/// and its latencies in microseconds once all have begun.
fn run(c: &DriveConfig, state: DriveState, depths: &[u32]) -> (Vec<u64>, Vec<Vec<f64>>) {
    let mut m = machine::<(), _>(c.clone(), Times::default());
    prepare(&mut m, state);
    let threads = depths.iter().map(|&depth| {
        let mut spec = thread("t", Directions::Read, 4096, c.user_bytes / 2, depth.max(1));
        spec.time_limit = Some(us(if depth > 0 { 20_000 } else { 1 }));
        spec
    });
    start(&mut m, threads.collect(), 1);
    m.run(Instant::NEVER, u64::MAX);
    let (from, to) = (at_us(2_000), at_us(18_000));
    let mut counts = vec![0; depths.len()];
    let mut latencies = vec![Vec::new(); depths.len()];
    for io in &m.context.probe.ios {
        if io.completed >= from && io.completed < to {
            counts[io.thread as usize] += 1;
            let took = io.completed.since(io.issued).ps() as f64 / 1e6;
            latencies[io.thread as usize].push(took);
        }
    }
    m.audit();
    (counts, latencies)
}

/// The share of each thread within one command a thousand.
fn assert_shares(counts: &[u64], expected: &[f64]) {
    let (all, sum) = (counts.iter().sum::<u64>() as f64, expected.iter().sum::<f64>());
    assert!((all - 16_000.0).abs() < 20.0, "the core is always busy: {all}");
    for (count, expected) in counts.iter().zip(expected) {
        let share = *count as f64 / all;
        assert!((share - expected / sum).abs() < 1e-3, "{counts:?}: {expected:?} of {sum}");
    }
}

#[test]
fn without_queues_a_larger_demand_gets_more() {
    let (counts, _) = run(&drive(None), DriveState::Fresh, &[60, 4]);
    assert_shares(&counts, &[60.0, 4.0]);
}

#[test]
fn with_a_queue_each_threads_share_alike_however_deep_they_are() {
    let (counts, _) = run(&drive(Some(queues(2))), DriveState::Fresh, &[1000, 2]);
    assert_shares(&counts, &[1.0, 1.0]);
    let (counts, _) = run(&drive(Some(queues(4))), DriveState::Fresh, &[300, 20, 7, 2]);
    assert_shares(&counts, &[1.0; 4]);
    // Three threads on two queues: the first and the third share one.
    let (counts, _) = run(&drive(Some(queues(2))), DriveState::Fresh, &[30, 20, 30]);
    assert_shares(&counts, &[1.0, 2.0, 1.0]);
}

/// Thread 256 is in queue 256 modulo 3, with thread 1, although no drive has that many queues.
#[test]
fn threads_beyond_the_most_queues_go_round_too() {
    let mut depths = [0; 257];
    (depths[0], depths[1], depths[256]) = (30, 20, 20);
    let (counts, _) = run(&drive(Some(queues(3))), DriveState::Fresh, &depths);
    assert_shares(&[counts[0], counts[1], counts[256]], &[2.0, 1.0, 1.0]);
}

#[test]
fn classes_share_as_their_weights() {
    use Class::*;
    for weights in [[8, 4, 2], [5, 3, 1], [1, 1, 1], [100, 10, 1]] {
        let config = weighted(weights, &[Low, High, Medium]);
        let (counts, _) = run(&drive(Some(config)), DriveState::Fresh, &[200, 150, 150]);
        let [high, medium, low] = weights.map(f64::from);
        assert_shares(&counts, &[low, high, medium]);
    }
}

/// An urgent command waits for the one that has the core, and for no other.
#[test]
fn an_urgent_queue_goes_before_all() {
    let config = weighted([16, 1, 1], &[Class::High, Class::Urgent]);
    let (_, latencies) = run(&drive(Some(config)), DriveState::Fresh, &[500, 1]);
    let longest = latencies[1].iter().copied().fold(0.0, f64::max);
    assert!(longest <= 2.0 * COST_US as f64, "{longest}");
    let low = weighted([16, 1, 1], &[Class::High, Class::Low]);
    let (_, latencies) = run(&drive(Some(low)), DriveState::Fresh, &[500, 1]);
    assert!((mean(&latencies[1]) - 17.0).abs() < 0.1, "sixteen others, then its own");
}

/// A thread with one command at a time finds the burst of the other begun each time.
#[test]
fn a_burst_is_what_a_shallow_queue_waits_for() {
    for burst in [1, 4, 16, 64] {
        let config = QueueConfig { burst, ..queues(2) };
        let (counts, latencies) = run(&drive(Some(config)), DriveState::Fresh, &[500, 1]);
        assert_shares(&counts, &[burst as f64, 1.0]);
        let expected = (burst + 1) as f64;
        assert!((mean(&latencies[1]) - expected).abs() < 0.05, "{burst}: {}", mean(&latencies[1]));
    }
}

/// Commands that take 100 us each and do not wait for each other: the number in flight is rate
/// times time.
#[test]
fn a_queue_and_a_controller_have_room_for_so_many_commands() {
    let delay = |queues| {
        let mut c = drive(Some(queues));
        c.controller.read_cost = Duration::ZERO;
        c.controller.buffer_read = us(100);
        c
    };
    for (depth, asked) in [(7, 6), (7, 7), (7, 8), (1, 2)] {
        let config = QueueConfig { depth, ..queues(3) };
        let (_, latencies) = run(&delay(config), DriveState::Fresh, &[asked, 3]);
        let expected = 100.0 * (asked as f64 / depth as f64).max(1.0);
        assert!((mean(&latencies[0]) - expected).abs() < 0.5, "{depth} {asked}");
        assert!((mean(&latencies[1]) - 100.0 * (3.0 / depth as f64).max(1.0)).abs() < 2.0);
    }
    for (slots, asked) in [(9, 8), (9, 9), (9, 10)] {
        let config = QueueConfig { slots, ..queues(1) };
        let (_, latencies) = run(&delay(config), DriveState::Fresh, &[asked - 2, 2]);
        let all = [&latencies[0][..], &latencies[1]].concat();
        let expected = 100.0 * (asked as f64 / slots as f64).max(1.0);
        assert!((mean(&all) - expected).abs() < 0.5, "{slots} {asked}: {}", mean(&all));
    }
}

/// One die that senses for 50 us. What a controller has taken waits at the die in the order in
/// which it came, so only its slots keep a deep queue from filling the die's queue.
#[test]
fn slots_keep_a_deep_queue_from_filling_the_flash() {
    let wait = |slots| {
        let config = QueueConfig { slots, ..queues(2) };
        let (_, latencies) = run(&drive(Some(config)), DriveState::Filled, &[100, 1]);
        mean(&latencies[1])
    };
    // Its own sense, those of the slots before it, and less than one of what is sensed now.
    for slots in [2, 4, 8] {
        let expected = 50.0 * slots as f64;
        let waited = wait(slots);
        assert!((waited / expected - 1.0).abs() < 0.55, "{slots}: {waited}");
    }
    assert!(wait(u32::MAX) > 4000.0, "with slots for all it waits for a hundred senses");
}

/// Slots that are never short: the arbiter chooses, and nothing else differs.
#[test]
fn one_queue_gives_the_results_of_none() {
    let outcome = |queues| {
        let mut c = config(geometry(), 1.2);
        c.controller.read_cost = Duration::from_ns(2_003);
        c.controller.write_cost = Duration::from_ns(3_001);
        c.link.command_latency = Duration::from_ns(1_009);
        c.queues = queues;
        let mut m = machine::<(), _>(c.clone(), Times::default());
        prepare(&mut m, DriveState::Steady(1.0));
        let mut mixed = thread("m", Directions::Mixed { read_percent: 60 }, 4096, c.user_bytes, 16);
        mixed.io_limit = Some(4000);
        let mut reads = thread("r", Directions::Read, 8192, c.user_bytes, 5);
        reads.io_limit = Some(3000);
        start(&mut m, vec![mixed, reads], 5);
        m.run(Instant::NEVER, u64::MAX);
        m.audit();
        let ios = &m.context.probe.ios;
        ios.iter().map(|io| (io.thread, io.start, io.issued, io.completed)).collect::<Vec<_>>()
    };
    let none = outcome(None);
    assert_eq!(none.len(), 7000);
    assert!(none == outcome(Some(queues(1))), "one queue without limits is no queue");
    let unlimited = QueueConfig { slots: 1_000_000, ..queues(1) };
    assert!(none == outcome(Some(unlimited)), "the arbiter keeps the order of one queue");
}
