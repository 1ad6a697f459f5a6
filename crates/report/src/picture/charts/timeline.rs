//! Steps over their time: the runs of each set against each other.

use super::Group;
use crate::document::{Axis, Chart, Line, Scale, Style};
use crate::picture::label::words;
use crate::picture::state::{WHOLE, points};
use crate::quantity::Shown;
use stats::Series;
use std::collections::BTreeMap;

/// Lines that one picture can hold.
const MOST: usize = 10;

/// One picture a step, or several if there are many runs.
pub fn draw(group: &Group<'_>) -> Vec<Chart> {
    let mut charts = Vec::new();
    let mut steps: BTreeMap<&str, Vec<(&str, &Series)>> = BTreeMap::new();
    for (run, name) in group.named() {
        let drawn = run.series.iter().filter(|series| series.len() > 1 && series.name != WHOLE);
        for series in drawn {
            steps.entry(&series.name).or_default().push((name, series));
        }
    }
    for (step, runs) in &steps {
        for part in runs.chunks(MOST) {
            charts.push(beside(&format!("{}: {}", group.title, words(step)), part));
        }
    }
    charts
}

/// Bandwidth of several runs over how much was done, or over time.
fn beside(title: &str, group: &[(&str, &Series)]) -> Chart {
    let by_position = group.iter().all(|(_, series)| {
        series.position_bytes.len() == series.len()
            && series.position_bytes.last().is_some_and(|last| *last > 0.0)
    });
    let across = |series: &Series| match by_position {
        true => series.position_bytes.clone(),
        false => series.time_s.clone(),
    };
    let base = if by_position { "B" } else { "s" };
    let furthest = group.iter().flat_map(|(_, series)| across(series)).fold(0.0, f64::max);
    let x = Shown::of(base, "", furthest);
    let most = group.iter().flat_map(|(_, series)| &series.bytes_per_s).copied();
    let y = Shown::of("B/s", "bandwidth", most.fold(0.0, f64::max));
    let line = |(name, series): &(&str, &Series)| {
        Line::new(*name, Style::Plain, points(&across(series), &series.bytes_per_s, &x, &y))
    };
    Chart {
        title: title.to_owned(),
        about: match by_position {
            true => "Bandwidth in the order in which the drive was written or read.".to_owned(),
            false => "Bandwidth over the time of the step.".to_owned(),
        },
        x: Axis::new(if by_position { "done" } else { "time" }, &x.unit, Scale::Linear),
        y: Axis { from: Some(0.0), ..Axis::new("bandwidth", &y.unit, Scale::Linear) },
        lines: group.iter().map(line).collect(),
        ..Chart::default()
    }
}
