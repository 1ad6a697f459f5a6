//! Points over two parameters as lines: a metric over one of them, a line for each value of the
//! other.

use super::Group;
use crate::document::{Axis, Chart, Line, Scale, Style};
use crate::picture::label::words;
use crate::picture::measured::{Measured, Point};
use crate::quantity::{Shown, parse, short};

/// Least points of a line.
const LEAST: usize = 3;

/// What was swept in two ways at once: rate and latency over sizes, demand over threads and depth.
const PAIRS: [(&str, &str); 2] = [("read", "block"), ("threads", "thread_qd")];

/// Metrics that are drawn over the second parameter.
const METRICS: [&str; 7] = [
    "iops",
    "read_lat_mean",
    "read_lat_p99.999",
    "read_lat_max",
    "write_lat_mean",
    "write_lat_p99.999",
    "write_lat_max",
];

/// What a load costs a real host.
const BUSY: &str = "processors_busy";

/// The lines of each run.
pub fn draw(group: &Group<'_>) -> Vec<Chart> {
    let mut charts = Vec::new();
    for (run, name) in group.named() {
        let several = if group.runs.len() > 1 { format!(" of {name}") } else { String::new() };
        for (line, across) in PAIRS {
            let points: Vec<&Point> =
                run.points.iter().filter(|p| is_of(p, line, across)).collect();
            if points.len() < LEAST * LEAST {
                continue;
            }
            let title = format!("{}{several}", group.title);
            let drawn = |metric: &str| over(&title, metric, line, &X::of(across), &points);
            charts.extend(METRICS.iter().filter_map(|metric| drawn(metric)));
            if across == "thread_qd" {
                charts.extend(demand(&title, line, run, &points));
                charts.extend(over(&title, "iops", line, &X::total(), &points));
                charts.extend(drawn(BUSY));
            }
        }
    }
    charts
}

/// Whether a point is one of both parameters and nothing else.
fn is_of(point: &Point, line: &str, across: &str) -> bool {
    point.at.len() == 2 && point.at.contains_key(line) && point.at.contains_key(across)
}

/// Points by the value of a parameter, in the order in which they were measured.
fn lines<'p>(points: &[&'p Point], by: &str) -> Vec<(String, Vec<&'p Point>)> {
    let mut lines: Vec<(String, Vec<&Point>)> = Vec::new();
    for point in points {
        let name = format!("{} {}", words(by), point.at[by]);
        match lines.iter_mut().find(|(known, _)| *known == name) {
            Some((_, line)) => line.push(point),
            None => lines.push((name, vec![point])),
        }
    }
    lines
}

fn number(point: &Point, metric: &str) -> Option<f64> {
    point.metrics.get(metric).map(|number| number.value)
}

/// What points are drawn over: parameters whose product is it.
struct X<'p> {
    name: String,
    unit: &'static str,
    factor: f64,
    parameters: Vec<&'p str>,
}

impl<'p> X<'p> {
    /// A parameter.
    fn of(parameter: &'p str) -> Self {
        let (unit, factor) = if parameter == "block" { ("KiB", 1024.0) } else { ("", 1.0) };
        X { name: words(parameter), unit, factor, parameters: vec![parameter] }
    }

    /// All commands outstanding.
    fn total() -> Self {
        let parameters = vec!["threads", "thread_qd"];
        X { name: "total outstanding I/Os".to_owned(), unit: "", factor: 1.0, parameters }
    }

    fn place(&self, point: &Point) -> Option<f64> {
        self.parameters.iter().map(|name| Some(parse(&point.at[*name])?.0)).product()
    }
}

/// A metric over something else, a line for each value of a parameter.
fn over(title: &str, metric: &str, by: &str, x: &X<'_>, points: &[&Point]) -> Option<Chart> {
    let unit = points.iter().find_map(|p| p.metrics.get(metric)).map(|n| n.unit.as_str())?;
    let most = points.iter().filter_map(|point| number(point, metric)).fold(0.0, f64::max);
    let y = Shown::of(unit, metric, most);
    let line = |(name, of): (String, Vec<&Point>)| {
        let point = |p: &&Point| {
            Some([short(x.place(p)? / x.factor), short(number(p, metric)? * y.factor)])
        };
        let mut points: Vec<[f64; 2]> = of.iter().filter_map(point).collect();
        points.sort_by(|a, b| a[0].total_cmp(&b[0]));
        Line::new(name, Style::Line, points)
    };
    let lines: Vec<Line> = lines(points, by).into_iter().map(line).collect();
    let lines: Vec<Line> = lines.into_iter().filter(|line| line.points.len() > 1).collect();
    (!lines.is_empty()).then(|| Chart {
        title: format!("{title}: {} over {}", words(metric), x.name),
        x: Axis::new(x.name.clone(), x.unit, Scale::Log),
        y: Axis { from: Some(0.0), ..Axis::new(words(metric), &y.unit, Scale::Linear) },
        lines,
        ..Chart::default()
    })
}

