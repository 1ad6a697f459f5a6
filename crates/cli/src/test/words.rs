//! A test in words and tables.

use crate::console::Console;
use crate::measured;
use answer::Interval90;
use answer::measured::of_metric;
use metric::{METRICS, Measurement, Metric, MetricValue, PARAMS, Point, Provenance, tail};
use report::{Column, Table};
use std::collections::{BTreeMap, BTreeSet};

/// What was measured on a target.
pub(super) struct Measured {
    /// Its name with what is changed about it.
    pub(super) label: String,
    /// Whether it is a file or device that exists.
    pub(super) real: bool,
    pub(super) measurement: Measurement,
    /// Where the numbers of the real drive lie, by metric; empty unless that was asked for.
    pub(super) intervals: BTreeMap<String, Interval90>,
    /// The metric that has to keep a limit, which each point shows.
    pub(super) limited: Option<String>,
}

/// Tables for people, and on the console what is to be known of them.
pub(super) fn shown(measured: &[Measured], console: &mut Console) -> String {
    for warning in &warnings(measured) {
        console.warn(warning);
    }
    for Measured { label: target, measurement, .. } in measured {
        for line in report::limited::lines(&measurement.limits) {
            console.note(&format!("{target}: limited by {line}"));
        }
    }
    let points = measured.iter().filter_map(points_text).map(|text| format!("\n{text}"));
    table(measured).to_text() + &points.collect::<String>()
}

/// Warnings, each with the target it is about unless it is about all.
fn warnings(measured: &[Measured]) -> Vec<String> {
    let mut list: Vec<String> = Vec::new();
    let mut add = |text: String| {
        if !list.contains(&text) {
            list.push(text);
        }
    };
    for Measured { label: target, measurement, .. } in measured {
        if let Provenance::Approximation(what) = &measurement.method_provenance {
            add(format!("approximation: {what}"));
        }
        for warning in &measurement.warnings {
            add(format!("{target}: {warning}"));
        }
        for doubt in doubts(measurement) {
            add(format!("{target}: {doubt}, which are too few"));
        }
    }
    list
}

/// Percentiles of too few samples: those of one latency together, from the lowest on.
fn doubts(measurement: &Measurement) -> Vec<String> {
    let mut families: Vec<(&str, u64, Vec<&String>)> = Vec::new();
    for (name, metric) in &measurement.metrics {
        if !too_few(name, metric) {
            continue;
        }
        let family = name.rsplit_once("_p").map_or(name.as_str(), |(family, _)| family);
        let samples = metric.samples.unwrap_or(0);
        match families.iter_mut().find(|known| (known.0, known.1) == (family, samples)) {
            Some((_, _, names)) => names.push(name),
            None => families.push((family, samples, vec![name])),
        }
    }
    let told = |(_, samples, mut names): (&str, u64, Vec<&String>)| {
        names.sort_by_key(|name| place(tail(name)));
        match names[..] {
            [only] => format!("{only} rests on {samples} samples"),
            _ => format!("{} and above rest on {samples} samples", names[0]),
        }
    };
    families.into_iter().map(told).collect()
}

/// Whether a percentile rests on too few samples.
pub fn too_few(name: &str, metric: &MetricValue) -> bool {
    let percent = Metric::parse(tail(name)).ok().and_then(|(parsed, _)| parsed.percent());
    let (Some(percent), Some(samples)) = (percent, metric.samples) else { return false };
    !stats::enough_samples(percent, samples)
}

/// Metrics in the order in which the documentation has them, those of a family by percentile.
fn names(measured: &[Measured]) -> Vec<String> {
    let all: BTreeSet<&String> =
        measured.iter().flat_map(|one| one.measurement.metrics.keys()).collect();
    let mut names: Vec<String> = all.into_iter().cloned().collect();
    // Those of the whole first, then what belongs to a part of it.
    let part = |name: &String| name.strip_suffix(tail(name)).unwrap_or_default().to_owned();
    names.sort_by_key(|name| (part(name), place(tail(name))));
    names
}

/// Position of a metric in the documentation; of a family the lower percentile comes first.
pub fn place(name: &str) -> (usize, u64) {
    let metric = Metric::parse(name).ok().map(|(metric, _)| metric);
    let percent = metric.and_then(|metric| metric.percent()).unwrap_or(0.0);
    let same = |spec: &&metric::MetricSpec| match spec.pattern {
        true => spec.name.split('<').next().is_some_and(|family| name.starts_with(family)),
        false => spec.name == name,
    };
    let exact = METRICS.iter().position(|spec| spec.name == name);
    let index = exact.or_else(|| METRICS.iter().position(|spec| same(&spec)));
    (index.unwrap_or(METRICS.len()), (percent * 1e6) as u64)
}

