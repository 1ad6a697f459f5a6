//! What the guard lets pass and what it refuses, on machines that do not exist and on files
//! that do.

use crate::common::Machine;
use real::{Permit, PermitKind, Reason, Refusal, Request, System};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::thread;
use std::time::Duration;

fn write(path: &Path) -> Request {
    Request { path: path.into(), writes: true, ..Request::default() }
}

fn destroy(path: &Path, serial: &str) -> Request {
    Request { destroy_data: Some(serial.into()), ..write(path) }
}

fn read(path: &Path) -> Request {
    Request { path: path.into(), ..Request::default() }
}

fn reason(result: Result<Permit, Refusal>) -> Reason {
    let refusal = result.expect_err("must be refused");
    assert!(!refusal.why.is_empty() && !refusal.help.is_empty());
    refusal.reason
}

#[test]
fn a_free_device_with_its_serial_number() {
    let mut machine = Machine::new();
    let node = machine.device("sdb", (8, 16), None);
    let system = &machine.system;
    let permit = system.examine(&destroy(&node, "SERIAL-sdb")).expect("permitted");
    assert!(permit.may_write());
    assert_eq!(permit.size_bytes(), 8 << 20);
    assert!(matches!(permit.kind(), PermitKind::BlockDevice(device) if device.name == "sdb"));
    assert_eq!(reason(system.examine(&write(&node))), Reason::NotConfirmed);
    assert_eq!(reason(system.examine(&destroy(&node, " "))), Reason::NotConfirmed);
    for wrong in ["SERIAL-sdc", "serial-sdb", "SERIAL", "Model X"] {
        assert_eq!(reason(system.examine(&destroy(&node, wrong))), Reason::WrongSerial);
    }
    let overwrite = Request { overwrite: true, ..write(&node) };
    assert_eq!(reason(system.examine(&overwrite)), Reason::NotConfirmed);
}

#[test]
fn the_message_does_not_give_the_serial_number_away() {
    let mut machine = Machine::new();
    let node = machine.device("sdb", (8, 16), None);
    for request in [write(&node), destroy(&node, "x")] {
        let text = machine.system.examine(&request).expect_err("refused").to_string();
        assert!(!text.contains("SERIAL-sdb") && text.contains("Model X"), "{text}");
    }
}

#[test]
fn serial_numbers_from_udev_and_scsi() {
    let mut machine = Machine::new();
    let node = machine.device("sdb", (8, 16), None);
    fs::remove_file(machine.path("sys/block/sdb/device/serial")).expect("removed");
    let examine = |serial: &str| machine.system.examine(&destroy(&node, serial));
    assert_eq!(reason(examine("anything")), Reason::NoSerial);
    machine.put("udev/data/b8:16", "N:sdb\nE:ID_SERIAL_SHORT=UDEV1\nE:ID_WWN=0x5000\n");
    assert!(examine("UDEV1").is_ok() && examine("0x5000").is_ok());
    machine.put("sys/block/sdb/device/vpd_pg80", "\0\u{1}\0\u{8}  PAGE80");
    assert!(examine("PAGE80").is_ok());
}

#[test]
fn devices_in_use() {
    let mounts = [
        "30 1 8:16 / /mnt rw - ext4 /dev/sdb rw\n",
        "30 1 0:44 / /mnt rw - btrfs /dev/sdb rw\n",
        "30 1 8:17 / /mnt\\040x rw shared:1 master:2 - xfs /dev/sdb1 rw\n",
    ];
    for line in mounts {
        let mut machine = Machine::new();
        let node = machine.device("sdb", (8, 16), None);
        machine.device("sdb1", (8, 17), Some("sdb"));
        machine.put("proc/self/mountinfo", line);
        let refusal = machine.system.examine(&destroy(&node, "SERIAL-sdb")).expect_err(line);
        assert_eq!(refusal.reason, Reason::InUse, "{line}");
        assert!(refusal.why.contains("/mnt"), "{refusal}");
    }
    let mut machine = Machine::new();
    let node = machine.device("sdb", (8, 16), None);
    let request = destroy(&node, "SERIAL-sdb");
    machine.put("proc/swaps", "Filename Type\n/dev/sdb partition 1 0 -2\n");
    assert_eq!(reason(machine.system.examine(&request)), Reason::InUse);
    machine.put("proc/swaps", "Filename Type\n/dev/sdc partition 1 0 -2\n");
    assert!(machine.system.examine(&request).is_ok());
    machine.put("sys/block/sdb/holders/dm-0", "");
    assert_eq!(reason(machine.system.examine(&request)), Reason::InUse);
}

