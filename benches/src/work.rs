//! The works: what is asked of the drive of `drive.rs`, in a closed loop with 32 outstanding unless
//! a work says otherwise.

use crate::drive::{self, Flash, Special};
use crate::floor;
use crate::process::{Measured, cpu_seconds, peak_bytes};
use engine::{Duration, Instant, Sampler, Stream};
use iopath::device::flash::drive::{Drive, DriveState};
use iopath::host::workload::{
    BlockSizes, Blocking, Directions, Pattern, RateProcess, Region, ThreadSpec, Turns, Workload,
};
use iopath::kernel::probe::{IoDone, Probe};
use iopath::machine::{Machine, Node, Stop};
use stats::histogram::Histogram;

/// The variable of the environment with which a work measures another number of requests.
pub const REQUESTS: &str = "DRIVELAB_BENCH_REQUESTS";

/// One work.
pub struct Work {
    /// Its name on the command line.
    pub name: &'static str,
    flash: Flash,
    live: f64,
    directions: Directions,
    order: Order,
    block: u32,
    depth: u32,
    requests: u64,
    steady: bool,
    special: Special,
    /// Drives in a RAID 6; 1 for a drive alone. Of an array the commands of its drives count.
    members: u32,
}

/// In which order addresses come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Sequential,
    Random,
    /// The first half of the requests in sequence, the second at random.
    SequentialThenRandom,
}

const READ: Directions = Directions::Read;
const WRITE: Directions = Directions::Write;

/// All works, in the order in which they are run.
pub fn all() -> Vec<Work> {
    let work = |name, dies, blocks, pages, live, directions, requests, steady| Work {
        name,
        flash: Flash { dies, blocks, pages },
        live,
        directions,
        order: Order::Random,
        block: 4096,
        depth: 32,
        requests,
        steady,
        special: Special::None,
        members: 1,
    };
    let sequential = |w: Work| Work { order: Order::Sequential, block: 131072, ..w };
    let mixed = Directions::Mixed { read_percent: 70 };
    let aged = work("age", 64, 64, 256, 0.9, READ, 4_000_000, false);
    // 96 rows are 32 word lines of three bits.
    let folding = work("slc-fold", 32, 342, 96, 0.8, WRITE, 3_000_000, true);
    let half = Directions::Mixed { read_percent: 50 };
    let array = work("raid6-24", 32, 512, 16, 0.8, WRITE, 200_000, true);
    vec![
        work("read-random", 64, 64, 256, 0.9, READ, 4_000_000, false),
        work("write-random", 32, 512, 64, 0.8, WRITE, 3_000_000, true),
        work("write-random-full", 32, 512, 64, 1.0, WRITE, 3_000_000, true),
        work("write-random-32", 32, 512, 256, 0.8, WRITE, 3_000_000, true),
        sequential(work("read-seq", 32, 512, 64, 0.8, READ, 100_000, false)),
        sequential(work("write-seq", 32, 512, 64, 0.8, WRITE, 100_000, false)),
        work("mixed", 32, 512, 64, 0.8, mixed, 3_000_000, true),
        Work { depth: 256, special: Special::Aged, ..aged },
        work("mixed-half", 32, 512, 16, 0.8, half, 2_000_000, true),
        Work { members: 24, depth: 256, ..array },
        Work { order: Order::SequentialThenRandom, special: Special::Folding, ..folding },
    ]
}

/// The work of a name.
pub fn find(name: &str) -> Option<Work> {
    all().into_iter().find(|w| w.name == name)
}

/// Records what a run of the command line records: a latency histogram for each direction.
pub struct Recorder {
    reads: Histogram,
    writes: Histogram,
    /// I/Os that have ended.
    pub done: u64,
}

impl Recorder {
    /// Nothing seen yet.
    pub fn new() -> Self {
        Recorder { reads: Histogram::new(), writes: Histogram::new(), done: 0 }
    }
}

