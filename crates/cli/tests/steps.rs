//! A test on something real that is killed goes on with the step that it was in.

use crate::common::{drivelab, fio};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// Eight runs of a second on a file of 16 MiB, which is filled first.
const TEST: [&str; 12] = [
    "test",
    "queue-depth",
    "--on",
    "./f.img",
    "--size",
    "16MiB",
    "--param",
    "op=read",
    "--param",
    "duration=1 s",
    "--record",
    "r.json",
];

/// Steps in the journal.
fn steps(folder: &Path) -> Vec<String> {
    let text = fs::read_to_string(folder.join("r.json.steps")).unwrap_or_default();
    text.lines().filter(|line| line.starts_with("{\"step\"")).map(str::to_owned).collect()
}

/// The test, begun and with so many steps behind it.
fn begun(folder: &Path, count: usize) -> Child {
    let mut child = Command::new(env!("CARGO_BIN_EXE_drivelab"))
        .current_dir(folder)
        .args(TEST)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let got_there = (0..600).any(|_| {
        sleep(Duration::from_millis(50));
        assert!(child.try_wait().unwrap().is_none(), "it ended");
        steps(folder).len() >= count
    });
    assert!(got_there, "{:?}", steps(folder));
    // In the middle of a run of a second, not between two.
    sleep(Duration::from_millis(500));
    child
}

fn points(folder: &Path) -> usize {
    let text = fs::read_to_string(folder.join("r.json")).unwrap();
    let record: Value = serde_json::from_str(&text).unwrap();
    record["result"]["data"]["targets"][0]["points"].as_array().unwrap().len()
}

#[test]
fn a_killed_test_goes_on_where_it_was() {
    let Some(()) = fio() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mut child = begun(path, 4);
    child.kill().unwrap();
    child.wait().unwrap();
    let before = steps(path);
    // What the file holds is not known after a kill: the user says that it may go.
    let refused = drivelab(path, &TEST);
    assert_eq!(refused.status.code(), Some(2));
    assert_eq!(steps(path), before, "a refusal costs nothing");
    let again = drivelab(path, &[&TEST[..], &["--overwrite"]].concat());
    let said = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(again.status.success(), "{said}");
    let held = format!("holds {} steps", before.len());
    assert!(said.contains(&held), "{held}: {said}");
    assert!(said.contains("of an earlier start were taken"), "{said}");
    assert_eq!(points(path), 8);
    assert!(!path.join("r.json.steps").exists(), "the Record has it all");
}

#[test]
fn a_file_that_was_written_meanwhile_is_tested_from_the_beginning() {
    let Some(()) = fio() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mut child = begun(path, 3);
    child.kill().unwrap();
    child.wait().unwrap();
    let later = ["-d", "+60 seconds", "f.img"];
    let touched = Command::new("touch").args(later).current_dir(path).status();
    assert!(touched.unwrap().success());
    let again = drivelab(path, &[&TEST[..], &["--overwrite"]].concat());
    let said = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(again.status.success(), "{said}");
    assert!(said.contains("were not taken: ") && said.contains("was changed since"), "{said}");
    assert_eq!(points(path), 8);
}
