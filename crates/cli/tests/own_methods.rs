//! Methods and jobs of the user's own, and models changed on the command line, mean the same in
//! every command.

use crate::common::{drivelab, fio, made};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A small drive, and little work on it.
const LITTLE: [&str; 6] = ["--scale", "1Mi units", "--budget", "10ms", "--quiet", "--json"];

/// Reads at a rate that every drive can give, in two entries.
const JOBS: &str = "\
[global]
filename=/dev/target
ioengine=libaio
direct=1
time_based=1
runtime=200ms

[fast]
rw=randread
bs=4k
iodepth=4
rate_iops=2000

[slow]
rw=randread
bs=16k
rate_iops=500
";

const METHOD: &str = r#"
name = "my-reads"
title = "Reads of one size"
description = "One I/O in flight."
provenance = "exact: written for this test"

[metrics]
all = "load"

[[step]]
do = "prepare"
state = "${state}"

[[step]]
do = "job"
as = "load"
with = { op = "read", pattern = "rand", qd = "1" }

[params.block]
about = "size of the reads"
default = "4 KiB"

[params.state]
about = "drive before the run"
default = "filled"
"#;

fn json(folder: &Path, words: &[&str]) -> Value {
    let text = made(folder, &[words, &LITTLE[..]].concat());
    serde_json::from_str(&text).expect("JSON and nothing else")
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("made");
    fs::write(folder.path().join("mine.toml"), METHOD).expect("written");
    fs::write(folder.path().join("mine.fio"), JOBS).expect("written");
    folder
}

fn metric(value: &Value, target: usize, name: &str) -> f64 {
    value["targets"][target]["metrics"][name]["value"].as_f64().expect(name)
}

/// A method in a file gives what the same steps give in one that comes with the program.
/// JEDEC's client trace is a method that rates the drive, with as many commands outstanding as its
/// depth says: it has no times.
#[test]
fn the_client_trace_of_jedec_rates_a_drive() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |n: u64| format!("Write {} 64\n", 64 * (n * 7919 % 30_000));
    let text: String = (0..20_000).map(write).collect::<String>() + "Trims 2048 16\nFlush\n";
    std::fs::write(folder.path().join("Client.txt"), text).expect("written");
    let words = ["test", "./Client.txt", "--on", "sn850", "--scale", "4Mi units", "--json"];
    let output = drivelab(folder.path(), &words);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).expect(&said);
    let metrics = &answer["targets"][0]["metrics"];
    for name in ["write_bandwidth", "write_amplification", "tbw", "time_to_rated"] {
        assert!(metrics[name]["value"].as_f64() > Some(0.0), "{name}: {metrics:#}");
    }
    assert_eq!(metrics["failure_drives"]["value"], 31.0);
    assert_eq!(answer["params"]["qd"], "32");
    assert_eq!(answer["targets"][0]["points"], serde_json::json!([]), "units are of another load");
    let named = drivelab(folder.path(), &["test", "jesd219-client", "--on", "sn850"]);
    assert_eq!(named.status.code(), Some(2));
    let said = String::from_utf8_lossy(&named.stderr).into_owned();
    assert!(said.contains("Client_128_GB_Master_Trace.txt"), "{said}");
}

#[test]
fn a_method_of_ones_own_is_measured_as_one_of_the_program() {
    let folder = folder();
    let own = json(folder.path(), &["test", "./mine.toml", "--on", "x25-e"]);
    let line = ["test", "corner", "--on", "x25-e", "--param", "op=read", "--param", "qd=1"];
    let shipped = json(folder.path(), &line);
    assert_eq!(own["method"], "my-reads");
    assert_eq!(own["targets"][0]["metrics"], shipped["targets"][0]["metrics"]);
}

