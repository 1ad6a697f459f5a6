//! Repeated measurements, one after the other: bursts with pauses, minutes of a long test.

use super::Group;
use crate::document::{Axis, Chart, Line, Scale, Style};
use crate::picture::label::words;
use crate::picture::measured::{Measured, Point};
use crate::picture::sweep::ROUND;
use crate::quantity::{Shown, short};
use metric::PARAMS;
use std::collections::BTreeSet;

/// The turns of each run: a picture a metric, a line for each repetition and each value of what was
/// swept around it.
pub fn draw(group: &Group<'_>) -> Vec<Chart> {
    let mut charts = Vec::new();
    for (run, name) in group.named() {
        let several = if group.runs.len() > 1 { format!(" of {name}") } else { String::new() };
        let title = format!("{}{several}", group.title);
        let turns: Vec<Turn<'_>> = run.points.iter().filter_map(Turn::of).collect();
        let metrics: BTreeSet<&String> =
            turns.iter().flat_map(|turn| turn.point.metrics.keys()).collect();
        charts.extend(metrics.into_iter().map(|metric| chart(&title, metric, &turns, run)));
    }
    charts
}

/// A turn of a repetition.
struct Turn<'m> {
    /// The line that it belongs to.
    line: String,
    /// Its number.
    number: f64,
    point: &'m Point,
}

impl<'m> Turn<'m> {
    /// A point is a turn if it has a number by a name that is no parameter.
    fn of(point: &'m Point) -> Option<Self> {
        let counts = |name: &str| name != ROUND && !PARAMS.iter().any(|spec| spec.name == name);
        let (name, number) = point.at.iter().find(|(name, _)| counts(name))?;
        let others = point.at.iter().filter(|(other, _)| *other != name);
        let others: Vec<String> = others.map(|(k, v)| format!("{} {v}", words(k))).collect();
        let line = match others.is_empty() {
            true => words(name),
            false => format!("{}, {}", words(name), others.join(", ")),
        };
        Some(Turn { line, number: number.parse().ok()?, point })
    }
}

fn chart(title: &str, metric: &String, turns: &[Turn<'_>], run: &Measured) -> Chart {
    let known = || turns.iter().filter_map(|turn| Some((turn, turn.point.metrics.get(metric)?)));
    let most = known().map(|(_, number)| number.value).fold(0.0, f64::max);
    let unit = known().next().map_or("", |(_, number)| number.unit.as_str());
    let y = Shown::of(unit, metric, most);
    let mut lines: Vec<Line> = Vec::new();
    for (turn, number) in known() {
        let point = vec![turn.number, short(number.value * y.factor)];
        match lines.iter_mut().find(|line| line.name == turn.line) {
            Some(line) => line.points.push(point),
            None => {
                let first = vec![[turn.number, short(number.value * y.factor)]];
                lines.push(Line::new(turn.line.clone(), Style::Plain, first));
            }
        }
    }
    let each = run.params.get("duration").map(|each| format!(" of {each}")).unwrap_or_default();
    Chart {
        title: format!("{title}: {} over time", words(metric)),
        about: "Each line counts its own turns from 1.".to_owned(),
        x: Axis::new(format!("turn{each}"), "", Scale::Linear),
        y: Axis { from: Some(0.0), ..Axis::new(words(metric), &y.unit, Scale::Linear) },
        lines,
        ..Chart::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use answer::measured::Number;

    fn point(at: &[(&str, &str)], iops: f64) -> Point {
        let iops = Number {
            value: iops,
            unit: "1/s".to_owned(),
            samples: None,
            interval95: None,
            interval90: None,
        };
        Point {
            at: at.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
            metrics: [("iops".to_owned(), iops)].into(),
        }
    }

    #[test]
    fn each_state_is_a_line() {
        let run = Measured {
            points: vec![
                point(&[("idle", "5 s"), ("with_pauses", "1")], 10.0),
                point(&[("idle", "5 s"), ("with_pauses", "2")], 12.0),
                point(&[("idle", "5 s"), ("without", "1")], 9.0),
                point(&[("idle", "5 s")], 11.0),
                point(&[("round", "1")], 11.0),
            ],
            ..Measured::default()
        };
        let charts = draw(&Group::of("snia-hir", &[&run]));
        assert_eq!(charts.len(), 1);
        let lines: Vec<(&str, usize)> =
            charts[0].lines.iter().map(|line| (line.name.as_str(), line.points.len())).collect();
        assert_eq!(lines, [("with pauses, idle 5 s", 2), ("without, idle 5 s", 1)]);
    }
}
