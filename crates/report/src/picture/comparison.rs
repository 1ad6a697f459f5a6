//! Targets side by side with the uncertainty of their differences.

use super::answer;
use super::colour::{Owner, owned};
use super::label::words;
use super::method::careful;
use crate::comparison::shown_in;
use crate::document::{
    Axis, Block, Careful, Cell, Chart, ChartKind, DataTable, Line, Scale, Section, Style,
};
use crate::error::{At, ReportError};
use crate::number::interval;
use crate::origin::{Origin, apart, of_all};
use crate::quantity::short;
use crate::source::Source;
use std::collections::BTreeSet;

/// The section of a comparison.
pub fn section(source: &Source) -> Result<Section, ReportError> {
    let data = &source.outcome.data;
    let root = At::root(data);
    let baseline = root.key("baseline").text()?;
    let targets = root.key("targets").list()?;
    let names: Vec<String> = targets
        .iter()
        .map(|target| target.key("name").text().map(str::to_owned))
        .collect::<Result<_, _>>()?;
    let mut section = Section::new(heading(&names, baseline), "comparison");
    section.blocks.extend(answer::of_comparison(data));
    let sentences = crate::comparison::verdicts(data)?;
    section.blocks.extend(sentences.into_iter().map(Block::Text));
    let titles = ["Load", "Metric", "Target", "Origin", "#Mean", "#+-", "#Difference", "Verdict"];
    let mut table = DataTable::new("Means and differences", &titles);
    let origins: Vec<Origin> =
        targets.iter().zip(&names).map(|(t, name)| origin(t, name)).collect();
    let origin = of_all(origins.iter().copied());
    let drives = names.clone();
    let names = apart(&names.into_iter().zip(origins.clone()).collect::<Vec<_>>());
    let owners: Vec<Owner> = names.iter().cloned().zip(drives.clone()).collect();
    let mut loads = BTreeSet::new();
    for row in root.key("rows").list()? {
        let (load, metric) = (row.key("load").text()?, row.key("metric").text()?);
        let unit = shown_in(&row)?;
        loads.insert(load);
        let (mut points, mut intervals) = (Vec::new(), Vec::new());
        for (i, cell) in row.key("cells").list()?.iter().enumerate() {
            let (Some(drive), Some(origin)) = (drives.get(i), origins.get(i)) else { continue };
            let head = [load, metric, drive, origin.word()].map(Cell::text);
            let Some(mean) = cell.key("mean").maybe(At::number)? else {
                let open = ["-", "-", "-", ""].map(Cell::text);
                table.rows.push(head.into_iter().chain(open).collect());
                continue;
            };
            let half = cell.key("half_width").number()?;
            let cells = numbers(cell, unit.text(mean), (mean, half))?;
            table.rows.push(head.into_iter().chain(cells).collect());
            points.push([i as f64, short(mean / unit.scale)]);
            let ends = ((mean - half) / unit.scale, (mean + half) / unit.scale);
            intervals.push(Some((short(ends.0), short(ends.1))));
        }
        let line = Line { intervals, ..Line::new(words(metric), Style::Line, points) };
        let chart = Chart {
            kind: ChartKind::Bars,
            title: format!("{load}: {}", words(metric)),
            origin: origin.to_owned(),
            about: "Means of the runs with their 95 % intervals.".to_owned(),
            x: Axis::names("", names.clone()),
            y: Axis { from: Some(0.0), ..Axis::new(words(metric), unit.unit, Scale::Linear) },
            lines: vec![line],
            ..Chart::default()
        };
        section.blocks.push(Block::chart(owned(chart, &owners)));
    }
    section.blocks.push(Block::Table(table));
    let warnings = root.key("warnings").maybe(At::list)?.unwrap_or_default();
    let warnings = warnings.iter().map(At::text).collect::<Result<Vec<&str>, _>>()?;
    section.blocks.extend(merged(&warnings, &owners, &loads));
    Ok(section)
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
fn numbers(
    cell: &At<'_>,
    text: String,
    (mean, half): (f64, f64),
) -> Result<[Cell; 4], ReportError> {
    let few = cell.key("too_few_samples").flag() == Some(true);
    let note = few.then(|| "rests on too few samples".to_owned());
    let relative = cell.key("difference").key("relative").maybe(At::number)?;
    let difference = relative.map_or_else(
        || Cell::text("-"),
        |relative| Cell::number(format!("{:+.1} %", relative * 100.0), relative),
    );
    let verdict = cell.key("verdict").maybe(At::text)?;
    Ok([
        Cell::number(text, mean).noted(note),
        Cell::number(interval(half, mean), half / mean.abs()),
        difference,
        verdict.map_or_else(|| Cell::text("baseline"), Cell::badge),
    ])
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

/// Whether a target is real; by its name where the comparison does not say.
fn origin(target: &At<'_>, name: &str) -> Origin {
    target.key("real").flag().map_or_else(|| Origin::of_name(name), Origin::of_real)
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
