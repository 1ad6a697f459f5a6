//! Targets side by side: the table of `drivelab compare`, and what it comes to in words.

use crate::limited::lines;
use crate::table::{Column, Table};
use answer::Comparison;
use answer::comparison::{Cell, Row, Spot, SummedUp};
use answer::origin::apart;
use metric::{Dimension, Shown, plain};

/// The comparison as plain text: two lines a metric, the values and below them the differences.
pub fn comparison_table(result: &Comparison) -> String {
    let origins = result.targets.iter().map(|target| (target.name.clone(), target.origin()));
    let mut columns = vec![Column::left("Load"), Column::left("Metric")];
    let names = apart(&origins.collect::<Vec<_>>());
    columns.extend(names.iter().map(|name| Column::right(name)));
    let mut table = Table::new(columns);
    let mut load = "";
    let mut unsure = false;
    for row in &result.rows {
        // The load of a group of rows is in its first.
        let shown = if row.load == load { "" } else { &row.load };
        load = &row.load;
        let mut values = vec![shown.to_owned(), row.metric.clone()];
        let mut below = vec![String::new(), String::new()];
        let mut real = vec![String::new(), String::new()];
        let unit = shown_in(row);
        for cell in &row.cells {
            let (value, difference) = match cell {
                Some(cell) => cells(cell, unit),
                None => ("-".to_owned(), String::new()),
            };
            unsure |= value.ends_with('?');
            values.push(value);
            below.push(difference);
            real.push(cell.as_ref().map(|cell| of_real(cell, unit)).unwrap_or_default());
        }
        table.row(values);
        table.row(below);
        if real.iter().any(|said| !said.is_empty()) {
            table.row(real);
        }
    }
    let mut text = table.to_text();
    if unsure {
        text.push_str("? rests on too few samples\n");
    }
    for paragraph in verdicts(result) {
        text.push_str(&format!("\n{paragraph}\n"));
    }
    text.push_str(&limits(result));
    text
}

/// What limits the targets: a line a load if it is the same for all, else one a target.
fn limits(result: &Comparison) -> String {
    let mut text = String::new();
    for of_load in result.limits.chunk_by(|a, b| a.load == b.load) {
        let all: Vec<String> =
            of_load.iter().map(|one| lines(&one.limited_by).join("; ")).collect();
        let load = &of_load[0].load;
        if all.len() == result.targets.len() && all.iter().all(|said| *said == all[0]) {
            text.push_str(&format!("  {load}: {}\n", all[0]));
            continue;
        }
        text.push_str(&format!("  {load}\n"));
        for (one, said) in of_load.iter().zip(&all) {
            text.push_str(&format!("    {}: {said}\n", one.target));
        }
    }
    if !text.is_empty() {
        text.insert_str(0, "\nLimited by\n");
    }
    text
}

/// What the comparison comes to: what the numbers rest on, and a paragraph a target.
pub(crate) fn verdicts(result: &Comparison) -> Vec<String> {
    let targets = result.summary.iter().map(|summary| in_words(summary, &result.baseline));
    std::iter::once(how(result)).chain(targets).collect()
}

/// The unit of a row: one for all targets, so that their values can be seen against each other.
/// The file names one too, of which no reader of a report is bound to know.
pub(crate) fn shown_in(row: &Row) -> Shown {
    let means = row.cells.iter().flatten().map(|cell| cell.mean.abs());
    let dimension = Dimension::of_base(&row.unit).unwrap_or(Dimension::Number);
    Shown::of_metric(&row.metric, dimension, means.fold(0.0, f64::max))
}

/// A value, and the line below it: its scatter, or the difference with its verdict.
fn cells(cell: &Cell, unit: Shown) -> (String, String) {
    let doubt = if cell.too_few_samples { "?" } else { "" };
    let value = format!("{}{doubt}", unit.text(cell.mean));
    let Some((difference, verdict)) = cell.difference.zip(cell.verdict) else {
        let share = cell.half_width / cell.mean.abs();
        let scatter = match cell.mean == 0.0 {
            true => String::new(),
            false => format!("+-{} %", shares(share, share).1),
        };
        return (value, scatter);
    };
    let said = match difference.relative.zip(difference.relative_half_width) {
        Some((relative, width)) => {
            let (share, width) = shares(relative, width);
            format!("{share} +-{width} %")
        }
        // Nothing can be a share of zero.
        None => {
            let sign = if difference.value > 0.0 { "+" } else { "" };
            let (value, width) = (unit.number(difference.value), unit.text(difference.half_width));
            format!("{sign}{value} +-{width}")
        }
    };
    (value, format!("{said} {}", verdict.word()))
}

