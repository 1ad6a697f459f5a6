//! States of block devices.

use super::Says::{No, Yes};
use super::{Bench, State, destroy, overwrite, purge, read, write};
use real::{Reason, Request};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

pub(super) const DEVICES: &[State] = &[
    ("a free disk, confirmed", |b| disk_with(b, |_, _| ()), Yes("serial number was typed")),
    ("a free disk, not confirmed", |b| write(&b.disk()), No(Reason::NotConfirmed)),
    ("a free disk, --overwrite only", |b| overwrite(&b.disk()), No(Reason::NotConfirmed)),
    ("a free disk, serial number empty", |b| destroy(&b.disk(), " "), No(Reason::NotConfirmed)),
    (
        "a free disk, serial number of another",
        |b| destroy(&b.disk(), "SERIAL-sdc"),
        No(Reason::WrongSerial),
    ),
    ("a free disk, to be purged unconfirmed", |b| purge(&b.disk()), No(Reason::NotConfirmed)),
    ("a free disk, only read", |b| read(&b.disk()), Yes("only read")),
    (
        "a mounted disk, only read",
        |b| {
            let request = disk_with(b, |b, _| mount(b, "8:16", "ext4 /dev/sdb"));
            Request { writes: false, ..request }
        },
        Yes("only read"),
    ),
    (
        "a disk without a serial number",
        |b| {
            disk_with(b, |b, _| {
                fs::remove_file(b.machine.path("sys/block/sdb/device/serial")).expect("removed");
            })
        },
        No(Reason::NoSerial),
    ),
    (
        "a disk mounted, by number",
        |b| {
            disk_with(b, |b, _| {
                mount(b, "8:16", "ext4 /dev/root");
            })
        },
        No(Reason::InUse),
    ),
    (
        "a disk mounted, by its node",
        |b| {
            disk_with(b, |b, node| {
                mount(b, "0:44", &format!("btrfs {}", node.display()));
            })
        },
        No(Reason::InUse),
    ),
    (
        "a disk mounted by a link to its node",
        |b| {
            disk_with(b, |b, node| {
                symlink(node, b.machine.path("by-id")).expect("linked");
                mount(b, "0:44", &format!("btrfs {}", b.machine.path("by-id").display()));
            })
        },
        No(Reason::InUse),
    ),
    (
        "a disk mounted by a node that is gone, by name",
        |b| {
            disk_with(b, |b, _| {
                mount(b, "0:44", "btrfs /dev/sdb");
            })
        },
        No(Reason::InUse),
    ),
    (
        "a disk of which a partition is mounted",
        |b| {
            disk_with(b, |b, _| {
                b.machine.device("sdb1", (8, 17), Some("sdb"));
                mount(b, "8:17", "xfs /dev/sdb1");
            })
        },
        No(Reason::InUse),
    ),
    (
        "a partition beside one that is mounted",
        |b| {
            b.disk();
            let first = b.machine.device("sdb1", (8, 17), Some("sdb"));
            b.machine.device("sdb2", (8, 18), Some("sdb"));
            mount(b, "8:18", "xfs /dev/sdb2");
            destroy(&first, "SERIAL-sdb")
        },
        No(Reason::InUse),
    ),
    (
        "a partition alone",
        |b| {
            b.disk();
            let first = b.machine.device("sdb1", (8, 17), Some("sdb"));
            destroy(&first, "SERIAL-sdb")
        },
        Yes("serial number was typed"),
    ),
    (
        "another disk is mounted",
        |b| {
            disk_with(b, |b, _| {
                mount(b, "8:32", "ext4 /dev/sdc");
            })
        },
        Yes("serial number was typed"),
    ),
    (
        "a disk used as swap",
        |b| {
            disk_with(b, |b, node| {
                b.machine
                    .put("proc/swaps", &format!("Filename\n{} partition 1 0\n", node.display()));
            })
        },
        No(Reason::InUse),
    ),
    (
        "a disk used as swap, by a link",
        |b| {
            disk_with(b, |b, node| {
                symlink(node, b.machine.path("swap")).expect("linked");
                let link = b.machine.path("swap");
                b.machine
                    .put("proc/swaps", &format!("Filename\n{} partition 1 0\n", link.display()));
            })
        },
        No(Reason::InUse),
    ),
    (
        "a disk held by device-mapper",
        |b| {
            disk_with(b, |b, _| {
                b.machine.put("sys/block/sdb/holders/dm-0", "");
            })
        },
        No(Reason::InUse),
    ),
    (
        "a disk below an md array, by number",
        |b| {
            disk_with(b, |b, _| {
                b.machine.put("sys/block/md0/slaves/renamed/dev", "8:16\n");
            })
        },
        No(Reason::InUse),
    ),
    (
        "a disk behind a loop device",
        |b| {
            disk_with(b, |b, node| {
                b.machine
                    .put("sys/block/loop3/loop/backing_file", &format!("{}\n", node.display()));
            })
        },
        No(Reason::InUse),
    ),
    (
        "a disk that a process holds open",
        |b| disk_with(b, |b, node| b.process(node)),
        No(Reason::InUse),
    ),
    (
        "a disk whose partition a process holds open",
        |b| {
            b.disk();
            let first = b.machine.device("sdb1", (8, 17), Some("sdb"));
            let second = b.machine.device("sdb2", (8, 18), Some("sdb"));
            b.process(&first);
            destroy(&second, "SERIAL-sdb")
        },
        No(Reason::InUse),
    ),
    (
        "a disk with partitions",
        |b| {
            disk_with(b, |b, _| {
                b.machine.device("sdb1", (8, 17), Some("sdb"));
            })
        },
        No(Reason::Partitioned),
    ),
    (
        "a disk that is read-only",
        |b| {
            disk_with(b, |b, _| {
                b.machine.put("sys/block/sdb/ro", "1\n");
            })
        },
        No(Reason::ReadOnlyDevice),
    ),
    (
        "a drive without a medium",
        |b| {
            disk_with(b, |b, _| {
                b.machine.put("sys/block/sdb/size", "0\n");
            })
        },
        No(Reason::ReadOnlyDevice),
    ),
    ("a disk with ext4", |b| holding(b, 0x438, &[0x53, 0xef]), No(Reason::Signature)),
    ("a disk with XFS", |b| holding(b, 0, b"XFSB"), No(Reason::Signature)),
    ("a disk with a GPT", |b| holding(b, 512, b"EFI PART"), No(Reason::Signature)),
    (
        "a disk with the backup GPT only",
        |b| holding(b, (8 << 20) - 512, b"EFI PART"),
        No(Reason::Signature),
    ),
    ("a disk with an LVM label", |b| holding(b, 512, b"LABELONE"), No(Reason::Signature)),
    ("an md member", |b| holding(b, 0x1000, &[0xfc, 0x4e, 0x2b, 0xa9]), No(Reason::Signature)),
    ("a LUKS volume", |b| holding(b, 0, b"LUKS\xba\xbe"), No(Reason::Signature)),
    (
        "a LUKS 2 volume, its second header at 4 MiB",
        |b| holding(b, 4 << 20, b"SKUL\xba\xbe"),
        No(Reason::Signature),
    ),
    ("a Stratis member", |b| holding(b, 516, b"!Stra0tis\x86\xff\x02^Arh"), No(Reason::Signature)),
    (
        "a format that only blkid knows",
        |b| {
            disk_with(b, |b, _| {
                b.programs.add("blkid", "echo TYPE=drbd");
                b.machine.system.blkid = b.programs.path().join("blkid");
            })
        },
        No(Reason::Signature),
    ),
    (
        "blkid finds nothing",
        |b| {
            disk_with(b, |b, _| {
                b.programs.add("blkid", "exit 2");
                b.machine.system.blkid = b.programs.path().join("blkid");
            })
        },
        Yes("serial number was typed"),
    ),
    (
        "blkid fails",
        |b| {
            disk_with(b, |b, _| {
                b.programs.add("blkid", "exit 4");
                b.machine.system.blkid = b.programs.path().join("blkid");
            })
        },
        No(Reason::Unknown),
    ),
    (
        "a namespace, by its controller's serial number",
        |b| {
            let node = b.machine.device("nvme0n1", (259, 0), None);
            destroy(&node, "SERIAL-nvme0n1")
        },
        Yes("serial number was typed"),
    ),
    (
        "one of two namespaces, by the serial number of both",
        |b| {
            let node = b.machine.device("nvme0n1", (259, 0), None);
            b.machine.device("nvme0n2", (259, 1), None);
            destroy(&node, "SERIAL-nvme0n1")
        },
        No(Reason::SharedSerial),
    ),
    (
        "one of two namespaces, by its own WWID",
        |b| {
            let node = b.machine.device("nvme0n1", (259, 0), None);
            b.machine.device("nvme0n2", (259, 1), None);
            destroy(&node, "eui.nvme0n1")
        },
        Yes("serial number was typed"),
    ),
    (
        "one of two namespaces, by the WWID of the other",
        |b| {
            let node = b.machine.device("nvme0n1", (259, 0), None);
            b.machine.device("nvme0n2", (259, 1), None);
            destroy(&node, "eui.nvme0n2")
        },
        No(Reason::WrongSerial),
    ),
    (
        "two bridges with one serial number",
        |b| {
            disk_with(b, |b, _| {
                b.machine.device("sdc", (8, 32), None);
                b.machine.put("sys/block/sdc/device/serial", "SERIAL-sdb\n");
            })
        },
        No(Reason::SharedSerial),
    ),
    (
        "a loop device, by the file behind it",
        |b| {
            let node = b.machine.device("loop7", (7, 7), None);
            fs::remove_file(b.machine.path("sys/block/loop7/device/serial")).expect("removed");
            b.machine.put("sys/block/loop7/loop/backing_file", "/images/scratch.img\n");
            destroy(&node, "/images/scratch.img")
        },
        Yes("serial number was typed"),
    ),
    (
        "a device whose mounts are not known",
        |b| {
            disk_with(b, |b, _| {
                fs::remove_file(b.machine.path("proc/self/mountinfo")).expect("removed");
            })
        },
        No(Reason::Unknown),
    ),
    (
        "a device whose size is not known",
        |b| {
            disk_with(b, |b, _| {
                fs::remove_file(b.machine.path("sys/block/sdb/size")).expect("removed");
            })
        },
        No(Reason::Unknown),
    ),
    (
        "a device that is shorter than the kernel says",
        |b| {
            disk_with(b, |b, _| {
                b.machine.put("sys/block/sdb/size", "99999\n");
            })
        },
        No(Reason::Unknown),
    ),
    (
        "a device that another drivelab uses",
        |b| {
            let request = disk_with(b, |_, _| ());
            let permit = b.machine.system.examine(&request).expect("permitted");
            b.held.push(permit);
            request
        },
        No(Reason::InUse),
    ),
    (
        "a symbolic link to a device",
        |b| {
            let node = b.disk();
            symlink(&node, b.machine.path("link")).expect("linked");
            destroy(&b.machine.path("link"), "SERIAL-sdb")
        },
        No(Reason::Symlink),
    ),
];

/// A confirmed request for the free disk after something was put on the machine.
fn disk_with(bench: &mut Bench, change: impl Fn(&mut Bench, &Path)) -> Request {
    let node = bench.disk();
    change(bench, &node);
    destroy(&node, "SERIAL-sdb")
}

fn holding(bench: &mut Bench, at: u64, bytes: &[u8]) -> Request {
    disk_with(bench, |bench, node| bench.poke(node, at, bytes))
}

fn mount(bench: &Bench, number: &str, kind_and_source: &str) {
    let line = format!("30 1 {number} / /mnt rw - {kind_and_source} rw\n");
    bench.machine.put("proc/self/mountinfo", &line);
}
