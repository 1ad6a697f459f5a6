//! What must hold for every text that a user can hand to a parser: it ends, it does not panic, and
//! an error has a place inside the text and says something.
//!
//! Each function takes arbitrary bytes. `make fuzz` drives them with libFuzzer, `cargo test` with
//! mutated seeds (`tests/mutations.rs`).

#![allow(clippy::missing_panics_doc, reason = "a check reports a fault by a panic")]

pub mod protocols;

use engine::{Bandwidth, Bytes, Count, Duration, Energy, Power, Ratio};
use fio::{Diagnostic, LoadOptions};
use library::{Model, NandFile, Overrides, Scale, Workload};
use review::{Library, ReviewFile};
use stats::LogKind;
use std::fmt::{Debug, Display};
use std::io::Cursor;
use std::path::Path;
use std::str::FromStr;
use std::sync::OnceLock;
use trace::{Format, Overflow, Placement, Summary};

/// A check, by the name of its seeds' folder.
pub type Check = fn(&[u8]);

/// All checks.
pub const CHECKS: &[(&str, Check)] = &[
    ("job_file", job_file),
    ("model", model),
    ("nand", nand),
    ("reviews", reviews),
    ("fio_json", fio_json),
    ("fio_log", fio_log),
    ("health_log", health_log),
    ("sysbench", sysbench),
    ("trace", block_trace),
    ("nbd", protocols::nbd_session),
    ("nbd_client", protocols::nbd_client),
    ("nvme", protocols::nvme_session),
    ("nvme_target", protocols::nvme_target),
    ("nvme_initiator", protocols::nvme_initiator),
    ("vhost", protocols::vhost::frontend),
    ("workload", workload),
    ("units", units),
];

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// An error is of use only if it leads to its place.
fn has_place(error: &Diagnostic, text: &str) {
    assert!(!error.message.is_empty(), "an error without a message");
    assert!(error.line >= 1 && error.column >= 1, "{error}: places count from one");
    let lines = text.split('\n').count();
    assert!(error.line as usize <= lines, "{error}: the text has {lines} lines");
}

/// What sysbench prints at the end of a run, and a server's counters.
pub fn sysbench(bytes: &[u8]) {
    let text = text(bytes);
    match real::database::Report::parse(&text) {
        Ok(report) => {
            let numbers = [report.per_second, report.seconds, report.mean_ms];
            assert!(numbers.iter().all(|value| value.is_finite() && *value >= 0.0), "{report:?}");
        }
        Err(error) => assert!(!error.to_string().is_empty(), "an error without a message"),
    }
    real::database::Status::parse(&text);
}

/// fio's job files, for modelled and for real drives: both have the sections of one reader.
pub fn job_file(bytes: &[u8]) {
    let text = text(bytes);
    let base_dir = Path::new("/nonexistent");
    let source = fio::source::read("fuzz.fio", &text, Some(base_dir));
    let options = real::SourceOptions {
        name: "fuzz.fio".to_owned(),
        base_dir: base_dir.to_owned(),
        ..real::SourceOptions::default()
    };
    match (&source, real::source::read(&text, &options)) {
        (Ok(source), Ok(real)) => {
            let names = |source: &fio::source::Source| -> Vec<String> {
                source.sections.iter().map(|section| section.name.clone()).collect()
            };
            assert_eq!(names(source), names(&real), "the same sections");
        }
        (Err(error), Err(_)) => has_place(error, &text),
        // What may run on a model need not be fit for a real drive.
        (Ok(_), Err(error)) => has_place(&error, &text),
        (Err(error), Ok(_)) => panic!("{error}, but a real drive takes it"),
    }
    match fio::jobfile::parse_str("fuzz.fio", &text, &LoadOptions::default()) {
        Ok(file) => assert!(!file.jobs.is_empty(), "a job file without jobs is refused"),
        Err(error) => has_place(&error, &text),
    }
}

/// Model files of drives, with the NAND files of the library.
pub fn model(bytes: &[u8]) {
    let text = text(bytes);
    match Model::parse("fuzz.toml", "fuzz.toml", &text, None, &[]) {
        Ok(model) => resolve(&model),
        Err(error) if &*error.file == "fuzz.toml" => has_place(&error, &text),
        // A source that is missing in the NAND file; it has a place there.
        Err(error) => assert!(!error.message.is_empty()),
    }
}

/// NAND files, under a drive of the library.
pub fn nand(bytes: &[u8]) {
    let text = text(bytes);
    let Ok(nand) = toml::from_str::<NandFile>(&text) else { return };
    static DRIVE: OnceLock<Model> = OnceLock::new();
    let drive = DRIVE.get_or_init(|| match Model::named("d5-p5430-15.36tb", &[]) {
        Ok(drive) => drive,
        Err(error) => unreachable!("a model of the library is valid: {error}"),
    });
    resolve(&Model { nand_text: text, nand, ..drive.clone() });
}

/// What was accepted can be built at several scales, or is refused for a reason.
fn resolve(model: &Model) {
    for scale in [Scale::default(), Scale::Share(1.0), Scale::Share(1e-3), Scale::Units(1 << 20)] {
        match model.resolve(scale, &Overrides::default()) {
            Ok(resolved) => {
                assert!(resolved.scale > 0.0 && resolved.scale <= 1.0, "{}", resolved.scale);
                assert!(resolved.config.user_bytes > 0);
            }
            Err(error) => assert!(!error.message.is_empty()),
        }
    }
}

