//! Health logs of modelled drives: rules of the counters, scale, and what endurance makes of them.

use fio::{JobFile, LoadOptions};
use iopath::device::flash::drive::DriveState;
use iopath::device::health::Wear;
use library::{Model, Overrides, Scale};
use simulate::health::{About, snapshot};
use simulate::{Rig, RunOptions, Simulated};
use smart::counter::{TimedState, timed_workload};
use smart::endurance::{Named, Options, between};
use smart::{Protocol, Snapshot, read, write};

const SERIAL: &str = "TEST-1";

/// A P4510 at 1/480 of its capacity: a simulated second represents eight minutes.
fn rig(interface: &str) -> (Rig, About) {
    let mut set = Vec::new();
    if interface.starts_with("SATA") {
        set.push(("link.interface".to_owned(), interface.to_owned()));
    }
    let model = Model::named("p4510", &set).unwrap_or_else(|error| panic!("{error}"));
    let resolved = model.resolve(Scale::Units(4 << 20), &Overrides::default()).expect("resolves");
    let protocol = if set.is_empty() { Protocol::Nvme } else { Protocol::Ata };
    let about = About {
        place: 0,
        model: model.drive.name.clone(),
        serial: SERIAL.to_owned(),
        protocol,
        rated_cycles: Some(3000.0),
    };
    let mut rig = Rig::new(resolved.config, resolved.scale, 1);
    rig.prepare(&DriveState::Steady(1.0));
    (rig, about)
}

fn job(seconds: f64) -> JobFile {
    let text = format!(
        "[w]\nfilename=/dev/x\ndirect=1\nrw=randrw\nrwmixread=25\nbs=4k\niodepth=32\n\
         norandommap\ntime_based\nruntime={}us\n",
        (seconds * 1e6) as u64
    );
    fio::jobfile::parse_str("j", &text, &LoadOptions::default()).expect("parses")
}

fn run(rig: &mut Rig, seconds: f64) -> Simulated {
    let options = &mut RunOptions::default();
    rig.run(&job(seconds), options).expect("runs")
}

/// Simulated seconds of this many minutes of the real drive.
fn minutes(rig: &Rig, minutes: f64) -> f64 {
    minutes * 60.0 * rig.clock().scale()
}

/// What a log says after it was printed and read.
fn kept(log: &Snapshot) -> Snapshot {
    let text = write::smartctl(log, "test");
    let again = read::snapshot("kept", &text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(&again, log);
    again
}

#[test]
fn the_timer_holds_for_sixty_minutes_of_the_real_drive() {
    let (mut rig, about) = rig("SATA 6 Gbit/s");
    rig.reset_timed_workload();
    assert_eq!(timed_workload(&snapshot(&mut rig, &about)), TimedState::NotYet);
    let before_the_hour = minutes(&rig, 59.5);
    run(&mut rig, before_the_hour);
    assert_eq!(timed_workload(&kept(&snapshot(&mut rig, &about))), TimedState::NotYet);
    let past_it = minutes(&rig, 1.0);
    run(&mut rig, past_it);
    let log = kept(&snapshot(&mut rig, &about));
    let TimedState::Valid(timed) = timed_workload(&log) else { panic!("valid") };
    assert_eq!((timed.minutes, timed.reads_percent.map(|p| p.abs_diff(25) <= 1)), (60, Some(true)));
    // Without a further minute nothing more is saved, whatever is written.
    let (hasty, erases) = (minutes(&rig, 0.45), Wear::of(rig.ftl().pool().erases()).total);
    run(&mut rig, hasty);
    assert!(Wear::of(rig.ftl().pool().erases()).total > erases, "something was erased");
    assert_eq!(timed_workload(&snapshot(&mut rig, &about)), TimedState::Valid(timed));
}

#[test]
fn logs_of_a_scaled_drive_are_those_of_the_real_one() {
    for interface in ["SATA 6 Gbit/s", "PCIe"] {
        let (mut rig, about) = rig(interface);
        rig.reset_timed_workload();
        let a = kept(&snapshot(&mut rig, &about));
        let worn = Wear::of(rig.ftl().pool().erases());
        let seconds = minutes(&rig, 90.0);
        let simulated = run(&mut rig, seconds);
        let b = kept(&snapshot(&mut rig, &about));
        let used = (Wear::of(rig.ftl().pool().erases()).mean() - worn.mean()) / 3000.0;
        let scale = rig.clock().scale();
        let first = Named { file: "a", snapshot: &a };
        let second = Named { file: "b", snapshot: &b };
        let report = between(first, second, &Options::default()).expect("computed");
        let get = |key: &str| report.get(key).unwrap_or_else(|| panic!("{key}: {report:#?}"));
        let written = simulated.run.jobs[0].write().io_bytes as f64 / scale;
        assert!(get("host_written").contains(written), "{written} {:?}", get("host_written"));
        let amplification = simulated.write_amplification.expect("writes");
        let told = get("write_amplification");
        assert!((told.value / amplification - 1.0).abs() < 0.01, "{told:?} {amplification}");
        let time = get("time").value;
        assert!((time / 5400.0 - 1.0).abs() < 0.01, "{time} s of the real drive");
        // The drive counts whole erases and saves at whole minutes: 1 of 90 at most is left out.
        let wear = get("wear");
        assert!(
            used >= wear.low * 0.999 && used <= wear.high * (1.0 + 1.5 / 90.0),
            "{used} {wear:?}"
        );
        assert!(b.identity.serial.as_deref() == Some(SERIAL));
    }
}

/// Looking at the minutes changes nothing in what is simulated.
#[test]
fn a_running_timer_changes_no_result() {
    let result = |timer: bool| {
        let (mut rig, _) = rig("PCIe");
        if timer {
            rig.reset_timed_workload();
        }
        let budget_ios = Some(40_000);
        let mut options = RunOptions { budget_ios, ..RunOptions::default() };
        let simulated = rig.run(&job(3.0), &mut options).expect("runs");
        assert!(simulated.ended_early);
        serde_json::to_string(&simulated.run).expect("JSON")
    };
    assert_eq!(result(false), result(true));
}

#[test]
fn a_model_without_rated_cycles_reports_no_wear() {
    let (mut rig, about) = rig("SATA 6 Gbit/s");
    let about = About { rated_cycles: None, ..about };
    rig.reset_timed_workload();
    let log = snapshot(&mut rig, &about);
    assert_eq!(timed_workload(&log), TimedState::Missing);
    assert!(log.attribute(233).is_none() && log.attribute(225).is_some());
}
