//! `--interval` and `calibrate` as their user sees them.

use crate::common::{drivelab, made};
use serde_json::Value;
use std::path::Path;

const WORK: [&str; 5] = ["--budget", "10ms", "--scale", "4Mi units", "--quiet"];

fn json(folder: &Path, arguments: &[&str]) -> Value {
    serde_json::from_str(&made(folder, &[arguments, &WORK].concat())).expect("JSON")
}

fn refused(folder: &Path, arguments: &[&str], part: &str) {
    let output = drivelab(folder, arguments);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
    assert!(error.contains(part), "{arguments:?}: {error}");
}

#[test]
fn a_test_says_where_the_real_drive_lies_and_says_it_again() {
    let folder = tempfile::tempdir().expect("made");
    let test = ["test", "corner", "--on", "pm9a3-7.68tb", "--param", "op=read", "--param", "qd=1"];
    let with = |more: &[&str]| json(folder.path(), &[&test, more, &["--json"]].concat());
    let (plain, drawn) = (with(&[]), with(&["--interval", "8"]));
    let mean = |answer: &Value| answer["targets"][0]["metrics"]["read_lat_mean"].clone();
    assert!(mean(&plain).get("interval90").is_none(), "only if it is asked for");
    assert_eq!(mean(&plain)["value"], mean(&drawn)["value"], "the answer is the same");
    let interval = &mean(&drawn)["interval90"];
    let number = |key: &str| interval[key].as_f64().expect("a number");
    let value = mean(&drawn)["value"].as_f64().expect("a number");
    assert!(number("low") < value && value < number("high"), "{interval}");
    let by_values = interval["by_values"][1].as_f64().expect("a number");
    assert!(value < by_values && by_values < number("high"), "{interval}");
    assert_eq!((interval["draws"].as_u64(), with(&["--interval", "8"])), (Some(8), drawn.clone()));
}

#[test]
fn a_value_that_is_set_is_known_and_narrows_the_interval() {
    let folder = tempfile::tempdir().expect("made");
    let half = |set: &[&str]| {
        let test = ["test", "corner", "--on", "p4510", "--param", "op=read", "--param", "qd=1"];
        let answer = json(folder.path(), &[&test, set, &["--interval", "8", "--json"]].concat());
        let interval = &answer["targets"][0]["metrics"]["read_lat_mean"]["interval90"];
        let end = |i: usize| interval["by_values"][i].as_f64().expect("a number");
        (end(1) - end(0)) / end(0)
    };
    let known = half(&["--set", "nand.sense=45 us, 60 us, 75 us"]);
    assert!(known < 0.8 * half(&[]), "{known} against {}", half(&[]));
}

#[test]
fn of_a_drive_and_its_variation_more_is_certain() {
    let folder = tempfile::tempdir().expect("made");
    let answer = json(
        folder.path(),
        &[
            "compare",
            "p4510",
            "p4510@give_up=20%",
            "cd6",
            "--method",
            "corner@op=write",
            "--metric",
            "iops",
            "--repeats",
            "2",
            "--interval",
            "8",
            "--json",
        ],
    );
    let width = |i: usize| {
        let ratio = &answer["rows"][0]["cells"][i]["ratio90"];
        ratio["high"].as_f64().expect("a number") / ratio["low"].as_f64().expect("a number")
    };
    assert!(width(1) < width(2), "{answer}");
    let certain = &answer["summary"][0]["certain"];
    assert_eq!(certain[0]["metric"], "iops", "spare area helps, whatever is not known: {answer}");
    assert!(answer["rows"][0]["cells"][0].get("ratio90").is_none(), "the baseline has none");
}

const REVIEW: &str = r#"
    [[ref]]
    id = "an.input"
    device = "Optane Memory 16GB"
    test = "4K random read"
    metric = "iops"
    value = 190000
    unit = "IOPS"
    [[ref]]
    id = "a.prediction"
    device = "Intel P4510 8TB"
    method = "corner"
    params = { op = "read", block = "4 KiB", qd = 3 }
    metric = "read_lat_mean"
    value = 84
    unit = "us"
"#;

#[test]
fn predictions_have_intervals_and_what_the_model_contains_has_none() {
    let folder = tempfile::tempdir().expect("made");
    std::fs::write(folder.path().join("mine.toml"), REVIEW).expect("written");
    let reproduce = ["reproduce", "--reviews", "mine.toml", "--interval", "8"];
    let more = ["--json-file", "mine.json", "--record", "r.json"];
    let table = made(folder.path(), &[&reproduce[..], &more, &WORK].concat());
    assert!(table.contains("90 % interval") && table.contains("intervals of 90 %: 1 of 1 hold"));
    let read = |name: &str| -> Value {
        let text = std::fs::read_to_string(folder.path().join(name)).expect("there");
        serde_json::from_str(&text).expect("JSON")
    };
    let figures = &read("mine.json")["figures"];
    assert!(figures[0].get("interval90").is_none() && figures[0]["basis"] == "input");
    assert_eq!(figures[1]["interval90"]["draws"], 8);
    // One number has no others that could judge it.
    let found = made(folder.path(), &["calibrate", "mine.json", "--json"]);
    let found: Value = serde_json::from_str(&found).expect("JSON");
    assert_eq!(found["figures"][0]["id"], "a.prediction");
    assert_eq!(found["classes"][0]["figures"], 1);
    refused(folder.path(), &["calibrate", "r.json"], "no result");
    std::fs::write(folder.path().join("none.json"), r#"{"figures":[],"claims":[],"summary":{}}"#)
        .expect("written");
    refused(folder.path(), &["calibrate", "none.json"], "is predicted and has an interval");
}

#[test]
fn what_carries_the_uncertainty_is_said_of_a_model() {
    let folder = tempfile::tempdir().expect("made");
    let show = ["show", "p4510-8tb", "--interval", "corner@op=read,qd=1", "--json"];
    let shown = made(folder.path(), &[&show[..], &["--metric", "read_lat_mean"]].concat());
    let shown: Value = serde_json::from_str(&shown).expect("JSON");
    let first = &shown[0]["carries"][0];
    assert_eq!(first["value"], "nand.sense", "most of a read is the sense: {first}");
    let shares = shown[0]["carries"].as_array().expect("a list").iter();
    let all: f64 = shares.map(|one| one["share"].as_f64().expect("a number")).sum();
    assert!((all - 1.0).abs() < 1e-9, "{all}");
}

#[test]
fn what_has_no_interval_is_refused() {
    let folder = tempfile::tempdir().expect("made");
    let refused = |arguments: &[&str], part: &str| refused(folder.path(), arguments, part);
    refused(&["test", "facts", "--on", "p4510", "--interval"], "runs nothing");
    refused(&["test", "corner", "--on", "p4510", "--interval", "3"], "8 to 1024 models");
    let real = ["test", "corner", "--on", "./f.img", "--size", "1MiB", "--param", "op=read"];
    refused(&[&real[..], &["--interval"]].concat(), "--interval");
    refused(&["show", "p4510", "--interval", "corner@zzz=1"], "zzz");
    refused(&["show", "p4510", "--interval", "corner@op=read", "--metric", "watts"], "no `watts`");
    refused(&["show", "corner", "--interval", "corner"], "corner");
    refused(&["calibrate", "none.json"], "none.json");
}
