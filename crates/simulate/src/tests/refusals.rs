//! What a model cannot do is refused with place and help, or skipped with a warning.

use super::bench_config::*;
use crate::Simulated;

#[test]
fn what_would_bend_the_result_is_refused() {
    for (option, name) in [
        ("thinktime=1ms\nthinktime_iotime=10ms", "thinktime_iotime"),
        ("size=64k\nrandom_distribution=sequence:1,16,3", "block 16 is beyond its region"),
        ("trim_percentage=10", "trim_percentage"),
        ("create_only=1", "create_only"),
    ] {
        let text = format!("[global]\nbs=4k\n[job]\nrw=randread\nnumber_ios=10\n{option}\n");
        let error = refusal(&text);
        assert!(error.message.contains(name), "{error}");
        assert_eq!((error.line, &*error.file), (3, "test.fio"));
        assert!(error.help.is_some());
    }
}

#[test]
fn a_region_beyond_the_drive_is_refused() {
    let error = refusal("[j]\nrw=read\nfilename=/dev/x\noffset=1g\n");
    assert!(error.message.contains("offset"), "{error}");
    // Of a file nothing is left that is as long as a block.
    let error = refusal("[a]\nrw=read\nsize=4g\n[b]\nrw=read\nsize=8k\n");
    assert!(error.message.contains("together") && error.help.is_some(), "{error}");
    let error = refusal("[a]\nrw=read\nfilename=/dev/x\n[b]\nrw=read\nfilename=/dev/y\n");
    assert!(error.message.contains("second device"), "{error}");
    let error = refusal("[a]\nrw=read\nsize=1m\n[b]\nrw=read\nfilename=b\n");
    assert!(error.message.contains("no `size`"), "{error}");
}

/// Of a device fio uses what there is: `size` is an upper bound.
#[test]
fn a_size_beyond_the_end_of_a_device_is_cut() {
    const DEVICE: u64 = 512 << 20;
    let half_on =
        |size: &str| run(&format!("[j]\nrw=write\nbs=1m\nfilename=/dev/x\noffset=256m\n{size}\n"));
    let rest = half_on("");
    let bytes = |simulated: &Simulated| simulated.run.jobs[0].write().total_ios << 20;
    assert_eq!(bytes(&rest), DEVICE / 2);
    for (size, cut) in [(DEVICE / 2, false), (DEVICE / 2 + (1 << 20), true), (8 << 40, true)] {
        let simulated = half_on(&format!("size={size}"));
        assert_eq!(bytes(&simulated), DEVICE / 2, "{size}");
        let told = simulated.warnings.iter().filter(|warning| warning.code == "size-cut");
        let told: Vec<&str> = told.map(|warning| warning.message.as_str()).collect();
        assert_eq!(told.len(), usize::from(cut), "{size}");
        assert!(told.iter().all(|told| told.contains("268435456 bytes from 268435456 on")));
    }
    assert_eq!(bytes(&half_on("size=255m")), DEVICE / 2 - (1 << 20));
}

/// Partitions and namespaces are parts of a drive, and it is not known how large.
#[test]
fn names_of_devices_are_drives_or_parts_of_them() {
    let drives = |names: &[&str]| {
        let sections = names.iter().map(|name| format!("[{name}]\nrw=read\nfilename={name}\n"));
        let text: String = sections.collect();
        crate::drives_named(&jobs(&text).jobs)
    };
    assert_eq!(drives(&["/dev/nvme0n1", "/dev/nvme10n1", "/dev/sda", "/dev/sdb"]), Some(4));
    assert_eq!(drives(&["/dev/sda", "/dev/sda", "file"]), Some(1));
    assert_eq!(drives(&["/dev/nvme0n1", "/dev/nvme0n2"]), None);
    assert_eq!(drives(&["/dev/nvme0n1p1", "/dev/nvme0n1p2"]), None);
    assert_eq!(drives(&["/dev/sda1", "/dev/sda"]), None);
    assert_eq!(drives(&["/dev/mapper/a1", "/dev/mapper/a2"]), Some(2));
}

#[test]
fn what_does_not_bend_it_is_passed_over() {
    let simulated = run("[w]\nrw=write\nbs=4k\nsize=1m\nverify=crc32c\n");
    assert!(simulated.warnings.iter().any(|w| w.concerns == "verify"));
    assert_eq!(simulated.run.jobs[0].write().total_ios, 256);
    for (option, concerns) in
        [("buffer_pattern=0xdead", "buffer_pattern"), ("exitall\nexit_what=all", "exit_what")]
    {
        let simulated = run(&format!("[w]\nrw=write\nbs=4k\nsize=1m\n{option}\n"));
        assert!(simulated.warnings.iter().any(|w| w.concerns == concerns), "{option}");
    }
}
