//! A report on endurance as a table, or as an answer.

use answer::{Endurance, endurance};
use metric::{Digits, Dimension, Shown, show};
use report::{Column, Table};
use smart::endurance::{Report, Row, Unit};
use smart::{Interval, Snapshot};

/// A table with one line for each result: value, bounds, unit, and how it is computed.
pub fn table(report: &Report, drive: &Snapshot) -> String {
    let mut table = Table::new(vec![
        Column::left(""),
        Column::right("value"),
        Column::right("at least"),
        Column::right("at most"),
        Column::left("unit"),
        Column::left("from"),
    ]);
    for row in &report.rows {
        let (unit, name) = unit_of(row);
        let number = |value: f64| match value {
            value if value.is_infinite() => "no limit".to_owned(),
            value => unit.number(value),
        };
        let value = row.value;
        table.row(vec![
            row.name.to_owned(),
            number(value.value),
            number(value.low),
            number(value.high),
            name,
            row.formula.clone(),
        ]);
    }
    let mut text = heading(drive);
    text.push('\n');
    text.push_str(&table.to_text());
    for note in &report.notes {
        text.push_str(&format!("Note: {note}.\n"));
    }
    text
}

/// Which drive it is, in a line.
fn heading(drive: &Snapshot) -> String {
    let identity = &drive.identity;
    let mut parts = vec![identity.model.clone().unwrap_or_else(|| "drive without a name".into())];
    parts.extend(identity.serial.as_ref().map(|serial| format!("serial {serial}")));
    let capacity = identity.capacity_bytes;
    parts.extend(capacity.map(|bytes| show(Dimension::Bytes, bytes as f64)));
    parts.extend(identity.protocol.map(|protocol| protocol.name().to_owned()));
    format!("{}\n", parts.join(", "))
}

/// The unit of a row, and its name in the table.
fn unit_of(row: &Row) -> (Shown, String) {
    let Interval { value, high, .. } = row.value;
    // A counter that has not moved is shown in the unit of its bound.
    let size = if value > 0.0 || high.is_infinite() { value } else { high };
    let number = |scale: f64| Shown { scale, ..Shown::of(Dimension::Number, 1.0) };
    let bytes = || Shown { digits: Digits::Four, ..Shown::of_volume(size) };
    let named = |shown: Shown| (shown, shown.unit.to_owned());
    match &row.unit {
        Unit::Bytes => named(bytes()),
        Unit::BytesPerDay => (bytes(), format!("{}/day", bytes().unit)),
        Unit::Seconds => named(Shown::of(Dimension::Time, size)),
        Unit::Days => (number(1.0), "days".to_owned()),
        Unit::Share => (number(0.01), "%".to_owned()),
        Unit::SharePerDay => (number(0.01), "%/day".to_owned()),
        Unit::Ratio => (number(1.0), "x".to_owned()),
        Unit::DriveWritesPerDay => (number(1.0), "DWPD".to_owned()),
        Unit::Cycles => (number(1.0), "cycles".to_owned()),
        Unit::Money { currency, per } => (number(1.0), format!("{currency} per {per}")),
    }
}

/// The answer; values in base units (bytes, seconds, days, shares of one). A bound that does not
/// exist is left open.
pub fn answer(report: &Report, drive: &Snapshot) -> Endurance {
    let number = |value: f64| Some(value).filter(|value| value.is_finite());
    let result = |row: &Row| {
        let interval = endurance::Interval {
            value: number(row.value.value),
            low: number(row.value.low),
            high: number(row.value.high),
            unit: base_unit(&row.unit),
            from: row.formula.clone(),
        };
        (row.key.to_owned(), interval)
    };
    let identity = &drive.identity;
    Endurance {
        schema: Endurance::SCHEMA.to_owned(),
        drive: endurance::Drive {
            model: identity.model.clone(),
            serial: identity.serial.clone(),
            firmware: identity.firmware.clone(),
            capacity_bytes: identity.capacity_bytes,
            protocol: identity.protocol.map(|protocol| protocol.name().to_owned()),
        },
        results: report.rows.iter().map(result).collect(),
        notes: report.notes.clone(),
        shortfall: report.shortfall.as_ref().map(|why| why.message.clone()),
    }
}

fn base_unit(unit: &Unit) -> String {
    match unit {
        Unit::Bytes => "B".to_owned(),
        Unit::BytesPerDay => "B/day".to_owned(),
        Unit::Seconds => "s".to_owned(),
        Unit::Days => "days".to_owned(),
        Unit::Share => "share".to_owned(),
        Unit::SharePerDay => "share/day".to_owned(),
        Unit::Ratio => "ratio".to_owned(),
        Unit::DriveWritesPerDay => "drive writes/day".to_owned(),
        Unit::Cycles => "cycles".to_owned(),
        Unit::Money { currency, per } => format!("{currency}/{per}"),
    }
}
