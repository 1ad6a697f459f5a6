//! Runs of methods: a section a method, with pictures, a table of all metrics and what they rest
//! on.

use super::label::{labels, names, varying, words};
use super::measured::{Measured, Number};
use super::quantity::{Shown, short, text};
use super::radar::{Corner, Corners};
use super::{Options, histogram, sweep, tails, timeline};
use crate::document::{
    Axis, Block, Cell, Chart, ChartKind, DataTable, Line, Scale, Section, Style, Tone,
};
use crate::origin::{named, of_all};
use stats::NamedHistogram;
use std::collections::{BTreeMap, BTreeSet};

/// A section for every method, in the order in which they appear.
pub fn sections(measured: &[Measured], options: &Options) -> Vec<Section> {
    let mut sections = Vec::new();
    for (method, runs) in groups(measured) {
        let mut section = Section::new(format!("Method {method}"), "method");
        section.blocks = blocks(method, &runs, options);
        sections.push(section);
    }
    sections
}

/// Runs by method, in the order in which the methods appear.
pub fn groups(measured: &[Measured]) -> Vec<(&str, Vec<&Measured>)> {
    let mut groups: Vec<(&str, Vec<&Measured>)> = Vec::new();
    for run in measured {
        match groups.iter_mut().find(|(method, _)| *method == run.method) {
            Some((_, runs)) => runs.push(run),
            None => groups.push((&run.method, vec![run])),
        }
    }
    groups
}

/// All that is to be shown of the runs of a method.
pub fn blocks(method: &str, runs: &[&Measured], options: &Options) -> Vec<Block> {
    let mut blocks = Vec::new();
    for run in runs {
        if let Some(why) = &run.failed {
            blocks.push(Block::Note(Tone::Problem, format!("{}: {why}", run.target)));
        }
    }
    let runs: Vec<&Measured> = runs.iter().copied().filter(|run| run.failed.is_none()).collect();
    if runs.is_empty() {
        return blocks;
    }
    blocks.extend(certainty(&runs));
    let of = |group: &[&Measured]| of_all(group.iter().map(|run| run.origin)).to_owned();
    let origin = of(&runs);
    let radar = corners(method, &runs, options);
    blocks.extend(radar.map(|chart| Block::chart(Chart { origin, ..chart })));
    for (title, group) in facets(method, &runs) {
        let origin = of(&group);
        let chart = |chart| Block::chart(Chart { origin: origin.clone(), ..chart });
        blocks.extend(charts(&title, &group).into_iter().map(chart));
    }
    blocks.push(Block::Table(table(method, &runs)));
    blocks.extend(warnings(&runs));
    blocks
}

/// From how many runs on only those are set side by side that were made with the same parameters.
const MANY: usize = 5;

/// Runs that can be compared, with the title of their pictures: all if they are few, else those
/// that agree in all parameters but one that was swept; what is alone comes last.
fn facets<'m>(method: &str, runs: &[&'m Measured]) -> Vec<(String, Vec<&'m Measured>)> {
    let differing = varying(runs);
    let by: Vec<&str> = match method {
        // A curve is that of its load, however few there are.
        "load-curve" => vec!["workload"],
        _ if runs.len() < MANY => Vec::new(),
        _ => differing.into_iter().filter(|name| !sweep::is_swept(runs, name)).collect(),
    };
    let mut groups: BTreeMap<String, Vec<&Measured>> = BTreeMap::new();
    for run in runs {
        let values = by.iter().filter_map(|name| Some((*name, run.params.get(*name)?)));
        let said: Vec<String> = values.map(|(n, value)| format!("{} {value}", words(n))).collect();
        let title = std::iter::once(method.to_owned()).chain(said).collect::<Vec<_>>().join(", ");
        groups.entry(title).or_default().push(run);
    }
    let alone = |group: &Vec<&Measured>| group.len() == 1 && by.len() > 1;
    let mut facets: Vec<(String, Vec<&Measured>)> = Vec::new();
    let mut rest = Vec::new();
    for (title, group) in groups {
        if alone(&group) { rest.extend(group) } else { facets.push((title, group)) }
    }
    if !rest.is_empty() {
        let others = if facets.is_empty() { "" } else { ", other runs" };
        facets.push((format!("{method}{others}"), rest));
    }
    facets
}

