//! Campaigns: on models, on files, killed and gone on with, ended by their rules.

use crate::common::{drivelab, fio};
use crate::serve::Served;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

const SMALL: [&str; 4] = ["--budget", "20ms", "--scale", "4Mi units"];

fn answer(output: &Output) -> Value {
    let said = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {said}"))
}

fn states(answer: &Value) -> Vec<String> {
    let tests = answer["tests"].as_array().unwrap().iter();
    tests.map(|test| test["state"].as_str().unwrap().to_owned()).collect()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn write(folder: &Path, plan: &str) {
    fs::write(folder.join("plan.toml"), plan).unwrap();
}

const MODELS: &str = r#"
order = "tests"
[[drive]]
name = "a"
on = "p4510"
[[drive]]
name = "b"
on = "p5430"
[[test]]
method = "corner"
params = { op = "read", qd = 4 }
[[test]]
method = "mixed"
params = { read = "70%", qd = 4 }
drives = ["b"]
[end]
command = ["sh", "-c", "cat > told.json"]
"#;

#[test]
fn a_campaign_keeps_its_results_and_is_made_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    write(path, MODELS);
    let words = [&["campaign", "./plan.toml", "-o", "out", "--json"][..], &SMALL].concat();
    let output = drivelab(path, &words);
    assert!(output.status.success(), "{}", said(&output));
    let first = answer(&output);
    assert_eq!(states(&first), ["done"; 3]);
    for file in ["a/01-corner.json", "b/01-corner.txt", "b/02-mixed.json", "report.html"] {
        assert!(path.join("out").join(file).is_file(), "{file}");
    }
    let told: Value = serde_json::from_slice(&fs::read(path.join("told.json")).unwrap()).unwrap();
    assert_eq!(told, first);
    let record = |name: &str| fs::read(path.join("out").join(name)).unwrap();
    let before = record("b/02-mixed.json");
    // Again: nothing is measured. Without one Record: that one is.
    fs::remove_file(path.join("out/a/01-corner.json")).unwrap();
    let again = drivelab(path, &words);
    assert_eq!(states(&answer(&again)), ["done"; 3]);
    let begun: Vec<String> =
        said(&again).lines().filter(|line| line.ends_with(" begins")).map(str::to_owned).collect();
    assert_eq!(begun, ["[1/3] a corner begins"]);
    assert_eq!(record("b/02-mixed.json"), before);
    // Another plan does not take the results of this one for its own.
    write(path, &MODELS.replace("qd = 4", "qd = 8"));
    let other = drivelab(path, &words);
    assert!(other.status.code() == Some(2), "{}", said(&other));
    assert!(said(&other).contains("it is the Record of another test"), "{}", said(&other));
}

/// A test that is in the plan twice is made twice, and each has its own time and end.
#[test]
fn a_test_twice_in_a_plan_is_two_tests() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let test = "[[test]]\nmethod = \"corner\"\nparams = { op = \"read\", qd = 4 }\n";
    write(path, &format!("[[drive]]\nname = \"a\"\non = \"p4510\"\n{test}{test}"));
    let words = [&["campaign", "./plan.toml", "-o", "out", "--json"][..], &SMALL].concat();
    let output = drivelab(path, &words);
    let both = answer(&output);
    assert_eq!(states(&both), ["done"; 2], "{}", said(&output));
    let lines = fs::read_to_string(path.join("out/campaign.jsonl")).unwrap();
    let last = |run: &str| {
        let mut all = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        all.rfind(|line| line["run"] == run).unwrap()["seconds"].clone()
    };
    let own = [last("a/01-corner"), last("a/02-corner")];
    let seconds = [0, 1].map(|number: usize| both["tests"][number]["seconds"].clone());
    assert_eq!(seconds, own);
}

