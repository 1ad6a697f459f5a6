//! A target against the data sheet of a drive.

use crate::common::{drivelab, fio};
use serde_json::Value;

const SMALL: [&str; 5] = ["--budget", "20ms", "--scale", "4Mi units", "--quiet"];

fn answer(words: &[&str]) -> (Option<i32>, Value) {
    let folder = tempfile::tempdir().unwrap();
    let words = [&["spec"][..], words, &["--json"], &SMALL].concat();
    let output = drivelab(folder.path(), &words);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let answer = serde_json::from_slice(&output.stdout);
    (output.status.code(), answer.unwrap_or_else(|error| panic!("{error}: {said}")))
}

fn verdict<'a>(answer: &'a Value, id: &str) -> &'a str {
    let rows = answer["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row["id"] == id).unwrap_or_else(|| panic!("{id}: {rows:?}"));
    row["verdict"].as_str().unwrap()
}

/// With one lane of its four a drive cannot read as fast as its sheet says; its latency is as
/// good as before.
#[test]
fn a_slow_link_is_found_and_named() {
    let (_, whole) = answer(&["p4510", "--on", "p4510"]);
    assert_ne!(verdict(&whole, "ds.p4510.seqread"), "short", "{whole}");
    let (code, narrow) = answer(&["p4510", "--on", "p4510@link.interface=PCIe 3.0 x1"]);
    assert_eq!(code, Some(1));
    assert_eq!(verdict(&narrow, "ds.p4510.seqread"), "short", "{narrow}");
    let causes = narrow["causes"].as_array().unwrap();
    let named = causes.iter().any(|cause| {
        let cause = cause.as_str().unwrap();
        cause.starts_with("ds.p4510.seqread: limited by: ") && cause.contains("link")
    });
    assert!(named, "{causes:?}");
    let rated = |answer: &Value| -> Vec<Value> {
        let rows = answer["rows"].as_array().unwrap().iter();
        rows.map(|row| row["rated"].clone()).collect()
    };
    assert_eq!(rated(&whole), rated(&narrow), "the sheet stays the sheet");
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |words: &[&str]| {
        let output = drivelab(folder.path(), words);
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(refused(&["spec", "no-such", "--on", "p4510"]).contains("no-such"));
    let Some(()) = fio() else { return };
    let text = refused(&["spec", "p4510", "--on", "./f.img"]);
    assert!(text.contains("add --size"), "{text}");
    let text = refused(&["spec", "p4510", "--on", "./f.img", "--size", "8MiB", "--full"]);
    assert!(text.contains("--full means something on models only"), "{text}");
}
