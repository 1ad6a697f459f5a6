//! A model made from tests of a drive: what the tests say of its values, and where both part.

use super::Options;
use crate::document::{
    Axis, Block, Cell, Chart, ChartKind, DataTable, Line, Scale, Section, Style, Tone,
};
use crate::number::{deviation, percent};
use crate::quantity::{short, text};
use crate::source::Source;
use answer::twin::{TwinKnown, TwinTest, TwinValue};
use answer::{Answer, Twin};

/// A section for every twin.
pub fn sections(sources: &[Source], _: &Options) -> Vec<Section> {
    let twin = |source: &Source| match &source.answer {
        Answer::Twin(twin) => Some(section(twin)),
        _ => None,
    };
    sources.iter().filter_map(twin).collect()
}

fn section(twin: &Twin) -> Section {
    let mut section = Section::new(format!("Twin of {}", twin.target), "twin");
    section.blocks.push(Block::Answer(comes_to(twin)));
    let title = "How far the twin is off each number that it was made from";
    section.blocks.push(Block::chart(distances(title, &twin.tests)));
    section.blocks.push(Block::Table(tests("Tests of the drive and of its twin", &twin.tests)));
    section.blocks.push(Block::Table(values(&twin.values)));
    section.blocks.extend(twin.notes.iter().map(|note| Block::Note(Tone::Info, note.clone())));
    section
}

/// What the twin is, in two sentences.
fn comes_to(twin: &Twin) -> String {
    let count = |known| twin.values.iter().filter(|value| value.known == known).count();
    let worst = twin.tests.iter().max_by(|a, b| a.off().abs().total_cmp(&b.off().abs()));
    let worst = worst.map_or_else(String::new, |test| {
        format!(", the furthest {} by {}", test.id, deviation(test.off()))
    });
    format!(
        "A model that begins with {} gives the {} numbers of the tests with a median distance of \
         {}{worst}. The tests fix {} values, choose {} among those that are possible, and agree \
         with {} that they do not tell.",
        twin.sibling,
        twin.tests.len(),
        percent(twin.median_off),
        count(TwinKnown::Measured),
        count(TwinKnown::Chosen),
        count(TwinKnown::Agreeing),
    )
}

/// How far a twin is off its tests, a bar a test.
fn distances(title: &str, tests: &[TwinTest]) -> Chart {
    let off = |(at, test): (usize, &TwinTest)| [at as f64, short(test.off() * 100.0)];
    let points = tests.iter().enumerate().map(off).collect();
    Chart {
        kind: ChartKind::Bars,
        title: title.to_owned(),
        origin: "measured and modelled".to_owned(),
        x: Axis::names("", tests.iter().map(|test| test.id.clone()).collect()),
        y: Axis::new("twin against drive", "%", Scale::Linear),
        lines: vec![Line::new("off", Style::Line, points)],
        ..Chart::default()
    }
}

/// Tests with what drive and twin give.
pub(super) fn tests(caption: &str, tests: &[TwinTest]) -> DataTable {
    let mut table =
        DataTable::new(caption, &["Test", "Metric", "#Drive", "#Twin", "#Twin against drive"]);
    for test in tests {
        let value = |value: f64| Cell::number(text(&test.unit, &test.metric, value), short(value));
        table.rows.push(vec![
            Cell::text(&test.test),
            Cell::text(&test.metric),
            value(test.measured),
            value(test.twin),
            Cell::number(deviation(test.off()), short(test.off())),
        ]);
    }
    table
}

fn values(values: &[TwinValue]) -> DataTable {
    let titles = ["Value", "Of the twin", "At least (90 %)", "At most (90 %)", "Known", "From"];
    let mut table = DataTable::new("Values that the tests speak of", &titles);
    for value in values {
        let (low, high) = value.interval90.clone().unzip();
        let end = |end: Option<String>| Cell::text(end.unwrap_or_else(|| "-".to_owned()));
        table.rows.push(vec![
            Cell::text(&value.key),
            Cell::text(&value.value),
            end(low),
            end(high),
            Cell::badge(value.known.word()),
            Cell::text(&value.why),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_twin_says_what_it_is_and_where_it_parts_from_its_drive() {
        let test = |id: &str, measured: f64, twin: f64| {
            json!({
                "id": id, "test": "rand read", "metric": "read_lat_mean", "unit": "s",
                "measured": measured, "twin": twin,
            })
        };
        let data = json!({
            "schema": Twin::SCHEMA, "target": "/dev/nvme1n1", "sibling": "p4510-8tb",
            "values": [
                {
                    "key": "nand.program", "value": "2 ms", "interval90": ["1.9 ms", "2.1 ms"],
                    "known": "measured", "why": "stream-write",
                },
                { "key": "nand.planes", "value": "4 planes", "known": "agreeing", "why": "" },
            ],
            "tests": [test("read-4k", 1e-4, 1.01e-4), test("beside", 1e-4, 0.9e-4)],
            "median_off": 0.055, "notes": ["no burst"],
        });
        let section = section(&answer::read(&data).unwrap());
        let Block::Answer(answer) = &section.blocks[0] else { panic!("no answer") };
        assert!(answer.contains("begins with p4510-8tb gives the 2 numbers"), "{answer}");
        assert!(answer.contains("5.5 %, the furthest beside by -10.0 %"), "{answer}");
        assert!(answer.contains("fix 1 values, choose 0"), "{answer}");
        let Block::Table(values) = &section.blocks[3] else { panic!("no table") };
        let texts: Vec<&str> = values.rows[0].iter().map(|cell| cell.text.as_str()).collect();
        assert_eq!(texts[..5], ["nand.program", "2 ms", "1.9 ms", "2.1 ms", "measured"]);
        assert_eq!(section.blocks.last(), Some(&Block::Note(Tone::Info, "no burst".to_owned())));
    }
}
