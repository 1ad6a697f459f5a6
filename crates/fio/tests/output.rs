//! What is written is what fio would write, and can be read again.

use fio::json_in::{self, JsonError};
use fio::output::{JsonKind, Provenance, banner, json, normal};
use fio::{LoadOptions, jobfile};
use proptest::prelude::*;
use serde_json::Value;
use stats::result::{DiskCounters, DiskUtil, Unified};
use stats::{
    BandwidthSamples, Direction, IopsSamples, JobResult, LatencyBands, LatencyResult, LatencyTally,
    RunResult, SteadyStateResult,
};

/// A latency of a thousand samples between 80 us and 1.2 ms.
fn latency(shift_ns: u64, percents: &[f64]) -> LatencyResult {
    let mut tally = LatencyTally::new();
    for step in 0..1000_u64 {
        tally.record(80_000 + shift_ns + step * step + (step / 990) * 100_000);
    }
    LatencyResult::from_tally(&tally, percents)
}

/// A second of mixed I/O and its flushes.
fn sample() -> RunResult {
    let percents = [50.0, 99.0, 99.9];
    let mut job = JobResult {
        jobname: "mail".to_owned(),
        desc: Some("a server".to_owned()),
        numjobs: 2,
        elapsed_s: 2,
        job_options: vec![
            ("rw".to_owned(), "randrw".to_owned()),
            ("numjobs".to_owned(), "2".to_owned()),
            ("group_reporting".to_owned(), String::new()),
        ],
        job_runtime_ms: 2000,
        usr_cpu: 1.25,
        iodepth_level: [0.1, 0.1, 99.9, 0.0, 0.0, 0.0, 0.0],
        iodepth_submit: [0.0, 100.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        iodepth_complete: [0.0, 100.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        latency_depth: 4,
        percentile_list: percents.to_vec(),
        ..JobResult::default()
    };
    for (side, ios) in [(Direction::Read, 1000), (Direction::Write, 500)] {
        let result = job.direction_mut(side);
        result.total_ios = ios;
        result.io_bytes = ios * 4096;
        result.runtime_ms = 1000;
        result.derive_rates();
        result.slat = latency(0, &[]);
        result.clat = latency(0, &percents);
        result.lat = latency(900, &[]);
        result.bw_samples = BandwidthSamples {
            min_kib_s: 3900,
            max_kib_s: 4100,
            agg_percent: 99.5,
            mean_kib_s: 4000.0,
            dev_kib_s: 12.5,
            samples: 4,
        };
        result.iops_samples =
            IopsSamples { min: 975, max: 1025, mean: 1000.0, stddev: 3.125, samples: 4 };
    }
    let histogram = job.read().clat.histogram.clone().unwrap_or_default();
    job.latency_bands = LatencyBands::from_histogram(&histogram, 1000);
    job.sync.total_ios = 10;
    job.sync.lat = latency(500_000, &percents);
    job.steadystate = Some(SteadyStateResult {
        ss: "iops:5.000000%".to_owned(),
        duration_s: 1,
        attained: true,
        criterion: "1.500000%".to_owned(),
        max_deviation: 15.0,
        bw_mean_bytes_s: 6_144_000,
        iops_mean: 1500,
        iops: vec![1500],
        bw_bytes_s: vec![6_144_000],
        ..SteadyStateResult::default()
    });
    let own =
        DiskCounters { read_ios: 1000, write_ios: 500, util_percent: 99.5, ..Default::default() };
    RunResult {
        fio_version: "fio-3.33".to_owned(),
        timestamp_s: 1_700_000_000,
        timestamp_ms: 1_700_000_000_123,
        time: "Tue Nov 14 22:13:20 2023".to_owned(),
        global_options: vec![("direct".to_owned(), "1".to_owned())],
        jobs: vec![job],
        disk_util: vec![DiskUtil { name: "nvme0n1".to_owned(), own, ..DiskUtil::default() }],
        ..RunResult::default()
    }
}

#[test]
fn the_text_is_fios() {
    let expected = "
mail: (groupid=0, jobs=2): err= 0: pid=0: Tue Nov 14 22:13:20 2023
  Description  : [a server]
  read: IOPS=1000, BW=4000KiB/s (4096kB/s)(4000KiB/1000msec)
    slat (usec): min=80, max=1178, avg=413.83, stdev=300.37
    clat (usec): min=80, max=1178, avg=413.83, stdev=300.37
     lat (usec): min=80, max=1178, avg=414.73, stdev=300.37
    clat percentiles (usec):
     | 50.0th=[  330], 99.0th=[ 1057], 99.9th=[ 1172]
   bw (  KiB/s): min= 3900, max= 4100, per=99.50%, avg=4000.00, stdev=12.50, samples=4
   iops        : min=  975, max= 1025, avg=1000.00, stdev= 3.12, samples=4
  write: IOPS=500, BW=2000KiB/s (2048kB/s)(2000KiB/1000msec)
    slat (usec): min=80, max=1178, avg=413.83, stdev=300.37
    clat (usec): min=80, max=1178, avg=413.83, stdev=300.37
     lat (usec): min=80, max=1178, avg=414.73, stdev=300.37
    clat percentiles (usec):
     | 50.0th=[  330], 99.0th=[ 1057], 99.9th=[ 1172]
   bw (  KiB/s): min= 3900, max= 4100, per=99.50%, avg=4000.00, stdev=12.50, samples=4
   iops        : min=  975, max= 1025, avg=1000.00, stdev= 3.12, samples=4
  lat (usec)   : 100=14.30%, 250=27.00%, 500=23.50%, 750=17.30%, 1000=13.80%
  lat (msec)   : 2=4.10%
  fsync/fdatasync/sync_file_range:
    sync (usec): min=580, max=1678, avg=913.83, stdev=300.37
    sync percentiles (usec):
     | 50.0th=[  832], 99.0th=[ 1565], 99.9th=[ 1680]
  cpu          : usr=1.25%, sys=0.00%, ctx=0, majf=0, minf=0
  IO depths    : 1=0.1%, 2=0.1%, 4=99.9%, 8=0.0%, 16=0.0%, 32=0.0%, >=64=0.0%
     submit    : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.0%, >=64=0.0%
     complete  : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.0%, >=64=0.0%
     issued rwts: total=1000,500,0,10 short=0,0,0,0 dropped=0,0,0,0
     latency   : target=0, window=0, percentile=100.00%, depth=4
  steadystate  : attained=yes, bw=6000KiB/s (6144kB/s), iops=1500, iops mean dev=1.500%

Run status group 0 (all jobs):
   READ: bw=4000KiB/s (4096kB/s), 4000KiB/s-4000KiB/s (4096kB/s-4096kB/s), io=4000KiB \
(4096kB), run=1000-1000msec
  WRITE: bw=2000KiB/s (2048kB/s), 2000KiB/s-2000KiB/s (2048kB/s-2048kB/s), io=2000KiB \
(2048kB), run=1000-1000msec

Disk stats (read/write):
  nvme0n1: ios=1000/500, merge=0/0, ticks=0/0, in_queue=0, util=99.50%
";
    assert_eq!(normal(&sample()), expected);
}

/// Every key of an object, in order, with those of the objects in it behind a dot.
fn keys(value: &Value, prefix: &str, list: &mut Vec<String>) {
    for (key, value) in value.as_object().into_iter().flatten() {
        let name = format!("{prefix}{key}");
        list.push(name.clone());
        if !matches!(key.as_str(), "bins" | "percentile") {
            keys(value, &format!("{name}."), list);
        }
    }
}

/// Keys of a job in fio's order.
const JOB_KEYS: [&str; 28] = [
    "jobname",
    "groupid",
    "error",
    "eta",
    "elapsed",
    "job options",
    "read",
    "write",
    "trim",
    "sync",
    "job_runtime",
    "usr_cpu",
    "sys_cpu",
    "ctx",
    "majf",
    "minf",
    "iodepth_level",
    "iodepth_submit",
    "iodepth_complete",
    "latency_ns",
    "latency_us",
    "latency_ms",
    "latency_depth",
    "latency_target",
    "latency_percentile",
    "latency_window",
    "desc",
    "steadystate",
];

/// Keys of a direction in fio's order.
const DIRECTION_KEYS: [&str; 23] = [
    "io_bytes",
    "io_kbytes",
    "bw_bytes",
    "bw",
    "iops",
    "runtime",
    "total_ios",
    "short_ios",
    "drop_ios",
    "slat_ns",
    "clat_ns",
    "lat_ns",
    "bw_min",
    "bw_max",
    "bw_agg",
    "bw_mean",
    "bw_dev",
    "bw_samples",
    "iops_min",
    "iops_max",
    "iops_mean",
    "iops_stddev",
    "iops_samples",
];

#[test]
fn the_keys_are_fios_in_its_order() {
    let value: Value = serde_json::from_str(&json(&sample(), JsonKind::JsonPlus, None)).unwrap();
    let top: Vec<&String> = value.as_object().unwrap().keys().collect();
    let expected =
        ["fio version", "timestamp", "timestamp_ms", "time", "global options", "jobs", "disk_util"];
    assert_eq!(top, expected);
    let mut list = Vec::new();
    keys(&value["jobs"][0], "", &mut list);
    let of = |prefix: &str| -> Vec<&str> {
        list.iter()
            .filter_map(|key| key.strip_prefix(prefix))
            .filter(|key| !key.contains('.'))
            .collect()
    };
    assert_eq!(of(""), JOB_KEYS);
    assert_eq!(of("read."), DIRECTION_KEYS);
    assert_eq!(of("read.clat_ns."), ["min", "max", "mean", "stddev", "N", "percentile", "bins"]);
    assert_eq!(of("read.lat_ns."), ["min", "max", "mean", "stddev", "N"]);
    assert_eq!(of("job options."), ["rw", "numjobs"], "flags are left out");
    assert_eq!(of("iodepth_submit."), ["0", "4", "8", "16", "32", "64", ">=64"]);
    assert_eq!(of("steadystate.data."), ["bw_mean", "iops_mean", "iops", "bw"]);
}

#[test]
fn numbers_look_like_fios() {
    let text = json(&sample(), JsonKind::Json, None);
    assert!(
        text.starts_with("{\n  \"fio version\" : \"fio-3.33\",\n  \"timestamp\" : 1700000000,")
    );
    assert!(text.contains("        \"iops\" : 1000.000000,\n"));
    assert!(text.contains("\"99.900000\" : "));
    assert!(!text.contains("\"bins\""));
    assert!(text.ends_with("]\n}\n"));
}

#[test]
fn what_is_written_is_read_again() {
    for kind in [JsonKind::Json, JsonKind::JsonPlus] {
        let text = json(&sample(), kind, None);
        let read = json_in::parse(&text).unwrap();
        assert_eq!(json(&read, kind, None), text);
        let (before, after) = (&sample().jobs[0], &read.jobs[0]);
        assert_eq!(after.numjobs, 2);
        assert_eq!(after.read().clat.percentiles, before.read().clat.percentiles);
        assert_eq!(after.percentile_list, before.percentile_list);
        if kind == JsonKind::JsonPlus {
            assert_eq!(after.read().clat.histogram, before.read().clat.histogram);
        }
        assert!(after.extra.is_empty() && after.read().extra.is_empty(), "{:?}", after.extra);
        assert!(read.extra.is_empty() && read.disk_util[0].extra.is_empty());
    }
}

#[test]
fn directions_apart_together_and_both() {
    let mut result = sample();
    let mut mixed = result.jobs[0].read().clone();
    mixed.total_ios = 1500;
    result.jobs[0].mixed = Some(mixed);
    for (unified, expected) in [
        (Unified::None, "read,write,trim,sync"),
        (Unified::Mixed, "mixed,sync"),
        (Unified::Both, "read,write,trim,sync,mixed"),
    ] {
        result.jobs[0].unified = unified;
        let text = json(&result, JsonKind::Json, None);
        let value: Value = serde_json::from_str(&text).unwrap();
        let keys: Vec<&str> = value["jobs"][0]
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .filter(|key| ["read", "write", "trim", "sync", "mixed"].contains(key))
            .collect();
        assert_eq!(keys.join(","), expected);
        assert_eq!(json_in::parse(&text).unwrap().jobs[0].unified, unified);
        let report = normal(&result);
        assert_eq!(report.contains("  mixed: IOPS="), unified != Unified::None);
        assert_eq!(report.contains("  read: IOPS="), unified != Unified::Mixed);
        assert_eq!(report.contains("  MIXED: bw="), unified != Unified::None);
    }
}

#[test]
fn provenance_follows_everything() {
    let provenance = Provenance {
        version: "0.1.0".to_owned(),
        target: "a drive".to_owned(),
        warnings: vec!["scaled".to_owned()],
    };
    let text = json(&sample(), JsonKind::Json, Some(&provenance));
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value.as_object().unwrap().keys().next_back().unwrap(), "drivelab");
    assert_eq!(value["drivelab"]["target"], "a drive");
    let read = json_in::parse(&text).unwrap();
    assert_eq!(json(&read, JsonKind::Json, None), text, "unknown keys are kept");
}

#[test]
fn text_around_the_json_is_passed_over() {
    let text = json(&sample(), JsonKind::Json, None);
    let around = format!("fio: a {{warning}}\nmail: {{}}\n{text}\nRun status group 0:\n{{}}\n");
    assert_eq!(json_in::parse(&around), json_in::parse(&text));
}

#[test]
fn what_is_no_result_is_refused() {
    let text = json(&sample(), JsonKind::Json, None);
    assert_eq!(json_in::parse(" \n"), Err(JsonError::Empty));
    assert_eq!(json_in::parse("fio: failed\n"), Err(JsonError::NoJson));
    let cut = json_in::parse(&text[..text.len() / 2]).unwrap_err();
    assert!(matches!(cut, JsonError::Truncated { line } if line > 10), "{cut}");
    let broken = text.replacen("\"eta\" : 0", "\"eta\" ; 0", 1);
    let error = json_in::parse(&format!("warning\n{broken}")).unwrap_err();
    assert_eq!(error.to_string(), "line 15, column 13: expected `:`");
    assert!(matches!(json_in::parse("{}"), Err(JsonError::NotFio { .. })));
    assert!(matches!(
        json_in::parse("{\"fio version\":\"fio-3.33\"}"),
        Err(JsonError::NotFio { .. })
    ));
    assert!(matches!(
        json_in::parse("{\"fio version\":\"fio-2.21\",\"jobs\":[]}"),
        Err(JsonError::TooOld { .. })
    ));
}

#[test]
fn the_banner_lists_the_jobs() {
    let text = "[a]\nioengine=libaio\ndirect=1\niodepth=8\nnumjobs=2\n[b]\nthread\nstonewall\n\
                direct=1\nrw=randwrite\nbsrange=1k-1m\n";
    let file = jobfile::parse_str("t.fio", text, &LoadOptions::default()).unwrap();
    assert_eq!(
        banner(&file.jobs),
        "a: (g=0): rw=read, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, \
         ioengine=libaio, iodepth=8\n...\n\
         b: (g=1): rw=randwrite, bs=(R) 1024B-1024KiB, (W) 1024B-1024KiB, (T) 1024B-1024KiB, \
         ioengine=psync, iodepth=1\nfio-3.33\nStarting 1 thread and 2 processes\n"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_result_is_valid_json(
        name in "\\PC{0,12}",
        counts in proptest::collection::vec(any::<u64>(), 8),
        reals in proptest::collection::vec(any::<f64>(), 6),
        samples in proptest::collection::vec(any::<u64>(), 0..20),
    ) {
        let mut job = JobResult { jobname: name, ..JobResult::default() };
        job.usr_cpu = reals[0];
        job.iodepth_level[3] = reals[1];
        job.latency_bands.us[2] = reals[2];
        job.latency_target_us = counts[0];
        let mut tally = LatencyTally::new();
        samples.iter().for_each(|ns| tally.record(*ns));
        let side = job.direction_mut(Direction::Write);
        side.io_bytes = counts[1];
        side.total_ios = counts[2];
        side.runtime_ms = counts[3];
        side.bw_bytes_s = counts[4];
        side.iops = reals[3];
        side.clat = LatencyResult::from_tally(&tally, &[50.0, 99.99]);
        side.bw_samples.mean_kib_s = reals[4];
        side.bw_samples.samples = counts[5];
        side.iops_samples.stddev = reals[5];
        side.iops_samples.samples = counts[6];
        let result = RunResult { timestamp_s: counts[7], jobs: vec![job], ..RunResult::default() };
        normal(&result);
        let text = json(&result, JsonKind::JsonPlus, None);
        let read = json_in::parse(&text).unwrap();
        let (before, after) = (result.jobs[0].write(), read.jobs[0].write());
        prop_assert_eq!(&after.clat.histogram, &before.clat.histogram);
        prop_assert_eq!(read.jobs[0].write().io_bytes, counts[1]);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,200}", end in any::<prop::sample::Index>()) {
        let _ = json_in::parse(&text);
        let whole = json(&sample(), JsonKind::Json, None);
        let cut = &whole[..end.index(whole.len() - 2)];
        prop_assert!(json_in::parse(cut).is_err());
    }

    #[test]
    fn values_of_wrong_types_are_no_panic(
        key in prop::sample::select(vec!["read", "sync", "jobname", "latency_ns", "steadystate"]),
        value in prop::sample::select(vec!["null", "[]", "{}", "-1", "1e300", "\"x\"", "[{}]"]),
    ) {
        let text = format!("{{\"fio version\":\"fio-3.33\",\"jobs\":[{{\"{key}\":{value}}}]}}");
        let read = json_in::parse(&text).unwrap();
        normal(&read);
        json(&read, JsonKind::JsonPlus, None);
    }
}
