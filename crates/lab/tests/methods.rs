//! Review methods on a modelled drive, held to what must be so whatever the drive.

use iopath::device::flash::cell::age::{AgeSpec, CyclesUsed};
use lab::complete;
use lab::{BenchOptions, ModelBench};
use library::Scale;
use metric::{MeasureError, Measurement, Params};

const DRIVE: &str = "p4510-8tb";

fn measure(method: &str, pairs: &[(&'static str, &'static str)]) -> Measurement {
    let options = BenchOptions {
        seed: 5,
        scale: Some(Scale::Units(4 << 20)),
        ios: 200_000,
        ..BenchOptions::default()
    };
    let mut params = Params::from_pairs(pairs.iter().copied()).unwrap();
    complete(method, &mut params).unwrap();
    ModelBench::new(options).measure(DRIVE, method, &params).unwrap()
}

fn value(m: &Measurement, metric: &str) -> f64 {
    m.metrics.get(metric).unwrap_or_else(|| panic!("no {metric} in {:?}", m.metrics)).value
}

/// Random writes scatter the data, a pass over everything puts it in order again, and the next
/// pass is as fast as the first. Hours and bytes are those of the real drive.
#[test]
fn a_scan_pays_for_the_torture_before_it() {
    let m = measure("torture", &[("duration", "20 min")]);
    assert!(value(&m, "write_amplification") > 1.05, "torture makes copies");
    assert!(value(&m, "scan_over_fresh") < 0.95, "the scan pays for it");
    assert!(value(&m, "scan_bandwidth_early") < value(&m, "scan_bandwidth_late"));
    assert!((value(&m, "post_idle_over_fresh") - 1.0).abs() < 0.02);
    let names: Vec<&str> = m.series.iter().map(|series| series.name.as_str()).collect();
    assert_eq!(names, ["fresh", "scan", "rescan", "timeline"]);
    for series in &m.series[..3] {
        assert_eq!(series.time_s.len(), series.position_bytes.len());
        assert_eq!(series.time_s.len(), series.bytes_per_s.len());
        let end = series.position_bytes.last().unwrap();
        assert!((0.98..=1.0001).contains(&(end / 8e12)), "{}: {end}", series.name);
    }
    // 8 TB at 3 GB/s.
    let whole = 8e12 / value(&m, "fresh_bandwidth");
    let seconds = m.series[0].time_s.last().unwrap();
    assert!((seconds / whole - 1.0).abs() < 0.02, "{seconds} s, {whole} s");
    assert!(value(&m, "recovery_time") < *m.series[1].time_s.last().unwrap());
}

/// A longer torture leaves more to clean up.
#[test]
fn a_longer_torture_costs_more() {
    let short = measure("torture", &[("duration", "5 min"), ("idle", "1 min")]);
    let long = measure("torture", &[("duration", "30 min"), ("idle", "1 min")]);
    assert!(value(&long, "scan_over_fresh") < value(&short, "scan_over_fresh"));
}

/// A drive without a cache of fast cells has no knee.
#[test]
fn a_drive_without_a_fast_cache_has_one_plateau() {
    let m = measure("sustained-write", &[]);
    assert_eq!(value(&m, "plateaus"), 1.0);
    assert!((value(&m, "bandwidth") / value(&m, "bandwidth_steady") - 1.0).abs() < 0.02);
    assert!(!m.metrics.contains_key("first_knee"));
}

/// The counters after six hours say what a short run says: the load, times the time.
#[test]
fn counters_of_hours_agree_with_a_short_run() {
    let hours = measure("endurance-counters", &[("duration", "6 h")]);
    let corner = measure("corner", &[("op", "write"), ("qd", "32")]);
    let rate = value(&corner, "bandwidth");
    let ratio = value(&hours, "gb_per_day") / rate;
    assert!((ratio - 1.0).abs() < 0.05, "{ratio}");
    let written = value(&hours, "host_writes") / (6.0 * 3600.0 * rate);
    assert!((written - 1.0).abs() < 0.05, "{written}");
    let amplification = value(&hours, "write_amplification");
    let known = value(&corner, "write_amplification");
    assert!((amplification / known - 1.0).abs() < 0.05, "{amplification} against {known}");
    let exact = value(&hours, "flash_writes") / value(&hours, "host_writes");
    assert!((exact / amplification - 1.0).abs() < 1e-9);
}

/// What is not addressed is spare: random writes slow down as their span grows. A span that is
/// too small for the fraction that is simulated is left out, and that is said.
#[test]
fn random_writes_slow_down_as_their_span_grows() {
    let m = measure("span-sweep", &[]);
    assert!(m.warnings.iter().any(|w| w.contains("partition = 5 % is left out")));
    let iops: Vec<f64> = m.points.iter().map(|point| point.metrics["iops"].value).collect();
    assert!(iops.len() >= 3 && iops.windows(2).all(|pair| pair[1] < 1.02 * pair[0]), "{iops:?}");
    assert!(value(&m, "span_slowdown") < 0.8, "{iops:?}");
    let one = measure("span-sweep", &[("partition", "100 %")]);
    assert_eq!(one.points.len(), 1);
    assert_eq!(one.points[0].at, [("partition".to_owned(), "100 %".to_owned())]);
}

/// More in flight is never slower, up to what the drive can do.
#[test]
fn a_sweep_has_a_point_for_each_depth() {
    let m = measure("iometer-webserver", &[]);
    let iops: Vec<f64> = m.points.iter().map(|point| point.metrics["iops"].value).collect();
    assert_eq!(iops.len(), 8);
    assert!(iops.windows(2).all(|pair| pair[1] > 0.98 * pair[0]), "{iops:?}");
    assert_eq!(value(&m, "peak_iops"), iops.iter().copied().fold(0.0, f64::max));
    let deep = measure("iometer-webserver", &[("qd_min", "32")]);
    assert_eq!(deep.points.len(), 3);
}

