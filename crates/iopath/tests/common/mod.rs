//! Drives for tests: a plain configuration to change field by field, machines around it, and
//! threads that load them. Every cost is zero unless a test sets it, so that what a test measures
//! is what it set.
#![allow(dead_code)] // Each test file uses its own part.

pub mod array;
pub mod cells;
pub mod heat;
pub mod media;
pub mod model;
pub mod nand;
pub mod promises;
pub mod random;
pub mod theory;
pub mod tiers;

pub use engine::{Bandwidth, Duration, Energy, Instant, Power, Sampler, Stream};
pub use iopath::device::flash::config::*;
pub use iopath::device::flash::drive::{Drive, DriveState};
pub use iopath::device::flash::ftl::RESERVE_STRIPES;
pub use iopath::device::flash::ftl::map_cache::MapCachePolicy;
pub use iopath::device::flash::ftl::policies::FtlPolicies;
pub use iopath::device::flash::ftl::retire::BadBlocks;
pub use iopath::device::flash::ftl::separation::Separation;
pub use iopath::device::flash::ftl::victim::VictimPolicy;
pub use iopath::device::flash::ftl::wear::WearLevelling;
pub use iopath::device::flash::geometry::{Geometry, GroupSpan};
pub use iopath::host::workload::{
    BlockSizes, Blocking, Directions, Pattern, RateProcess, Region, ThreadSpec, Turns, Workload,
};
pub use iopath::kernel::command::{Command, CommandId, Op, Status};
pub use iopath::kernel::payload::Payload;
pub use iopath::kernel::probe::{IoDone, Probe};
pub use iopath::machine::{Machine, Node};

pub const KIB: u64 = 1024;

/// A link that nothing notices.
pub const FAST: u64 = 1_000_000_000_000;

pub fn us(n: u64) -> Duration {
    Duration::from_us(n)
}

pub fn at_us(n: u64) -> Instant {
    Instant::ZERO + us(n)
}

/// One die of one plane on one channel, 4 KiB pages and units, superblocks of 64 pages.
pub fn geometry() -> Geometry {
    Geometry {
        channels: 1,
        dies: 1,
        planes: 1,
        page_bytes: 4096,
        pages_per_wl: 1,
        rows: 64,
        unit_bytes: 4096,
        span: GroupSpan::Superblock,
        groups_per_lane: 64,
        parity_period: 0,
    }
}

/// A drive over a geometry whose closed pool is `alpha` times the user capacity. Sense 50 us,
/// program 500 us, erase 3 ms, a free bus, no suspension, a buffer of four rows of word lines.
pub fn config(geometry: Geometry, alpha: f64) -> DriveConfig {
    let layout = iopath::device::flash::geometry::Layout::new(geometry);
    let closed = (geometry.groups_per_lane - RESERVE_STRIPES - 1) as u64;
    let units = (closed * layout.stripe_data_units() as u64) as f64 / alpha;
    let row = geometry.dies * layout.wl_units();
    DriveConfig {
        name: "drive".to_owned(),
        user_bytes: units as u64 * geometry.unit_bytes as u64,
        geometry,
        erase_bytes: layout.die_block_bytes(),
        policies: VictimPolicy::Greedy.into(),
        collection: iopath::device::flash::config::CollectionConfig::default(),
        compression: None,
        link: no_link(),
        queues: None,
        controller: no_controller(),
        read_ahead: None,
        buffer: BufferConfig {
            units: 4 * row,
            copy_units: 4 * row + 32,
            protection: Protection::Protected,
            admission: Default::default(),
        },
        nand: nand_timing(),
        suspend: no_suspension(),
        programs: ProgramLimits { dies: geometry.dies, dies_collecting: geometry.dies },
        cells: None,
        heat: None,
        power: no_power(),
    }
}

/// A link that takes no time.
fn no_link() -> LinkConfig {
    LinkConfig {
        down: Bandwidth::from_base(FAST),
        up: Bandwidth::from_base(FAST),
        queue_limit: u32::MAX,
        half_duplex: false,
        command_latency: Duration::ZERO,
        completion_latency: Duration::ZERO,
        jitter: None,
    }
}

/// A core that works in no time.
fn no_controller() -> ControllerConfig {
    ControllerConfig {
        cores: 1,
        read_cost: Duration::ZERO,
        write_cost: Duration::ZERO,
        copy_cost: Duration::ZERO,
        copy_batch: 1,
        admin_cost: Duration::ZERO,
        write_path: None,
        read_path: None,
        whole_reads: false,
        read_front_end: Duration::ZERO,
        write_ack: Duration::ZERO,
        buffer_read: Duration::ZERO,
    }
}

/// The times of the flash, over a bus that takes none.
fn nand_timing() -> NandTiming {
    NandTiming {
        sense: vec![us(50)],
        program: vec![us(500)],
        erase: us(3000),
        bus: Bandwidth::from_base(FAST),
        transfer_overhead: Duration::ZERO,
        write_burst: None,
        ecc: Duration::ZERO,
        independent_planes: false,
        slc_program: None,
        slc_sense: None,
    }
}

