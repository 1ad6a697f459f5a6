//! A reproduction as its user sees it: intervals over seeds, verdicts that less work does not turn
//! round, and what could not be run.

use crate::common::{drivelab, made};
use answer::Reproduction;
use report::Agreement;
use serde_json::Value;
use std::path::Path;

/// A small review: verdicts of all kinds, some of them near their limits.
const REVIEW: &str = r#"
    [[ref]]
    id = "near.iops"
    device = "Optane Memory 16GB"
    method = "corner"
    params = { op = "write", block = "4 KiB", qd = 8 }
    metric = "iops"
    value = 40650
    unit = "IOPS"
    why = "one limit of the aim is just what the model gives"
    [[ref]]
    id = "far.iops"
    device = "Optane Memory 16GB"
    method = "corner"
    params = { op = "read", block = "4 KiB", qd = 4 }
    metric = "iops"
    value = 400000
    unit = "IOPS"
    why = "a joke"
    [[ref]]
    id = "tail"
    device = "Intel 710 200GB"
    method = "corner"
    params = { read = "70 %", block = "4 KiB", qd = 16 }
    metric = "read_lat_p99.9_max"
    value = 3.55
    unit = "ms"
    [[ref]]
    id = "rate"
    device = "Intel 710 200GB"
    method = "corner"
    params = { read = "70 %", block = "4 KiB", qd = 16 }
    metric = "iops"
    value = [9900, 10220]
    unit = "IOPS"
    why = "made up"
    [[claim]]
    id = "order"
    claim = "reads are faster"
    [[claim.checks]]
    op = ">"
    right = { params = { op = "write", block = "4 KiB", qd = 8 } }
    [claim.checks.left]
    device = "Optane Memory 16GB"
    method = "corner"
    params = { op = "read", block = "4 KiB", qd = 4 }
    metric = "iops"
"#;

fn file(folder: &Path, name: &str) -> Value {
    let text = std::fs::read_to_string(folder.join(name)).expect("read");
    serde_json::from_str(&text).expect("JSON")
}

/// A result as its type.
fn read(result: &Value) -> Reproduction {
    answer::read(result).expect("a reproduction")
}

/// Names in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

const BASE: [&str; 6] = ["reproduce", "--reviews", "mine.toml", "--scale", "1Mi units", "--quiet"];

/// The demonstration against full precision, in small: an eighth of the work.
#[test]
fn less_work_opens_verdicts_and_turns_none_round() {
    let folder = tempfile::tempdir().expect("made");
    std::fs::write(folder.path().join("mine.toml"), REVIEW).expect("written");
    let with = |more: &[&str]| drivelab(folder.path(), &[&BASE[..], more].concat());
    let full = with(&["--budget", "160ms", "--json-file", "full.json"]);
    assert!(full.status.success(), "{full:?}");
    let less = ["--budget", "20ms", "--json-file", "less.json", "--against", "full.json"];
    let less = with(&less);
    assert!(less.status.success(), "{}", String::from_utf8_lossy(&less.stderr));
    let (full, less) = (file(folder.path(), "full.json"), file(folder.path(), "less.json"));
    let agreement = Agreement::of(&read(&less), &read(&full));
    assert_eq!((agreement.compared(), agreement.apart.len()), (5, 0), "{agreement:?}");
    assert_eq!(full["budget"]["seeds"], 3);
    for figure in full["figures"].as_array().expect("figures") {
        let half = figure["half_width"].as_f64().expect("an interval");
        let value = figure["simulated"].as_f64().expect("a value");
        assert!(half >= 0.0 && half < value, "{figure}");
    }
    let decided = |result: &Value, id: &str| {
        let figures = result["figures"].as_array().expect("figures");
        figures.iter().find(|f| f["id"] == id).map(|f| f["verdict"].clone())
    };
    assert_eq!(decided(&full, "far.iops"), Some("miss".into()), "not all is open");
    // A verdict that is turned round is an error that names it.
    let turned = std::fs::read_to_string(folder.path().join("full.json")).expect("read");
    let turned = turned.replace("\"miss\"", "\"hit\"");
    std::fs::write(folder.path().join("turned.json"), turned).expect("written");
    let wrong = with(&["--budget", "20ms", "--against", "turned.json"]);
    let text = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert_eq!(wrong.status.code(), Some(1), "{text}");
    assert!(text.contains("far.iops: miss here, hit there"), "{text}");
    // What is no result is told before anything runs.
    std::fs::write(folder.path().join("none.json"), "{}").expect("written");
    assert_eq!(with(&["--against", "none.json"]).status.code(), Some(2));
}

