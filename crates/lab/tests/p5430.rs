//! The D5-P5430 through the review methods: shortcuts against the long way, and the fraction of the
//! drive that is simulated.

use lab::complete;
use lab::{BenchOptions, ModelBench};
use library::Scale;
use metric::{Measurement, Params};

const DRIVE: &str = "d5-p5430-15.36tb";

fn measure(mi_units: u64, ios: u64, pairs: &[(&'static str, &'static str)]) -> Measurement {
    let options = BenchOptions {
        seed: 3,
        scale: Some(Scale::Units(mi_units << 20)),
        ios,
        ..BenchOptions::default()
    };
    let mut params = Params::from_pairs(pairs.iter().copied()).unwrap();
    complete("corner", &mut params).unwrap();
    ModelBench::new(options).measure(DRIVE, "corner", &params).unwrap()
}

fn value(m: &Measurement, metric: &str) -> f64 {
    m.metrics[metric].value
}

/// Results do not move with the fraction of the drive that is simulated.
#[test]
fn results_do_not_depend_on_the_scale() {
    let mixed = [("read_pct", "70"), ("qd", "32")];
    let small = measure(4, 400_000, &mixed);
    let large = measure(16, 400_000, &mixed);
    for (metric, tolerance) in
        [("iops", 0.01), ("read_lat_mean", 0.01), ("read_lat_p99.9", 0.03), ("power", 0.02)]
    {
        let (s, l) = (value(&small, metric), value(&large, metric));
        println!("{metric}: {s:.6} at 4 Mi units, {l:.6} at 16 Mi");
        assert!((s / l - 1.0).abs() < tolerance, "{metric}: {s} at 4 Mi units, {l} at 16 Mi");
    }
}

/// Four hours of writing on the fast path, and every second of them simulated, end alike. At
/// 1/900 of the capacity four hours are sixteen seconds.
#[test]
fn hours_without_time_end_where_hours_with_time_do() {
    use fio::LoadOptions;
    use library::{Model, Overrides};
    use simulate::{HostCost, Rig, RunOptions};
    let model = Model::named(DRIVE, &[]).unwrap();
    let overrides = Overrides { give_up: engine::Ratio::percent(10), ..Overrides::default() };
    let scale = Scale::Units(4 << 20);
    let resolved = model.resolve(scale, &overrides).unwrap();
    let seconds = 4.0 * 3600.0 * resolved.scale;
    let mut rig = Rig::new(resolved.config, resolved.scale, 3);
    let text = format!(
        "[w]\nfilename=/dev/t\nioengine=libaio\ndirect=1\nrw=randwrite\nbs=4k\niodepth=32\n\
         numjobs=8\ngroup_reporting\nnorandommap\ntime_based\nramp_time={}ms\nruntime=700ms\n",
        (seconds * 1e3) as u64
    );
    let file = fio::jobfile::parse_str("long", &text, &LoadOptions::default()).unwrap();
    let host = HostCost { submit: resolved.host.submit };
    let mut options = RunOptions { host, ..Default::default() };
    let long = rig.run(&file, &mut options).unwrap();
    let long = long.run.jobs[0].write().total_ios as f64 / long.measured_s;
    let short = measure(
        4,
        400_000,
        &[("op", "write"), ("give_up", "10 %"), ("prewrite", "4 h"), ("duration", "10 min")],
    );
    let short = value(&short, "iops");
    println!("with time {long:.0} IOPS, without {short:.0} IOPS");
    assert!((short / long - 1.0).abs() < 0.04, "with time {long} IOPS, without {short} IOPS");
}

/// Same inputs and seed: the same numbers, to the last bit.
#[test]
fn a_measurement_repeats_exactly() {
    let mixed = [("read_pct", "70"), ("qd", "8")];
    let (first, second) = (measure(4, 100_000, &mixed), measure(4, 100_000, &mixed));
    assert_eq!(first, second);
}

/// A state that was saved and loaded goes on as the one it was taken from.
#[test]
fn a_saved_state_goes_on_where_it_stopped() {
    use iopath::device::flash::drive::DriveState;
    use library::{Model, Overrides};
    use simulate::{Rig, RunOptions};
    let resolve = |units: u64| {
        let model = Model::named(DRIVE, &[]).unwrap();
        model.resolve(Scale::Units(units << 20), &Overrides::default()).unwrap()
    };
    let resolved = resolve(4);
    let text = "[w]\nfilename=/dev/t\nioengine=libaio\ndirect=1\nrw=randwrite\nbs=4k\niodepth=64\n\
                norandommap\ntime_based\nruntime=300ms\n";
    let file = fio::jobfile::parse_str("w", text, &fio::LoadOptions::default()).unwrap();
    let mut rig = Rig::new(resolved.config.clone(), resolved.scale, 3);
    rig.prepare(&DriveState::Steady(1.0));
    let mut saved = Vec::new();
    rig.save_state(&mut saved).unwrap();
    let here = rig.run(&file, &mut RunOptions::default()).unwrap();

    let mut other = Rig::new(resolved.config, resolved.scale, 3);
    other.load_state(&mut saved.as_slice()).unwrap();
    let there = other.run(&file, &mut RunOptions::default()).unwrap();
    assert_eq!(here.write_amplification, there.write_amplification);
    assert_eq!(here.run.jobs[0].write().total_ios, there.run.jobs[0].write().total_ios);

    let elsewhere = resolve(8);
    let mut wrong = Rig::new(elsewhere.config, elsewhere.scale, 3);
    let error = wrong.load_state(&mut saved.as_slice()).unwrap_err().to_string();
    assert!(error.contains("belongs to"), "{error}");
    saved.truncate(saved.len() / 2);
    let error = other.load_state(&mut saved.as_slice()).unwrap_err().to_string();
    assert!(error.contains("truncated"), "{error}");
}
