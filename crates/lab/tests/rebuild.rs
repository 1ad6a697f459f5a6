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
    let options = BenchOptions { ios: 20_000, scale: Some(scale), ..BenchOptions::default() };
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

/// Kernels before 4.1 keep a rebuild beside a load at its lower limit, 1000 KiB/s of each member.
/// Whatever the array is marked clean after, and whatever rests between two runs, is no part of the
/// pace.
#[test]
fn without_windows_beside_a_load_a_rebuild_keeps_the_lower_limit() {
    let old = ("array.raid.sync.beside", "0 windows");
    for target in ["mdraid-raid5-4x-p5520", "mdraid-raid10-4x-p5520"] {
        let m = measured(target, &[old], MEDIUM, "4");
        assert!((rate(&m) / 1.024 - 1.0).abs() < 0.05, "{target}: {} MB/s", rate(&m));
        assert!(!m.warnings.iter().any(|told| told.contains("below")), "{:?}", m.warnings);
        // 7.68 TB at 1.024 MB/s are 87 days.
        let days = m.metrics["rebuild_time"].value / 86_400.0;
        assert!((days / 86.8 - 1.0).abs() < 0.07, "{target}: {days} days");
    }
    // Other limits, of a level with two parities.
    let fast = [("array.raid.sync.min", "50 MB/s"), ("drives.count", "5 drives"), old];
    let m = measured("mdraid-raid6-24x-p5520", &fast, MEDIUM, "4");
    assert!((rate(&m) / 50.0 - 1.0).abs() < 0.05, "RAID 6: {} MB/s", rate(&m));
}

/// Since 4.1 md begins the next 128 KiB beside a load when those before are done. On NVMe drives
/// that is faster than its upper limit, which then holds: 7.68 TB at 204.8 MB/s are 10.4 hours.
#[test]
fn beside_a_load_md_rebuilds_nvme_drives_at_its_upper_limit() {
    for target in ["mdraid-raid5-4x-p5520", "mdraid-raid10-4x-p5520"] {
        let m = measured(target, &[], MEDIUM, "4");
        let hours = m.metrics["rebuild_time"].value / 3600.0;
        assert!((hours / 10.4 - 1.0).abs() < 0.05, "{target}: {hours} hours");
        assert!(m.metrics["rebuild_over_sound"].value < 1.0, "{target}: it costs nothing");
    }
}

/// On disks each 128 KiB are a way of the heads there and back: between the lower limit and the
/// upper one.
#[test]
fn beside_a_load_md_rebuilds_disks_one_seek_after_the_other() {
    let m = measured("raid1-2x-dt01aca200", &[], SMALL, "1");
    let seconds = 131_072.0 / (rate(&m) * 1e6);
    // Two reads of the host at most before the window on one disk; half a turn and a seek each.
    assert!((0.010..0.060).contains(&seconds), "{seconds} s for each window");
}

/// A controller whose rule is not published keeps between the two limits too. Its cache is too
/// large for random accesses to so small a part.
#[test]
fn beside_a_load_a_controller_keeps_between_its_limits() {
    let load = [("qd", "4"), ("pattern", "seq")];
    let rate = rate(&under("perc-h755n-raid5", &[], SMALL, &load));
    assert!(rate > 1.024 && rate < 204.8, "{rate} MB/s");
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

/// A stripe does not live on without one of its drives, and a drive by itself is no array.
#[test]
fn what_cannot_be_rebuilt_is_refused_before_it_is_broken() {
    let bench = ModelBench::new(BenchOptions { scale: Some(SMALL), ..BenchOptions::default() });
    for (target, why) in
        [("raid0-2x-intel-710", "does not live on"), ("x25-e", "no array of drives")]
    {
        let error = bench.measure(target, "fault-rebuild", &Params::default()).unwrap_err();
        assert!(error.to_string().contains(why), "{target}: {error}");
    }
}
