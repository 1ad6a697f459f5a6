//! A budget that cuts a measurement is told, as `drivelab run` tells it.

use lab::{BenchOptions, ModelBench};
use library::Scale;
use metric::{Measurement, Params};

fn measure(method: &str, pairs: &[(&'static str, &'static str)]) -> Measurement {
    let scale = Scale::Units(1 << 20);
    let bench = ModelBench::new(BenchOptions {
        seed: 1,
        scale: Some(scale),
        ios: 200_000,
        ..BenchOptions::default()
    });
    let params = Params::from_pairs(pairs.iter().copied()).unwrap();
    bench.measure("x25-e-64gb", method, &params).unwrap()
}

fn told(measured: &Measurement) -> Vec<&str> {
    let cut = measured.warnings.iter().filter(|text| text.contains("the budget ended"));
    cut.map(String::as_str).collect()
}

#[test]
fn a_time_that_was_asked_for_and_is_cut_is_told_with_both_times() {
    let measured = measure("corner", &[("op", "read"), ("qd", "8"), ("duration", "60 s")]);
    let told = told(&measured);
    assert_eq!(told.len(), 1, "{:?}", measured.warnings);
    assert!(told[0].contains(" s of the 60 s asked for"), "{told:?}");
    // The time that is told is the one that was measured: I/Os over their rate.
    let iops = measured.metrics["iops"];
    let seconds = iops.samples.unwrap() as f64 / iops.value;
    let shown = told[0].split("after ").nth(1).and_then(|rest| rest.split(' ').next());
    let shown: f64 = shown.and_then(|number| number.parse().ok()).expect("a number of seconds");
    assert!((shown - seconds).abs() < 0.02, "{seconds}: {told:?}");
}

#[test]
fn a_time_within_the_budget_and_that_of_a_method_are_not_told() {
    let short = measure("corner", &[("op", "read"), ("qd", "8"), ("duration", "1 s")]);
    assert_eq!(told(&short), [""; 0]);
    let unasked = measure("corner", &[("op", "read"), ("qd", "8")]);
    assert_eq!(told(&unasked), [""; 0]);
}

/// Points of a sweep are told together.
#[test]
fn a_sweep_says_it_once() {
    let measured = measure("queue-depth", &[("duration", "30 s")]);
    let told = told(&measured);
    assert_eq!(told.len(), 1, "{:?}", measured.warnings);
    assert!(told[0].contains("measurements after") && told[0].contains("of 30 s each"), "{told:?}");
}