/// From a formatted drive to the steady state, judged by SNIA's criteria.
#[test]
fn rounds_end_when_writing_is_steady() {
    let m = measure("snia-wsat", &[]);
    assert_eq!(value(&m, "steady"), 1.0);
    assert!(value(&m, "steady_over_first") < 0.7);
    let steady = measure("corner", &[("op", "write"), ("qd", "32")]);
    let ratio = value(&m, "iops") / value(&steady, "iops");
    assert!((0.9..1.25).contains(&ratio), "{ratio}");
    let m = measure("snia-wsat", &[("duration", "1 min"), ("rounds", "2")]);
    assert_eq!(value(&m, "steady"), 0.0);
    assert!(m.warnings.iter().any(|w| w.contains("not steady after 2 rounds")));
}

/// Hours without time age a drive that pads its pages as hours with time do: the Intel 320 writes
/// half a page for nothing with each 4 KiB.
#[test]
fn pages_are_padded_without_time_too() {
    let options = BenchOptions {
        seed: 5,
        scale: Some(Scale::Units(4 << 20)),
        ios: 50_000,
        ..BenchOptions::default()
    };
    let bench = ModelBench::new(options);
    let run = |method: &str, pairs: &[(&'static str, &'static str)]| {
        let mut params = Params::from_pairs(pairs.iter().copied()).unwrap();
        complete(method, &mut params).unwrap();
        bench.measure("intel-320-300gb", method, &params).unwrap()
    };
    let hours = run("endurance-counters", &[("duration", "6 h")]);
    let corner = run("corner", &[("op", "write"), ("qd", "32")]);
    for (one, other) in
        [("write_amplification", "write_amplification"), ("gb_per_day", "bandwidth")]
    {
        let ratio = value(&hours, one) / value(&corner, other);
        assert!((ratio - 1.0).abs() < 0.05, "{one}: {ratio}");
    }
    // Life is what the rated cycles are worth.
    let raw_writes = value(&hours, "flash_writes") / value(&hours, "media_wear");
    assert!(
        (value(&hours, "tbw") * value(&hours, "write_amplification") / raw_writes - 1.0).abs()
            < 1e-6
    );
}

/// A model is made anew for each test: it has no state that could be kept.
#[test]
fn a_model_keeps_no_state() {
    let bench = ModelBench::new(BenchOptions { ios: 1000, ..BenchOptions::default() });
    let params = Params::from_pairs([("op", "read"), ("state", "kept")]).unwrap();
    let why = bench.measure("p4510-8tb", "corner", &params).unwrap_err().to_string();
    assert!(why.contains("made anew for each test"), "{why}");
}

/// Models that differ in times alone start in the same state, which is built once; the results are
/// those of a bench that has built it itself, to the last bit.
#[test]
fn drives_that_differ_in_times_share_the_state_they_start_in() {
    let options =
        BenchOptions { scale: Some(Scale::Units(1 << 20)), ios: 20_000, ..BenchOptions::default() };
    let mut params = Params::from_pairs([("op", "write"), ("qd", "8")]).unwrap();
    complete("corner", &mut params).unwrap();
    let shared = ModelBench::new(options);
    let sets = [
        ("x25-e-64gb", "nand.program", "300 us"),
        ("x25-e-64gb", "nand.program", "400 us"),
        // Another state: more spare area.
        ("x25-e-64gb", "ftl.alpha", "1.2 x"),
        ("pm981a-256gb", "nand.sense", "70 us"),
        ("pm981a-256gb", "controller.write_ack", "30 us"),
        ("pm981a-256gb", "buffer.protection", "protected"),
        ("x25-e-64gb", "suspend.latency", "20 us"),
    ];
    for (drive, key, value) in sets {
        let set = || vec![(key.to_owned(), value.to_owned())];
        let of = |bench: ModelBench| bench.with_set(set()).measure(drive, "corner", &params);
        let (together, alone) = (of(shared.clone()), of(ModelBench::new(options)));
        match (together, alone) {
            (Ok(together), Ok(alone)) => assert_eq!(together, alone, "{drive} {key}={value}"),
            (together, alone) => panic!("{key}={value}: {together:?} {alone:?}"),
        }
    }
}

/// Cells that are too old to be read end a test with the reason: its rates would be zeros.
#[test]
fn a_drive_that_cannot_be_read_gives_no_rates() {
    let age = AgeSpec {
        cycles: CyclesUsed::Count(200_000.0),
        shelf_hours: 24.0 * 730.0,
        ..AgeSpec::default()
    };
    let options = BenchOptions {
        age: Some(age),
        scale: Some(Scale::Units(1 << 20)),
        ios: 20_000,
        ..BenchOptions::default()
    };
    let reads = [("op", "read"), ("qd", "8")];
    // Minutes that are lived through in windows are windows in which it cannot be read.
    for (method, pairs, job) in
        [("corner", &reads[..], "corner"), ("endurance-counters", &[("read", "50 %")], "load")]
    {
        let mut params = Params::from_pairs(pairs.iter().copied()).unwrap();
        complete(method, &mut params).unwrap();
        let bench = ModelBench::new(options);
        match bench.measure("intel-710-200gb", method, &params) {
            Err(MeasureError::Failed(why)) => {
                assert_eq!(why, format!("job `{job}` ended with error 5"));
            }
            other => panic!("{method}: {other:?}"),
        }
    }
}