impl Probe<()> for Recorder {
    #[inline]
    fn io_done(&mut self, io: &IoDone) {
        let ns = io.completed.since(io.submitted).ns();
        match io.op {
            iopath::kernel::command::Op::Read => self.reads.record(ns),
            _ => self.writes.record(ns),
        }
        self.done += 1;
    }
}

impl Work {
    /// Requests that are measured.
    pub fn requests(&self) -> u64 {
        self.requests
    }

    /// Requests that come before those that are measured.
    pub fn warming(&self) -> u64 {
        self.requests / if self.steady { 4 } else { 20 }
    }

    /// All requests, the warming ones too; of an array its own and not those of its drives.
    pub fn requests_with_warming(&self) -> u64 {
        self.warming() + self.requests
    }

    /// The same with another number of requests.
    pub fn with_requests(&self, requests: u64) -> Work {
        Work { requests, ..*self }
    }

    /// Drives in the array.
    pub fn members(&self) -> u32 {
        self.members
    }

    /// The flash of each drive.
    pub fn flash(&self) -> Flash {
        self.flash
    }

    /// The share of it that is live.
    pub fn live(&self) -> f64 {
        self.live
    }

    /// The threads of the work. Warming up is part of the first one.
    pub fn threads(&self, target: u16, span: u64, warm: u64) -> Vec<ThreadSpec> {
        match self.order {
            Order::Sequential => vec![self.thread(target, span, false)],
            Order::Random => vec![self.thread(target, span, true)],
            Order::SequentialThenRandom => {
                let mut first = self.thread(target, span, false);
                first.io_limit = Some(warm + self.requests / 2);
                vec![first, ThreadSpec { phase: 1, ..self.thread(target, span, true) }]
            }
        }
    }

    fn thread(&self, target: u16, span: u64, random: bool) -> ThreadSpec {
        let pattern = |_| match random {
            true => Pattern::Random(Sampler::Uniform { n: span / self.block as u64 }),
            false => Pattern::Sequential,
        };
        ThreadSpec {
            name: "bench".to_owned(),
            regions: vec![Region {
                target,
                namespace: 0,
                start: 0,
                span,
                first: 0,
                pass: span,
                pattern: [0, 1, 2].map(pattern),
                map: None,
                zones: None,
            }],
            turns: Turns::InTurn { every: 1 },
            phase: 0,
            directions: self.directions,
            random_percent: [100; 3],
            sizes: [0, 1, 2].map(|_| BlockSizes::Fixed(self.block)),
            align: [self.block as u64; 3],
            run: 1,
            skip: 0,
            depth: self.depth,
            refill_below: self.depth - 1,
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

    /// Runs the work in this process.
    pub fn run(&self) -> Measured {
        if self.members > 1 {
            return crate::array::run(self);
        }
        let config = drive::config(self.flash, self.special);
        let live = (config.user_bytes as f64 * self.live) as u64 / 131072 * 131072;
        let mapped_pages = live / 4096;
        let recorder = Recorder::new();
        let mut machine: Machine<(), Recorder> = Machine::new(recorder);
        let drive = machine.add(|node| Node::Drive(Box::new(Drive::new(config, 1, node))));
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
            if self.special == Special::Aged {
                assert!(d.set_age(drive::half_worn(), Instant::ZERO), "the cells are known");
            }
        }
        let precondition_s = cpu_seconds() - start;
        // Warm up: fill the buffer and let collection settle.
        let warm = self.warming();
        let threads = self.threads(drive, live, warm);
        let workload =
            machine.add(|node| Node::Workload(Box::new(Workload::new(threads, 1, node))));
        machine.start(workload);
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

/// Lets a machine go on until so many I/Os have ended. By itself, so that it can be found in a
/// profile.
#[inline(never)]
pub fn run_until(machine: &mut Machine<(), Recorder>, done: u64) {
    while machine.context.probe.done < done {
        let stop = machine.run(Instant::NEVER, 4096);
        assert_ne!(stop, Stop::Idle, "the machine came to rest: {}", machine.describe());
    }
}
