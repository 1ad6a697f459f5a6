//! A twin as text.

use answer::Twin;
use answer::twin::{Blind, BlindDrive, TwinTest, TwinValue};
use metric::{Metric, show_metric};
use report::{Column, Table};

/// The tables of a twin.
pub fn shown(twin: &Twin) -> String {
    let mut text = format!("{}, a twin from {}\n\n", twin.target, twin.sibling);
    text += &values(&twin.values).to_text();
    text += &format!("\n{}", tests(&twin.tests).to_text());
    text += &format!("\nMedian distance {:.1} %\n", 100.0 * twin.median_off);
    if !twin.notes.is_empty() {
        text += "\n";
    }
    for note in &twin.notes {
        text += &format!("- {note}\n");
    }
    text
}

fn values(values: &[TwinValue]) -> Table {
    let mut table = Table::new(vec![
        Column::left("Value"),
        Column::right("Twin"),
        Column::left("90 %"),
        Column::left("Known"),
        Column::left("By"),
    ]);
    for value in values {
        let around = value.interval90.as_ref();
        table.row(vec![
            value.key.clone(),
            value.value.clone(),
            around.map_or_else(|| "-".to_owned(), |(low, high)| format!("{low} to {high}")),
            value.known.word().to_owned(),
            value.why.clone(),
        ]);
    }
    table
}

fn tests(tests: &[TwinTest]) -> Table {
    let mut table = Table::new(vec![
        Column::left("Test"),
        Column::right("Measured"),
        Column::right("Twin"),
        Column::right("Off"),
    ]);
    for test in tests {
        let text = |value: f64| match Metric::parse(&test.metric) {
            Ok((metric, _)) => show_metric(metric.name(), metric.dimension(), value),
            Err(_) => value.to_string(),
        };
        table.row(vec![
            test.id.clone(),
            text(test.measured),
            text(test.twin),
            format!("{:+.1} %", 100.0 * test.off()),
        ]);
    }
    table
}

/// Drives that were hidden and found again.
pub fn blind(blind: &Blind) -> String {
    let mut text = String::new();
    for drive in &blind.drives {
        text += &one(drive);
    }
    let mut table = Table::new(vec![
        Column::left("Value"),
        Column::right("Told"),
        Column::right("Only agrees"),
        Column::right("Median off"),
        Column::right("Within 10 %"),
        Column::right("In its 90 %"),
    ]);
    for value in &blind.values {
        table.row(vec![
            value.key.clone(),
            value.told.to_string(),
            value.agreeing.to_string(),
            format!("{:.1} %", 100.0 * value.median_off),
            format!("{} of {}", value.within_tenth, value.told),
            format!("{} of {}", value.covered, value.intervals),
        ]);
    }
    text += &format!("Over all drives\n\n{}", table.to_text());
    text + &format!("\nTests that were never seen: median {:.1} %\n", 100.0 * blind.unseen_off)
}

fn one(drive: &BlindDrive) -> String {
    let mut table = Table::new(vec![
        Column::left("Value"),
        Column::right("True"),
        Column::right("Found"),
        Column::right("Off"),
        Column::left("Known"),
        Column::left("In its 90 %"),
    ]);
    for truth in &drive.truths {
        table.row(vec![
            truth.key.clone(),
            truth.truth.clone(),
            truth.found.clone(),
            truth.off.map_or_else(|| "-".to_owned(), |off| format!("{:+.1} %", 100.0 * off)),
            truth.known.word().to_owned(),
            match truth.covered {
                Some(true) => "yes",
                Some(false) => "no",
                None => "-",
            }
            .to_owned(),
        ]);
    }
    let Some(sibling) = &drive.sibling else {
        return format!("{}, hidden: {}\n\n", drive.parent, drive.notes.join("; "));
    };
    let mut text = format!("{}, hidden; a twin from {sibling}\n\n", drive.parent);
    text += &format!("{}\n{}", table.to_text(), tests(&drive.unseen).to_text());
    text += &format!("\nTests that it was made from: median {:.1} %\n", 100.0 * drive.seen_off);
    for note in &drive.notes {
        text += &format!("- {note}\n");
    }
    text + "\n"
}
