//! The timeline of a served drive as a table.

use metric::{Dimension, plain, show};
use report::{Column, Table};
use stats::Series;

/// Rows at most: the last ones.
const ROWS: usize = 40;

/// The last stretches, a row each, and the phases.
pub(super) fn timeline(series: &Series) -> String {
    let mut columns = vec![Column::right("Time"), Column::left("Phase")];
    columns
        .extend(["Reads", "Writes", "Rate", "Latency", "WA", "Power", "Heat"].map(Column::right));
    let mut table = Table::new(columns);
    let first = series.len().saturating_sub(ROWS);
    for row in first..series.len() {
        table.row(cells(series, row));
    }
    let mut text = table.to_text();
    if first > 0 {
        text.push_str(&format!("{first} earlier stretches are in --json and in --record\n"));
    }
    text
}

fn cells(series: &Series, row: usize) -> Vec<String> {
    let end = series.time_s[row];
    let phase = series.phases.iter().rev().find(|phase| phase.from_s < end);
    let of = |column: &[f64], dimension| {
        column.get(row).map_or("-".to_owned(), |value| show(dimension, *value))
    };
    // With one direction only, its rate is that of all.
    let total = series.iops.get(row).copied().unwrap_or(0.0);
    let rate = |column: &[f64], alone: bool| match column.get(row) {
        Some(rate) => show(Dimension::Rate, *rate),
        None if alone && total > 0.0 => show(Dimension::Rate, total),
        None => "-".to_owned(),
    };
    let kind = phase.map(|phase| phase.kind);
    vec![
        show(Dimension::Time, end),
        phase.map_or(String::new(), |phase| phase.name.clone()),
        rate(&series.read_iops, kind == Some(stats::PhaseKind::Read)),
        rate(&series.write_iops, kind == Some(stats::PhaseKind::Write)),
        of(&series.bytes_per_s, Dimension::Bandwidth),
        known(&series.latency_mean_s, row, |value| show(Dimension::Time, value)),
        known(&series.write_amplification, row, |value| format!("{value:.2}")),
        of(&series.watts, Dimension::Power),
        series.celsius.get(row).map_or("-".to_owned(), |c| format!("{} C", plain(*c))),
    ]
}

fn known(column: &[Option<f64>], row: usize, show: impl Fn(f64) -> String) -> String {
    column.get(row).copied().flatten().map_or("-".to_owned(), show)
}