/// The file is read once and kept: a Record is made again without it, to the letter.
#[test]
fn a_record_of_a_method_of_ones_own_is_made_again_without_its_file() {
    let folder = folder();
    for (method, record) in [("./mine.toml", "a.json"), ("./mine.fio", "b.json")] {
        json(folder.path(), &["test", method, "--on", "x25-e", "--record", record]);
        fs::remove_file(folder.path().join(method)).expect("there");
        made(folder.path(), &["rerun", record, "--verify"]);
    }
}

#[test]
fn all_mistakes_of_a_method_are_found_before_anything_runs() {
    let folder = folder();
    let wrong = METHOD.replace("${state}", "${stat}").replace("do = \"job\"", "do = \"jbo\"");
    fs::write(folder.path().join("wrong.toml"), wrong).expect("written");
    for words in [
        &["test", "./wrong.toml", "--on", "x25-e"][..],
        &["compare", "x25-e", "p300", "--method", "./wrong.toml"],
        &["show", "./wrong.toml"],
        &["check", "./wrong.toml"],
    ] {
        let output = drivelab(folder.path(), words);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{words:?}: {said}");
        assert!(said.contains("./wrong.toml:12:9") && said.contains("`stat`"), "{said}");
        assert!(said.contains("./wrong.toml:15:6") && said.contains("`job`"), "{said}");
    }
}

/// What is changed behind an `@` is changed as by the options, in `run` and in `test`.
#[test]
fn a_variation_means_the_same_as_options() {
    let folder = folder();
    let write = ["test", "corner", "--param", "op=write", "--param", "qd=8", "--on"];
    let behind = json(folder.path(), &[&write[..], &["x25-e@give_up=20%"]].concat());
    let option = json(folder.path(), &[&write[..], &["x25-e", "--give-up", "20%"]].concat());
    let param = json(folder.path(), &[&write[..], &["x25-e", "--param", "give_up=20%"]].concat());
    assert_eq!(behind["targets"], option["targets"]);
    assert_eq!(behind["targets"][0]["target"], "x25-e-64gb@give_up=20 %");
    assert_eq!(behind["targets"][0]["metrics"], param["targets"][0]["metrics"]);
    let set = ["x25-e@buffer.size=8 MiB", "--state", "filled"];
    let set = json(folder.path(), &[&write[..], &set].concat());
    let options = ["x25-e", "--set", "buffer.size=8 MiB", "--param", "state=filled"];
    let options = json(folder.path(), &[&write[..], &options].concat());
    assert_eq!(set["targets"], options["targets"]);
    let run = |on: &[&str]| {
        let words = [&["run", "mine.fio", "--scale", "1Mi units", "--quiet", "--on"], on].concat();
        made(folder.path(), &words)
    };
    assert_eq!(run(&["x25-e@flash.bus=80 MT/s"]), run(&["x25-e", "--set", "flash.bus=80 MT/s"]));
    assert_ne!(run(&["x25-e@flash.bus=80 MT/s"]), run(&["x25-e"]));
}

/// A job file is a method: `test` gives the numbers of `run`, and drives are compared under one
/// load, entry by entry.
#[test]
fn a_job_file_is_a_method() {
    let folder = folder();
    let run: Value = serde_json::from_str(&made(
        folder.path(),
        &["run", "mine.fio", "--on", "x25-e", "--scale", "1Mi units", "--quiet", "--json"],
    ))
    .expect("JSON");
    let test = json(folder.path(), &["test", "./mine.fio", "--on", "x25-e"]);
    for (at, entry) in ["fast", "slow"].into_iter().enumerate() {
        let ios = run["jobs"][at]["read"]["total_ios"].as_u64().expect("a number") as f64;
        assert_eq!(run["jobs"][at]["jobname"], entry);
        assert!((metric(&test, 0, &format!("{entry}.iops")) - ios / 0.2).abs() < 1.0, "{entry}");
        let mean = run["jobs"][at]["read"]["clat_ns"]["mean"].as_f64().expect("a number");
        let seen = metric(&test, 0, &format!("{entry}.read_lat_mean"));
        assert!((seen * 1e9 - mean).abs() < 1.0, "{entry}: {seen} s, {mean} ns");
    }
    let words = ["compare", "x25-e", "p300", "--method", "./mine.fio", "--metric", "iops"];
    let compared = json(folder.path(), &[&words[..], &["--repeats", "2"]].concat());
    let loads: Vec<&Value> =
        compared["rows"].as_array().expect("rows").iter().map(|row| &row["load"]).collect();
    assert_eq!(loads, ["mine: fast", "mine: slow"]);
}

