//! A life worn down by arithmetic between windows, and what a few hours of counters promise of it.

use fio::{JobFile, LoadOptions};
use iopath::device::flash::drive::DriveState;
use lab::life::{self, Comparison, End, Options};
use lab::{BenchOptions, ModelBench, Run};
use library::{Model, Overrides, Scale};
use metric::Params;
use simulate::health::About;
use simulate::{HostCost, Rig};
use smart::Protocol;

const RATED: f64 = 3000.0;

/// A P4510 with a SATA interface, which acknowledges a write as late as the SATA drives of the
/// library do, at a small share of its capacity, in a state.
fn rig(state: &DriveState) -> (Rig, About) {
    let set = [("link.interface", "SATA 6 Gbit/s"), ("controller.write_ack", "10 us")];
    let set = set.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let model = Model::named("p4510", &set).unwrap_or_else(|error| panic!("{error}"));
    let resolved = model.resolve(Scale::Units(3 << 20), &Overrides::default()).expect("resolves");
    let about = About {
        place: 0,
        model: model.drive.name.clone(),
        serial: "1".to_owned(),
        protocol: Protocol::Ata,
        rated_cycles: Some(RATED),
    };
    let mut rig = Rig::new(resolved.config, resolved.scale, 1);
    rig.prepare(state);
    (rig, about)
}

fn options(windows: u32) -> Options {
    Options { rated_cycles: RATED, windows, host: HostCost::default(), shrink: false }
}

fn job(text: &str, seconds: f64) -> JobFile {
    let text = format!(
        "[w]\nfilename=/dev/x\ndirect=1\niodepth=32\nnorandommap\ntime_based\n\
         runtime={}us\n{text}\n",
        (seconds * 1e6) as u64
    );
    fio::jobfile::parse_str("j", &text, &LoadOptions::default()).expect("parses")
}

const RANDOM: &str = "rw=randwrite\nbs=4k";

/// Simulated seconds of so many hours of the real drive.
fn hours(rig: &Rig, hours: f64) -> f64 {
    hours * 3600.0 * rig.clock().scale()
}

fn compare(rig: &mut Rig, about: &About, text: &str, window: &JobFile, count: u32) -> Comparison {
    compare_after(6.0, rig, about, text, window, count)
}

/// What so many hours promise, and the life.
fn compare_after(
    first: f64,
    rig: &mut Rig,
    about: &About,
    text: &str,
    window: &JobFile,
    count: u32,
) -> Comparison {
    let short = job(text, hours(rig, first));
    let both = life::compare(rig, &short, window, about, &options(count))
        .expect("runs")
        .expect("computed");
    println!(
        "told {:?}, lived {:.3e} B in {:.0} days, over by {:.3}; {:?}",
        both.told,
        both.life.host_bytes,
        both.life.days(),
        both.overestimate(),
        both.life.phases.iter().map(|p| p.write_amplification).collect::<Vec<_>>()
    );
    both
}

/// The claim of the review's method: six hours in the steady state tell the whole life.
#[test]
fn six_hours_of_a_steady_workload_tell_the_life() {
    let (mut rig, about) = rig(&DriveState::Steady(1.0));
    let both = compare(&mut rig, &about, RANDOM, &job(RANDOM, 4.0), 6);
    assert_eq!(both.life.end, End::RatedCycles);
    let last = both.life.phases.last().expect("phases");
    assert!((last.used - 1.0).abs() < 1e-3, "{last:?}");
    // A hundredth for what differs from one stretch of random writes to another.
    assert!(both.agrees(0.01), "{both:?}");
    assert!(both.told.spread() < 1.03, "six hours move E2h by some 70 steps");
}

/// On a drive that was filled in sequence the first hours copy little, and promise too much; the
/// fewer they are, the more.
#[test]
fn six_hours_after_a_sequential_fill_promise_too_much() {
    let over = [2.0, 6.0].map(|first| {
        let (mut rig, about) = rig(&DriveState::Filled);
        let both = compare_after(first, &mut rig, &about, RANDOM, &job(RANDOM, 4.0), 6);
        assert!(!both.agrees(0.01));
        both.overestimate() - 1.0
    });
    assert!(over[0] > 0.2 && over[0] > 2.0 * over[1] && over[1] > 0.1, "{over:?}");
}

