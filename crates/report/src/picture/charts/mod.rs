//! The charts of runs of a method that can be compared: one file a kind of chart, one list.

pub mod across;
mod bars;
mod curve;
mod distributions;
mod grid;
mod points;
mod rounds;
mod states;
mod tails;
mod timeline;
mod turns;

use super::label::{labels, varying};
use super::measured::Measured;
use super::sweep;
use crate::document::Chart;

/// The charts of one kind; none if the runs have nothing for it.
type Draw = fn(&Group<'_>) -> Vec<Chart>;

/// All kinds, in the order in which they are shown.
const CHARTS: &[Draw] = &[
    rounds::draw,
    turns::draw,
    points::draw,
    grid::draw,
    across::draw,
    timeline::draw,
    states::draw,
    tails::draw,
    distributions::draw,
    bars::draw,
];

/// Runs that can be compared, with what several kinds of charts must know of them.
pub struct Group<'m> {
    /// What the title of each chart begins with.
    title: &'m str,
    runs: &'m [&'m Measured],
    /// The parameters in which the runs differ.
    varying: Vec<&'m str>,
    /// The name of each run in legends.
    names: Vec<String>,
    /// Whether a parameter was swept, inside of a run or over the runs.
    swept: bool,
}

impl<'m> Group<'m> {
    /// What there is to know of some runs.
    pub fn of(title: &'m str, runs: &'m [&'m Measured]) -> Self {
        let varying = varying(runs);
        let swept = runs.iter().any(|run| sweep::is_sweep(run))
            || varying.iter().any(|name| sweep::is_swept(runs, name));
        Self { title, runs, names: labels(runs, &varying), varying, swept }
    }

    /// The runs, each with its name.
    fn named(&self) -> impl Iterator<Item = (&'m Measured, &str)> {
        self.runs.iter().copied().zip(self.names.iter().map(String::as_str))
    }
}

/// All charts of some runs.
pub fn of_runs(title: &str, runs: &[&Measured]) -> Vec<Chart> {
    let group = Group::of(title, runs);
    CHARTS.iter().flat_map(|draw| draw(&group)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::ChartKind;
    use answer::measured::Number;
    use std::collections::BTreeMap;

    fn run(target: &str, qd: u32) -> Measured {
        let value = f64::from(qd) * 1e4;
        let iops = Number {
            value,
            unit: "1/s".to_owned(),
            samples: None,
            interval95: None,
            interval90: None,
        };
        Measured {
            target: target.to_owned(),
            params: BTreeMap::from([("qd".to_owned(), qd.to_string())]),
            metrics: BTreeMap::from([("iops".to_owned(), iops)]),
            ..Measured::default()
        }
    }

    #[test]
    fn bars_stand_where_nothing_was_swept() {
        let drawn = |runs: &[Measured]| -> Vec<(ChartKind, String)> {
            let charts = of_runs("m", &runs.iter().collect::<Vec<_>>()).into_iter();
            charts.map(|chart| (chart.kind, chart.title)).collect()
        };
        let bars = [(ChartKind::Bars, "m: IOPS".to_owned())];
        assert_eq!(drawn(&[run("a", 1), run("b", 1)]), bars);
        assert_eq!(drawn(&[run("a", 1), run("a", 4)]), bars, "two values are no sweep");
        let curve = [(ChartKind::Lines, "m: by QD: IOPS".to_owned())];
        assert_eq!(drawn(&[run("a", 1), run("a", 4), run("a", 8)]), curve);
    }
}
