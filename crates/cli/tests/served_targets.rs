//! Served drives as targets of everything that takes real ones.

use crate::common::{drivelab, fio, text};
use crate::serve::Served;
use serde_json::Value;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;
use std::process::Command;

const URI: &str = "nbd+unix:///?socket=./d.sock";

#[test]
fn a_job_file_runs_on_a_served_drive_without_a_question() {
    let Some(()) = fio() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let served = Served::new(folder.path(), &[]);
    let job = "[global]\nioengine=libaio\ndirect=1\nfilename=/dev/nvme0n1\nbs=4k\n\
        [write]\nrw=randwrite\nsize=4m\niodepth=8\n[read]\nstonewall\nrw=read\nsize=4m\n";
    std::fs::write(folder.path().join("job.fio"), job).expect("written");
    for on in [URI, "./d.sock"] {
        let output = drivelab(folder.path(), &["run", "job.fio", "--on", on, "--json"]);
        let said = text(&output.stderr);
        assert!(output.status.success(), "{said}");
        assert!(said.contains("it is the Intel P4510 8TB that drivelab serves"), "{said}");
        assert!(said.contains("ioengine=libaio is replaced: served drives speak NBD"), "{said}");
        let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(answer["jobs"][0]["write"]["total_ios"], 1024);
        assert_eq!(answer["jobs"][1]["read"]["total_ios"], 1024);
    }
    assert_eq!(served.state()["requests"]["write"]["requests"], 2048);
}

#[test]
fn a_method_measures_a_served_drive_and_a_model_beside_it() {
    let Some(()) = fio() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let _served = Served::new(folder.path(), &["--store", "none"]);
    let test = ["test", "corner", "--param", "op=read", "--param", "duration=1s"];
    let rest = ["--param", "qd=1", "--on", URI, "--on", "p4510", "--budget", "300ms", "--json"];
    let output = drivelab(folder.path(), &[&test[..], &rest].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let targets = answer["targets"].as_array().map_or(0, Vec::len);
    assert_eq!(targets, 2, "{answer:#}");
}

/// Nobody is asked about data in memory; a file is the user's.
#[test]
fn what_is_kept_in_a_file_needs_consent() {
    let Some(()) = fio() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let _served = Served::new(folder.path(), &["--store", "./disk.img"]);
    let write = "[w]\nrw=write\nsize=1m\n";
    std::fs::write(folder.path().join("w.fio"), write).expect("written");
    std::fs::write(folder.path().join("r.fio"), "[r]\nrw=read\nsize=1m\n").expect("written");
    let read = drivelab(folder.path(), &["run", "r.fio", "--on", URI]);
    assert!(read.status.success(), "{}", text(&read.stderr));
    let refused = drivelab(folder.path(), &["run", "w.fio", "--on", URI]);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
    assert!(text(&refused.stderr).contains("is kept in a file"), "{}", text(&refused.stderr));
    let allowed = drivelab(folder.path(), &["run", "w.fio", "--on", URI, "--overwrite"]);
    assert!(allowed.status.success(), "{}", text(&allowed.stderr));
}

#[test]
fn other_sockets_are_refused() {
    let Some(()) = fio() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("r.fio"), "[r]\nrw=read\nsize=1m\n").expect("written");
    // Somebody who takes a connection and hangs up.
    let listener = UnixListener::bind(folder.path().join("other.sock")).expect("bound");
    std::thread::spawn(move || while listener.accept().is_ok() {});
    let several = Served::new(folder.path(), &["--drives", "2", "--size", "32GiB"]);
    for (socket, reason) in [
        ("./other.sock", "it is a socket: "),
        ("./d.sock", "it has 2 devices"),
        ("nbd+unix:///?socket=./no.sock", "no served drive listens at `./no.sock`"),
    ] {
        let output = drivelab(folder.path(), &["run", "r.fio", "--on", socket]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{socket}: {said}");
        assert!(said.contains(reason), "{socket}: {said}");
    }
    drop(several);
}

/// fio as Debian has it, which says that it is 3.41, and does the beginning of what a newer one
/// would do.
const NEWER: &str = r#"#!/bin/sh
case "$1" in
--version) echo fio-3.41; exit ;;
--cmdhelp=spr*) echo "${1#*=}: known"; exit ;;
esac
for job; do :; done
if grep -q '^sprandom' "$job" 2>/dev/null; then
    cp "$job" "$LOG"
    sed -i -e '/^spr/d' -e 's/^size=.*/size=4m/' "$job"
