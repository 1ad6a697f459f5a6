//! Distributions of latency that were kept: as percentiles to the last I/O, and as a histogram.

use super::Group;
use crate::document::{Chart, Line, Style};
use crate::picture::label::words;
use crate::picture::{histogram, nines};
use stats::NamedHistogram;
use std::collections::BTreeMap;

/// Two pictures for each kind of latency.
pub fn draw(group: &Group<'_>) -> Vec<Chart> {
    let title = group.title;
    let mut kinds: BTreeMap<&str, Vec<(String, &NamedHistogram)>> = BTreeMap::new();
    for (run, name) in group.named() {
        for histogram in &run.histograms {
            // Those of a sweep are named `POINT.read_lat`.
            let (line, kind) = match histogram.name.rsplit_once('.') {
                Some((point, kind)) => (format!("{name}, {point}"), kind),
                None => (name.to_owned(), histogram.name.as_str()),
            };
            kinds.entry(kind).or_default().push((line, histogram));
        }
    }
    let mut charts = Vec::new();
    for (kind, group) in kinds {
        let longest = group.iter().filter_map(|(_, h)| h.upper_ns.last()).max();
        let (y, shown) = nines::latency_axis(longest.map_or(0.0, |ns| *ns as f64 * 1e-9));
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
            x: nines::axis(last),
            y,
            lines,
            ..Chart::default()
        });
        charts.push(histogram::chart(&format!("{title}: {}", words(kind)), &group));
    }
    charts
}
