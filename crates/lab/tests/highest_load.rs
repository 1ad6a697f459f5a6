//! The highest load within a limit, held to laws.

use lab::{BenchOptions, ModelBench, complete};
use library::Scale;
use metric::{MeasureError, Measurement, Params};

fn measure(pairs: &[(&'static str, &str)]) -> Result<Measurement, MeasureError> {
    let mut params = Params::default();
    for (name, value) in pairs {
        params.give(name, value).unwrap();
    }
    complete("highest-load", &mut params).unwrap();
    let scale = Some(Scale::Units(3 << 20));
    let options = BenchOptions { scale, ios: 100_000, ..BenchOptions::default() };
    ModelBench::new(options).measure("d7-p5520-7.68tb", "highest-load", &params)
}

fn reads(limit: &'static str) -> Measurement {
    measure(&[("read", "100 %"), ("state", "filled"), ("limit", limit)]).unwrap()
}

/// A read costs the energy of a sense and of 4,096 bytes over the channel, 9.82 uJ with 6.99 uJ and
/// 0.69 nJ a byte; 3 W above the 5 W of rest pay for 305.6 thousand a second.
#[test]
fn a_limit_of_power_allows_what_it_pays_for() {
    let found = reads("power < 8 W");
    let highest = found.metrics["max_iops"].value;
    let paid = 3.0 / (6.99e-6 + 4096.0 * 0.69e-9);
    assert!((highest / paid - 1.0).abs() < 0.03, "{highest} against {paid}");
    assert!(found.metrics["power"].value <= 8.0);
}

/// The value that is found keeps the limit, one at most 2 % above it does not, and what is offered
/// arrives.
#[test]
fn the_next_value_passes_the_limit() {
    let found = reads("read_lat_p99 < 130 us");
    let value = |name: &str| found.metrics[name].value;
    let highest = value("max_iops");
    assert!(value("read_lat_p99") <= 130e-6);
    assert!((value("iops") / highest - 1.0).abs() < 0.02, "{} of {highest}", value("iops"));
    let offered = |point: &metric::Point| point.at[0].1.parse::<f64>().unwrap();
    assert!(found.points.is_sorted_by_key(offered), "points ascend");
    let next = found.points.iter().find(|point| offered(point) > highest).unwrap();
    assert!(offered(next) <= highest * 1.021, "{} after {highest}", offered(next));
    assert!(next.metrics["read_lat_p99"].value > 130e-6);
    assert!(highest < value("peak_iops"));
}

#[test]
fn a_limit_that_nothing_keeps_or_everything_does_is_told() {
    let never = reads("read_lat_mean < 20 us");
    assert!(!never.metrics.contains_key("max_iops"));
    let told = |found: &Measurement, what: &str| found.warnings.iter().any(|w| w.contains(what));
    assert!(told(&never, "read_lat_mean < 20 us holds nowhere: not at offered = "));
    let always = reads("read_lat_p99.9 < 1 s");
    assert_eq!(always.metrics["max_iops"].value, always.metrics["peak_iops"].value);
    assert!(told(&always, "read_lat_p99.9 < 1 s holds without a rate limit"));
}

/// Reads have no latency of writes, which is no limit that holds nowhere.
#[test]
fn a_limit_needs_what_it_limits() {
    let pairs = [("read", "100 %"), ("state", "filled"), ("limit", "write_lat_p99 < 1 ms")];
    let refused = measure(&pairs).unwrap_err().to_string();
    assert!(refused.contains("gives no `write_lat_p99` here"), "{refused}");
}

#[test]
fn what_is_no_limit_is_refused() {
    let refused = |limit: &str| measure(&[("limit", limit)]).unwrap_err().to_string();
    assert!(refused("1 ms").contains("compares nothing"));
    assert!(refused("read_lat_p99.9 < 1 GB").contains("no unit of read_lat_p99.9"));
    assert!(refused("tbw > 1 PB").contains("`tbw` is nothing that a load gives"));
}
