//! Targets of several devices: drives side by side, and drives divided into namespaces.

use lab::{BenchOptions, ModelBench};
use library::{Division, Overrides, Scale, System};
use metric::Params;
use simulate::{HostCost, Rig, RunOptions, Simulated};

const SMALL: Scale = Scale::Share(0.04);

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
    rig.plan(&file, &RunOptions::default()).err().expect("a refusal")
}

/// One section a device, each with a result of its own.
fn job(devices: usize, options: &str) -> String {
    let global = format!("[global]\nioengine=libaio\ndirect=1\nrandrepeat=0\n{options}\n");
    let section = |i: usize| format!("[d{i}]\nfilename=/dev/nvme{i}n1\n");
    global + &(0..devices).map(section).collect::<String>()
}

const READS: &str = "rw=randread\nbs=4k\niodepth=8\nsize=25%\nruntime=20ms\ntime_based";

/// As with fio: a job goes through its devices in turn, and its depth is that of all of them.
#[test]
fn one_job_on_four_drives_reads_from_each_in_turn() {
    let names = ["/dev/nvme0n1", "/dev/nvme1n1", "/dev/nvme2n1", "/dev/nvme3n1"];
    let read = |devices: usize, depth: u32| {
        let over = overrides((devices > 1).then_some(devices as u32), None);
        let (mut rig, host) = rig("pm981a-256gb", SMALL, &over);
        rig.fill();
        let text = format!(
            "[j]\nioengine=libaio\ndirect=1\nrandrepeat=0\nrw=randread\nbs=4k\nsize=25%\n\
             runtime=20ms\ntime_based\niodepth={depth}\nfilename={}\n",
            names[..devices].join(":")
        );
        let simulated = run(&mut rig, host, &text);
        assert!(simulated.checks.failures().is_empty());
        assert_eq!(simulated.run.jobs.len(), 1);
        let each: Vec<u64> = rig.drives().map(|drive| drive.health().read_commands).collect();
        (simulated.run.jobs[0].read().total_ios as f64, each)
    };
    let ((one, _), (four, each)) = (read(1, 8), read(4, 32));
    // One that is late holds the others back: a job's depth is not divided by its devices.
    assert!((3.0..4.1).contains(&(four / one)), "{one} {four}");
    let (least, most) = (each.iter().min().unwrap(), each.iter().max().unwrap());
    assert!(most - least <= 32, "{each:?}");
}

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

fn names(rig: &Rig) -> Vec<u64> {
    rig.devices().to_vec()
}

/// What a host does to namespaces: the devices follow, and a format empties exactly one.
#[test]
fn namespaces_are_created_attached_formatted_and_deleted() {
    let (mut rig, host) = rig("pm981a-256gb", SMALL, &overrides(None, Some("3 x 64 GB")));
    let unit = 4096;
    let each = 64_000_000_000 / unit * unit;
    assert_eq!(names(&rig), [each; 3]);
    rig.fill();
    let unwritten = |rig: &mut Rig, device: usize| {
        let text = format!(
            "[j]\nrw=randread\nbs=4k\nioengine=libaio\ndirect=1\nruntime=1ms\ntime_based\n\
             filename=/dev/n{device}\n"
        );
        // The devices before it are named by jobs that do next to nothing.
        let before: String = (0..device)
            .map(|i| format!("[b{i}]\nrw=write\nbs=4k\nnumber_ios=1\nfilename=/dev/n{i}\n"))
            .collect();
        let warnings = run(rig, host, &(before + &text)).warnings;
        warnings.iter().any(|warning| warning.code == "reads-unwritten")
    };
    rig.format_namespace(0, 1).unwrap();
    assert_eq!([0, 1, 2].map(|device| unwritten(&mut rig, device)), [false, true, false]);
    rig.detach_namespace(0, 0).unwrap();
    assert_eq!(names(&rig), [each; 2], "a detached one is no device");
    assert!(rig.detach_namespace(0, 0).is_err());
    assert!(unwritten(&mut rig, 0), "the formatted one is the first now");
    rig.attach_namespace(0, 0).unwrap();
    assert!(!unwritten(&mut rig, 0), "its data stayed");
    rig.delete_namespace(0, 2).unwrap();
    assert!(rig.attach_namespace(0, 2).is_err());
    let too_large = rig.create_namespace(0, each + 1_000_000_000).unwrap_err();
    assert!(too_large.contains("no gap"), "{too_large}");
    let number = rig.create_namespace(0, 32_000_000_000).unwrap();
    assert_eq!((number, names(&rig).len()), (2, 2), "it is not attached yet");
    rig.attach_namespace(0, number).unwrap();
    assert_eq!(names(&rig), [each, each, 32_000_000_000 / unit * unit]);
    assert!(unwritten(&mut rig, 2));
    rig.machine().audit();
}

