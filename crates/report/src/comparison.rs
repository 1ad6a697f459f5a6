//! Targets side by side: the table of `drivelab compare`, and what it comes to in words.
//!
//! The input is the JSON that `drivelab compare --json` prints and a Record keeps.

use serde_json::Value;

use crate::error::{At, ReportError};
use crate::origin::{Origin, apart};
use crate::table::{Column, Table};
use metric::{Dimension, Shown, plain};

/// The comparison as plain text: two lines a metric, the values and below them the differences.
///
/// # Errors
/// If a key that is needed is missing or has a value of the wrong type.
pub fn comparison_table(result: &Value) -> Result<String, ReportError> {
    let root = At::root(result);
    let baseline = root.key("baseline").text()?;
    let targets = root.key("targets").list()?;
    let names: Vec<&str> =
        targets.iter().map(|target| target.key("name").text()).collect::<Result<_, _>>()?;
    let origins = targets.iter().zip(&names).map(|(target, name)| {
        let real = target.key("real").flag();
        ((*name).to_owned(), real.map_or_else(|| Origin::of_name(name), Origin::of_real))
    });
    let mut columns = vec![Column::left("Load"), Column::left("Metric")];
    let names = apart(&origins.collect::<Vec<_>>());
    columns.extend(names.iter().map(|name| Column::right(name)));
    let mut table = Table::new(columns);
    let mut load = "";
    let mut unsure = false;
    for row in root.key("rows").list()? {
        let label = row.key("load").text()?;
        // The load of a group of rows is in its first.
        let shown = if label == load { "" } else { label };
        load = label;
        let mut values = vec![shown.to_owned(), row.key("metric").text()?.to_owned()];
        let mut below = vec![String::new(), String::new()];
        let unit = shown_in(&row)?;
        for cell in row.key("cells").list()? {
            let (value, difference) = cells(&cell, unit)?;
            unsure |= value.ends_with('?');
            values.push(value);
            below.push(difference);
        }
        table.row(values);
        table.row(below);
    }
    let mut text = table.to_text();
    if unsure {
        text.push_str("? rests on too few samples\n");
    }
    text.push_str(&format!("\n{}\n", how(&root, baseline)?));
    for summary in root.key("summary").list()? {
        text.push_str(&format!("\n{}\n", in_words(&summary, baseline)?));
    }
    Ok(text)
}

/// What the comparison comes to, a paragraph a target.
pub(crate) fn verdicts(result: &Value) -> Result<Vec<String>, ReportError> {
    let root = At::root(result);
    let baseline = root.key("baseline").text()?;
    let mut texts = vec![how(&root, baseline)?];
    for summary in root.key("summary").list()? {
        texts.push(in_words(&summary, baseline)?);
    }
    Ok(texts)
}

/// The unit of a row: one for all targets, so that their values can be seen against each other.
/// The file names one too, of which no reader of a report is bound to know.
pub(crate) fn shown_in(row: &At<'_>) -> Result<Shown, ReportError> {
    let mut largest = 0.0_f64;
    for cell in row.key("cells").list()? {
        largest = largest.max(cell.key("mean").maybe(At::number)?.map_or(0.0, f64::abs));
    }
    let dimension = Dimension::of_base(row.key("unit").text()?).unwrap_or(Dimension::Number);
    Ok(Shown::of_metric(row.key("metric").text()?, dimension, largest))
}

