//! Commands in a closed loop on one device, and what came of them.

use engine::{Bandwidth, Duration, Energy, Instant, Power};
use iopath::device::disk::Disk;
use iopath::device::disk::{
    ArmConfig, DiskBufferConfig, DiskConfig, DiskPowerConfig, DiskQueueConfig, PlatterConfig,
};
use iopath::device::flash::config::LinkConfig;
use iopath::device::xpoint::{XPoint, XPointConfig, XPointPowerConfig};
use iopath::kernel::command::{Command, CommandId, Op, Status};
use iopath::kernel::probe::Probe;
use iopath::machine::{Machine, Node};

/// What came back. One type for many tests: each one that a machine is built with is compiled.
#[derive(Default)]
pub struct Seen {
    /// Name, status, end, and how long it took.
    pub ends: Vec<(u32, Status, Instant, Duration)>,
    /// Name and what a read found.
    pub reads: Vec<(u32, Vec<u32>)>,
    /// Units of flash drives that reads met, and what was in them.
    pub units: Vec<(u64, u32)>,
}

impl Probe<u32> for Seen {
    fn command_done(&mut self, _id: CommandId, command: &Command<u32>, now: Instant) {
        let took = now.since(command.submitted);
        self.ends.push((command.tag, command.status, now, took));
    }

    fn data_read(&mut self, command: &Command<u32>, units: &[u32]) {
        self.reads.push((command.tag, units.to_vec()));
    }

    fn unit_read(&mut self, unit: u64, payload: u32) {
        self.units.push((unit, payload));
    }
}

pub type Bench = Machine<u32, Seen>;

/// A command with a name, which is also what it writes.
pub fn ask(tag: u32, op: Op, start: u64, len: u64) -> Command<u32> {
    Command { tag, payload: tag, ..Command::new(op, start, len as u32) }
}

/// Keeps `depth` commands in flight until `count` have ended; returns how long that took.
pub fn keep(
    machine: &mut Bench,
    target: u16,
    depth: usize,
    count: usize,
    mut next: impl FnMut(u32) -> Command<u32>,
) -> Duration {
    let begun = machine.context.queue.now();
    let (mut issued, before) = (0, machine.context.probe.ends.len());
    loop {
        let ended = machine.context.probe.ends.len() - before;
        if ended >= count {
            return machine.context.queue.now().since(begun);
        }
        while issued < count && issued - ended < depth {
            machine.issue(Command { target, ..next(issued as u32) });
            issued += 1;
        }
        machine.run(Instant::NEVER, 1);
    }
}

fn sata() -> LinkConfig {
    let rate = Bandwidth::from_base(552_000_000);
    LinkConfig {
        down: rate,
        up: rate,
        queue_limit: 32,
        half_duplex: true,
        command_latency: Duration::from_us(2),
        completion_latency: Duration::from_us(3),
        jitter: None,
    }
}

/// 2 TB at 7200 turns a minute.
pub fn disk_config() -> DiskConfig {
    DiskConfig {
        name: "disk".to_owned(),
        user_bytes: 2_000_398_934_016,
        platters: PlatterConfig {
            heads: 4,
            zones: 30,
            turn: Duration::from_s(60).scaled(1, 7200),
            outer: Bandwidth::from_base(200_000_000),
            inner: Bandwidth::from_base(100_000_000),
        },
        arm: ArmConfig {
            track_to_track: Duration::from_us(800),
            settle: Duration::from_ms(2),
            average: Duration::from_us(8_500),
            full_stroke: Duration::from_us(14_700),
            write_settle: Duration::from_ms(1),
            head_switch: Duration::from_us(800),
        },
        buffer: DiskBufferConfig {
            read_bytes: 32 << 20,
            segments: 16,
            read_ahead: 2 << 20,
            write_cache: true,
            write_bytes: 32 << 20,
            write_entries: 64,
        },
        queue: DiskQueueConfig { reorder: true, age_limit: Duration::from_s(1) },
        link: sata(),
        command_cost: Duration::from_us(50),
        power: DiskPowerConfig {
            idle: Power::from_base(4_400_000),
            seek: Power::from_base(2_000_000),
            transfer: Power::from_base(2_000_000),
        },
    }
}

/// A disk alone.
pub fn disk(config: DiskConfig) -> (Bench, u16) {
    let mut machine = Machine::new(Seen::default());
    let at = machine.add(|node| Node::Disk(Box::new(Disk::new(config, 1, node))));
    (machine, at)
}

/// The module of 16 GB with `dies` 1, of 32 GB with 2.
pub fn xpoint_config(dies: u32) -> XPointConfig {
    let of = |one: u64, two: u64| if dies == 1 { one } else { two };
    let rate = Bandwidth::from_base(1_630_000_000);
    XPointConfig {
        name: "xpoint".to_owned(),
        user_bytes: u64::from(dies) * 14_403_239_936,
        dies,
        die_read: Bandwidth::from_base(900_000_000),
        die_write: Bandwidth::from_base(145_000_000),
        read_interval: Duration::from_ns(of(5_260, 4_170)),
        write_interval: Duration::from_ns(of(28_570, 15_380)),
        overhead: Duration::from_us(3),
        data_path: Bandwidth::from_base(of(950_000_000, 1_350_000_000)),
        link: LinkConfig {
            down: rate,
            up: rate,
            queue_limit: u32::MAX,
            half_duplex: false,
            command_latency: Duration::from_us(1),
            completion_latency: Duration::ZERO,
            jitter: None,
        },
        endurance_bytes: 182_500_000_000_000,
        power: XPointPowerConfig {
            idle: Power::from_base(1_000_000),
            read_per_byte: Energy::from_base(1_850),
            write_per_byte: Energy::from_base(8_600),
        },
    }
}

/// A module alone.
pub fn xpoint(config: XPointConfig) -> (Bench, u16) {
    let mut machine = Machine::new(Seen::default());
    let at = machine.add(|node| Node::XPoint(Box::new(XPoint::new(config, 1, node))));
    (machine, at)
}