/// Divided and not: the same flash, and the capacity that no namespace holds is spare.
#[test]
fn sizes_that_do_not_fit_are_refused_before_time_0() {
    let drive = System::named("pm981a-256gb", &[]).unwrap();
    let capacity = drive.resolve(SMALL, &Overrides::default()).unwrap().real_bytes;
    let resolve = |text: &str| drive.resolve(SMALL, &overrides(None, Some(text)));
    let six = resolve("6").unwrap();
    assert_eq!(six.devices.len(), 6);
    assert!(capacity - six.real_bytes < 6 * 4096);
    assert_eq!(resolve("2 x 100 GB").unwrap().real_bytes, 200_000_000_000 / 8192 * 8192);
    let message = |text: &str| resolve(text).unwrap_err().message;
    assert!(message("2 x 200 GB").contains("the drive has 256"), "{}", message("2 x 200 GB"));
    assert!(message("1 GB").contains("less than 5 %"));
    let parse = |text: &str| text.parse::<Division>().unwrap_err();
    assert!(parse("0").contains("no namespaces"));
    assert!(parse("129").contains("at most 128") && "128".parse::<Division>().is_ok());
    assert!(parse("2 x 0 GB").contains("no size"));
    let disk = System::named("dt01aca200-2tb", &[]).unwrap();
    let told = disk.resolve(SMALL, &overrides(None, Some("2"))).unwrap_err();
    assert!(told.message.contains("only flash drives with NVMe"), "{told}");
}

/// A system file: lone drives beside a volume, and namespaces that it lists.
#[test]
fn what_no_volume_uses_is_a_device_in_the_order_of_the_file() {
    let text = "name = \"mixed\"\n\
        [[drive]]\nname = \"pair\"\nmodel = \"pm981a-256gb\"\n\
        count = { value = \"2 drives\", source = \"assumed: x\" }\n\
        [[drive]]\nname = \"lone\"\nmodel = \"pm981a-256gb\"\n\
        [[drive.namespace]]\nsize = { value = \"64 GB\", source = \"assumed: x\" }\n\
        count = { value = \"2 namespaces\", source = \"assumed: x\" }\n\
        [[volume]]\nname = \"array\"\nof = [\"pair\"]\n[volume.raid]\n\
        level = { value = \"0\", source = \"assumed: x\" }\n\
        chunk = { value = \"128 KiB\", source = \"assumed: x\" }\n";
    let system = System::parse("mine.toml", "mine.toml", text, None, &[]).unwrap();
    let resolved = system.resolve(SMALL, &Overrides::default()).unwrap();
    let gb: Vec<u64> = resolved.devices.iter().map(|bytes| bytes / 1_000_000_000).collect();
    assert_eq!(gb, [64, 64, 512]);
    let mut rig = Rig::of(&resolved, 1);
    rig.fill();
    let host = HostCost { submit: resolved.host.submit };
    let simulated = run(&mut rig, host, &job(3, READS));
    assert!(simulated.run.jobs.iter().all(|job| job.read().total_ios > 100));
    let larger = text.replace("64 GB", "200 GB");
    let told = System::parse("mine.toml", "mine.toml", &larger, None, &[]).unwrap_err();
    assert!(told.line == 10 && told.message.contains("the drive has"), "{told}");
    let used = text.replace("[\"pair\"]", "[\"pair\", \"lone\"]");
    let told = System::parse("mine.toml", "mine.toml", &used, None, &[]).unwrap_err();
    assert!(told.message.contains("part of a volume"), "{told}");
}

/// A method's load runs on every device, and rates add up.
#[test]
fn a_method_runs_on_all_drives() {
    let iops = |drives: Option<u32>| {
        let options = BenchOptions { ios: 40_000, scale: Some(SMALL), ..BenchOptions::default() };
        let params = [("op", "read"), ("pattern", "rand"), ("block", "4 KiB"), ("qd", "8")];
        let params = Params::from_pairs(params).unwrap();
        let bench = ModelBench::new(options).with_devices(drives, None);
        let measured = bench.measure("pm981a-256gb", "corner", &params).unwrap();
        measured.metrics["iops"].value
    };
    let (one, three) = (iops(None), iops(Some(3)));
    assert!((three / one / 3.0 - 1.0).abs() < 0.03, "{three} against three times {one}");
}
