//! What befalls a served drive beside power cuts, and what its timeline shows of it.

use crate::common::{arrival, drive, drive_set, ends, now};
use crate::sockets;
use engine::{Duration, Instant, Power};
use iopath::device::flash::cell::age::{AgeSpec, CyclesUsed};
use library::Surroundings;
use nvme::Backend as _;
use serve::contents::{Contents, MemoryMedium};
use serve::control::Array;
use serve::controller::Controller;
use serve::drive::{Ask, Flushes, Immune, LiveDrive};
use serve::recorder::{Recorder, run};

const MIB: u64 = 1 << 20;

/// Random-like writes of 1 MiB at a depth of 8, and how long the model took.
fn write_for_a_while(drive: &mut LiveDrive, count: u64) -> Duration {
    let began = drive.now();
    let size = drive.devices()[0].bytes / MIB;
    for i in 0..count {
        let ask = Ask::Write(vec![1; 1 << 20]);
        drive.submit(arrival(ask, i * 37 % size * MIB, MIB, i), drive.now());
        if i >= 8 {
            ends(drive, 1);
        }
    }
    ends(drive, 8);
    drive.now().since(began)
}

fn array(drive: &LiveDrive) -> Array {
    drive.array().expect("an array").into()
}

#[test]
fn a_limit_of_power_slows_writes_and_is_lifted() {
    let mut drive = drive("p4510", Flushes::Honoured);
    // What the buffer takes is not limited.
    write_for_a_while(&mut drive, 2000);
    let free = write_for_a_while(&mut drive, 1000);
    drive.throttle(Some(Power::from_base(7_000_000))).expect("flash");
    let limited = write_for_a_while(&mut drive, 1000);
    assert!(limited.ps() > free.ps() * 3 / 2, "{} s, free {} s", limited.as_s(), free.as_s());
    // The power state of a host cannot lift it.
    drive.set_power_cap(None);
    let still = write_for_a_while(&mut drive, 1000);
    assert!(still.ps() > free.ps() * 3 / 2, "{} s, free {} s", still.as_s(), free.as_s());
    drive.throttle(None).expect("flash");
    write_for_a_while(&mut drive, 1000);
    let again = write_for_a_while(&mut drive, 1000);
    assert!(again.ps() < free.ps() * 5 / 4, "{} s, free {} s", again.as_s(), free.as_s());
}

#[test]
fn a_limit_below_what_a_drive_draws_at_rest_is_refused() {
    let mut drive = drive("p4510", Flushes::Honoured);
    let wrong = drive.throttle(Some(Power::from_base(1_000_000)));
    assert!(matches!(wrong, Err(Immune::Wrong(why)) if why.contains("at rest")));
    assert_eq!(drive.limit(), None);
}

#[test]
fn warm_air_makes_a_drive_warm_and_cool_air_cools_it() {
    let mut drive = drive("sn850", Flushes::Honoured);
    let at = |drive: &LiveDrive, s: u64| {
        let machine = drive.machine();
        let flash = machine.drive(drive.flash().next().expect("flash"));
        flash.heat(drive.now() + Duration::from_s(s)).map(|heat| heat.celsius()).expect("heat")
    };
    let before = at(&drive, 3600);
    let warm = Surroundings { ambient: "60 C".parse().ok(), ..Surroundings::default() };
    let apply = |around: Surroundings| {
        move |heat: &iopath::device::heat::HeatConfig| {
            around.apply(heat).map_err(|wrong| wrong.message)
        }
    };
    drive.cool(apply(warm)).expect("it has heat");
    assert!((at(&drive, 0) - 25.0).abs() < 15.0, "it warms from where it is");
    let after = at(&drive, 36_000);
    assert!((after - before - 35.0).abs() < 5.0, "{before} C at 25 C, {after} C at 60 C");
    let unknown = Surroundings { cooling: Some("ice".to_owned()), ..Surroundings::default() };
    assert!(matches!(drive.cool(apply(unknown)), Err(Immune::Wrong(_))));
}

