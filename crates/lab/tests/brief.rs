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
    for load in [[("read", "100 %"), ("qd", "1")], [("read", "30 %"), ("qd", "64")]] {
        let samples = measure("p4510", (IOS, true), &load).metrics["iops"].samples.unwrap();
        assert!((IOS..IOS * 106 / 100).contains(&samples), "{load:?}: {samples}");
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
