//! What the data of writes adds to reads on the channel that they share: reads go first, but do
//! not break off what is being moved.

use crate::common::*;

/// Sixteen dies on one channel. Programs and erases take no time, so that a read meets writes on
/// the channel only.
fn drive(slice: Option<u64>) -> DriveConfig {
    let g = Geometry {
        dies: 16,
        planes: 4,
        page_bytes: 16384,
        pages_per_wl: 3,
        rows: 48,
        groups_per_lane: 32,
        ..geometry()
    };
    let mut c = config(g, 1.5);
    c.nand.bus = Bandwidth::from_base(1_100_000_000);
    c.nand.program = vec![Duration::from_ps(1)];
    c.nand.erase = Duration::from_ps(1);
    c.nand.write_burst = slice;
    c
}

/// Mean latency of random reads of 4 KiB that arrive as a Poisson process, in microseconds, beside
/// sequential writes at a rate; and the share of time that the channel moves anything.
fn read_latency(c: &DriveConfig, write_rate: u64) -> (f64, f64) {
    let mut m = machine::<(), _>(c.clone(), Times::default());
    prepare(&mut m, DriveState::Filled);
    let mut reads = thread("r", Directions::Read, 4096, c.user_bytes, 64);
    reads.rate = [Some(iopath::host::workload::Rate::Ios(2_000)); 3];
    reads.rate_process = RateProcess::Poisson;
    let mut writes = thread("w", Directions::Write, 65_536, c.user_bytes / 65_536 * 65_536, 64);
    writes.regions[0].pattern = [0, 1, 2].map(|_| Pattern::Sequential);
    writes.rate = [Some(iopath::host::workload::Rate::Bytes(write_rate)); 3];
    let threads = if write_rate > 0 { vec![reads, writes] } else { vec![reads] };
    let end = at_us(10_000_000);
    start(&mut m, threads, 7);
    m.run_to(end);
    let busy = m.drive(0).nand().counters().bus_busy_ps as f64 / 10e12;
    (mean(&m.context.probe.latencies(Op::Read)) * 1e6, busy)
}

/// A read finds the channel moving a slice of `s` seconds with the probability `rho` that it does,
/// and waits for the rest of it, half on average: `rho s / 2` (the residual of M/G/1 with priority,
/// Kleinrock 1976, 3.4). Writes behind it do not matter.
#[test]
fn a_read_waits_for_half_a_slice_as_often_as_one_is_moved() {
    let (quiet, reading) = read_latency(&drive(None), 0);
    let word_line: u64 = 3 * 4 * 16_384;
    for (slice, rate) in [
        (None, 350_000_000),
        (Some(65_536), 350_000_000),
        (Some(word_line), 100_000_000),
        (Some(word_line), 350_000_000),
    ] {
        let (beside, busy) = read_latency(&drive(slice), rate);
        let rho = busy - reading;
        let s = slice.unwrap_or(16_384) as f64 / 1_100.0;
        let (added, expected) = (beside - quiet, rho * s / 2.0);
        let off = (added - expected).abs();
        assert!(off < 0.05 * expected + 0.05, "{slice:?} {rate}: {added} us, theory {expected}");
    }
}

/// The piece that is moved is the slice or what is left of the word line, whatever is less.
#[test]
fn a_slice_is_never_more_than_the_word_line() {
    let word_line: u64 = 3 * 4 * 16_384;
    let at = |slice| read_latency(&drive(Some(slice)), 200_000_000);
    let whole = at(word_line);
    assert_eq!(whole, at(word_line + 1), "one byte more changes nothing");
    assert!(at(word_line - 4096).0 < whole.0, "a page less does");
}
