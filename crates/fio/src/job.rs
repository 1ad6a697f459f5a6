//! A job as it will run: every option resolved to bytes, microseconds and enums.

use stats::Direction;
use stats::result::Unified;

use crate::diagnostic::Place;
use crate::engines::EngineKind;
use crate::workload::{
    BlockSize, Distribution, ExitWhat, FileService, Latencies, LatencyTarget, Logs, PerDirection,
    RandomGenerator, RateProcess, Replay, Rw, RwSequencer, Size, Sprandom, SteadyState, SubmitMode,
    SyncMode, ThinkBlocks, WriteCommand, ZoneMode,
};

/// A job: one section of a file with all `[global]` sections before it applied.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// The name of the section, or of the option `name`.
    pub name: String,
    /// Where the section begins.
    pub place: Place,
    /// Options of its own section in order: names as in [`crate::options::option_table`], values
    /// after expansion; a flag without a value has an empty one.
    pub options: Vec<(String, String)>,
    /// Text for the report.
    pub description: Option<String>,
    /// Reporting group, counted from 0.
    pub group_id: u32,
    /// Begins a new reporting group.
    pub new_group: bool,
    /// Starts only when all jobs before it in the file are done.
    pub stonewall: bool,
    /// Starts only when this job is done (the latest of that name before this one).
    pub wait_for: Option<String>,
    /// All jobs end when this one does.
    pub exit_all: bool,
    /// Which jobs `exit_all` ends.
    pub exit_what: ExitWhat,
    /// Number of copies, at least 1. Only the first keeps `stonewall` and `new_group`.
    pub numjobs: u32,
    /// Copies are threads, not processes: no difference on a model.
    pub thread: bool,

    /// What it does.
    pub rw: Rw,
    /// See [`RwSequencer`].
    pub rw_sequencer: RwSequencer,
    /// Block sizes.
    pub block_size: PerDirection<BlockSize>,
    /// Alignment of random offsets, bytes: the least block size unless set.
    pub block_align: PerDirection<u64>,
    /// Block sizes need not be multiples of a sector.
    pub bs_unaligned: bool,
    /// Block sizes of a mixed random and sequential job go by random (write) and sequential
    /// (read) rather than by direction.
    pub bs_is_seq_rand: bool,
    /// Share of reads in a mix, percent.
    pub rwmixread: u32,
    /// Share of random offsets in a random job, percent.
    pub percentage_random: PerDirection<u32>,
    /// Distribution of random offsets.
    pub random_distribution: PerDirection<Distribution>,
    /// Random offsets may repeat before all are covered. Set by non-uniform distributions.
    pub norandommap: bool,
    /// Fall back to no map if it does not fit (no difference on a model).
    pub softrandommap: bool,
    /// The seed is the same in every run.
    pub randrepeat: bool,
    /// The seed, if one is set.
    pub randseed: Option<u64>,
    /// Generator of random offsets.
    pub random_generator: RandomGenerator,
    /// Writes that leave a drive as random writes do in the long run, if asked for; always with
    /// `rw=randwrite` of one block size.
    pub sprandom: Option<Sprandom>,

    /// Engine, by name; a shared object by the name of its file.
    pub engine: String,
    /// Whether the engine has a queue.
    pub engine_kind: EngineKind,
    /// Queue depth, at least 1; 1 for synchronous engines, whatever the file says.
    pub iodepth: u32,
    /// I/Os collected before they are submitted, at least 1; at most `iodepth`.
    pub iodepth_batch_submit: u32,
    /// I/Os waited for at once, 0..=`iodepth`.
    pub iodepth_batch_complete_min: u32,
    /// I/Os taken at once at most.
    pub iodepth_batch_complete_max: u32,
    /// The queue is filled again only when it falls to this depth, 0..=`iodepth`.
    pub iodepth_low: u32,
    /// See [`SubmitMode`].
    pub io_submit_mode: SubmitMode,
    /// No two outstanding I/Os overlap.
    pub serialize_overlap: bool,
    /// The file asks for direct I/O. Without it a warning says that the model runs direct.
    pub direct: bool,

    /// Region of the file or device; `None` is all of it.
    pub size: Option<Size>,
    /// Size of each file, from and to; `None` derives it from `size` and `nrfiles`.
    pub file_size: Option<(Size, Size)>,
    /// Bytes to move in one pass, if not `size`.
    pub io_size: Option<Size>,
    /// I/Os after which the job ends.
    pub number_ios: Option<u64>,
    /// Start of the region.
    pub offset: Size,
    /// Alignment of `offset` if it is a percentage, bytes; 0 aligns to the least block size.
    pub offset_align: u64,
    /// Distance between the regions of two copies.
    pub offset_increment: Size,
    /// Write until the device is full.
    pub fill_device: bool,
    /// Begin at the end of the file.
    pub file_append: bool,
    /// Number of files, at least 1.
    pub nrfiles: u32,
    /// Files open at once; all if none.
    pub openfiles: Option<u32>,
    /// Names of the files, in order; empty means names derived from the job's.
    pub filenames: Vec<String>,
    /// Pattern of derived names.
    pub filename_format: Option<String>,
    /// Directories of the files, in order.
    pub directories: Vec<String>,
    /// See [`FileService`].
    pub file_service: FileService,
    /// See [`ZoneMode`].
    pub zone_mode: ZoneMode,

    /// Run for `runtime_us`, starting over if the region is done.
    pub time_based: bool,
    /// Time limit, us; `None` for none.
    pub runtime_us: Option<u64>,
    /// Time before measuring, us.
    pub ramp_time_us: u64,
    /// Delay of the start, from and to, us. Each copy draws its own.
    pub start_delay_us: (u64, u64),
    /// Passes, at least 1.
    pub loops: u32,

    /// Bandwidth limit, bytes/s.
    pub rate: PerDirection<Option<u64>>,
    /// Bandwidth below which the job fails, bytes/s.
    pub rate_min: PerDirection<Option<u64>>,
    /// Limit of I/Os a second.
    pub rate_iops: PerDirection<Option<u64>>,
    /// I/Os a second below which the job fails.
    pub rate_iops_min: PerDirection<Option<u64>>,
    /// See [`RateProcess`].
    pub rate_process: RateProcess,
    /// Window in which the minimum rates are judged, us.
    pub rate_cycle_us: u64,
    /// Think time is made up for by the rate limit.
    pub rate_ignore_thinktime: bool,
    /// Pause after `thinktime_blocks` I/Os, us.
    pub thinktime_us: u64,
    /// Part of the pause that keeps the processor busy, us.
    pub thinktime_spin_us: u64,
    /// I/Os between two pauses, at least 1.
    pub thinktime_blocks: u64,
    /// What `thinktime_blocks` counts.
    pub thinktime_blocks_type: ThinkBlocks,
    /// Time of I/O between two pauses, us; 0 counts blocks only.
    pub thinktime_iotime_us: u64,
    /// Latency that ends the job with an error, us, by direction.
    pub max_latency_us: PerDirection<Option<u64>>,
    /// See [`LatencyTarget`].
    pub latency_target: Option<LatencyTarget>,
    /// Weight of this job in its flow, 0 for none. A negative one is of versions before 3.20: each
    /// I/O adds it to a counter of the flow that is to stay near zero.
    pub flow: i32,
    /// Which flow it belongs to.
    pub flow_id: u32,
    /// How far such a counter may be from zero.
    pub flow_watermark: u32,
    /// Pause when the flow holds the job back, us.
    pub flow_sleep_us: u64,

    /// A flush after every so many writes; 0 for none.
    pub fsync: u64,
    /// A data flush after every so many writes; 0 for none.
    pub fdatasync: u64,
    /// A ranged flush after every so many writes; 0 for none.
    pub sync_file_range: u64,
    /// A flush at the end.
    pub end_fsync: bool,
    /// A flush when a file is closed.
    pub fsync_on_close: bool,
    /// See [`SyncMode`].
    pub sync: SyncMode,
    /// How compressible the data is, percent; `None` means incompressible.
    pub buffer_compress_percentage: Option<u32>,
    /// Size of a compressible region, bytes.
    pub buffer_compress_chunk: u64,
    /// Share of buffers that repeat others, percent.
    pub dedupe_percentage: Option<u32>,
    /// Every byte written is zero.
    pub zero_buffers: bool,
    /// Buffers are refilled for each write.
    pub refill_buffers: bool,
    /// Buffers differ slightly from write to write.
    pub scramble_buffers: bool,
    /// Pattern of the data, as written.
    pub buffer_pattern: Option<String>,

    /// What its writes are on the wire.
    pub write_command: WriteCommand,

    /// Method of verification; `None` for none.
    pub verify: Option<String>,
    /// Read back after writing.
    pub do_verify: bool,
    /// Only read back what an earlier run wrote.
    pub verify_only: bool,
    /// Read back after this many writes; 0 for at the end.
    pub verify_backlog: u64,
    /// How many of those are read back at once; 0 for all.
    pub verify_backlog_batch: u64,
    /// Share of verified blocks that are trimmed, percent.
    pub trim_percentage: u32,
    /// Trim after this many writes; 0 for at the end.
    pub trim_backlog: u64,
    /// How many of those are trimmed at once; 0 for all.
    pub trim_backlog_batch: u64,

    /// See [`SteadyState`].
    pub steady_state: Option<SteadyState>,
    /// Statistics of the group are shown as one.
    pub group_reporting: bool,
    /// Which directions are reported together.
    pub unified: Unified,
    /// Latencies and percentiles.
    pub latencies: Latencies,
    /// Logs.
    pub logs: Logs,
    /// See [`Replay`].
    pub replay: Option<Replay>,
    /// File to which the pattern is recorded.
    pub write_iolog: Option<String>,
    /// Commands that a real fio would run before and after; a model never runs them.
    pub hooks: Vec<String>,
    /// Lay out the files and do nothing else.
    pub create_only: bool,
}

