//! Served drives and the clients of others: libnbd's tools and QEMU's.

use crate::serve::Served;
use std::path::Path;
use std::process::Command;

const URI: &str = "nbd+unix:///?socket=./d.sock";

/// The tools, if they are all here.
fn tools() -> Option<()> {
    let there = |program: &str| Command::new(program).arg("--version").output().is_ok();
    let all = ["nbdinfo", "nbdcopy", "qemu-img"].into_iter().all(there);
    needs::found(needs::NBD_CLIENTS, all.then_some(()))
}

/// Runs a program in a folder, which must succeed; what it printed.
fn made(folder: &Path, program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).current_dir(folder).args(arguments).output();
    let output = output.expect("the program starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {said}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn nbdinfo_finds_what_the_drive_can_do() {
    let Some(()) = tools() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let _served = Served::new(folder.path(), &[]);
    let info: serde_json::Value =
        serde_json::from_str(&made(folder.path(), "nbdinfo", &["--json", URI])).expect("JSON");
    let export = &info["exports"][0];
    assert_eq!((&info["protocol"], &info["structured"]), (&"newstyle-fixed".into(), &true.into()));
    // Whole superblocks: a little more than was asked for.
    let bytes = export["export-size"].as_u64().expect("a number");
    assert!((16 << 30..17 << 30).contains(&bytes), "{bytes}");
    assert_eq!(export["is_read_only"], false);
    for can in ["can_flush", "can_fua", "can_multi_conn", "can_trim", "can_zero", "can_df"] {
        assert_eq!(export[can], true, "{can}");
    }
    assert_eq!(export["contexts"][0], "base:allocation");
    let map = made(folder.path(), "nbdinfo", &["--map", "--totals", URI]);
    assert!(map.contains("100.0%"), "nothing is written yet, all of it is a hole: {map}");
}

#[test]
fn what_is_copied_in_comes_out_again() {
    let Some(()) = tools() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let served = Served::new(folder.path(), &[]);
    let bytes: Vec<u8> =
        (0..5 << 20).map(|i: u32| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    std::fs::write(folder.path().join("in.bin"), &bytes).expect("written");
    made(folder.path(), "nbdcopy", &["--flush", "in.bin", URI]);
    let map = made(folder.path(), "nbdinfo", &["--map", URI]);
    let first: Vec<&str> = map.lines().next().expect("a line").split_whitespace().collect();
    assert_eq!((first[0], first[1], first[3]), ("0", "5242880", "data"), "{map}");
    made(folder.path(), "qemu-img", &["convert", "-f", "raw", "-O", "qcow2", URI, "out.qcow2"]);
    let same =
        made(folder.path(), "qemu-img", &["compare", "-f", "raw", "-F", "qcow2", URI, "out.qcow2"]);
    assert!(same.contains("Images are identical"), "{same}");
    made(folder.path(), "nbdcopy", &[URI, "out.bin"]);
    let mut out = vec![0; bytes.len()];
    let mut file = std::fs::File::open(folder.path().join("out.bin")).expect("there");
    std::io::Read::read_exact(&mut file, &mut out).expect("as long");
    assert!(out == bytes, "the bytes differ");
    assert!(served.state()["requests"]["flush"]["requests"].as_u64() >= Some(1));
}