#[test]
fn worn_cells_need_retries_and_a_busy_drive_is_not_aged() {
    let mut drive = drive("p5430", Flushes::Honoured);
    let mean = |drive: &mut LiveDrive| {
        let began = drive.now();
        (0..200).for_each(|i| drop(now(drive, Ask::Read, i * 5 * MIB, 4096)));
        drive.now().since(began).as_s() / 200.0
    };
    let new = mean(&mut drive);
    let age = AgeSpec { cycles: CyclesUsed::Share(1.0), shelf_hours: 8766.0, ..AgeSpec::default() };
    drive.submit(arrival(Ask::Read, 0, 4096, 0), drive.now());
    assert_eq!(drive.set_age(|cell| age.resolve(cell)), Err(Immune::Busy));
    ends(&mut drive, 1);
    drive.set_age(|cell| age.resolve(cell)).expect("its cells are known");
    let old = mean(&mut drive);
    assert!(old > new * 1.05, "{old} s for a read, {new} s when it was new");
}

#[test]
fn a_member_fails_is_replaced_and_rebuilt_and_no_data_is_lost() {
    let mut drive = drive("mdraid-raid5-4x-p5520", Flushes::Honoured);
    let pattern = |i: u64| vec![i as u8 + 1; 65536];
    for i in 0..64 {
        now(&mut drive, Ask::Write(pattern(i)), i * 65536, 65536);
    }
    drive.fail_member(1).expect("an array");
    let check = |drive: &mut LiveDrive| {
        for i in 0..64 {
            let read = now(drive, Ask::Read, i * 65536, 65536).result.expect("read");
            assert!(read == pattern(i), "stripe {i}");
        }
    };
    check(&mut drive);
    assert_eq!((array(&drive).health.as_str(), array(&drive).missing), ("degraded", 1));
    drive.replace_member(1).expect("a member");
    assert_eq!(array(&drive).health, "rebuilding");
    let end = drive.now() + Duration::from_s(2);
    while !drive.run(end) {}
    assert!(array(&drive).done.is_some_and(|done| done > 0.0), "{:?}", array(&drive));
    check(&mut drive);
    // A cut asks the model which versions it has: nothing of what was acknowledged is missing.
    assert_eq!(drive.cut_power(false).expect("memory").recovery.taken_back, 0);
    drive.restore_power();
    check(&mut drive);
}

#[test]
fn what_cannot_befall_a_drive_is_refused() {
    let mut lone = drive("p4510", Flushes::Honoured);
    assert_eq!(lone.fail_member(0), Err(Immune::NoArray));
    assert_eq!(lone.replace_member(0), Err(Immune::NoArray));
    let mut raid = drive("mdraid-raid5-4x-p5520", Flushes::Honoured);
    assert_eq!(raid.fail_member(4), Err(Immune::NoSuchDrive(4, 4)));
    let mut disk = drive("dt01aca200", Flushes::Honoured);
    assert_eq!(disk.throttle(None), Err(Immune::NoFlash));
    assert_eq!(disk.set_age(|_| unreachable!("no cells")), Err(Immune::NoFlash));
}

