//! `drivelab report` as a user runs it: what is made, what is told, and how it ends.

use crate::common::drivelab;
use serde_json::Value;
use std::path::Path;

/// A folder with results of the installed fio.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/report");
    for entry in std::fs::read_dir(data).unwrap().map(Result::unwrap) {
        std::fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
    }
    folder
}

/// Exit code, standard output, standard error.
fn said(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = drivelab(folder, arguments);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn rows(text: &str) -> Vec<Value> {
    serde_json::from_str(text).unwrap()
}

#[test]
fn results_of_fio_become_values_with_their_units() {
    let folder = folder();
    let arguments = ["report", "plain.json", "logs.json", "--format", "json"];
    let (code, text, told) = said(folder.path(), &arguments);
    assert_eq!((code, told.as_str()), (Some(0), ""));
    let rows = rows(&text);
    let plain: Value =
        serde_json::from_str(&std::fs::read_to_string(folder.path().join("plain.json")).unwrap())
            .unwrap();
    let read = &plain["jobs"][0]["read"];
    let of = |metric: &str| {
        let is = |row: &&Value| row["metric"] == metric && row["source"] == "plain.json";
        rows.iter().find(is).unwrap_or_else(|| panic!("no {metric}"))
    };
    assert_eq!(of("read_iops")["value"], read["iops"]);
    assert_eq!(of("read_bandwidth")["value"].as_f64(), read["bw_bytes"].as_f64());
    let ns = read["clat_ns"]["percentile"]["99.000000"].as_f64().unwrap();
    assert_eq!(of("read_lat_p99")["value"].as_f64(), Some(ns / 1e9));
    assert_eq!(of("read_lat_p99")["unit"], "s");
    assert_eq!(of("read_lat_p99")["version"], "fio-3.33");
    assert_eq!(of("read_lat_p99")["warnings"], Value::Null);
    let few = of("read_lat_p99.99")["warnings"].as_str().unwrap();
    assert!(few.contains("p99.99 rests on 2000 samples"), "{few}");
    assert!(rows.iter().all(|row| row["time_s"].is_null()), "series only when asked for");
    let (_, text, _) = said(folder.path(), &[&arguments[..], &["--series"]].concat());
    let logged = text.matches("\"time_s\":0.").count();
    assert!(logged > 5, "{logged}");
}

#[test]
fn each_ending_is_a_form() {
    let folder = folder();
    for name in ["r.csv", "r.json", "r.parquet", "r.md", "r.html"] {
        let (code, out, told) = said(folder.path(), &["report", "plain.json", "-o", name]);
        assert_eq!((code, out.as_str(), told.as_str()), (Some(0), "", ""), "{name}");
        let bytes = std::fs::read(folder.path().join(name)).unwrap();
        let start: &[u8] = match name {
            "r.csv" => b"source,hash,version,",
            "r.json" => b"[\n{\"source\":\"plain.json\"",
            "r.parquet" => b"PAR1",
            "r.md" => b"#",
            _ => b"<!DOCTYPE html>",
        };
        assert!(bytes.starts_with(start), "{name}: {:?}", &bytes[..30]);
    }
}

#[test]
fn what_cannot_be_used_is_told_and_the_rest_is_made() {
    let folder = folder();
    let put = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    let plain = std::fs::read_to_string(folder.path().join("plain.json")).unwrap();
    put("cut.json", &plain.as_bytes()[..900]);
    put("none.json", b"");
    put("old.json", br#"{"schema":"drivelab/record/0","result":{},"hash":"","cost":{}}"#);
    put("binary.json", b"\x7fELF\0\x01");
    let arguments = [
        "report",
        "cut.json",
        "none.json",
        "old.json",
        "binary.json",
        ".",
        "missing.json",
        "plain.json",
        "plain.json",
        "--format",
        "csv",
    ];
    let (code, text, told) = said(folder.path(), &arguments);
    assert_eq!(code, Some(0));
    assert!(text.lines().count() > 10, "the rest is there");
    let wanted = [
        "warning: cut.json: the JSON is cut off at line",
        "warning: none.json: it is empty",
        "warning: old.json: its schema is `drivelab/record/0`; this version of drivelab reads",
        "warning: binary.json: this is no text",
        "warning: .: it is a directory",
        "warning: missing.json: it cannot be read: No such file",
        "warning: plain.json: named twice",
    ];
    assert_eq!(told.lines().count(), wanted.len(), "{told}");
    for (line, wanted) in told.lines().zip(wanted) {
        assert!(line.starts_with(wanted), "`{line}` is not `{wanted}`");
    }
    let quiet = said(folder.path(), &[&arguments[..], &["--quiet"]].concat());
    assert_eq!((quiet.0, quiet.1, quiet.2.as_str()), (Some(0), text, ""));
    let (_, page, _) = said(folder.path(), &["report", "old.json", "plain.json"]);
    assert!(page.contains("drivelab/record/0"), "the page says it too");
}

#[test]
fn nothing_usable_is_an_error_and_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("none.json"), "").unwrap();
    let refused = |arguments: &[&str], parts: &[&str]| {
        let (code, out, told) = said(folder.path(), arguments);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{arguments:?}: {told}");
        for part in parts {
            assert!(told.contains(part), "{arguments:?} does not say `{part}`: {told}");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "{arguments:?}");
    };
    refused(
        &["report", "none.json", "-o", "r.html"],
        &["it is empty", "nothing of what was named"],
    );
    refused(&["report", "none.json", "-o", "r.doc"], &["its ending", ".parquet"]);
    refused(&["report", "none.json", "-o", "no/r.csv"], &["there is no directory no"]);
    refused(&["report", "none.json", "-o", "./none.json"], &["would replace what it reads"]);
    refused(&["report"], &["<RECORD>"]);
}

