//! Files of the installed fio, of drivelab, and broken ones.

use super::*;
use answer::Answer;
use proptest::prelude::*;
use stats::{Kind, LogKind, Record, Target};

/// What fio 3.33 wrote on a scratch file of 16 MiB.
macro_rules! sample {
    ($name:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/report/", $name))
    };
}

fn read(text: &str) -> Result<(Source, Vec<Problem>), String> {
    source("a.json", None, text.as_bytes())
}

fn good(text: &str) -> Source {
    let (source, problems) = read(text).unwrap();
    assert_eq!(problems, []);
    source
}

fn refused(text: &str, part: &str) {
    let why = read(text).unwrap_err();
    assert!(why.contains(part), "`{why}` does not say `{part}`");
}

fn warned(source: &Source, part: &str) {
    let all: Vec<&str> = source.file_warnings().collect();
    assert!(all.iter().any(|warning| warning.contains(part)), "{all:?} do not say `{part}`");
}

fn jobs(source: &Source) -> Vec<&str> {
    let run = source.outcome.run.as_ref().unwrap();
    run.jobs.iter().map(|job| job.jobname.as_str()).collect()
}

fn record() -> Record {
    let data = serde_json::json!({
        "method": "corner", "params": {},
        "targets": [{ "target": "d5", "metrics": { "iops": { "value": 5.0, "unit": "1/s" } } }],
    });
    let targets = vec![Target { name: "d5".into(), ..Target::default() }];
    let outcome = Outcome { kind: Kind::Method, targets, data, ..Outcome::default() };
    Record::new(outcome, stats::Cost { wall_s: 3.0, ..Default::default() }).unwrap()
}

#[test]
fn a_result_of_fio_tells_its_version_and_its_file() {
    let source = good(sample!("plain.json"));
    assert_eq!(source.outcome.version, "fio-3.33");
    assert_eq!(source.outcome.targets[0].name, "scratch.img");
    assert_eq!((jobs(&source), &source.hash), (vec!["randread"], &None));
    assert!(source.is_fio() && !source.tells_scale());
}

#[test]
fn text_around_the_json_is_passed_over() {
    assert_eq!(jobs(&good(sample!("both.txt"))), ["rw"]);
    let plain = sample!("plain.json");
    let noted = plain.replacen("\n  \"jobs\"", "\n\"jobs\"", 1);
    for before in ["note: both iodepth >= 1 and synchronous I/O engine are selected\n", "{!}\n\n"] {
        assert_eq!(jobs(&good(&format!("{before}{noted}\nbye\n"))), ["randread"]);
    }
    let utf16: Vec<u8> =
        std::iter::once(0xfeff).chain(plain.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    assert!(source("a.json", None, &utf16).is_ok(), "as PowerShell redirects it");
    assert!(source("a.json", None, format!("\u{feff}{plain}").as_bytes()).is_ok());
}

#[test]
fn what_fio_said_beside_it_is_kept() {
    let source = good(sample!("error.json"));
    warned(&source, "fio: io_u error on file /dev/full: No space left on device");
    assert_eq!(source.outcome.run.as_ref().unwrap().jobs[0].error, 28);
}

#[test]
fn of_several_results_the_last_whole_one_counts() {
    let text = sample!("several.json");
    let count = text.matches("\"fio version\"").count();
    let source = good(text);
    warned(&source, &format!("the file holds {count} results, and this is the last"));
    let ios = |source: &Source| source.outcome.run.as_ref().unwrap().jobs[0].read().total_ios;
    let half = &text[..text.len() - 2000];
    let (cut, problems) = read(half).unwrap();
    assert!(ios(&cut) <= ios(&source) && ios(&cut) > 0);
    let lines = half.lines().count();
    assert_eq!(problems.len(), 1);
    assert_eq!(
        problems[0].message,
        format!("the last of its results is cut off at line {lines}; the one before is used")
    );
}

#[test]
fn a_client_has_its_servers_jobs_and_their_sum() {
    assert_eq!(jobs(&good(sample!("client.json"))), ["reads", "writes", "All clients"]);
}

#[test]
fn logs_lie_beside_the_json() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/report");
    let text = sample!("logs.json");
    let (found, problems) = source("logs.json", Some(&folder), text.as_bytes()).unwrap();
    assert_eq!(problems, []);
    let jobs = found.outcome.run.unwrap().jobs;
    let kinds =
        |i: usize| jobs[i].logs.iter().map(|log| (log.kind, log.number)).collect::<Vec<_>>();
    assert_eq!(kinds(0), [(LogKind::Bw, 1), (LogKind::Clat, 1), (LogKind::Lat, 1)]);
    // fio does not tell of `write_iops_log` without a value; the file has the job's name.
    assert_eq!(kinds(1), [(LogKind::Iops, 2)]);
    let rows = include_str!("../../../tests/data/report/writes_iops.2.log").lines().count();
    assert_eq!(jobs[1].logs[0].ms.len(), rows);
    assert_eq!((jobs[0].hist_logs.len(), jobs[1].hist_logs.len()), (1, 1));
    assert_eq!(jobs[0].hist_logs[0].coarseness, 6);
}

#[test]
fn logs_that_are_missing_or_broken_are_told_once() {
    let folder = tempfile::tempdir().unwrap();
    let text = sample!("logs.json");
    let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    put("mine_bw.1.log", "5, what, 0, 0\n");
    let (found, problems) = source("logs.json", Some(folder.path()), text.as_bytes()).unwrap();
    let all: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
    assert!(all[0].ends_with("mine_bw.1.log is left out: line 1: `what` is not a number"));
    assert!(all[1].contains("not beside it: mine_slat.1.log and 2 more"), "{all:?}");
    assert_eq!(all.len(), 2);
    assert!(found.outcome.run.unwrap().jobs.iter().all(|job| job.logs.is_empty()));
}