/// Where the real drive lies: its value, or its difference to the real baseline.
fn of_real(cell: &Cell, unit: Shown) -> String {
    match (&cell.ratio90, &cell.interval90) {
        (Some(ratio), _) => {
            let share = |end: f64| format!("{:+.0}", (end - 1.0) * 100.0);
            format!("real: {} to {} %", share(ratio.low), share(ratio.high))
        }
        (None, Some(value)) => {
            format!("real: {} to {}", unit.number(value.low), unit.text(value.high))
        }
        (None, None) => String::new(),
    }
}

/// A difference and its uncertainty in percent, with as many decimals as the uncertainty bears.
fn shares(share: f64, width: f64) -> (String, String) {
    let (share, width) = (share * 100.0, width * 100.0);
    let decimals = match width {
        w if w >= 10.0 => 0,
        w if w >= 0.1 || w == 0.0 => 1,
        w if w >= 0.01 => 2,
        _ => 3,
    };
    (format!("{share:+.decimals$}"), format!("{width:.decimals$}"))
}

/// What the numbers rest on.
fn how(result: &Comparison) -> String {
    let Comparison { baseline, repeats, .. } = result;
    let confidence = plain(result.confidence * 100.0);
    let all = match result.comparisons {
        1 => "for the one comparison".to_owned(),
        n => format!("for all {n} comparisons together (Holm)"),
    };
    let real = match result.rows.iter().flat_map(|row| &row.cells).flatten().any(is_drawn) {
        true => {
            "\n`real` is where the real drives lie with a probability of 90 %, by what is not \
             known of their models."
        }
        false => "",
    };
    format!(
        "Means of {repeats} runs. Differences are to {baseline}; +- is the {confidence} % \
         interval of each by itself.\n`better`, `worse` and `differs` hold {all} with \
         {confidence} % confidence.{real}"
    )
}

fn is_drawn(cell: &Cell) -> bool {
    cell.interval90.is_some()
}

/// A target's summary as sentences.
fn in_words(summary: &SummedUp, baseline: &str) -> String {
    let certain = Some(&summary.certain).filter(|rows| !rows.is_empty());
    let certain = certain.into_iter().flat_map(|rows| listed("certain of the real drives", rows));
    let kinds = [
        ("better", &summary.better),
        ("worse", &summary.worse),
        ("different", &summary.differs),
        ("within noise", &summary.within_noise),
    ];
    let said = kinds.iter().filter(|(_, rows)| !rows.is_empty());
    let parts = said.flat_map(|(word, rows)| listed(word, rows));
    let verdict = match kinds.map(|(_, rows)| rows.len()) {
        [0, 0, 0, 0] => "nothing could be compared",
        [0, 0, 0, _] => "no difference is more than noise",
        [0, 0, _, _] => "different, and neither better nor worse by itself",
        [_, 0, _, _] => "better wherever the two differ",
        [0, _, _, _] => "worse wherever the two differ",
        _ => "better in some ways, worse in others",
    };
    let head = format!("{} against {baseline}: {verdict}.", summary.target);
    std::iter::once(head).chain(parts).chain(certain).collect::<Vec<_>>().join("\n")
}

/// Widest line of a list, in characters, where its groups allow it.
const WIDTH: usize = 100;

