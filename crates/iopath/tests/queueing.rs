//! Queues against closed forms: what one read takes, what saturates, and how long reads wait for
//! the programs beside them.

use crate::common::*;
use iopath::host::workload::Rate;

/// A filled drive and its threads, run until `ios` have completed.
fn run(c: DriveConfig, state: DriveState, threads: Vec<ThreadSpec>, ios: usize) -> M {
    let mut m = machine::<(), _>(c, Times::default());
    prepare(&mut m, state);
    start(&mut m, threads, 5);
    while m.context.probe.ios.len() < ios {
        assert_eq!(m.run(Instant::NEVER, 1000), iopath::machine::Stop::Events, "{}", m.describe());
    }
    m
}

type M = Machine<(), Times>;

fn seconds(m: &M) -> f64 {
    m.context.queue.now().ps() as f64 / 1e12
}

/// Completed I/Os a second since the start.
fn rate(m: &M) -> f64 {
    m.context.probe.ios.len() as f64 / seconds(m)
}

/// Sixteen dies on four channels.
fn wide() -> DriveConfig {
    config(Geometry { channels: 4, dies: 16, rows: 32, ..geometry() }, 1.3)
}

#[test]
fn one_read_takes_the_sum_of_its_chain_exactly() {
    let mut c = wide();
    c.link.command_latency = Duration::from_ns(700);
    c.link.completion_latency = Duration::from_ns(900);
    c.link.up = Bandwidth::from_base(4_096_000_000);
    c.controller.read_cost = us(2);
    c.controller.read_front_end = us(5);
    c.controller.buffer_read = us(3);
    c.nand.bus = Bandwidth::from_base(409_600_000);
    c.nand.transfer_overhead = Duration::from_ns(250);
    c.nand.ecc = us(4);
    let span = c.user_bytes;
    // Command, core, front end, sense, transfer, correction, link (1 us for 4 KiB), completion.
    let flash = 700 + 2_000 + 5_000 + 50_000 + 10_000 + 250 + 4_000 + 1_000 + 900;
    // Nothing was written: no flash, but the same front and the same link.
    let empty = 700 + 2_000 + 5_000 + 3_000 + 1_000 + 900;
    for (state, ns) in [(DriveState::Filled, flash), (DriveState::Fresh, empty)] {
        let reads = thread("reads", Directions::Read, 4096, span, 1);
        let m = run(c.clone(), state, vec![reads], 500);
        for io in &m.context.probe.ios {
            assert_eq!(io.completed.since(io.issued).ps(), ns * 1000);
        }
    }
}

#[test]
fn one_write_takes_core_link_and_acknowledgement() {
    let mut c = wide();
    c.link.down = Bandwidth::from_base(4_096_000_000);
    c.controller.write_cost = us(3);
    c.controller.write_ack = us(10);
    let mut writes = thread("writes", Directions::Write, 8192, c.user_bytes, 1);
    writes.think =
        Some(iopath::host::workload::Think { time: us(1000), every: 1, shifts_rate: false });
    let m = run(c, DriveState::Fresh, vec![writes], 50);
    for io in &m.context.probe.ios {
        assert_eq!(io.completed.since(io.issued), us(3 + 2 + 10));
    }
}

/// Four pages of one die come 50 us apart, and each takes 25 us on the link. Sent as they come, the
/// link works while the die senses; sent when all are there, the link begins where the die ends.
/// What is in the buffer, or alone, waits for nothing.
#[test]
fn data_goes_page_by_page_or_when_all_of_it_is_there() {
    let one_page = [(4096, DriveState::Filled, 75), (16384, DriveState::Fresh, 100)];
    for (whole_reads, four_pages) in [(false, 4 * 50 + 25), (true, 4 * 50 + 4 * 25)] {
        let mut c = config(geometry(), 1.3);
        c.link.up = Bandwidth::from_base(163_840_000);
        c.controller.whole_reads = whole_reads;
        let cases = one_page.clone().into_iter().chain([(16384, DriveState::Filled, four_pages)]);
        for (bytes, state, time) in cases {
            let reads = thread("reads", Directions::Read, bytes, c.user_bytes, 1);
            let m = run(c.clone(), state.clone(), vec![reads], 50);
            for io in &m.context.probe.ios {
                // The bus takes some nanoseconds.
                let whole_us = io.completed.since(io.issued).ps() / 1_000_000;
                assert_eq!(whole_us, time, "{bytes} {state:?}");
            }
        }
    }
}

