//! A test over its time: rate, latency and what state the drive was in.

use super::label::{labels, varying, words};
use super::measured::{Curve, Measured};
use super::quantity::{Shown, short};
use crate::document::{Axis, Band, Chart, Line, Scale, Style};
use serde::Deserialize as _;
use std::collections::BTreeMap;

/// Lines that one picture can hold.
const MOST: usize = 10;

/// What a column of a curve is: its base unit and its name in words.
const COLUMNS: [(&str, &str, &str); 11] = [
    ("bytes_per_s", "B/s", "bandwidth"),
    ("iops", "1/s", "iops"),
    ("latency_mean_s", "s", "mean latency"),
    ("latency_max_s", "s", "longest latency"),
    ("celsius", "C", "temperature"),
    ("watts", "W", "power"),
    ("slc_used_bytes", "B", "SLC cache in use"),
    ("write_amplification", "1", "write amplification"),
    ("collecting", "share", "share of time collecting"),
    ("moved_bytes_per_s", "B/s", "data that the drive moved itself"),
    ("mapped", "share", "mapped share"),
];

/// Pictures of a group of runs of the same method: one that sets the runs against each other, and
/// of each run that knows the state of its drive one with all of it.
pub fn charts(title: &str, runs: &[&Measured]) -> Vec<Chart> {
    let names = labels(runs, &varying(runs));
    let mut charts = Vec::new();
    let mut groups: BTreeMap<&str, Vec<(&str, &Curve)>> = BTreeMap::new();
    for (run, name) in runs.iter().zip(&names) {
        for curve in run.series.iter().filter(|curve| curve.time_s.len() > 1) {
            groups.entry(&curve.name).or_default().push((name, curve));
        }
    }
    for (step, group) in groups {
        if group.len() > 1 {
            charts.extend(group.chunks(MOST).map(|part| beside(title, step, part)));
        }
        for (name, curve) in &group {
            charts.extend(state(&format!("{title}: {name}"), step, curve, group.len() > 1));
        }
    }
    charts
}

/// A run of a job file with the state of its drive.
pub fn of_run(title: &str, series: &stats::Series) -> Vec<Chart> {
    let curve = serde_json::to_value(series).ok().and_then(|v| Curve::deserialize(v).ok());
    curve.map(|curve| state(title, "over time", &curve, false)).unwrap_or_default()
}

/// Bandwidth of several runs over how much was done, or over time.
fn beside(title: &str, step: &str, group: &[(&str, &Curve)]) -> Chart {
    let by_position = group.iter().all(|(_, curve)| {
        let all = curve.position_bytes.len() == curve.time_s.len();
        all && curve.position_bytes.last().is_some_and(|last| *last > 0.0)
    });
    let across = |curve: &Curve| match by_position {
        true => curve.position_bytes.clone(),
        false => curve.time_s.clone(),
    };
    let base = if by_position { "B" } else { "s" };
    let furthest = group.iter().flat_map(|(_, curve)| across(curve)).fold(0.0, f64::max);
    let x = Shown::of(base, "", furthest);
    let most = group
        .iter()
        .flat_map(|(_, curve)| curve.column("bytes_per_s").unwrap_or_default())
        .fold(0.0, f64::max);
    let y = Shown::of("B/s", "bandwidth", most);
    let line = |(name, curve): &(&str, &Curve)| {
        let values = curve.column("bytes_per_s").unwrap_or_default();
        Line::new(*name, Style::Plain, points(&across(curve), &values, &x, &y))
    };
    Chart {
        title: format!("{title}: {}", words(step)),
        about: "Bandwidth of every run in the order in which the drive was written or read."
            .to_owned(),
        x: Axis::new(if by_position { "done" } else { "time" }, &x.unit, Scale::Linear),
        y: Axis { from: Some(0.0), ..Axis::new("bandwidth", &y.unit, Scale::Linear) },
        lines: group.iter().map(line).collect(),
        ..Chart::default()
    }
}

/// One run with the state of its drive: pairs of columns share a picture. `shown` says that its
/// bandwidth stands in another picture already.
fn state(title: &str, step: &str, curve: &Curve, shown: bool) -> Vec<Chart> {
    let furthest = curve.time_s.last().copied().unwrap_or(0.0);
    let x = Shown::of("s", "", furthest);
    let bands: Vec<Band> = curve
        .phases
        .iter()
        .filter(|phase| phase.to_s > phase.from_s)
        .map(|phase| Band {
            name: words(&phase.name),
            from: short(phase.from_s * x.factor),
            to: short(phase.to_s * x.factor),
        })
        .collect();
    let here = |name: &str| curve.column(name).is_some_and(|c| c.iter().any(|v| v.is_finite()));
    // The rate is always there; what explains it is set beside it, one thing a picture.
    let rate = if here("iops") && !here("bytes_per_s") { "iops" } else { "bytes_per_s" };
    let beside: Vec<&str> = COLUMNS
        .iter()
        .map(|(column, ..)| *column)
        .filter(|column| *column != rate && here(column) && !flat(curve, column))
        .collect();
    let seconds: Vec<Option<&str>> = match (beside.is_empty(), shown && bands.is_empty()) {
        (true, true) => Vec::new(),
        (true, false) => vec![None],
        _ => beside.into_iter().map(Some).collect(),
    };
    let chart = |second: Option<&str>| {
        let (y, main) = column(curve, rate, &x)?;
        let mut chart = Chart {
            title: match second {
                Some(second) => format!("{title}: {} and {}", name_of(rate), name_of(second)),
                None => format!("{title}: {}", words(step)),
            },
            about: "Shaded stretches are the parts of the test.".to_owned(),
            x: Axis::new("time", &x.unit, Scale::Linear),
            y,
            lines: vec![main],
            bands: bands.clone(),
            ..Chart::default()
        };
        if let Some((axis, line)) = second.and_then(|second| column(curve, second, &x)) {
            chart.second = Some(axis);
            chart.lines.push(Line { second: true, ..line });
        }
        if bands.is_empty() {
            chart.about = "What explains the rate stands on the right.".to_owned();
        }
        Some(chart)
    };
    seconds.into_iter().filter_map(chart).collect()
}

/// Whether a column says nothing: all its values are the same.
fn flat(curve: &Curve, name: &str) -> bool {
    let values = curve.column(name).unwrap_or_default();
    let known = values.iter().filter(|value| value.is_finite());
    let (low, high) = known.fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(*v), h.max(*v)));
    high - low <= 1e-9 * high.abs()
}

fn name_of(column: &str) -> String {
    let known = COLUMNS.iter().find(|(name, ..)| *name == column);
    known.map_or_else(|| words(column), |(.., name)| words(name))
}

/// A column as a line with its axis.
fn column(curve: &Curve, name: &str, x: &Shown) -> Option<(Axis, Line)> {
    let values = curve.column(name)?;
    let (_, base, word) = COLUMNS.iter().find(|(known, ..)| *known == name)?;
    let most = values.iter().copied().filter(|value| value.is_finite()).fold(0.0, f64::max);
    let y = Shown::of(base, word, most);
    let axis = Axis::new(words(word), &y.unit, Scale::Linear);
    let from = (*base != "C").then_some(0.0);
    let line = Line::new(words(word), Style::Plain, points(&curve.time_s, &values, x, &y));
    Some((Axis { from, ..axis }, line))
}

fn points(across: &[f64], upwards: &[f64], x: &Shown, y: &Shown) -> Vec<[f64; 2]> {
    let both = across.iter().zip(upwards);
    both.map(|(a, u)| [short(a * x.factor), short(u * y.factor)]).collect()
}
