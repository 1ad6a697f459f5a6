//! A Record survives its file, and any damage to the file is reported.

use proptest::prelude::*;
use serde_json::json;
use stats::{
    Checks, Cost, Direction, JobResult, LatencyResult, LatencyTally, Ledger, Outcome, Record,
    RecordError, RunResult, Target, Utilisation, Warning,
};
use std::path::{Path, PathBuf};

fn example() -> Outcome {
    let mut tally = LatencyTally::new();
    (0..1000_u64).for_each(|i| tally.record(i * i * 31));
    let mut job = JobResult { jobname: "j".into(), ..JobResult::default() };
    let read = job.direction_mut(Direction::Read);
    read.clat = LatencyResult::from_tally(&tally, &[50.0, 99.9]);
    (read.total_ios, read.io_bytes, read.runtime_ms) = (1000, 4_096_000, 333);
    read.derive_rates();
    read.extra.insert("new key".into(), json!([1, 0.1]));
    Outcome {
        version: "0.1.0".into(),
        targets: vec![Target { name: "a".into(), scale: 1.0 / 3.0, ..Target::default() }],
        seed: Some(u64::MAX),
        budget: json!({"events": 5}),
        run: Some(RunResult { jobs: vec![job], ..RunResult::default() }),
        warnings: vec![Warning { code: "not-steady".into(), ..Warning::default() }],
        ..Outcome::default()
    }
}

fn record() -> Record {
    Record::new(example(), Cost { wall_s: 0.1, ..Cost::default() }).expect("representable")
}

fn scratch(name: &str) -> PathBuf {
    let dir = std::env::temp_dir().join(format!("drivelab-record-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a scratch directory");
    dir
}

#[test]
fn saved_and_loaded_is_the_same() {
    let dir = scratch("same");
    let path = dir.join("r.json");
    std::fs::write(&path, record().to_canonical_json().expect("serialises")).expect("saves");
    assert_eq!(Record::load(&path).expect("loads"), record());
    std::fs::remove_dir_all(dir).expect("removed");
}

#[test]
fn the_cost_is_not_hashed() {
    let dear = Record::new(example(), Cost { wall_s: 9e9, ..Cost::default() });
    assert_eq!(dear.expect("representable").hash(), record().hash());
    let other = Outcome { seed: Some(1), ..example() };
    let other = Record::new(other, Cost::default()).expect("representable");
    assert_ne!(other.hash(), record().hash());
}

#[test]
fn every_truncation_is_an_error() {
    let text = record().to_canonical_json().expect("serialises");
    for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
        let error = Record::from_json(&text[..end], Path::new("r.json")).expect_err("cut");
        assert!(matches!(error, RecordError::Truncated { .. }), "at {end}: {error}");
    }
}

#[test]
fn other_schemas_and_edits_are_reported() {
    let text = record().to_canonical_json().expect("serialises");
    let read = |text: &str| Record::from_json(text, Path::new("r.json")).expect_err("refused");
    let newer = text.replace("drivelab/record/1", "drivelab/record/2");
    assert!(matches!(read(&newer), RecordError::OtherSchema { .. }));
    let edited = text.replace("\"total_ios\":1000", "\"total_ios\":1001");
    assert!(matches!(read(&edited), RecordError::WrongHash { .. }));
    for junk in ["[]", "{}", "7", "{\"schema\":1}", "{\"schema\":\"drivelab/record/1\"}"] {
        assert!(matches!(read(junk), RecordError::Malformed { .. }), "{junk}");
    }
    let error = Record::load(Path::new("/nonexistent/r.json")).expect_err("no such file");
    assert!(error.to_string().starts_with("/nonexistent/r.json: "), "{error}");
}

#[test]
fn what_is_not_finite_is_refused_when_made() {
    let mut result = example();
    result.targets[0].scale = f64::NAN;
    let error = Record::new(result, Cost::default()).expect_err("NaN");
    assert!(matches!(error, RecordError::Unrepresentable(_)));
    let cost = Cost { cpu_s: f64::INFINITY, ..Cost::default() };
    assert!(Record::new(example(), cost).is_err());
}

#[test]
fn failed_laws_are_listed() {
    let mut ledger = Ledger::new("nand programs");
    ledger.set_counted_total(1);
    let checks = Checks {
        utilisation: vec![Utilisation::single("bus", 2, 1), Utilisation::single("die", 1, 1)],
        ledgers: vec![ledger],
        ..Checks::default()
    };
    assert_eq!(checks.failures().len(), 2);
}

proptest! {
    #[test]
    fn arbitrary_text_does_not_panic(text in ".{0,200}") {
        prop_assert!(Record::from_json(&text, Path::new("x")).is_err());
    }

    #[test]
    fn floats_come_back_to_the_last_bit(bits in any::<u64>()) {
        let value = f64::from_bits(bits);
        prop_assume!(value.is_finite());
        let mut result = example();
        result.data = json!({"b": value, "a": -value});
        let record = Record::new(result, Cost::default()).expect("representable");
        let text = record.to_canonical_json().expect("serialises");
        prop_assert_eq!(Record::from_json(&text, Path::new("x")).expect("loads"), record);
    }
}
