//! The values a job is made of: sizes, kinds of I/O, distributions, limits, logs.

use stats::Direction;

/// One value a direction, in the order read, write, trim ([`Direction::index`]).
pub type PerDirection<T> = [T; 3];

/// Most entries of a `percentile_list`.
pub const PERCENTILES_MAX: usize = 20;

/// An amount of data, absolute or as a share of the file or device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Bytes.
    Bytes(u64),
    /// Percent of the file's or the device's size, 0..=100 (`io_size` may exceed 100).
    Percent(u64),
}

impl Size {
    /// Bytes, given the size that a percentage is of. Percentages round down.
    pub fn resolve(self, whole_bytes: u64) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Percent(percent) => {
                let bytes = u128::from(whole_bytes) * u128::from(percent) / 100;
                u64::try_from(bytes).unwrap_or(u64::MAX)
            }
        }
    }
}

/// Which I/Os a job issues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rw {
    /// It reads.
    pub read: bool,
    /// It writes.
    pub write: bool,
    /// It trims. With `write`, each trim precedes a write of the same blocks.
    pub trim: bool,
    /// Offsets are drawn at random.
    pub random: bool,
    /// What the suffix of `rw=randread:8` or `rw=read:-8k` adds.
    pub modifier: RwModifier,
}

impl Rw {
    /// Sequential reads: fio's default.
    pub const READ: Self =
        Self { read: true, write: false, trim: false, random: false, modifier: RwModifier::None };

    /// Whether the job does I/O in this direction.
    pub fn has(&self, direction: Direction) -> bool {
        [self.read, self.write, self.trim][direction.index()]
    }

    /// Reads and writes mixed, in the ratio of `rwmixread`.
    pub fn is_mixed(&self) -> bool {
        self.read && self.write
    }

    /// The name fio prints, e.g. `randrw`.
    pub fn name(&self) -> &'static str {
        match (self.read, self.write, self.trim, self.random) {
            (true, true, _, false) => "rw",
            (true, true, _, true) => "randrw",
            (_, true, true, false) => "trimwrite",
            (_, true, true, true) => "randtrimwrite",
            (_, true, _, false) => "write",
            (_, true, _, true) => "randwrite",
            (_, _, true, false) => "trim",
            (_, _, true, true) => "randtrim",
            (_, _, _, false) => "read",
            (_, _, _, true) => "randread",
        }
    }
}

/// What `sprandom` assumes of a drive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprandom {
    /// Flash beyond what the host sees, as a share of that; above 0 and below 1.
    pub over_provisioning: f64,
    /// Parts of equal size, each with as many valid blocks as it has in the long run; at least 1.
    pub regions: u32,
}

impl Sprandom {
    /// Bytes that it writes to a region of `bytes`: as much as the region has flash, in whole
    /// blocks.
    pub fn volume(self, bytes: u64, block: u64) -> u64 {
        let extra = (bytes as f64 * self.over_provisioning).ceil() as u64;
        bytes.saturating_add(extra).div_ceil(block.max(1)).saturating_mul(block.max(1))
    }
}

/// The number behind the colon of `rw`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RwModifier {
    /// None: one offset an I/O, one after the other.
    None,
    /// Random: a new offset is drawn every so many I/Os (at least 1).
    EveryNth(u64),
    /// Sequential: bytes added to the offset after each I/O; negative reads backwards.
    Stride(i64),
}

/// What `rw_sequencer` does between two draws of [`RwModifier::EveryNth`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RwSequencer {
    /// The I/Os between follow each other.
    Sequential,
    /// The I/Os between repeat the offset.
    Identical,
}

/// Block sizes of one direction.
#[derive(Clone, Debug, PartialEq)]
pub enum BlockSize {
    /// Always this many bytes.
    Fixed(u64),
    /// Uniform between two sizes, in bytes, both included.
    Range {
        /// Least, bytes.
        min: u64,
        /// Greatest, bytes.
        max: u64,
    },
    /// A mix of sizes. The shares add up to 100.
    Split(Vec<SplitEntry>),
}

impl BlockSize {
    /// The least size, bytes.
    pub fn min(&self) -> u64 {
        match self {
            Self::Fixed(bytes) => *bytes,
            Self::Range { min, .. } => *min,
            Self::Split(entries) => entries.iter().map(|entry| entry.bytes).min().unwrap_or(0),
        }
    }

    /// The mean size of an I/O, bytes.
    pub fn mean(&self) -> f64 {
        match self {
            Self::Fixed(bytes) => *bytes as f64,
            Self::Range { min, max } => (min + max) as f64 / 2.0,
            Self::Split(entries) => {
                let of = |entry: &SplitEntry| entry.bytes as f64 * f64::from(entry.percent);
                entries.iter().map(of).sum::<f64>() / 100.0
            }
        }
    }

