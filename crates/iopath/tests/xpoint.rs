//! 3D XPoint: what its dies, its controller and its link allow, and that it keeps what it said.
use iopath::kernel::Device;

use crate::common::media::{ask, keep, xpoint, xpoint_config};
use engine::{Duration, Instant, Stream};
use iopath::kernel::command::{Command, Op, Status};
use proptest::prelude::*;

const KIB: u64 = 1024;

/// One read or write of 4 KiB: 1 us of command, 3 us of controller, and 4096 B over what all dies
/// together read or write.
#[test]
fn at_queue_depth_one_a_command_takes_overhead_and_media_time() {
    for (dies, op, ns) in
        [(1, Op::Read, 8_551), (1, Op::Write, 32_248), (2, Op::Read, 6_276), (2, Op::Write, 18_124)]
    {
        let mut config = xpoint_config(dies);
        // A wire that is no slower than two dies.
        config.link.up = engine::Bandwidth::from_base(2_000_000_000);
        let (mut machine, at) = xpoint(config);
        keep(&mut machine, at, 1, 100, |i| ask(i, op, u64::from(i) * 4 * KIB, 4 * KIB));
        for (_, status, _, took) in &machine.context.probe.ends {
            assert_eq!(*status, Status::Ok);
            assert!(took.ns().abs_diff(ns) <= 1, "{dies} {op:?}: {} ns", took.ns());
        }
    }
}

/// Rates: 190 and 240 thousand reads a second by the controller, 35 and 65 thousand writes.
#[test]
fn the_controller_limits_commands() {
    for (dies, op, interval) in [
        (1, Op::Read, 5.26e-6),
        (1, Op::Write, 28.57e-6),
        (2, Op::Read, 4.17e-6),
        (2, Op::Write, 15.38e-6),
    ] {
        let (mut machine, at) = xpoint(xpoint_config(dies));
        let mut stream = Stream::new(1, "places");
        let count = 20_000;
        let took = keep(&mut machine, at, 32, count, |i| {
            ask(i, op, stream.below(3_000_000) * 4 * KIB, 4 * KIB)
        });
        let rate = count as f64 / took.as_s() * interval;
        assert!((rate - 1.0).abs() < 0.003, "{dies} dies {op:?}: {rate} of the limit");
    }
}

/// Long transfers: the dies (900 and 145 MB/s each), or what the controller passes on.
#[test]
fn the_slowest_of_dies_and_data_path_sets_the_rate() {
    for (dies, op, rate) in
        [(1, Op::Read, 900e6), (2, Op::Read, 1350e6), (1, Op::Write, 145e6), (2, Op::Write, 290e6)]
    {
        let (mut machine, at) = xpoint(xpoint_config(dies));
        let (block, count) = (128 * KIB, 4000);
        let took = keep(&mut machine, at, 8, count, |i| ask(i, op, u64::from(i) * block, block));
        let seen = count as f64 * block as f64 / took.as_s();
        assert!((seen / rate - 1.0).abs() < 0.002, "{dies} dies {op:?}: {seen}");
    }
}

#[test]
fn wear_and_energy_follow_the_bytes() {
    let (mut machine, at) = xpoint(xpoint_config(1));
    keep(&mut machine, at, 4, 1000, |i| ask(i, Op::Write, u64::from(i) * 4 * KIB, 4 * KIB));
    // A part of a unit costs a whole one, which is read first.
    keep(&mut machine, at, 1, 1, |i| ask(i, Op::Write, 512, 512));
    keep(&mut machine, at, 4, 500, |i| ask(i, Op::Read, u64::from(i) * 4 * KIB, 4 * KIB));
    let iopath::machine::Node::XPoint(module) = machine.node(at) else { panic!() };
    assert_eq!(module.media_written(), 1001 * 4096);
    assert_eq!(module.health().host_write_bytes, 1000 * 4096 + 512);
    assert_eq!(module.health().modify_bytes, 4096);
    let now = machine.context.queue.now();
    let idle = now.ps() as f64 * 1e-12;
    let joules = idle + 1001.0 * 4096.0 * 8.6e-9 + 501.0 * 4096.0 * 1.85e-9;
    assert!((module.energy_pj(now) as f64 / 1e12 / joules - 1.0).abs() < 1e-6);
    machine.audit();
}

#[test]
fn used_life_is_written_over_rated() {
    let mut config = xpoint_config(1);
    config.endurance_bytes = 1 << 30;
    let (mut machine, at) = xpoint(config);
    let block = 1 << 20;
    keep(&mut machine, at, 1, 256, |i| ask(i, Op::Write, u64::from(i) * block, block));
    let iopath::machine::Node::XPoint(module) = machine.node(at) else { panic!() };
    assert_eq!(module.used_ppm(), 250_000);
}

proptest! {
    #![proptest_config(crate::common::random::cases(256))]
    /// Whatever was acknowledged is there after a power loss at any time.
    #[test]
    fn nothing_acknowledged_is_lost(seed in 0u64..1000, cut_us in 1u64..3000, depth in 1usize..8) {
        let (mut machine, at) = xpoint(xpoint_config(2));
        let mut stream = Stream::new(seed, "writes");
        let mut asked = Vec::new();
        for i in 0..100u32 {
            let (start, len) = (stream.below(16), 1 + stream.below(4));
            asked.push((start, len));
            let command = ask(i + 1, Op::Write, start * 4096, len * 4096);
            machine.issue(Command { target: at, ..command });
            if i as usize >= depth {
                let end = machine.context.queue.now() + Duration::from_us(20);
                machine.run_to(end);
            }
            if machine.context.queue.now() > Instant::ZERO + Duration::from_us(cut_us) {
                break;
            }
        }
        prop_assert_eq!(machine.power_cut(at), 0);
        machine.drain();
        // The media does one command after another, so the last acknowledged write of a unit
        // counts.
        let mut promised = [0u32; 20];
        for &(tag, status, _, _) in &machine.context.probe.ends {
            let (start, len) = asked[tag as usize - 1];
            if status == Status::Ok {
                promised[start as usize..(start + len) as usize].fill(tag);
            }
        }
        machine.issue(Command { target: at, ..ask(9999, Op::Read, 0, 20 * 4096) });
        machine.drain();
        let (_, units) = machine.context.probe.reads.pop().unwrap();
        prop_assert_eq!(units, promised.to_vec());
    }
}

#[test]
fn a_dead_module_answers_so() {
    let (mut machine, at) = xpoint(xpoint_config(1));
    machine.issue(Command { target: at, ..ask(1, Op::Read, 0, 4096) });
    machine.fail(at);
    machine.issue(Command { target: at, ..ask(2, Op::Read, 0, 4096) });
    machine.drain();
    let ends: Vec<_> = machine.context.probe.ends.iter().map(|end| (end.0, end.1)).collect();
    assert_eq!(ends, [(1, Status::DeviceGone), (2, Status::DeviceGone)]);
}