#[test]
fn a_record_is_proven_by_its_hash() {
    let record = record();
    let text = record.to_canonical_json().unwrap();
    let source = good(&text);
    assert_eq!(source.hash.as_deref(), Some(record.hash()));
    assert_eq!((source.cost.wall_s, source.file_warnings().count()), (3.0, 0));
}

#[test]
fn an_edited_record_is_shown_with_a_warning() {
    let text = record().to_canonical_json().unwrap().replace("\"value\":5.0", "\"value\":6.0");
    let source = good(&text);
    assert_eq!(source.hash, None);
    warned(&source, "do not rely on these numbers: its hash is");
}

#[test]
fn an_unknown_metric_is_noted_beside_itself() {
    let record = record();
    let mut outcome = record.into_result();
    outcome.data["targets"][0]["metrics"]["zeal"] = serde_json::json!({ "value": 1.0 });
    outcome.data["targets"][0]["metrics"]["tail.read_lat_p99.9"] =
        serde_json::json!({ "value": 1.0 });
    let text = Record::new(outcome, Default::default()).unwrap().to_canonical_json().unwrap();
    let source = good(&text);
    let [warning] = source.outcome.warnings.as_slice() else { panic!("one warning") };
    assert_eq!((warning.concerns.as_str(), warning.code.as_str()), ("zeal", "unknown-metric"));
}

#[test]
fn what_json_prints_is_taken_and_marked() {
    let printed = [
        (r#"{"method":"corner","params":{},"targets":[]}"#, Kind::Method),
        (r#"{"figures":[],"claims":[],"summary":{}}"#, Kind::Reproduction),
        (
            r#"{"baseline":"a","confidence":0.95,"repeats":2,"comparisons":0,"targets":[],
               "rows":[],"summary":[]}"#,
            Kind::Comparison,
        ),
        (r#"{"model":"a","figures":[],"parameters":[]}"#, Kind::Fit),
    ];
    for (text, kind) in printed {
        let source = good(text);
        assert_eq!((source.outcome.kind, &source.hash), (kind, &None));
        warned(&source, "this is no Record");
    }
}

#[test]
fn what_cannot_be_used_says_why() {
    let record = record().to_canonical_json().unwrap();
    refused(&record.replace("drivelab/record/1", "drivelab/record/9"), "its schema is `drivelab");
    refused(&record.replace("drivelab/record/1", "drivelab/record/9"), "make it again");
    refused(&record.replace("\"method\"", "\"rumour\""), "unknown variant");
    refused(&record[..record.len() / 2], "the JSON is cut off at line 1");
    let plain = sample!("plain.json");
    refused(&plain[..plain.len() / 2], "the JSON is cut off at line");
    refused(&plain.replace("fio-3.33", "fio-2.16"), "too old");
    refused(&plain.replace("\"jobs\"", "\"works\""), "neither `jobs` nor `client_stats`");
    refused(&plain.replacen(" : ", " = ", 1), "malformed: line 2, column");
    refused("", "empty");
    refused(" \n", "empty");
    refused("fio: failed\n", "there is no JSON in it");
    refused("[1, 2]", "there is no JSON in it");
    refused("{}", "neither a Record");
    refused("{\"schema\":1}", "no `schema`");
    assert!(source("a", None, b"\x7fELF\0\0").unwrap_err().contains("no text"));
}

/// The mark of an omission.
const PIECES: &[&str] = &["", "null", "[]", "{}", "1e999", "-1", "\"x\"", "}", "{"];

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 512,
        failure_persistence: None,
        ..Default::default()
    })]

    #[test]
    fn any_bytes_are_used_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        if let Err(why) = source("a", None, &bytes) {
            prop_assert!(!why.is_empty());
        }
    }

    /// Whatever happens to a file, what is left of it becomes rows and pages.
    #[test]
    fn damaged_files_become_reports(
        which in 0..3_usize,
        cuts in proptest::collection::vec((any::<prop::sample::Index>(), 0..40_usize), 0..4),
        piece in prop::sample::select(PIECES),
    ) {
        let record = record().to_canonical_json().unwrap();
        let mut text = [sample!("plain.json"), sample!("client.json"), &record][which].to_owned();
        for (at, length) in cuts {
            let start = at.index(text.len().max(1)).min(text.len());
            let end = (start + length).min(text.len());
            text.replace_range(start..end, piece);
        }
        if let Ok((source, problems)) = source("a", None, text.as_bytes()) {
            let sources = [source];
            let options = ::report::values::Options { series: true, to_base: |_| None };
            let (rows, _) = ::report::values::rows(&sources, &options);
            prop_assert!(::report::values::to_parquet(&rows).is_ok());
            let options = ::report::Options::default();
            let page = ::report::markdown(&::report::document(&sources, &problems, &options));
            prop_assert!(!page.is_empty());
        }
    }
}

#[test]
fn an_endurance_result_is_read() {
    let text = r#"{"schema":"drivelab/endurance/1","drive":{"model":"X"},"results":{}}"#;
    let (source, problems) = source("e.json", None, text.as_bytes()).unwrap();
    assert!(matches!(source.answer, Answer::Endurance(_)) && problems.is_empty());
}
