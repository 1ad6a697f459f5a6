//! Which writes enter a full write buffer, and how writes are slowed before the reserve of free
//! space is reached.

use crate::common::*;
use iopath::device::flash::geometry::Layout;

/// One die that programs a page of 4 KiB in 500 us, behind a buffer of 32 of them.
fn drive(admission: Admission) -> DriveConfig {
    let mut c = config(geometry(), 2.0);
    c.nand.erase = Duration::from_ns(1);
    c.buffer.units = 32;
    c.buffer.admission = admission;
    c
}

/// Writes of these lengths in mapping units, all at time 0. Returns when each was acknowledged, in
/// programs of a page; the link takes next to nothing.
fn acknowledged(c: &DriveConfig, writes: &[u64]) -> Vec<f64> {
    let mut m = machine::<(), _>(c.clone(), Times::default());
    let mut at = 0;
    for (i, &units) in writes.iter().enumerate() {
        let write = Command { tag: i as u32, ..command(Op::Write, at * 4096, units * 4096) };
        m.issue(write);
        at += units;
    }
    m.run(Instant::NEVER, u64::MAX);
    m.audit();
    let mut done = vec![0.0; writes.len()];
    for &(tag, at) in &m.context.probe.commands {
        done[tag as usize] = (at.since(Instant::ZERO).as_s() / 500e-6).round();
    }
    done
}

/// A page leaves the buffer with each program.
#[test]
fn without_a_policy_writes_get_in_one_after_the_other() {
    assert_eq!(acknowledged(&drive(Admission::default()), &[32, 1]), [0.0, 1.0]);
    assert_eq!(acknowledged(&drive(Admission::default()), &[100, 1, 1]), [68.0, 69.0, 70.0]);
}

/// The first write fills what all use, 24 of 32 pages, and waits. Eight pages are kept: so many
/// small writes are acknowledged at once, and the ninth is not.
#[test]
fn small_writes_pass_a_large_one_into_what_is_kept_for_them() {
    let kept = Admission { small_bytes: 4096, kept_units: 8, ..Admission::default() };
    let done = acknowledged(&drive(kept), &[100, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
    assert!(done[1..9].iter().all(|&at| at == 0.0), "{done:?}");
    assert!(done[9] >= 1.0 && done[9] <= 5.0, "a page in four frees a kept one: {done:?}");
    // The large write still gets its share: 24 pages at once, and three of four after that.
    assert!(done[0] >= 76.0 && done[0] <= 86.0, "{done:?}");
    // A write of two pages is not small: it waits for the first.
    let done = acknowledged(&drive(kept), &[100, 2]);
    assert!(done[1] > done[0], "{done:?}");
}

/// Small writes without end do not starve a large one.
#[test]
fn neither_kind_starves_the_other() {
    let kept = Admission { small_bytes: 4096, kept_units: 8, ..Admission::default() };
    let c = drive(kept);
    let mut m = machine::<(), _>(c.clone(), Times::default());
    let small = thread("small", Directions::Write, 4096, c.user_bytes / 2, 64);
    let large = thread("large", Directions::Write, 131_072, c.user_bytes / 2, 2);
    let threads = [small, large].map(|spec| ThreadSpec { time_limit: Some(us(400_000)), ..spec });
    start(&mut m, threads.to_vec(), 3);
    m.run(Instant::NEVER, u64::MAX);
    let mut bytes = [0u64; 2];
    m.context.probe.ios.iter().for_each(|io| bytes[io.thread as usize] += u64::from(io.len));
    assert!(bytes.iter().all(|&b| b > bytes.iter().sum::<u64>() / 5), "{bytes:?}");
}

/// The first write fills the buffer before the others are there. Then it gets what is left of its
/// turn, and the others have theirs.
#[test]
fn writes_take_turns() {
    let turns = |turn| drive(Admission { turn, ..Admission::default() });
    for (turn, small) in [(1, 2.0), (8, 9.0), (31, 31.0), (32, 33.0), (33, 2.0), (99, 68.0)] {
        let done = acknowledged(&turns(turn), &[100, 1, 1]);
        assert_eq!(done, [70.0, small, small + 1.0], "{turn}");
    }
    // Its last page ends the turn and the write.
    assert_eq!(acknowledged(&turns(100), &[100, 1, 1]), [68.0, 69.0, 70.0]);
    // Two long ones share until the first is in.
    assert_eq!(acknowledged(&turns(1), &[64, 64]), [63.0, 96.0]);
}

/// Uniform random writes over a drive that was filled once: units written until each of `ends`.
fn written(slow_units: u32, ends: &[Instant]) -> Vec<u64> {
    let mut c = config(Geometry { groups_per_lane: 128, ..geometry() }, 1.4);
    c.collection.slow_units = slow_units;
    c.nand.sense = vec![us(5)];
    let mut m = machine::<(), _>(c.clone(), Times::default());
    prepare(&mut m, DriveState::Filled);
    start(&mut m, vec![thread("w", Directions::Write, 4096, c.user_bytes, 8)], 3);
    ends.iter()
        .map(|&end| {
            m.run_to(end);
            m.drive(0).ftl().ledger().host
        })
        .collect()
}

/// The largest ratio of a window's writes to those of the next.
fn steepest(written: &[u64]) -> f64 {
    let rates: Vec<f64> = written.windows(2).map(|w| (w[1] - w[0]) as f64).collect();
    rates.windows(2).map(|w| w[0] / w[1]).fold(0.0, f64::max)
}

#[test]
fn writes_are_slowed_smoothly_from_a_watermark() {
    let ends: Vec<Instant> = (0..60).map(|i| at_us(50_000 * i)).collect();
    let layout = Layout::new(Geometry { groups_per_lane: 128, ..geometry() });
    let spare = 35 * layout.stripe_data_units();
    let (cliff, smooth) = (written(0, &ends), written(spare / 2, &ends));
    // Until half of the spare is used nothing differs.
    let same = cliff.iter().zip(&smooth).take_while(|(a, b)| a == b).count();
    let used = smooth[same] - smooth[0];
    let half = u64::from(spare) / 2;
    assert!(used.abs_diff(half) < half / 4, "slowed after {used} of {spare} spare units");
    let (cliff_step, smooth_step) = (steepest(&cliff), steepest(&smooth));
    assert!(cliff_step > 1.5 && smooth_step < 1.3, "{cliff_step} {smooth_step}: {smooth:?}");
    // In the end both write what collection gains.
    let rate = |w: &[u64]| (w[59] - w[45]) as f64;
    assert!((rate(&smooth) / rate(&cliff) - 1.0).abs() < 0.06, "{cliff:?} {smooth:?}");
}