/// No suspension.
fn no_suspension() -> SuspendConfig {
    SuspendConfig {
        enabled: false,
        latency: Duration::ZERO,
        closed_window: Duration::ZERO,
        erase_segment: us(500),
        resume: Duration::ZERO,
        max_count: 1000,
        min_run: Duration::ZERO,
        max_hold: us(1_000_000),
        never_ppm: 0,
    }
}

/// Nothing draws power.
fn no_power() -> PowerConfig {
    PowerConfig {
        idle: Power::default(),
        sense: Energy::default(),
        transfer_per_byte: Energy::default(),
        program_per_byte: Energy::default(),
        erase: Energy::default(),
        cap: None,
        cap_window: Duration::ZERO,
        rated: None,
    }
}

/// A machine of one drive at address 0.
pub fn machine<P: Payload, O: Probe<P>>(config: DriveConfig, probe: O) -> Machine<P, O> {
    seeded(config, 1, probe)
}

pub fn seeded<P: Payload, O: Probe<P>>(config: DriveConfig, seed: u64, probe: O) -> Machine<P, O> {
    let mut machine = Machine::new(probe);
    machine.add(|node| Node::Drive(Box::new(Drive::new(config, seed, node))));
    machine
}

/// Brings the drive at address 0 into a state.
pub fn prepare<P: Payload, O: Probe<P>>(machine: &mut Machine<P, O>, state: DriveState) {
    machine.drive_mut(0).prepare(&state, &mut Stream::new(1, "prepare"));
}

/// Adds a workload of these threads and starts it; returns its address.
pub fn start<P: Payload, O: Probe<P>>(
    machine: &mut Machine<P, O>,
    threads: Vec<ThreadSpec>,
    seed: u64,
) -> u16 {
    let workload = machine.add(|node| Node::Workload(Box::new(Workload::new(threads, seed, node))));
    machine.start(workload);
    workload
}

/// The first `span` bytes of drive 0.
pub fn region(span: u64, pattern: Pattern) -> Region {
    Region {
        target: 0,
        namespace: 0,
        start: 0,
        span,
        first: 0,
        pass: span,
        pattern: [0, 1, 2].map(|_| pattern.clone()),
        map: None,
        zones: None,
    }
}

/// A thread that loads drive 0 at random over `span` bytes.
pub fn thread(name: &str, directions: Directions, block: u64, span: u64, depth: u32) -> ThreadSpec {
    ThreadSpec {
        name: name.to_owned(),
        regions: vec![region(span, Pattern::Random(Sampler::Uniform { n: span / block }))],
        turns: Turns::InTurn { every: 1 },
        phase: 0,
        directions,
        random_percent: [100; 3],
        sizes: [0, 1, 2].map(|_| BlockSizes::Fixed(block as u32)),
        align: [block; 3],
        run: 1,
        skip: 0,
        depth,
        refill_below: depth - 1,
        start_delay: Duration::ZERO,
        time_limit: None,
        byte_limit: None,
        io_limit: None,
        rate: [None; 3],
        rate_process: RateProcess::Linear,
        think: None,
        flow: None,
        search: None,
        flush_every: None,
        blocking: Blocking::default(),
        flush_at_end: false,
        durable_writes: false,
        stored_ppm: 1_000_000,
        replay: None,
        submit_cost: Duration::ZERO,
    }
}

/// A command for drive 0.
pub fn command<P: Payload>(op: Op, start: u64, len: u64) -> Command<P> {
    Command::new(op, start, len as u32)
}

/// Notes how long everything took.
#[derive(Default)]
pub struct Times {
    /// Commands from outside: tag and completion.
    pub commands: Vec<(u32, Instant)>,
    /// I/Os of workloads.
    pub ios: Vec<IoDone>,
}

impl<P: Payload> Probe<P> for Times {
    fn io_done(&mut self, io: &IoDone) {
        self.ios.push(*io);
    }
    fn command_done(&mut self, _id: CommandId, command: &Command<P>, now: Instant) {
        assert_eq!(command.status, Status::Ok);
        self.commands.push((command.tag, now));
    }
}

impl Times {
    /// Latencies of one operation of workloads, in seconds, ascending.
    pub fn latencies(&self, op: Op) -> Vec<f64> {
        let of_op = self.ios.iter().filter(|io| io.op == op);
        let mut all: Vec<f64> =
            of_op.map(|io| io.completed.since(io.issued).ps() as f64 / 1e12).collect();
        all.sort_by(f64::total_cmp);
        all
    }
}

pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The value below which a share `p` of the sorted values is.
pub fn percentile(sorted: &[f64], p: f64) -> f64 {
    sorted[((sorted.len() as f64 * p) as usize).min(sorted.len() - 1)]
}