#[test]
fn partitions_and_their_relatives() {
    let mut machine = Machine::new();
    let whole = machine.device("nvme0n1", (259, 0), None);
    let first = machine.device("nvme0n1p1", (259, 1), Some("nvme0n1"));
    machine.device("nvme0n1p2", (259, 2), Some("nvme0n1"));
    let serial = "SERIAL-nvme0n1";
    assert_eq!(reason(machine.system.examine(&destroy(&whole, serial))), Reason::Partitioned);
    assert!(machine.system.examine(&destroy(&first, serial)).is_ok());
    assert_eq!(reason(machine.system.examine(&write(&first))), Reason::NotConfirmed);
    // Another partition of the same drive is mounted; or the whole drive is in an array.
    let line = "30 1 259:2 / /home rw - ext4 /dev/nvme0n1p2 rw\n";
    machine.put("proc/self/mountinfo", line);
    assert_eq!(reason(machine.system.examine(&destroy(&first, serial))), Reason::InUse);
    machine.put("proc/self/mountinfo", "");
    machine.put("sys/block/nvme0n1/holders/md0", "");
    assert_eq!(reason(machine.system.examine(&destroy(&first, serial))), Reason::InUse);
}

#[test]
fn devices_that_hold_something() {
    let mut machine = Machine::new();
    let node = machine.device("sdb", (8, 16), None);
    let mut image = fs::read(&node).expect("read");
    image[0..4].copy_from_slice(b"XFSB");
    fs::write(&node, &image).expect("written");
    let request = destroy(&node, "SERIAL-sdb");
    let refusal = machine.system.examine(&request).expect_err("refused");
    assert_eq!(refusal.reason, Reason::Signature);
    assert!(refusal.why.contains("XFS"), "{refusal}");
    assert_eq!(fs::read(&node).expect("read"), image, "nothing was written");
    image[0..4].fill(0);
    fs::write(&node, image).expect("written");
    machine.put("sys/block/sdb/ro", "1\n");
    assert_eq!(reason(machine.system.examine(&request)), Reason::ReadOnlyDevice);
}

#[test]
fn what_cannot_be_known_is_refused() {
    for missing in [
        "proc/self/mountinfo",
        "proc/swaps",
        "sys/block/sdb/dev",
        "sys/block/sdb/ro",
        "sys/block/sdb/size",
        "sys/dev/block/8:16",
    ] {
        let mut machine = Machine::new();
        let node = machine.device("sdb", (8, 16), None);
        fs::remove_file(machine.path(missing)).expect("removed");
        let result = machine.system.examine(&destroy(&node, "SERIAL-sdb"));
        assert_eq!(reason(result), Reason::Unknown, "{missing}");
    }
    // The device is shorter than the kernel says: its end cannot be looked at.
    let mut machine = Machine::new();
    let node = machine.device("sdb", (8, 16), None);
    machine.put("sys/block/sdb/size", "99999\n");
    assert_eq!(reason(machine.system.examine(&destroy(&node, "SERIAL-sdb"))), Reason::Unknown);
}

#[test]
fn reading_a_device_needs_no_consent() {
    let mut machine = Machine::new();
    let node = machine.device("sdb", (8, 16), None);
    machine.put("proc/self/mountinfo", "30 1 8:16 / /mnt rw - ext4 /dev/sdb rw\n");
    let permit = machine.system.examine(&read(&node)).expect("permitted");
    assert!(!permit.may_write());
}

#[test]
fn a_misspelt_device_is_not_made() {
    let machine = Machine::new();
    let system = &machine.system;
    for name in ["dev/sdz", "proc/x", "sys/block/x"] {
        assert_eq!(reason(system.examine(&write(&machine.path(name)))), Reason::PseudoFile);
    }
    let mounts = machine.path("proc/swaps");
    let request = Request { overwrite: true, ..write(&mounts) };
    assert_eq!(reason(system.examine(&request)), Reason::PseudoFile);
}

