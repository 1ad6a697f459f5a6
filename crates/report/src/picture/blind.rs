//! Drives that were hidden and found again: how far twins are to be trusted.

use super::Options;
use super::twin::tests;
use crate::document::{
    Axis, Block, Cell, Chart, ChartKind, DataTable, Line, Scale, Section, Style, Tone,
};
use crate::number::{deviation, percent};
use crate::quantity::short;
use crate::source::Source;
use answer::Answer;
use answer::twin::{Blind, BlindDrive};

/// A section for every blind test.
pub fn sections(sources: &[Source], _: &Options) -> Vec<Section> {
    let blind = |source: &Source| match &source.answer {
        Answer::Blind(blind) => Some(section(blind)),
        _ => None,
    };
    sources.iter().filter_map(blind).collect()
}

fn section(blind: &Blind) -> Section {
    let mut section = Section::new("Hidden drives, found again", "twin-blind");
    section.blocks.push(Block::Answer(comes_to(blind)));
    section.blocks.push(Block::chart(unseen(blind)));
    section.blocks.push(Block::Table(over_all(blind)));
    section.blocks.extend(blind.drives.iter().map(details));
    section
}

fn comes_to(blind: &Blind) -> String {
    let sum =
        |of: fn(&answer::twin::BlindValue) -> usize| -> usize { blind.values.iter().map(of).sum() };
    let lost = blind.drives.iter().filter(|drive| drive.sibling.is_none()).count();
    let lost = if lost > 0 { format!(" Of {lost} no twin could be made.") } else { String::new() };
    format!(
        "{} of {} drives were drawn, hidden and found again. Of {} values that the twins say the \
         tests tell, {} are right within a tenth; {} of {} intervals of 90 % hold the true value. \
         Tests that no twin saw are off by {} in the median.{lost}",
        blind.drives.len(),
        blind.draws,
        sum(|value| value.told),
        sum(|value| value.within_tenth),
        sum(|value| value.covered),
        sum(|value| value.intervals),
        percent(blind.unseen_off),
    )
}

/// How far twins are off tests that they never saw: a group of bars a test, a bar a drive.
fn unseen(blind: &Blind) -> Chart {
    let mut names: Vec<&str> = Vec::new();
    for test in blind.drives.iter().flat_map(|drive| &drive.unseen) {
        if !names.contains(&test.id.as_str()) {
            names.push(&test.id);
        }
    }
    let line = |drive: &BlindDrive| {
        let off = |test: &answer::twin::TwinTest| {
            let at = names.iter().position(|name| *name == test.id)?;
            Some([at as f64, short(test.off() * 100.0)])
        };
        let points = drive.unseen.iter().filter_map(off).collect();
        let line = Line::new(drive.name(), Style::Dots, points);
        Line { drive: drive.name(), ..line }
    };
    Chart {
        kind: ChartKind::Lines,
        title: "Tests that no twin saw".to_owned(),
        origin: "modelled".to_owned(),
        x: Axis::names("", names.iter().map(|name| (*name).to_owned()).collect()),
        y: Axis::new("twin against hidden drive", "%", Scale::Linear),
        lines: blind.drives.iter().map(line).collect(),
        ..Chart::default()
    }
}

fn over_all(blind: &Blind) -> DataTable {
    let titles =
        ["Value", "#Told", "#Only agrees", "#Median off", "#Right within 10 %", "In its 90 %"];
    let mut table = DataTable::new("Values over all hidden drives", &titles);
    for value in &blind.values {
        let count = |count: usize| Cell::number(count.to_string(), count as f64);
        table.rows.push(vec![
            Cell::text(&value.key),
            count(value.told),
            count(value.agreeing),
            Cell::number(percent(value.median_off), short(value.median_off)),
            count(value.within_tenth),
            Cell::text(format!("{} of {}", value.covered, value.intervals)),
        ]);
    }
    table
}

fn details(drive: &BlindDrive) -> Block {
    let name = drive.name();
    let note = |note: &String| Block::Note(Tone::Info, note.clone());
    let mut blocks: Vec<Block> = Vec::new();
    if drive.sibling.is_some() {
        blocks.push(Block::Table(truths(drive)));
        blocks.push(Block::Table(tests("Tests that the twin never saw", &drive.unseen)));
        blocks.push(Block::Table(tests("Tests that the twin was made from", &drive.seen)));
    }
    blocks.extend(drive.notes.iter().map(note));
    let summary = match &drive.sibling {
        Some(sibling) => format!("{name}, a twin from {sibling}"),
        None => format!("{name}, no twin"),
    };
    Block::Details { summary, badge: None, blocks }
}

fn truths(drive: &BlindDrive) -> DataTable {
    let titles = ["Value", "True", "Found", "#Off", "Known", "In its 90 %"];
    let mut table = DataTable::new("True values and found ones", &titles);
    for truth in &drive.truths {
        let off = truth.off.map(|off| Cell::number(deviation(off), short(off)));
        let covered = match truth.covered {
            Some(true) => "yes",
            Some(false) => "no",
            None => "-",
        };
        table.rows.push(vec![
            Cell::text(&truth.key),
            Cell::text(&truth.truth),
            Cell::text(&truth.found),
            off.unwrap_or_else(|| Cell::text("-")),
            Cell::badge(truth.known.word()),
            Cell::text(covered),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn hidden_drives_come_with_what_was_right_and_what_was_lost() {
        let test = json!({
            "id": "mix.iops", "test": "70/30", "metric": "iops", "unit": "1/s",
            "measured": 100.0, "twin": 104.0,
        });
        let found = json!({
            "number": 1,
            "parent": "p4510-8tb", "sibling": "cd6-7.68tb", "unseen": [test], "seen": [],
            "seen_off": 0.01, "notes": [],
            "truths": [{
                "key": "flash.dies", "truth": "64 dies", "found": "128 dies", "off": 1.0,
                "known": "chosen", "covered": false,
            }],
        });
        let lost = json!({
            "number": 12,
            "parent": "x25-e-64gb", "sibling": null, "truths": [], "unseen": [], "seen": [],
            "seen_off": 0.0, "notes": ["no twin: too small"],
        });
        let data = json!({
            "schema": Blind::SCHEMA, "seed": 1, "draws": 3, "drives": [found, lost],
            "values": [{
                "key": "flash.dies", "told": 1, "agreeing": 0, "median_off": 1.0,
                "within_tenth": 0, "covered": 0, "intervals": 1,
            }],
            "unseen_off": 0.04,
        });
        let section = section(&answer::read(&data).unwrap());
        let Block::Answer(answer) = &section.blocks[0] else { panic!("no answer") };
        assert!(answer.starts_with("2 of 3 drives were drawn"), "{answer}");
        assert!(answer.contains("Of 1 values that the twins say"), "{answer}");
        assert!(answer.ends_with("4.0 % in the median. Of 1 no twin could be made."), "{answer}");
        let summary = |block: &Block| match block {
            Block::Details { summary, .. } => Some(summary.clone()),
            _ => None,
        };
        let told: Vec<String> = section.blocks.iter().filter_map(summary).collect();
        assert_eq!(told, ["1: p4510-8tb, a twin from cd6-7.68tb", "12: x25-e-64gb, no twin"]);
    }
}
