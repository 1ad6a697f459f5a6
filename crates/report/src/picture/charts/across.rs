//! A metric over the runs that differ in a parameter.

use super::Group;
use super::curve::{Stop, Sweep, drawn};
use crate::document::Chart;
use crate::picture::label::{labels, words};
use crate::picture::measured::Measured;
use crate::quantity::parse;
use std::collections::{BTreeMap, BTreeSet};

/// Pictures of runs that differ in a parameter with three or more numbers; two are enough where it
/// is the only parameter that varies and there are several targets.
pub fn draw(group: &Group<'_>) -> Vec<Chart> {
    let Group { title, runs, varying, .. } = group;
    let targets: BTreeSet<&str> = runs.iter().map(|run| run.target.as_str()).collect();
    let least = if varying.len() == 1 && targets.len() > 1 { 2 } else { 3 };
    let mut charts = Vec::new();
    for over in varying {
        let numbers: BTreeSet<String> = runs
            .iter()
            .filter_map(|run| run.params.get(*over))
            .filter(|text| parse(text).is_some())
            .cloned()
            .collect();
        if numbers.len() < least {
            continue;
        }
        let others: Vec<&str> = varying.iter().filter(|name| *name != over).copied().collect();
        // Runs that agree in all else are one line.
        let mut lines: BTreeMap<Vec<&str>, Vec<&Measured>> = BTreeMap::new();
        for run in *runs {
            let rest = others.iter().map(|name| run.params.get(*name).map_or("", String::as_str));
            let key = std::iter::once(run.target.as_str()).chain(rest).collect();
            lines.entry(key).or_default().push(run);
        }
        let found: Vec<_> = lines.values().filter_map(|group| stops(group, over, least)).collect();
        let first: Vec<&Measured> = found.iter().map(|(run, _)| *run).collect();
        let names = labels(&first, &others);
        let sweeps: Vec<Sweep<'_>> = found
            .into_iter()
            .zip(names)
            .map(|((_, stops), name)| Sweep {
                name,
                over: (*over).to_owned(),
                stops,
                within: false,
            })
            .collect();
        charts.extend(drawn(&format!("{title}: by {}", words(over)), &sweeps));
    }
    charts
}

/// The stops of runs that differ in one parameter, if there are enough.
fn stops<'m>(
    group: &[&'m Measured],
    over: &str,
    least: usize,
) -> Option<(&'m Measured, Vec<Stop<'m>>)> {
    let mut seen = BTreeSet::new();
    let stops: Vec<Stop<'m>> = group
        .iter()
        .filter_map(|run| Some((run.params.get(over)?, run)))
        .filter(|(at, _)| seen.insert(*at))
        .map(|(at, run)| Stop { at, metrics: &run.metrics })
        .collect();
    (stops.len() >= least).then(|| (group[0], stops))
}