#[test]
fn regular_files() {
    let machine = Machine::new();
    let system = &machine.system;
    let file = machine.path("data");
    let new = system.examine(&write(&file)).expect("permitted");
    assert_eq!(new.kind(), &PermitKind::NewFile);
    assert!(!file.exists(), "examining makes nothing");
    drop(new);
    fs::write(&file, "precious").expect("written");
    assert_eq!(reason(system.examine(&write(&file))), Reason::ForeignFile);
    let reading = system.examine(&read(&file)).expect("permitted");
    assert_eq!((reading.kind(), reading.may_write()), (&PermitKind::ForeignFile, false));
    drop(reading);
    let overwrite = Request { overwrite: true, ..write(&file) };
    assert!(system.examine(&overwrite).expect("permitted").may_write());
    fs::hard_link(&file, machine.path("other")).expect("linked");
    assert_eq!(reason(system.examine(&overwrite)), Reason::HardLinks);
}

#[test]
fn files_that_serve_as_something() {
    let machine = Machine::new();
    let file = machine.path("data");
    fs::write(&file, "x").expect("written");
    let overwrite = Request { overwrite: true, ..write(&file) };
    let line = format!("Filename Type\n{} file 1 0 -2\n", file.display());
    machine.put("proc/swaps", &line);
    assert_eq!(reason(machine.system.examine(&overwrite)), Reason::InUse);
    machine.put("proc/swaps", "Filename Type\n");
    assert!(machine.system.examine(&overwrite).is_ok());
    machine.put("sys/block/loop0/loop/backing_file", &format!("{}\n", file.display()));
    assert_eq!(reason(machine.system.examine(&overwrite)), Reason::InUse);
}

#[test]
fn what_is_no_file() {
    let mut machine = Machine::new();
    let node = machine.device("sdb", (8, 16), None);
    let system = &machine.system;
    assert_eq!(reason(system.examine(&write(machine.root.path()))), Reason::Directory);
    let link = machine.path("link");
    symlink(&node, &link).expect("linked");
    let refusal = system.examine(&destroy(&link, "SERIAL-sdb")).expect_err("refused");
    assert_eq!(refusal.reason, Reason::Symlink);
    assert!(refusal.help.contains("dev/sdb"), "{refusal}");
    let dangling = machine.path("dangling");
    symlink("/nonexistent/x", &dangling).expect("linked");
    assert_eq!(reason(system.examine(&write(&dangling))), Reason::Symlink);
    assert_eq!(reason(system.examine(&write(&machine.path("no/file")))), Reason::Missing);
    let real = System::real();
    assert_eq!(reason(real.examine(&write(Path::new("/dev/null")))), Reason::NotADrive);
    assert_eq!(reason(real.examine(&write(Path::new("/dev/no-such")))), Reason::PseudoFile);
}

#[test]
fn names_that_fio_would_misread() {
    let machine = Machine::new();
    for name in ["a;b", "a#b", "a$b", "a\nb", "a%sb", "a\\b", "a ", "a'b", "a\"b", "a*"] {
        let result = machine.system.examine(&write(&machine.path(name)));
        assert_eq!(reason(result), Reason::Name, "{name:?}");
    }
    assert_eq!(reason(machine.system.examine(&write(Path::new("")))), Reason::Name);
    assert_eq!(reason(machine.system.examine(&write(Path::new("-")))), Reason::Name);
    assert!(machine.system.examine(&write(&machine.path("a b:c,d=e@f+g"))).is_ok());
}

#[test]
fn a_foreign_sidecar_is_left_alone() {
    let machine = Machine::new();
    let file = machine.path("data");
    fs::write(machine.path("data.drivelab"), "not ours").expect("written");
    assert_eq!(reason(machine.system.examine(&write(&file))), Reason::ForeignFile);
}

/// A program that is being started holds a copy of its parent's locks until it runs: a lock that
/// was given back is not free at once.
#[test]
fn a_lock_that_is_being_given_back_is_waited_for() {
    let machine = Machine::new();
    let file = machine.path("data");
    let examine = || machine.system.examine(&write(&file));
    let first = examine().expect("permitted");
    assert_eq!(reason(examine()), Reason::InUse);
    thread::scope(|scope| {
        scope.spawn(move || {
            thread::sleep(Duration::from_millis(100));
            drop(first);
        });
        examine().expect("free soon");
    });
}
