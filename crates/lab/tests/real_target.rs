//! Review methods on a small file through the installed fio. Without it they are skipped.

use lab::{BenchOptions, RealOptions, RealTarget, Target, find, measure_on};
use metric::{Measurement, Params};
use std::path::Path;

const MIB: u64 = 1 << 20;

fn fio() -> Option<()> {
    needs::found(needs::FIO, real::InstalledFio::find().ok()).map(drop)
}

fn target(path: &Path) -> Option<RealTarget> {
    fio()?;
    let options =
        RealOptions { paths: vec![path.into()], size: Some(32 * MIB), ..RealOptions::default() };
    Some(RealTarget::new(options).unwrap())
}

fn measure(
    path: &Path,
    method: &str,
    pairs: &[(&'static str, &'static str)],
) -> Option<Measurement> {
    let mut target = target(path)?;
    let params = Params::from_pairs(pairs.iter().copied()).unwrap();
    let method = find(method).unwrap();
    let measured = measure_on(&mut target, method, &params, BenchOptions::default(), None);
    Some(measured.unwrap())
}

/// The steps of a torture run in their order, and the file is only as large as it was said to be.
#[test]
fn a_torture_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    let pairs = [("duration", "1 s"), ("idle", "100 ms")];
    let Some(m) = measure(&path, "torture", &pairs) else { return };
    for name in ["fresh_bandwidth", "torture_iops", "scan_bandwidth", "post_idle_bandwidth"] {
        assert!(m.metrics[name].value > 0.0, "{name}");
    }
    assert!(!m.metrics.contains_key("write_amplification"), "no file tells that");
    assert_eq!(std::fs::metadata(&path).unwrap().len(), 32 * MIB);
}

/// What fio wrote is what the counters say, and a file has no wear.
#[test]
fn counters_of_a_file_are_those_of_fio() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    let pairs = [("duration", "1 s"), ("pattern", "seq"), ("block", "128 KiB")];
    let Some(m) = measure(&path, "endurance-counters", &pairs) else { return };
    let value = |name: &str| m.metrics[name].value;
    assert!(value("host_writes") > 0.0);
    let seconds = value("host_writes") / value("gb_per_day");
    assert!((0.5..3.0).contains(&seconds), "{seconds} s");
    assert!(!m.metrics.contains_key("tbw"));
    assert!(m.warnings.iter().any(|warning| warning.contains("no rated cycles")));
}

/// A sweep over one depth, on a span of the file.
#[test]
fn a_point_of_a_sweep_on_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    let pairs = [("duration", "1 s"), ("qd", "4"), ("span", "16 MiB"), ("state", "filled")];
    let Some(m) = measure(&path, "iometer-database", &pairs) else { return };
    assert_eq!(m.points.len(), 1);
    let point = &m.points[0].metrics;
    let share = point["read_iops"].value / point["iops"].value;
    assert!((0.6..0.74).contains(&share), "67 % are reads: {share}");
}

/// A drive is tested as the last test left it, and one that holds nothing cannot be.
#[test]
fn a_state_is_kept_if_there_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    let Some(()) = fio() else { return };
    let read = |state| {
        let pairs = [("op", "read"), ("duration", "1 s"), ("qd", "4"), ("state", state)];
        let params = Params::from_pairs(pairs).unwrap();
        let method = find("corner").unwrap();
        let mut target = target(&path).unwrap();
        measure_on(&mut target, method, &params, BenchOptions::default(), None)
    };
    let why = format!("{:?}", read("kept").unwrap_err());
    assert!(why.contains("holds nothing that could be kept"), "{why}");
    assert!(read("filled").unwrap().metrics["read_iops"].value > 0.0);
    let written = || std::fs::metadata(&path).unwrap().modified().unwrap();
    let before = written();
    let kept = read("kept").unwrap();
    assert!(kept.metrics["read_iops"].value > 0.0);
    assert!(kept.warnings.iter().any(|told| told.contains("as it was")), "{:?}", kept.warnings);
    assert_eq!(written(), before, "nothing was written");
}