fn table(measured: &[Measured]) -> Table {
    let mut columns = vec![Column::left("Metric")];
    let headings = measured::headings(measured.iter().map(|one| (one.label.as_str(), one.real)));
    for (one, heading) in measured.iter().zip(&headings) {
        columns.push(Column::right(heading));
        if !one.intervals.is_empty() {
            columns.push(Column::right("90 % interval"));
        }
    }
    let mut table = Table::new(columns);
    for name in names(measured) {
        let mut cells = vec![name.clone()];
        for one in measured {
            cells.push(value_cell(one, &name));
            if !one.intervals.is_empty() {
                cells.push(interval_cell(one, &name));
            }
        }
        table.row(cells);
    }
    table
}

fn value_cell(one: &Measured, name: &str) -> String {
    let Some(metric) = one.measurement.metrics.get(name) else { return "-".to_owned() };
    let doubt = if too_few(name, metric) { "?" } else { "" };
    let shown = metric::show_metric(tail(name), of_metric(tail(name)), metric.value);
    format!("{shown}{doubt}")
}

fn interval_cell(one: &Measured, name: &str) -> String {
    let Some(interval) = one.intervals.get(name) else { return "-".to_owned() };
    let show = |value| metric::show_metric(tail(name), of_metric(tail(name)), value);
    format!("{} to {}", show(interval.low), show(interval.high))
}

/// Metrics of a point that are shown, in this order; the JSON has all.
const SHOWN: [&str; 15] = [
    "asked_iops",
    "iops",
    "lat_mean",
    "outstanding",
    "bandwidth",
    "read_lat_mean",
    "write_lat_mean",
    "read_lat_p99.99",
    "write_amplification",
    "drive_fills",
    "padding",
    "temperature",
    "first_throttle",
    "bandwidth_after",
    "thermal_resistance",
];

/// Metrics beside each other at most; of more, only these are shown.
const COLUMNS: usize = 9;
const FIRST: [&str; 4] = ["bandwidth", "read_lat_mean", "write_lat_mean", "write_amplification"];

/// Points of a table that are shown at most; of more, some from the first to the last.
const ROWS: usize = 24;

/// The points of sweeps and rounds, one a line, a table for those that were swept alike.
fn points_text(measured: &Measured) -> Option<String> {
    let mut groups: Vec<(Vec<&String>, Vec<&Point>)> = Vec::new();
    for point in &measured.measurement.points {
        let over: Vec<&String> = point.at.iter().map(|(name, _)| name).collect();
        match groups.iter_mut().find(|(known, _)| *known == over) {
            Some((_, points)) => points.push(point),
            None => groups.push((over, vec![point])),
        }
    }
    let tables: Vec<String> = groups
        .iter()
        .map(|(over, points)| rows_text(over, points, measured.limited.as_deref()))
        .collect();
    let target = &measured.label;
    (!tables.is_empty()).then(|| format!("{target}, by point\n{}", tables.join("\n")))
}

/// Points that were swept alike.
fn rows_text(over: &[&String], points: &[&Point], limited: Option<&str>) -> String {
    let mut columns: Vec<Column> = over.iter().map(|name| Column::right(name)).collect();
    let mut names: Vec<&String> = points.iter().flat_map(|point| point.metrics.keys()).collect();
    names.sort();
    names.dedup();
    let limited = |name: &str| limited == Some(name);
    names.retain(|name| SHOWN.contains(&tail(name)) || limited(name));
    if names.len() > COLUMNS {
        names.retain(|name| FIRST.contains(&tail(name)) || limited(name));
    }
    let place = |name: &str| {
        let place = SHOWN.iter().position(|shown| *shown == tail(name));
        if limited(name) { Some(SHOWN.len()) } else { place }
    };
    names.sort_by_key(|name| (name.strip_suffix(tail(name)).map(str::to_owned), place(name)));
    columns.extend(names.iter().map(|name| Column::right(name)));
    let mut table = Table::new(columns);
    // Swept values are few and each counts; rounds may be a thousand.
    let counted = over.last().is_some_and(|name| !PARAMS.iter().any(|spec| spec.name == **name));
    let rows = if counted { points.len().min(ROWS) } else { points.len() };
    for row in 0..rows {
        let Some(point) = points.get(row * (points.len() - 1) / (rows - 1).max(1)) else { break };
        let mut cells: Vec<String> = point.at.iter().map(|(_, value)| value.clone()).collect();
        cells.extend(names.iter().map(|name| match point.metrics.get(*name) {
            Some(value) => metric::show_metric(tail(name), of_metric(tail(name)), value.value),
            None => "-".to_owned(),
        }));
        table.row(cells);
    }
    let left = points.len() - rows;
    let more =
        if left > 0 { format!("{left} points between them: --json\n") } else { String::new() };
    table.to_text() + &more
}