/// Whoever waits for the end of a campaign is told when the user ends it, and what is done has its
/// report.
#[test]
fn an_interrupted_campaign_tells_its_end() {
    let Some(()) = fio() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let end = "[end]\ncommand = [\"sh\", \"-c\", \"cat > told.json\"]\n";
    write(path, &format!("{FILE}{end}").replace("1 s", "20 s").replacen("20 s", "1 s", 1));
    let child = Command::new(env!("CARGO_BIN_EXE_drivelab"))
        .current_dir(path)
        .args(["campaign", "./plan.toml", "-o", "out"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let begun = path.join("out/f/02-queue-depth.log");
    let got_there = (0..1200).any(|_| {
        sleep(Duration::from_millis(50));
        begun.exists()
    });
    assert!(got_there);
    sleep(Duration::from_millis(500));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", said(&output));
    let told: Value = serde_json::from_slice(&fs::read(path.join("told.json")).unwrap()).unwrap();
    assert_eq!(
        (states(&told), &told["stopped"]),
        (vec!["done".to_owned(), "ended".to_owned()], &"interrupted".into())
    );
    assert!(path.join("out/report.html").is_file());
}

#[test]
fn mistakes_are_told_together_and_where_they_are() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        "[[drive]]\nname = \"a b\"\non = \"p4510\"\n[[test]]\nmethod = \"cornr\"\n[[test]]\n\
         method = \"corner\"\nparams = { op = \"read\", depth = 3 }\ndrives = [\"c\"]\n",
    );
    let output = drivelab(folder.path(), &["campaign", "./plan.toml", "--dry-run"]);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    for part in [
        "`a b` cannot be the name of a folder\n  --> ./plan.toml:2:1",
        "cornr",
        "./plan.toml:4:1",
        "no drive of the plan is called `c`\n  --> ./plan.toml:9:",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let output = drivelab(folder.path(), &["campaign", "quick", "--on", "./f", "--dry-run"]);
    assert!(said(&output).contains("ready are quick-file, quick-drive, review, snia"));
    let output = drivelab(folder.path(), &["campaign", "snia", "--dry-run"]);
    assert!(said(&output).contains("the plan names no drive"), "{}", said(&output));
}

/// What a campaign takes is told by a model, and more wear than was accepted is refused before
/// anything is written.
#[test]
fn wear_is_told_before_and_has_to_be_accepted() {
    let Some(()) = fio() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = ["--on", "./f.img", "--size", "64MiB", "--model", "p4510"];
    let words = [&["campaign", "review", "--dry-run", "--json"][..], &file].concat();
    let all = answer(&drivelab(folder.path(), &words));
    let tests = all["tests"].as_array().unwrap();
    assert_eq!(tests.len(), 7);
    for test in tests {
        let estimate = &test["estimate"];
        let (least, most) = (&estimate["seconds_least"], &estimate["seconds_most"]);
        assert!(least.as_f64() > Some(0.0) && most.as_f64() >= least.as_f64(), "{test}");
        assert!(estimate["wear_most"].as_f64() > Some(0.0), "{test}");
    }
    let words = [&["campaign", "review", "-o", "out", "--accept-wear", "0.0001%"][..], &file];
    let refused = drivelab(folder.path(), &words.concat());
    assert_eq!(refused.status.code(), Some(2));
    assert!(said(&refused).contains("of its rated writes"), "{}", said(&refused));
    assert!(!folder.path().join("f.img").exists() && !folder.path().join("out").exists());
}

const FILE: &str = r#"
[[drive]]
name = "f"
on = "./f.img"
size = "16 MiB"
[[test]]
method = "corner"
params = { op = "read", duration = "1 s", state = "filled" }
[[test]]
method = "queue-depth"
params = { op = "read", duration = "1 s", state = "filled" }
"#;

/// The second test is killed with all that watches it. The same command goes on with its step.
#[test]
fn a_killed_campaign_goes_on() {
    let Some(()) = fio() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    write(path, FILE);
    let words = ["campaign", "./plan.toml", "-o", "out", "--json", "--overwrite"];
    let mut child = Command::new(env!("CARGO_BIN_EXE_drivelab"))
        .current_dir(path)
        .args(words)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let journal = path.join("out/f/02-queue-depth.json.steps");
    let steps = || {
        let text = fs::read_to_string(&journal).unwrap_or_default();
        text.lines().filter(|line| line.starts_with("{\"step\"")).count()
    };
    let got_there = (0..1200).any(|_| {
        sleep(Duration::from_millis(50));
        steps() >= 4
    });
    assert!(got_there, "{}", steps());
    // In the middle of a run of a second, not between two.
    sleep(Duration::from_millis(500));
    child.kill().unwrap();
    child.wait().unwrap();
    // The test ends with whoever watches it, in order.
    sleep(Duration::from_secs(1));
    let first = fs::read(path.join("out/f/01-corner.json")).unwrap();
    let again = drivelab(path, &words);
    assert!(again.status.success(), "{}", said(&again));
    assert_eq!(states(&answer(&again)), ["done"; 2]);
    assert_eq!(fs::read(path.join("out/f/01-corner.json")).unwrap(), first);
    let log = fs::read_to_string(path.join("out/f/02-queue-depth.log")).unwrap();
    assert!(log.contains("of an earlier start were taken"), "{log}");
}

#[test]
fn a_campaign_ends_by_its_rules() {
    let Some(()) = fio() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    // The second test alone, which takes most of a minute.
    let (drive, tests) = FILE.split_once("[[test]]").unwrap();
    let (_, long) = tests.split_once("[[test]]").unwrap();
    let long = long.replace("1 s", "5 s");
    write(path, &format!("{drive}[[test]]{long}[stop]\ntime = \"5 s\"\n"));
    let words = ["campaign", "./plan.toml", "-o", "out", "--json"];
    let output = drivelab(path, &words);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let ended = answer(&output);
    assert_eq!(states(&ended), ["ended"]);
    assert!(ended["stopped"].as_str().unwrap().starts_with("the tests took "), "{ended}");
    let again = answer(&drivelab(path, &words));
    assert_eq!(states(&again), ["ended"], "the time is over");
    assert_eq!(again["tests"][0]["seconds"], ended["tests"][0]["seconds"]);
}

#[test]
fn a_test_that_fails_is_tried_again() {
    let Some(()) = fio() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    write(path, FILE);
    fs::write(path.join("f.img"), "somebody's").unwrap();
    let words = ["campaign", "./plan.toml", "-o", "out", "--json"];
    let refused = drivelab(path, &words);
    assert_eq!(refused.status.code(), Some(2), "{}", said(&refused));
    assert_eq!(fs::read_to_string(path.join("f.img")).unwrap(), "somebody's");
    fs::remove_file(path.join("f.img")).unwrap();
    let done = drivelab(path, &words);
    assert_eq!(states(&answer(&done)), ["done"; 2], "{}", said(&done));
}

/// Reads at a rate that no drive gives.
const IMPOSSIBLE: &str = r#"
name = "impossible"
title = "Reads at a rate that no drive gives"
description = "Every run falls short of its rate."
provenance = "exact: written for this test"
[metrics]
all = "load"
[[step]]
do = "prepare"
state = "filled"
[[step]]
do = "job"
as = "load"
job = "paced"
time = "500 ms"
[jobs]
paced = """
[reads]
filename=/dev/target
ioengine=libaio
direct=1
rw=randread
bs=4k
rate_iops=500000000
time_based=1
ramp_time=${RAMP_US}us
runtime=${RUNTIME_US}us
"""
"#;

/// It is made once more, and keeps its first result; then it is marked. With `--no-repeat` it is
/// marked at once.
#[test]
fn a_doubtful_result_is_made_once_more_and_then_marked() {
    let Some(()) = fio() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("impossible.toml"), IMPOSSIBLE).unwrap();
    let (drive, _) = FILE.split_once("[[test]]").unwrap();
    write(path, &format!("{drive}[[test]]\nmethod = \"./impossible.toml\"\n"));
    let words = ["campaign", "./plan.toml", "-o", "out", "--json"];
    let output = drivelab(path, &words);
    assert!(output.status.success(), "{}", said(&output));
    let begun = |output: &Output| said(output).matches("./impossible.toml begins").count();
    assert_eq!(begun(&output), 2, "{}", said(&output));
    let done = answer(&output);
    assert_eq!(states(&done), ["done"]);
    let marks = done["tests"][0]["marks"].as_array().unwrap();
    assert_eq!(marks.len(), 1, "{marks:?}");
    let mark = "it did not do the rate that the test asked for (1 of 1 run)";
    assert_eq!(marks[0], mark);
    for file in ["01-impossible.json", "01-impossible.first.json", "01-impossible.first.txt"] {
        assert!(path.join("out/f").join(file).is_file(), "{file}");
    }
    let report = fs::read_to_string(path.join("out/report.html")).unwrap();
    assert!(report.contains("Whether the runs count") && report.contains("1 of 1 run failed"));
    // It stays marked, and is not made a third time.
    let again = drivelab(path, &words[..4]);
    assert_eq!(begun(&again), 0);
    let table = String::from_utf8_lossy(&again.stdout).into_owned();
    assert!(table.contains("done, marked") && table.contains(mark), "{table}");
    let words = ["campaign", "./plan.toml", "-o", "once", "--no-repeat", "--json"];
    let once = drivelab(path, &words);
    assert_eq!((begun(&once), states(&answer(&once))), (1, vec!["done".to_owned()]));
    assert!(said(&once).contains("marked, not made again (--no-repeat)"), "{}", said(&once));
}

