//! Methods of client reviews on modelled drives, held to what must be so whatever the drive.

use lab::complete;
use lab::{BenchOptions, ModelBench};
use library::Scale;
use metric::{MeasureError, Measurement, Params};

fn try_on(
    drive: &str,
    method: &str,
    pairs: &[(&'static str, &'static str)],
) -> Result<Measurement, MeasureError> {
    let scale = Scale::Units(4 << 20);
    let options =
        BenchOptions { seed: 5, scale: Some(scale), ios: 20_000, ..BenchOptions::default() };
    let mut params = Params::from_pairs(pairs.iter().copied()).unwrap();
    complete(method, &mut params).unwrap();
    ModelBench::new(options).measure(drive, method, &params)
}

fn measure(method: &str, pairs: &[(&'static str, &'static str)]) -> Measurement {
    try_on("p4510-8tb", method, pairs).unwrap()
}

fn value(m: &Measurement, metric: &str) -> f64 {
    m.metrics.get(metric).unwrap_or_else(|| panic!("no {metric} in {:?}", m.metrics)).value
}

/// The program keeps the best of its runs, so that its score is never below their mean, and above
/// it by at most their spread.
#[test]
fn crystaldiskmark_keeps_the_best_and_tells_the_mean() {
    let m = measure("crystaldiskmark", &[("profile", "nvme")]);
    for test in ["seq_read", "seq_write", "4k_read", "4k_write"] {
        let (best, mean) = (value(&m, test), value(&m, &format!("{test}_mean")));
        let spread = value(&m, &format!("{test}_spread"));
        assert!(best >= mean, "{test}: {best} {mean}");
        assert!(best <= mean * (1.0 + spread) * 1.000_001, "{test}: {best} {mean} {spread}");
    }
    // One in flight: latency and rate are one number twice, but each is the best by itself.
    let rate = 4096.0 / value(&m, "4k_read_lat");
    assert!(rate >= 0.98 * value(&m, "4k_read_mean"));
    // Each profile has its own tests, and no others.
    assert!(m.metrics.contains_key("4k_q32t16_read") && !m.metrics.contains_key("4k_q32_read"));
    let m = measure("crystaldiskmark", &[("runs", "1")]);
    assert!(m.metrics.contains_key("4k_q32_read") && !m.metrics.contains_key("4k_q32t16_read"));
    assert_eq!(value(&m, "seq_read"), value(&m, "seq_read_mean"));
    assert_eq!(value(&m, "seq_read_spread"), 0.0);
}

/// Scores in MiB/s: a tenth of the sequential rate and the whole of both others.
#[test]
fn scores_of_as_ssd_are_sums() {
    let m = measure("as-ssd", &[("duration", "1 s")]);
    let mib = f64::from(1 << 20);
    for side in ["read", "write"] {
        let part = |test: &str| value(&m, &format!("{test}_{side}")) / mib;
        let sum = 0.1 * part("seq") + part("4k") + part("4k_64thrd");
        assert!((value(&m, &format!("score_{side}")) / sum - 1.0).abs() < 1e-9);
    }
    assert!(!m.metrics.contains_key("score"), "no total is published that could be trusted");
}

/// With one I/O in flight, comparing takes the data's size over a rate, no more and no less.
#[test]
fn comparing_costs_time_by_the_byte() {
    let at = |mode| measure("atto", &[("mode", mode), ("block", "8 MiB")]);
    let (plain, compared) = (at("neither"), at("io-comparison"));
    let seconds_a_byte = 1.0 / value(&compared, "max_read") - 1.0 / value(&plain, "max_read");
    let rate = 1e-9 / seconds_a_byte;
    assert!((rate / 31.4 - 1.0).abs() < 0.05, "{rate} GB/s");
    let ratio = value(&compared, "max_write") / value(&plain, "max_write");
    assert!((ratio - 1.0).abs() < 0.01, "writes are not compared: {ratio}");
    let deep = measure("atto", &[("qd", "8"), ("block", "8 MiB")]);
    assert!(value(&deep, "max_read") > value(&plain, "max_read"));
}