    /// The greatest size, bytes.
    pub fn max(&self) -> u64 {
        match self {
            Self::Fixed(bytes) => *bytes,
            Self::Range { max, .. } => *max,
            Self::Split(entries) => entries.iter().map(|entry| entry.bytes).max().unwrap_or(0),
        }
    }
}

/// One size of a mix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitEntry {
    /// Block size, bytes.
    pub bytes: u64,
    /// Share of the I/Os, percent.
    pub percent: u32,
}

/// How random offsets spread over the file.
#[derive(Clone, Debug, PartialEq)]
pub enum Distribution {
    /// Every block alike.
    Uniform,
    /// Zipf with exponent `theta` (> 0, not 1).
    Zipf {
        /// Exponent.
        theta: f64,
        /// Where the hottest block is, 0..=1 of the range; drawn at random if none.
        center: Option<f64>,
    },
    /// Pareto with power `h` (0..1).
    Pareto {
        /// Power.
        h: f64,
        /// Where the hottest block is, 0..=1 of the range; drawn at random if none.
        center: Option<f64>,
    },
    /// Normal about `center`.
    Normal {
        /// Standard deviation, percent of the range, 0..=100.
        deviation_percent: f64,
        /// Middle, 0..=1 of the range.
        center: f64,
    },
    /// Shares of the accesses over consecutive shares of the range.
    Zoned(Vec<Zone>),
    /// Shares of the accesses over consecutive sizes.
    ZonedAbsolute(Vec<Zone>),
    /// The listed blocks in order, over and over.
    Sequence {
        /// Block numbers.
        blocks: Vec<u64>,
        /// After each pass all numbers move on by this many lengths of the list.
        stride: u64,
    },
}

/// One zone of a zoned distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Zone {
    /// Share of the accesses, percent; the zones of one direction add up to 100.
    pub access_percent: f64,
    /// How far it reaches: percent of the range, or bytes.
    pub extent: Size,
}

/// What `random_generator` draws with; both repeat with the same seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RandomGenerator {
    /// A strong generator (fio: tausworthe and tausworthe64).
    Tausworthe,
    /// A linear feedback register: each block exactly once a pass, without a map.
    Lfsr,
}

/// Time between I/Os of a rate-limited job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateProcess {
    /// Constant.
    Linear,
    /// Exponentially distributed, independent of completions.
    Poisson,
}

/// When `thinktime_blocks` counts an I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThinkBlocks {
    /// When it completes.
    Complete,
    /// When it is issued.
    Issue,
}

/// What the end of an `exitall` job ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitWhat {
    /// The jobs of its reporting group.
    Group,
    /// The jobs that run at the time.
    Stonewall,
    /// All jobs, also those that have not begun.
    All,
}

/// Where I/Os are submitted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubmitMode {
    /// By the job itself: a slow submission delays the next.
    Inline,
    /// By helper threads: arrivals keep their times.
    Offload,
}

/// `sync`: how writes reach stable media.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncMode {
    /// As the drive likes.
    None,
    /// Data and metadata before completion (`O_SYNC`).
    Sync,
    /// Data before completion (`O_DSYNC`).
    Dsync,
}

/// What a write is on the wire: `sg_write_mode` and `write_mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteCommand {
    /// A write.
    Write,
    /// A write of one block to all places (SCSI WRITE SAME).
    Same,
    /// No write: the drive reads the blocks and checks them (VERIFY).
    Verify,
    /// A write with the number of a stream (SCSI WRITE STREAM).
    Stream,
}

/// Which file an I/O goes to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FileService {
    /// One file after the other, switching after `every` I/Os.
    RoundRobin {
        /// I/Os before the next file.
        every: u64,
    },
    /// A random file, switching after `every` I/Os.
    Random {
        /// I/Os before the next file.
        every: u64,
    },
    /// One file is finished before the next begins.
    Sequential,
    /// A file by a Zipf law with this exponent.
    Zipf(f64),
    /// A file by a Pareto law with this power.
    Pareto(f64),
    /// A file by a normal law with this deviation, percent.
    Normal(f64),
}

/// What a steady-state test looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SteadyMetric {
    /// I/Os a second.
    Iops,
    /// Bandwidth.
    Bw,
    /// Mean completion latency.
    Lat,
}

