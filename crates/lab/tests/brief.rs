//! Brief runs, of which sweeps make many: they are counted in I/Os.

use lab::{BenchOptions, ModelBench};
use library::Scale;
use metric::{Measurement, Params};

/// I/Os of a screening point.
const IOS: u64 = 16_000;

fn measure(
    target: &str,
    (ios, brief): (u64, bool),
    pairs: &[(&'static str, &'static str)],
) -> Measurement {
    let scale = Some(Scale::Units(1 << 22));
    let bench = ModelBench::new(BenchOptions { ios, scale, brief, ..BenchOptions::default() });
    let params = Params::from_pairs(pairs.iter().copied()).unwrap();
    bench.measure(target, "mixed", &params).unwrap()
}

/// Of drives that a short look at them would judge by what a buffer or a cache takes at first.
#[test]
fn a_brief_run_finds_the_rate_of_one_that_is_25_times_as_long() {
    let loads = [
        ("sn850-1tb", [("read", "50 %"), ("qd", "8")]),
        ("sn850-1tb", [("read", "0 %"), ("qd", "1")]),
        ("p4510", [("read", "0 %"), ("qd", "32")]),
        ("p4510", [("read", "70 %"), ("qd", "16")]),
        ("p4510", [("read", "100 %"), ("qd", "64")]),
    ];
    for (target, load) in loads {
        let [brief, long] = [(IOS, true), (25 * IOS, false)]
            .map(|work| measure(target, work, &load).metrics["iops"].value);
        assert!((brief / long - 1.0).abs() < 0.04, "{target} {load:?}: {brief}, {long}");
    }
}

#[test]
fn it_measures_as_many_ios_as_are_asked_for() {
    for load in [[("read", "100 %"), ("qd", "1")], [("read", "0 %"), ("qd", "64")]] {
        let samples = measure("p4510", (IOS, true), &load).metrics["iops"].samples.unwrap();
        assert!((IOS..IOS * 106 / 100).contains(&samples), "{load:?}: {samples}");
    }
}

/// Beside reads space is collected in waves, and a measurement goes on until one is whole: until
/// the drive has done the work for what it took, and at most for twice the I/Os. If it is not whole
/// then, that is told.
#[test]
fn a_wave_of_collection_is_measured_whole_or_it_is_told() {
    let told = |text: &String| text.contains("took more than it worked for while it was measured");
    let of = |read: &'static str, qd: &'static str| {
        let measured = measure("p4510", (IOS, true), &[("read", read), ("qd", qd)]);
        (measured.metrics["iops"].samples.unwrap(), measured.warnings.iter().any(told))
    };
    let (samples, is_told) = of("50 %", "32");
    assert!((IOS * 5 / 4..2 * IOS).contains(&samples) && !is_told, "{samples} {is_told}");
    let (samples, is_told) = of("95 %", "64");
    assert!((2 * IOS..IOS * 212 / 100).contains(&samples) && is_told, "{samples} {is_told}");
}

/// A time below a second is what is measured, also where runs are not brief.
#[test]
fn a_short_time_that_was_asked_for_is_measured() {
    let load = [("read", "100 %"), ("qd", "64")];
    let rate = measure("p4510", (IOS, true), &load).metrics["iops"].value;
    for (time, seconds) in [("50 ms", 0.05), ("200 ms", 0.2)] {
        let load = [&load[..], &[("duration", time)]].concat();
        let samples = measure("p4510", (100 * IOS, false), &load).metrics["iops"].samples;
        let measured = samples.unwrap() as f64 / rate;
        assert!((measured / seconds - 1.0).abs() < 0.02, "{time}: {measured} s");
    }
}

/// The time that a user gave is longer than it takes to get the I/Os, which is said.
#[test]
fn a_time_that_was_asked_for_is_told_if_it_was_not_needed() {
    let load = [("read", "70 %"), ("qd", "16"), ("duration", "60 s")];
    let measured = measure("p4510", (IOS, true), &load);
    let told = |text: &&String| text.contains("s of the 60 s asked for");
    assert_eq!(measured.warnings.iter().filter(told).count(), 1, "{:?}", measured.warnings);
}
