//! Purging behind the guard, with fake programs and devices that are files: nothing is touched
//! without a permit that was given for it.

use crate::common::fakes::FakePrograms;
use crate::common::{Machine, snapshot};
use real::purge::purge;
use real::{Permit, Purge, Reason, Refusal, Request, System, Tools};
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

struct Fakes {
    programs: FakePrograms,
    tools: Tools,
}

impl Fakes {
    fn new() -> Self {
        let programs = FakePrograms::new();
        let tools = Tools::in_directory(programs.path());
        let fakes = Self { programs, tools };
        for name in ["nvme", "blkdiscard"] {
            fakes.program(name, "exit 0");
        }
        fakes
    }

    fn program(&self, name: &str, script: &str) {
        self.programs.add(name, script);
    }

    /// What has been asked, with the folder of device nodes left out.
    fn asked(&self, dev: &Path) -> Vec<String> {
        self.programs.asked(&format!("{}/", dev.display()), "")
    }
}

fn request(path: &Path, serial: Option<&str>) -> Request {
    let destroy_data = serial.map(str::to_owned);
    Request { path: path.into(), purge: true, destroy_data, ..Request::default() }
}

fn permit(machine: &Machine, path: &Path, serial: &str) -> Permit {
    machine.system.examine(&request(path, Some(serial))).expect("permitted")
}

fn refusal(result: Result<(), real::PurgeError>) -> Refusal {
    match result {
        Err(real::PurgeError::Refused(refusal)) => refusal,
        other => panic!("not refused: {other:?}"),
    }
}

#[test]
fn a_purge_has_to_be_confirmed_even_if_nothing_is_written() {
    let mut machine = Machine::new();
    let node = machine.device("nvme0n1", (259, 0), None);
    let reason = |serial| machine.system.examine(&request(&node, serial)).expect_err("refused");
    assert_eq!(reason(None).reason, Reason::NotConfirmed);
    assert_eq!(reason(Some("SERIAL-other")).reason, Reason::WrongSerial);
    let fakes = Fakes::new();
    // A permit to read, or to write, is none to purge.
    for writes in [false, true] {
        let mut asked = request(&node, Some("SERIAL-nvme0n1"));
        (asked.purge, asked.writes) = (false, writes);
        let permit = machine.system.examine(&asked).expect("permitted");
        let refused = purge(&machine.system, &fakes.tools, &permit, Purge::NvmeFormat);
        assert!(refusal(refused).why.contains("not permitted for a purge"));
    }
    assert!(fakes.asked(&machine.system.dev).is_empty(), "no program was started");
}

#[test]
fn namespaces_are_formatted_other_devices_discarded() {
    let mut machine = Machine::new();
    let nvme = machine.device("nvme0n1", (259, 0), None);
    let disk = machine.device("sdb", (8, 16), None);
    let part = machine.device("sdb1", (8, 17), Some("sdb"));
    machine.put("sys/block/sdb/sdb1/partition", "1\n");
    let before = snapshot(&machine.system.dev);
    let fakes = Fakes::new();
    let run = |path: &PathBuf, serial, way: Option<Purge>| {
        let permit = permit(&machine, path, serial);
        let way = way.unwrap_or(Purge::fitting(&permit));
        purge(&machine.system, &fakes.tools, &permit, way)
    };
    run(&nvme, "SERIAL-nvme0n1", None).expect("formatted");
    run(&part, "SERIAL-sdb", None).expect("discarded");
    let asked = ["nvme format nvme0n1 --ses=1 --force", "blkdiscard --force sdb1"];
    assert_eq!(fakes.asked(&machine.system.dev), asked);
    assert!(refusal(run(&part, "SERIAL-sdb", Some(Purge::NvmeFormat))).why.contains("partition"));
    assert!(refusal(run(&nvme, "SERIAL-nvme0n1", Some(Purge::PunchHole))).why.contains("holes"));
    // A disk with partitions is not permitted at all.
    let refused = machine.system.examine(&request(&disk, Some("SERIAL-sdb"))).expect_err("no");
    assert_eq!(refused.reason, Reason::Partitioned);
    assert_eq!(fakes.asked(&machine.system.dev).len(), 2, "refusals start no program");
    assert_eq!(snapshot(&machine.system.dev), before, "the fakes erase nothing");
}

/// Format and sanitize may reach every namespace of the controller.
#[test]
fn a_controller_with_other_namespaces_is_left_alone() {
    let mut machine = Machine::new();
    let node = machine.device("nvme0n1", (259, 0), None);
    machine.device("nvme0n2", (259, 1), None);
    machine.device("nvme1n1", (259, 2), None);
    let fakes = Fakes::new();
    let permit = permit(&machine, &node, "eui.nvme0n1");
    for way in [Purge::NvmeFormat, Purge::NvmeSanitize] {
        let refused = refusal(purge(&machine.system, &fakes.tools, &permit, way));
        assert!(refused.why.contains("(nvme0n2)"), "{refused}");
    }
    assert!(fakes.asked(&machine.system.dev).is_empty());
    purge(&machine.system, &fakes.tools, &permit, Purge::Discard).expect("a discard stays inside");
}