/// With more than one command the wire is busy with one while the flash works for the others: what
/// waiting costs one command alone, a queue gets back.
#[test]
fn a_queue_hides_that_reads_wait_for_all_of_their_data() {
    let of = |whole_reads: bool, depth: u32| {
        let mut c = wide();
        c.link.up = Bandwidth::from_base(163_840_000);
        c.controller.whole_reads = whole_reads;
        let reads = thread("reads", Directions::Read, 65536, c.user_bytes, depth);
        rate(&run(c, DriveState::Filled, vec![reads], 2000))
    };
    assert!(of(true, 1) < of(false, 1));
    assert!((of(true, 16) / of(false, 16) - 1.0).abs() < 0.01);
}

/// A saturated link moves its bandwidth: data from the flash, from the buffer, unmapped, or to the
/// drive, over one wire or two.
#[test]
fn a_saturated_link_moves_its_bandwidth() {
    for (directions, state, half_duplex) in [
        (Directions::Read, DriveState::Filled, false),
        (Directions::Read, DriveState::Fresh, false),
        (Directions::Write, DriveState::Fresh, false),
        (Directions::Mixed { read_percent: 50 }, DriveState::Filled, true),
    ] {
        let mut c = wide();
        (c.nand.sense, c.nand.program) = (vec![us(1)], vec![us(1)]);
        c.nand.erase = us(1);
        c.nand.ecc = us(5);
        c.controller.buffer_read = us(2);
        c.link.up = Bandwidth::from_base(500_000_000);
        c.link.down = Bandwidth::from_base(500_000_000);
        c.link.half_duplex = half_duplex;
        let load = thread("load", directions, 65536, c.user_bytes, 16);
        let m = run(c, state.clone(), vec![load], 4000);
        let rate = rate(&m) * 65536.0;
        assert!((rate / 5e8 - 1.0).abs() < 0.01, "{directions:?} {state:?}: {rate} B/s");
    }
}

#[test]
fn saturated_cores_serve_one_command_a_cost_each() {
    for cores in [1, 3] {
        let mut c = wide();
        c.controller.cores = cores;
        c.controller.read_cost = us(30);
        let reads = thread("reads", Directions::Read, 4096, c.user_bytes, 64);
        let m = run(c, DriveState::Filled, vec![reads], 20_000);
        let rate = rate(&m);
        assert!((rate / (cores as f64 / 30e-6) - 1.0).abs() < 0.01, "{rate} with {cores} cores");
        // Utilisation law: busy time is throughput times cost.
        let (busy, _, _) = m.drive(0).busy();
        assert!((busy.as_s() / seconds(&m) / cores as f64 - 1.0).abs() < 0.01);
    }
}

/// A device that takes 32 commands (NCQ) gives 32 outstanding to a workload that wants 64: with a
/// latency that does not depend on load, the rate is exactly 32 over the latency.
#[test]
fn a_queue_of_32_serves_32_at_once() {
    for (depth, served) in [(8, 8.0), (32, 32.0), (64, 32.0)] {
        let mut c = wide();
        c.link.queue_limit = 32;
        c.controller.read_front_end = us(90);
        c.controller.buffer_read = us(10);
        let reads = thread("reads", Directions::Read, 4096, c.user_bytes, depth);
        let m = run(c, DriveState::Fresh, vec![reads], 20_000);
        let rate = rate(&m);
        assert!((rate / (served / 100e-6) - 1.0).abs() < 0.01, "depth {depth}: {rate}");
    }
}

/// N random reads outstanding over M dies: at least N/(N+M-1) of the dies' rate (what exponential
/// times would give), at most all of it.
#[test]
fn a_closed_loop_keeps_its_share_of_the_dies_busy() {
    for n in [1u32, 4, 16, 64] {
        let c = wide();
        let reads = thread("reads", Directions::Read, 4096, c.user_bytes, n);
        let m = run(c, DriveState::Filled, vec![reads], 40_000);
        let share = rate(&m) / (16.0 / 50e-6);
        let least = n as f64 / (n as f64 + 15.0);
        assert!(share > least * 0.995 && share < 1.001, "N {n}: {share}, least {least}");
        // Little: outstanding is rate times latency.
        let latency = mean(&m.context.probe.latencies(Op::Read));
        let outstanding = rate(&m) * latency;
        assert!((outstanding / n as f64 - 1.0).abs() < 0.01);
    }
}

