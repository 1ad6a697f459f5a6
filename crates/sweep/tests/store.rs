//! The journal: whatever happens to it, a row is there once or not at all.

use metric::MetricValue;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use sweep::{Head, Row, Shard, Status, Store, StoreError, hash, id};

fn head(points: &str) -> Head {
    let about = BTreeMap::from([("points".to_owned(), points.to_owned())]);
    Head::new("1.0", about, 3)
}

fn row(name: &str) -> Row {
    let value = MetricValue { value: 0.1 + 0.2, samples: Some(7), interval95: Some((0.1, 1e-9)) };
    Row {
        id: id([("name", name)]),
        at: BTreeMap::from([("drive".to_owned(), name.to_owned())]),
        seed: 1,
        ios: 4000,
        status: Status::Ok,
        message: None,
        values: BTreeMap::from([("iops".to_owned(), value)]),
        limits: vec!["dies".to_owned()],
        warnings: Vec::new(),
    }
}

fn open(folder: &Path) -> Result<Store, StoreError> {
    Store::open(folder, &head("3"), None)
}

#[test]
fn rows_come_back_to_the_last_bit() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).unwrap();
    store.add(&row("a")).unwrap();
    let failed = Row {
        status: Status::Failed,
        message: Some("it broke".to_owned()),
        values: BTreeMap::new(),
        ..row("b")
    };
    store.add(&failed).unwrap();
    store.sync().unwrap();
    drop(store);
    let again = open(folder.path()).unwrap();
    let rows: Vec<&Row> = again.known().values().collect();
    assert!(rows.contains(&&row("a")) && rows.contains(&&failed));
}

proptest! {
    /// Cut anywhere, the journal opens again with the rows whose lines are whole, and what is
    /// added then is there too.
    #[test]
    fn a_journal_cut_anywhere_loses_what_was_cut_alone(cut in 0_usize..2000) {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path()).unwrap();
        ["a", "b", "c"].iter().for_each(|name| store.add(&row(name)).unwrap());
        drop(store);
        let path = folder.path().join("journal.jsonl");
        let whole = fs::read(&path).unwrap();
        let kept = &whole[..cut.min(whole.len())];
        fs::write(&path, kept).unwrap();
        let lines = kept.iter().filter(|byte| **byte == b'\n').count();
        let store = open(folder.path()).unwrap();
        prop_assert_eq!(store.known().len(), lines.saturating_sub(1));
        for name in ["a", "b", "c"] {
            if !store.known().contains_key(&row(name).id) {
                store.add(&row(name)).unwrap();
            }
        }
        drop(store);
        prop_assert_eq!(fs::read(&path).unwrap(), whole);
    }
}

#[test]
fn a_store_of_another_plan_version_or_program_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path()).unwrap());
    let other = Store::open(folder.path(), &head("4"), None).unwrap_err();
    assert!(other.is_wrong && other.message.contains("points was `3` and is `4`"), "{other:?}");
    let newer = Head::new("2.0", BTreeMap::from([("points".to_owned(), "3".to_owned())]), 3);
    let newer = Store::open(folder.path(), &newer, None).unwrap_err();
    assert!(newer.message.contains("drivelab 1.0, and this is 2.0"), "{newer:?}");
    let foreign = tempfile::tempdir().unwrap();
    fs::write(foreign.path().join("journal.jsonl"), "dear diary").unwrap();
    assert!(open(foreign.path()).unwrap_err().message.contains("no journal"));
    assert_eq!(fs::read(foreign.path().join("journal.jsonl")).unwrap(), b"dear diary");
}

#[test]
fn a_damaged_line_is_named_and_two_results_of_a_run_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).unwrap();
    store.add(&row("a")).unwrap();
    drop(store);
    let path = folder.path().join("journal.jsonl");
    let good = fs::read(&path).unwrap();
    let add = |line: &str| {
        fs::write(&path, &good).unwrap();
        let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
        writeln!(file, "{line}").unwrap();
        open(folder.path()).unwrap_err()
    };
    let damaged = add("{\"id\":");
    assert!(damaged.place.ends_with("journal.jsonl:3"), "{damaged:?}");
    let differs = Row { warnings: vec!["other".to_owned()], ..row("a") };
    let differs = add(&serde_json::to_string(&differs).unwrap());
    assert!(differs.message.contains("two results that differ"), "{differs:?}");
}

#[test]
fn one_works_on_the_whole_or_several_on_their_parts() {
    let folder = tempfile::tempdir().unwrap();
    let part = |number| Store::open(folder.path(), &head("3"), Some(Shard { number, of: 2 }));
    let (first, second) = (part(1).unwrap(), part(2).unwrap());
    let busy = open(folder.path()).unwrap_err();
    assert!(busy.is_wrong && busy.message.contains("another process"), "{busy:?}");
    assert!(part(1).unwrap_err().message.contains("another process"));
    first.add(&row("a")).unwrap();
    second.add(&row("b")).unwrap();
    // Two parts that measured the same run agree, so that it is there once.
    second.add(&row("a")).unwrap();
    drop((first, second));
    let whole = open(folder.path()).unwrap();
    assert_eq!(whole.known().len(), 2);
    assert!(part(1).is_err(), "the whole is held alone");
}

/// A part that waits reads the journals of the others only when they have grown.
#[test]
fn what_others_write_is_seen_by_its_length() {
    let folder = tempfile::tempdir().unwrap();
    let part = |number| Store::open(folder.path(), &head("a"), Some(Shard { number, of: 2 }));
    let (one, two) = (part(1).unwrap(), part(2).unwrap());
    let before = one.others_bytes().unwrap();
    one.add(&row("mine")).unwrap();
    assert_eq!(one.others_bytes().unwrap(), before, "its own rows do not count");
    two.add(&row("theirs")).unwrap();
    assert!(one.others_bytes().unwrap() > before);
    assert!(one.others().unwrap().contains_key(&row("theirs").id));
}

#[test]
fn parts_share_runs_evenly_and_each_run_is_in_one() {
    for of in 1..7 {
        let has = |run| (1..=of).filter(|number| Shard { number: *number, of }.has(run)).count();
        assert!((0..50).all(|run| has(run) == 1));
    }
}

#[test]
fn ids_tell_parts_apart_by_their_lengths() {
    assert_ne!(id([("a", "bc")]), id([("ab", "c")]));
    assert_ne!(id([("a", "b"), ("c", "d")]), id([("a", "bc"), ("", "d")]));
    assert_eq!(id([("a", "b")]).len(), 32);
    assert_eq!(hash(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}
