//! Write pressure and noisy neighbours on modelled drives.

use lab::complete;
use lab::{BenchOptions, ModelBench};
use library::Scale;
use metric::{MeasureError, Measurement, Params};

fn run(
    drive: &str,
    method: &str,
    ios: u64,
    pairs: &[(&'static str, &'static str)],
) -> Result<Measurement, MeasureError> {
    // Each of six namespaces needs room for a hundred write buffers.
    let units = if method == "noisy-neighbour" { 12 << 20 } else { 4 << 20 };
    let scale = Scale::Units(units);
    let options = BenchOptions { seed: 3, scale: Some(scale), ios, ..BenchOptions::default() };
    let mut params = Params::from_pairs(pairs.iter().copied()).unwrap();
    complete(method, &mut params).unwrap();
    ModelBench::new(options).measure(drive, method, &params)
}

fn value(m: &Measurement, metric: &str) -> f64 {
    m.metrics.get(metric).unwrap_or_else(|| panic!("no {metric} in {:?}", m.metrics)).value
}

/// What the drive holds is written at the rate asked for; more of it costs reads more, and every
/// tail figure says how far it can be trusted.
#[test]
fn more_writing_costs_the_reads_more() {
    let at = |rate| run("d7-p5520-7.68tb", "write-pressure", 120_000, &[("rate", rate)]).unwrap();
    let (light, heavy) = (at("100 MB/s"), at("600 MB/s"));
    for (m, rate) in [(&light, 1e8), (&heavy, 6e8)] {
        assert!((value(m, "write_bandwidth") / rate - 1.0).abs() < 0.01, "{:?}", m.metrics);
        assert!(!m.metrics.contains_key("max_rate"), "a rate that is held is not the highest");
        let tail = m.metrics["read_lat_p99"];
        let (low, high) = tail.interval95.unwrap();
        assert!(low <= tail.value && tail.value <= high && tail.samples.unwrap() > 5_000);
        let names: Vec<&str> = m.histograms.iter().map(|one| one.name.as_str()).collect();
        assert_eq!((names, Some(m.histograms[0].n)), (vec!["read_lat", "write_lat"], tail.samples));
    }
    for metric in ["read_lat_mean", "read_lat_p90", "read_lat_p99"] {
        assert!(value(&heavy, metric) > value(&light, metric), "{metric}");
    }
    let few = |warning: &String| warning.contains("too few") && warning.contains("100000");
    assert!(light.warnings.iter().any(few), "{:?}", light.warnings);
}

/// A drive that programs little while it collects stops at a rate in bytes, whatever the size of
/// the writes: half of the commands at twice the size.
#[test]
fn a_drive_stops_at_bytes_and_says_where() {
    let most = |block| {
        let pairs = [("rate", "600 MB/s"), ("block", block)];
        let m = run("cd6-7.68tb", "write-pressure", 120_000, &pairs).unwrap();
        assert!(
            m.warnings.iter().any(|w| w.contains("does not hold 600 MB/s")),
            "{:?}",
            m.warnings
        );
        value(&m, "max_rate")
    };
    let (eight, sixteen) = (most("8 KiB"), most("16 KiB"));
    assert!((sixteen / eight - 1.0).abs() < 0.05, "{eight} {sixteen}");
    assert!((eight / 350e6 - 1.0).abs() < 0.05, "{eight}");
}

/// Drives side by side share nothing: the reported one reads as if it were alone.
#[test]
fn a_drive_beside_others_is_as_it_is_alone() {
    let at = |drives| {
        let pairs = [("rate", "300 MB/s"), ("drives", drives)];
        run("d7-p5520-7.68tb", "write-pressure", 120_000, &pairs).unwrap()
    };
    let (one, two) = (at("1"), at("2"));
    let ratio = value(&two, "read_lat_mean") / value(&one, "read_lat_mean");
    assert!((ratio - 1.0).abs() < 0.05, "{ratio}");
    assert!((value(&two, "write_bandwidth") / 3e8 - 1.0).abs() < 0.01, "of one drive");
}

#[test]
fn rates_that_no_drive_reaches_are_refused() {
    let refused = |rate| match run("cd6-7.68tb", "write-pressure", 1000, &[("rate", rate)]) {
        Err(error) => error.to_string(),
        Ok(m) => panic!("{rate} was run: {:?}", m.metrics),
    };
    assert!(refused("20 GB/s").contains("the link carries"), "{}", refused("20 GB/s"));
    assert!(refused("350 B/s").contains("less than one write"), "{}", refused("350 B/s"));
}

/// The mean of three namespaces' own values, its doubt, and what is said of too few reads.
#[test]
fn neighbours_are_timed_by_themselves() {
    let pairs = [("rate", "200 MB/s")];
    let m = run("d7-p5520-7.68tb", "noisy-neighbour", 150_000, &pairs).unwrap();
    assert!((value(&m, "write_bandwidth") / 2e8 - 1.0).abs() < 0.02, "{:?}", m.metrics);
    let mean = m.metrics["read_lat_mean"];
    let (low, high) = mean.interval95.unwrap();
    assert!(low < mean.value && mean.value < high);
    assert!(mean.samples.unwrap() > 10_000, "of all three");
    let names: Vec<&str> = m.histograms.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["read_lat", "mixed.read_lat", "mixed.write_lat"]);
    assert_eq!(Some(m.histograms[0].n), mean.samples, "a pool of the three");
    assert!(value(&m, "read_lat_p99.9") > value(&m, "read_lat_p99"));
    let few = |warning: &String| warning.contains("too few for read_lat_p99.9");
    assert!(m.warnings.iter().any(few), "{:?}", m.warnings);
    let quiet = [("mixed_write_namespaces", "0")];
    let quiet = run("d7-p5520-7.68tb", "noisy-neighbour", 150_000, &quiet).unwrap();
    assert!(value(&quiet, "read_lat_mean") < mean.value);
}

#[test]
fn more_roles_than_namespaces_are_refused() {
    let pairs = [("namespaces", "4")];
    let error = run("d7-p5520-7.68tb", "noisy-neighbour", 1000, &pairs).unwrap_err().to_string();
    assert!(error.contains("more than the 4 there are"), "{error}");
    let pairs = [("read_namespaces", "0")];
    let error = run("d7-p5520-7.68tb", "noisy-neighbour", 1000, &pairs).unwrap_err().to_string();
    assert!(error.contains("nothing to time"), "{error}");
}