fi
exec "$FIO" "$@"
"#;

/// A whole drive is brought into its steady state by one pass over its flash; an older fio fills it
/// and writes twice at random.
#[test]
fn a_fio_that_has_sprandom_is_asked_for_one_pass() {
    let Some(()) = fio() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let _served = Served::new(folder.path(), &["--store", "none"]);
    let bin = folder.path().join("bin");
    std::fs::create_dir(&bin).expect("made");
    std::fs::write(bin.join("fio"), NEWER).expect("written");
    std::fs::set_permissions(bin.join("fio"), std::fs::Permissions::from_mode(0o755)).expect("set");
    let (path, log) = (std::env::var("PATH").expect("a path"), folder.path().join("log.fio"));
    let installed = Command::new("sh").args(["-c", "command -v fio"]).output().expect("a shell");
    let output = Command::new(env!("CARGO_BIN_EXE_drivelab"))
        .current_dir(folder.path())
        .env("PATH", format!("{}:{path}", bin.display()))
        .env("FIO", text(&installed.stdout).trim())
        .env("LOG", &log)
        .args(["test", "corner", "--param", "op=write", "--param", "duration=1s", "--on", URI])
        .args(["--record", "r.json"])
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let job = std::fs::read_to_string(&log).expect("a job with sprandom");
    for line in ["sprandom=1", "spr_op=0.15", "rw=randwrite", "bs=4096"] {
        assert!(job.contains(line), "{line}: {job}");
    }
    let record = std::fs::read_to_string(folder.path().join("r.json")).expect("a Record");
    let record: Value = serde_json::from_str(&record).expect("JSON");
    let step = r#"{"over_provisioning":0.15,"sprandom":true}"#;
    assert!(record.to_string().contains(step), "{record:#}");
}

/// A model is fitted to what was measured on a served drive: of a P4510 whose front end takes 45 us
/// in place of 5 that is found, with what the socket and the machine add to a read.
#[test]
fn a_model_is_fitted_to_a_served_drive() {
    let Some(()) = fio() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let slow = "p4510@controller.read_front_end=45us";
    let served = Served::of(slow, folder.path(), &["--store", "none", "--state", "fresh"]);
    let test =
        ["test", "corner", "--param", "op=read", "--param", "qd=1", "--param", "duration=2s"];
    let rest = ["--param", "state=filled", "--on", URI, "--record", "read.json", "--json"];
    let output = drivelab(folder.path(), &[&test[..], &rest].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    drop(served);
    let measured: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let mean =
        measured["targets"][0]["metrics"]["read_lat_mean"]["value"].as_f64().expect("a mean");
    let free = ["--free", "controller.read_front_end=1us..5ms", "--only", "read.read_lat_mean"];
    let fit = ["fit", "p4510", "--figures", "read.json", "--output", "found.toml", "--json"];
    let small = ["--iterations", "20", "--budget", "20ms", "--scale", "4Mi units"];
    let output = drivelab(folder.path(), &[&fit[..], &free, &small].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let fitted: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let figure = &fitted["figures"][0];
    let simulated = figure["fitted"].as_f64().expect("a number");
    assert!((simulated / mean - 1.0).abs() < 0.03, "{figure:#}");
    let found = fitted["parameters"][0]["fitted"].as_f64().expect("a value");
    // 68 us are the rest of a read; nothing of the way is taken for less.
    assert!(found > 43.0, "{:#}", fitted["parameters"][0]);
    assert!((found - (1e6 * mean - 68.6)).abs() < 4.0, "{found} {mean}");
}
