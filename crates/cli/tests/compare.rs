//! `drivelab compare` as a user runs it: chance is told from what was changed.

use crate::common::drivelab;
use serde_json::Value;
use std::path::Path;

/// A small drive, and little work on it.
const SMALL: [&str; 8] =
    ["--scale", "1Mi units", "--budget", "20ms", "--repeats", "3", "--quiet", "--json"];
const MIX: [&str; 2] = ["--method", "mixed@read=70%,qd=4"];

fn compare(words: &[&str]) -> Value {
    let folder = tempfile::tempdir().expect("made");
    let output = drivelab(folder.path(), &[&["compare"], words, &SMALL[..]].concat());
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {error}");
    serde_json::from_slice(&output.stdout).expect("JSON and nothing else")
}

fn rows(value: &Value) -> &Vec<Value> {
    value["rows"].as_array().expect("rows")
}

fn row<'v>(value: &'v Value, metric: &str) -> &'v Value {
    rows(value).iter().find(|row| row["metric"] == metric).expect("the metric is compared")
}

#[test]
fn a_drive_against_itself_is_within_noise() {
    let (mut alarms, mut p) = (0, Vec::new());
    for seed in (1..=24).map(|table| (100 * table).to_string()) {
        let value = compare(&[&["x25-e", "x25-e", "--seed", &seed], &MIX[..]].concat());
        let cells: Vec<&Value> = rows(&value).iter().map(|row| &row["cells"][1]).collect();
        let noise = cells.iter().all(|cell| cell["verdict"] == "within noise");
        alarms += usize::from(!noise);
        p.extend(cells.iter().filter_map(|cell| cell["difference"]["p"].as_f64()));
        assert!(value["warnings"].to_string().contains("once more"));
    }
    // One table in twenty may raise an alarm.
    assert!(alarms <= 2, "{alarms} of 24");
    // The two really had other seeds, and the probabilities by chance are spread out. Some numbers
    // of a table are the same in all runs, so that about 0.37 are below a half; those of a table go
    // together, and the share of eight tables scatters by 0.06.
    let below = |limit: f64| p.iter().filter(|p| **p < limit).count() as f64 / p.len() as f64;
    assert!((0.3..0.7).contains(&below(0.5)), "{} of {} below a half", below(0.5), p.len());
    assert!(below(0.05) < 0.15, "{}", below(0.05));
}

#[test]
fn a_change_is_found_with_its_direction_and_its_size() {
    let value =
        compare(&["intel-710", "--give-up", "20%", "--method", "corner@op=write", "--seed", "3"]);
    assert_eq!(value["targets"][1]["name"], "intel-710-200gb@give_up=20 %");
    assert_eq!(value["targets"][1]["pairing"], "paired");
    assert_eq!(value["targets"][0]["seeds"], value["targets"][1]["seeds"]);
    for (metric, sign) in [("iops", 1.0), ("write_lat_mean", -1.0), ("write_amplification", -1.0)] {
        let cell = &row(&value, metric)["cells"][1];
        assert_eq!(cell["verdict"], "better", "{metric}: {cell}");
        let relative = cell["difference"]["relative"].as_f64().expect("a number");
        assert!((0.1..0.5).contains(&(relative * sign)), "{metric}: {relative}");
    }
    // The bench with twice as slow a bus reads in order at about half the rate.
    let value = compare(&[
        "x25-e",
        "x25-e@flash.bus=10 MT/s",
        "--method",
        "corner@op=read,pattern=seq",
        "--metric",
        "bandwidth",
    ]);
    let cell = &row(&value, "bandwidth")["cells"][1];
    assert_eq!((rows(&value).len(), &cell["verdict"]), (1, &Value::from("worse")), "{cell}");
}