#[test]
fn a_record_of_a_run_keeps_its_hash_scale_and_seed() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("a.fio"),
        "[a]\nrw=randread\nbs=4k\nnumber_ios=500\nsize=1g\n",
    )
    .unwrap();
    let run = [
        "run",
        "a.fio",
        "--on",
        "d5-p5430",
        "--scale",
        "1/256",
        "--budget",
        "50ms",
        "--seed",
        "3",
        "--record",
        "a.record.json",
        "--quiet",
    ];
    assert_eq!(said(folder.path(), &run).0, Some(0));
    let (code, text, _) = said(folder.path(), &["report", "a.record.json", "--format", "json"]);
    assert_eq!(code, Some(0));
    let record: Value = serde_json::from_str(
        &std::fs::read_to_string(folder.path().join("a.record.json")).unwrap(),
    )
    .unwrap();
    let all = rows(&text);
    for row in &all {
        assert_eq!((&row["hash"], &row["seed"]), (&record["hash"], &Value::from(3)));
        assert_eq!(row["scale"], record["result"]["targets"][0]["scale"]);
        assert_eq!(row["state"], "filled");
        assert!(row["run_warnings"].as_str().unwrap().contains("capacity"), "{row}");
    }
    let edited = record.to_string().replacen("\"iops\":", "\"iops\":1", 1);
    std::fs::write(folder.path().join("edited.json"), edited).unwrap();
    let (code, text, told) = said(folder.path(), &["report", "edited.json", "--format", "json"]);
    assert_eq!(code, Some(0));
    assert!(told.contains("do not rely on these numbers"), "{told}");
    for row in rows(&text) {
        assert!(row["hash"].is_null());
        assert!(row["run_warnings"].as_str().unwrap().contains("do not rely"));
    }
}

/// What `sweep --json` prints is a page and a table of values.
#[test]
fn a_sweep_becomes_a_page_and_values() {
    let folder = tempfile::tempdir().unwrap();
    let words = "sweep --load mixed --vary drive=x25-e --vary qd=1,4 --vary read=50%,90% \
                 --minimise read_lat_mean --maximise iops -o s --json --budget 2ms --quiet";
    let more = ["--scale", "1Mi units", "--require", "iops > 1 kIOPS"];
    let words: Vec<&str> = words.split_whitespace().chain(more).collect();
    let (code, text, _) = said(folder.path(), &words);
    assert_eq!(code, Some(0));
    std::fs::write(folder.path().join("s.json"), text).unwrap();
    let (code, text, told) = said(folder.path(), &["report", "s.json", "--format", "json"]);
    assert_eq!((code, told.as_str()), (Some(0), ""));
    let rows = rows(&text);
    let of = |row: &&Value| row["kind"] == "sweep" && row["metric"] == "iops";
    assert!(rows.iter().filter(of).any(|row| row["unit"] == "1/s" && row["verdict"] == "met"));
    let (code, text, _) = said(folder.path(), &["report", "s.json", "--format", "markdown"]);
    assert_eq!(code, Some(0));
    for part in ["# Sweep: mixed", "What binds", "What each factor does by itself"] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
}
