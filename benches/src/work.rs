//! The works, as the field's public simulators were measured on them: 8 channels, PCIe of 4 GB/s,
//! channels of 800 MT/s, tR 50 us, tPROG 600 us, tBERS 3 ms, no suspend, spare 12.5 % of raw,
//! write buffer 256 MiB, pages of 4 KiB, closed loop with 32 outstanding.

use crate::floor;
use crate::process::{Measured, cpu_seconds, peak_bytes};
use engine::{Bandwidth, Duration, Energy, Instant, Power, Sampler, Stream};
use iopath::config::*;
use iopath::drive::{Drive, DriveState};
use iopath::ftl::RESERVE_STRIPES;
use iopath::ftl::victim::VictimPolicy;
use iopath::geometry::{Geometry, GroupSpan};
use iopath::machine::{Machine, Node, Stop};
use iopath::probe::{IoDone, Probe};
use iopath::workload::{BlockSizes, Directions, Pattern, RateProcess, ThreadSpec, Workload};
use stats::histogram::Histogram;

/// One work.
pub struct Work {
    /// Its name on the command line.
    pub name: &'static str,
    dies: u32,
    blocks: u32,
    pages: u32,
    live: f64,
    directions: Directions,
    random: bool,
    block: u32,
    requests: u64,
    steady: bool,
}

const READ: Directions = Directions::Read;
const WRITE: Directions = Directions::Write;

/// All works, in the order in which they are run.
pub fn all() -> Vec<Work> {
    let work = |name, dies, blocks, pages, live, directions, requests, steady| Work {
        name,
        dies,
        blocks,
        pages,
        live,
        directions,
        random: true,
        block: 4096,
        requests,
        steady,
    };
    let sequential = |w: Work| Work { random: false, block: 131072, ..w };
    let mixed = Directions::Mixed { read_percent: 70 };
    vec![
        work("read-random", 64, 64, 256, 0.9, READ, 4_000_000, false),
        work("write-random", 32, 512, 64, 0.8, WRITE, 3_000_000, true),
        work("write-random-full", 32, 512, 64, 1.0, WRITE, 3_000_000, true),
        work("write-random-32", 32, 512, 256, 0.8, WRITE, 3_000_000, true),
        sequential(work("read-seq", 32, 512, 64, 0.8, READ, 100_000, false)),
        sequential(work("write-seq", 32, 512, 64, 0.8, WRITE, 100_000, false)),
        work("mixed", 32, 512, 64, 0.8, mixed, 3_000_000, true),
    ]
}

/// The work of a name.
pub fn find(name: &str) -> Option<Work> {
    all().into_iter().find(|w| w.name == name)
}

/// Records what a run of the command line records: a latency histogram for each direction.
struct Recorder {
    reads: Histogram,
    writes: Histogram,
    done: u64,
}

impl Probe<()> for Recorder {
    #[inline]
    fn io_done(&mut self, io: &IoDone) {
        let ns = io.completed.since(io.submitted).ns();
        match io.op {
            iopath::command::Op::Read => self.reads.record(ns),
            _ => self.writes.record(ns),
        }
        self.done += 1;
    }
}

impl Work {
    fn config(&self) -> DriveConfig {
        let raw = self.dies as u64 * 2 * self.blocks as u64 * self.pages as u64 * 4096;
        let user = raw / 8 * 7;
        DriveConfig {
            name: "bench".to_owned(),
            user_bytes: user,
            geometry: Geometry {
                channels: 8,
                dies: self.dies,
                planes: 2,
                page_bytes: 4096,
                pages_per_wl: 1,
                rows: self.pages,
                unit_bytes: 4096,
                span: GroupSpan::Block,
                // The raw capacity is the closed pool; reserve and open blocks come on top.
                groups_per_lane: self.blocks + RESERVE_STRIPES + 1,
                parity_period: 0,
            },
            erase_bytes: 2 * self.pages as u64 * 4096,
            policies: VictimPolicy::Greedy.into(),
            collection: iopath::config::CollectionConfig::default(),
            compression: None,
            link: LinkConfig {
                down: Bandwidth::from_base(4_000_000_000),
                up: Bandwidth::from_base(4_000_000_000),
                queue_limit: u32::MAX,
                half_duplex: false,
                command_latency: Duration::ZERO,
                completion_latency: Duration::ZERO,
            },
            controller: ControllerConfig {
                cores: 1,
                read_cost: Duration::ZERO,
                write_cost: Duration::ZERO,
                copy_cost: Duration::ZERO,
                admin_cost: Duration::ZERO,
                write_path: None,
                read_path: None,
                read_front_end: Duration::ZERO,
                write_ack: Duration::ZERO,
                buffer_read: Duration::from_us(1),
            },
            buffer: BufferConfig {
                units: 65_536,
                copy_units: 8192,
                protection: Protection::Protected,
            },
            nand: NandTiming {
                sense: vec![Duration::from_us(50)],
                program: vec![Duration::from_us(600)],
                erase: Duration::from_ms(3),
                bus: Bandwidth::from_base(800_000_000),
                transfer_overhead: Duration::ZERO,
                ecc: Duration::ZERO,
                independent_planes: false,
                slc_program: None,
                slc_sense: None,
            },
            suspend: SuspendConfig {
                enabled: false,
                latency: Duration::ZERO,
                closed_window: Duration::ZERO,
                erase_segment: Duration::from_ms(3),
                resume: Duration::ZERO,
                max_count: 0,
                min_run: Duration::ZERO,
                max_hold: Duration::from_us(200),
                never_ppm: 0,
            },
            programs: ProgramLimits { dies: self.dies, dies_collecting: self.dies },
            cells: None,
            power: PowerConfig {
                idle: Power::default(),
                sense: Energy::default(),
                transfer_per_byte: Energy::default(),
                program_per_byte: Energy::default(),
                erase: Energy::default(),
                cap: None,
                cap_window: Duration::ZERO,
            },
        }
    }

