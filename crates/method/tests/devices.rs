//! Targets of several devices: drives side by side, and drives divided into namespaces.

use method::library::{Division, Overrides, Scale, System};
use method::simulate::{HostCost, Rig, RunOptions, Simulated};

const SMALL: Scale = Scale::Share(0.25);

fn overrides(drives: Option<u32>, namespaces: Option<&str>) -> Overrides {
    let namespaces = namespaces.map(|text| text.parse::<Division>().unwrap());
    Overrides { drives, namespaces, ..Overrides::default() }
}

fn rig(name: &str, scale: Scale, overrides: &Overrides) -> (Rig, HostCost) {
    let resolved = System::named(name, &[]).unwrap().resolve(scale, overrides).unwrap();
    let rig = Rig::of(&resolved, 1);
    assert_eq!(rig.devices(), resolved.devices);
    (rig, HostCost { submit: resolved.host.submit })
}

fn run(rig: &mut Rig, host: HostCost, text: &str) -> Simulated {
    let file = fio::jobfile::parse_str("test", text, &fio::LoadOptions::default()).unwrap();
    rig.run(&file, &mut RunOptions { host, ..RunOptions::default() }).unwrap()
}

fn refused(rig: &Rig, text: &str) -> fio::Diagnostic {
    let file = fio::jobfile::parse_str("test", text, &fio::LoadOptions::default()).unwrap();
    rig.check(&file, &RunOptions::default()).unwrap_err()
}

/// One section a device, each with a result of its own.
fn job(devices: usize, options: &str) -> String {
    let global = format!("[global]\nioengine=libaio\ndirect=1\nrandrepeat=0\n{options}\n");
    let section = |i: usize| format!("[d{i}]\nfilename=/dev/nvme{i}n1\n");
    global + &(0..devices).map(section).collect::<String>()
}

const READS: &str = "rw=randread\nbs=4k\niodepth=8\nsize=25%\nruntime=20ms\ntime_based";

/// Drives that share nothing add up, and each reports for itself.
#[test]
fn four_drives_read_four_times_as_much_as_one() {
    let read = |devices: u32| {
        let overrides = overrides((devices > 1).then_some(devices), None);
        let (mut rig, host) = rig("pm981a-256gb", SMALL, &overrides);
        assert_eq!(rig.devices().len(), devices as usize);
        rig.fill();
        let simulated = run(&mut rig, host, &job(devices as usize, READS));
        assert!(simulated.checks.failures().is_empty());
        assert_eq!(simulated.run.jobs.len(), devices as usize);
        simulated.run.jobs.iter().map(|job| job.read().total_ios as f64).collect::<Vec<_>>()
    };
    let (one, four) = (read(1), read(4));
    for ios in &four {
        // Some 2500 I/Os each: three standard deviations of a count are 6 %.
        assert!((ios / one[0] - 1.0).abs() < 0.06, "{one:?} {four:?}");
    }
    assert!(four.iter().any(|ios| *ios != four[0]), "drives have seeds of their own");
}

/// Namespaces share the drive: together they get what it gives, not six times as much.
#[test]
fn namespaces_are_devices_that_share_a_drive() {
    let deep = "rw=randread\nbs=4k\niodepth=64\nsize=50%\nruntime=10ms\ntime_based";
    let ios = |namespaces: Option<&str>, devices: usize| {
        let (mut rig, host) = rig("pm981a-256gb", SMALL, &overrides(None, namespaces));
        assert_eq!(rig.devices().len(), devices);
        rig.fill();
        let simulated = run(&mut rig, host, &job(devices, deep));
        simulated.run.jobs.iter().map(|job| job.read().total_ios).collect::<Vec<_>>()
    };
    let whole = ios(None, 1)[0] as f64;
    let parts = ios(Some("4"), 4);
    let together = parts.iter().sum::<u64>() as f64;
    assert!(together > whole && together < 2.0 * whole, "{parts:?} against {whole}");
}

#[test]
fn one_name_too_many_has_a_place_and_a_mend() {
    let (two, _) = rig("pm981a-256gb", SMALL, &overrides(Some(2), None));
    let told = refused(&two, &job(3, READS));
    assert!(told.message.contains("`/dev/nvme2n1`"), "{told}");
    assert!(told.line > 1 && told.help.unwrap().contains("2 devices"));
}