const SERVED: &str = r#"
[[drive]]
name = "d"
on = "nbd+unix:///?socket=./d.sock"
[[test]]
method = "corner"
params = { op = "read", qd = 1, duration = "1 s", state = "fresh" }
[[test]]
method = "queue-depth"
params = { op = "read", duration = "2 s", state = "fresh" }
"#;

/// The drive is gone in the middle of the second test, and comes back as another one: what was
/// measured is kept, and the test that failed is made from its beginning.
#[test]
fn a_drive_that_vanishes_costs_one_test() {
    let Some(()) = fio() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    write(path, SERVED);
    let served = Served::new(path, &["--store", "none"]);
    let words = ["campaign", "./plan.toml", "-o", "out", "--json"];
    let child = Command::new(env!("CARGO_BIN_EXE_drivelab"))
        .current_dir(path)
        .args(words)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let journal = path.join("out/d/02-queue-depth.json.steps");
    let steps = || fs::read_to_string(&journal).unwrap_or_default().matches("{\"step\"").count();
    let got_there = (0..1200).any(|_| {
        sleep(Duration::from_millis(50));
        steps() >= 2
    });
    assert!(got_there, "{}", steps());
    drop(served);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let broken = answer(&output);
    assert_eq!(states(&broken), ["done", "failed"]);
    let why = broken["tests"][1]["why"].as_str().unwrap();
    assert!(why.contains("d.sock"), "{why}");
    let report = fs::read_to_string(path.join("out/report.html")).unwrap();
    assert!(report.contains("d queue-depth is missing: failed"), "the page says so, too");
    sleep(Duration::from_secs(1));
    let served = Served::new(path, &["--store", "none"]);
    let again = drivelab(path, &words);
    assert_eq!(states(&answer(&again)), ["done"; 2], "{}", said(&again));
    let log = fs::read_to_string(path.join("out/d/02-queue-depth.log")).unwrap();
    assert!(log.contains("d.sock is of another server"), "{log}");
    assert!(log.contains("they are in out/d/02-queue-depth.json.steps.old"), "{log}");
    assert!(path.join("out/d/02-queue-depth.json.steps.old").is_file());
    drop(served);
}

