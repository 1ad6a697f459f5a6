//! Served drives and more clients than there are descriptors.

#![allow(clippy::disallowed_methods, reason = "clients wait on the clock")]

use crate::serve::Served;
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::time::{Duration, Instant};

/// Ticks of a processor that a process has used, a hundred a second.
fn ticks(pid: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("it runs");
    let fields: Vec<&str> = stat.rsplit(") ").next().expect("fields").split(' ').collect();
    fields[11].parse::<u64>().expect("a number") + fields[12].parse::<u64>().expect("a number")
}

#[test]
fn without_descriptors_clients_wait_and_the_server_rests() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = env!("CARGO_BIN_EXE_drivelab");
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -n 40 && exec \"$@\"", "sh", program]);
    let served = Served::by(limited, "p4510", folder.path(), &[]);
    let crowd: Vec<UnixStream> = (0..60)
        .map(|_| UnixStream::connect(folder.path().join("d.sock")).expect("it listens"))
        .collect();
    std::thread::sleep(Duration::from_millis(500));
    let (before, began) = (ticks(served.pid()), Instant::now());
    std::thread::sleep(Duration::from_secs(2));
    let used = ticks(served.pid()) - before;
    let share = used as f64 / 100.0 / began.elapsed().as_secs_f64();
    assert!(share < 0.3, "it uses {share} of a processor to wait");
    drop(crowd);
    assert_eq!(served.state()["powered"], true, "its owner is let in again");
    let said = String::from_utf8_lossy(&served.stop().stderr).into_owned();
    assert!(said.contains("40 descriptors"), "{said}");
    assert!(said.contains("a client was refused: no client can be taken: "), "{said}");
}
