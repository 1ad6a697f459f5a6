//! `test` on files that exist: measured one after the other, known by what they are, and kept in
//! the Record with all that was done to them.

use crate::common::{drivelab, fio};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

const QUICK: [&str; 8] =
    ["test", "corner", "--param", "op=read", "--param", "qd=4", "--param", "duration=1 s"];

/// A folder with a `fio` in `bin` that notes when the installed one begins and ends, and fails on
/// jobs that name `broken.img`.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("bin")).unwrap();
    let program = folder.path().join("bin/fio");
    let script = "#!/bin/sh\n\
                  case \"$*\" in *job.fio*) ;; *) exec /usr/bin/fio \"$@\" ;; esac\n\
                  echo begin >> \"$FIO_LOG\"\n\
                  grep -q broken.img job.fio && exit 1\n\
                  /usr/bin/fio \"$@\"; code=$?\n\
                  echo end >> \"$FIO_LOG\"; exit $code\n";
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

fn test(folder: &Path, more: &[&str]) -> Output {
    let path = std::env::var("PATH").unwrap_or_default();
    Command::new(env!("CARGO_BIN_EXE_drivelab"))
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", folder.join("bin").display()))
        .env("FIO_LOG", folder.join("log"))
        .args([&QUICK, more].concat())
        .output()
        .unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn real_targets_are_measured_one_after_the_other() {
    let Some(()) = fio() else { return };
    let folder = folder();
    let on = ["--on", "./a.img", "--on", "p4510", "--on", "./b.img", "--size", "8MiB"];
    let small = ["--scale", "4Mi units", "--budget", "10ms", "--threads", "4"];
    let output = test(folder.path(), &[&on[..], &small].concat());
    assert!(output.status.success(), "{}", said(&output));
    let log = fs::read_to_string(folder.path().join("log")).unwrap();
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(lines.len(), 8, "each file is filled and read: {lines:?}");
    assert!(lines.chunks(2).all(|pair| pair == ["begin", "end"]), "{lines:?}");
    // Columns stay in the order in which the targets were named.
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    let head = table.lines().next().unwrap();
    let at = |name: &str| head.find(name).unwrap_or_else(|| panic!("{name} in {head}"));
    assert!(at("./a.img") < at("p4510") && at("p4510") < at("./b.img"), "{head}");
    assert!(said(&output).contains("a.img: real, fio-"), "why it was permitted is said");
}

/// What was measured of another file, or of one of another size, is not taken for this one.
#[test]
fn a_measurement_resumes_on_the_same_target_only() {
    let Some(()) = fio() else { return };
    let folder = folder();
    let path = folder.path();
    let on = ["--on", "./a.img", "--on", "./broken.img", "--record", "r.json"];
    let cut = test(path, &[&on[..], &["--size", "1MiB"]].concat());
    assert!(!cut.status.success() && path.join("r.json.partial").exists(), "{}", said(&cut));
    assert!(!path.join("broken.img").exists(), "a file that is not whole is removed");
    let larger = test(path, &["--on", "./a.img", "--record", "r.json", "--size", "4MiB"]);
    assert!(larger.status.success(), "{}", said(&larger));
    assert!(!said(&larger).contains("taken from"), "{}", said(&larger));
    assert_eq!(fs::metadata(path.join("a.img")).unwrap().len(), 4 << 20, "made anew");
    assert!(path.join("r.json.partial").exists(), "what the other request measured stays");
}

#[test]
fn the_record_knows_what_was_measured() {
    let Some(()) = fio() else { return };
    let folder = folder();
    let path = folder.path();
    let done = test(path, &["--on", "./a.img", "--record", "r.json", "--size", "2MiB"]);
    assert!(done.status.success(), "{}", said(&done));
    let record = fs::read_to_string(path.join("r.json")).unwrap();
    let record: Value = serde_json::from_str(&record).unwrap();
    assert_eq!(record["result"]["seed"], Value::Null, "nothing was simulated");
    assert_eq!(record["result"]["budget"], Value::Null);
    let about = &record["result"]["targets"][0]["configuration"];
    let target = &about["targets"][0];
    assert_eq!(target["size_bytes"], 2 << 20);
    assert_eq!(target["kind"], "file made by drivelab");
    for key in ["path", "fio", "kernel", "permitted", "file_system"] {
        assert!(target[key].as_str().is_some_and(|text| !text.is_empty()), "{key}: {target}");
    }
    let steps = about["steps"].as_array().unwrap();
    let jobs = steps.iter().filter_map(|step| step["fio"].as_str());
    assert!(
        jobs.clone().count() == 2 && jobs.clone().all(|job| job.contains("a.img")),
        "{steps:?}"
    );
    let made = &record["made"];
    assert!(made["date"].as_str().is_some_and(|date| date.ends_with("UTC")), "{made}");
    assert_eq!(made["command"][0], "test");
    // It is not made again by a file: that would write to the drive without consent.
    let again = drivelab(path, &["rerun", "r.json"]);
    assert!(
        again.status.code() == Some(2) && said(&again).contains("test corner"),
        "{}",
        said(&again)
    );
}

#[test]
fn mistakes_are_found_before_anything_is_written() {
    let Some(()) = fio() else { return };
    let folder = folder();
    let path = folder.path();
    fs::create_dir(path.join("sub")).unwrap();
    fs::write(path.join("theirs.img"), vec![7; 1 << 20]).unwrap();
    std::os::unix::fs::symlink(path, path.join("alias")).unwrap();
    let cases: [(&[&str], &str); 9] = [
        (&["--on", "./z", "--size", "100TiB"], "are free"),
        (&["--on", "./z", "--size", "0 B"], "nothing to be measured"),
        (&["--on", "./z"], "add --size"),
        (&["--on", "./z", "--on", "./sub/../z", "--size", "1MiB"], "named twice"),
        (&["--on", "./z", "--on", "./alias/z", "--size", "1MiB"], "named twice"),
        (&["--on", "./theirs.img", "--overwrite", "--size", "2MiB"], "leave it out"),
        (&["--on", "./z", "--size", "1MiB", "--seed", "3", "--scale", "whole"], "--seed, --scale"),
        (&["--on", "./z", "--size", "1MiB", "--full"], "--full means something on models only"),
        (&["--on", "./z", "--size", "1MiB", "--age", "cycles=10"], "--age"),
    ];
    for (words, expected) in cases {
        let output = test(path, words);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {}", said(&output));
        assert!(said(&output).contains(expected), "{words:?}: {}", said(&output));
    }
    let mut names: Vec<_> = fs::read_dir(path).unwrap().flatten().map(|e| e.file_name()).collect();
    names.sort();
    assert_eq!(names, ["alias", "bin", "sub", "theirs.img"], "nothing was made");
    assert!(fs::read(path.join("theirs.img")).unwrap() == vec![7; 1 << 20]);
}

/// Neither the target nor its marker is a place for a result, new or not, allowed or not.
#[test]
fn no_result_replaces_the_target() {
    let Some(()) = fio() else { return };
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("j.fio"), "[w]\nrw=write\nsize=1m\n").unwrap();
    let run =
        |more: &[&str]| drivelab(path, &[&["run", "j.fio", "--on", "./t.img"], more].concat());
    let check = || {
        for place in ["t.img", "./t.img.drivelab"] {
            for option in ["--record", "--output"] {
                let output = run(&[option, place, "--overwrite"]);
                assert_eq!(output.status.code(), Some(2), "{option} {place}");
                assert!(said(&output).contains("replace the target"), "{}", said(&output));
            }
            let output = test(path, &["--on", "./t.img", "--size", "1MiB", "--record", place]);
            assert_eq!(output.status.code(), Some(2), "{place}");
        }
        let twice = run(&["--output", "same", "--record", "./same"]);
        assert!(said(&twice).contains("two results"), "{}", said(&twice));
    };
    check();
    assert!(!path.join("t.img").exists() && !path.join("same").exists());
    assert!(run(&[]).status.success());
    check();
    assert!(run(&[]).status.success(), "it is still drivelab's own");
}

/// The same for a job file, whatever it says of layout.
#[test]
fn a_job_for_which_there_is_no_room_is_refused() {
    let Some(()) = fio() else { return };
    let folder = folder();
    let path = folder.path();
    for size in ["size=900t", "filesize=900t\nsize=1m", "size=1m\noffset=900t"] {
        let job = format!("[w]\nrw=write\nfallocate=none\n{size}\n");
        fs::write(path.join("big.fio"), job).unwrap();
        let output = drivelab(path, &["run", "big.fio", "--on", "./z"]);
        assert_eq!(output.status.code(), Some(2), "{size}: {}", said(&output));
        assert!(said(&output).contains("are free") && !path.join("z").exists(), "{size}");
    }
}
