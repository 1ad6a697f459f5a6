//! Reading whole files: sections, includes, variables, units, and the files in `tests/jobs`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fio::jobfile::{load, parse_str};
use fio::workload::{
    BlockSize, Distribution, RateProcess, Size, SplitEntry, SteadyMetric, SubmitMode,
};
use fio::{Job, JobFile, LoadOptions};

fn jobs_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/jobs")
}

fn parse(text: &str) -> JobFile {
    parse_str("t.fio", text, &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn job(options: &str) -> Job {
    parse(&format!("[a]\ndirect=1\n{options}")).jobs.remove(0)
}

#[test]
fn steady_state_file() {
    let file = load(&jobs_dir().join("steady.fio"), &LoadOptions::default()).unwrap();
    assert!(file.warnings.is_empty(), "{:?}", file.warnings);
    let [fill, steady] = file.jobs.as_slice() else { panic!("two jobs") };
    assert_eq!((fill.rw.name(), fill.iodepth, fill.loops), ("write", 32, 2));
    assert_eq!(fill.size, Some(Size::Percent(100)));
    assert_eq!(fill.block_size[1], BlockSize::Fixed(128 << 10));
    assert_eq!(fill.latencies.percentile_list, [50.0, 99.0, 99.9, 99.99]);
    assert_eq!((fill.group_id, steady.group_id), (0, 1));
    assert_eq!(steady.name, "random-writes");
    assert_eq!((steady.numjobs, steady.time_based, steady.norandommap), (4, true, true));
    assert_eq!(steady.runtime_us, Some(7_200_000_000));
    assert_eq!(steady.ramp_time_us, 30_000_000);
    let state = steady.steady_state.unwrap();
    assert_eq!((state.metric, state.slope), (SteadyMetric::Bw, true));
    assert_eq!((state.limit, state.limit_is_percent), (0.3, true));
    assert_eq!((state.duration_us, state.ramp_us), (600_000_000, 60_000_000));
    assert_eq!(steady.logs.bw.as_deref(), Some("steady"));
    assert_eq!(steady.logs.lat.as_deref(), Some("random-writes"));
    assert_eq!(steady.logs.avg_ms, 1000);
}

#[test]
fn mixed_file() {
    let file = load(&jobs_dir().join("mixed.fio"), &LoadOptions::default()).unwrap();
    let [mail, backup] = file.jobs.as_slice() else { panic!("two jobs") };
    let entry = |bytes, percent| SplitEntry { bytes, percent };
    assert_eq!(
        mail.block_size[0],
        BlockSize::Split(vec![entry(4096, 60), entry(8192, 20), entry(65_536, 20)])
    );
    assert_eq!(mail.block_size[1], BlockSize::Split(vec![entry(4096, 100)]));
    assert_eq!(mail.block_align, [4096; 3]);
    assert_eq!(mail.percentage_random, [100, 80, 80]);
    let zipf = Distribution::Zipf { theta: 1.2, center: None };
    assert_eq!(mail.random_distribution[0], zipf);
    assert!(mail.norandommap, "a skewed distribution has no map");
    assert_eq!(mail.rate, [Some(20 << 20), Some(10 << 20), Some(10 << 20)]);
    assert_eq!(mail.rate_process, RateProcess::Poisson);
    assert_eq!(mail.start_delay_us, (1_000_000, 3_000_000));
    assert_eq!((mail.thinktime_us, mail.thinktime_blocks), (100, 4));
    assert_eq!(mail.io_submit_mode, SubmitMode::Offload);
    assert!(!mail.latencies.gtod_reduce, "the second [global] stands below this job");
    assert!(backup.latencies.gtod_reduce && backup.latencies.disable_clat);
    assert_eq!(backup.block_size[0], BlockSize::Range { min: 64 << 10, max: 256 << 10 });
    assert_eq!(backup.rwmixread, 60);
    assert_eq!(backup.offset_of_clone(0, 100 << 30), 10 << 30);
    assert_eq!(backup.offset_of_clone(2, 100 << 30), 50 << 30);
    assert_eq!((backup.iodepth_batch_submit, backup.iodepth_low), (4, 2));
    let ignored: Vec<&str> =
        file.warnings.iter().filter_map(|w| w.message.split('`').nth(1)).collect();
    let expected = [
        "invalidate",
        "create_serialize",
        "create_on_open",
        "unlink",
        "fallocate",
        "cpumask",
        "lockfile",
        "gflags",
        "spdk_conf",
        "spdk_json_conf",
    ];
    assert_eq!(ignored, expected, "each once, although two jobs inherit them");
}

#[test]
fn includes_and_variables() {
    let env = BTreeMap::from([("DEPTH".to_owned(), "64".to_owned())]);
    let options = LoadOptions { env, ..LoadOptions::default() };
    let file = load(&jobs_dir().join("verify.fio"), &options).unwrap();
    let job = &file.jobs[0];
    assert_eq!((job.iodepth, job.direct), (64, true));
    assert_eq!(job.size, Some(Size::Bytes(4 << 20)));
    assert_eq!(job.block_size[1], BlockSize::Fixed(8192));
    assert_eq!(job.verify.as_deref(), Some("md5"));
    let depth = ("iodepth".to_owned(), "64".to_owned());
    assert!(file.global_options.contains(&depth), "the echo is expanded");
}

#[test]
fn the_echo_has_canonical_names_and_results() {
    let file = parse("[global]\nblocksize=4k\ntime_based\n[a]\nsize=64*$pagesize\ntimeout=3\n");
    let pairs = |list: &[(String, String)]| -> Vec<String> {
        list.iter().map(|(name, value)| format!("{name}={value}")).collect()
    };
    assert_eq!(pairs(&file.global_options), ["bs=4k", "time_based="]);
    assert_eq!(pairs(&file.jobs[0].options), ["size=262144", "runtime=3"]);
}

#[test]
fn flags_take_nothing_or_a_digit() {
    for (line, expected) in
        [("norandommap", true), ("norandommap=1", true), ("norandommap=0", false)]
    {
        assert_eq!(job(line).norandommap, expected, "{line}");
    }
}

#[test]
fn comments_begin_anywhere() {
    let job = job("iodepth=7 ; seven\nioengine=libaio # async\n  # nothing\n;nothing\n");
    assert_eq!((job.iodepth, job.engine.as_str()), (7, "libaio"));
}

#[test]
fn kb_base_counts_wherever_it_is() {
    assert_eq!(job("bs=4k\nkb_base=1000").block_size[0], BlockSize::Fixed(4000));
    assert_eq!(job("bs=4kib\nkb_base=1000").block_size[0], BlockSize::Fixed(4096));
}

#[test]
fn groups_begin_at_stonewalls_and_new_groups() {
    let text = "[a]\nstonewall\n[b]\n[c]\nstonewall\n[d]\nnew_group\n";
    let groups: Vec<u32> = parse(text).jobs.iter().map(|job| job.group_id).collect();
    assert_eq!(groups, [0, 0, 1, 2]);
}

#[test]
fn synchronous_engines_have_depth_one() {
    let file = parse("[a]\ndirect=1\nioengine=psync\niodepth=32\n");
    assert_eq!(file.jobs[0].iodepth, 1);
    assert_eq!(
        file.warnings[0].to_string(),
        "t.fio:4:9: `iodepth`: engine `psync` is synchronous, so the depth is 1\n  help: use an \
         asynchronous engine such as libaio, or numjobs"
    );
}

#[test]
fn shares_over_directions() {
    let sizes = |text: &str| job(&format!("bs={text}")).block_size.map(|size| size.min());
    assert_eq!(sizes("8k"), [8192, 8192, 8192]);
    assert_eq!(sizes("8k,"), [8192, 4096, 4096]);
    assert_eq!(sizes("8k,16k"), [8192, 16_384, 16_384]);
    assert_eq!(sizes(",8k"), [4096, 8192, 8192]);
    assert_eq!(sizes(",8k,"), [4096, 8192, 4096]);
    assert_eq!(sizes("1k,2k,4k"), [1024, 2048, 4096]);
}

#[test]
fn overrides_come_last() {
    let overrides = vec![("runtime".to_owned(), "5".to_owned())];
    let options = LoadOptions { overrides, ..LoadOptions::default() };
    let file = parse_str("t.fio", "[a]\ndirect=1\nruntime=60\n", &options).unwrap();
    assert_eq!(file.jobs[0].runtime_us, Some(5_000_000));
}

#[test]
fn an_implicit_job_runs_a_file_of_globals() {
    let options = LoadOptions { implicit_job: Some("all".to_owned()), ..LoadOptions::default() };
    let file = parse_str("t.fio", "[global]\ndirect=1\nrw=trim\n", &options).unwrap();
    assert_eq!((file.jobs[0].name.as_str(), file.jobs[0].rw.name()), ("all", "trim"));
}

#[test]
fn more_than_the_whole_is_moved_twice() {
    let job = job("size=200%");
    assert_eq!((job.size, job.io_size), (Some(Size::Percent(100)), Some(Size::Percent(200))));
}

#[test]
fn percentages_of_offsets_are_aligned() {
    let job = job("bs=4k\noffset=33%");
    assert_eq!(job.offset_of_clone(0, 1_000_000), 331_776);
}

#[test]
fn percentages_of_increments_are_aligned_too() {
    // fio 3.33 reads this file of 1001 pages from 3145728 on in its fourth copy.
    let job = job("bs=128k\nnumjobs=4\nsize=25%\noffset_increment=25%");
    assert_eq!(job.offset_of_clone(3, 1001 * 4096), 3_145_728);
    assert_eq!(job.offset_of_clone(0, 1001 * 4096), 0);
}

#[test]
fn the_last_engine_counts() {
    let file = parse("[global]\nioengine=net\n[a]\ndirect=1\nioengine=io_uring\n");
    assert_eq!(file.jobs[0].engine, "io_uring");
}

/// A group that reports together is an entry named as its first job, copies share theirs, and a
/// group whose name stood before goes on under it, with all of its jobs.
#[test]
fn a_report_has_an_entry_for_each_name() {
    let of = |jobs: &str| {
        let file = parse(&format!("[global]\nfilename=/dev/x\nrw=read\n{jobs}"));
        let entries = file.entries().into_iter();
        entries.map(|(name, jobs)| format!("{name} {jobs:?}")).collect::<Vec<_>>()
    };
    assert_eq!(of("[a]\n[b]\n[a]\n"), ["a [0, 2]", "b [1]"]);
    assert_eq!(of("group_reporting\n[a]\n[b]\n"), ["a [0, 1]"]);
    assert_eq!(of("group_reporting\n[a]\n[b]\nnew_group\n[c]\n"), ["a [0]", "b [1, 2]"]);
    let again = "group_reporting\n[a]\n[b]\nnew_group\n[a]\nnew_group\n[c]\n";
    assert_eq!(of(again), ["a [0, 2, 3]", "b [1]"]);
}
