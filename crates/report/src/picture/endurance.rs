//! What `drivelab endurance` found in the health logs of drives: results between bounds, and how
//! long the drives last.

use super::Options;
use super::label::{Seen, words};
use crate::document::{
    Axis, Block, Cell, Chart, ChartKind, DataTable, Line, Scale, Section, Style, Tone,
};
use crate::quantity::short;
use crate::source::Source;
use answer::endurance::Interval;
use answer::origin::of_all;
use answer::{Answer, Endurance};
use metric::{Digits, Shown, plain};

/// Results in words, in the order in which they are shown.
const NAMES: [(&str, &str); 18] = [
    ("life_days", "life at this workload"),
    ("days_left", "days left from now"),
    ("warranty_days", "warranty ends after"),
    ("life_used", "life used so far"),
    ("tbw", "host writes over life (TBW)"),
    ("dwpd_now", "drive writes a day"),
    ("dwpd_warranty", "drive writes a day over warranty"),
    ("time", "time"),
    ("host_written", "host writes"),
    ("host_read", "host reads"),
    ("nand_written", "NAND writes"),
    ("bytes_per_day", "host writes a day"),
    ("write_amplification", "write amplification"),
    ("wear", "wear"),
    ("wear_per_day", "wear a day"),
    ("cost_per_gb", "cost of capacity"),
    ("cost_per_tb_written", "cost of writes"),
    ("cost_per_year", "cost of time"),
];
/// Results that are times of the drive's life, in days: they share a picture.
const LIVES: [&str; 3] = ["life_days", "days_left", "warranty_days"];

/// A drive by a name that no other has, and what its logs gave.
type Drive<'e> = (String, &'e Endurance);

/// One section for all endurance results.
pub fn sections(sources: &[Source], _: &Options) -> Vec<Section> {
    let drives = sources.iter().filter_map(|source| match &source.answer {
        Answer::Endurance(drive) => Some(drive),
        _ => None,
    });
    section(&drives.collect::<Vec<_>>()).into_iter().collect()
}

/// The section of all endurance results.
fn section(all: &[&Endurance]) -> Option<Section> {
    if all.is_empty() {
        return None;
    }
    let mut section = Section::new("Endurance", "endurance");
    let mut seen = Seen::default();
    let drives: Vec<Drive<'_>> = all.iter().map(|one| (seen.apart(one.name()), *one)).collect();
    section.blocks.extend(drives.iter().map(|drive| Block::Answer(lasts(drive))));
    section.blocks.extend(lives(&drives).map(Block::chart));
    for drive in &drives {
        section.blocks.push(Block::Table(table(drive)));
        let note = |note: &String| Block::Note(Tone::Info, note.clone());
        section.blocks.extend(drive.1.notes.iter().map(note));
        let shortfall = drive.1.shortfall.clone();
        section.blocks.extend(shortfall.map(|why| Block::Note(Tone::Problem, why)));
    }
    Some(section)
}

/// How long the drive lasts, in a sentence.
fn lasts((drive, endurance): &Drive<'_>) -> String {
    let told = |key: &str| endurance.results.get(key).filter(|r| r.value.is_some()).map(between);
    let parts = [
        ("life_days", "at this workload it lasts "),
        ("tbw", "over its life it takes host writes of "),
        ("life_used", "life used so far is "),
    ];
    let said: Vec<String> =
        parts.iter().filter_map(|(key, head)| Some(format!("{head}{}", told(key)?))).collect();
    match said.is_empty() {
        true => format!("{drive}: the logs do not tell how long it lasts."),
        false => format!("{drive}: {}.", said.join("; ")),
    }
}

/// A result with its bounds: `1000 days (750 to 1500 days)`.
fn between(result: &Interval) -> String {
    let end = |value: Option<f64>| value.map(|value| shown(&result.unit, value));
    let value = end(result.value).unwrap_or_else(|| "no limit".to_owned());
    match (end(result.low), end(result.high)) {
        (Some(low), Some(high)) if low == high => value,
        (Some(low), Some(high)) => format!("{value} ({low} to {high})"),
        (Some(low), None) => format!("{value} (at least {low})"),
        _ => value,
    }
}

