//! Each option that is honoured changes the job as it says.

use std::collections::BTreeSet;

use fio::Job;
use fio::LoadOptions;
use fio::engines::{EngineKind, Waits};
use fio::jobfile::parse_str;
use fio::options::{Class, find, option_table};
use fio::workload::{
    BlockSize, Distribution, ExitWhat, FileService, RandomGenerator, RwModifier, RwSequencer, Size,
    Sprandom, SteadyMetric, SubmitMode, SyncMode, ThinkBlocks, Zone, ZoneMode,
};
use stats::result::Unified;

type Check = fn(&Job) -> bool;

/// Lines of a job, the first being the option under test, and what they must bring about.
const CASES: &[(&str, Check)] = &[
    ("description=a b", |j| j.description.as_deref() == Some("a b")),
    ("name=x", |j| j.name == "x"),
    ("wait_for=first", |j| j.wait_for.as_deref() == Some("first")),
    ("filename=/dev/a:/dev/b", |j| j.filenames == ["/dev/a", "/dev/b"]),
    ("directory=/a:/b", |j| j.directories == ["/a", "/b"]),
    ("filename_format=$jobname.$jobnum", |j| {
        j.filename_format.as_deref() == Some("$jobname.$jobnum")
    }),
    ("rw=randread:8", |j| j.rw.random && j.rw.modifier == RwModifier::EveryNth(8)),
    ("readwrite=read:-8k", |j| j.rw.modifier == RwModifier::Stride(-8192)),
    ("rw=trimwrite", |j| j.rw.trim && j.rw.write && !j.rw.read),
    ("rw=randtrimwrite", |j| j.rw.name() == "randtrimwrite"),
    ("rw_sequencer=identical", |j| j.rw_sequencer == RwSequencer::Identical),
    ("bs=8k,16k", |j| j.block_size[2] == BlockSize::Fixed(16_384)),
    ("ba=512,4k", |j| j.block_align == [512, 4096, 4096]),
    ("bsrange=4k-1k,2k:8k", |j| {
        j.block_size[0] == BlockSize::Range { min: 1024, max: 4096 }
            && j.block_size[1] == BlockSize::Range { min: 2048, max: 8192 }
            && j.block_align[0] == 1024
    }),
    ("bssplit=4k/25:8k/75", |j| j.block_size[0].max() == 8192),
    ("bs_unaligned", |j| j.bs_unaligned),
    ("bs_is_seq_rand=1", |j| j.bs_is_seq_rand),
    ("randrepeat=0", |j| !j.randrepeat),
    ("allrandrepeat=0", |j| !j.randrepeat),
    ("randseed=42", |j| j.randseed == Some(42)),
    ("norandommap", |j| j.norandommap),
    ("softrandommap=1", |j| j.softrandommap),
    ("random_generator=lfsr", |j| j.random_generator == RandomGenerator::Lfsr),
    ("random_distribution=normal:20", |j| {
        j.random_distribution[0] == Distribution::Normal { deviation_percent: 20.0, center: 0.5 }
    }),
    ("random_distribution=zipf:1.2:0.25,pareto:0.3", |j| {
        j.random_distribution[0] == Distribution::Zipf { theta: 1.2, center: Some(0.25) }
            && j.random_distribution[1] == Distribution::Pareto { h: 0.3, center: None }
    }),
    ("random_distribution=zoned:60/10:/90,100/50", |j| {
        let zone =
            |access_percent, percent| Zone { access_percent, extent: Size::Percent(percent) };
        j.random_distribution[0] == Distribution::Zoned(vec![zone(60.0, 10), zone(40.0, 90)])
            && j.random_distribution[1] == Distribution::Zoned(vec![zone(100.0, 50)])
    }),
    ("random_distribution=zoned_abs:100/1g", |j| {
        let zone = Zone { access_percent: 100.0, extent: Size::Bytes(1 << 30) };
        j.random_distribution[0] == Distribution::ZonedAbsolute(vec![zone])
    }),
    ("random_sequence_stride=1\nrandom_distribution=sequence:2,0,1", |j| {
        j.random_distribution[0] == Distribution::Sequence { blocks: vec![2, 0, 1], stride: 1 }
    }),
    ("sprandom=1\nrw=randwrite", |j| {
        let usual = Sprandom { over_provisioning: 0.15, regions: 100 };
        j.sprandom == Some(usual) && j.norandommap && j.random_generator == RandomGenerator::Lfsr
    }),
    ("spr_op=0.28\nsprandom=1\nrw=randwrite", |j| {
        j.sprandom.is_some_and(|asked| asked.over_provisioning == 0.28)
    }),
    ("spr_num_regions=50\nsprandom=1\nrw=randwrite", |j| {
        j.sprandom.is_some_and(|asked| asked.regions == 50)
    }),
    ("percentage_random=10,20,30", |j| j.percentage_random == [10, 20, 30]),
    ("rwmixread=70", |j| j.rwmixread == 70),
    ("rwmixwrite=70", |j| j.rwmixread == 30),
    ("ioengine=libaio", |j| {
        j.engine == "libaio" && j.engine_kind == EngineKind::Async(Waits::TrimsAndFlushes)
    }),
    ("iodepth=8\nioengine=libaio", |j| j.iodepth == 8 && j.iodepth_low == 8),
    ("iodepth_batch=9\nioengine=libaio\niodepth=8", |j| j.iodepth_batch_submit == 8),
    ("iodepth_batch_submit=2\nioengine=libaio\niodepth=8", |j| j.iodepth_batch_submit == 2),
    ("iodepth_batch_complete=2\nioengine=libaio\niodepth=8", |j| j.iodepth_batch_complete_min == 2),
    ("iodepth_batch_complete_max=4\nioengine=libaio\niodepth=8", |j| {
        j.iodepth_batch_complete_max == 4
    }),
    ("iodepth_low=3\nioengine=libaio\niodepth=8", |j| j.iodepth_low == 3),
    ("serialize_overlap=1", |j| j.serialize_overlap),
    ("io_submit_mode=offload", |j| j.io_submit_mode == SubmitMode::Offload),
    ("size=1g", |j| j.size == Some(Size::Bytes(1 << 30))),
    ("io_limit=2g", |j| j.io_size == Some(Size::Bytes(2 << 30))),
    ("fill_fs=1", |j| j.fill_device),
    ("filesize=1m-4k", |j| j.file_size == Some((Size::Bytes(4096), Size::Bytes(1 << 20)))),
    ("file_append=1", |j| j.file_append),
    ("offset=50%", |j| j.offset == Size::Percent(50)),
    ("offset_align=1m\noffset=50%", |j| j.offset_of_clone(0, 3 << 20) == 2 << 20),
    ("offset_increment=1g", |j| j.offset_of_clone(3, 8 << 30) == 3 << 30),
    ("number_ios=10", |j| j.number_ios == Some(10)),
    ("nrfiles=4", |j| j.nrfiles == 4),
    ("openfiles=2", |j| j.openfiles == Some(2)),
    ("file_service_type=random:8", |j| j.file_service == FileService::Random { every: 8 }),
    ("fsync=8", |j| j.fsync == 8),
    ("fdatasync=8", |j| j.fdatasync == 8),
    ("sync_file_range=wait_before,write:8", |j| j.sync_file_range == 8),
    ("sync=1", |j| j.sync == SyncMode::Sync),
    ("sync=dsync", |j| j.sync == SyncMode::Dsync),
    ("writefua=1", |j| j.sync == SyncMode::Dsync),
    ("sg_write_mode=write", |_| true),
    ("write_mode=write", |_| true),
    ("direct=1", |j| j.direct),
    ("buffered=1", |j| !j.direct),
    ("loops=0", |j| j.loops == 1),
    ("loops=5", |j| j.loops == 5),
    ("numjobs=4", |j| j.numjobs == 4),
    ("startdelay=500ms", |j| j.start_delay_us == (500_000, 500_000)),
    ("timeout=2m", |j| j.runtime_us == Some(120_000_000)),
    ("time_based\nruntime=1", |j| j.time_based),
    ("ramp_time=5", |j| j.ramp_time_us == 5_000_000),
    ("verify=crc32c", |j| j.verify.as_deref() == Some("crc32c")),
    ("verify=0", |j| j.verify.is_none()),
    ("do_verify=0", |j| !j.do_verify),
    ("verify_only", |j| j.verify_only),
    ("verify_backlog=7", |j| j.verify_backlog == 7),
    ("verify_backlog_batch=7", |j| j.verify_backlog_batch == 7),
    ("trim_percentage=7", |j| j.trim_percentage == 7),
    ("trim_backlog=7", |j| j.trim_backlog == 7),
    ("trim_backlog_batch=7", |j| j.trim_backlog_batch == 7),
    ("write_iolog=x", |j| j.write_iolog.as_deref() == Some("x")),
    ("read_iolog=x", |j| j.replay.as_ref().is_some_and(|replay| replay.path == "x")),
    ("replay_no_stall=1\nread_iolog=x", |j| j.replay.as_ref().is_some_and(|r| r.no_stall)),
    ("replay_redirect=/d\nread_iolog=x", |j| {
        j.replay.as_ref().is_some_and(|r| r.redirect.as_deref() == Some("/d"))
    }),
    ("replay_scale=2\nread_iolog=x", |j| j.replay.as_ref().is_some_and(|r| r.scale == 2)),
    ("replay_align=4k\nread_iolog=x", |j| j.replay.as_ref().is_some_and(|r| r.align == 4096)),
    ("replay_time_scale=50\nread_iolog=x", |j| {
        j.replay.as_ref().is_some_and(|r| r.time_scale_percent == 50)
    }),
    ("replay_skip=read,trim\nread_iolog=x", |j| {
        j.replay.as_ref().is_some_and(|r| r.skip == [true, false, true])
    }),
    ("exec_prerun=a", |j| j.hooks == ["a"]),
    ("exec_postrun=b", |j| j.hooks == ["b"]),
    ("zonemode=strided\nzonesize=1m\nzoneskip=2m", |j| {
        j.zone_mode == ZoneMode::Strided { size: 1 << 20, range: 1 << 20, skip: 2 << 20 }
    }),
    ("zonesize=1m\nzonerange=4m", |j| {
        j.zone_mode == ZoneMode::Strided { size: 1 << 20, range: 4 << 20, skip: 0 }
    }),
    ("zonerange=4m", |j| j.zone_mode == ZoneMode::None),
    ("zoneskip=4m", |j| j.zone_mode == ZoneMode::None),
    ("thinktime=5ms", |j| j.thinktime_us == 5000),
    ("thinktime_spin=5", |j| j.thinktime_spin_us == 5),
    ("thinktime_blocks=9", |j| j.thinktime_blocks == 9),
    ("thinktime_blocks_type=issue", |j| j.thinktime_blocks_type == ThinkBlocks::Issue),
    ("thinktime_iotime=9", |j| j.thinktime_iotime_us == 9_000_000),
    ("rate=1m,,2m", |j| j.rate == [Some(1 << 20), None, Some(2 << 20)]),
    ("ratemin=1k", |j| j.rate_min == [Some(1024); 3]),
    ("rate_iops=100,", |j| j.rate_iops == [Some(100), None, None]),
    ("rate_iops_min=5", |j| j.rate_iops_min == [Some(5); 3]),
    ("rate_process=poisson", |j| j.rate_process == fio::workload::RateProcess::Poisson),
    ("rate_cycle=10", |j| j.rate_cycle_us == 10_000),
    ("rate_ignore_thinktime=1", |j| j.rate_ignore_thinktime),
    ("max_latency=5ms,7", |j| j.max_latency_us == [Some(5000), Some(7), Some(7)]),
    ("latency_target=500", |j| j.latency_target.is_some_and(|t| t.target_us == 500)),
    ("latency_window=5s\nlatency_target=1ms", |j| {
        j.latency_target.is_some_and(|target| target.window_us == 5_000_000)
    }),
    ("latency_percentile=99.9\nlatency_target=1ms", |j| {
        j.latency_target.is_some_and(|target| target.percentile == 99.9)
    }),
    ("latency_run=1\nlatency_target=1ms", |j| j.latency_target.is_some_and(|target| target.run)),
    ("create_only=1", |j| j.create_only),
    ("end_fsync=1", |j| j.end_fsync),
    ("fsync_on_close=1", |j| j.fsync_on_close),
    ("thread", |j| j.thread),
    ("exitall", |j| j.exit_all),
    ("exit_what=all", |j| j.exit_what == ExitWhat::All),
    ("wait_for_previous", |j| j.stonewall && j.group_id == 1),
    ("new_group", |j| j.new_group && j.group_id == 1),
    ("per_job_logs=0", |j| !j.logs.per_job),
    ("write_bw_log=x", |j| j.logs.bw.as_deref() == Some("x")),
    ("write_lat_log=x", |j| j.logs.lat.as_deref() == Some("x")),
    ("write_iops_log", |j| j.logs.iops.as_deref() == Some("tested")),
    ("write_hist_log=x", |j| j.logs.hist.as_deref() == Some("x")),
    ("bwavgtime=100", |j| j.logs.bw_avg_ms == 100),
    ("iopsavgtime=100", |j| j.logs.iops_avg_ms == 100),
    ("log_avg_msec=100", |j| j.logs.avg_ms == 100),
    ("log_hist_msec=100", |j| j.logs.hist_ms == 100),
    ("log_hist_coarseness=6", |j| j.logs.hist_coarseness == 6),
    ("log_max_value=1", |j| j.logs.max_value),
    ("log_window_value=max", |j| j.logs.max_value),
    ("log_offset=1", |j| j.logs.offset),
    ("log_prio=1", |j| j.logs.prio),
    ("log_unix_epoch=1", |j| j.logs.unix_epoch),
    ("group_reporting", |j| j.group_reporting),
    ("unified_rw_reporting=both", |j| j.unified == Unified::Both),
    ("zero_buffers", |j| j.zero_buffers),
    ("refill_buffers=1", |j| j.refill_buffers),
    ("scramble_buffers=0", |j| !j.scramble_buffers),
    ("buffer_pattern=0xff", |j| j.buffer_pattern.as_deref() == Some("0xff")),
    ("buffer_compress_percentage=50", |j| j.buffer_compress_percentage == Some(50)),
    ("buffer_compress_chunk=4k", |j| j.buffer_compress_chunk == 4096),
    ("dedupe_percentage=50", |j| j.dedupe_percentage == Some(50)),
    ("clat_percentiles=0", |j| !j.latencies.clat_percentiles),
    ("lat_percentiles=1", |j| j.latencies.lat_percentiles),
    ("slat_percentiles=1", |j| j.latencies.slat_percentiles),
    ("percentile_list=99:50:99", |j| j.latencies.percentile_list == [50.0, 99.0]),
    ("gtod_reduce=1", |j| j.latencies.disable_lat && j.latencies.disable_bw),
    ("disable_lat=1", |j| j.latencies.disable_lat),
    ("disable_clat=1", |j| j.latencies.disable_clat),
    ("disable_slat=1", |j| j.latencies.disable_slat),
    ("disable_bw=1", |j| j.latencies.disable_bw),
    ("kb_base=1000\nbs=4k", |j| j.block_size[0] == BlockSize::Fixed(4000)),
    ("flow_id=3", |j| j.flow_id == 3),
    ("flow=3", |j| j.flow == 3),
    ("flow_watermark=3", |j| j.flow_watermark == 3),
    ("flow_sleep=3", |j| j.flow_sleep_us == 3),
    ("steadystate=lat:5\nss_dur=10", |j| {
        j.steady_state.is_some_and(|s| s.metric == SteadyMetric::Lat && !s.slope && s.limit == 5.0)
    }),
    ("steadystate_duration=10s\nss=iops:1%", |j| {
        j.steady_state.is_some_and(|s| s.duration_us == 10_000_000)
    }),
    ("ss_ramp=5\nss=iops:1%\nss_dur=10", |j| {
        j.steady_state.is_some_and(|s| s.ramp_us == 5_000_000)
    }),
    ("ss_interval=5\nss=iops:1%\nss_dur=10", |j| {
        j.steady_state.is_some_and(|s| s.interval_us == 5_000_000)
    }),
];

