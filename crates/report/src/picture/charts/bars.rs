//! Runs side by side as bars, where nothing was swept.

use super::Group;
use crate::document::{Axis, Chart, ChartKind, Line, Scale, Style};
use crate::picture::label::words;
use crate::picture::reach::told;
use crate::picture::sweep::{Shapes, place};
use crate::quantity::{Shown, short};
use answer::measured::Number;
use std::collections::BTreeSet;

/// Metrics that are worth bars, at most.
const BARS: usize = 8;

/// One picture for each metric worth it, of runs that differ in one thing: the target or one
/// parameter.
pub fn draw(group: &Group<'_>) -> Vec<Chart> {
    let Group { title, runs, names, .. } = group;
    let targets: BTreeSet<&str> = runs.iter().map(|run| run.target.as_str()).collect();
    let comparable = match group.varying.len() {
        0 => targets.len() > 1,
        1 => targets.len() == 1,
        _ => false,
    };
    if !comparable || group.swept {
        return Vec::new();
    }
    let all: BTreeSet<&String> = runs.iter().flat_map(|run| run.metrics.keys()).collect();
    let mut metrics: Vec<(usize, &String)> =
        all.into_iter().filter_map(|metric| Some((place(metric)?, metric))).collect();
    metrics.sort();
    let mut charts = Vec::new();
    let mut shapes = Shapes::default();
    for (_, metric) in metrics {
        if charts.len() == BARS {
            break;
        }
        let known: Vec<Option<&Number>> = runs.iter().map(|run| told(run, metric)).collect();
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
