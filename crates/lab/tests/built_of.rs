//! Parameters that say what a target is built of: each changes what a model gives, and so does the
//! share of data that a drive can compress.

use lab::{BenchOptions, ModelBench};
use library::Scale;
use metric::{Measurement, Params};

type Pairs<'a> = &'a [(&'static str, &'static str)];

fn measure(target: &str, method: &str, given: &[Pairs<'_>]) -> Measurement {
    let params = Params::from_pairs(given.iter().flat_map(|pairs| pairs.iter().copied())).unwrap();
    let scale = Scale::Units(16 << 20);
    let options = BenchOptions { scale: Some(scale), ios: 20_000, ..BenchOptions::default() };
    ModelBench::new(options).measure(target, method, &params).unwrap()
}

/// A metric with one parameter more, over what it is without.
fn effect(target: &str, method: &str, base: Pairs<'_>, more: Pairs<'_>, metric: &str) -> f64 {
    let without = measure(target, method, &[base]).metrics[metric].value;
    let with = measure(target, method, &[base, more]).metrics[metric].value;
    with / without
}

#[test]
fn what_a_drive_gives_up_makes_it_write_faster() {
    let write = &[("op", "write")];
    let gain = effect("d7-p5520-7.68tb", "corner", write, &[("give_up", "25 %")], "iops");
    assert!(gain > 1.3, "{gain}");
}

#[test]
fn a_power_state_slows_writes_down() {
    let write = &[("op", "write"), ("pattern", "seq")];
    let slowed = effect("d5-p5430-15.36tb", "corner", write, &[("power_state", "2")], "iops");
    assert!(slowed < 0.8, "{slowed}");
}

#[test]
fn more_drives_do_more_together() {
    let curve = &[("workload", "sql-80-20"), ("points", "3"), ("prewrite", "0 h")];
    let one = [&curve[..], &[("drives", "1")]].concat();
    let two = [&curve[..], &[("drives", "2")]].concat();
    let peak = |given: Pairs<'_>| {
        measure("d7-p5520-7.68tb", "load-curve", &[given]).metrics["peak_iops"].value
    };
    let gain = peak(&two) / peak(&one);
    assert!((1.6..2.4).contains(&gain), "{gain}");
}

#[test]
fn cooling_fan_and_air_decide_how_warm_a_drive_gets() {
    let load = &[("rate", "3000 MB/s"), ("duration", "10 min")];
    let warmer =
        |more: Pairs<'_>| effect("sn850-1tb", "heat", &[load[0], load[1]], more, "temperature");
    assert!(warmer(&[("cooling", "fan")]) < 0.95);
    assert!(warmer(&[("ambient", "45 C")]) > 1.02);
    let fanned = &[load[0], load[1], ("cooling", "fan")];
    let slow = effect("sn850-1tb", "heat", fanned, &[("fan", "500 rpm")], "temperature");
    assert!(slow > 1.02, "{slow}");
}

#[test]
fn namespaces_share_a_drive() {
    let base = &[("read_namespaces", "1"), ("mixed_write_namespaces", "1"), ("rate", "100 MB/s")];
    let more = &[("namespaces", "4")];
    let moved = effect("d7-p5520-7.68tb", "noisy-neighbour", base, more, "read_lat_mean");
    assert!(moved != 1.0);
}

/// H14 of our own review: a drive that compresses wrote 240 MB/s at 0 % and at 99 %.
#[test]
fn what_can_be_compressed_is_written_faster_by_a_drive_that_compresses() {
    let write = &[("op", "write"), ("pattern", "seq")];
    let gain = effect("vertex-3-240gb", "corner", write, &[("compress", "90 %")], "bandwidth");
    assert!(gain > 1.5, "{gain}");
    let none = effect("d7-p5520-7.68tb", "corner", write, &[("compress", "90 %")], "bandwidth");
    assert_eq!(none, 1.0, "a drive that does not compress");
}
