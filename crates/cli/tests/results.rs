//! Where results may go: plain files that hold nothing else, pipes, terminals and `/dev/null`.

use crate::common::drivelab;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const QUICK: [&str; 8] =
    ["--on", "p5430", "--scale", "4Mi units", "--budget", "5ms", "--quiet", "--seed"];

fn run(folder: &Path, more: &[&str]) -> Output {
    let job = "[a]\nrw=randread\nbs=4k\ntime_based\nruntime=10ms\nwrite_bw_log=mine\n";
    fs::write(folder.join("job.fio"), job).unwrap();
    drivelab(folder, &[&["run", "job.fio"][..], &QUICK, &["1"], more].concat())
}

fn refused(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(output.stdout.is_empty(), "nothing was run");
    text
}

/// Every option that names a place for a result.
#[test]
fn no_result_goes_to_a_device() {
    let folder = tempfile::tempdir().unwrap();
    let (zero, path) = ("/dev/zero", folder.path());
    let options = ["--output", "--record", "--save-state", "--smart-before", "--smart-after"];
    for option in options {
        let text = refused(&run(path, &[option, zero, "--overwrite"]));
        assert!(text.contains("/dev/zero"), "{option}: {text}");
    }
    let commands: [&[&str]; 6] = [
        &["test", "facts", "--on", "p5430", "--record", zero],
        &["compare", "p5430", "p4510", "--record", zero],
        &["reproduce", "solidigm-d5-p5430", "--json-file", zero],
        &["report", "job.fio", "-o", zero],
        &["trace", "job.fio", "--output", zero],
        &["endurance", "job.fio", "--output", zero],
    ];
    for command in commands {
        refused(&drivelab(path, command));
    }
}

/// A Record goes into it, and puts no file in its place.
#[test]
fn the_null_device_takes_a_record() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("null");
    std::os::unix::fs::symlink("/dev/null", &link).unwrap();
    assert!(run(folder.path(), &["--record", "null", "--save-state", "null"]).status.success());
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
}

/// The reproduction: fio's text on a disk.
#[test]
fn a_block_device_keeps_its_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("image");
    fs::write(&image, vec![7; 4 << 20]).unwrap();
    let made = Command::new("losetup").args(["-f", "--show"]).arg(&image).output();
    let made = made.ok().filter(|output| output.status.success());
    let Some(made) = needs::found(needs::LOOP, made) else { return };
    let node = String::from_utf8_lossy(&made.stdout).trim().to_owned();
    let outputs: Vec<Output> = ["--output", "--record", "--save-state"]
        .iter()
        .map(|option| run(folder.path(), &[option, &node, "--overwrite"]))
        .collect();
    let detached = Command::new("losetup").args(["-d", &node]).status().unwrap();
    assert!(detached.success());
    for output in outputs {
        assert!(refused(&output).contains("block device"));
    }
    assert!(fs::read(&image).unwrap() == vec![7; 4 << 20]);
}

#[test]
fn what_is_there_stays_unless_its_loss_is_allowed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("diary.txt"), "precious").unwrap();
    assert!(refused(&run(path, &["--output", "diary.txt"])).contains("--overwrite"));
    assert_eq!(fs::read_to_string(path.join("diary.txt")).unwrap(), "precious");
    let first = run(path, &["--record", "r.json", "--overwrite"]);
    assert!(first.status.success());
    let kept = fs::read(path.join("r.json")).unwrap();
    let text = refused(&run(path, &["--record", "r.json"]));
    assert!(text.contains("Record already"), "{text}");
    assert!(fs::read(path.join("r.json")).unwrap() == kept);
    // The log of the first run is there: so could one of the real fio be.
    let log = path.join("mine_bw.1.log");
    assert!(log.exists());
    assert!(refused(&run(path, &[])).contains("mine_bw.1.log"));
    assert!(run(path, &["--overwrite", "--output", "diary.txt"]).status.success());
    assert_ne!(fs::read_to_string(path.join("diary.txt")).unwrap(), "precious");
}

