//! What a machine shows of a drive before it is measured.

use crate::common::Machine;
use real::conditions::{Conditions, Link, Thermometer};
use std::os::unix::fs::symlink;

/// An NVMe drive behind two lanes of the four that it has, as sysfs shows it.
fn machine() -> Machine {
    let machine = Machine::new();
    let function = "sys/devices/pci0000:00/0000:01:00.0";
    let controller = format!("{function}/nvme/nvme0");
    let block = format!("{controller}/nvme0n1");
    for (file, said) in [
        (format!("{function}/current_link_speed"), "16.0 GT/s PCIe"),
        (format!("{function}/current_link_width"), "2"),
        (format!("{function}/max_link_speed"), "16.0 GT/s PCIe"),
        (format!("{function}/max_link_width"), "4"),
        (format!("{function}/numa_node"), "1"),
        (format!("{function}/power/control"), "on"),
        (format!("{controller}/hwmon3/temp1_input"), "41850"),
        (format!("{controller}/hwmon3/temp1_max"), "83850"),
        (format!("{block}/dev"), "259:0"),
        (format!("{block}/size"), "2048"),
        (format!("{block}/ro"), "0"),
        (format!("{block}/queue/scheduler"), "[none] mq-deadline"),
        (format!("{block}/queue/nomerges"), "0"),
        (format!("{block}/queue/write_cache"), "write back"),
        ("proc/loadavg".to_owned(), "0.10 0.20 0.30 1/234 5678"),
        ("proc/cpuinfo".to_owned(), "processor : 0\nmodel name\t: ACME CPU\nprocessor : 1\n"),
        ("proc/meminfo".to_owned(), "MemTotal:       24684112 kB\nMemFree: 1 kB\n"),
        ("sys/class/dmi/id/sys_vendor".to_owned(), "ACME Inc.\n"),
        ("sys/class/dmi/id/product_name".to_owned(), "Bench 2\n"),
    ] {
        machine.put(&file, &format!("{said}\n"));
    }
    symlink(machine.path(&controller), machine.path(&format!("{block}/device"))).unwrap();
    symlink(machine.path(&block), machine.path("sys/block/nvme0n1")).unwrap();
    symlink(machine.path(&block), machine.path("sys/dev/block/259:0")).unwrap();
    machine
}

#[test]
fn link_queue_and_temperature_are_seen() {
    let machine = machine();
    let device = real::device::Device::of_number(&machine.system, (259, 0)).unwrap();
    let seen = Conditions::of(&machine.system, &device);
    let link = |width| format!("16.0 GT/s PCIe x{width}");
    assert_eq!(seen.link, Some(Link { now: link(2), best: link(4) }));
    assert_eq!((seen.numa_node, seen.nomerges), (Some(1), Some(0)));
    assert_eq!(seen.scheduler.as_deref(), Some("none"));
    assert_eq!(seen.write_cache.as_deref(), Some("write back"));
    assert_eq!((seen.celsius, seen.celsius_warning), (Some(41.85), Some(83.85)));
    assert_eq!(seen.load, Some((0.1, 2)));
    let concerns = seen.concerns();
    assert_eq!(concerns.len(), 1, "{concerns:#?}");
    assert!(concerns[0].starts_with("nvme0n1: its link runs at 16.0 GT/s PCIe x2"), "{concerns:?}");
    let thermometer = Thermometer::of(&device).unwrap();
    assert_eq!(thermometer.read(), Some(41.85));
    std::fs::remove_dir_all(machine.path("sys/devices")).unwrap();
    assert_eq!(thermometer.read(), None, "the drive is gone");
}

/// The namespace of a drive with two ports belongs to a subsystem, and its controllers are there.
#[test]
fn a_namespace_that_several_controllers_reach_is_seen_through_the_first() {
    let machine = machine();
    let subsystem = "sys/devices/virtual/nvme-subsystem/nvme-subsys0";
    let block = format!("{subsystem}/nvme0n1");
    for (file, said) in [("dev", "259:1"), ("size", "2048"), ("ro", "0")] {
        machine.put(&format!("{block}/{file}"), said);
    }
    symlink(machine.path(subsystem), machine.path(&format!("{block}/device"))).unwrap();
    let controller = machine.path("sys/devices/pci0000:00/0000:01:00.0/nvme/nvme0");
    symlink(controller, machine.path(&format!("{subsystem}/nvme0"))).unwrap();
    machine.put(&format!("{subsystem}/nvme-list"), "no controller");
    symlink(machine.path(&block), machine.path("sys/dev/block/259:1")).unwrap();
    let device = real::device::Device::of_number(&machine.system, (259, 1)).unwrap();
    let seen = Conditions::of(&machine.system, &device);
    assert_eq!((seen.celsius, seen.numa_node), (Some(41.85), Some(1)));
    assert_eq!(seen.link.map(|link| link.now).as_deref(), Some("16.0 GT/s PCIe x2"));
    assert_eq!(Thermometer::of(&device).unwrap().read(), Some(41.85));
}

/// The machine itself; one that shows nothing of it is described by nothing.
#[test]
fn a_machine_is_described() {
    assert_eq!(
        real::machine::described(&machine().system),
        "ACME Inc. Bench 2, 2 x ACME CPU, 24 GiB"
    );
    assert_eq!(real::machine::described(&Machine::new().system), "");
}

/// A virtual disk shows nothing, and nothing is held against it.
#[test]
fn what_the_kernel_does_not_show_is_unknown() {
    let machine = Machine::new();
    let block = "sys/devices/virtual/block/vda";
    for (file, said) in [("dev", "254:0"), ("size", "2048"), ("ro", "0")] {
        machine.put(&format!("{block}/{file}"), said);
    }
    symlink(machine.path(block), machine.path("sys/dev/block/254:0")).unwrap();
    let device = real::device::Device::of_number(&machine.system, (254, 0)).unwrap();
    let seen = Conditions::of(&machine.system, &device);
    assert_eq!((seen.link.clone(), seen.celsius), (None, None));
    assert!(seen.concerns().is_empty());
    assert!(Thermometer::of(&device).is_none());
}