/// The pictures of runs that can be compared.
fn charts(title: &str, runs: &[&Measured]) -> Vec<Chart> {
    let mut charts = Vec::new();
    charts.extend(sweep::of_points(title, runs));
    charts.extend(sweep::of_runs(title, runs));
    charts.extend(timeline::charts(title, runs));
    charts.extend(tails::chart(&format!("{title}: latency by percentile"), runs));
    charts.extend(distributions(title, runs));
    let targets: BTreeSet<&str> = runs.iter().map(|run| run.target.as_str()).collect();
    let comparable = varying(runs).is_empty() && targets.len() > 1
        || varying(runs).len() == 1 && targets.len() == 1;
    if comparable && !runs.iter().any(|run| sweep::is_sweep(run)) {
        charts.extend(bars(title, runs));
    }
    charts
}

/// Four corners of drives, if the runs have them.
fn corners(title: &str, runs: &[&Measured], options: &Options) -> Option<Chart> {
    let mut corners = Corners::default();
    for run in runs {
        let param = |name: &str| run.params.get(name).map(String::as_str);
        let read = match (param("op"), param("read")) {
            (Some("read"), _) | (_, Some("100 %")) => true,
            (Some("write"), _) | (_, Some("0 %")) => false,
            _ => continue,
        };
        let corner = match (param("pattern"), read) {
            (Some("seq"), true) => Corner::SequentialRead,
            (Some("seq"), false) => Corner::SequentialWrite,
            (Some("rand"), true) => Corner::RandomRead,
            (Some("rand"), false) => Corner::RandomWrite,
            _ => continue,
        };
        if let Some(rate) = run.metrics.get("bandwidth").or_else(|| run.metrics.get("iops")) {
            corners.add(&run.target, corner, rate.value);
        }
    }
    corners.chart(title, options.reference.as_deref())
}

/// Distributions of latency that were kept: as percentiles to the last I/O, and as a histogram.
fn distributions(title: &str, runs: &[&Measured]) -> Vec<Chart> {
    let names = labels(runs, &varying(runs));
    let mut kinds: BTreeMap<&str, Vec<(String, &NamedHistogram)>> = BTreeMap::new();
    for (run, name) in runs.iter().zip(&names) {
        for histogram in &run.histograms {
            // Those of a sweep are named `POINT.read_lat`.
            let (line, kind) = match histogram.name.rsplit_once('.') {
                Some((point, kind)) => (format!("{name}, {point}"), kind),
                None => (name.clone(), histogram.name.as_str()),
            };
            kinds.entry(kind).or_default().push((line, histogram));
        }
    }
    let mut charts = Vec::new();
    for (kind, group) in kinds {
        let longest = group.iter().filter_map(|(_, h)| h.upper_ns.last()).max();
        let (y, shown) = tails::latency_axis(longest.map_or(0.0, |ns| *ns as f64 * 1e-9));
        let lines: Vec<Line> = group
            .iter()
            .take(12)
            .map(|(name, histogram)| {
                Line::new(name, Style::Plain, histogram::cumulative(histogram, shown.factor))
            })
            .filter(|line| !line.points.is_empty())
            .collect();
        let last = lines.iter().flat_map(|line| &line.points).map(|p| p[0]).fold(0.0, f64::max);
        if lines.is_empty() {
            continue;
        }
        charts.push(Chart {
            title: format!("{title}: {} to the last I/O", words(kind)),
            about: "The whole distribution: every line ends where its slowest I/O stands.".into(),
            x: tails::axis(last),
            y,
            lines,
            ..Chart::default()
        });
        charts.push(histogram::chart(&format!("{title}: {}", words(kind)), &group));
    }
    charts
}

/// Metrics that are worth bars, at most.
const BARS: usize = 8;