/// With multipath the name of a namespace says nothing about its controller.
#[test]
fn the_controller_is_found_through_sysfs_and_not_by_name() {
    let mut machine = Machine::new();
    let node = machine.device("nvme0n1", (259, 0), None);
    let subsystem = machine.path("sys/class/nvme-subsystem/nvme-subsys0");
    fs::create_dir_all(subsystem.join("nvme1")).expect("made");
    fs::write(subsystem.join("serial"), "SERIAL-nvme0n1\n").expect("written");
    let link = machine.path("sys/block/nvme0n1/device");
    fs::remove_file(&link).expect("removed");
    std::os::unix::fs::symlink(&subsystem, &link).expect("linked");
    let fakes = Fakes::new();
    fakes.program("nvme", "[ $1 = sanitize ] || echo '{\"sprog\": 65535, \"sstat\": 1}'");
    let permit = permit(&machine, &node, "eui.nvme0n1");
    purge(&machine.system, &fakes.tools, &permit, Purge::NvmeSanitize).expect("sanitized");
    let asked = fakes.asked(&machine.system.dev);
    assert_eq!(asked[0], "nvme sanitize nvme1 --sanact=start-block-erase");
    // Two controllers lead to it: which one would be sanitized is not for us to choose.
    fs::create_dir(subsystem.join("nvme2")).expect("made");
    let refused = refusal(purge(&machine.system, &fakes.tools, &permit, Purge::NvmeSanitize));
    assert!(refused.why.contains("nvme1, nvme2"), "{refused}");
}

#[test]
fn a_sanitize_is_waited_for() {
    let mut machine = Machine::new();
    let node = machine.device("nvme0n1", (259, 0), None);
    let fakes = Fakes::new();
    let permit = permit(&machine, &node, "SERIAL-nvme0n1");
    let log = |status: u32| {
        format!(
            "if [ $1 = sanitize-log ]; then if [ -e \"$0.once\" ]; then \
             echo '{{\"nvme0\": {{\"sprog\": 65535, \"sstat\": {{\"status\": {status}}}}}}}'; \
             else touch \"$0.once\"; echo '{{\"nvme0\": {{\"sprog\": 30000}}}}'; fi; fi"
        )
    };
    fakes.program("nvme", &log(1));
    purge(&machine.system, &fakes.tools, &permit, Purge::NvmeSanitize).expect("sanitized");
    let asked = fakes.asked(&machine.system.dev);
    assert_eq!(asked[0], "nvme sanitize nvme0 --sanact=start-block-erase");
    assert_eq!(asked.len(), 3, "the log is read until it says that it is done: {asked:?}");
    fakes.program("nvme", &log(3));
    assert!(purge(&machine.system, &fakes.tools, &permit, Purge::NvmeSanitize).is_err());
}

#[test]
fn a_secure_erase_never_leaves_a_drive_locked_in_silence() {
    let mut machine = Machine::new();
    let node = machine.device("sdb", (8, 16), None);
    let fakes = Fakes::new();
    let permit = permit(&machine, &node, "SERIAL-sdb");
    let run = || purge(&machine.system, &fakes.tools, &permit, Purge::AtaSecureErase);
    let about = |enabled: &str, frozen: &str| {
        format!(
            "printf 'Security: \\n\\tsupported\\n\\t{enabled}\\tenabled\\n\\t{frozen}\\tfrozen\\n'"
        )
    };
    let script = |about: &str, erase: &str| {
        format!("case $1 in -I) {about};; *) case $3 in --security-erase) {erase};; esac;; esac")
    };
    fakes.program("hdparm", &script(&about("not", ""), "exit 0"));
    assert!(refusal(run()).why.contains("frozen"));
    fakes.program("hdparm", &script(&about("", "not"), "exit 0"));
    assert!(refusal(run()).why.contains("password"));
    fakes.program("hdparm", &script("echo nothing", "exit 0"));
    assert!(refusal(run()).why.contains("no ATA security"));
    fakes.program("hdparm", &script(&about("not", "not"), "exit 0"));
    run().expect("erased");
    let asked = fakes.asked(&machine.system.dev);
    assert_eq!(asked.last().unwrap(), "hdparm --user-master u --security-erase drivelab sdb");
    fakes.program("hdparm", &script(&about("not", "not"), "echo 'I/O error' >&2; exit 5"));
    let error = run().expect_err("failed").to_string();
    assert!(error.contains("I/O error") && error.contains("removed again"), "{error}");
}

#[test]
fn a_file_loses_its_blocks_and_keeps_its_size() {
    let directory = tempfile::tempdir().expect("made");
    let system = System::real();
    let fakes = Fakes::new();
    let path = directory.path().canonicalize().expect("exists").join("f");
    let mut file = fs::File::create(&path).expect("made");
    file.write_all(&[7; 1 << 20]).expect("written");
    file.sync_all().expect("written");
    let mut asked = request(&path, None);
    let refused = system.examine(&asked).expect_err("a stranger's file");
    assert_eq!(refused.reason, Reason::ForeignFile);
    asked.overwrite = true;
    let permit = system.examine(&asked).expect("permitted");
    assert_eq!(Purge::fitting(&permit), Purge::PunchHole);
    assert!(refusal(purge(&system, &fakes.tools, &permit, Purge::Discard)).why.contains("file"));
    purge(&system, &fakes.tools, &permit, Purge::PunchHole).expect("punched");
    assert_eq!(fs::read(&path).expect("read"), vec![0; 1 << 20]);
    let metadata = fs::metadata(&path).expect("there");
    assert!(metadata.blocks() * 512 < 1 << 20, "{} blocks are left", metadata.blocks());
}
