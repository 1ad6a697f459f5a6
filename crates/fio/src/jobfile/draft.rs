//! A job being built: options in, [`Job`] out.

use std::collections::BTreeMap;

use stats::result::{DEFAULT_PERCENTILES, Unified};

use crate::diagnostic::Place;
use crate::engines::{self, EngineKind};
use crate::job::Job;
use crate::workload::{
    BlockSize, Distribution, ExitWhat, FileService, Latencies, LatencyTarget, Logs, PerDirection,
    RandomGenerator, RateProcess, Replay, Rw, RwSequencer, Size, SplitEntry, Sprandom,
    SteadyMetric, SteadyState, SubmitMode, SyncMode, ThinkBlocks, WriteCommand, ZoneMode,
};

/// What several options decide together, until all are known.
pub(super) struct Draft {
    pub(super) job: Job,
    pub(super) bs: PerDirection<u64>,
    pub(super) bs_range: PerDirection<Option<(u64, u64)>>,
    pub(super) bs_split: PerDirection<Option<Vec<SplitEntry>>>,
    pub(super) block_align: PerDirection<Option<u64>>,
    pub(super) sequence_stride: u64,
    pub(super) sprandom: Sprandom,
    pub(super) sprandom_on: bool,
    pub(super) batch_complete_max: Option<u32>,
    pub(super) steady: SteadyState,
    pub(super) has_steady: bool,
    pub(super) latency: LatencyTarget,
    pub(super) replay: Replay,
    pub(super) has_replay: bool,
    pub(super) zoned: bool,
    pub(super) zone_bytes: u64,
    pub(super) zone_range: u64,
    pub(super) zone_skip: u64,
    /// Where each option was last set, by canonical name.
    pub(super) places: BTreeMap<&'static str, Place>,
}

impl Draft {
    /// A job with fio's defaults.
    pub(super) fn new(name: &str, place: Place) -> Self {
        let steady = SteadyState {
            metric: SteadyMetric::Iops,
            slope: true,
            limit: 0.0,
            limit_is_percent: false,
            duration_us: 0,
            ramp_us: 0,
            interval_us: 1_000_000,
        };
        let latency = LatencyTarget { target_us: 0, window_us: 0, percentile: 100.0, run: false };
        let replay = Replay {
            path: String::new(),
            no_stall: false,
            time_scale_percent: 100,
            redirect: None,
            scale: 1,
            align: 0,
            skip: [false; 3],
        };
        Self {
            job: defaults(name, place),
            bs: [4096; 3],
            bs_range: [None; 3],
            bs_split: [None, None, None],
            block_align: [None; 3],
            sequence_stride: 0,
            sprandom: Sprandom { over_provisioning: 0.15, regions: 100 },
            sprandom_on: false,
            batch_complete_max: None,
            steady,
            has_steady: false,
            latency,
            replay,
            has_replay: false,
            zoned: false,
            zone_bytes: 0,
            zone_range: 0,
            zone_skip: 0,
            places: BTreeMap::new(),
        }
    }

    /// Where an option was last set, or where the section begins.
    pub(super) fn place_of(&self, name: &str) -> &Place {
        self.places.get(name).unwrap_or(&self.job.place)
    }

    /// Whether an option was set.
    pub(super) fn is_set(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }
}

/// fio's defaults.
fn defaults(name: &str, place: Place) -> Job {
    let latencies = Latencies {
        disable_slat: false,
        disable_clat: false,
        disable_lat: false,
        disable_bw: false,
        gtod_reduce: false,
        slat_percentiles: false,
        clat_percentiles: true,
        lat_percentiles: false,
        percentile_list: DEFAULT_PERCENTILES.to_vec(),
    };
    let logs = Logs { per_job: true, bw_avg_ms: 500, iops_avg_ms: 500, ..Logs::default() };
    Job {
        name: name.to_owned(),
        place,
        options: Vec::new(),
        description: None,
        group_id: 0,
        new_group: false,
        stonewall: false,
        wait_for: None,
        exit_all: false,
        exit_what: ExitWhat::Group,
        numjobs: 1,
        thread: false,
        rw: Rw::READ,
        rw_sequencer: RwSequencer::Sequential,
        block_size: [BlockSize::Fixed(4096), BlockSize::Fixed(4096), BlockSize::Fixed(4096)],
        block_align: [4096; 3],
        bs_unaligned: false,
        bs_is_seq_rand: false,
        rwmixread: 50,
        percentage_random: [100; 3],
        random_distribution: [Distribution::Uniform, Distribution::Uniform, Distribution::Uniform],
        norandommap: false,
        softrandommap: false,
        randrepeat: true,
        randseed: None,
        random_generator: RandomGenerator::Tausworthe,
        sprandom: None,
        engine: engines::DEFAULT_ENGINE.to_owned(),
        engine_kind: EngineKind::Sync,
        iodepth: 1,
        iodepth_batch_submit: 1,
        iodepth_batch_complete_min: 1,
        iodepth_batch_complete_max: 1,
        iodepth_low: 0,
        io_submit_mode: SubmitMode::Inline,
        serialize_overlap: false,
        direct: false,
        size: None,
        file_size: None,
        io_size: None,
        number_ios: None,
        offset: Size::Bytes(0),
        offset_align: 0,
        offset_increment: Size::Bytes(0),
        fill_device: false,
        file_append: false,
        nrfiles: 1,
        openfiles: None,
        filenames: Vec::new(),
        filename_format: None,
        directories: Vec::new(),
        file_service: FileService::RoundRobin { every: 1 },
        zone_mode: ZoneMode::None,
        time_based: false,
        runtime_us: None,
        ramp_time_us: 0,
        start_delay_us: (0, 0),
        loops: 1,
        rate: [None; 3],
        rate_min: [None; 3],
        rate_iops: [None; 3],
        rate_iops_min: [None; 3],
        rate_process: RateProcess::Linear,
        rate_cycle_us: 1_000_000,
        rate_ignore_thinktime: false,
        thinktime_us: 0,
        thinktime_spin_us: 0,
        thinktime_blocks: 1,
        thinktime_blocks_type: ThinkBlocks::Complete,
        thinktime_iotime_us: 0,
        max_latency_us: [None; 3],
        latency_target: None,
        flow: 0,
        flow_id: 0,
        flow_watermark: 1024,
        flow_sleep_us: 0,
        fsync: 0,
        fdatasync: 0,
        sync_file_range: 0,
        end_fsync: false,
        fsync_on_close: false,
        sync: SyncMode::None,
        buffer_compress_percentage: None,
        buffer_compress_chunk: 512,
        dedupe_percentage: None,
        zero_buffers: false,
        refill_buffers: false,
        scramble_buffers: true,
        buffer_pattern: None,
        verify: None,
        do_verify: true,
        verify_only: false,
        write_command: WriteCommand::Write,
        verify_backlog: 0,
        verify_backlog_batch: 0,
        trim_percentage: 0,
        trim_backlog: 0,
        trim_backlog_batch: 0,
        steady_state: None,
        group_reporting: false,
        unified: Unified::None,
        latencies,
        logs,
        replay: None,
        write_iolog: None,
        hooks: Vec::new(),
        create_only: false,
    }
}