/// Mean latency of all I/Os over their rate: a line for each number of threads.
fn demand(title: &str, by: &str, run: &Measured, points: &[&Point]) -> Option<Chart> {
    let latency = |point: &Point| {
        let side = |side: &str| {
            let rate = number(point, &format!("{side}_iops")).unwrap_or(0.0);
            (rate, rate * number(point, &format!("{side}_lat_mean")).unwrap_or(0.0))
        };
        let ((reads, read), (writes, write)) = (side("read"), side("write"));
        (reads + writes > 0.0).then(|| (read + write) / (reads + writes))
    };
    let most = |of: &dyn Fn(&Point) -> Option<f64>| {
        points.iter().filter_map(|point| of(point)).fold(0.0, f64::max)
    };
    let x = Shown::of("1/s", "iops", most(&|point| number(point, "iops")));
    let y = Shown::of("s", "lat_mean", most(&latency));
    let line = |(name, of): (String, Vec<&Point>)| {
        let point = |p: &&Point| {
            Some([short(number(p, "iops")? * x.factor), short(latency(p)? * y.factor)])
        };
        Line::new(name, Style::Line, of.iter().filter_map(point).collect())
    };
    let mut all: Vec<Line> = lines(points, by).into_iter().map(line).collect();
    if let Some((limit, _)) = run.params.get("latency_limit").and_then(|text| parse(text)) {
        let end = most(&|point| number(point, "iops"));
        let guide = [0.0, end].map(|at| [short(at * x.factor), short(limit * y.factor)]);
        all.push(Line::new("limit", Style::Guide, guide.to_vec()));
    }
    (!all.is_empty()).then(|| Chart {
        title: format!("{title}: mean latency over IOPS"),
        about: "Each point is a number of I/Os in flight. Loads below the limit count.".to_owned(),
        x: Axis { from: Some(0.0), ..Axis::new("IOPS", &x.unit, Scale::Linear) },
        y: Axis::new("mean latency", &y.unit, Scale::Log),
        lines: all,
        ..Chart::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use answer::measured::Number;
    use std::collections::BTreeMap;

    fn run(values: &[(&str, &str)], names: (&str, &str)) -> Measured {
        let number = |value: f64, unit: &str| Number {
            value,
            unit: unit.to_owned(),
            samples: None,
            interval95: None,
            interval90: None,
        };
        let point = |(a, b): &(&str, &str)| Point {
            at: BTreeMap::from([
                (names.0.to_owned(), (*a).to_owned()),
                (names.1.to_owned(), (*b).to_owned()),
            ]),
            metrics: BTreeMap::from([
                ("iops".to_owned(), number(1e5, "1/s")),
                ("write_iops".to_owned(), number(1e5, "1/s")),
                ("write_lat_mean".to_owned(), number(1e-3, "s")),
                (BUSY.to_owned(), number(0.3, "1")),
            ]),
        };
        Measured { points: values.iter().map(point).collect(), ..Measured::default() }
    }

    #[test]
    fn demand_has_a_line_a_number_of_threads() {
        let values = ["1", "2", "4"].map(|t| ["1", "2", "4"].map(|q| (t, q))).concat();
        let run = run(&values, ("threads", "thread_qd"));
        let charts = draw(&Group::of("snia-cbw", &[&run]));
        let titles: Vec<&str> = charts.iter().map(|chart| chart.title.as_str()).collect();
        assert!(titles.contains(&"snia-cbw: mean latency over IOPS"), "{titles:?}");
        assert!(titles.iter().any(|title| title.contains("processors busy")), "{titles:?}");
        assert!(charts.iter().all(|chart| chart.lines.len() == 3));
    }

    #[test]
    fn sizes_are_in_kibibytes_on_a_scale_of_powers() {
        let sizes = ["512 B", "4 KiB", "1 MiB"];
        let values = ["100 %", "65 %", "0 %"].map(|r| sizes.map(|b| (r, b))).concat();
        let run = run(&values, ("read", "block"));
        let charts = draw(&Group::of("snia-iops", &[&run]));
        let across: Vec<f64> = charts[0].lines[0].points.iter().map(|point| point[0]).collect();
        assert_eq!(across, [0.5, 4.0, 1024.0]);
        assert_eq!(charts[0].x.scale, Scale::Log);
    }
}