/// What the demonstration gave, kept as `docs/validation/demonstration/REVIEW.json`, against full
/// precision.
#[test]
fn kept_tables_of_two_budgets_agree() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/validation");
    let mut compared = 0;
    for entry in std::fs::read_dir(&kept).expect("a folder").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let other = format!("demonstration/{name}");
        if !name.ends_with(".json") || !kept.join(&other).exists() {
            continue;
        }
        let (less, full) = (file(&kept, &other), file(&kept, &name));
        let agreement = Agreement::of(&read(&less), &read(&full));
        assert!(agreement.apart.is_empty(), "{name}: {:?}", agreement.apart);
        compared += agreement.compared();
    }
    // All five reviews: 236 figures and their claims.
    assert!(compared > 250, "{compared} verdicts compared");
}

#[test]
fn what_could_not_be_run_fails_the_command_after_all_else_is_saved() {
    let folder = tempfile::tempdir().expect("made");
    // So small a part of this drive has too few superblocks.
    let small = r#"
        [[ref]]
        id = "small"
        device = "P5430"
        test = "128K sequential write"
        metric = "bandwidth"
        value = 3000
        unit = "MB/s"
        [[ref]]
        id = "fine"
        device = "Optane Memory 16GB"
        test = "4K random read"
        metric = "iops"
        value = 190000
        unit = "IOPS"
    "#;
    std::fs::write(folder.path().join("mine.toml"), small).expect("written");
    let more = ["--budget", "10ms", "--record", "r.json", "--json-file", "f.json"];
    let ran = drivelab(folder.path(), &[&BASE[..], &more].concat());
    let (said, table) = (ran.stderr, String::from_utf8_lossy(&ran.stdout).into_owned());
    let said = String::from_utf8_lossy(&said).into_owned();
    assert_eq!(ran.status.code(), Some(1), "{said}");
    assert!(said.contains("a figure could not be run") && said.contains("small: "), "{said}");
    assert!(said.contains("superblocks") && said.contains("not_modelled"), "{said}");
    assert!(table.contains("not run: 1 figure") && table.contains("not modelled: 0"), "{table}");
    assert_eq!(names(folder.path()), ["f.json", "mine.toml", "r.json"]);
    let figures = file(folder.path(), "f.json")["figures"].clone();
    assert_eq!((figures[0]["verdict"].as_str(), figures[1]["verdict"].as_str()), {
        (Some("not_run"), Some("input"))
    });
    // A parameter that the method lacks is found before anything runs.
    let test = "test = \"4K random read\"";
    let wrong = small.replace(test, &format!("{test}\nparams = {{ rows = 3 }}"));
    std::fs::write(folder.path().join("mine.toml"), wrong).expect("written");
    let ran = drivelab(folder.path(), &BASE);
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert_eq!(ran.status.code(), Some(2), "{said}");
    assert!(said.contains("method `corner` has no parameter `rows`"), "{said}");
    assert!(said.contains("mine.toml:13:12"), "{said}");
}

#[test]
fn more_seeds_make_a_narrower_interval() {
    let folder = tempfile::tempdir().expect("made");
    let rows = REVIEW.split("[[claim]]").next().expect("the figures");
    let one = rows.split("[[ref]]").last().expect("a row");
    std::fs::write(folder.path().join("mine.toml"), format!("[[ref]]{one}")).expect("written");
    let with = |seeds: &'static str| -> Value {
        let more = ["--budget", "10ms", "--json", "--seeds", seeds];
        let text = made(folder.path(), &[&BASE[..], &more].concat());
        serde_json::from_str(&text).expect("JSON")
    };
    let three = with("3");
    assert_eq!(three["budget"]["seeds"], 3);
    let eight = with("8");
    let half = |result: &Value| result["figures"][0]["half_width"].as_f64().expect("a number");
    // Student's factor falls from 4.3 to 2.4.
    assert!(half(&eight) < half(&three), "{} {}", half(&eight), half(&three));
    let few = drivelab(folder.path(), &[&BASE[..], &["--seeds", "2"]].concat());
    assert_eq!(few.status.code(), Some(2));
}
