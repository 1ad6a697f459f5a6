//! Transactions of databases on modelled drives, as a method.

use lab::complete;
use lab::{BenchOptions, ModelBench};
use library::Scale;
use metric::{MeasureError, Measurement, Params};

const DRIVE: &str = "d7-p5520-7.68tb";

fn try_measure(
    drive: &str,
    ios: u64,
    pairs: &[(&'static str, &'static str)],
) -> Result<Measurement, MeasureError> {
    let scale = Scale::Units(4 << 20);
    let options = BenchOptions { seed: 5, scale: Some(scale), ios, ..BenchOptions::default() };
    let mut params = Params::from_pairs(pairs.iter().copied()).unwrap();
    complete("sysbench-oltp", &mut params).unwrap();
    ModelBench::new(options).measure(drive, "sysbench-oltp", &params)
}

fn measure(pairs: &[(&'static str, &'static str)]) -> Measurement {
    try_measure(DRIVE, 200_000, pairs).unwrap()
}

fn value(m: &Measurement, metric: &str) -> f64 {
    m.metrics.get(metric).unwrap_or_else(|| panic!("no {metric} in {:?}", m.metrics)).value
}

/// Little's law, the parts of a response, the writes: all of them told in base units.
#[test]
fn the_numbers_agree_with_each_other() {
    let m = measure(&[]);
    let (rate, mean) = (value(&m, "tps"), value(&m, "mean_ms"));
    assert!((rate * mean / 64.0 - 1.0).abs() < 0.01, "2 machines of 32: {rate} x {mean}");
    let parts = ["processor_time", "page_wait", "frame_wait", "commit_wait"];
    let sum: f64 = parts.iter().map(|part| value(&m, part)).sum();
    assert!((sum / mean - 1.0).abs() < 1e-3, "{sum} of {mean}");
    assert!(value(&m, "p99_ms") > mean);
    for metric in ["tps", "mean_ms", "p99_ms"] {
        let known = m.metrics[metric];
        let (low, high) = known.interval95.expect("an interval");
        assert!(low <= known.value && known.value <= high, "{metric}");
        assert!(known.samples.is_some_and(|n| n > 6000));
    }
    // 24 GiB of 242 GB, and the row that is inserted where one was deleted.
    assert!((0.10..0.20).contains(&value(&m, "buffer_hits")));
    let pages = value(&m, "page_writes") / rate;
    assert!((2.5..3.05).contains(&pages), "{pages} dirty pages a transaction");
    let reads = value(&m, "page_reads") / rate;
    assert!((18.0..22.0).contains(&reads), "{reads} pages read");
    assert!(value(&m, "log_flushes") < rate, "commits share flushes");
}

/// Drives share nothing: twice the drives and machines do twice the work.
#[test]
fn drives_side_by_side_add_up() {
    let one = measure(&[("vms", "2"), ("drives", "1")]);
    let two = measure(&[("vms", "4"), ("drives", "2")]);
    let ratio = value(&two, "tps") / value(&one, "tps");
    assert!((ratio - 2.0).abs() < 0.05, "{ratio}");
    assert!((value(&two, "mean_ms") / value(&one, "mean_ms") - 1.0).abs() < 0.03);
}

/// The scale is one of pages: rates and times stay.
#[test]
fn a_smaller_simulation_says_the_same() {
    let at = |units| {
        let options = BenchOptions {
            scale: Some(Scale::Units(units)),
            ios: 200_000,
            ..BenchOptions::default()
        };
        let mut params = Params::default();
        complete("sysbench-oltp", &mut params).unwrap();
        ModelBench::new(options).measure(DRIVE, "sysbench-oltp", &params).unwrap()
    };
    let (small, large) = (at(4 << 20), at(16 << 20));
    let ratio = value(&small, "tps") / value(&large, "tps");
    assert!((ratio - 1.0).abs() < 0.03, "{ratio}");
    let hits = value(&small, "buffer_hits") - value(&large, "buffer_hits");
    assert!(hits.abs() < 0.01, "{hits}");
}

#[test]
fn a_disk_waits_and_a_pool_for_everything_computes() {
    let disk = try_measure("dt01aca200-2tb", 30_000, &[("vms", "1")]).unwrap();
    assert!(value(&disk, "tps") < 40.0, "{}", value(&disk, "tps"));
    let fits = measure(&[("rows", "20000"), ("db", "4 GB"), ("cpu", "5 ms")]);
    assert_eq!(value(&fits, "page_reads"), 0.0);
    assert!(value(&fits, "processor_share") > 0.9);
    assert!((value(&fits, "tps") / 6400.0 - 1.0).abs() < 0.1, "2 x 16 processors, 5 ms each");
}

#[test]
fn what_does_not_fit_is_told_before_anything_runs() {
    for (pairs, wanted) in [
        (vec![("vms", "40")], "fewer vms"),
        (vec![("rows", "20000000")], "larger db"),
        (vec![("pool", "64 MiB")], "no room beside the inner pages"),
        (vec![("threads_per_vm", "4096"), ("pool", "1 GiB")], "too small for 4096 clients"),
    ] {
        let error = try_measure(DRIVE, 1000, &pairs).unwrap_err().to_string();
        assert!(error.contains(wanted), "{pairs:?}: {error}");
    }
}

#[test]
fn the_same_seed_says_the_same() {
    assert_eq!(measure(&[]).metrics, measure(&[]).metrics);
}