/// What rare reads at random times wait for beyond their own 50 us, on one die beside 200 programs
/// of 500 us a second and an erase of 3 ms for each 32 of them. The reads' own service (at 60 a
/// second) adds 0.3 % below 50 us.
fn waits_beside_programs(suspend: impl FnOnce(&mut DriveConfig)) -> Vec<f64> {
    let mut c = config(Geometry { rows: 32, groups_per_lane: 100, ..geometry() }, 1.3);
    suspend(&mut c);
    let span = c.user_bytes;
    let mut writes = thread("writes", Directions::Write, 4096, span / 2, 4);
    writes.regions[0].pattern = [0, 1, 2].map(|_| Pattern::Sequential);
    writes.rate[1] = Some(Rate::Ios(200));
    let mut reads = thread("reads", Directions::Read, 4096, span / 2 / 4096 * 4096, 64);
    reads.regions[0].start = span / 2 / 4096 * 4096;
    reads.rate[0] = Some(Rate::Ios(60));
    reads.rate_process = RateProcess::Poisson;
    let m = run(c, DriveState::Filled, vec![writes, reads], 200_000);
    m.context.probe.latencies(Op::Read).iter().map(|latency| latency - 50e-6).collect()
}

/// Holds the share of waits beyond `w` against a law, within what the sample leaves open and a
/// share of the law.
fn held(waits: &[f64], w: f64, law: f64, error: f64) {
    let n = waits.len() as f64;
    let found = waits.iter().filter(|&&wait| wait > w).count() as f64 / n;
    let doubt = 4.0 * (law * n).sqrt() / n;
    assert!((found - law).abs() < doubt + error * law, "w {w}: {found}, law {law} +- {doubt}");
}

/// P(W > w) is the sum over kinds of rate times max(0, length - w), if none is suspended.
#[test]
fn the_tail_of_rare_reads_is_the_sum_of_what_blocks_them() {
    let waits = waits_beside_programs(|_| ());
    let (programs, erases) = (200.0, 200.0 / 32.0);
    for w in [100e-6, 250e-6, 400e-6, 700e-6, 1500e-6, 2500e-6] {
        let law = programs * f64::max(0.0, 500e-6 - w) + erases * f64::max(0.0, 3000e-6 - w);
        held(&waits, w, law, 0.02);
    }
}

/// The same with suspension: programs block only in their closed window, erases a segment at a
/// time.
#[test]
fn suspension_leaves_the_closed_window_and_the_segment() {
    let waits = waits_beside_programs(|c| {
        c.suspend.enabled = true;
        c.suspend.closed_window = us(200);
        c.suspend.erase_segment = us(600);
    });
    let (programs, segments) = (200.0, 200.0 / 32.0 * 5.0);
    for w in [60e-6, 120e-6, 180e-6, 300e-6, 500e-6] {
        let law = programs * f64::max(0.0, 200e-6 - w) + segments * f64::max(0.0, 600e-6 - w);
        held(&waits, w, law, 0.04);
    }
}

/// A program of length T that stops only between its steps of length S blocks a read until the next
/// step or its end, whichever comes first: P(W > w) is rate times T (1 - w/S) (1 - w/T).
#[test]
fn a_program_that_stops_between_its_steps_blocks_for_one_of_them() {
    let waits = waits_beside_programs(|c| {
        c.suspend.enabled = true;
        c.suspend.latency = us(300);
        c.suspend.erase_segment = us(150);
    });
    let (programs, segments) = (200.0, 200.0 / 32.0 * 20.0);
    for w in [60e-6, 120e-6, 180e-6, 240e-6] {
        let step = 500e-6 * (1.0 - w / 300e-6) * (1.0 - w / 500e-6);
        held(&waits, w, programs * step + segments * f64::max(0.0, 150e-6 - w), 0.04);
    }
}