/// Runs side by side, one picture for each metric worth it.
fn bars(title: &str, runs: &[&Measured]) -> Vec<Chart> {
    let names = labels(runs, &varying(runs));
    let all: BTreeSet<&String> = runs.iter().flat_map(|run| run.metrics.keys()).collect();
    let mut metrics: Vec<(usize, &String)> =
        all.into_iter().filter_map(|metric| Some((sweep::place(metric)?, metric))).collect();
    metrics.sort();
    let mut charts = Vec::new();
    let mut shapes = sweep::Shapes::default();
    for (_, metric) in metrics {
        if charts.len() == BARS {
            break;
        }
        let known: Vec<Option<&Number>> = runs.iter().map(|run| run.metrics.get(metric)).collect();
        let values: Vec<Option<f64>> = known.iter().map(|n| n.map(|n| n.value)).collect();
        let unit = known.iter().flatten().next().map_or("", |number| number.unit.as_str());
        if known.iter().flatten().count() < 2 || !shapes.is_new(unit, &values) {
            continue;
        }
        let most = values.iter().flatten().copied().fold(0.0, f64::max);
        let y = Shown::of(unit, metric, most);
        let mut points = Vec::new();
        let mut intervals = Vec::new();
        for (i, number) in known.iter().enumerate() {
            let Some(number) = number else { continue };
            points.push([i as f64, short(number.value * y.factor)]);
            let scaled = |v: f64| short(v * y.factor);
            intervals.push(number.interval95.map(|(low, high)| (scaled(low), scaled(high))));
        }
        if intervals.iter().all(Option::is_none) {
            intervals.clear();
        }
        let line = Line { intervals, ..Line::new(words(metric), Style::Line, points) };
        charts.push(Chart {
            kind: ChartKind::Bars,
            title: format!("{title}: {}", words(metric)),
            x: Axis::names("", names.clone()),
            y: Axis { from: Some(0.0), ..Axis::new(words(metric), &y.unit, Scale::Linear) },
            lines: vec![line],
            ..Chart::default()
        });
    }
    charts
}

/// All metrics of all runs.
fn table(method: &str, runs: &[&Measured]) -> DataTable {
    let mut table = DataTable::new(format!("All metrics of {method}"), &["Metric"]);
    for (name, origin) in names(runs, &varying(runs)) {
        table.number_column(named(&name, origin));
    }
    let all: BTreeSet<&String> = runs.iter().flat_map(|run| run.metrics.keys()).collect();
    let mut metrics: Vec<&String> = all.into_iter().collect();
    metrics.sort_by_key(|metric| (sweep::place(metric).unwrap_or(usize::MAX), *metric));
    for metric in metrics {
        let mut row = vec![Cell::text(metric.clone())];
        for run in runs {
            row.push(run.metrics.get(metric).map_or_else(
                || Cell::text("-"),
                |number| {
                    let shown = text(&number.unit, metric, number.value);
                    Cell::number(shown, number.value).noted(doubt(metric, number))
                },
            ));
        }
        table.rows.push(row);
    }
    table
}

/// What a number rests on, if that is too little or known.
fn doubt(metric: &str, number: &Number) -> Option<String> {
    let percent = metric.rsplit_once("_p").and_then(|(_, percent)| percent.parse::<f64>().ok())?;
    too_few(percent, number.samples?)
}

/// What is wrong with a percentile of so many samples, if they are too few.
pub fn too_few(percent: f64, samples: u64) -> Option<String> {
    let few = !stats::enough_samples(percent, samples);
    few.then(|| format!("rests on {samples} samples: too few are beyond {percent} %"))
}

/// How sure the method is, each thing once.
fn certainty(runs: &[&Measured]) -> Vec<Block> {
    let mut said: BTreeSet<(bool, &str)> = BTreeSet::new();
    for run in runs.iter().filter(|run| !run.provenance.about.is_empty()) {
        said.insert((run.provenance.exact, &run.provenance.about));
    }
    let block = |(exact, about): (bool, &str)| {
        let about = about.strip_prefix("approximation: ").unwrap_or(about);
        let word = if exact { "Exact method" } else { "Approximation of the method" };
        Block::Note(Tone::Info, format!("{word}: {about}"))
    };
    said.into_iter().map(block).collect()
}

/// Warnings of the runs, each once with the runs it concerns.
fn warnings(runs: &[&Measured]) -> Vec<Block> {
    let names = labels(runs, &varying(runs));
    let mut list: Vec<(&str, Vec<&str>)> = Vec::new();
    for (run, name) in runs.iter().zip(&names) {
        for warning in &run.warnings {
            match list.iter_mut().find(|(known, _)| known == warning) {
                Some((_, names)) => names.push(name),
                None => list.push((warning, vec![name])),
            }
        }
    }
    let block = |(warning, names): (&str, Vec<&str>)| {
        let about = match names.len() {
            n if n == runs.len() => String::new(),
            1..=3 => format!("{}: ", names.join("; ")),
            n => format!("{n} of {} runs: ", runs.len()),
        };
        Block::Note(Tone::Warning, format!("{about}{warning}"))
    };
    list.into_iter().map(block).collect()
}
