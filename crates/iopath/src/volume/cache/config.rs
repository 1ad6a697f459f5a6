//! A write-back volume cache as resolved numbers: in the memory of a host, or of a controller.

use crate::volume::raid::Fault;
use engine::{Bandwidth, Duration, Ratio};

/// What happens to the content of a cache when power fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Retention {
    /// It is lost: memory of a host.
    #[default]
    Volatile,
    /// It is kept and written when power is back: a controller with a battery or capacitors.
    Protected,
}

/// The order in which dirty lines are written to the node below.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DestageOrder {
    /// From one end of the volume to the other, and again (an elevator): for hard disks.
    #[default]
    Sorted,
    /// Oldest first.
    Oldest,
}

/// A write-back cache in front of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheConfig {
    /// For messages.
    pub name: String,
    /// Bytes of data it can hold.
    pub bytes: u64,
    /// Bytes of a line, the unit of bookkeeping: a power of two from 4 KiB on.
    pub line: u32,
    /// What a power cut leaves.
    pub retention: Retention,
    /// Flushes and durable writes empty the cache first. False ("flush off"): they are
    /// acknowledged at once, as if the cache were safe.
    pub honours_flush: bool,
    /// The cache's own cores for copies and bookkeeping; 0 if `pool` is used.
    pub threads: u32,
    /// A pool in [`crate::kernel::shared::Shared`] that does it instead: the cores of a host.
    pub pool: Option<usize>,
    /// Rate at which one core copies data into the cache or out of it. `None`: it costs nothing.
    pub copy: Option<Bandwidth>,
    /// A pool in [`crate::kernel::shared::Shared`] of one server, and its rate: the memory through
    /// which every byte moves, on its way in and on its way out.
    pub memory: Option<(usize, Bandwidth)>,
    /// Time under the lock of the cache for each command from above and for each command to the
    /// node below: one at a time, however many cores there are.
    pub command: Duration,
    /// Time under the lock for each line that a command touches.
    pub per_line: Duration,
    /// Share of the cache that may be dirty before lines are written below.
    pub dirty_low: Ratio,
    /// Share at which writes from above wait until lines have been written.
    pub dirty_high: Ratio,
    /// Dirty lines are also written after this long without a command from above.
    pub idle_after: Duration,
    /// Order of writing.
    pub order: DestageOrder,
    /// Commands that write dirty lines in flight at once.
    pub depth: u32,
    /// The largest of them in bytes; neighbouring dirty lines are written together.
    pub request: u32,
}

impl CacheConfig {
    /// A volatile cache of `bytes` whose own work costs nothing.
    pub fn new(bytes: u64) -> Self {
        CacheConfig {
            name: "cache".to_owned(),
            bytes,
            line: 4096,
            retention: Retention::Volatile,
            honours_flush: true,
            threads: 0,
            pool: None,
            copy: None,
            memory: None,
            command: Duration::ZERO,
            per_line: Duration::ZERO,
            dirty_low: Ratio::from_base(500_000),
            dirty_high: Ratio::from_base(1_000_000),
            idle_after: Duration::from_us(1_000_000),
            order: DestageOrder::Sorted,
            depth: 32,
            request: 1 << 20,
        }
    }

    /// Lines that it can hold.
    pub fn lines(&self) -> u64 {
        self.bytes / self.line as u64
    }

    /// Checks the cache against the bytes of the node below. Returns warnings for the user.
    ///
    /// # Errors
    /// If the cache cannot be built.
    pub fn check(&self, backing: u64) -> Result<Vec<String>, Fault> {
        let require = |holds: bool, message: String, help: &str| match holds {
            true => Ok(()),
            false => Err(Fault { message, help: help.to_owned() }),
        };
        require(
            self.line >= 4096 && self.line.is_power_of_two() && self.line <= 1 << 20,
            format!("a line of {} bytes", self.line),
            "lines have a power of two of bytes, from 4 KiB to 1 MiB",
        )?;
        require(
            self.bytes <= backing,
            format!("a cache of {} bytes over a volume of {backing}", self.bytes),
            "a cache is not larger than what it caches",
        )?;
        require(
            self.lines() > 0 && self.lines() < 1 << 31,
            format!("a cache of {} bytes with lines of {}", self.bytes, self.line),
            "give at least one line, and fewer than 2147483648",
        )?;
        require(
            self.dirty_high.base() <= 1_000_000 && self.dirty_low <= self.dirty_high,
            "limits on dirty lines that are out of order, or above the whole cache".to_owned(),
            "give a low limit not above the high one, and a high one up to 100%",
        )?;
        require(
            self.dirty_high.base() as u128 * self.lines() as u128 >= 1_000_000,
            "no line of the cache may be dirty".to_owned(),
            "raise the high limit, or leave the cache out",
        )?;
        require(
            self.depth > 0 && self.request >= self.line,
            "no command may write dirty lines, or none large enough for a line".to_owned(),
            "give at least one command, and requests of at least one line",
        )?;
        let rates = [self.copy, self.memory.map(|(_, rate)| rate)];
        require(
            rates.iter().flatten().all(|rate| rate.base() > 0),
            "a rate of zero".to_owned(),
            "leave a rate out if the work costs nothing",
        )?;
        require(
            self.threads <= 1024
                && (self.copy.is_none() || self.threads > 0 || self.pool.is_some()),
            "copies that cost time need a core, and 1024 are the most".to_owned(),
            "give a number of threads, or a processor pool",
        )?;
        let mut warnings = Vec::new();
        if self.retention == Retention::Volatile && !self.honours_flush {
            warnings.push(
                "a volatile cache that ignores flushes loses acknowledged data at a power cut"
                    .to_owned(),
            );
        }
        Ok(warnings)
    }
}