/// A day has more than one workload: counters read in one of them promise what that one would
/// live through. Here the drive is also rewritten in order, which copies nothing and tidies up.
#[test]
fn six_hours_of_one_phase_tell_nothing_of_the_others() {
    let (mut rig, about) = rig(&DriveState::Steady(1.0));
    let day = format!(
        "[pass]\nfilename=/dev/x\ndirect=1\niodepth=32\nrw=write\nbs=128k\n\
         [w]\nstonewall\nfilename=/dev/x\ndirect=1\niodepth=32\nnorandommap\ntime_based\n\
         runtime=4\n{RANDOM}\n"
    );
    let day = fio::jobfile::parse_str("j", &day, &LoadOptions::default()).expect("parses");
    let both = compare(&mut rig, &about, RANDOM, &day, 2);
    assert!(both.overestimate() < 0.7 && !both.agrees(0.1), "{}", both.overestimate());
}

/// Idle time costs no wear: it stretches the days and leaves the bytes.
#[test]
fn idle_time_stretches_the_days_and_leaves_the_bytes() {
    let lives: Vec<life::Life> = ["", "\nrate_iops=20000"]
        .iter()
        .map(|pause| {
            let (mut rig, _) = rig(&DriveState::Steady(1.0));
            let window = job(&format!("{RANDOM}{pause}"), 8.0);
            life::simulate(&mut rig, &window, &options(2)).expect("runs")
        })
        .collect();
    let (busy, idle) = (&lives[0], &lives[1]);
    println!("busy {:.3e} B, {:.0} days", busy.host_bytes, busy.days());
    println!("idle {:.3e} B, {:.0} days", idle.host_bytes, idle.days());
    assert!((idle.host_bytes / busy.host_bytes - 1.0).abs() < 0.05);
    assert!(idle.days() > 1.5 * busy.days());
}

#[test]
fn reads_wear_nothing() {
    let (mut rig, _) = rig(&DriveState::Filled);
    let life = life::simulate(&mut rig, &job("rw=randread\nbs=4k", 0.2), &options(3));
    let life = life.expect("runs");
    assert_eq!((life.end, life.phases.len()), (End::NoWear, 0));
}

/// The method wears the drive of the library as the functions above do, phase by phase, and holds
/// six hours of its counters against that.
#[test]
fn the_method_tells_life_and_promise() {
    use lab::complete;
    use lab::{BenchOptions, ModelBench};
    use metric::Params;
    let options = BenchOptions { ios: 600_000, ..BenchOptions::default() };
    let mut params = Params::from_pairs([("windows", "3")]).unwrap();
    complete("life-by-counters", &mut params).unwrap();
    let bench = ModelBench::new(options);
    let m = bench.measure("intel-710-200gb", "life-by-counters", &params).unwrap();
    let value = |name: &str| m.metrics[name].value;
    assert_eq!(m.points.len(), 3);
    let written: f64 = m.points.iter().map(|point| point.metrics["host_writes"].value).sum();
    assert!((written / value("tbw") - 1.0).abs() < 1e-9);
    assert!((value("tbw") / value("lifetime") / value("gb_per_day") - 1.0).abs() < 1e-9);
    // In the steady state the promise holds within the steps of the counters, and a hundredth.
    let (least, most) = (value("tbw_told_least") * 0.99, value("tbw_told_most") * 1.01);
    assert!((least..=most).contains(&value("tbw")), "{:?}", m.metrics);
    assert!(m.warnings.iter().any(|text| text.contains("rated cycles")), "{:?}", m.warnings);
}

/// A long method is hundreds of runs on one machine; each makes a workload, and leaves nothing.
#[test]
fn a_drive_is_run_hundreds_of_times() {
    let (mut rig, _) = rig(&DriveState::Filled);
    let file = job("rw=randread\nbs=4k", 1e-4);
    for _ in 0..600 {
        rig.run(&file, &mut simulate::RunOptions::default()).expect("runs");
    }
}

/// The scale of the method is too small for the superblocks of many dies: it grows by itself. One
/// that somebody asked for does not.
#[test]
fn the_scale_of_a_method_grows_to_what_a_drive_needs() {
    let check = |scale: Option<Scale>| {
        let bench = ModelBench::new(BenchOptions { scale, ..BenchOptions::default() });
        let run = |target: &str| Run {
            target: target.to_owned(),
            method: "life".to_owned(),
            params: Params::default(),
        };
        ["p4510", "d5-p5430", "d7-p5520-7.68tb"].map(|target| bench.check(&run(target)).is_ok())
    };
    assert_eq!(check(None), [true; 3]);
    assert_eq!(check(Some(Scale::Units(1 << 21))), [false; 3]);
}
