//! What one thread does, in resolved numbers.

use super::flow::Flow;
use super::pattern::Pattern;
use super::replay::Replay;
use super::search::Search;
use super::size::BlockSizes;
use engine::Duration;

/// Which operations a thread mixes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Directions {
    /// Only reads.
    Read,
    /// Only writes.
    Write,
    /// Only trims.
    Trim,
    /// Reads and writes at random, with this percentage of reads.
    Mixed {
        /// 0 to 100.
        read_percent: u8,
    },
    /// Each place is trimmed and then written.
    TrimThenWrite,
}

/// How arrivals at a rate are spaced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RateProcess {
    /// Even gaps.
    Linear,
    /// Exponential gaps (a Poisson process).
    Poisson,
}

/// A limit on one direction of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rate {
    /// Bytes a second.
    Bytes(u64),
    /// I/Os a second.
    Ios(u64),
}

/// Pauses of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Think {
    /// Length of a pause.
    pub time: Duration,
    /// I/Os between pauses.
    pub every: u32,
    /// A rate begins again behind a pause; else what was missed in it is made up.
    pub shifts_rate: bool,
}

/// Operations that a thread waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Blocking {
    /// Flushes.
    pub flushes: bool,
    /// Trims.
    pub trims: bool,
}

/// Zones of a region through which a thread walks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Zones {
    /// Bytes moved in a zone before the next.
    pub bytes: u64,
    /// Bytes of a zone; it is gone through again where it is shorter than what is moved.
    pub range: u64,
    /// Bytes left out between zones.
    pub skip: u64,
}

/// A file or a device that a thread goes through. Index 0 of the arrays is for reads, 1 for
/// writes, 2 for trims.
#[derive(Clone, Debug)]
pub struct Region {
    /// Node that gets the commands.
    pub target: u16,
    /// Namespace of that node.
    pub namespace: u16,
    /// First byte.
    pub start: u64,
    /// Bytes.
    pub span: u64,
    /// Byte of it at which a thread that goes in order begins.
    pub first: u64,
    /// Bytes of one pass over it.
    pub pass: u64,
    /// How places are chosen.
    pub pattern: [Pattern; 3],
    /// Bytes of a block of the map with which random I/Os of several sizes touch each block once a
    /// pass; without it, a place drawn is a place used.
    pub map: Option<u64>,
    /// Its zones, one after another.
    pub zones: Option<Zones>,
}

/// Which of its regions a thread goes to next, as fio's `file_service_type` says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turns {
    /// One after the other, so many I/Os in each.
    InTurn {
        /// I/Os, at least 1.
        every: u32,
    },
    /// Any of them, so many I/Os in each.
    AtRandom {
        /// I/Os, at least 1.
        every: u32,
    },
    /// One after the other, a pass over each.
    Whole,
}

/// One thread. Index 0 of the arrays is for reads, 1 for writes, 2 for trims.
#[derive(Clone, Debug)]
pub struct ThreadSpec {
    /// Component path of its random stream.
    pub name: String,
    /// Where its I/Os go; at least one.
    pub regions: Vec<Region>,
    /// Which of them comes next.
    pub turns: Turns,
    /// Threads with lower numbers go first.
    pub phase: u32,
    /// I/Os to replay; they take the place of mix, pattern, sizes, rates and pauses.
    pub replay: Option<Box<Replay>>,
    /// Mix of operations.
    pub directions: Directions,
    /// Percentage of places chosen by the random pattern, the rest sequentially.
    pub random_percent: [u8; 3],
    /// Block sizes.
    pub sizes: [BlockSizes; 3],
    /// Places are multiples of this, in bytes.
    pub align: [u64; 3],
    /// I/Os of one random place that follow each other, from fio's `rw=randread:8` (1: each I/O
    /// its own place).
    pub run: u32,
    /// Bytes skipped (or gone back) after each sequential I/O, from fio's `rw=read:8k`.
    pub skip: i64,
    /// I/Os in flight.
    pub depth: u32,
    /// New I/Os are issued only when at most this many are in flight (batching; depth - 1: always).
    pub refill_below: u32,
    /// Delay of the first I/O after the phase starts.
    pub start_delay: Duration,
    /// Issues nothing later than this after its start.
    pub time_limit: Option<Duration>,
    /// Issues no more than this many bytes.
    pub byte_limit: Option<u64>,
    /// Issues no more than this many I/Os.
    pub io_limit: Option<u64>,
    /// Limits on its speed.
    pub rate: [Option<Rate>; 3],
    /// Spacing under those limits.
    pub rate_process: RateProcess,
    /// Pauses.
    pub think: Option<Think>,
    /// In proportion to which other threads it goes on.
    pub flow: Option<Flow>,
    /// The depth is searched up to its own, by a limit on the latency.
    pub search: Option<Search>,
    /// A flush after this many writes.
    pub flush_every: Option<u32>,
    /// Operations that are issued by a call that blocks the thread, so that it issues nothing
    /// else until one of them has ended. What it issued before goes on.
    pub blocking: Blocking,
    /// A flush at the end.
    pub flush_at_end: bool,
    /// Writes must be durable before they complete.
    pub durable_writes: bool,
    /// What is left of its data after compression, in millionths; 1,000,000 for random data.
    pub stored_ppm: u32,
    /// Processor time of the thread for each I/O; also the time from issue to submission.
    pub submit_cost: Duration,
}

impl ThreadSpec {
    /// How long the thread issues I/Os, if time ends it or a replay keeps the recorded times.
    pub fn expected_time(&self) -> Option<Duration> {
        let replayed = self.replay.as_ref().and_then(|replay| replay.expected());
        match (self.time_limit, replayed) {
            (Some(limit), Some(replayed)) => Some(limit.min(replayed)),
            (limit, replayed) => limit.or(replayed),
        }
    }
}
