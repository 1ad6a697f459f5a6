//! Targets side by side with the uncertainty of their differences.

use super::colour::{Owner, owned};
use super::headline::of_comparison;
use super::label::words;
use super::method::careful;
use super::{Options, limits};
use crate::comparison::shown_in;
use crate::document::{
    Axis, Block, Careful, Cell, Chart, ChartKind, DataTable, Line, Scale, Section, Style,
};
use crate::number::interval;
use crate::quantity::short;
use crate::source::Source;
use answer::comparison::Cell as Compared;
use answer::origin::{apart, of_all};
use answer::{Answer, Comparison};
use metric::Shown;
use std::collections::BTreeSet;

/// The sections of all comparisons, each under a heading that no other has.
pub fn sections(sources: &[Source], _: &Options) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for source in sources {
        let Answer::Comparison(result) = &source.answer else { continue };
        let mut section = section(result);
        if sections.iter().any(|other| other.title == section.title) {
            section.title = format!("{} ({})", section.title, source.name);
        }
        sections.push(section);
    }
    sections
}

/// The section of a comparison.
fn section(result: &Comparison) -> Section {
    let drives: Vec<String> = result.targets.iter().map(|target| target.name.clone()).collect();
    let mut section = Section::new(heading(&drives, &result.baseline), "comparison");
    section.blocks.extend(of_comparison(result));
    section.blocks.extend(crate::comparison::verdicts(result).into_iter().map(Block::Text));
    let titles = ["Load", "Metric", "Target", "Origin", "#Mean", "#+-", "#Difference", "Verdict"];
    let mut table = DataTable::new("Means and differences", &titles);
    let origins = result.targets.iter().map(|target| target.origin());
    let origin = of_all(origins.clone());
    let names = apart(&drives.iter().cloned().zip(origins.clone()).collect::<Vec<_>>());
    let owners: Vec<Owner> = names.iter().cloned().zip(drives.clone()).collect();
    for row in &result.rows {
        let metric = words(&row.metric);
        let unit = shown_in(row);
        let (mut points, mut intervals) = (Vec::new(), Vec::new());
        let of_targets = row.cells.iter().zip(&drives).zip(origins.clone());
        for (i, ((cell, drive), origin)) in of_targets.enumerate() {
            let head = [&row.load, &row.metric, drive, origin.word()].map(Cell::text);
            let Some(cell) = cell else {
                let open = ["-", "-", "-", ""].map(Cell::text);
                table.rows.push(head.into_iter().chain(open).collect());
                continue;
            };
            table.rows.push(head.into_iter().chain(numbers(cell, unit)).collect());
            let at = |value: f64| short(value / unit.scale);
            points.push([i as f64, at(cell.mean)]);
            intervals
                .push(Some((at(cell.mean - cell.half_width), at(cell.mean + cell.half_width))));
        }
        let line = Line { intervals, ..Line::new(metric.clone(), Style::Line, points) };
        let chart = Chart {
            kind: ChartKind::Bars,
            title: format!("{}: {metric}", row.load),
            origin: origin.to_owned(),
            about: "Means of the runs with their 95 % intervals.".to_owned(),
            x: Axis::names("", names.clone()),
            y: Axis { from: Some(0.0), ..Axis::new(metric, unit.unit, Scale::Linear) },
            lines: vec![line],
            ..Chart::default()
        };
        section.blocks.push(Block::chart(owned(chart, &owners)));
    }
    section.blocks.push(Block::Table(table));
    section.blocks.extend(limits::of_comparison(result));
    let loads: BTreeSet<&str> = result.rows.iter().map(|row| row.load.as_str()).collect();
    let warnings: Vec<&str> = result.warnings.iter().map(String::as_str).collect();
    section.blocks.extend(merged(&warnings, &owners, &loads));
    section
}

/// What is compared with what.
fn heading(names: &[String], baseline: &str) -> String {
    let others: Vec<&str> =
        names.iter().map(String::as_str).filter(|name| *name != baseline).collect();
    match others.as_slice() {
        [] => format!("Compared with {baseline}"),
        [one] => format!("{one} against {baseline}"),
        [one, two] => format!("{one} and {two} against {baseline}"),
        all => format!("{} targets against {baseline}", all.len()),
    }
}

/// The numbers of a target: its mean, how sure it is, and its difference to the baseline.
fn numbers(cell: &Compared, unit: Shown) -> [Cell; 4] {
    let (mean, half) = (cell.mean, cell.half_width);
    let note = cell.too_few_samples.then(|| "rests on too few samples".to_owned());
    let relative = cell.difference.and_then(|difference| difference.relative);
    let difference = relative.map_or_else(
        || Cell::text("-"),
        |relative| Cell::number(format!("{:+.1} %", relative * 100.0), relative),
    );
    [
        Cell::number(unit.text(mean), mean).noted(note),
        Cell::number(interval(half, mean), half / mean.abs()),
        difference,
        cell.verdict.map_or_else(|| Cell::text("baseline"), |verdict| Cell::badge(verdict.word())),
    ]
}

/// Warnings, each once: those of a run begin with its target and its load.
fn merged(warnings: &[&str], owners: &[Owner], loads: &BTreeSet<&str>) -> Vec<Block> {
    let pairs = owners.iter().flat_map(|(_, target)| loads.iter().map(move |load| (target, load)));
    let runs: Vec<String> = pairs.map(|(target, load)| format!("{target}, {load}")).collect();
    let mut list: Vec<(&str, Vec<&str>)> = Vec::new();
    for warning in warnings {
        let rest = |run: &'_ String| warning.strip_prefix(run.as_str())?.strip_prefix(": ");
        let own = runs.iter().find_map(|run| Some((rest(run)?, run.as_str())));
        let (said, run) = own.map_or((*warning, None), |(said, run)| (said, Some(run)));
        match list.iter_mut().find(|(known, _)| *known == said) {
            Some((_, names)) => names.extend(run),
            None => list.push((said, run.into_iter().collect())),
        }
    }
    let block = |(said, names): (&str, Vec<&str>)| match names.is_empty() {
        true => Block::Careful(Careful::of_all(said)),
        false => careful(said, &names, runs.len()),
    };
    list.into_iter().map(block).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_is_told_once_for_all_runs_that_it_concerns() {
        let owners: Vec<Owner> =
            ["a", "b"].map(|name| (format!("{name} (modelled)"), name.to_owned())).to_vec();
        let loads = BTreeSet::from(["read, QD 4", "write"]);
        let warnings = [
            "approximation: guessed",
            "a, read, QD 4: simulated at 1/4",
            "a, write: simulated at 1/4",
            "b, read, QD 4: simulated at 1/4",
            "b, write: simulated at 1/4",
            "b, write: not steady",
        ];
        let note = |text: &str| Block::Careful(Careful::of_all(text));
        assert_eq!(
            merged(&warnings, &owners, &loads),
            [
                note("approximation: guessed"),
                note("simulated at 1/4"),
                Block::Careful(Careful {
                    said: "not steady".to_owned(),
                    concerns: vec!["b, write".to_owned()]
                })
            ]
        );
    }
}