/// 200 reads of 64 MiB, one every 2 ms.
fn trace() -> String {
    let mut trace = "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n".to_owned();
    for i in 0..200_u64 {
        let at = 128_166_372_000_000_000 + i * 20_000;
        trace.push_str(&format!("{at},usr,0,Read,{},4096,100\n", (i * 7919 % 1000) << 16));
    }
    trace
}

/// So is a block trace: its requests are issued at their recorded times on every target.
#[test]
fn a_block_trace_is_a_method() {
    let folder = folder();
    fs::write(folder.path().join("web.csv"), trace()).expect("written");
    let test = json(folder.path(), &["test", "./web.csv", "--on", "x25-e"]);
    assert_eq!(test["method"], "web");
    assert_eq!(test["params"]["qd"], "65536");
    // The file of a model that is varied is no real target.
    let model = made(folder.path(), &["show", "x25-e", "--toml"]);
    fs::write(folder.path().join("own.toml"), model).expect("written");
    let varied = ["test", "./web.csv", "--on", "./own.toml@give_up=10%"];
    assert_eq!(json(folder.path(), &varied)["params"]["qd"], "65536");
    let run = ["run", "./web.csv", "--on", "./own.toml@give_up=10%", "--record", "r.json"];
    made(folder.path(), &[&run[..], &["--scale", "4Mi units", "--quiet"]].concat());
    let record = fs::read_to_string(folder.path().join("r.json")).expect("a Record");
    assert!(record.contains("iodepth=65536"), "as many as on any model");
    // 200 requests, one every 2 ms.
    let rate = metric(&test, 0, "iops");
    assert!((rate / 500.0 - 1.0).abs() < 0.02, "{rate}");
    let words = ["compare", "x25-e", "p300", "--method", "./web.csv", "--metric", "read_lat_mean"];
    let compared = json(folder.path(), &[&words[..], &["--repeats", "2"]].concat());
    assert_eq!(compared["rows"][0]["load"], "web");
    assert_eq!(compared["summary"][0]["better"][0]["metric"], "read_lat_mean", "{compared}");
    // What a job file cannot name is refused.
    fs::copy(folder.path().join("web.csv"), folder.path().join("we#b.csv")).expect("copied");
    let odd = drivelab(folder.path(), &["test", "./we#b.csv", "--on", "x25-e"]);
    assert_eq!(odd.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&odd.stderr).contains("rename it"), "{odd:?}");
}