/// What can be told of a file: its rates, and that the machine did not sleep. Of a run of a second
/// nobody can say whether it was even.
#[test]
fn the_runs_of_a_file_pass_the_gates_that_can_be_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    let pairs = [("rate", "1 MB/s"), ("duration", "1 s"), ("state", "filled")];
    let Some(m) = measure(&path, "read-beside", &pairs) else { return };
    let gates = stats::GateTotal::kept(&m.about).unwrap();
    assert_eq!(gates.len(), stats::Gate::ALL.len());
    let of = |gate| gates.iter().find(|total| total.gate == gate).unwrap();
    assert_eq!((of(stats::Gate::OthersIo).runs, of(stats::Gate::Link).runs), (0, 0));
    let (rate, sleep) = (of(stats::Gate::Rate), of(stats::Gate::Sleep));
    assert_eq!(rate.runs, 1, "the filling asks for no rate: {gates:?}");
    assert_eq!((sleep.runs, sleep.failed), (2, 0));
    assert_eq!(of(stats::Gate::Steadiness).runs, 0);
    let steps = m.about["steps"].as_array().unwrap();
    assert!(steps.iter().all(|step| step["gates"].is_array()), "{steps:?}");
}

/// The guard speaks before anything is written.
#[test]
fn the_guard_comes_first() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine");
    std::fs::write(&path, "data of someone").unwrap();
    let Some(()) = fio() else { return };
    let ask = |options| RealTarget::new(options).map(|target| target.capacity());
    let options = RealOptions { paths: vec![path.clone()], ..RealOptions::default() };
    assert!(ask(options.clone()).is_err(), "a file that drivelab did not make");
    assert_eq!(std::fs::read(&path).unwrap(), b"data of someone");
    assert_eq!(ask(RealOptions { overwrite: true, ..options }).unwrap(), 15);
    let new = RealOptions { paths: vec![folder.path().join("new")], ..RealOptions::default() };
    assert!(ask(new).is_err(), "a new file needs a size");
}

/// A curve on a file: the job that runs on a model runs as it is.
#[test]
fn a_load_curve_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    let pairs = [
        ("workload", "sql-80-20"),
        ("block", "8 KiB"),
        ("points", "2"),
        ("duration", "1 s"),
        ("sequential_time", "0 s"),
        ("prewrite", "1 s"),
    ];
    let Some(m) = measure(&path, "load-curve", &pairs) else { return };
    assert_eq!(m.points.len(), 2);
    assert!(m.metrics["latency_at_peak"].value > 0.0);
    let low = &m.points[0].metrics;
    // 60 % of what the file can do. On a machine that has other work it may not come to that.
    let ratio = low["iops"].value / low["asked_iops"].value;
    assert!(ratio < 1.2, "{ratio} of what is asked for");
    let share = low["read_iops"].value / low["iops"].value;
    assert!((0.75..0.85).contains(&share), "80 % are reads: {share}");
    let bytes = low["bandwidth"].value / low["iops"].value;
    assert!((bytes / 8192.0 - 1.0).abs() < 0.01, "{bytes}");
    assert_eq!(std::fs::metadata(&path).unwrap().len(), 32 * MIB);
}

/// Two files are two devices: a method runs on both, and its rates add up.
#[test]
fn a_method_runs_on_two_files() {
    let folder = tempfile::tempdir().unwrap();
    let Some(()) = fio() else { return };
    let paths = ["one", "two"].map(|name| folder.path().join(name));
    let size = Some(16 * MIB);
    let options = RealOptions { paths: paths.to_vec(), size, ..RealOptions::default() };
    let mut target = RealTarget::new(options).unwrap();
    assert_eq!(target.devices(), [16 * MIB; 2]);
    let pairs = [("op", "write"), ("pattern", "seq"), ("qd", "4"), ("duration", "1 s")];
    let params = Params::from_pairs(pairs).unwrap();
    let options = BenchOptions::default();
    let method = find("corner").unwrap();
    let measured = measure_on(&mut target, method, &params, options, None).unwrap();
    assert!(measured.metrics["bandwidth"].value > 0.0);
    for path in &paths {
        assert_eq!(std::fs::metadata(path).unwrap().len(), 16 * MIB);
    }
}
