//! The header that SNIA's specification asks of a report: what was tested, where, how and when.

use crate::document::{Cell, DataTable};
use crate::source::Source;
use answer::measured::Measured;
use answer::{Answer, Origin};
use metric::{Shown, plain};
use serde_json::Value;
use std::collections::BTreeMap;

/// What methods of that specification begin with.
const METHODS: &str = "snia-";

/// Those that measure demand over threads and depths.
const DEMAND: [&str; 2] = ["snia-cbw", "snia-dirth"];

/// A drive that was tested, with all that the header says of it.
struct Subject<'a> {
    source: &'a Source,
    /// The test.
    method: &'a str,
    measured: &'a Measured,
    /// Parameters of the test.
    params: &'a BTreeMap<String, String>,
    /// What the Record keeps of it; null if there is none.
    about: &'a Value,
    /// Share of its capacity that was simulated.
    scale: f64,
    /// Who made the test, as the one who makes the report says.
    operator: Option<&'a str>,
}

/// A line of the header: its title, and what it says of a drive.
type Line = (&'static str, fn(&Subject) -> Option<String>);

/// The header, from above.
const LINES: [Line; 20] = [
    ("Device under test", device),
    ("Firmware", |subject| drive(subject, "firmware")),
    ("Serial number", |subject| text(&subject.real()["device"]["identities"][0])),
    ("User capacity", capacity),
    ("Interface", interface),
    ("Flash", |subject| text(&subject.about["model"]["nand"])),
    ("Write buffer", |subject| value(&subject.about["model"]["buffer"]["size"])),
    ("Tested as", tested_as),
    ("Specification", specification),
    ("Data pattern", data_pattern),
    ("Active range", |subject| Some(param(subject, "partition").unwrap_or("100 %").to_owned())),
    ("Segments of it", |_| Some("1".to_owned())),
    ("Outstanding I/Os", outstanding),
    ("Preconditioning", preconditioning),
    ("Rounds", rounds),
    ("Purge", purge),
    ("Hardware", |subject| text(&subject.real()["hardware"])),
    ("Software", software),
    ("Operator", |subject| subject.operator.map(str::to_owned)),
    ("Date of the test", |subject| Some(subject.source.date.clone())),
];

/// The header of the tests of a method; `None` if it is not one of SNIA's. Lines about which
/// nothing is known are left out.
pub fn table(method: &str, sources: &[Source], operator: Option<&str>) -> Option<DataTable> {
    if !method.starts_with(METHODS) {
        return None;
    }
    let subjects: Vec<Subject> =
        sources.iter().flat_map(|source| of(source, method, operator)).collect();
    let mut titles = vec!["Report header"];
    titles.extend(subjects.iter().map(|subject| subject.measured.target.as_str()));
    let mut table = DataTable::new("What was tested, and how", &titles);
    for (title, says) in LINES {
        let said: Vec<Option<String>> = subjects.iter().map(says).collect();
        if said.iter().flatten().any(|text| !text.is_empty()) {
            let cells = said.into_iter().map(|text| Cell::text(text.unwrap_or_default()));
            table.rows.push(std::iter::once(Cell::text(title)).chain(cells).collect());
        }
    }
    Some(table)
}

/// The drives that a source has tests of a method of.
fn of<'a>(source: &'a Source, method: &str, operator: Option<&'a str>) -> Vec<Subject<'a>> {
    let Answer::Tested(tested) = &source.answer else { return Vec::new() };
    if tested.method != method {
        return Vec::new();
    }
    let whole = (&Value::Null, 1.0);
    let subject = |measured: &'a Measured| {
        let known = source.outcome.targets.iter().find(|one| one.name == measured.target);
        // A test of several real drives keeps all of them in one place.
        let known = known.or_else(|| source.outcome.targets.first());
        let (about, scale) = known.map_or(whole, |target| (&target.configuration, target.scale));
        Subject {
            source,
            method: &tested.method,
            measured,
            params: &tested.params,
            about,
            scale,
            operator,
        }
    };
    tested.targets.iter().map(subject).collect()
}

impl Subject<'_> {
    /// What is known of a real drive; null of a model.
    fn real(&self) -> &Value {
        let all = self.about["targets"].as_array().map_or(&[][..], Vec::as_slice);
        all.iter()
            .find(|one| one["path"] == self.measured.target)
            .unwrap_or(&self.about["targets"][0])
    }
}

