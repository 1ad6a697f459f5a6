//! A small drive whose every latency can be added up by hand.

use crate::{Rig, RunOptions, Simulated};
use engine::{Bandwidth, Duration, Energy, Power};
use fio::jobfile::{LoadOptions, parse_str};
use fio::{Diagnostic, JobFile};
use iopath::device::flash::config::*;
use iopath::device::flash::drive::DriveState;
use iopath::device::flash::ftl::victim::VictimPolicy;
use iopath::device::flash::geometry::{Geometry, GroupSpan};
use stats::JobResult;

/// 512 MiB for the host, 640 MiB of flash, 8 dies on 4 channels, protected buffer of 1 MiB.
pub fn config() -> DriveConfig {
    DriveConfig {
        name: "test".to_owned(),
        user_bytes: 512 << 20,
        geometry: geometry(),
        erase_bytes: 2 * 64 * 4096,
        policies: VictimPolicy::Greedy.into(),
        collection: iopath::device::flash::config::CollectionConfig::default(),
        compression: None,
        link: link(),
        queues: None,
        controller: controller(),
        read_ahead: None,
        buffer: buffer(),
        nand: nand(),
        suspend: suspend(),
        programs: ProgramLimits { dies: 8, dies_collecting: 8 },
        cells: None,
        heat: None,
        power: power(),
    }
}

/// Flash of 640 MiB: 8 dies on 4 channels.
fn geometry() -> Geometry {
    Geometry {
        channels: 4,
        dies: 8,
        planes: 2,
        page_bytes: 4096,
        pages_per_wl: 1,
        rows: 64,
        unit_bytes: 4096,
        span: GroupSpan::Superblock,
        groups_per_lane: 160,
        parity_period: 8,
    }
}

/// 2 GB/s both ways.
fn link() -> LinkConfig {
    LinkConfig {
        down: Bandwidth::from_base(2_000_000_000),
        up: Bandwidth::from_base(2_000_000_000),
        queue_limit: u32::MAX,
        half_duplex: false,
        command_latency: Duration::from_us(1),
        completion_latency: Duration::from_us(2),
        jitter: None,
    }
}

/// One core, and what commands cost it.
fn controller() -> ControllerConfig {
    ControllerConfig {
        cores: 1,
        read_cost: Duration::from_ns(700),
        write_cost: Duration::from_us(1),
        copy_cost: Duration::ZERO,
        copy_batch: 1,
        admin_cost: Duration::from_us(1),
        write_path: None,
        read_path: None,
        whole_reads: false,
        read_front_end: Duration::from_us(3),
        write_ack: Duration::from_us(4),
        buffer_read: Duration::from_us(1),
    }
}

/// A protected buffer of 1 MiB, and as much for copies.
fn buffer() -> BufferConfig {
    BufferConfig {
        units: 256,
        copy_units: 256,
        protection: Protection::Protected,
        admission: Default::default(),
    }
}

/// One page type, programmed a page at a time.
fn nand() -> NandTiming {
    NandTiming {
        sense: vec![Duration::from_us(50)],
        program: vec![Duration::from_us(600)],
        erase: Duration::from_ms(3),
        bus: Bandwidth::from_base(400_000_000),
        transfer_overhead: Duration::from_ns(200),
        write_burst: None,
        ecc: Duration::from_us(5),
        independent_planes: false,
        slc_program: None,
        slc_sense: None,
    }
}

/// Reads suspend programs and erases.
fn suspend() -> SuspendConfig {
    SuspendConfig {
        enabled: true,
        latency: Duration::from_us(20),
        closed_window: Duration::ZERO,
        erase_segment: Duration::from_ms(1),
        resume: Duration::from_us(5),
        max_count: 8,
        min_run: Duration::ZERO,
        max_hold: Duration::from_us(500),
        never_ppm: 0,
    }
}

/// 1 W at rest, and something for each operation.
fn power() -> PowerConfig {
    PowerConfig {
        idle: Power::from_base(1_000_000),
        sense: Energy::from_base(2_000_000),
        transfer_per_byte: Energy::from_base(100),
        program_per_byte: Energy::from_base(2_000),
        erase: Energy::from_base(100_000_000),
        cap: None,
        cap_window: Duration::ZERO,
        rated: None,
    }
}

/// Completion latency of one read of 4 KiB on a drive that does nothing else, ns.
pub fn read_chain_ns() -> u64 {
    let c = config();
    let link = c.link.command_latency + c.link.up.time_for(4096) + c.link.completion_latency;
    let controller = c.controller.read_cost + c.controller.read_front_end;
    let flash = c.nand.sense[0] + c.nand.transfer_overhead + c.nand.bus.time_for(4096) + c.nand.ecc;
    (link + controller + flash).ns()
}

/// The jobs of a text.
pub fn jobs(text: &str) -> JobFile {
    parse_str("test.fio", text, &LoadOptions::default()).expect("a job file")
}

/// A filled drive.
pub fn filled() -> Rig {
    let mut rig = Rig::new(config(), 1.0, 1);
    rig.prepare(&DriveState::Filled);
    rig
}

/// Runs jobs on a filled drive with these options; all laws must hold.
pub fn run_with(text: &str, options: &mut RunOptions<'_>) -> Simulated {
    let simulated = filled().run(&jobs(text), options).expect("it runs");
    assert_eq!(simulated.checks.failures(), Vec::<String>::new(), "{text}");
    simulated
}

/// Runs jobs on a filled drive; all laws must hold.
pub fn run(text: &str) -> Simulated {
    run_with(text, &mut RunOptions::default())
}

/// The first entry of a run.
pub fn first(text: &str) -> JobResult {
    run(text).run.jobs.remove(0)
}

/// The refusal of jobs by a filled drive.
pub fn refusal(text: &str) -> Diagnostic {
    filled().run(&jobs(text), &mut RunOptions::default()).expect_err("it is refused")
}

/// Asserts that a value is within a share of another.
pub fn near(value: f64, expected: f64, share: f64) {
    assert!((value / expected - 1.0).abs() <= share, "{value}, expected {expected}");
}
