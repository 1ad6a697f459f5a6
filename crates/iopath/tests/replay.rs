//! Replays: every recorded I/O is issued once, as recorded, and when its pace says.

use crate::common::*;
use iopath::host::workload::{Arrival, Pace, Recording, Replay};
use iopath::machine::Stop;
use proptest::prelude::*;
use std::sync::Arc;

/// A recording in memory.
#[derive(Clone, Debug)]
struct Tape(Vec<Arrival>);

impl Recording for Tape {
    fn play(&self) -> Box<dyn Iterator<Item = Arrival> + Send> {
        Box::new(self.0.clone().into_iter())
    }
}

fn read(at_us: u64, unit: u64) -> Arrival {
    let (at, think) = (us(at_us), Duration::ZERO);
    Arrival { at, think, op: Op::Read, start: unit * 4096, len: 4096 }
}

/// A filled drive on which `tape` is replayed to its end.
fn replay(tape: Vec<Arrival>, pace: Pace, depth: u32) -> Vec<IoDone> {
    let c = config(Geometry { channels: 4, dies: 16, rows: 32, ..geometry() }, 1.3);
    let length = tape.last().map_or(Duration::ZERO, |last| last.at);
    let mut spec = thread("replay", Directions::Read, 4096, c.user_bytes, depth);
    spec.replay = Some(Box::new(Replay { recording: Arc::new(Tape(tape)), pace, length }));
    let mut m = machine::<(), _>(c, Times::default());
    prepare(&mut m, DriveState::Filled);
    let workload = start(&mut m, vec![spec], 5);
    assert_eq!(m.run(Instant::NEVER, u64::MAX), Stop::Idle);
    assert!(m.workload(workload).is_done(), "{}", m.describe());
    m.drain();
    assert_eq!(m.context.commands.outstanding(), 0);
    m.audit();
    m.context.probe.ios
}

#[test]
fn recorded_times_are_kept_whatever_the_drive_does() {
    // Far more than the drive can do: it falls behind, the arrivals do not.
    let tape: Vec<Arrival> = (0..2000).map(|i| read(i, i * 37 % 500)).collect();
    let mut ios = replay(tape.clone(), Pace::Recorded, 1 << 16);
    ios.sort_by_key(|io| io.issued);
    let issued: Vec<u64> = ios.iter().map(|io| io.issued.ps()).collect();
    let recorded: Vec<u64> = tape.iter().map(|a| a.at.ps()).collect();
    assert_eq!(issued, recorded);
    assert!(ios.iter().any(|io| io.completed.since(io.issued) > us(100)));
}

#[test]
fn a_depth_holds_arrivals_back_but_loses_none() {
    let tape: Vec<Arrival> = (0..500).map(|i| read(i, i)).collect();
    let mut ios = replay(tape, Pace::Recorded, 2);
    ios.sort_by_key(|io| io.issued);
    assert_eq!(ios.len(), 500);
    for (i, pair) in ios.windows(3).enumerate() {
        assert!(pair[2].issued >= pair[0].completed.min(pair[1].completed), "I/O {i}");
    }
}

#[test]
fn the_fastest_replay_at_depth_one_is_the_sum_of_its_latencies() {
    let tape: Vec<Arrival> = (0..100).map(|i| read(1_000_000 * i, i * 7)).collect();
    let ios = replay(tape, Pace::Fastest, 1);
    let sum: u64 = ios.iter().map(|io| io.completed.since(io.issued).ps()).sum();
    assert_eq!(ios[99].completed.ps(), sum);
}

#[test]
fn a_dependent_io_follows_its_pause_after_the_one_before() {
    let mut tape: Vec<Arrival> = (0..50).map(|i| read(i, i * 3)).collect();
    for (i, arrival) in tape.iter_mut().enumerate() {
        arrival.think = us(i as u64 * 10);
    }
    let ios = replay(tape, Pace::Dependent, 1);
    for (i, pair) in ios.windows(2).enumerate() {
        assert_eq!(pair[1].issued.since(pair[0].completed), us((i as u64 + 1) * 10), "I/O {i}");
    }
}

proptest! {
    #![proptest_config(crate::common::random::cases(40))]

    /// What was recorded is what was done: the same I/Os, each once, at any pace and depth.
    #[test]
    fn every_recorded_io_completes_once(
        list in proptest::collection::vec((0..300_u64, 0..4_u8, 0..4000_u64, 1..70_u32), 0..200),
        pace in prop::sample::select(vec![Pace::Recorded, Pace::Fastest, Pace::Dependent]),
        depth in 1..40_u32,
    ) {
        let mut at = Duration::ZERO;
        let tape: Vec<Arrival> = list.iter().map(|&(gap, op, sector, sectors)| {
            let think = us(gap);
            at += think;
            let op = [Op::Read, Op::Write, Op::Trim, Op::Flush][usize::from(op)];
            let (start, len) = if op == Op::Flush { (0, 0) } else { (sector * 512, sectors * 512) };
            Arrival { at, think, op, start, len }
        }).collect();
        let depth = if pace == Pace::Dependent { 1 } else { depth };
        let done = replay(tape.clone(), pace, depth);
        let key = |op: Op, start: u64, len: u32| (op as u8, start, len);
        let mut recorded: Vec<_> = tape.iter().map(|a| key(a.op, a.start, a.len)).collect();
        let mut seen: Vec<_> = done.iter().map(|io| key(io.op, io.start, io.len)).collect();
        recorded.sort_unstable();
        seen.sort_unstable();
        prop_assert_eq!(recorded, seen);
        prop_assert!(done.iter().all(|io| io.status == Status::Ok));
    }
}