/// A parameter of the test.
fn param<'a>(subject: &Subject<'a>, name: &str) -> Option<&'a str> {
    subject.params.get(name).map(String::as_str)
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(|text| text.trim().to_owned())
}

/// A value of a model, which stands beside its source.
fn value(of: &Value) -> Option<String> {
    text(&of["value"])
}

fn drive(subject: &Subject, key: &str) -> Option<String> {
    text(&subject.real()["device"][key])
}

fn device(subject: &Subject) -> Option<String> {
    drive(subject, "model").or_else(|| text(&subject.about["model"]["name"]))
}

/// The link: of a real drive as it ran.
fn interface(subject: &Subject) -> Option<String> {
    let conditions = subject.about["conditions"].as_array();
    let mut links = conditions.into_iter().flatten().filter_map(|one| text(&one["link"]["now"]));
    links.next().or_else(|| value(&subject.about["model"]["link"]["interface"]))
}

fn specification(subject: &Subject) -> Option<String> {
    let version = param(subject, "pts").unwrap_or("2.0");
    // A test without the parameter is one of enterprise drives alone.
    let of = param(subject, "spec").unwrap_or("enterprise");
    Some(format!("SNIA SSS PTS {version}, {of}"))
}

/// What is written: random bytes, unless the test says how far they can be compressed.
fn data_pattern(subject: &Subject) -> Option<String> {
    let compress = param(subject, "compress").filter(|share| *share != "0 %");
    Some(compress.map_or("random".to_owned(), |share| format!("{share} of it compresses")))
}

fn outstanding(subject: &Subject) -> Option<String> {
    let [threads, depth] = ["threads", "thread_qd"].map(|name| param(subject, name));
    let (Some(threads), Some(depth)) = (threads, depth) else {
        // Tests of demand go through all of them.
        return DEMAND.contains(&subject.method).then(|| "TC 32, QD 32 down to TC 1, QD 1".into());
    };
    Some(format!("TC {threads}, QD {depth}"))
}

/// What was written before the test itself: how often in order, as its own text says.
fn preconditioning(subject: &Subject) -> Option<String> {
    let fills = subject.about["steps"].as_array()?;
    let fio = fills.iter().filter_map(|step| step["fio"].as_str());
    let passes = fio.filter(|job| job.contains("rw=write") && !job.contains("time_based")).count();
    Some(match passes {
        0 => "none in order".to_owned(),
        passes => format!("{passes} passes in order"),
    })
}

/// How many rounds there were, and whether they came to rest.
fn rounds(subject: &Subject) -> Option<String> {
    let all: Vec<String> = subject
        .measured
        .convergence
        .iter()
        .map(|one| {
            let rounds = one.tracked.iter().map(|one| one.rounds.values.len()).max().unwrap_or(0);
            format!("{rounds}{}", if one.steady() { "" } else { ", not steady" })
        })
        .collect();
    (!all.is_empty()).then(|| all.join("; "))
}

fn capacity(subject: &Subject) -> Option<String> {
    let real = subject.real()["size_bytes"].as_f64();
    let real = real.map(|bytes| Shown::of_volume(bytes).text(bytes));
    real.or_else(|| value(&subject.about["model"]["body"]["capacity"]))
}

fn tested_as(subject: &Subject) -> Option<String> {
    let origin = subject.source.origin(&subject.measured.target, subject.measured.origin);
    match origin {
        Origin::Measured => text(&subject.real()["kind"]),
        _ if subject.scale < 1.0 => {
            Some(format!("a model, at 1/{} of its capacity", plain((1.0 / subject.scale).round())))
        }
        _ => Some("a model".to_owned()),
    }
}

/// How the drive was purged; a model begins as a new drive.
fn purge(subject: &Subject) -> Option<String> {
    if !subject.about["model"].is_null() {
        return Some("a new drive".to_owned());
    }
    let steps = subject.about["steps"].as_array()?;
    let way = steps.iter().find_map(|step| text(&step["purge"]));
    Some(way.unwrap_or_else(|| "none".to_owned()))
}

