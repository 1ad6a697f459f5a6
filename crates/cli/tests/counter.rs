//! Claims on models that contradict them: a check that holds of any drive shows nothing.

use crate::common::{drivelab, made};
use review::Library;
use serde_json::Value;
use std::path::{Path, PathBuf};

const CLAIM: &str = r#"
    [[claim]]
    id = "deeper"
    claim = "more in flight gives more reads"
    counter = { "optane-memory-16gb" = "REPLACED" }
    [[claim.checks]]
    op = ">"
    right = { params = { op = "read", block = "4 KiB", qd = 1 } }
    [claim.checks.left]
    target = "optane-memory-16gb"
    method = "corner"
    params = { op = "read", block = "4 KiB", qd = 4 }
    metric = "iops"
"#;

const SHORT: [&str; 6] =
    ["reproduce", "--reviews", "mine.toml", "--counter", "--budget=10ms", "--quiet"];

fn folder(replaced: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("made");
    let text = CLAIM.replace("REPLACED", replaced);
    std::fs::write(folder.path().join("mine.toml"), text).expect("written");
    folder
}

/// What the command says where it ends with this code.
fn refused(folder: &Path, code: i32) -> String {
    let ran = drivelab(folder, &SHORT);
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert_eq!(ran.status.code(), Some(code), "{said}");
    said
}

#[test]
fn a_claim_fails_on_a_model_that_contradicts_it() {
    // Reads that take a core 200 us gain nothing from the queue.
    let slow = folder("optane-memory-16gb@controller.read_interval=200 us");
    let said = made(slow.path(), &SHORT);
    assert!(said.contains("deeper failed:"), "{said}");
    assert!(said.contains("1 failed"), "{said}");
}

#[test]
fn one_of_several_counters_is_enough_and_each_check_needs_one() {
    let two = r#""optane-memory-32gb" }, { "optane-memory-16gb" = "SLOW""#
        .replace("SLOW", "optane-memory-16gb@controller.read_interval=200 us");
    let folder = folder("REPLACED");
    let text = CLAIM.replace("{ \"optane-memory-16gb\" = \"REPLACED\" }", "[{ COUNTERS }]");
    let text = text.replace("COUNTERS", &format!("\"optane-memory-16gb\" = {two}"));
    std::fs::write(folder.path().join("mine.toml"), &text).expect("written");
    let said = made(folder.path(), &SHORT);
    assert!(said.contains("1 held, 1 failed"), "{said}");
    let (_, check) = text.split_once("}]\n").expect("counters");
    let other = check.replace("optane-memory-16gb", "optane-memory-32gb");
    std::fs::write(folder.path().join("mine.toml"), format!("{text}{other}")).expect("written");
    let said = refused(folder.path(), 1);
    assert!(said.contains("1 of 2 checks do not fail"), "{said}");
    assert!(said.contains("deeper check 2"), "{said}");
}

#[test]
fn a_claim_that_holds_of_another_drive_too_is_an_error() {
    let same = folder("optane-memory-32gb");
    let said = refused(same.path(), 1);
    assert!(said.contains("1 of 1 checks do not fail"), "{said}");
    assert!(said.contains("deeper"), "{said}");
}

#[test]
fn a_counter_for_a_drive_that_no_check_runs_is_refused() {
    let folder = folder("optane-memory-32gb");
    let text = CLAIM.replace("{ \"optane-memory-16gb\" =", "{ \"p4510-8tb\" =");
    std::fs::write(folder.path().join("mine.toml"), text).expect("written");
    let said = refused(folder.path(), 2);
    assert!(said.contains("no check runs `p4510-8tb`"), "{said}");
    assert!(said.contains("mine.toml:5:"), "{said}");
}

/// `made` wants no error: every check of them fails with one of its counters.
#[test]
fn all_claims_of_a_review_can_fail() {
    let folder = tempfile::tempdir().expect("made");
    let few = ["reproduce", "optane-memory", "--counter", "--budget=50ms", "--quiet"];
    let said = made(folder.path(), &few);
    assert!(said.contains("claims: 10 held, 30 failed, 0 open, 0 not checkable"), "{said}");
}

/// Of those that have failed already nothing needs to be shown.
#[test]
fn every_shipped_claim_that_does_not_fail_names_a_counter() {
    let claims = Library::shipped().expect("read").select(&[]).expect("all").claims;
    let kept: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/validation");
    let mut seen = 0;
    for entry in kept.read_dir().expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.extension().is_none_or(|ending| ending != "json") {
            continue;
        }
        let text = std::fs::read_to_string(&entry).expect("read");
        let result: Value = serde_json::from_str(&text).expect("JSON");
        for claim in result["claims"].as_array().into_iter().flatten() {
            if !matches!(claim["verdict"].as_str(), Some("held" | "open")) {
                continue;
            }
            let known = claims.iter().find(|known| claim["id"] == known.id.as_str());
            assert!(known.is_some_and(|known| !known.counters.is_empty()), "{}", claim["id"]);
            seen += 1;
        }
    }
    assert!(seen > 30, "{seen} claims");
}