#[test]
fn preflight_says_what_it_saw_and_writes_nothing() {
    let Some(()) = fio() else { return };
    let folder = tempfile::tempdir().unwrap();
    let words = ["preflight", "--on", "./f.img", "--size", "8MiB", "--listen", "1", "--json"];
    let output = drivelab(folder.path(), &words);
    assert!(output.status.success(), "{}", said(&output));
    let seen = answer(&output);
    assert!(seen["targets"][0]["permitted"].as_str().unwrap().contains("a new file"), "{seen}");
    let heard = seen["machine"].as_array().unwrap().iter();
    assert!(heard.clone().any(|finding| finding["what"] == "processors busy"), "{seen}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    fs::write(folder.path().join("f.img"), "somebody's").unwrap();
    let output = drivelab(folder.path(), &words[..7]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.code() == Some(1) && text.contains("may not be tested"), "{text}");
}

/// A parameter goes to every test that has it, over what the plan says; one that no test has is a
/// mistake.
#[test]
fn a_parameter_of_the_command_line_goes_to_every_test_that_has_it() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["campaign", "snia", "--on", "p4510", "--dry-run"];
    let output = drivelab(folder.path(), &[&words[..], &["--param", "spec=client"]].concat());
    assert!(output.status.success(), "{}", said(&output));
    assert!(said(&output).contains("spec stays out of snia-xsr, which has no such"));
    let output = drivelab(folder.path(), &[&words[..], &["--param", "rows=7"]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("no test of the plan has a parameter `rows`"));
    write(folder.path(), MODELS);
    let more = ["-o", "out", "--json", "--param", "qd=8"];
    let words = [&["campaign", "./plan.toml"][..], &more, &SMALL].concat();
    assert!(drivelab(folder.path(), &words).status.success());
    let made = fs::read_to_string(folder.path().join("out/a/01-corner.json")).unwrap();
    assert!(made.contains("\"qd=8\"") && !made.contains("\"qd=4\""), "{made}");
}
