//! What a section comes to: the headline of each target, who is better, and what limits it.

use super::label::{labels, varying, words};
use super::measured::Measured;
use super::sweep;
use crate::document::{Block, Document, Tone};
use crate::limited::grouped;
use crate::quantity::text;
use answer::Comparison;
use answer::comparison::Verdict;
use answer::measured::Number;
use stats::Limit;
use std::collections::BTreeSet;

/// Runs or differences that a sentence names.
const NAMED: usize = 6;
/// Answers that stand before everything else; more stand in their sections.
const LEADING: usize = 8;

/// Puts the answers of all sections before the sections, of several each with the title of its
/// section: behind the problems and the totals of the reviews, before the warnings.
pub fn lead(document: &mut Document) {
    let is = |block: &Block| matches!(block, Block::Answer(_));
    let with = document.sections.iter().filter(|s| s.blocks.iter().any(is)).count();
    let all = document.sections.iter().flat_map(|s| &s.blocks).filter(|block| is(block)).count();
    let mut answers = Vec::new();
    for section in &mut document.sections {
        let blocks = std::mem::take(&mut section.blocks);
        let (own, rest): (Vec<Block>, Vec<Block>) = blocks.into_iter().partition(is);
        section.blocks = rest;
        if all > LEADING {
            section.blocks.splice(0..0, own);
            continue;
        }
        let title = |block| match block {
            Block::Answer(said) if with > 1 && matches!(section.kind, "method" | "run") => {
                Block::Answer(format!("{}: {said}", section.title))
            }
            other => other,
        };
        answers.extend(own.into_iter().map(title));
    }
    let warning = |block: &Block| matches!(block, Block::Note(Tone::Warning, _));
    let at = document.summary.iter().position(warning).unwrap_or(document.summary.len());
    document.summary.splice(at..at, answers);
}

/// The headline of the runs of a method, and what limits them.
pub fn of_runs(runs: &[&Measured]) -> Option<Block> {
    let known: BTreeSet<&String> = runs.iter().flat_map(|run| run.metrics.keys()).collect();
    let metric = known.into_iter().filter_map(|m| Some((sweep::place(m)?, m))).min()?.1;
    let names = labels(runs, &varying(runs));
    let mut list: Vec<(&str, &Number)> = names
        .iter()
        .zip(runs)
        .filter_map(|(name, run)| Some((name.as_str(), run.metrics.get(metric)?)))
        .collect();
    let quicker = list.first().is_some_and(|(_, number)| number.unit == "s");
    let higher = list.first().is_some_and(|(_, n)| matches!(n.unit.as_str(), "1/s" | "B/s"));
    if higher || quicker {
        list.sort_by(|a, b| a.1.value.total_cmp(&b.1.value));
    }
    if higher {
        list.reverse();
    }
    let shown = |(name, number): &(&str, &Number)| {
        let value = text(&number.unit, metric, number.value);
        let best = list[0].1.value;
        let behind = match (number.value / best - 1.0) * 100.0 {
            share if (higher || quicker) && share.is_finite() && share.abs() >= 0.05 => {
                format!(" ({share:+.1} %)")
            }
            _ => String::new(),
        };
        format!("{name} {value}{behind}")
    };
    let said: Vec<String> = match list.len() {
        0 => return None,
        n if n > NAMED => {
            vec![shown(&list[0]), format!("{} in between", n - 2), shown(&list[n - 1])]
        }
        _ => list.iter().map(shown).collect(),
    };
    let limits = limited(names.iter().zip(runs).map(|(n, run)| (n.as_str(), &run.limited_by[..])));
    Some(Block::Answer(format!("{}: {}.{limits}", words(metric), said.join("; "))))
}

/// What limits runs or phases, as a sentence; nothing if it is not known.
pub fn limited<'l>(named: impl Iterator<Item = (&'l str, &'l [Limit])>) -> String {
    match grouped(named).as_str() {
        "" => String::new(),
        said => format!("\nLimited by: {said}."),
    }
}

