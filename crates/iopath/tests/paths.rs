//! The path to a drive: what it adds, what it delays, and that it carries data in both directions.

use crate::common::media::Seen;
use crate::common::{command, config, geometry};
use engine::{Bandwidth, Duration, Instant};
use iopath::device::flash::config::DriveConfig;
use iopath::host::path::PathConfig;
use iopath::kernel::command::{Command, Op, Status};
use iopath::kernel::shared::PipeConfig;
use iopath::machine::Machine;
use iopath::machine::system::{NodeSpec, SystemSpec};

fn flash() -> DriveConfig {
    config(geometry(), 1.3)
}

fn system(config: PathConfig, pipes: Vec<PipeConfig>) -> (Machine<u32, Seen>, u16, u16) {
    let nodes = vec![
        NodeSpec::Flash(Box::new(flash())),
        NodeSpec::Path { config: config.clone(), below: 0 },
    ];
    let spec = SystemSpec { nodes, pipes, pools: vec![1], ..SystemSpec::default() };
    let mut machine = Machine::new(Seen::default());
    let built = spec.build(&mut machine, 1);
    (machine, built.top, built.addresses[0])
}

fn ask(target: u16, tag: u32, op: Op, start: u64, len: u64) -> Command<u32> {
    Command { target, tag, payload: tag, ..command(op, start, len) }
}

#[test]
fn a_way_adds_its_latency_and_carries_the_data() {
    let alone = {
        let (mut machine, top, _) = system(PathConfig::default(), Vec::new());
        machine.issue(ask(top, 7, Op::Write, 0, 8192));
        machine.drain();
        machine.issue(ask(top, 8, Op::Read, 0, 8192));
        let begun = machine.context.queue.now();
        machine.drain();
        assert_eq!(machine.context.probe.reads, [(8, vec![7, 7])]);
        machine.context.probe.ends[1].2.since(begun)
    };
    let (submit, complete) = (Duration::from_us(3), Duration::from_us(9));
    let config = PathConfig { submit, complete, ..PathConfig::default() };
    let (mut machine, top, _) = system(config, Vec::new());
    machine.issue(ask(top, 7, Op::Write, 0, 8192));
    machine.drain();
    machine.issue(ask(top, 8, Op::Read, 0, 8192));
    let begun = machine.context.queue.now();
    machine.drain();
    assert_eq!(machine.context.probe.ends[1].2.since(begun), alone + submit + complete);
}

/// 64 reads of 64 KiB through a pipe of 100 MB/s take 64 x 65536 / 100e6 = 41.9 ms at least, and
/// the drive alone is many times faster.
#[test]
fn a_shared_pipe_sets_the_pace() {
    let rate = Bandwidth::from_base(100_000_000);
    let config = PathConfig { pipes: vec![0], ..PathConfig::default() };
    let (mut machine, top, _) = system(config, vec![PipeConfig { down: rate, up: rate }]);
    for i in 0..64 {
        machine.issue(ask(top, i, Op::Read, u64::from(i) * 65536, 65536));
    }
    machine.drain();
    let end = machine.context.probe.ends.iter().map(|end| end.2).max().unwrap();
    // The first transfer streams through while the drive sends it.
    let least = rate.time_for(63 * 65536);
    let took = end.since(Instant::ZERO);
    assert!(took >= least && took < least + rate.time_for(2 * 65536), "{took:?}");
}

#[test]
fn a_processor_takes_commands_one_after_the_other() {
    let cost = Duration::from_ms(1);
    let config = PathConfig { processor: Some((0, cost)), ..PathConfig::default() };
    let (mut machine, top, _) = system(config, Vec::new());
    for i in 0..10 {
        machine.issue(ask(top, i, Op::Read, u64::from(i) * 4096, 4096));
    }
    machine.drain();
    let ends: Vec<Instant> = machine.context.probe.ends.iter().map(|end| end.2).collect();
    let gaps = ends.windows(2).map(|pair| pair[1].since(pair[0]));
    assert!(gaps.into_iter().all(|gap| gap == cost), "{ends:?}");
}

#[test]
fn a_power_cut_ends_what_is_under_way_and_nothing_is_answered_twice() {
    let submit = Duration::from_us(50);
    let config = PathConfig { submit, ..PathConfig::default() };
    for after_us in [0, 10, 49, 50, 60, 100, 500, 5000] {
        let (mut machine, top, _) = system(config.clone(), Vec::new());
        for i in 0..8 {
            machine.issue(ask(top, i, Op::Write, u64::from(i) * 4096, 4096));
        }
        machine.run_to(Instant::ZERO + Duration::from_us(after_us));
        machine.power_cut_all();
        machine.issue(ask(top, 99, Op::Read, 0, 4096));
        machine.drain();
        let ends = &machine.context.probe.ends;
        assert_eq!(ends.len(), 9, "after {after_us} us");
        assert_eq!(ends.iter().filter(|end| end.0 == 99).map(|end| end.1).next(), Some(Status::Ok));
        assert_eq!(machine.context.commands.outstanding(), 0);
    }
}

#[test]
fn a_way_that_fails_and_a_drive_that_fails_end_everything_as_gone() {
    for whole in [false, true] {
        let (mut machine, top, drive) = system(PathConfig::default(), Vec::new());
        for i in 0..8 {
            machine.issue(ask(top, i, Op::Read, u64::from(i) * 4096, 4096));
        }
        machine.fail(if whole { top } else { drive });
        machine.issue(ask(top, 9, Op::Read, 0, 4096));
        machine.drain();
        let ends = &machine.context.probe.ends;
        assert_eq!(ends.len(), 9);
        assert!(ends.iter().all(|end| end.1 == Status::DeviceGone));
        assert_eq!(machine.context.commands.outstanding(), 0);
    }
}
