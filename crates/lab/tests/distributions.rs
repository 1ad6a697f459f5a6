//! Distributions of latencies that measurements keep, and the energy of an I/O.

use lab::complete;
use lab::{BenchOptions, ModelBench};
use library::Scale;
use metric::{Measurement, MetricValue, NamedHistogram, Params};

fn measure(target: &str, method: &str, pairs: &[(&'static str, &'static str)]) -> Measurement {
    let options = BenchOptions {
        scale: Some(Scale::Units(1 << 19)),
        ios: 200_000,
        ..BenchOptions::default()
    };
    let mut params = Params::from_pairs(pairs.iter().copied()).unwrap();
    complete(method, &mut params).unwrap();
    ModelBench::new(options).measure(target, method, &params).unwrap()
}

fn named<'a>(measured: &'a Measurement, name: &str) -> &'a NamedHistogram {
    let found = measured.histograms.iter().find(|histogram| histogram.name == name);
    found.unwrap_or_else(|| panic!("no {name}: {:?}", names(measured)))
}

fn names(measured: &Measurement) -> Vec<&str> {
    measured.histograms.iter().map(|histogram| histogram.name.as_str()).collect()
}

/// Each percentile of a side lies in the bin that the distribution has for it.
fn agree(
    metrics: &std::collections::BTreeMap<String, MetricValue>,
    side: &str,
    of: &NamedHistogram,
) {
    let mut seen = 0;
    for (name, value) in metrics {
        let Some(percent) = name.strip_prefix(&format!("{side}_p")) else { continue };
        let (from, to, _) = of.bin_of(percent.parse().unwrap()).unwrap();
        let ns = value.value * 1e9;
        assert!(ns >= from as f64 - 1.0 && ns <= to as f64, "{name}: {ns} in {from}..{to}");
        assert!(to as f64 / (from as f64) < 1.08, "{from}..{to} is narrow");
        assert_eq!(value.samples, Some(of.n));
        seen += 1;
    }
    assert!(seen >= 8, "{seen} percentiles");
}

#[test]
fn a_mixed_load_keeps_both_sides() {
    let mixed = measure("sn850-1tb", "mixed", &[("read", "70 %"), ("qd", "32")]);
    assert_eq!(names(&mixed), ["read_lat", "write_lat"]);
    for side in ["read_lat", "write_lat"] {
        let histogram = named(&mixed, side);
        assert!(histogram.counts.len() <= stats::named_histogram::BINS);
        assert_eq!(histogram.counts.iter().sum::<u64>(), histogram.n);
        agree(&mixed.metrics, side, histogram);
    }
    let value = |name: &str| mixed.metrics[name].value;
    let joules = value("energy_per_io") * value("iops");
    assert!((joules / value("power") - 1.0).abs() < 1e-9, "{joules} W");
}

#[test]
fn each_point_of_a_sweep_has_its_own() {
    let depths = measure("sn850-1tb", "queue-depth", &[("file", "64 MiB")]);
    assert_eq!(depths.histograms.len(), depths.points.len());
    for point in &depths.points {
        let (name, value) = &point.at[0];
        agree(&point.metrics, "read_lat", named(&depths, &format!("{name}={value}.read_lat")));
    }
    let energy = |i: usize| depths.points[i].metrics["energy_per_io"].value;
    assert!(energy(0) > energy(7), "idle power is shared by more I/Os");
    let least = (0..8).map(energy).fold(f64::MAX, f64::min);
    assert_eq!(depths.metrics["energy_per_io"].value, least);
}
