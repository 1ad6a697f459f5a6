//! The points inside of runs: a metric against what was swept, the curve of a load that is raised,
//! and colours over two parameters.

use super::Group;
use super::curve::{Stop, Sweep, drawn};
use crate::document::{Axis, Chart, ChartKind, Line, Scale, Style};
use crate::picture::label::words;
use crate::picture::measured::{Measured, Point};
use crate::picture::sweep::place;
use crate::quantity::{Shown, short};
use answer::measured::Number;
use std::collections::{BTreeMap, BTreeSet};

/// Pictures of the points inside of runs.
pub fn draw(group: &Group<'_>) -> Vec<Chart> {
    let title = group.title;
    let mut curves = Vec::new();
    let mut sweeps: BTreeMap<String, Vec<Sweep<'_>>> = BTreeMap::new();
    let mut heat = Vec::new();
    for (run, name) in group.named() {
        let swept: BTreeSet<&String> =
            run.points.iter().flat_map(|point| point.at.keys()).collect();
        let asked = run.points.iter().any(|point| point.metrics.contains_key("asked_iops"));
        let swept: Vec<&String> = swept.into_iter().collect();
        match swept.as_slice() {
            _ if asked => curves.push((name, run)),
            [one] => {
                let stop = |point: &'_ Point| point.at.contains_key(*one);
                let stops = run.points.iter().filter(|point| stop(point));
                let stops = stops
                    .map(|point| Stop { at: &point.at[*one], metrics: &point.metrics })
                    .collect();
                let sweep =
                    Sweep { name: name.to_owned(), over: (*one).clone(), stops, within: true };
                // A single point is in the table.
                if sweep.stops.len() > 1 {
                    sweeps.entry((*one).clone()).or_default().push(sweep);
                }
            }
            [across, upwards] => heat.push((name, run, *across, *upwards)),
            _ => {}
        }
    }
    let mut charts = Vec::new();
    charts.extend(load_curve(title, &curves));
    for (over, sweeps) in sweeps {
        charts.extend(drawn(&format!("{title}: by {}", words(&over)), &sweeps));
    }
    for (name, run, across, upwards) in heat {
        charts.extend(heat_maps(&format!("{title}: {name}"), run, across, upwards));
    }
    charts
}

/// Latency against what was achieved, a line a run: the curve of a load that is raised step by
/// step.
fn load_curve(title: &str, runs: &[(&str, &Measured)]) -> Option<Chart> {
    if runs.is_empty() {
        return None;
    }
    let number = |metrics: &BTreeMap<String, Number>, name: &str| {
        metrics.get(name).map_or(f64::NAN, |number| number.value)
    };
    let all = runs.iter().flat_map(|(_, run)| &run.points);
    let (mut rate, mut latency) = (0.0_f64, 0.0_f64);
    for point in all {
        rate = rate.max(number(&point.metrics, "iops"));
        latency = latency.max(number(&point.metrics, "lat_mean"));
    }
    let (x, y) = (Shown::of("1/s", "iops", rate), Shown::of("s", "lat", latency));
    let line = |(name, run): &(&str, &Measured)| {
        let pair = |m: &BTreeMap<String, Number>| [number(m, "iops"), number(m, "lat_mean")];
        let points = run.points.iter().map(|point| pair(&point.metrics));
        let points = points.map(|[i, l]| [short(i * x.factor), short(l * y.factor)]);
        let labels = run.points.iter().map(|point| {
            let at: Vec<String> =
                point.at.iter().map(|(k, v)| format!("{} {v}", words(k))).collect();
            at.join(", ")
        });
        Line { labels: labels.collect(), ..Line::new(*name, Style::Line, points.collect()) }
    };
    Some(Chart {
        title: format!("{title}: latency against achieved rate"),
        about:
            "Each point is a requested rate. Where a line turns upwards the drive is at its end; \
                what is asked for beyond is not achieved."
                .to_owned(),
        x: Axis { from: Some(0.0), ..Axis::new("achieved", &x.unit, Scale::Linear) },
        y: Axis { from: Some(0.0), ..Axis::new("mean latency", &y.unit, Scale::Linear) },
        lines: runs.iter().map(line).collect(),
        ..Chart::default()
    })
}

/// A metric over two parameters as colours.
fn heat_maps(title: &str, run: &Measured, across: &str, upwards: &str) -> Vec<Chart> {
    let stops = |name: &str| {
        let mut list: Vec<&str> = Vec::new();
        for at in run.points.iter().filter_map(|point| point.at.get(name)) {
            if !list.contains(&at.as_str()) {
                list.push(at);
            }
        }
        list
    };
    let (columns, rows) = (stops(across), stops(upwards));
    let all: BTreeSet<&String> = run.points.iter().flat_map(|point| point.metrics.keys()).collect();
    let mut metrics: Vec<(usize, &String)> =
        all.into_iter().filter_map(|metric| Some((place(metric)?, metric))).collect();
    metrics.sort();
    let chart = |metric: &String| {
        let known = || run.points.iter().filter_map(|p| Some((p, p.metrics.get(metric)?)));
        let most = known().map(|(_, number)| number.value).fold(0.0, f64::max);
        let unit = known().next().map_or("", |(_, number)| number.unit.as_str());
        let shown = Shown::of(unit, metric, most);
        let place = |(point, number): (&Point, &Number)| {
            let column = columns
                .iter()
                .position(|at| Some(*at) == point.at.get(across).map(String::as_str))?;
            let row = rows
                .iter()
                .position(|at| Some(*at) == point.at.get(upwards).map(String::as_str))?;
            Some(vec![column as f64, row as f64, short(number.value * shown.factor)])
        };
        let points = known().filter_map(place).collect();
        let owned = |list: &[&str]| list.iter().map(|at| (*at).to_owned()).collect();
        Chart {
            kind: ChartKind::Heat,
            title: format!("{title}: {}", words(metric)),
            x: Axis::names(words(across), owned(&columns)),
            y: Axis { unit: shown.unit, ..Axis::names(words(upwards), owned(&rows)) },
            lines: vec![Line { name: words(metric), points, ..Line::default() }],
            ..Chart::default()
        }
    };
    metrics.into_iter().map(|(_, metric)| chart(metric)).collect()
}