/// Rows by load, in lines: `  better in 3: rand read (iops, read_lat_mean); seq write (bandwidth)`.
fn listed(word: &str, rows: &[Spot]) -> Vec<String> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for Spot { load, metric } in rows {
        match groups.last_mut() {
            Some((last, metrics)) if last == load => metrics.push(metric),
            _ => groups.push((load, vec![metric])),
        }
    }
    let mut lines = vec![format!("  {word} in {}:", rows.len())];
    let last = groups.len().saturating_sub(1);
    for (i, (load, metrics)) in groups.into_iter().enumerate() {
        let group = format!(" {load} ({}){}", metrics.join(", "), if i < last { ";" } else { "" });
        match lines.last_mut() {
            Some(line) if i == 0 || line.len() + group.len() <= WIDTH => line.push_str(&group),
            _ => lines.push(format!("   {group}")),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use answer::comparison::Limited;
    use serde_json::{Value, json};
    use stats::{Limit, LimitedBy};

    fn row(load: &str, metric: &str, unit: &str, cells: Vec<Value>) -> Value {
        json!({ "load": load, "metric": metric, "unit": unit, "cells": cells })
    }

    fn result() -> Comparison {
        let baseline = |mean: f64| {
            let half_width = mean * 0.001;
            json!({ "mean": mean, "half_width": half_width, "too_few_samples": false })
        };
        let other = |mean: f64, relative: f64, verdict: &str| {
            json!({
                "mean": mean, "half_width": 0.0, "too_few_samples": verdict == "within noise",
                "difference": {
                    "value": mean, "half_width": 1e-6,
                    "relative": relative, "relative_half_width": 0.002,
                },
                "verdict": verdict,
            })
        };
        let result = json!({
            "baseline": "a", "confidence": 0.95, "repeats": 5, "comparisons": 2,
            "targets": [{ "name": "a" }, { "name": "b" }],
            "rows": [
                row("rand read", "iops", "1/s",
                    vec![baseline(1e5), other(9e4, -0.1, "worse")]),
                row("rand read", "read_lat_p99.99", "s",
                    vec![baseline(1e-4), other(1.001e-4, 0.001, "within noise")]),
                row("rand write", "power", "W", vec![baseline(9.0), Value::Null]),
            ],
            "summary": [{
                "target": "b", "better": [], "differs": [],
                "worse": [{ "load": "rand read", "metric": "iops" }],
                "within_noise": [{ "load": "rand read", "metric": "read_lat_p99.99" }],
            }],
        });
        answer::read(&result).unwrap()
    }

    #[test]
    fn a_metric_is_two_lines_and_the_verdict_stands_below_the_value() {
        let text = comparison_table(&result());
        let lines: Vec<&str> = text.lines().collect();
        let first: Vec<&str> = lines[2].split_whitespace().collect();
        assert_eq!(first, ["rand", "read", "iops", "100", "kIOPS", "90", "kIOPS"]);
        assert!(lines[3].trim_start().starts_with("+-0.1 %"), "{text}");
        assert!(lines[3].ends_with("-10.0 +-0.2 % worse"), "{text}");
        assert!(lines[4].trim_start().starts_with("read_lat") && lines[4].ends_with("us?"));
        assert!(lines[5].ends_with("+0.1 +-0.2 % within noise"), "{text}");
        let last: Vec<&str> = lines[6].split_whitespace().collect();
        assert_eq!(last, ["rand", "write", "power", "9", "W", "-"]);
    }

    #[test]
    fn what_limits_is_said_once_if_it_is_the_same_for_all() {
        let limit = |by: LimitedBy, detail: &str| {
            let (of, detail) = ("load".to_owned(), detail.to_owned());
            vec![Limit { of, by, share: 1.0, detail }]
        };
        let limited = |load: &str, target: &str, by, detail| Limited {
            load: load.to_owned(),
            target: target.to_owned(),
            limited_by: limit(by, detail),
        };
        let limits = vec![
            limited("read", "a", LimitedBy::Host, "16 I/Os"),
            limited("read", "b", LimitedBy::Host, "16 I/Os"),
            limited("write", "a", LimitedBy::Dies, "97 %"),
            limited("write", "b", LimitedBy::Power, "18 W"),
        ];
        let text = comparison_table(&Comparison { limits, ..result() });
        let said = "\nLimited by\n  read: host (16 I/Os)\n  write\n    a: dies (97 %)\n    \
                    b: power (18 W)\n";
        assert!(text.ends_with(said), "{text}");
    }

    #[test]
    fn the_end_says_it_in_words() {
        let text = comparison_table(&result());
        assert!(text.contains("for all 2 comparisons together (Holm) with 95 % confidence"));
        assert!(text.contains("b against a: worse wherever the two differ."), "{text}");
        assert!(text.contains("  worse in 1: rand read (iops)\n"), "{text}");
        assert!(text.ends_with("within noise in 1: rand read (read_lat_p99.99)\n"), "{text}");
    }
}