impl Job {
    /// The start of the region of copy `clone` (counted from 0), bytes, on a file or device of
    /// `device_bytes`. Where `offset` or `offset_increment` is a percentage the start is rounded up
    /// to `offset_align`, or to the least block size of the directions in use, as in fio.
    pub fn offset_of_clone(&self, clone: u32, device_bytes: u64) -> u64 {
        let start = self.offset.resolve(device_bytes);
        let step = self.offset_increment.resolve(device_bytes);
        let offset = start.saturating_add(step.saturating_mul(u64::from(clone)));
        let shares = [self.offset, self.offset_increment];
        if !shares.iter().any(|share| matches!(share, Size::Percent(_))) {
            return offset;
        }
        let align = match self.offset_align {
            0 => self.min_block_bytes(),
            bytes => bytes,
        };
        offset.div_ceil(align.max(1)).saturating_mul(align.max(1))
    }

    /// The least block size of the directions in use, bytes.
    pub fn min_block_bytes(&self) -> u64 {
        self.used().map(|direction| self.block_size[direction.index()].min()).min().unwrap_or(1)
    }

    /// The greatest block size of the directions in use, bytes.
    pub fn max_block_bytes(&self) -> u64 {
        self.used().map(|direction| self.block_size[direction.index()].max()).max().unwrap_or(1)
    }

    /// The directions in which it does I/O.
    pub fn used(&self) -> impl Iterator<Item = Direction> + '_ {
        Direction::ALL.into_iter().filter(|direction| self.rw.has(*direction))
    }
}