fn software(subject: &Subject) -> Option<String> {
    let real = subject.real();
    let around = ["fio", "kernel"].map(|key| {
        let version = text(&real[key])?;
        Some(if key == "kernel" { format!("Linux {version}") } else { version })
    });
    let own = (!subject.source.outcome.version.is_empty())
        .then(|| format!("drivelab {}", subject.source.outcome.version));
    let all: Vec<String> = own.into_iter().chain(around.into_iter().flatten()).collect();
    Some(all.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use stats::{Kind, Outcome, Target};

    fn source(configuration: Value, name: &str, scale: f64) -> Source {
        let measured = json!({
            "target": name, "metrics": {}, "points": [], "series": [], "histograms": [],
            "limited_by": [], "warnings": [], "provenance": { "exact": false, "about": "SNIA" },
        });
        let data = json!({
            "method": "snia-tp", "params": {
                "spec": "client", "partition": "75 %", "threads": "1", "thread_qd": "32",
            }, "targets": [measured],
        });
        let target = Target { name: name.to_owned(), configuration, scale, ..Target::default() };
        let outcome = Outcome {
            kind: Kind::Method,
            version: "0.0.0".to_owned(),
            targets: vec![target],
            data,
            ..Outcome::default()
        };
        let date = "Fri Nov 27 11:09:36 2026 UTC".to_owned();
        Source { date, ..Source::of_outcome("a.json", outcome).unwrap() }
    }

    fn rows(table: &DataTable) -> Vec<(&str, &str)> {
        table.rows.iter().map(|row| (row[0].text.as_str(), row[1].text.as_str())).collect()
    }

    #[test]
    fn of_a_model_it_says_what_the_model_is() {
        let about = json!({ "model": {
            "name": "A Drive 8TB", "nand": "tlc", "body": { "capacity": { "value": "8 TB" } },
            "link": { "interface": { "value": "PCIe 3.0 x4" } },
        } });
        let sources = [source(about, "a-drive", 1.0 / 466.0)];
        let table = table("snia-tp", &sources, Some("A. Tester")).unwrap();
        let expected = [
            ("Device under test", "A Drive 8TB"),
            ("User capacity", "8 TB"),
            ("Interface", "PCIe 3.0 x4"),
            ("Flash", "tlc"),
            ("Tested as", "a model, at 1/466 of its capacity"),
            ("Specification", "SNIA SSS PTS 2.0, client"),
            ("Data pattern", "random"),
            ("Active range", "75 %"),
            ("Segments of it", "1"),
            ("Outstanding I/Os", "TC 1, QD 32"),
            ("Purge", "a new drive"),
            ("Software", "drivelab 0.0.0"),
            ("Operator", "A. Tester"),
            ("Date of the test", "Fri Nov 27 11:09:36 2026 UTC"),
        ];
        assert_eq!(rows(&table), expected);
    }

    #[test]
    fn of_a_real_drive_it_says_what_the_drive_told() {
        let about = json!({ "kind": "real", "targets": [{
            "path": "/dev/sdx", "kind": "device", "size_bytes": 480_103_981_056_u64,
            "fio": "fio-3.33", "kernel": "6.1.0", "hardware": "2 x ACME CPU, 24 GiB",
            "device": { "model": "ACME 480 ", "firmware": "A1", "identities": ["S-1", "wwn"] },
        }], "conditions": [{ "link": { "now": "8.0 GT/s PCIe x4" } }], "steps": [
            { "fio": "[fill]\nrw=write\n" }, { "fio": "[fill]\nrw=write\n" },
            { "fio": "[load]\nrw=write\ntime_based=1\n" },
            { "purge": "ATA secure erase", "path": "/dev/sdx" },
        ] });
        let table = table("snia-tp", &[source(about, "/dev/sdx", 1.0)], None).unwrap();
        let rows = rows(&table);
        assert_eq!(
            rows[..3],
            [("Device under test", "ACME 480"), ("Firmware", "A1"), ("Serial number", "S-1"),]
        );
        assert!(rows.contains(&("User capacity", "480.1 GB")), "{rows:?}");
        assert!(rows.contains(&("Interface", "8.0 GT/s PCIe x4")), "{rows:?}");
        assert!(rows.contains(&("Preconditioning", "2 passes in order")), "{rows:?}");
        assert!(rows.contains(&("Purge", "ATA secure erase")), "{rows:?}");
        assert!(rows.contains(&("Hardware", "2 x ACME CPU, 24 GiB")), "{rows:?}");
        assert!(rows.contains(&("Software", "drivelab 0.0.0, fio-3.33, Linux 6.1.0")), "{rows:?}");
    }

    #[test]
    fn other_methods_have_none() {
        assert!(table("corner", &[], None).is_none());
    }
}
