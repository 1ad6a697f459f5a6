//! Sweeps: a metric against the parameter that was varied, within one run or over several.

use super::label::{labels, varying, words};
use super::measured::Measured;
use crate::document::{Axis, Chart, ChartKind, Line, Scale, Style};
use crate::quantity::{Shown, parse, short};
use answer::measured::Number;
use std::collections::{BTreeMap, BTreeSet};

/// Metrics worth a picture of their own, in the order in which they are shown.
const DRAWN: [&str; 30] = [
    "iops",
    "peak_iops",
    "read_iops",
    "write_iops",
    "bandwidth",
    "read_bandwidth",
    "write_bandwidth",
    "read.bandwidth",
    "write.bandwidth",
    "lat_mean",
    "latency_at_peak",
    "read_lat_mean",
    "write_lat_mean",
    "read_lat_p99",
    "read_lat_p99.99",
    "read_lat_p99.9999",
    "write_lat_p99.99",
    "tps",
    "mean_ms",
    "p99_ms",
    "power",
    "energy_per_io",
    "write_amplification",
    "temperature",
    "bandwidth_after",
    "first_throttle",
    "wear",
    "max_rate",
    "recovery_time",
    "hit_rate",
];

/// Rounds of one load: a curve over time in points.
const ROUND: &str = "round";

/// Whether a run has points of its own that were swept; rounds are not.
pub fn is_sweep(run: &Measured) -> bool {
    run.points.iter().any(|point| point.at.keys().any(|over| over != ROUND))
}

/// Position of a metric among those that are drawn; a metric of a named measurement
/// (`read.bandwidth`) has the position of the metric.
pub fn place(metric: &str) -> Option<usize> {
    DRAWN.iter().position(|known| *known == metric::tail(metric))
}

/// A point, and its interval where that is known.
type Marked = ([f64; 2], Option<(f64, f64)>);

/// One place of a sweep: where it is, and what was measured there.
struct Stop<'m> {
    at: &'m str,
    metrics: &'m BTreeMap<String, Number>,
}

/// A run, or runs that differ in one parameter only, as a sweep over it.
struct Sweep<'m> {
    name: String,
    over: String,
    stops: Vec<Stop<'m>>,
    /// Whether it is within one run: reviewers show block sizes of these as bars.
    within: bool,
}

/// Pictures of the points inside of runs.
pub fn of_points(title: &str, runs: &[&Measured]) -> Vec<Chart> {
    let names = labels(runs, &varying(runs));
    let mut curves = Vec::new();
    let mut sweeps: BTreeMap<String, Vec<Sweep<'_>>> = BTreeMap::new();
    let mut heat = Vec::new();
    for (run, name) in runs.iter().zip(&names) {
        let swept: BTreeSet<&String> =
            run.points.iter().flat_map(|point| point.at.keys()).collect();
        let asked = run.points.iter().any(|point| point.metrics.contains_key("asked_iops"));
        let swept: Vec<&String> = swept.into_iter().collect();
        match swept.as_slice() {
            _ if asked => curves.push((name.clone(), *run)),
            [one] => {
                let stop = |point: &'_ super::measured::Point| point.at.contains_key(*one);
                let stops = run.points.iter().filter(|point| stop(point));
                let stops = stops
                    .map(|point| Stop { at: &point.at[*one], metrics: &point.metrics })
                    .collect();
                let sweep = Sweep { name: name.clone(), over: (*one).clone(), stops, within: true };
                // A single point is in the table.
                if sweep.stops.len() > 1 {
                    sweeps.entry((*one).clone()).or_default().push(sweep);
                }
            }
            [across, upwards] => heat.push((name.clone(), *run, *across, *upwards)),
            _ => {}
        }
    }
    let mut charts = Vec::new();
    charts.extend(load_curve(title, &curves));
    for (over, group) in sweeps {
        charts.extend(drawn(&format!("{title}: by {}", words(&over)), &group));
    }
    for (name, run, across, upwards) in heat {
        charts.extend(heat_maps(&format!("{title}: {name}"), run, across, upwards));
    }
    charts
}