/// Who is better than the baseline, at what and by how much: a line a target.
pub fn of_comparison(result: &Comparison) -> Option<Block> {
    let baseline = &result.baseline;
    let mut lines = Vec::new();
    for (at, target) in result.targets.iter().enumerate().filter(|(_, t)| t.name != *baseline) {
        let mut kinds: [Vec<(f64, String)>; 3] = Default::default();
        let mut same = 0;
        for row in &result.rows {
            let Some(cell) = row.cells.get(at).and_then(Option::as_ref) else { continue };
            let kind = match cell.verdict {
                Some(Verdict::Better) => 0,
                Some(Verdict::Worse) => 1,
                Some(Verdict::Differs) => 2,
                Some(Verdict::WithinNoise) => {
                    same += 1;
                    continue;
                }
                None => continue,
            };
            let relative = cell.difference.and_then(|difference| difference.relative);
            let by = relative.map_or_else(String::new, |r| format!(" {:+.1} %", r * 100.0));
            let said = format!("{}, {}{by}", row.load, words(&row.metric));
            kinds[kind].push((relative.unwrap_or(0.0), said));
        }
        lines.push(format!("{} against {baseline}:\n{}", target.name, weighed(kinds, same)));
    }
    (!lines.is_empty()).then(|| Block::Answer(lines.join("\n")))
}

/// The largest differences of each kind.
fn weighed(kinds: [Vec<(f64, String)>; 3], same: usize) -> String {
    let mut parts = Vec::new();
    for (word, mut list) in ["better", "worse", "different"].into_iter().zip(kinds) {
        list.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
        let count = list.len();
        if count > 0 {
            let most: Vec<String> = list.into_iter().take(NAMED / 2).map(|(_, s)| s).collect();
            let more = if count > most.len() { ", most at " } else { ": " };
            parts.push(format!("{word} in {count}{more}{}", most.join("; ")));
        }
    }
    if same > 0 {
        parts.push(format!("within noise in {same}"));
    }
    match parts.is_empty() {
        true => "nothing could be compared.".to_owned(),
        false => format!("- {}.", parts.join(".\n- ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Section;
    use serde_json::{Value, json};
    use stats::LimitedBy;
    use std::collections::BTreeMap;

    fn run(target: &str, iops: f64) -> Measured {
        let number = Number {
            value: iops,
            unit: "1/s".to_owned(),
            samples: None,
            interval95: None,
            interval90: None,
        };
        let limit =
            Limit { of: "load".to_owned(), by: LimitedBy::Host, share: 1.0, detail: String::new() };
        Measured {
            target: target.to_owned(),
            metrics: BTreeMap::from([("iops".to_owned(), number)]),
            limited_by: vec![limit],
            ..Measured::default()
        }
    }

    #[test]
    fn the_best_stands_first_with_what_limits_it() {
        let runs = [run("a", 90e3), run("b", 100e3)];
        let answer = of_runs(&runs.iter().collect::<Vec<_>>());
        let said = "IOPS: b 100 kIOPS; a 90 kIOPS (-10.0 %).\nLimited by: host.";
        assert_eq!(answer, Some(Block::Answer(said.to_owned())));
    }

    #[test]
    fn answers_stand_behind_the_totals_of_reviews_and_before_warnings() {
        let problem = Block::Note(Tone::Problem, "not in this report: a.json".to_owned());
        let totals = Block::Text("7 of 7 figures come within 5 %.".to_owned());
        let warning = Block::Note(Tone::Warning, "simulated at 1/4".to_owned());
        let answer = Block::Answer("IOPS: a 90 kIOPS.".to_owned());
        let mut section = Section::new("Run a", "run");
        section.blocks.push(answer.clone());
        let summary = vec![problem.clone(), totals.clone(), warning.clone()];
        let mut document = Document { summary, sections: vec![section], ..Document::default() };
        lead(&mut document);
        assert_eq!(document.summary, [problem, totals, answer, warning]);
    }

    #[test]
    fn a_comparison_says_who_is_better_at_what_and_by_how_much() {
        let cell = |relative: f64, verdict: &str| {
            let difference = json!({ "value": relative, "half_width": 0.0, "relative": relative });
            json!({ "mean": 1.0, "difference": difference, "verdict": verdict })
        };
        let row = |load: &str, cell: Value| {
            let cells = json!([{ "mean": 1.0 }, cell]);
            json!({ "load": load, "metric": "iops", "unit": "1/s", "cells": cells })
        };
        let data = json!({
            "baseline": "a", "confidence": 0.95, "repeats": 5, "comparisons": 3, "summary": [],
            "targets": [{ "name": "a" }, { "name": "b" }],
            "rows": [
                row("rand read", cell(0.1, "better")), row("seq read", cell(-0.2, "worse")),
                row("rand write", cell(0.001, "within noise")),
            ],
        });
        let said = "b against a:\n- better in 1: rand read, IOPS +10.0 %.\n- worse in 1: seq \
                    read, IOPS -20.0 %.\n- within noise in 1.";
        let result: Comparison = answer::read(&data).unwrap();
        assert_eq!(of_comparison(&result), Some(Block::Answer(said.to_owned())));
    }
}
