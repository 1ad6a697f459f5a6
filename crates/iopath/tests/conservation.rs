//! What goes in comes out: every byte programmed has a cause, every joule a use, every command
//! its time; and the same seed gives the same machine, picosecond by picosecond.
use iopath::kernel::Device;

use crate::common::random::{cases, drives};
use crate::common::*;
use proptest::prelude::*;

/// A busy mix of everything on a random drive, brought to rest.
fn busy(c: &DriveConfig, seed: u64, ios: u64) -> Machine<(), Times> {
    let mut m = seeded::<(), _>(c.clone(), seed, Times::default());
    let unit = c.unit_bytes();
    let mut mixed = thread("m", Directions::Mixed { read_percent: 40 }, unit, c.user_bytes, 8);
    mixed.io_limit = Some(ios);
    mixed.flush_every = Some(20);
    let mut parts = thread("p", Directions::Write, 512, c.user_bytes, 2);
    parts.io_limit = Some(ios / 4);
    parts.durable_writes = true;
    let mut trims = thread("t", Directions::TrimThenWrite, unit, c.user_bytes, 1);
    trims.io_limit = Some(ios / 8);
    start(&mut m, vec![mixed, parts, trims], seed);
    m.run(Instant::NEVER, 20_000_000);
    assert!(m.drive(0).is_at_rest(), "{}", m.describe());
    m
}

proptest! {
    #![proptest_config(cases(300))]

    /// Host, copies, parity and padding add up to what was programmed and what still waits in
    /// unfinished word lines, to the byte; each command's bytes are counted once.
    #[test]
    fn the_ledger_adds_up(
        c in prop_oneof![drives(Protection::Volatile), drives(Protection::Off)], seed: u64
    ) {
        let m = busy(&c, seed, 300);
        let drive = m.drive(0);
        let unit = c.geometry.unit_bytes as u64;
        let unfinished = drive.ftl().streams().map(|stream| stream.unfinished()).sum::<u32>();
        prop_assert_eq!(
            drive.ftl().ledger().total() * unit,
            drive.nand().counters().program_bytes + unfinished as u64 * unit
        );
        let bytes = |op| {
            // A drive at its end of life refuses writes whole.
            let all = m.context.probe.ios.iter();
            let of_op = all.filter(|io| io.op == op && io.status == Status::Ok);
            of_op.map(|io| io.len as u64).sum::<u64>()
        };
        prop_assert_eq!(drive.health().host_read_bytes, bytes(Op::Read));
        prop_assert_eq!(drive.health().host_write_bytes, bytes(Op::Write));
    }

    /// Energy is the sum over senses, transfers, programs and erases, and idle power over time.
    #[test]
    fn energy_is_the_sum_of_its_uses(mut c in drives(Protection::Protected), seed: u64) {
        c.power.sense = Energy::from_base(7_000_000);
        c.power.transfer_per_byte = Energy::from_base(300);
        c.power.program_per_byte = Energy::from_base(5_000);
        c.power.erase = Energy::from_base(90_000_000);
        c.power.idle = Power::from_base(2_000_000);
        let mut m = machine::<(), _>(c.clone(), Times::default());
        let unit = c.unit_bytes();
        let mut writes = thread("w", Directions::Write, unit, c.user_bytes, 8);
        writes.io_limit = Some(500);
        start(&mut m, vec![writes], seed);
        m.run(Instant::NEVER, 20_000_000);
        let (n, health) = (*m.drive(0).nand().counters(), *m.drive(0).health());
        let uses = n.senses * 7_000_000
            + (n.read_bytes + health.host_write_bytes) * 300
            + n.program_bytes * 5_000
            + n.erases * 90_000_000;
        prop_assert_eq!(n.energy_pj, uses);
        let now = m.context.queue.now();
        let idle = 2_000_000 * now.ps() as u128 / 1_000_000;
        prop_assert_eq!(m.drive(0).energy_pj(now), idle + uses as u128);
    }

    /// The same seed gives the same events at the same times, also beside another machine.
    #[test]
    fn the_same_seed_gives_the_same_picoseconds(c in drives(Protection::Volatile), seed: u64) {
        let times = |m: &Machine<(), Times>| -> Vec<(u64, u64)> {
            let ios = m.context.probe.ios.iter();
            ios.map(|io| (io.issued.ps(), io.completed.ps())).collect()
        };
        let (a, b) = (busy(&c, seed, 200), busy(&c, seed, 200));
        prop_assert_eq!(a.context.queue.events_done(), b.context.queue.events_done());
        prop_assert_eq!(times(&a), times(&b));
        prop_assert_eq!(a.drive(0).nand().counters(), b.drive(0).nand().counters());
        let other = busy(&c, seed ^ 1, 200);
        prop_assert_ne!(times(&a), times(&other));
    }
}

/// Two machines, run in turns a few events at a time, go as they would alone.
#[test]
fn two_machines_side_by_side_do_not_meet() {
    let c = config(Geometry { dies: 4, channels: 2, ..geometry() }, 1.3);
    let make = |seed| {
        let mut m = seeded::<(), _>(c.clone(), seed, Times::default());
        prepare(&mut m, DriveState::Steady(0.9));
        let mixed = Directions::Mixed { read_percent: 50 };
        let mut load = thread("m", mixed, 4096, c.user_bytes, 8);
        load.io_limit = Some(2000);
        start(&mut m, vec![load], seed);
        m
    };
    let mut alone: Vec<_> = [1, 2].map(make).into_iter().collect();
    alone.iter_mut().for_each(|m| {
        m.run(Instant::NEVER, u64::MAX);
    });
    let mut turns: Vec<_> = [1, 2].map(make).into_iter().collect();
    for i in 0..100_000 {
        turns[i % 2].run(Instant::NEVER, 1 + i as u64 % 7);
    }
    for (a, b) in alone.iter().zip(&turns) {
        assert_eq!(a.context.queue.events_done(), b.context.queue.events_done());
        let ends = |m: &Machine<(), Times>| -> Vec<u64> {
            m.context.probe.ios.iter().map(|io| io.completed.ps()).collect()
        };
        assert_eq!(ends(a), ends(b));
    }
}

/// Little's law, exactly: outstanding I/Os summed over time are the I/Os' times summed.
#[test]
fn outstanding_over_time_is_the_sum_of_residence() {
    #[derive(Default)]
    struct Area {
        outstanding: u64,
        since: u64,
        area: u128,
        residence: u128,
    }
    impl Area {
        fn step(&mut self, now: Instant, change: i64) {
            self.area += self.outstanding as u128 * (now.ps() - self.since) as u128;
            self.since = now.ps();
            self.outstanding = self.outstanding.checked_add_signed(change).unwrap();
        }
    }
    impl Probe<()> for Area {
        fn io_issued(&mut self, _thread: u32, now: Instant) {
            self.step(now, 1);
        }
        fn io_done(&mut self, io: &IoDone) {
            self.step(io.completed, -1);
            self.residence += io.completed.since(io.issued).ps() as u128;
        }
    }
    let c = config(Geometry { dies: 4, channels: 2, ..geometry() }, 1.3);
    let mut m = machine::<(), _>(c.clone(), Area::default());
    prepare(&mut m, DriveState::Steady(0.9));
    let mixed = Directions::Mixed { read_percent: 50 };
    let mut load = thread("m", mixed, 4096, c.user_bytes, 16);
    load.io_limit = Some(20_000);
    load.flush_every = Some(100);
    start(&mut m, vec![load], 1);
    m.run(Instant::NEVER, u64::MAX);
    let area = &m.context.probe;
    assert_eq!((area.outstanding, area.area), (0, area.residence));
}