/// A value, and the line below it: its scatter, or the difference with its verdict.
fn cells(cell: &At<'_>, unit: Shown) -> Result<(String, String), ReportError> {
    let Some(mean) = cell.key("mean").maybe(At::number)? else {
        return Ok(("-".to_owned(), String::new()));
    };
    let doubt = if cell.key("too_few_samples").flag() == Some(true) { "?" } else { "" };
    let value = format!("{}{doubt}", unit.text(mean));
    let half_width = cell.key("half_width").number()?;
    let Some(verdict) = cell.key("verdict").maybe(At::text)? else {
        let scatter = match mean == 0.0 {
            true => String::new(),
            false => format!("+-{} %", shares(half_width / mean.abs(), half_width / mean.abs()).1),
        };
        return Ok((value, scatter));
    };
    let difference = cell.key("difference");
    let relative = difference.key("relative").maybe(At::number)?;
    let width = difference.key("relative_half_width").maybe(At::number)?;
    let said = match relative.zip(width) {
        Some((relative, width)) => {
            let (share, width) = shares(relative, width);
            format!("{share} +-{width} %")
        }
        // Nothing can be a share of zero.
        None => {
            let value = difference.key("value").number()?;
            let width = difference.key("half_width").number()?;
            let sign = if value > 0.0 { "+" } else { "" };
            format!("{sign}{} +-{}", unit.number(value), unit.text(width))
        }
    };
    Ok((value, format!("{said} {verdict}")))
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
fn how(root: &At<'_>, baseline: &str) -> Result<String, ReportError> {
    let confidence = plain(root.key("confidence").number()? * 100.0);
    let (repeats, count) = (root.key("repeats").count()?, root.key("comparisons").count()?);
    let all = match count {
        1 => "for the one comparison".to_owned(),
        n => format!("for all {n} comparisons together (Holm)"),
    };
    Ok(format!(
        "Means of {repeats} runs. Differences are to {baseline}; +- is the {confidence} % \
         interval of each by itself.\n`better`, `worse` and `differs` hold {all} with \
         {confidence} % confidence."
    ))
}

/// A target's summary as sentences.
fn in_words(summary: &At<'_>, baseline: &str) -> Result<String, ReportError> {
    let target = summary.key("target").text()?;
    let mut parts = Vec::new();
    let mut counts = [0_usize; 4];
    let kinds = [("better", "better"), ("worse", "worse"), ("differs", "different")];
    for (i, (key, word)) in kinds.iter().enumerate() {
        let rows = summary.key(key).list()?;
        counts[i] = rows.len();
        if !rows.is_empty() {
            parts.extend(listed(word, &rows)?);
        }
    }
    let rows = summary.key("within_noise").list()?;
    counts[3] = rows.len();
    if !rows.is_empty() {
        parts.extend(listed("within noise", &rows)?);
    }
    let verdict = match counts {
        [0, 0, 0, 0] => "nothing could be compared",
        [0, 0, 0, _] => "no difference is more than noise",
        [0, 0, _, _] => "different, and neither better nor worse by itself",
        [_, 0, _, _] => "better wherever the two differ",
        [0, _, _, _] => "worse wherever the two differ",
        _ => "better in some ways, worse in others",
    };
    let head = format!("{target} against {baseline}: {verdict}.");
    Ok(std::iter::once(head).chain(parts).collect::<Vec<_>>().join("\n"))
}

/// Widest line of a list, in characters, where its groups allow it.
const WIDTH: usize = 100;

/// Rows by load, in lines: `  better in 3: rand read (iops, read_lat_mean); seq write (bandwidth)`.
fn listed(word: &str, rows: &[At<'_>]) -> Result<Vec<String>, ReportError> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for row in rows {
        let (load, metric) = (row.key("load").text()?, row.key("metric").text()?);
        match groups.last_mut() {
            Some((last, metrics)) if *last == load => metrics.push(metric),
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
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn row(load: &str, metric: &str, unit: &str, cells: Vec<Value>) -> Value {
        json!({ "load": load, "metric": metric, "unit": unit, "cells": cells })
    }

    fn result() -> Value {
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
        json!({
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
        })
    }

    #[test]
    fn a_metric_is_two_lines_and_the_verdict_stands_below_the_value() {
        let text = comparison_table(&result()).unwrap();
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
    fn the_end_says_it_in_words() {
        let text = comparison_table(&result()).unwrap();
        assert!(text.contains("for all 2 comparisons together (Holm) with 95 % confidence"));
        assert!(text.contains("b against a: worse wherever the two differ."), "{text}");
        assert!(text.contains("  worse in 1: rand read (iops)\n"), "{text}");
        assert!(text.ends_with("within noise in 1: rand read (read_lat_p99.99)\n"), "{text}");
    }

    #[test]
    fn something_else_is_no_comparison() {
        assert!(comparison_table(&json!({ "figures": [] })).is_err());
    }
}