#[test]
fn every_honoured_option_has_its_effect() {
    for (lines, check) in CASES {
        let text = format!("[first]\ndirect=1\n[tested]\ndirect=1\n{lines}\n");
        let file = parse_str("t.fio", &text, &LoadOptions::default())
            .unwrap_or_else(|error| panic!("{lines}: {error}"));
        assert!(check(&file.jobs[1]), "{lines}");
    }
}

#[test]
fn every_honoured_option_is_tested() {
    let tested: BTreeSet<&str> = CASES
        .iter()
        .map(|(lines, _)| {
            let name = lines.split(['=', '\n']).next().unwrap();
            find(name).unwrap_or_else(|| panic!("{name}")).name
        })
        .collect();
    for row in option_table().iter().filter(|row| row.class == Class::Honoured) {
        assert!(tested.contains(row.name), "{} is not tested", row.name);
    }
}

/// The options that make up nine tenths of the job files in public repositories.
const USED: &[&str] = &[
    "rw",
    "ioengine",
    "direct",
    "bs",
    "iodepth",
    "numjobs",
    "size",
    "group_reporting",
    "runtime",
    "filename",
    "time_based",
    "norandommap",
    "randrepeat",
    "percentile_list",
    "invalidate",
    "thread",
    "loops",
    "ramp_time",
    "rate",
    "gtod_reduce",
    "write_bw_log",
    "percentage_random",
    "refill_buffers",
    "log_avg_msec",
    "random_generator",
    "thinktime",
    "thinktime_blocks",
    "write_lat_log",
    "blockalign",
    "bssplit",
    "offset",
    "verify",
    "stonewall",
    "rwmixread",
    "name",
    "startdelay",
    "directory",
    "rate_iops",
    "do_verify",
    "buffer_compress_percentage",
    "rwmixwrite",
    "verify_dump",
    "nrfiles",
    "create_on_open",
    "verify_backlog",
    "verify_state_save",
    "buffered",
    "verify_fatal",
    "filesize",
    "random_distribution",
    "offset_increment",
    "write_iops_log",
    "unlink",
    "offset_align",
    "steadystate",
    "steadystate_ramp_time",
    "steadystate_duration",
    "description",
    "serialize_overlap",
    "create_serialize",
    "bsrange",
    "iodepth_batch",
    "io_size",
    "fallocate",
    "verify_pattern",
    "openfiles",
    "iodepth_low",
    "fsync_on_close",
    "io_submit_mode",
    "verify_interval",
    "fill_device",
    "rate_process",
    "spdk_json_conf",
    "spdk_conf",
    "gflags",
    "cpumask",
    "lockfile",
];

#[test]
fn the_example_files_use_what_public_files_use() {
    let text = [
        include_str!("jobs/steady.fio"),
        include_str!("jobs/mixed.fio"),
        include_str!("jobs/verify.fio"),
    ]
    .join("\n");
    let used: BTreeSet<&str> = text
        .lines()
        .filter_map(|line| find(line.split('=').next()?.trim()))
        .map(|row| row.name)
        .collect();
    for name in USED {
        let row = find(name).unwrap_or_else(|| panic!("{name} is unknown"));
        assert!(used.contains(row.name), "no file in tests/jobs uses {name}");
    }
    assert!(text.lines().any(|line| line.starts_with("include ")));
}