/// A value in a unit that people read.
fn shown(unit: &str, value: f64) -> String {
    let volume = |value: f64| {
        let shown = Shown { digits: Digits::Four, ..Shown::of_volume(value) };
        (shown.number(value), shown.unit)
    };
    match unit {
        "B" => {
            let (number, unit) = volume(value);
            format!("{number} {unit}")
        }
        "B/day" => {
            let (number, unit) = volume(value);
            format!("{number} {unit}/day")
        }
        "s" => crate::quantity::text("s", "", value),
        "share" => format!("{} %", plain(value * 100.0)),
        "share/day" => format!("{} %/day", plain(value * 100.0)),
        "ratio" => format!("{} x", plain(value)),
        "drive writes/day" => format!("{} DWPD", plain(value)),
        other => format!("{} {other}", plain(value)),
    }
}

/// Results in the order in which they are shown, with their names.
fn results(endurance: &Endurance) -> Vec<(&str, String, &Interval)> {
    let place = |key: &str| NAMES.iter().position(|(known, _)| *known == key);
    let named = |(key, result)| -> (&str, String, &Interval) {
        let name = place(key).map_or_else(|| words(key), |at| NAMES[at].1.to_owned());
        (key, name, result)
    };
    let mut list: Vec<(&str, String, &Interval)> = endurance.results.iter().map(named).collect();
    list.sort_by_key(|(key, ..)| place(key).unwrap_or(usize::MAX));
    list
}

fn table((drive, endurance): &Drive<'_>) -> DataTable {
    let titles = ["Result", "#Value", "#At least", "#At most", "How it is known"];
    let origin = endurance.origin().word();
    let mut table = DataTable::new(format!("Endurance of {drive} ({origin})"), &titles);
    for (_, name, result) in results(endurance) {
        let cell = |value: Option<f64>| match value {
            Some(value) => Cell::number(shown(&result.unit, value), value),
            None => Cell::text("no limit"),
        };
        table.rows.push(vec![
            Cell::text(name),
            cell(result.value),
            cell(result.low),
            cell(result.high),
            Cell::text(&result.from),
        ]);
    }
    table
}

/// Times of the drives' lives with their bounds, a bar a drive.
fn lives(drives: &[Drive<'_>]) -> Option<Chart> {
    let has = |key: &&str| {
        drives.iter().any(|(_, one)| one.results.get(key).is_some_and(|r| r.value.is_some()))
    };
    let keys: Vec<&str> = LIVES.into_iter().filter(has).collect();
    let line = |(drive, endurance): &Drive<'_>| {
        let (mut points, mut intervals) = (Vec::new(), Vec::new());
        for (at, key) in keys.iter().enumerate() {
            let Some(result) = endurance.results.get(key) else { continue };
            let Some(value) = result.value else { continue };
            points.push([at as f64, short(value)]);
            let ends = result.low.zip(result.high);
            intervals.push(ends.map(|(low, high)| (short(low), short(high))));
        }
        let line = Line::new(drive.clone(), Style::Line, points);
        Line { intervals, drive: drive.clone(), ..line }
    };
    let name = |key: &str| {
        let known = NAMES.iter().find(|(known, _)| *known == key);
        known.map_or_else(|| words(key), |(_, name)| (*name).to_owned())
    };
    (!keys.is_empty()).then(|| Chart {
        kind: ChartKind::Bars,
        title: "How long the drives last".to_owned(),
        about: "Whiskers are the bounds that the steps of the counters leave open.".to_owned(),
        origin: of_all(drives.iter().map(|(_, one)| one.origin())).to_owned(),
        x: Axis::names("", keys.iter().map(|key| name(key)).collect()),
        y: Axis { from: Some(0.0), ..Axis::new("time", "days", Scale::Linear) },
        lines: drives.iter().map(line).collect(),
        ..Chart::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn results_stand_between_their_bounds() {
        let data = json!({
            "schema": Endurance::SCHEMA,
            "drive": { "model": "X", "serial": "1" },
            "results": {
                "wear": {
                    "value": 0.03, "low": 0.02, "high": 0.04, "unit": "share", "from": "log",
                },
                "life_days": { "value": 1000.0, "low": 750.0, "high": null, "unit": "days" },
            },
            "notes": ["a note"], "shortfall": null,
        });
        let endurance: Endurance = answer::read(&data).unwrap();
        let section = section(&[&endurance]).unwrap();
        let answer = "X (1): at this workload it lasts 1000 days (at least 750 days).";
        assert_eq!(section.blocks[0], Block::Answer(answer.to_owned()));
        let Block::Table(table) = &section.blocks[2] else { panic!("no table") };
        let texts: Vec<&str> = table.rows[1].iter().map(|cell| cell.text.as_str()).collect();
        assert_eq!(texts, ["wear", "3 %", "2 %", "4 %", "log"]);
        assert_eq!(table.rows[0][3].text, "no limit");
    }
}