/// A report can be made again at any time, and replaces itself.
#[test]
fn a_report_is_made_again_without_a_word() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    assert!(run(path, &["--record", "r.json"]).status.success());
    for _ in 0..2 {
        let made = drivelab(path, &["report", "r.json", "-o", "page.html", "--quiet"]);
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    }
}

/// A Record repeats from its file alone, with a model file that has moved, and a changed one is
/// found out.
#[test]
fn a_record_is_made_again_from_its_file_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (path, away) = (folder.path(), tempfile::tempdir().unwrap());
    let model = drivelab(path, &["show", "p4510"]).stdout;
    fs::write(path.join("mine.toml"), model).unwrap();
    fs::write(path.join("j.fio"), "[a]\nrw=randread\nbs=${SIZE}\ntime_based\nruntime=10ms\n")
        .unwrap();
    let made = Command::new(env!("CARGO_BIN_EXE_drivelab"))
        .current_dir(path)
        .env("SIZE", "8k")
        .args(["run", "j.fio", "--on", "./mine.toml", "--scale", "4Mi units", "--record", "r.json"])
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let record: PathBuf = away.path().join("r.json");
    fs::rename(path.join("r.json"), &record).unwrap();
    let again = drivelab(away.path(), &["rerun", "r.json", "--verify"]);
    let text = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(again.status.success() && text.contains("the same result"), "{text}");
    let printed = drivelab(away.path(), &["rerun", "r.json", "--quiet"]);
    assert_eq!(printed.stdout, made.stdout, "what was printed is printed again");
    // The job is kept outside the hash: another job gives another result.
    let text = fs::read_to_string(&record).unwrap();
    fs::write(&record, text.replace("randread\\nbs=${SIZE}", "randwrite\\nbs=${SIZE}")).unwrap();
    let other = drivelab(away.path(), &["rerun", "r.json", "--verify"]);
    let text = String::from_utf8_lossy(&other.stderr).into_owned();
    assert_eq!(other.status.code(), Some(1), "{text}");
    assert!(text.contains("another result"), "{text}");
}

/// A job from standard input, and standard output that goes to a file.
#[test]
fn standard_streams_are_no_files_to_replace() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("j.fio"), "[a]\nrw=randread\ntime_based\nruntime=10ms\n").unwrap();
    let shell = |line: &str| {
        let line = line.replace("$D", env!("CARGO_BIN_EXE_drivelab"));
        Command::new("sh").args(["-c", &line]).current_dir(path).output().unwrap()
    };
    let on = "--on p4510 --scale '4Mi units' --quiet";
    let made = shell(&format!("$D run - {on} --record r.json < j.fio"));
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let again = drivelab(path, &["rerun", "r.json", "--verify"]);
    assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
    let lost = shell(&format!("$D run j.fio {on} --record /dev/stdout > out"));
    assert_eq!(lost.status.code(), Some(2));
    // A job file can be a pipe, too.
    let piped = shell(&format!("mkfifo p && (cat j.fio > p & $D run p {on} | grep -c IOPS=)"));
    assert_eq!(piped.stdout, b"1\n", "{}", String::from_utf8_lossy(&piped.stderr));
    let kept = shell(&format!("$D run j.fio {on} --output /dev/stdout | grep -c IOPS="));
    assert_eq!(kept.stdout, b"1\n", "a pipe is written to");
}

#[test]
fn tests_and_comparisons_repeat_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let common = ["--scale", "4Mi units", "--budget", "5ms", "--quiet", "--record", "r.json"];
    let commands: [&[&str]; 2] = [
        &["test", "corner", "--on", "p4510", "--param", "op=read", "--overwrite"],
        &[
            "compare",
            "p4510",
            "p4510@give_up=10%",
            "--method",
            "corner@op=write",
            "--repeats",
            "2",
            "--overwrite",
        ],
    ];
    for command in commands {
        let made = drivelab(path, &[command, &common].concat());
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let again = drivelab(path, &["rerun", "r.json", "--verify"]);
        assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
    }
}
