//! How fast arrays of the library are made whole again, against their own limits: from below and
//! from above, under a load and without one, at more than one scale.

use lab::{BenchOptions, ModelBench};
use library::{Overrides, Scale, System};
use metric::{Measurement, Params};
use simulate::Rig;

const SMALL: Scale = Scale::Units(1 << 20);
const MEDIUM: Scale = Scale::Units(16 << 20);

fn set(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect()
}

fn measured(target: &str, pairs: &[(&str, &str)], scale: Scale, qd: &str) -> Measurement {
    under(target, pairs, scale, &[("qd", qd)])
}

/// The same under a load of one's own.
fn under(target: &str, pairs: &[(&str, &str)], scale: Scale, load: &[(&str, &str)]) -> Measurement {
    let options = BenchOptions { ios: 20_000, scale, ..BenchOptions::default() };
    let bench = ModelBench::new(options).with_set(set(pairs));
    let usual = [("duration", "1 s"), ("state", "filled")];
    let params = Params::from_pairs(usual.iter().chain(load).copied()).unwrap();
    bench
        .measure(target, "fault-rebuild", &params)
        .unwrap_or_else(|why| panic!("{target}: {why:?}"))
}

fn rate(m: &Measurement) -> f64 {
    m.metrics["rebuild_rate"].value / 1e6
}

/// Under a load md promises its lower limit, 1000 KiB/s, to each member, and keeps it. Whatever the
/// array is marked clean after, and whatever rests between two runs, is no part of the pace.
#[test]
fn a_rebuild_under_a_load_keeps_the_lower_limit_of_md() {
    for target in ["mdraid-raid5-4x-p5520", "mdraid-raid10-4x-p5520"] {
        let m = measured(target, &[], MEDIUM, "4");
        assert!((rate(&m) / 1.024 - 1.0).abs() < 0.05, "{target}: {} MB/s", rate(&m));
        assert!(!m.warnings.iter().any(|told| told.contains("below")), "{:?}", m.warnings);
        // 7.68 TB at 1.024 MB/s are 87 days.
        let days = m.metrics["rebuild_time"].value / 86_400.0;
        assert!((days / 86.8 - 1.0).abs() < 0.07, "{target}: {days} days");
    }
    // Other limits, of a level with two parities and of mirrors of disks.
    let fast = [("array.raid.sync.min", "50 MB/s"), ("drives.count", "5 drives")];
    let m = measured("mdraid-raid6-24x-p5520", &fast, MEDIUM, "4");
    assert!((rate(&m) / 50.0 - 1.0).abs() < 0.05, "RAID 6: {} MB/s", rate(&m));
    let m = measured("raid1-2x-dt01aca200", &[], SMALL, "1");
    assert!((rate(&m) / 1.024 - 1.0).abs() < 0.05, "disks: {} MB/s", rate(&m));
    // A controller of its own. Its cache is too large for random accesses to so small a part.
    let m = under("perc-h755n-raid5", &[], SMALL, &[("qd", "4"), ("pattern", "seq")]);
    assert!((rate(&m) / 1.024 - 1.0).abs() < 0.05, "controller: {} MB/s", rate(&m));
}

/// The time is that of the whole array at any scale.
#[test]
fn the_time_of_a_rebuild_does_not_depend_on_the_scale() {
    let of = |units: u64| {
        let m = measured("raid5-3x-pm981a", &[], Scale::Units(units << 20), "4");
        m.metrics["rebuild_time"].value
    };
    let (small, large) = (of(1), of(4));
    assert!((small / large - 1.0).abs() < 0.03, "{small} s, {large} s");
}

/// Without a load a rebuild goes at the upper limit, and never above it.
#[test]
fn an_idle_array_rebuilds_at_the_upper_limit() {
    for target in ["mdraid-raid5-4x-p5520", "mdraid-raid10-4x-p5520", "perc-h755n-raid5"] {
        let system = System::named(target, &[]).unwrap();
        let resolved = system.resolve(SMALL, &Overrides::default()).unwrap();
        let mut rig = Rig::of(&resolved, 1);
        rig.fill();
        rig.fail_member(1);
        rig.replace_member(1).unwrap();
        rig.idle(engine::Duration::from_ms(500));
        let pace = rig.array().unwrap().recovery.idle.rate().unwrap() / 1e6;
        let limit = rig.sync_policy().unwrap().max.base() as f64 / 1e6;
        assert!(pace > 0.97 * limit && pace < 1.01 * limit, "{target}: {pace} of {limit} MB/s");
    }
}

/// What four drives use is the sum of what each uses.
#[test]
fn the_power_of_an_array_is_that_of_all_its_drives() {
    let idle = |target: &str, scale: Scale| {
        let system = System::named(target, &[]).unwrap();
        let resolved = system.resolve(scale, &Overrides::default()).unwrap();
        let mut rig = Rig::of(&resolved, 1);
        let line = rig.idle(engine::Duration::from_ms(100));
        let total = line.total().unwrap();
        total.joules.unwrap() / total.seconds
    };
    let one = idle("d7-p5520-7.68tb", Scale::Units(4 << 20));
    let four = idle("mdraid-raid5-4x-p5520", Scale::Units(16 << 20));
    assert!((four / (4.0 * one) - 1.0).abs() < 1e-6, "{four} W of four, {one} W of one");
    let m = measured("mdraid-raid5-4x-p5520", &[], SMALL, "4");
    assert!(m.metrics["power"].value > four, "{} W under a load", m.metrics["power"].value);
}