#[test]
fn the_timeline_has_what_was_done_when() {
    let mut drive = drive("p4510", Flushes::Honoured);
    let began = drive.now();
    let mut recorder = Recorder::new(&drive, began);
    assert_eq!(recorder.due().since(began), Duration::from_ms(100));
    for i in 0..100 {
        now(&mut drive, Ask::Read, i * MIB, 4096);
    }
    let at = |s: f64| began + Duration::from_ps(engine::whole(s * 1e12));
    recorder.begin("power cut", &drive, at(0.5));
    write_for_a_while(&mut drive, 50);
    recorder.sample(&drive, at(1.5).max(drive.now()));
    let line = recorder.series();
    assert_eq!(line.check(), Ok(()));
    let names: Vec<&str> = line.phases.iter().map(|phase| phase.name.as_str()).collect();
    assert_eq!((names, line.len()), (vec!["served", "power cut"], 2));
    assert_eq!(line.read_iops, [200.0, 0.0], "100 reads in half a second");
    assert_eq!(line.write_iops[1], 50.0);
    assert!(line.watts.iter().all(|watts| (1.0..30.0).contains(watts)), "{:?}", line.watts);
    let result = run(&drive, line, 1.5);
    let (read, write) = (result.jobs[0].read(), result.jobs[0].write());
    assert_eq!((read.total_ios, write.total_ios, write.io_bytes), (100, 50, 50 * MIB));
    assert!((40_000.0..200_000.0).contains(&read.clat.mean_ns), "{}", read.clat.mean_ns);
}

#[test]
fn a_timeline_of_any_length_stays_small() {
    let drive = drive("p4510", Flushes::Honoured);
    let mut recorder = Recorder::new(&drive, drive.now());
    let mut last = Instant::ZERO;
    for _ in 0..4_000 {
        let due = recorder.due();
        assert!(due > last, "time goes on");
        last = due;
        recorder.sample(&drive, due);
    }
    let line = recorder.series();
    assert!(line.len() <= stats::result::TIMELINE_MOST, "{}", line.len());
    let seconds = last.since(drive.now()).as_s();
    assert!((line.time_s[line.len() - 1] - seconds).abs() < 1e-3 * seconds);
}

#[test]
fn a_read_alone_takes_what_a_client_would_see() {
    let mut drive = drive("p4510", Flushes::Honoured);
    let alone = drive.read_latency();
    // A page of the same kind on the next die: a plane still holds the one that was read.
    let began = drive.now();
    now(&mut drive, Ask::Read, 64 << 10, 4096);
    assert_eq!(drive.now().since(began), alone);
    assert_eq!(drive.tallies().directions()[0].latency().moments.n, 1, "it is not counted");
}

/// What has failed is in the health log, and what is left to take its place.
#[test]
fn blocks_that_fail_take_the_spare_of_the_health_log() {
    let set = [
        ("ftl.bad_blocks.factory", "0 %"),
        ("ftl.bad_blocks.reserve", "20 %"),
        ("ftl.bad_blocks.rated", "10 erases"),
        ("ftl.bad_blocks.failed_at_rated", "60 %"),
        ("ftl.bad_blocks.shape", "1 x"),
    ];
    let contents =
        |bytes, block| Contents::new(Box::new(MemoryMedium::new(2 << 30)), bytes, block, &[]);
    let mut drive = drive_set("x25-e-64gb", &set, 1 << 17, Flushes::Honoured, contents);
    let mut controller = Controller::new(sockets::about(drive.devices()[0].bytes), drive.spaces());
    controller.look(&drive);
    let new = controller.health(0);
    assert_eq!((new.spare, new.ocp.bad_user_blocks), (100, (0, 100)));
    let size = drive.devices()[0].bytes / MIB;
    for i in 0..3 * size {
        now(&mut drive, Ask::Write(vec![1; 1 << 20]), i % size * MIB, MIB).result.expect("written");
    }
    controller.look(&drive);
    let used = controller.health(0);
    let flash = drive.machine().drive(drive.flash().next().expect("flash"));
    let counts = flash.ftl().block_counts().expect("its blocks fail");
    assert!(counts.grown > 0 && used.spare < 100, "{counts:?}");
    assert_eq!(used.ocp.bad_user_blocks, (counts.grown.into(), used.spare.into()));
    let left = 100.0 * f64::from(counts.spare_left) / f64::from(counts.spare_at_start);
    assert_eq!(f64::from(used.spare), left.floor());
    assert_eq!(used.read_only, counts.read_only);
}
