//! A job being built: options in, [`Job`] out.

use std::collections::BTreeMap;

use stats::result::{DEFAULT_PERCENTILES, Unified};

use super::value::{Entry, Value, Warnings};
use super::{apply_data, apply_offsets, apply_report, apply_timing, checks};
use crate::diagnostic::{Diagnostic, Place};
use crate::engines::{self, EngineKind};
use crate::job::Job;
use crate::options::Class;
use crate::workload::{
    BlockSize, Distribution, ExitWhat, FileService, Latencies, LatencyTarget, Logs, PerDirection,
    RandomGenerator, RateProcess, Replay, Rw, RwSequencer, Size, SplitEntry, SteadyMetric,
    SteadyState, SubmitMode, SyncMode, ThinkBlocks, ZoneMode,
};

/// What several options decide together, until all are known.
pub(super) struct Draft {
    pub(super) job: Job,
    pub(super) bs: PerDirection<u64>,
    pub(super) bs_range: PerDirection<Option<(u64, u64)>>,
    pub(super) bs_split: PerDirection<Option<Vec<SplitEntry>>>,
    pub(super) block_align: PerDirection<Option<u64>>,
    pub(super) sequence_stride: u64,
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
    places: BTreeMap<&'static str, Place>,
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

    /// Applies the options in order and checks the whole.
    pub(super) fn resolve(
        mut self,
        globals: &[Entry],
        own: &[Entry],
        overrides: &[Entry],
        warnings: &mut Warnings,
    ) -> Result<Job, Diagnostic> {
        let all = || globals.iter().chain(own).chain(overrides);
        // The meaning of `k` and the engine come first, wherever they stand: a job for an engine
        // that is refused should be told so rather than stumble over that engine's options.
        let last = |name: &str| all().rfind(|entry| entry.row.name == name);
        let kilo = match last("kb_base") {
            Some(entry) if Value { entry, kilo: 1024 }.word()? == "1000" => 1000,
            _ => 1024,
        };
        if let Some(entry) = last("ioengine") {
            self.engine(&Value { entry, kilo })?;
        }
        for entry in all() {
            self.apply(&Value { entry, kilo }, warnings)?;
        }
        self.job.options = own.iter().map(Entry::echo).collect();
        checks::finish(self, warnings)
    }

    /// Where an option was last set, or where the section begins.
    pub(super) fn place_of(&self, name: &str) -> &Place {
        self.places.get(name).unwrap_or(&self.job.place)
    }

    /// Whether an option was set.
    pub(super) fn is_set(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }

    fn engine(&mut self, value: &Value<'_>) -> Result<(), Diagnostic> {
        let found = engines::resolve(value.required()?);
        let (name, kind) = found.map_err(|(message, help)| {
            Diagnostic::new(&value.entry.value_place, message).with_help(help)
        })?;
        self.job.engine = name.to_owned();
        self.job.engine_kind = kind;
        Ok(())
    }

    fn apply(&mut self, value: &Value<'_>, warnings: &mut Warnings) -> Result<(), Diagnostic> {
        let row = value.entry.row;
        if crate::number::has_bare_binary_suffix(value.text()) {
            let message = format!(
                "`{}`: `{}` is read with a kilo of {}, as fio does against its manual",
                row.name,
                value.text(),
                value.kilo
            );
            let warning = Diagnostic::new(&value.entry.value_place, message)
                .with_help("leave out the `i`, or write the bytes");
            warnings.once("bare binary suffix", warning);
        }
        match row.class {
            Class::Honoured => self.honour(value, warnings)?,
            Class::Ignored(reason) => {
                value.check()?;
                let message = format!("option `{}` is ignored: {reason}", row.name);
                warnings.once(row.name, Diagnostic::new(&value.entry.name_place, message));
            }
            Class::Refused(reason) => {
                let message = format!("option `{}` is refused: {reason}", row.name);
                let help = "remove it, or run the job on a real drive";
                return Err(Diagnostic::new(&value.entry.name_place, message).with_help(help));
            }
        }
        self.places.insert(row.name, value.entry.value_place.clone());
        Ok(())
    }

    fn honour(&mut self, value: &Value<'_>, warnings: &mut Warnings) -> Result<(), Diagnostic> {
        let known = matches!(value.name(), "kb_base" | "ioengine")
            || apply_offsets::apply(self, value, warnings)?
            || apply_timing::apply(self, value)?
            || apply_data::apply(self, value, warnings)?
            || apply_report::apply(self, value, warnings)?;
        // A row without an arm is a mistake in this crate, and a test looks for it.
        debug_assert!(known, "no code reads the option {}", value.name());
        Ok(())
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