/// Whether a parameter takes three or more numbers on one target while all else stays.
pub fn is_swept(runs: &[&Measured], name: &str) -> bool {
    // What stays: the target, then the other parameters with their values.
    let mut lines: BTreeMap<Vec<&str>, BTreeSet<&str>> = BTreeMap::new();
    for run in runs {
        let others = run.params.iter().filter(|(other, _)| *other != name);
        let others = others.flat_map(|(name, value)| [name.as_str(), value.as_str()]);
        let key = std::iter::once(run.target.as_str()).chain(others).collect();
        let value = run.params.get(name).filter(|value| parse(value).is_some());
        lines.entry(key).or_default().extend(value.map(String::as_str));
    }
    lines.values().any(|values| values.len() >= 3)
}

/// Pictures of runs that differ in a parameter with three or more numbers; two are enough where it
/// is the only parameter that varies and there are several targets.
pub fn of_runs(title: &str, runs: &[&Measured]) -> Vec<Chart> {
    let varying = varying(runs);
    let targets: BTreeSet<&str> = runs.iter().map(|run| run.target.as_str()).collect();
    let least = if varying.len() == 1 && targets.len() > 1 { 2 } else { 3 };
    let mut charts = Vec::new();
    for over in &varying {
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
        for run in runs {
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

/// Latency against what was achieved, a line a run: the curve of a load that is raised step by
/// step.
fn load_curve(title: &str, runs: &[(String, &Measured)]) -> Option<Chart> {
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
    let line = |(name, run): &(String, &Measured)| {
        let pair = |m: &BTreeMap<String, Number>| [number(m, "iops"), number(m, "lat_mean")];
        let points = run.points.iter().map(|point| pair(&point.metrics));
        let points = points.map(|[i, l]| [short(i * x.factor), short(l * y.factor)]);
        let labels = run.points.iter().map(|point| {
            let at: Vec<String> =
                point.at.iter().map(|(k, v)| format!("{} {v}", words(k))).collect();
            at.join(", ")
        });
        Line { labels: labels.collect(), ..Line::new(name, Style::Line, points.collect()) }
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

/// One picture for each metric worth it; with a single sweep the metrics of a unit share one.
fn drawn(title: &str, sweeps: &[Sweep<'_>]) -> Vec<Chart> {
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

/// Shapes that were drawn. A rate that is another one in other units (bytes instead of commands of
/// one size, reads where there is nothing else) would be the same picture again.
#[derive(Default)]
pub struct Shapes {
    drawn: Vec<(bool, Vec<Option<f64>>)>,
}

impl Shapes {
    /// Whether these values show anything that was not drawn yet; takes note of them.
    pub fn is_new(&mut self, unit: &str, values: &[Option<f64>]) -> bool {
        let rate = matches!(unit, "1/s" | "B/s");
        let first = match rate {
            true => values.iter().flatten().copied().find(|value| *value != 0.0).unwrap_or(0.0),
            false => 1.0,
        };
        if rate && first == 0.0 {
            return false;
        }
        let shape: Vec<Option<f64>> = values.iter().map(|value| value.map(|v| v / first)).collect();
        let near = |a: &Option<f64>, b: &Option<f64>| match (a, b) {
            (Some(a), Some(b)) => (a - b).abs() <= 1e-3 * a.abs().max(b.abs()),
            (a, b) => a.is_none() && b.is_none(),
        };
        let same = |(known, drawn): &(bool, Vec<Option<f64>>)| {
            *known == rate
                && drawn.len() == shape.len()
                && drawn.iter().zip(&shape).all(|(a, b)| near(a, b))
        };
        let new = !self.drawn.iter().any(same);
        if new {
            self.drawn.push((rate, shape));
        }
        new
    }
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
pub fn kind_of(unit: &str) -> &'static str {
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
        let place = |(point, number): (&super::measured::Point, &Number)| {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_picture_is_not_drawn_twice() {
        let mut shapes = Shapes::default();
        assert!(shapes.is_new("1/s", &[Some(1.0), Some(2.0), None]));
        assert!(!shapes.is_new("B/s", &[Some(4096.0), Some(8192.0), None]), "bytes of 4 KiB each");
        assert!(shapes.is_new("B/s", &[Some(4096.0), Some(8192.0), Some(1.0)]));
        assert!(!shapes.is_new("1/s", &[Some(0.0), Some(0.0), None]), "nothing was done");
        assert!(shapes.is_new("s", &[Some(1.0), Some(2.0), None]), "a latency is no rate");
    }
}
