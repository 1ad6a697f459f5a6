//! A metric against the parameter that was varied: a picture of one or several sweeps.

use crate::document::{Axis, Chart, ChartKind, Line, Scale, Style};
use crate::picture::label::words;
use crate::picture::sweep::{ROUND, Shapes, place};
use crate::quantity::{Shown, parse, short};
use answer::measured::Number;
use std::collections::{BTreeMap, BTreeSet};

/// A point, and its interval where that is known.
type Marked = ([f64; 2], Option<(f64, f64)>);

/// One place of a sweep: where it is, and what was measured there.
pub struct Stop<'m> {
    /// The value of the parameter.
    pub at: &'m str,
    /// What was measured.
    pub metrics: &'m BTreeMap<String, Number>,
}

/// A run, or runs that differ in one parameter only, as a sweep over it.
pub struct Sweep<'m> {
    /// Its name in legends.
    pub name: String,
    /// The parameter.
    pub over: String,
    /// Its places.
    pub stops: Vec<Stop<'m>>,
    /// Whether it is within one run: reviewers show block sizes of these as bars.
    pub within: bool,
}

/// One picture for each metric worth it; with a single sweep the metrics of a unit share one.
pub fn drawn(title: &str, sweeps: &[Sweep<'_>]) -> Vec<Chart> {
    let all: BTreeSet<&String> =
        sweeps.iter().flat_map(|sweep| &sweep.stops).flat_map(|stop| stop.metrics.keys()).collect();
    let mut metrics: Vec<(usize, &String)> =
        all.into_iter().filter_map(|metric| Some((place(metric)?, metric))).collect();
    metrics.sort();
    let unit = |metric: &str| {
        let stops = sweeps.iter().flat_map(|sweep| &sweep.stops);
        let number = stops.filter_map(|stop| stop.metrics.get(metric)).next();
        number.map_or("", |number| number.unit.as_str())
    };
    let mut groups: Vec<Vec<&String>> = Vec::new();
    let mut shapes = Shapes::default();
    for (_, metric) in metrics {
        let stops = sweeps.iter().flat_map(|sweep| &sweep.stops);
        let values: Vec<Option<f64>> =
            stops.map(|stop| stop.metrics.get(metric).map(|number| number.value)).collect();
        if !shapes.is_new(unit(metric), &values) {
            continue;
        }
        let mate = groups.iter_mut().find(|group| unit(group[0]) == unit(metric));
        match mate {
            Some(group) if sweeps.len() == 1 => group.push(metric),
            _ => groups.push(vec![metric]),
        }
    }
    groups.into_iter().filter_map(|group| picture(title, sweeps, &group, unit(group[0]))).collect()
}

/// Some metrics of the same unit over the stops.
fn picture(title: &str, sweeps: &[Sweep<'_>], metrics: &[&String], unit: &str) -> Option<Chart> {
    let across = Across::of(sweeps)?;
    let value = |stop: &Stop<'_>, metric: &str| stop.metrics.get(metric).map(|n| n.value);
    let values = sweeps.iter().flat_map(|sweep| &sweep.stops);
    let most = values
        .flat_map(|stop| metrics.iter().filter_map(|metric| value(stop, metric)))
        .fold(0.0, f64::max);
    let y = Shown::of(unit, metrics[0], most);
    let mut lines = Vec::new();
    for sweep in sweeps {
        for metric in metrics {
            let mut points: Vec<Marked> = Vec::new();
            for stop in &sweep.stops {
                let (Some(at), Some(number)) = (across.at(stop.at), stop.metrics.get(*metric))
                else {
                    continue;
                };
                let scaled = |v: f64| short(v * y.factor);
                let interval = number.interval95.map(|(l, h)| (scaled(l), scaled(h)));
                points.push(([short(at), scaled(number.value)], interval));
            }
            if points.is_empty() {
                continue;
            }
            points.sort_by(|a, b| a.0[0].total_cmp(&b.0[0]));
            let name = match (sweeps.len(), metrics.len()) {
                (1, 1) => sweep.name.clone(),
                (1, _) => words(metric),
                (_, 1) => sweep.name.clone(),
                _ => format!("{}: {}", sweep.name, words(metric)),
            };
            let (places, intervals): (Vec<[f64; 2]>, Vec<_>) = points.into_iter().unzip();
            let mut line = Line::new(name, Style::Line, places);
            if intervals.iter().any(Option::is_some) {
                line.intervals = intervals;
            }
            lines.push(line);
        }
    }
    if lines.is_empty() {
        return None;
    }
    let what = match metrics {
        [one] => words(one),
        _ => kind_of(unit).to_owned(),
    };
    let about = match unit {
        "s" => "Lower is better.",
        "1/s" | "B/s" => "Higher is better.",
        _ => "",
    };
    Some(Chart {
        kind: across.kind,
        title: format!("{title}: {what}"),
        about: about.to_owned(),
        x: across.axis(&sweeps[0].over),
        y: Axis { from: Some(0.0), ..Axis::new(what, &y.unit, Scale::Linear) },
        lines,
        ..Chart::default()
    })
}

/// What metrics of a unit are together.
fn kind_of(unit: &str) -> &'static str {
    match unit {
        "s" => "latency",
        "B/s" => "bandwidth",
        "1/s" => "IOPS",
        "W" => "power",
        "J" => "energy",
        "C" => "temperature",
        _ => "value",
    }
}

/// The axis across of a sweep: numbers where all stops are of one kind, names otherwise and for
/// block sizes, which reviewers show as bars.
struct Across {
    kind: ChartKind,
    names: Vec<String>,
    shown: Shown,
    log: bool,
}

impl Across {
    fn of(sweeps: &[Sweep<'_>]) -> Option<Self> {
        let mut names: Vec<String> = Vec::new();
        for stop in sweeps.iter().flat_map(|sweep| &sweep.stops) {
            if !names.iter().any(|name| name == stop.at) {
                names.push(stop.at.to_owned());
            }
        }
        let numbers: Option<Vec<(f64, &str)>> = names.iter().map(|name| parse(name)).collect();
        let kinds: BTreeSet<&str> = numbers.iter().flatten().map(|(_, kind)| *kind).collect();
        let numbers = numbers.filter(|_| kinds.len() == 1);
        let (Some(numbers), Some(kind)) = (numbers, kinds.first()) else {
            let shown = Shown::itself("");
            return (!names.is_empty()).then_some(Self {
                kind: ChartKind::Bars,
                names,
                shown,
                log: false,
            });
        };
        let ends = |fold: fn(f64, f64) -> f64, start| {
            numbers.iter().map(|(number, _)| *number).fold(start, fold)
        };
        let (low, high) = (ends(f64::min, f64::MAX), ends(f64::max, f64::MIN));
        if *kind == "B" && sweeps[0].over == "block" && sweeps[0].within {
            let mut sorted: Vec<(f64, String)> =
                numbers.iter().map(|(number, _)| *number).zip(names).collect();
            sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
            let names = sorted.into_iter().map(|(_, name)| name).collect();
            let shown = Shown::itself("");
            return Some(Self { kind: ChartKind::Bars, names, shown, log: false });
        }
        let shown = Shown::of(kind, &sweeps[0].over, high);
        // Rounds follow each other in time.
        let log = low > 0.0 && high / low > 10.0 && sweeps[0].over != ROUND;
        Some(Self { kind: ChartKind::Lines, names: Vec::new(), shown, log })
    }

    fn at(&self, text: &str) -> Option<f64> {
        match self.names.is_empty() {
            true => parse(text).map(|(number, _)| number * self.shown.factor),
            false => self.names.iter().position(|name| name == text).map(|i| i as f64),
        }
    }

    fn axis(&self, over: &str) -> Axis {
        match (self.names.is_empty(), self.log) {
            (false, _) => Axis::names(words(over), self.names.clone()),
            (true, true) => Axis::new(words(over), &self.shown.unit, Scale::Log),
            (true, false) => Axis::new(words(over), &self.shown.unit, Scale::Linear),
        }
    }
}
