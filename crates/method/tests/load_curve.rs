//! Latency over the rate: laws that every curve keeps, on a modelled drive.

use method::library::Scale;
use method::measure::{BenchOptions, ModelBench};
use method::review::{Bench, Measurement, Params, Point};
use std::sync::LazyLock;

fn measure(pairs: &[(&'static str, &str)]) -> Measurement {
    let mut params = Params::default();
    for (name, value) in pairs {
        params.give(name, value).unwrap();
    }
    let options = BenchOptions { ios: 600_000, scale: Scale::Units(7_000_000), ..Default::default() };
    let bench = ModelBench::new(options);
    bench.measure("d7-p5520-7.68tb", "load-curve", &params).unwrap()
}

/// A curve of reads and writes, which several tests look at.
static MIXED: LazyLock<Measurement> = LazyLock::new(|| measure(&[("workload", "sql-80-20")]));

#[test]
fn probe() {
    let m = &*MIXED;
    for (name, value) in &m.metrics {
        println!("{name} {}", value.value);
    }
    for p in &m.points {
        println!("{:?} {:?}", p.at, p.metrics.iter().filter(|(k, _)| !k.contains("_p")).map(|(k, v)| format!("{k}={:.6}", v.value)).collect::<Vec<_>>());
    }
    println!("{:?}", m.warnings);
}