/// fio's own steady-state test: the job ends when it is met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SteadyState {
    /// The measured quantity.
    pub metric: SteadyMetric,
    /// Slope of the window rather than the largest deviation from its mean.
    pub slope: bool,
    /// Limit, in percent of the mean or in the unit of the metric (I/Os a second, KiB/s, ns).
    pub limit: f64,
    /// Whether `limit` is in percent.
    pub limit_is_percent: bool,
    /// Length of the window, us; 0 switches the test off.
    pub duration_us: u64,
    /// Time before the first sample, us.
    pub ramp_us: u64,
    /// Time between samples, us.
    pub interval_us: u64,
}

/// A latency to stay below while the queue depth grows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LatencyTarget {
    /// Latency, us.
    pub target_us: u64,
    /// How long a depth is tried, us; 0 is once.
    pub window_us: u64,
    /// Share of the I/Os that must stay below, percent, 0..=100.
    pub percentile: f64,
    /// Go on adjusting after the depth is found.
    pub run: bool,
}

/// Zones that a job walks through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZoneMode {
    /// No zones.
    None,
    /// I/O in `size` bytes out of every `range`, then on by `skip`.
    Strided {
        /// Bytes of I/O a zone.
        size: u64,
        /// Bytes a zone spans; at least `size`.
        range: u64,
        /// Bytes left out between zones.
        skip: u64,
    },
}

/// Logs that a job writes. A name of `None` means no such log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Logs {
    /// Prefix of the bandwidth log.
    pub bw: Option<String>,
    /// Prefix of the submission, completion and total latency logs.
    pub lat: Option<String>,
    /// Prefix of the IOPS log.
    pub iops: Option<String>,
    /// Prefix of the histogram log.
    pub hist: Option<String>,
    /// Window that rows are averaged over, ms; 0 logs each I/O.
    pub avg_ms: u64,
    /// Rows are the greatest of the window rather than its mean.
    pub max_value: bool,
    /// Window of the histogram log, ms.
    pub hist_ms: u64,
    /// How often the bins of the histogram log are halved, 0..=6.
    pub hist_coarseness: u32,
    /// Rows carry the offset.
    pub offset: bool,
    /// Rows carry the priority.
    pub prio: bool,
    /// A log each job (`NAME_bw.3.log`) rather than one for all of a name (`NAME_bw.log`).
    pub per_job: bool,
    /// Times count from 1970 rather than from the job's start.
    pub unix_epoch: bool,
    /// Window of bandwidth samples, ms.
    pub bw_avg_ms: u64,
    /// Window of IOPS samples, ms.
    pub iops_avg_ms: u64,
}

/// Which latencies are measured and which show percentiles.
#[derive(Clone, Debug, PartialEq)]
pub struct Latencies {
    /// Submission latency is not measured.
    pub disable_slat: bool,
    /// Completion latency is not measured.
    pub disable_clat: bool,
    /// Total latency is not measured.
    pub disable_lat: bool,
    /// Bandwidth samples are not taken.
    pub disable_bw: bool,
    /// `gtod_reduce`: nothing of the above is measured.
    pub gtod_reduce: bool,
    /// Submission latency shows percentiles.
    pub slat_percentiles: bool,
    /// Completion latency shows percentiles.
    pub clat_percentiles: bool,
    /// Total latency shows percentiles.
    pub lat_percentiles: bool,
    /// The percentiles to show, each in (0, 100], ascending.
    pub percentile_list: Vec<f64>,
}

/// A replay of a recorded pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// The log, as written; relative to the working directory, as in fio.
    pub path: String,
    /// Ignore the recorded times.
    pub no_stall: bool,
    /// Speed of the recorded times, percent: 50 takes twice as long.
    pub time_scale_percent: u64,
    /// Device to send every I/O to.
    pub redirect: Option<String>,
    /// Divisor of recorded offsets, at least 1.
    pub scale: u64,
    /// Alignment of recorded offsets, bytes; 0 for none.
    pub align: u64,
    /// Directions left out.
    pub skip: PerDirection<bool>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 4 KiB in nine of ten I/Os and 64 KiB in one: not the middle of the two.
    #[test]
    fn the_mean_of_a_mix_is_that_of_its_shares() {
        let entry = |(bytes, percent)| SplitEntry { bytes, percent };
        let split = BlockSize::Split([(4096, 90), (65_536, 10)].map(entry).to_vec());
        assert_eq!((split.mean(), split.max()), (0.9 * 4096.0 + 0.1 * 65_536.0, 65_536));
        assert_eq!(BlockSize::Range { min: 4096, max: 8192 }.mean(), 6144.0);
        assert_eq!(BlockSize::Fixed(512).mean(), 512.0);
    }
}