/// Workload profiles: what is accepted can be issued.
pub fn workload(bytes: &[u8]) {
    let text = text(bytes);
    match Workload::parse("fuzz.toml", &text) {
        Ok(workload) => {
            assert!(workload.read_percent() <= 100 && workload.random_percent() <= 100);
            assert!(workload.outstanding() > 0);
            for sizes in [workload.read_sizes(), workload.write_sizes()] {
                assert!(sizes.least() >= 512 && sizes.mean() >= sizes.least() as f64);
                assert_eq!(sizes.entries().iter().map(|(_, percent)| percent).sum::<u32>(), 100);
                assert_eq!(sizes.to_string().parse().as_ref(), Ok(&sizes));
            }
        }
        Err(error) => has_place(&error, &text),
    }
}

/// Reviews files: figures and claims.
pub fn reviews(bytes: &[u8]) {
    let text = text(bytes);
    // Read once: a fuzzer calls this thousands of times a second.
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    let library = LIBRARY.get_or_init(|| match Library::shipped() {
        Ok(library) => library,
        Err(error) => unreachable!("the library is valid: {error}"),
    });
    let read = ReviewFile::parse("fuzz.toml", &text, library.aliases(), &ReviewFile::default());
    match read {
        Ok(file) => assert!(!file.figures.is_empty() || !file.claims.is_empty()),
        Err(error) => has_place(&error, &text),
    }
}

/// What fio writes as JSON.
pub fn fio_json(bytes: &[u8]) {
    if let Err(error) = fio::json_in::parse(&text(bytes)) {
        assert!(!error.to_string().is_empty());
    }
}

/// What fio writes as logs.
pub fn fio_log(bytes: &[u8]) {
    let text = text(bytes);
    for offset in [false, true] {
        if let Err(error) = fio::log_in::parse_log(&text, LogKind::Bw, "fuzz", 1, offset) {
            assert!(error.line <= text.lines().count().max(1));
        }
    }
    if let Err(error) = fio::log_in::parse_hist_log(&text, "fuzz", 1) {
        assert!(error.line <= text.lines().count().max(1));
    }
}

/// Health logs: what is read can be computed with, printed, and read again.
pub fn health_log(bytes: &[u8]) {
    let text = text(bytes);
    match smart::read::snapshot("fuzz.json", &text) {
        Ok(snapshot) => {
            let named = smart::endurance::Named { file: "fuzz.json", snapshot: &snapshot };
            let options = smart::endurance::Options::default();
            let _ = smart::endurance::so_far(named, &options);
            let _ = smart::endurance::between(named, named, &options);
            let written = smart::write::smartctl(&snapshot, "0");
            assert!(!written.is_empty());
        }
        Err(error) => {
            assert!(!error.message.is_empty());
            let lines = text.split('\n').count();
            assert!(error.position.is_none_or(|p| (1..=lines).contains(&(p.line as usize))));
        }
    }
}

/// Block traces: what is read is in order, lies below 2^64, and fits where it is laid.
pub fn block_trace(bytes: &[u8]) {
    let formats = Format::ALL.iter().copied().map(Some);
    for format in formats.into_iter().chain([None]) {
        let whole = Box::new(Cursor::new(bytes.to_vec()));
        let mut reader = match trace::read("fuzz", whole, format) {
            Ok(reader) => reader,
            Err(error) => {
                assert!(!error.message.is_empty());
                continue;
            }
        };
        let mut last_ns = 0;
        let read = Summary::of(
            &mut reader,
            |request, devices| {
                assert!(request.at_ns >= last_ns, "time goes backwards");
                last_ns = request.at_ns;
                assert!(request.offset.checked_add(request.len).is_some());
                assert!((request.device as usize) < devices.len());
                true
            },
            |_| {},
        );
        match read {
            Ok(summary) => placed(&summary, bytes, format),
            Err(error) => {
                let lines = bytes.split(|b| *b == b'\n').count() as u64;
                assert!(!error.message.is_empty());
                assert!(
                    error
                        .line
                        .is_none_or(|line| (1..=lines.max(bytes.len() as u64)).contains(&line))
                );
            }
        }
    }
}

/// Every read and write of a trace lies on a target of any size that takes it.
fn placed(summary: &Summary, bytes: &[u8], format: Option<Format>) {
    const CAPACITY: u64 = 1 << 30;
    for overflow in [Overflow::Wrap, Overflow::Scale] {
        let Ok(placement) = Placement::new(summary, CAPACITY, 1, overflow) else { return };
        let whole = Box::new(Cursor::new(bytes.to_vec()));
        let Ok(reader) = trace::read("fuzz", whole, format) else { return };
        for request in reader.map_while(Result::ok).filter(|r| r.op != trace::Op::Trim) {
            let (start, len) = placement.of(&request);
            assert!(len >= request.len && len.is_multiple_of(512) && start.is_multiple_of(512));
            assert!(start + len <= CAPACITY, "{start} + {len} lies beyond the end");
        }
    }
}

/// Quantities with units: what is printed reads back as the same.
pub fn units(bytes: &[u8]) {
    let text = text(bytes);
    round_trip::<Bytes>(&text);
    round_trip::<Bandwidth>(&text);
    round_trip::<Power>(&text);
    round_trip::<Energy>(&text);
    round_trip::<Ratio>(&text);
    round_trip::<Duration>(&text);
    round_trip::<Count>(&text);
    let _ = metric::parse_quantity(&text);
}

fn round_trip<T>(text: &str)
where
    T: FromStr<Err = engine::UnitError> + Display + Debug,
{
    match text.parse::<T>() {
        Ok(value) => {
            let printed = value.to_string();
            let again = printed.parse::<T>().unwrap_or_else(|e| panic!("{text}: {printed}: {e}"));
            // Numbers beyond 2^53 are rounded once; from then on nothing may change.
            assert_eq!(again.to_string().parse::<T>().ok().map(|v| v.to_string()), Some(printed));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