/// A drive without a cache reads the same files in the same time twice; the scanner's own list
/// leaves the second scan its look-ups.
#[test]
fn a_scan_reads_the_same_files_again() {
    let small = [("files", "400"), ("clean_list", "false"), ("cpu_file", "1 ms")];
    let m = measure("file-scan", &small);
    let ratio = value(&m, "time_second") / value(&m, "time_first");
    assert!((ratio - 1.0).abs() < 0.01, "{ratio}");
    let cpu = value(&m, "time_first") - value(&m, "io_time");
    // 400 files at 1 ms, and 15 ms for each MiB of what is no directory read.
    let data = (value(&m, "task_bytes") - 100.0 * 4096.0) / f64::from(1 << 20);
    assert!((cpu - (0.4 + 0.015 * data)).abs() < 1e-6, "{cpu}");
    let listed = measure("file-scan", &[("files", "400"), ("run", "2"), ("cpu_file", "1 ms")]);
    assert_eq!(value(&listed, "time"), value(&listed, "time_second"));
    assert!(value(&listed, "time") < 0.2 * value(&listed, "time_first"));
    assert!(value(&listed, "time") > 0.4);
}

/// The ten stand-ins move what the traces moved: 3406 MB read and 8869 MB written.
#[test]
fn stand_ins_move_what_their_traces_moved() {
    let m = measure("pcmark-8", &[("file", "1 GiB")]);
    let bytes = value(&m, "task_bytes");
    assert!((bytes / 12_275e6 - 1.0).abs() < 0.03, "{bytes}");
    assert!((value(&m, "bandwidth") - bytes / value(&m, "io_time")).abs() < 1.0);
    let work = measure("pcmark-8", &[("suite", "work"), ("file", "1 GiB")]);
    let seconds = value(&work, "time");
    assert!((seconds - 1756.0 - value(&work, "io_time")).abs() < 1e-6);
    assert!((value(&work, "score") / (1e7 / seconds) - 1.0).abs() < 1e-9);
}

/// What is asked for is kept up to the end below the drive's rate, and never above it.
#[test]
fn a_rate_is_sustained_or_not() {
    let low = measure("sustain", &[("rate", "1 GB/s"), ("block", "128 KiB")]);
    assert_eq!((value(&low, "sustains_write"), value(&low, "sustains_read")), (1.0, 1.0));
    let whole = 8e12 / 1e9;
    assert!(
        (value(&low, "write_held") / whole - 1.0).abs() < 0.03,
        "{}",
        value(&low, "write_held")
    );
    assert!((value(&low, "write_sustained") / 1e9 - 1.0).abs() < 0.02);
    let life = value(&low, "life_at_rate") * 1e9;
    assert!((life / value(&low, "tbw") - 1.0).abs() < 1e-9);
    assert!(low.warnings.iter().any(|w| w == "verdict: 1 GB/s of writes is kept up to the end"));
    let high = measure("sustain", &[("rate", "10 GB/s"), ("block", "128 KiB")]);
    assert_eq!((value(&high, "sustains_write"), value(&high, "write_held")), (0.0, 0.0));
    assert!(high.warnings.iter().any(|w| w.starts_with("verdict: 10 GB/s of writes is never")));
}

/// An SLC cache holds a rate for as many bytes as it has, which a test file does not show.
#[test]
fn a_cache_holds_a_rate_for_a_while() {
    let m = try_on("pm981a-256gb", "sustain", &[("rate", "1 GB/s"), ("qd", "8")]).unwrap();
    assert_eq!(value(&m, "sustains_write"), 0.0);
    let held = value(&m, "write_held_bytes");
    assert!(held > 2e9 && held < 30e9, "{held}");
    assert!(value(&m, "write_sustained") < 0.6e9);
    assert!(m.warnings.iter().any(|w| w.contains("is kept up for")), "{:?}", m.warnings);
}

/// What a single drive cannot do is said, not left as a hole.
#[test]
fn a_single_drive_has_no_members_to_fail() {
    let refused = |method| match try_on("p4510-8tb", method, &[("duration", "1 s")]) {
        Err(MeasureError::NotModelled(why)) => why,
        other => panic!("{other:?}"),
    };
    assert!(refused("fault-rebuild").contains("no array"));
    let m = measure("raid-scaling", &[("duration", "1 s")]);
    assert_eq!(value(&m, "members"), 1.0);
    assert_eq!(value(&m, "read_each"), value(&m, "max_read"));
}