#[test]
fn what_says_nothing_is_refused_before_anything_runs() {
    let folder = tempfile::tempdir().expect("made");
    let refused = |words: &[&str], said: &str| {
        let output = drivelab(folder.path(), &[&["compare"], words].concat());
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {error}");
        assert!(error.contains(said), "{words:?}: {error}");
        assert!(error.contains("help: ") || error.contains("; give up "), "{words:?}: {error}");
    };
    refused(&["x25-e"], "nothing to be compared with");
    refused(&["x25-e", "x25-e", "--repeats", "1"], "nothing about chance");
    refused(&["x25-e", "x25-e", "--metric", "iopz"], "unknown metric `iopz`");
    refused(&["x25-e", "x25-e", "--metric", "seq_read"], "no method here measures");
    refused(&["x25-e", "x25-e", "--method", "cornet"], "unknown method");
    refused(&["x25-e", "p5430", "--baseline", "intel-710"], "none of the targets");
    refused(&["x25-e", "x25-f"], "x25-e");
    refused(&["x25-e", "x25-e@give_up=all"], "give_up");
    refused(&["x25-e", "--set", "flash.diez=3"], "flash.diez");
    refused(&["./a", "./b", "--give-up", "10%"], "vary models");
    refused(&["x25-e", "--give-up", "100%"], "given up");
}

#[test]
fn the_baseline_can_be_chosen_and_the_table_reads_both_ways() {
    let folder = tempfile::tempdir().expect("made");
    let words = ["compare", "x25-e", "vertex-3", "--baseline", "vertex-3"];
    let words = [&words[..], &MIX, &["--metric", "iops"], &SMALL[..7]].concat();
    let output = drivelab(folder.path(), &words);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("Differences are to vertex-3-240gb"), "{text}");
    assert!(text.contains("x25-e-64gb against vertex-3-240gb: worse wherever"), "{text}");
    assert!(text.contains("  worse in 1: rand 70 % read, QD 4 (iops)"), "{text}");
}

#[test]
fn a_comparison_resumes_and_its_record_is_whole() {
    let folder = tempfile::tempdir().expect("made");
    let path: &Path = folder.path();
    // So many that the first of them are seen while the last are still to be made, also where the
    // machine has other work.
    let many = ["--repeats", "16", "--record", "r.json"];
    let options = [&MIX[..], &SMALL[..4], &many].concat();
    // A target that cannot be opened is found before anything is measured.
    let no = drivelab(path, &[&["compare", "x25-e", "./no/such/file"], &options[..]].concat());
    assert!(no.status.code() == Some(2) && !path.join("r.json.partial").exists());
    let words = [&["compare", "x25-e", "x25-e@give_up=10%"], &options[..]].concat();
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_drivelab"))
        .current_dir(path)
        .args([&words[..], &["--threads", "1"]].concat())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("the program starts");
    let saved = || std::fs::read_to_string(path.join("r.json.partial")).unwrap_or_default();
    while saved().lines().count() < 2 && child.try_wait().expect("a child").is_none() {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    child.kill().expect("it was running");
    child.wait().expect("it has ended");
    let again = drivelab(path, &words);
    let error = String::from_utf8_lossy(&again.stderr);
    assert!(error.contains("measurements taken from r.json.partial"), "{error}");
    assert!(again.status.success() && !path.join("r.json.partial").exists());
    let read = |name: &str| {
        let text = std::fs::read_to_string(path.join(name)).expect("read");
        serde_json::from_str::<Value>(&text).expect("JSON")
    };
    let first = read("r.json");
    assert_eq!(first["result"]["kind"], "comparison");
    assert_eq!(first["result"]["targets"].as_array().map(Vec::len), Some(2));
    // Resumed or not, on one thread or on several: the same bytes.
    let fresh = drivelab(path, &[&words[..], &["--threads", "1", "--overwrite"]].concat());
    assert!(fresh.status.success());
    assert_eq!(read("r.json")["result"], first["result"]);
    assert_eq!(fresh.stdout, again.stdout);
}
