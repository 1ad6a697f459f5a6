//! Any load on an array whose drive has failed, and on one that is made whole again beside it.

use lab::{ArrayCondition, BenchOptions, ModelBench};
use library::Scale;
use metric::{MeasureError, Measurement, Params};

fn measured(
    target: &str,
    condition: ArrayCondition,
    pairs: &[(&str, &str)],
) -> Result<Measurement, MeasureError> {
    let options =
        BenchOptions { ios: 40_000, scale: Some(Scale::Units(1 << 20)), ..BenchOptions::default() };
    let bench = ModelBench::new(options).with_array(condition);
    bench.measure(target, "corner", &Params::from_pairs(pairs.iter().copied()).unwrap())
}

fn iops(target: &str, condition: ArrayCondition, pairs: &[(&str, &str)]) -> f64 {
    measured(target, condition, pairs).unwrap().metrics["iops"].value
}

const READS: [(&str, &str); 3] = [("op", "read"), ("state", "filled"), ("qd", "256")];

/// A RAID 5 of n gives n times the reads of a member. Without one of them a read costs 1 in (n - 1)
/// of n cases and n - 1 in the others, 2 (n - 1) / n in the mean, and n - 1 members share it: half
/// as many.
#[test]
fn a_degraded_raid_5_reads_half_as_fast() {
    for target in ["raid5-3x-pm981a", "raid5-4x-pm981a"] {
        let healthy = iops(target, ArrayCondition::Healthy, &READS);
        let degraded = iops(target, ArrayCondition::Degraded, &READS);
        let ratio = degraded / healthy;
        assert!((ratio - 0.5).abs() < 0.05, "{target}: {degraded:.0} of {healthy:.0}");
    }
}

/// Nothing has to be computed from others: three of four members read.
#[test]
fn a_degraded_raid_10_reads_with_the_members_that_are_left() {
    let of = |condition| iops("raid10-4x-pm981a", condition, &READS);
    let ratio = of(ArrayCondition::Degraded) / of(ArrayCondition::Healthy);
    // The mirror of the one that failed serves its half alone, and holds up the rest.
    assert!((0.45..0.8).contains(&ratio), "{ratio}");
}

/// The rebuild goes on beside the load, at the upper limit of md, since NVMe drives finish each of
/// its windows sooner: 10.4 hours for 7.68 TB at 204.8 MB/s. That is 3 % of what each member reads.
#[test]
fn a_rebuild_says_how_long_it_takes_beside_the_load() {
    let target = "mdraid-raid5-4x-p5520";
    let load = [("op", "read"), ("state", "filled"), ("qd", "64"), ("duration", "40 s")];
    let rebuilt = measured(target, ArrayCondition::Rebuilding, &load).unwrap();
    let hours = rebuilt.metrics["rebuild_time"].value / 3600.0;
    assert!((hours / 10.4 - 1.0).abs() < 0.05, "{hours} hours");
    let degraded = iops(target, ArrayCondition::Degraded, &load);
    let ratio = rebuilt.metrics["iops"].value / degraded;
    assert!((0.9..1.0).contains(&ratio), "{ratio}");
}

/// A part of an array is rebuilt within seconds. A load of a minute meets an array that is rebuilt
/// all the same, and at every scale an array of which nothing is rebuilt yet.
#[test]
fn a_rebuild_outlasts_its_load_at_every_scale() {
    let load = [("op", "read"), ("state", "filled"), ("qd", "64"), ("duration", "60 s")];
    let at = |units: u64| {
        let scale = Scale::Units(units << 20);
        let options = BenchOptions { ios: 400_000, scale: Some(scale), ..BenchOptions::default() };
        let bench = ModelBench::new(options).with_array(ArrayCondition::Rebuilding);
        let params = Params::from_pairs(load).unwrap();
        let measured = bench.measure("mdraid-raid5-4x-p5520", "corner", &params).unwrap();
        measured.metrics["iops"].value
    };
    let (small, large) = (at(1), at(4));
    assert!((small / large - 1.0).abs() < 0.03, "{small} and {large} IOPS");
}

#[test]
fn what_cannot_lose_a_drive_is_refused() {
    for target in ["pm981a-256gb", "raid0-4x-pm981a"] {
        let refused = measured(target, ArrayCondition::Degraded, &READS).unwrap_err();
        assert!(refused.to_string().contains("does not live on"), "{target}: {refused}");
    }
}

#[test]
fn a_condition_is_no_chance() {
    let of = || measured("raid5-3x-pm981a", ArrayCondition::Rebuilding, &READS).unwrap();
    assert_eq!(format!("{:?}", of().metrics), format!("{:?}", of().metrics));
}
