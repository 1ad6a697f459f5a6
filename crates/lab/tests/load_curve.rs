//! Latency over the rate of workload profiles: laws that every curve keeps, on a modelled drive.

use lab::complete;
use lab::{BenchOptions, ModelBench, USUAL_SCALE};
use library::{Scale, Workload};
use metric::{MeasureError, Measurement, Params, Point};
use std::sync::LazyLock;

fn measure(pairs: &[(&'static str, &str)]) -> Result<Measurement, MeasureError> {
    let mut params = Params::default();
    for (name, value) in pairs {
        params.give(name, value).unwrap();
    }
    complete("load-curve", &mut params).unwrap();
    let options = BenchOptions { ios: 300_000, ..BenchOptions::default() };
    ModelBench::new(options).measure("d7-p5520-7.68tb", "load-curve", &params)
}

/// A curve of reads and writes that several tests look at.
static MIXED: LazyLock<Measurement> =
    LazyLock::new(|| measure(&[("workload", "sql-80-20"), ("points", "6")]).unwrap());

fn value(point: &Point, name: &str) -> f64 {
    point.metrics.get(name).unwrap_or_else(|| panic!("no {name} in {:?}", point.metrics)).value
}

fn asked(point: &Point) -> f64 {
    let percent = point.at[0].1.trim_end_matches(" %");
    percent.parse::<f64>().unwrap() / 100.0
}

/// A rate of `n` independent arrivals is known to one over the root of `n`.
fn noise(point: &Point) -> f64 {
    1.0 / (point.metrics["iops"].samples.unwrap() as f64).sqrt()
}

#[test]
fn below_saturation_what_is_asked_is_achieved_and_above_it_the_maximum() {
    let most = MIXED.metrics["max_iops"].value;
    let mut below = 0.0;
    for point in &MIXED.points {
        let (iops, wanted) = (value(point, "iops"), value(point, "asked_iops"));
        assert!((wanted / most - asked(point)).abs() < 0.01, "{wanted} of {most}");
        let told = format!("{:?}: {iops} of {wanted}, at most {most}", point.at);
        if (asked(point) - 1.0).abs() < 0.05 {
            // At just the maximum random arrivals leave gaps that are never made up: more than at
            // the step before, less than the maximum; how much less is no law of this test.
            assert!(iops > below && iops < most * (1.0 + 5.0 * noise(point)), "{told}");
        } else {
            let ratio = if asked(point) < 1.0 { iops / wanted } else { iops / most };
            assert!((ratio - 1.0).abs() < 5.0 * noise(point), "{told}");
        }
        below = iops;
    }
    let busy = MIXED.points.iter().filter(|point| asked(point) > 0.999);
    let busy: Vec<f64> = busy.map(|point| value(point, "iops")).chain([most]).collect();
    let mean = busy.iter().sum::<f64>() / busy.len() as f64;
    assert!((MIXED.metrics["peak_iops"].value / mean - 1.0).abs() < 1e-9);
    let behind = "falls behind what is asked";
    assert!(MIXED.warnings.iter().any(|warning| warning.contains(behind)), "{:?}", MIXED.warnings);
}

/// Little's law. With all threads at work, what is in flight is their number, but for the time
/// that the host takes to send a command, which is in no completion latency.
#[test]
fn rate_times_latency_is_what_is_in_flight() {
    let threads = Workload::named("sql-80-20").unwrap().outstanding() as f64;
    for point in &MIXED.points {
        let in_flight = value(point, "iops") * value(point, "lat_mean");
        if asked(point) > 1.0 {
            let host = value(point, "iops") * 1e-6;
            assert!(in_flight <= threads && in_flight > threads - 3.0 * host, "{in_flight}");
        } else {
            assert!(in_flight < threads, "{in_flight}");
        }
        let shares = value(point, "read_iops") * value(point, "read_lat_mean")
            + value(point, "write_iops") * value(point, "write_lat_mean");
        assert!((shares / in_flight - 1.0).abs() < 1e-9, "{shares} {in_flight}");
    }
}

#[test]
fn latency_rises_with_the_load() {
    let latency = |point: &Point| value(point, "lat_mean");
    for pair in MIXED.points.windows(2) {
        let (low, high) = pair[1].metrics["lat_mean"].interval95.unwrap();
        // From the maximum on all threads are busy: the latency goes up and down with collection,
        // which takes longer than a point.
        let full = asked(&pair[0]) > 0.95;
        let slack = if full { 0.1 * latency(&pair[0]) } else { high - low };
        assert!(latency(&pair[1]) + slack > latency(&pair[0]), "{pair:?}");
    }
    let (first, last) = (&MIXED.points[0], &MIXED.points[5]);
    assert!(latency(last) > 1.1 * latency(first));
    assert_eq!(MIXED.metrics["latency_at_20"].value, latency(first));
    let half = MIXED.metrics["latency_at_50"].value;
    assert!(half > latency(&MIXED.points[1]) && half < latency(&MIXED.points[2]));
}

/// Only the tested quarter is rewritten, and all of the spare space serves it: the law of FIFO
/// collection with four times the spare (see docs/theory.md) gives 1.71.
#[test]
fn the_spare_of_the_whole_drive_serves_the_part_that_is_tested() {
    let spare = 0.126 / 0.25;
    let alpha = 1.0 + spare;
    let mut cold = 0.5;
    for _ in 0..100 {
        cold = f64::exp(-alpha * (1.0 - cold));
    }
    let law = 1.0 / (1.0 - cold);
    let points = MIXED.points.iter().map(|point| value(point, "write_amplification"));
    let mean = points.sum::<f64>() / MIXED.points.len() as f64;
    // A run of a few superblocks collects in steps of one.
    assert!((mean / law - 1.0).abs() < 0.05, "{mean}, {law} by the law");
}

const OWN: &str = r#"
name = "own"
title = "Own"
provenance = "exact: made up for a test"
[mix]
read = { value = "70 %", source = "assumed: for a test" }
read_sizes = { value = "4 KiB 75 %, 16 KiB 25 %", source = "assumed: for a test" }
write_sizes = { value = "8 KiB 100 %", source = "assumed: for a test" }
[place]
random = { value = "80 %", source = "assumed: for a test" }
hot_span = { value = "10 %", source = "assumed: for a test" }
hot_reads = { value = "90 %", source = "assumed: for a test" }
[issue]
threads = { value = "4 threads", source = "assumed: for a test" }
depth = { value = "2 each", source = "assumed: for a test" }
"#;

/// Random writes to a drive that was written in order use up its spare area, at first without any
/// collection. Without a hold on what a point writes, a longer budget or a smaller part of the
/// drive gets beyond that: 120 thousand IOPS or 99, by budget alone.
#[test]
fn a_drive_written_in_order_gives_one_peak_at_every_scale_and_budget() {
    let peak = |units: u64, ios: u64| {
        let mut params = Params::default();
        for (name, value) in
            [("workload", "vdi-fc-initial-login"), ("prewrite", "0 s"), ("points", "1")]
        {
            params.give(name, value).unwrap();
        }
        complete("load-curve", &mut params).unwrap();
        let scale = Scale::Units(units << 20);
        let bench =
            ModelBench::new(BenchOptions { scale: Some(scale), ios, ..BenchOptions::default() });
        let measured = bench.measure("d7-p5520-7.68tb", "load-curve", &params).unwrap();
        assert!(measured.metrics["write_amplification"].value < 1.01);
        measured.metrics["peak_iops"].value
    };
    let of = [peak(8, 50_000), peak(8, 800_000), peak(32, 50_000), peak(32, 800_000)];
    let mean = of.iter().sum::<f64>() / of.len() as f64;
    assert!(of.iter().all(|peak| (peak / mean - 1.0).abs() < 0.02), "{of:?}");
}

/// Two drives' worth of standard deviations of a share of `n` draws.
fn share_noise(share: f64, n: f64) -> f64 {
    5.0 * (share * (1.0 - share) / n).sqrt()
}

#[test]
fn a_profile_from_a_file_is_issued_as_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.toml");
    std::fs::write(&path, OWN).unwrap();
    let path = path.to_str().unwrap();
    let m = measure(&[("workload", path), ("points", "2"), ("prewrite", "1 min")]).unwrap();
    for point in &m.points {
        let n = point.metrics["iops"].samples.unwrap() as f64;
        let reads = value(point, "read_iops") / value(point, "iops");
        assert!((reads - 0.7).abs() < share_noise(0.7, n), "{reads}");
        // A quarter of the reads are of 16 KiB.
        let bytes = value(point, "read_bandwidth") / value(point, "read_iops");
        let large = (bytes - 4096.0) / (16384.0 - 4096.0);
        assert!((large - 0.25).abs() < share_noise(0.25, 0.7 * n), "{large}");
        let bytes = value(point, "write_bandwidth") / value(point, "write_iops");
        assert!((bytes - 8192.0).abs() < 1e-3, "{bytes}");
        assert!(value(point, "outstanding") < 8.0);
    }
}

#[test]
fn what_cannot_be_is_refused_before_anything_is_measured() {
    let refused = |pairs: &[(&'static str, &str)]| measure(pairs).unwrap_err().to_string();
    let error = refused(&[("workload", "slq")]);
    assert!(error.contains("no workload is called `slq`") && error.contains("sql"), "{error}");
    let error = refused(&[("workload", "sql"), ("reported_drives", "2")]);
    assert!(error.contains("reported_drives = 2"), "{error}");
    let error = refused(&[("workload", "./nowhere.toml")]);
    assert!(error.contains("cannot be read"), "{error}");
}

#[test]
fn the_point_with_the_highest_rate_keeps_its_distributions() {
    let names: Vec<&str> = MIXED.histograms.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["peak.read_lat", "peak.write_lat"]);
    let ios: u64 = MIXED.histograms.iter().map(|one| one.n).sum();
    let of = |point: &Point| point.metrics["iops"].samples.unwrap();
    let highest = MIXED.points.iter().max_by(|a, b| value(a, "iops").total_cmp(&value(b, "iops")));
    assert_eq!(highest.map(of), Some(ios));
}

/// At this scale 25 % of the drive are half of a hundred write buffers. Nothing is prepared or run
/// to find that, and the message names both numbers.
#[test]
fn a_part_too_small_at_the_scale_is_found_before_anything_runs() {
    let mut params = Params::default();
    params.give("workload", "sql-90-10").unwrap();
    complete("load-curve", &mut params).unwrap();
    let scale = library::Scale::Units(3 << 20);
    let bench = ModelBench::new(BenchOptions { scale: Some(scale), ..BenchOptions::default() });
    let begun = |what: &str, _: f64| panic!("{what} was begun");
    let refused = |method, params: &Params| {
        let target = "d7-p5520-7.68tb";
        match bench.measure_watched(target, method, params, Some(&begun)) {
            Err(MeasureError::NotModelled(why)) => why,
            other => panic!("{other:?}"),
        }
    };
    let why = refused("load-curve", &params);
    assert!(why.contains("at this scale, less than 6.7"), "{why}");
    assert!(why.contains("leave --scale out"), "{why}");
    // Six namespaces share what is left, and three of them are written to.
    let mut params = Params::default();
    complete("noisy-neighbour", &mut params).unwrap();
    let why = refused("noisy-neighbour", &params);
    assert!(why.contains("at this scale, less than 6.7"), "{why}");
}

/// A scale that was asked for is never changed, also where it is the usual one: left out, this run
/// takes a larger part of the array.
#[test]
fn the_usual_scale_asked_for_is_refused_where_it_is_too_small() {
    let mut params = Params::default();
    params.give("op", "write").unwrap();
    complete("corner", &mut params).unwrap();
    let bench =
        ModelBench::new(BenchOptions { scale: Some(USUAL_SCALE), ..BenchOptions::default() });
    let begun = |what: &str, _: f64| panic!("{what} was begun");
    match bench.measure_watched("perc-h755n-raid5", "corner", &params, Some(&begun)) {
        Err(MeasureError::NotModelled(why)) => assert!(why.contains("184.3 GB or more"), "{why}"),
        other => panic!("{other:?}"),
    }
}

/// A system has the drives it has: as many as are asked for are there, or it is said.
#[test]
fn drives_of_a_system_are_counted() {
    let mut params = Params::default();
    params.give("drives", "3").unwrap();
    params.give("rate", "100 MB/s").unwrap();
    complete("write-pressure", &mut params).unwrap();
    let bench = ModelBench::new(BenchOptions { ios: 1000, ..BenchOptions::default() });
    match bench.measure("8x-p5520", "write-pressure", &params) {
        Err(MeasureError::NotModelled(why)) => {
            assert!(
                why.starts_with("drives = 3, but `8x-p5520` is a system that shows 8"),
                "{why}"
            );
        }
        other => panic!("{other:?}"),
    }
}
