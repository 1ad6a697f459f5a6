//! Served drives with file systems and a database on them: what needs root and devices.

use crate::common::{mounts, root};
use crate::serve::Served;
use std::process::Command;

/// Makes a file system on the drive in `./d.sock`, writes a file, reads it again after a mount of
/// its own, deletes it and trims. Nothing is left mounted, whatever happens.
const FILE_SYSTEM: &str = r#"
set -eu
PATH=$PATH:/usr/sbin:/sbin
mkdir fuse mnt
loop=""
down() {
    ! mountpoint -q mnt || umount mnt
    [ -z "$loop" ] || losetup --detach "$loop"
    # A loop device is let go a moment after it is told to.
    for _ in $(seq 50); do
        ! fusermount3 -u fuse 2> /dev/null || break
        sleep 0.1
    done
    kill "$shown" 2> /dev/null || true
}
nbdfuse fuse/drive --unix "$PWD/d.sock" > fuse.txt 2>&1 &
shown=$!
trap down EXIT
until [ -e fuse/drive ]; do kill -0 $shown; sleep 0.05; done
loop=$(losetup --find --show --direct-io=on fuse/drive)
# Nothing is discarded yet.
"$@" "$loop" > made.txt
mount -o noatime "$loop" mnt
head -c 67108864 /dev/urandom > mnt/file
cksum < mnt/file
umount mnt
mount -o noatime "$loop" mnt
cksum < mnt/file
rm mnt/file
sync
fstrim mnt
"#;

/// A file system on a served drive, made by these words.
fn file_system(words: &[&str]) {
    let Some(()) = mounts(&[words[0], "fstrim"]) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let served = Served::new(folder.path(), &["--store", "memory", "--state", "fresh"]);
    // Mounts of its own: a namespace that another test makes meanwhile would keep a copy of them,
    // and what is unmounted here would live on there, unwritten.
    let output = Command::new("unshare")
        .current_dir(folder.path())
        .args([&["--mount", "sh", "-c", FILE_SYSTEM, "sh"], words].concat())
        .output()
        .expect("unshare");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {said}");
    let sums = String::from_utf8_lossy(&output.stdout).into_owned();
    let sums: Vec<&str> = sums.lines().collect();
    assert!(sums.len() == 2 && sums[0] == sums[1], "{words:?}: {sums:?}");
    let requests = &served.state()["requests"];
    let bytes = |kind: &str| requests[kind]["bytes"].as_u64().unwrap_or(0);
    assert!(bytes("write") >= 64 << 20, "{requests:#}");
    assert!(bytes("flush") == 0 && requests["flush"]["requests"].as_u64() > Some(0));
    // The file, and all that was free before.
    assert!(bytes("trim") > 15 << 30, "{requests:#}");
}

#[test]
fn ext4_is_made_written_and_trimmed() {
    file_system(&["mkfs.ext4", "-q", "-E", "nodiscard"]);
}

#[test]
fn xfs_is_made_written_and_trimmed() {
    file_system(&["mkfs.xfs", "-q", "-K"]);
}

/// MariaDB on two file systems of a served drive under transactions of sysbench, as in the guide.
#[test]
fn sysbench_runs_on_a_database_on_a_served_drive() {
    let Some(()) = mounts(&["mkfs.ext4", "sysbench", "mariadbd"]) else { return };
    let output = Command::new("bash")
        .current_dir(root())
        .args(["examples/live/mariadb.sh", "p4510"])
        .env("DRIVELAB", env!("CARGO_BIN_EXE_drivelab"))
        .envs([("LOAD", "3"), ("WARM", "1"), ("TABLES", "1"), ("ROWS", "2000"), ("THREADS", "2")])
        .env("STATE", "filled")
        .output()
        .expect("a shell");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let table = String::from_utf8_lossy(&output.stdout);
    let row = table.lines().find(|line| line.starts_with("p4510")).expect("a row");
    let transactions: f64 = row.split_whitespace().nth(1).unwrap().parse().expect("a number");
    assert!(transactions > 1.0, "{table}");
}
