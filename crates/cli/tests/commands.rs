//! Commands as a user gives them: what they print, write, and leave alone.

use crate::common::drivelab;
use serde_json::Value;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a command that has to succeed prints.
fn printed(folder: &Path, arguments: &[&str]) -> String {
    let output = drivelab(folder, arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {error}");
    String::from_utf8(output.stdout).expect("text")
}

fn json(folder: &Path, arguments: &[&str]) -> Value {
    serde_json::from_str(&printed(folder, arguments)).expect("JSON and nothing else")
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("listed");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("read").file_name().into_string().expect("text"))
        .collect();
    names.sort();
    names
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

const SMALL: [&str; 7] = ["--on", "p5430", "--scale", "4Mi units", "--budget", "100ms", "--quiet"];

#[test]
fn every_example_job_runs() {
    let folder = tempfile::tempdir().expect("made");
    // Four workers that share the drive need a larger part of it each than `SMALL` leaves.
    let on = ["--on", "p5430", "--scale", "8Mi units", "--budget", "100ms", "--quiet"];
    let mut count = 0;
    for entry in std::fs::read_dir(examples()).expect("listed") {
        let path = entry.expect("read").path();
        // Scripts for crash tests are run by tests/crash.rs, notebooks by the tests of the package.
        if path.is_dir() || path.extension().is_some_and(|ending| ending == "ipynb") {
            continue;
        }
        // Models, methods and plans are there too.
        if path.ends_with("block-sizes.toml") {
            let method = path.to_str().expect("text");
            printed(folder.path(), &[&["test", method][..], &SMALL[..]].concat());
            continue;
        }
        if path.ends_with("cheapest.toml") {
            let plan = path.to_str().expect("text");
            assert!(printed(folder.path(), &["sweep", "plan", plan]).contains("points: "));
            continue;
        }
        if path.ends_with("fleet.toml") {
            let plan = path.to_str().expect("text");
            let little = ["--runs", "5", "--scale", "4Mi units", "--budget", "10ms", "--quiet"];
            assert!(
                printed(folder.path(), &[&["fleet", plan], &little[..]].concat()).contains("tlc")
            );
            continue;
        }
        if path.ends_with("prices.toml") {
            let prices = path.to_str().expect("text");
            let choose = ["choose", "--load", "corner@op=read", "--require", "iops > 1 kIOPS"];
            let among = ["--among", "p4510", "--cost", prices];
            printed(folder.path(), &[&choose[..], &among, &SMALL[2..]].concat());
            continue;
        }
        if path.ends_with("two-models.toml") {
            let plan = path.to_str().expect("text");
            printed(folder.path(), &["campaign", plan, "--dry-run"]);
            continue;
        }
        if path.extension().is_none_or(|ending| ending != "fio") {
            let job = examples().join("four-corners.fio");
            let on = path.to_str().expect("text");
            let small = ["--scale", "8Mi units", "--budget", "100ms", "--quiet"];
            let job = job.to_str().expect("text");
            printed(folder.path(), &[&["run", job, "--on", on][..], &small[..]].concat());
            continue;
        }
        let job = path.to_str().expect("text");
        // A namespace needs room for a hundred write buffers.
        let divided = ["--namespaces", "6", "--scale", "12Mi units"];
        let more = match job.ends_with("neighbours.fio") {
            true => [&divided[..], &["--on", "p5430", "--budget", "100ms", "--quiet"]].concat(),
            false => on.to_vec(),
        };
        let text = printed(folder.path(), &[&["run", job][..], &more[..]].concat());
        assert!(text.contains("IOPS="), "{job}:\n{text}");
        count += 1;
    }
    assert!(count >= 5, "{count} examples");
}

/// The same drive for each: a job of two devices runs as it would on a machine with both.
#[test]
fn jobs_that_name_two_drives_have_two() {
    let folder = tempfile::tempdir().expect("made");
    let job = "[global]\nrw=randread\ndirect=1\nruntime=1\ntime_based\n\
               ioengine=libaio\niodepth=128\n\
               [a]\nfilename=/dev/sda\n[b]\nfilename=/dev/sdb\n";
    std::fs::write(folder.path().join("two.fio"), job).expect("written");
    let text = job.replace("/dev/sdb", "/dev/sda");
    std::fs::write(folder.path().join("one.fio"), text).expect("written");
    let rate = |words: &[&str]| {
        let how = ["--on=p5430", "--scale=8Mi units", "--budget=50ms", "--output-format=json"];
        let run = drivelab(folder.path(), &[&["run"], words, &how[..]].concat());
        let report: serde_json::Value = serde_json::from_slice(&run.stdout).expect("JSON");
        let iops = |job: usize| report["jobs"][job]["read"]["iops"].as_f64().expect("a number");
        (iops(0) + iops(1), String::from_utf8_lossy(&run.stderr).into_owned())
    };
    let (two, told) = rate(&["two.fio"]);
    let (one, quiet) = rate(&["one.fio"]);
    assert!(told.contains("--drives 2") && !quiet.contains("--drives"), "{told}{quiet}");
    assert!(two > 1.5 * one, "{two} and {one} IOPS");
    assert_eq!(rate(&["two.fio", "--drives", "2"]).0, two);
}

#[test]
fn logs_go_where_they_are_wanted_and_nowhere_else() {
    let folder = tempfile::tempdir().expect("made");
    let job = "[a]\nfilename=/dev/x\ndirect=1\nrw=randread\nruntime=100ms\ntime_based\n\
               write_bw_log=mine\nwrite_lat_log=../../out\nlog_avg_msec=20\n";
    std::fs::write(folder.path().join("j.fio"), job).expect("written");
    std::fs::create_dir(folder.path().join("logs")).expect("made");
    printed(folder.path(), &[&["run", "j.fio", "--logs", "logs"][..], &SMALL[..]].concat());
    assert_eq!(names(folder.path()), ["j.fio", "logs"]);
    let logs = names(&folder.path().join("logs"));
    assert_eq!(logs, ["mine_bw.1.log", "out_clat.1.log", "out_lat.1.log", "out_slat.1.log"]);
    let text = std::fs::read_to_string(folder.path().join("logs/mine_bw.1.log")).expect("read");
    let rows: Vec<&str> = text.lines().collect();
    assert!(rows.len() >= 4 && rows.iter().all(|row| row.split(", ").count() == 5), "{text}");
    let wrong = drivelab(folder.path(), &["run", "j.fio", "--on", "p5430", "--logs", "none"]);
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn hooks_of_a_job_never_run_on_a_model() {
    let folder = tempfile::tempdir().expect("made");
    let job = "[a]\nfilename=/dev/x\ndirect=1\nrw=randread\nruntime=50ms\ntime_based\n\
               exec_prerun=touch before\nexec_postrun=touch after\n";
    std::fs::write(folder.path().join("j.fio"), job).expect("written");
    let arguments = ["run", "j.fio", "--on", "p5430", "--scale", "4Mi units", "--budget", "50ms"];
    let output = drivelab(folder.path(), &arguments);
    assert!(output.status.success());
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("j.fio:7:13: warning: `exec_prerun`"), "{error}");
    assert_eq!(names(folder.path()), ["j.fio"]);
}

#[test]
fn a_job_may_come_from_standard_input_with_its_variables() {
    let folder = tempfile::tempdir().expect("made");
    let mut child = Command::new(env!("CARGO_BIN_EXE_drivelab"))
        .current_dir(folder.path())
        .args([&["run", "-", "--output-format", "json", "--record", "r.json"][..], &SMALL].concat())
        .env("HOW", "randread")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    let job = "[a]\nfilename=/dev/x\ndirect=1\nrw=${HOW}\nruntime=50ms\ntime_based\n";
    child.stdin.take().expect("piped").write_all(job.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("ended");
    let value: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(value["jobs"][0]["read"]["total_ios"].as_u64() > Some(0));
    let record = std::fs::read_to_string(folder.path().join("r.json")).expect("read");
    let record: Value = serde_json::from_str(&record).expect("JSON");
    let text = record["result"]["job_text"].as_str().expect("text");
    assert!(text.contains("rw=randread"), "a Record runs again without the environment: {text}");
}

#[test]
fn several_formats_stand_as_fio_prints_them() {
    let folder = tempfile::tempdir().expect("made");
    let job = examples().join("rate-limited.fio");
    let job = job.to_str().expect("text");
    let both = ["run", job, "--output-format", "normal,json", "--output", "both.txt"];
    assert_eq!(printed(folder.path(), &[&both[..], &SMALL[..]].concat()), "");
    let text = std::fs::read_to_string(folder.path().join("both.txt")).expect("read");
    let (json, normal) = (text.find("\"fio version\""), text.find("Run status group"));
    assert!(text.starts_with("readers: (g=0)") && json < normal && json.is_some(), "{text}");
    assert_eq!(names(folder.path()), ["both.txt"]);
}

#[test]
fn a_model_that_is_shown_can_be_changed_and_run() {
    let folder = tempfile::tempdir().expect("made");
    let model = printed(folder.path(), &["show", "p4510"]);
    std::fs::write(folder.path().join("mine.toml"), model).expect("written");
    let job = examples().join("mixed-qos.fio");
    let arguments = ["run", job.to_str().expect("text"), "--on", "mine.toml", "--set"];
    let rest = ["body.capacity=1 TB", "--scale", "4Mi units", "--budget", "100ms", "--quiet"];
    assert!(printed(folder.path(), &[&arguments[..], &rest[..]].concat()).contains("IOPS="));
}

#[test]
fn a_reproduction_is_the_same_however_it_is_made() {
    let folder = tempfile::tempdir().expect("made");
    let mine = r#"
        [[ref]]
        id = "mine.read"
        device = "P5430"
        test = "4K random read"
        metric = "iops"
        value = 964
        unit = "kIOPS"
        [[ref]]
        id = "mine.dies"
        device = "P5430"
        method = "facts"
        metric = "dies"
        value = 96
        unit = "die"
        [[claim]]
        id = "mine.order"
        claim = "it reads faster than it writes"
        [[claim.checks]]
        left = { device = "P5430", test = "4K random read", metric = "iops" }
        op = ">"
        right = { test = "4K random write", params = { qd = 64 } }
    "#;
    std::fs::write(folder.path().join("mine.toml"), mine).expect("written");
    let base = ["reproduce", "--reviews", "mine.toml", "--budget", "50ms", "--scale", "4Mi units"];
    let with = |more: &[&str]| json(folder.path(), &[&base[..], &["--json"], more].concat());
    let result = with(&["--record", "r.json", "--threads", "1"]);
    assert_eq!(result["figures"].as_array().map(Vec::len), Some(2));
    assert_eq!(result["claims"][0]["held"], true);
    let ratio = result["figures"][0]["ratio"].as_f64().expect("a ratio");
    assert!((0.8..1.2).contains(&ratio), "{ratio}");
    for basis in ["fitted", "predicted", "input", "not_modelled"] {
        assert!(result["summary"][basis]["count"].is_u64(), "{basis}");
    }
    assert_eq!(with(&["--threads", "2", "--json-file", "f.json"]), result);
    assert_eq!(names(folder.path()), ["f.json", "mine.toml", "r.json"], "no .partial is left");
    let read = |name: &str| -> Value {
        let text = std::fs::read_to_string(folder.path().join(name)).expect("read");
        serde_json::from_str(&text).expect("JSON")
    };
    assert_eq!(read("f.json"), result);
    let mut kept = read("r.json")["result"]["data"].clone();
    // The Record has what every run gave beside what is answered.
    let runs = kept.as_object_mut().and_then(|data| data.shift_remove("runs")).expect("runs");
    assert_eq!(runs.as_array().map(Vec::len), Some(2));
    assert!(runs[0]["metrics"]["iops"]["value"].is_f64(), "{runs}");
    assert_eq!(kept, result);
    let table = printed(folder.path(), &base);
    assert!(table.contains("mine.read") && table.contains("Summary"), "{table}");
}

#[test]
fn a_method_on_two_drives_side_by_side() {
    let folder = tempfile::tempdir().expect("made");
    let on = ["test", "corner", "--on", "p5430", "--on", "p4510", "--param", "op=read"];
    let how = ["--param", "qd=4", "--budget", "20ms", "--scale", "8Mi units", "--quiet"];
    let arguments = [&on[..], &how[..]].concat();
    let table = printed(folder.path(), &arguments);
    let first = table.lines().next().expect("titles");
    assert!(first.contains("d5-p5430-15.36tb") && first.contains("p4510-8tb"), "{table}");
    let value = json(folder.path(), &[&arguments[..], &["--json"]].concat());
    assert_eq!(value["targets"].as_array().map(Vec::len), Some(2));
    assert_eq!(value["targets"][0]["metrics"]["iops"]["unit"], "1/s");
    assert_eq!(value["params"]["qd"], "4");
}

#[test]
fn a_corpus_runs_or_refuses_every_file() {
    let folder = tempfile::tempdir().expect("made");
    let put = |name: &str, text: &[u8]| {
        std::fs::write(folder.path().join(name), text).expect("written");
    };
    std::fs::create_dir(folder.path().join("inner")).expect("made");
    put("a.fio", b"[a]\nrw=randread\nsize=16m\n");
    put("inner/template.fio", b"[a]\nrw=randread\nbs=${BS}k\nsize=${SIZE}\n");
    put("inner/engine.fio", b"[a]\nioengine=rados\nrw=read\n");
    put("inner/binary.fio", b"\0\x01\x02");
    put("notes.txt", b"no job");
    let text = printed(folder.path(), &["corpus", ".", "SIZE=8m", "--budget", "5ms"]);
    assert!(text.contains("4 files: 2 ran, 2 refused, 0 broken"), "{text}");
    assert!(text.contains("refused  ./inner/engine.fio:2:10: engine `rados`"), "{text}");
    assert!(text.contains("[assumed BS=4]"), "{text}");
    assert_eq!(drivelab(folder.path(), &["corpus", "none"]).status.code(), Some(2));
}

/// A budget that is asked for is how many I/Os are measured, however few they are.
#[test]
fn a_test_measures_as_many_ios_as_its_budget_has() {
    let folder = tempfile::tempdir().unwrap();
    for (budget, ios) in [("5ms", 4_000), ("20ms", 16_000)] {
        let words = "test corner --on p4510 --param op=read --param qd=64 --json --quiet --budget";
        let words: Vec<&str> = words.split(' ').chain([budget, "--scale", "4Mi units"]).collect();
        let answer: Value = serde_json::from_str(&printed(folder.path(), &words)).unwrap();
        let iops = &answer["targets"][0]["metrics"]["iops"];
        let (samples, rate) = (iops["samples"].as_u64().unwrap(), iops["value"].as_f64().unwrap());
        // Measured times are whole milliseconds.
        let most = ios as f64 + rate / 1000.0;
        assert!(samples >= ios && samples as f64 <= most, "{budget}: {samples} of {most}");
    }
}

#[test]
fn completions_are_printed() {
    let folder = tempfile::tempdir().expect("made");
    assert!(printed(folder.path(), &["completions", "bash"]).contains("drivelab"));
}

/// Progress that nobody can read is no reason to lose a result.
#[test]
fn a_full_standard_error_ends_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let words = "test corner --on p4510 --param op=write --interval 8 --budget 1ms --record r.json";
    let status = Command::new(env!("CARGO_BIN_EXE_drivelab"))
        .args(words.split(' '))
        .args(["--scale", "4Mi units"])
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .stderr(full)
        .status()
        .unwrap();
    assert!(status.success(), "{status}");
    assert!(folder.path().join("r.json").exists());
}