/// On something real it becomes fio's own form, laid out on the target. fio takes one request
/// after the other there, and a model beside it gets the same.
#[test]
fn a_block_trace_is_replayed_on_a_real_file() {
    if fio().is_none() {
        return;
    }
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("web.csv"), trace()).expect("written");
    let on = ["test", "./web.csv", "--on", "./scratch", "--size", "64MiB", "--quiet"];
    let empty = drivelab(path, &on);
    let said = String::from_utf8_lossy(&empty.stderr);
    assert!(empty.status.code() == Some(2) && said.contains("--state filled"), "{said}");
    assert!(!path.join("scratch").exists(), "nothing is written");
    let small = ["test", "./web.csv", "--on", "./scratch", "--size", "4KiB", "--state", "filled"];
    let small = drivelab(path, &small);
    let said = String::from_utf8_lossy(&small.stderr);
    assert!(small.status.code() == Some(2) && said.contains("choose a larger target"), "{said}");
    let test: Value =
        serde_json::from_str(&made(path, &[&on[..], &["--state", "filled", "--json"]].concat()))
            .expect("JSON");
    assert_eq!(test["targets"][0]["origin"], "measured");
    assert_eq!(test["params"]["qd"], "1");
    let reads = &test["targets"][0]["metrics"]["read_lat_mean"]["samples"];
    assert_eq!(*reads, 200, "each request once");
    let words = ["compare", "x25-e", "./scratch", "--method", "./web.csv", "--repeats", "2"];
    let compared = json(path, &[&words[..], &["--metric", "read_lat_mean"]].concat());
    assert_eq!(compared["rows"][0]["params"]["qd"], "1", "{compared}");
    // A job file that names it is no different.
    fs::write(path.join("t.fio"), "[t]\nread_iolog=web.csv\nioengine=psync\n").expect("written");
    let run = made(path, &["run", "t.fio", "--on", "./scratch", "--json", "--quiet"]);
    let run: Value = serde_json::from_str(&run).expect("JSON");
    assert_eq!(run["jobs"][0]["read"]["total_ios"], 200, "{run}");
}

/// A file is read once, so that nothing that happens to it meanwhile changes a test: a pipe can be
/// read once only.
#[test]
fn a_job_file_is_read_once() {
    let folder = folder();
    let line = format!(
        "mkfifo a.fio && (cat mine.fio > a.fio & timeout 60 {} test ./a.fio --on x25-e {})",
        env!("CARGO_BIN_EXE_drivelab"),
        LITTLE.map(|word| format!("'{word}'")).join(" "),
    );
    let made = Command::new("sh").args(["-c", &line]).current_dir(folder.path()).output();
    let made = made.expect("a shell");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let piped: Value = serde_json::from_slice(&made.stdout).expect("JSON");
    let test = json(folder.path(), &["test", "./mine.fio", "--on", "x25-e"]);
    assert_eq!(piped["targets"][0]["metrics"], test["targets"][0]["metrics"]);
}

/// The same two files on something real: nothing is prepared that the jobs do not ask for.
#[test]
fn a_job_file_runs_on_a_real_file() {
    if fio().is_none() {
        return;
    }
    let folder = folder();
    let words = ["test", "./mine.fio", "--on", "./scratch", "--size", "16MiB", "--quiet", "--json"];
    let test: Value = serde_json::from_str(&made(folder.path(), &words)).expect("JSON");
    assert_eq!(test["targets"][0]["origin"], "measured");
    let rate = metric(&test, 0, "fast.iops");
    assert!((1500.0..2500.0).contains(&rate), "asked for 2000 I/Os a second: {rate}");
}

#[test]
fn every_kind_of_file_is_checked() {
    let folder = folder();
    for (name, file) in
        [("pm9a3", "m.toml"), ("tlc-64l-fg", "n.toml"), ("fan", "c.toml"), ("sql", "w.toml")]
    {
        let text = made(folder.path(), &["show", name, "--toml"]);
        fs::write(folder.path().join(file), text).expect("written");
    }
    let review = made(folder.path(), &["show", "solidigm-d5-p5430", "--toml"]);
    fs::write(folder.path().join("r.toml"), review).expect("written");
    let files = ["mine.toml", "mine.fio", "m.toml", "n.toml", "c.toml", "w.toml", "r.toml"];
    let said = made(folder.path(), &[&["check"], &files[..]].concat());
    let kinds = [
        "a method",
        "2 jobs",
        "a model",
        "a flash die",
        "a way of cooling",
        "a workload profile",
        "a review",
    ];
    for ((file, kind), line) in files.iter().zip(kinds).zip(said.lines()) {
        assert!(line.starts_with(&format!("{file}: {kind}")), "{line}");
    }
    assert_eq!(said.lines().count(), files.len());
}