    fn thread(&self, target: u16, span: u64) -> ThreadSpec {
        let pattern = |_| match self.random {
            true => Pattern::Random(Sampler::Uniform { n: span / self.block as u64 }),
            false => Pattern::Sequential,
        };
        ThreadSpec {
            name: "bench".to_owned(),
            target,
            namespace: 0,
            phase: 0,
            start: 0,
            span,
            directions: self.directions,
            pattern: [0, 1, 2].map(pattern),
            random_percent: [100; 3],
            sizes: [0, 1, 2].map(|_| BlockSizes::Fixed(self.block)),
            align: [self.block as u64; 3],
            run: 1,
            skip: 0,
            depth: 32,
            refill_below: 31,
            start_delay: Duration::ZERO,
            time_limit: None,
            byte_limit: None,
            io_limit: None,
            rate: [None; 3],
            rate_process: RateProcess::Linear,
            think: None,
            flush_every: None,
            flush_at_end: false,
            durable_writes: false,
            stored_ppm: 1_000_000,
            submit_cost: Duration::ZERO,
        }
    }

    /// Runs the work in this process.
    pub fn run(&self) -> Measured {
        let config = self.config();
        let live = (config.user_bytes as f64 * self.live) as u64 / 131072 * 131072;
        let mapped_pages = live / 4096;
        let recorder = Recorder { reads: Histogram::new(), writes: Histogram::new(), done: 0 };
        let mut machine: Machine<(), Recorder> = Machine::new(recorder);
        let drive = machine
            .add(|context, node| Node::Drive(Box::new(Drive::new(config, 1, context, node))));
        let start = cpu_seconds();
        {
            let d = machine.drive_mut(drive);
            if self.steady {
                let share = mapped_pages as f64 / d.ftl().map().logical_units() as f64;
                d.prepare(&DriveState::Steady(share), &mut Stream::new(1, "steady"));
            } else {
                for unit in 0..mapped_pages {
                    d.ftl_mut().write(unit as u32, ());
                }
                d.resume();
            }
        }
        let precondition_s = cpu_seconds() - start;
        let thread = self.thread(drive, live);
        let workload = machine.add(|context, node| {
            Node::Workload(Box::new(Workload::new(vec![thread], 1, &mut context.queue, node)))
        });
        machine.start(workload);
        // Warm up: fill the buffer and let collection settle.
        let warm = if self.steady { self.requests / 4 } else { self.requests / 20 };
        run_until(&mut machine, warm);
        let before = (cpu_seconds(), machine.drive(drive).ftl().ledger());
        let nand_before = *machine.drive(drive).nand().counters();
        let done_before = machine.context.probe.done;
        run_until(&mut machine, done_before + self.requests);
        let seconds = cpu_seconds() - before.0;
        let requests = (machine.context.probe.done - done_before) as f64;
        let nand = machine.drive(drive).nand().counters();
        let operations =
            (nand.senses - nand_before.senses) + 2 * (nand.programs - nand_before.programs);
        let ledger = machine.drive(drive).ftl().ledger();
        let host = ledger.host - before.1.host;
        machine.audit();
        let peak = peak_bytes();
        drop(machine);
        Measured {
            requests_per_cpu_s: requests / seconds,
            flash_ops_per_cpu_s: operations as f64 / seconds,
            peak_bytes: peak,
            mapped_pages,
            precondition_us_per_page: Some(precondition_s * 1e6 / mapped_pages as f64),
            floor_per_cpu_s: floor::rate(mapped_pages, self.directions != READ),
            write_amplification: (host > 0)
                .then(|| (ledger.total() - before.1.total()) as f64 / host as f64),
            bytes_per_page: None,
        }
    }
}

fn run_until(machine: &mut Machine<(), Recorder>, done: u64) {
    while machine.context.probe.done < done {
        let stop = machine.run(Instant::NEVER, 4096);
        assert_ne!(stop, Stop::Idle, "the machine came to rest: {}", machine.describe());
    }
}
