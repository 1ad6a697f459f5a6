//! Results that are kept under names, and what has changed between two of them.

use crate::common::drivelab;
use serde_json::Value;
use std::path::Path;

/// A Record of a corner with a seed; `--set` makes another drive of it.
fn record(folder: &Path, name: &str, seed: &str, set: &[&str]) {
    let words = ["test", "corner", "--on", "p4510", "--param", "op=read", "--param", "qd=4"];
    let rest = ["--seed", seed, "--budget", "20ms", "--scale", "4Mi units", "--quiet", "--record"];
    let output = drivelab(folder, &[&words[..], &rest, &[name], set].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn shelf(folder: &Path, words: &[&str]) -> (Option<i32>, String) {
    let output = drivelab(folder, &[&["shelf"][..], words, &["--shelf", "s"]].concat());
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

fn row<'a>(comparison: &'a Value, metric: &str) -> &'a Value {
    let rows = comparison["rows"].as_array().unwrap();
    rows.iter().find(|row| row["metric"] == metric).unwrap_or_else(|| panic!("{rows:?}"))
}

#[test]
fn what_has_changed_is_told_from_chance() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let slow = ["--set", "link.interface=PCIe 3.0 x1"];
    for seed in ["1", "2", "3"] {
        record(path, &format!("a{seed}.json"), seed, &[]);
        record(path, &format!("b{seed}.json"), &format!("1{seed}"), &[]);
        record(path, &format!("c{seed}.json"), seed, &slow);
        for name in ["a", "b", "c"] {
            let (code, text) = shelf(path, &["add", &format!("{name}{seed}.json"), "--as", name]);
            assert!(code == Some(0) && text.contains("kept as s/"), "{text}");
        }
    }
    let (_, text) = shelf(path, &["add", "a1.json", "--as", "a"]);
    assert!(text.contains("is there already"), "{text}");
    let (_, list) = shelf(path, &["list", "--json"]);
    let list: Value = serde_json::from_str(&list).unwrap();
    assert_eq!(list.as_array().unwrap().len(), 9);
    let compared = |first: &str, second: &str| -> Value {
        let (code, text) = shelf(path, &["compare", first, second, "--json"]);
        assert_eq!(code, Some(0), "{text}");
        serde_json::from_str(&text).unwrap()
    };
    // Other seeds of the same drive differ by chance alone, a narrow link makes it slower.
    let same = compared("a", "b");
    let verdicts: Vec<&Value> =
        same["rows"].as_array().unwrap().iter().map(|row| &row["verdict"]).collect();
    assert!(verdicts.iter().all(|verdict| *verdict == "within noise"), "{verdicts:?}");
    let slower = compared("a", "c");
    assert_eq!(row(&slower, "read_lat_mean")["verdict"], "worse", "{slower}");
    assert_eq!(row(&slower, "iops")["verdict"], "worse", "{slower}");
    assert_eq!(row(&compared("c", "a"), "iops")["verdict"], "better");
    let (_, table) = shelf(path, &["compare", "a", "c", "--metric", "iops"]);
    assert!(table.contains("worse") && !table.contains("read_lat_mean"), "{table}");
}

#[test]
fn one_run_says_nothing_about_chance() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    record(path, "a.json", "1", &[]);
    record(path, "b.json", "1", &["--param", "block=8 KiB"]);
    shelf(path, &["add", "a.json", "--as", "a"]);
    shelf(path, &["add", "a.json", "--as", "b"]);
    shelf(path, &["add", "b.json", "--as", "b"]);
    let (_, table) = shelf(path, &["compare", "a", "b"]);
    assert!(table.contains("One run says nothing about chance"), "{table}");
    assert!(table.contains("Of one only:\n- b: "), "another block is another test: {table}");
}

#[test]
fn what_is_no_result_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    record(path, "a.json", "1", &[]);
    for (words, part) in [
        (&["add", "a.json", "--as", "../a"][..], "cannot be a name"),
        (&["add", "none.json", "--as", "a"], "none.json"),
        (&["compare", "a", "b"], "nothing is kept as `a`"),
    ] {
        let (code, text) = shelf(path, words);
        assert!(code == Some(2) && text.contains(part), "{words:?}: {text}");
    }
    assert!(!path.join("s").exists());
}
