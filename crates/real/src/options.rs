//! The treatment of each option of a job file on a real drive.
//!
//! fio has options that run programs, change the system, or write to arbitrary places. So the list
//! is of what is known to be harmless; an option that is on no list is refused, rather than trusted
//! because nobody had thought of it.

/// What becomes of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It goes to fio as it is.
    Pass,
    /// It names files, and is replaced by the permitted path.
    Files,
    /// It would touch something else and is left out, with this reason.
    Drop(&'static str),
    /// A log, which goes to the scratch directory.
    Log,
    /// A trace, whose every access is redirected to the permitted path.
    Trace,
    /// The I/O engine, of which only those in [`ENGINES`] pass.
    Engine,
    /// Where buffers are: passes unless it names a file.
    Memory,
    /// Content of buffers: passes unless it names a file.
    Pattern,
    /// Passes on a block device; a file would grow until its file system is full.
    FillDevice,
    /// The test would be another one without it, and with it another place is touched.
    Refuse(&'static str),
    /// On no list.
    Unknown,
}

/// Engines that do nothing but read, write, trim and flush the named file.
pub const ENGINES: [&str; 12] = [
    "sync", "psync", "vsync", "pvsync", "pvsync2", "libaio", "io_uring", "posixaio", "mmap",
    "splice", "null", "linuxaio",
];

/// What becomes of the option of this name.
pub fn fate(name: &str) -> Fate {
    match name {
        "filename" | "directory" | "filename_format" | "unique_filename" | "opendir"
        | "nrfiles" | "nr_files" | "openfiles" | "file_service_type" => Fate::Files,
        "write_bw_log" | "write_iops_log" | "write_lat_log" | "write_hist_log" => Fate::Log,
        "read_iolog" => Fate::Trace,
        "ioengine" => Fate::Engine,
        "mem" | "iomem" => Fate::Memory,
        "verify_pattern" | "buffer_pattern" => Fate::Pattern,
        "fill_device" | "fill_fs" => Fate::FillDevice,
        "exec_prerun" | "exec_postrun" => Fate::Drop("it runs a program"),
        "write_iolog" | "replay_redirect" => Fate::Drop("it names another file"),
        "verify_dump" | "verify_state_load" | "verify_state_save" | "lockfile" => {
            Fate::Drop("it makes or reads other files")
        }
        "unlink" | "unlink_each_loop" => Fate::Drop("it deletes the file under test"),
        "allow_mounted_write" => Fate::Drop("nothing mounted is written"),
        "allow_file_create" => Fate::Drop("the file is made beforehand"),
        "ioscheduler" | "cgroup" | "cgroup_nodelete" | "cgroup_weight" | "uid" | "gid" => {
            Fate::Drop("it changes the system; set it yourself before the run")
        }
        "per_job_logs" | "log_store_compressed" | "log_compression" | "log_compression_cpus" => {
            Fate::Drop("logs are read back, one a job and uncompressed")
        }
        "error_dump" => Fate::Drop("it has no effect"),
        "merge_blktrace_file" | "merge_blktrace_scalars" | "merge_blktrace_iters" => {
            Fate::Refuse("it writes a merged trace; merge the traces beforehand")
        }
        "profile" => Fate::Refuse("it sets options that cannot be checked; write them out"),
        _ if PASS.contains(&name) => Fate::Pass,
        _ => Fate::Unknown,
    }
}

/// Options that concern only how the named file is accessed and how results are shown.
#[rustfmt::skip]
const PASS: &[&str] = &[
    // What is accessed, and in which pieces.
    "rw", "readwrite", "bs", "blocksize", "ba", "blockalign", "bsrange", "blocksize_range",
    "bssplit", "bs_unaligned", "blocksize_unaligned", "bs_is_seq_rand", "size", "io_size",
    "io_limit", "filesize", "file_append", "offset", "fileoffset", "offset_increment",
    "offset_align", "number_ios", "random_distribution", "random_generator", "randrepeat",
    "allrandrepeat", "randseed", "norandommap", "softrandommap", "percentage_random",
    "rw_sequencer", "rwmixread", "rwmixwrite", "rwmixcycle", "loops", "fallocate",
    "fadvise_hint", "fadvise", "pre_read", "invalidate", "overwrite", "sprandom", "spr_op",
    "spr_num_regions", "spr_cs", "num_range",
    "zonemode", "zonesize", "zonecapacity", "zonerange", "zoneskip", "read_beyond_wp",
    "max_open_zones", "job_max_open_zones", "ignore_zone_limits", "zone_reset_threshold",
    "zone_reset_frequency", "initial_zone_reset", "recover_zbd_write_error",
    // How it is submitted.
    "iodepth", "iodepth_batch", "iodepth_batch_submit", "iodepth_batch_complete",
    "iodepth_batch_complete_min", "iodepth_batch_complete_max", "iodepth_low",
    "serialize_overlap", "io_submit_mode", "direct", "buffered", "atomic", "sync", "fsync",
    "fdatasync", "write_barrier", "sync_file_range", "end_fsync", "fsync_on_close", "write_hint",
    "create_serialize", "create_fsync", "create_on_open", "create_only", "userspace_reap",
    "nowait", "hipri", "hipri_percentage", "fixedbufs", "registerfiles", "sqthread_poll",
    "sqthread_poll_cpu", "nonvectored", "uncached", "dontcache", "force_async", "thp",
    "cmdprio_percentage", "cmdprio_class", "cmdprio", "cmdprio_hint", "cmdprio_bssplit",
    // When.
    "startdelay", "runtime", "timeout", "time_based", "ramp_time", "ramp_size", "thinktime",
    "thinktime_spin", "thinktime_blocks", "thinktime_blocks_type", "thinktime_iotime", "rate",
    "rate_min", "ratemin", "rate_iops", "rate_iops_min", "rate_process", "rate_cycle",
    "ratecycle", "rate_ignore_thinktime", "max_latency", "latency_target", "latency_window",
    "latency_percentile", "latency_run", "clocksource", "gtod_reduce", "gtod_cpu", "flow",
    "flow_id", "flow_sleep", "flow_watermark", "steadystate", "ss", "steadystate_duration",
    "ss_dur", "steadystate_ramp_time", "ss_ramp", "steadystate_check_interval", "ss_interval",
    "idletime",
    // By whom.
    "name", "description", "wait_for", "stonewall", "wait_for_previous", "new_group", "numjobs",
    "thread", "nice", "prio", "prioclass", "priohint", "cpumask", "cpus_allowed",
    "cpus_allowed_policy", "numa_cpu_nodes", "numa_mem_policy", "exitall", "exit_what",
    "exitall_on_error", "continue_on_error", "ignore_error", "lockmem", "hugepage-size",
    // Content and verification.
    "zero_buffers", "refill_buffers", "scramble_buffers", "buffer_compress_percentage",
    "buffer_compress_chunk", "dedupe_percentage", "dedupe_mode",
    "dedupe_working_set_percentage", "dedupe_global", "verify", "do_verify", "verify_only",
    "verify_interval", "verify_offset", "verify_fatal", "verify_async", "verify_async_cpus",
    "verify_backlog", "verify_backlog_batch", "verifysort", "verifysort_nr",
    "experimental_verify", "verify_write_sequence", "verify_header_seed", "trim_percentage",
    "trim_verify_zero", "trim_backlog", "trim_backlog_batch",
    // Replay.
    "read_iolog_chunked", "replay_no_stall", "replay_scale", "replay_align",
    "replay_time_scale", "replay_skip",
    // What is shown.
    "group_reporting", "stats", "bwavgtime", "iopsavgtime", "log_entries", "log_avg_msec",
    "log_hist_msec", "log_hist_coarseness", "log_max_value", "log_window_value", "log_offset",
    "log_prio", "log_issue_time", "log_unix_epoch", "log_alternate_epoch",
    "log_alternate_epoch_clock_id", "job_start_clock_id", "clat_percentiles", "lat_percentiles",
    "slat_percentiles", "percentile_list", "block_error_percentiles", "significant_figures",
    "disk_util", "disable_lat", "disable_clat", "disable_slat", "disable_bw_measurement",
    "disable_bw", "unified_rw_reporting", "kb_base", "unit_base",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_reaches_elsewhere_does_not_pass() {
        for name in ["exec_prerun", "directory", "write_iolog", "opendir", "ioscheduler", "nosuch"]
        {
            assert_ne!(fate(name), Fate::Pass, "{name}");
        }
        assert_eq!((fate("rw"), fate("Exec_prerun")), (Fate::Pass, Fate::Unknown));
    }

    #[test]
    fn engines_that_reach_elsewhere_are_not_listed() {
        for name in ["exec", "external", "filedelete", "ftruncate", "net", "sg", "e4defrag"] {
            assert!(!ENGINES.contains(&name), "{name}");
        }
    }
}
