//! All points of a sweep as lines over parallel axes, one a factor or metric: which values go
//! together, and what is left when an axis is narrowed.

use crate::document::{Axis, Chart, ChartKind, Line, Scale, Style};
use crate::quantity::{Shown, parse, short};
use crate::sweep::{base_unit, columns, direction};
use answer::Sweep;
use answer::sweep::{Kept, SweepPoint};
use metric::tail;
use std::collections::BTreeSet;

/// From this ratio of the largest value to the smallest on, an axis can be logarithmic.
const LOG: f64 = 30.0;

/// An axis with the place of every point on it, in its unit.
struct Upright {
    axis: Axis,
    places: Vec<f64>,
}

/// The picture; `None` if fewer than two points were measured, or they have but one value.
pub fn chart(sweep: &Sweep) -> Option<Chart> {
    let factors = sweep.factors.iter().map(|name| factor(sweep, name));
    let metrics = columns(sweep).into_iter().filter_map(|name| metric(sweep, name));
    let uprights: Vec<Upright> = factors.chain(metrics).collect();
    if sweep.all.len() < 2 || uprights.len() < 2 {
        return None;
    }
    let place = |at: usize| uprights.iter().map(|one| one.places[at]).collect::<Vec<f64>>();
    let best: BTreeSet<&[String]> = sweep.pareto.iter().map(|p| p.ids.as_slice()).collect();
    let lines = Group::ALL.into_iter().filter_map(|group| {
        let of = |at: &usize| Group::of(&sweep.all[*at], &best) == group;
        let points: Vec<Vec<f64>> = (0..sweep.all.len()).filter(of).map(place).collect();
        let name = group.name(sweep).to_owned();
        (!points.is_empty()).then(|| Line { name, style: Style::Plain, points, ..Line::default() })
    });
    let measured = sweep.points.saturating_sub(sweep.failed);
    let thinned = match sweep.all.len() < measured && sweep.rungs.len() < 2 {
        true => format!(" {} of {} points are drawn.", sweep.all.len(), sweep.points),
        false => String::new(),
    };
    Some(Chart {
        kind: ChartKind::Parallel,
        title: "All points".to_owned(),
        about: format!(
            "A line is a point. Drag along an axis to keep only what passes there, on several axes \
             if you like; click beside the mark to let all pass again.{thinned}"
        ),
        origin: "modelled".to_owned(),
        lines: lines.collect(),
        axes: uprights.into_iter().map(|one| one.axis).collect(),
        ..Chart::default()
    })
}

/// How a point came out. Later ones are drawn upon earlier ones.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    /// It surely misses a limit.
    Missing,
    /// It is not in the Pareto set.
    Other,
    /// No other is surely better.
    Front,
}

impl Group {
    const ALL: [Self; 3] = [Self::Missing, Self::Other, Self::Front];

    fn of(point: &SweepPoint, best: &BTreeSet<&[String]>) -> Self {
        match point.verdict {
            Kept::Failed => Self::Missing,
            _ if best.contains(point.ids.as_slice()) => Self::Front,
            _ => Self::Other,
        }
    }

    fn name(self, sweep: &Sweep) -> &'static str {
        match self {
            Self::Missing => "misses a limit",
            Self::Other if sweep.objectives.is_empty() => "misses no limit for sure",
            Self::Other => "another is better",
            Self::Front => "no other is surely better",
        }
    }
}

/// The axis of a factor: numbers if all of its values are some of one unit, else names.
fn factor(sweep: &Sweep, name: &str) -> Upright {
    let text = |point: &SweepPoint| point.at.get(name).cloned().unwrap_or_default();
    let texts: Vec<String> = sweep.all.iter().map(text).collect();
    let parsed: Option<Vec<(f64, &str)>> = texts.iter().map(|text| parse(text)).collect();
    if let Some(values) = parsed
        && let Some((_, base)) = values.first().copied()
        && values.iter().all(|(_, unit)| *unit == base)
    {
        return numbers(name, name, base, values.into_iter().map(|(value, _)| value).collect());
    }
    let mut names: Vec<String> = Vec::new();
    for text in &texts {
        if !names.contains(text) {
            names.push(text.clone());
        }
    }
    let place = |text| names.iter().position(|known| known == text).unwrap_or_default() as f64;
    Upright { places: texts.iter().map(place).collect(), axis: Axis::names(name, names) }
}

/// The axis of a metric; `None` if no point has it.
fn metric(sweep: &Sweep, name: &str) -> Option<Upright> {
    let value = |point: &SweepPoint| point.values.get(name).map_or(f64::NAN, |value| value.value);
    let values: Vec<f64> = sweep.all.iter().map(value).collect();
    if values.iter().all(|value| value.is_nan()) {
        return None;
    }
    let title = format!("{name}{}", direction(sweep, name));
    Some(numbers(&title, tail(name), &base_unit(sweep, name), values))
}

fn numbers(title: &str, name: &str, base: &str, values: Vec<f64>) -> Upright {
    let mut known: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    known.sort_by(f64::total_cmp);
    known.dedup();
    let unit = Shown::of(base, name, known.last().copied().unwrap_or_default().abs());
    let scale = if is_logarithmic(&known) { Scale::Log } else { Scale::Linear };
    let places = values.iter().map(|value| short(value * unit.factor)).collect();
    Upright { axis: Axis::new(title, unit.unit, scale), places }
}

/// Whether ascending values lie more evenly by their logarithms: by where the middle one is.
fn is_logarithmic(values: &[f64]) -> bool {
    let (Some(&first), Some(&last)) = (values.first(), values.last()) else { return false };
    if first <= 0.0 || last / first < LOG {
        return false;
    }
    let middle = values[values.len() / 2];
    let off = |low: f64, middle: f64, high: f64| ((middle - low) / (high - low) - 0.5).abs();
    off(first.ln(), middle.ln(), last.ln()) < off(first, middle, last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// Four points over a drive and a depth, of which one misses the limit.
    fn sweep() -> Sweep {
        let point = |id: &str, drive: &str, qd: &str, verdict: &str, iops: f64, p99: f64| {
            let exact = |value: f64| json!({ "value": value });
            json!({
                "ids": [id], "at": { "drive": drive, "qd": qd }, "verdict": verdict,
                "values": { "iops": exact(iops), "read_lat_p99": exact(p99) }, "limited_by": [],
            })
        };
        let all: Vec<Value> = vec![
            point("1", "b", "1", "met", 10e3, 1e-4),
            point("2", "b", "64", "met", 300e3, 4e-4),
            point("3", "a", "1", "met", 9e3, 2e-4),
            point("4", "a", "64", "failed", 290e3, 2e-3),
        ];
        let sweep = json!({
            "schema": Sweep::SCHEMA, "load": "mixed", "method": "mixed", "params": {},
            "factors": ["drive", "qd"], "sampler": "grid", "points": 4, "rungs": [], "failed": 0,
            "seeds": [1], "budget": { "seconds_each": 1.0, "ios_each": 1000, "scale": "4Mi units" },
            "objectives": [{ "metric": "iops", "unit": "1/s", "better": "higher" }],
            "requirements": [], "currency": null, "best": all[1], "pareto": [all[1]], "all": all,
            "effects": [], "failures": [], "warnings": [],
        });
        serde_json::from_value(sweep).unwrap()
    }

    #[test]
    fn a_line_is_a_point_over_all_factors_and_metrics() {
        let chart = chart(&sweep()).unwrap();
        let titles: Vec<(&str, &str, Scale)> =
            chart.axes.iter().map(|a| (a.name.as_str(), a.unit.as_str(), a.scale)).collect();
        let expected = [
            ("drive", "", Scale::Names),
            ("qd", "", Scale::Linear),
            ("iops (high)", "kIOPS", Scale::Linear),
            ("read_lat_p99", "us", Scale::Linear),
        ];
        assert_eq!(titles, expected);
        assert_eq!(chart.axes[0].names, ["b", "a"], "as they come in the plan");
        let lines: Vec<(&str, usize)> =
            chart.lines.iter().map(|line| (line.name.as_str(), line.points.len())).collect();
        let expected =
            [("misses a limit", 1), ("another is better", 2), ("no other is surely better", 1)];
        assert_eq!(lines, expected);
        assert_eq!(chart.lines[0].points[0], [1.0, 64.0, 290.0, 2000.0]);
        assert_eq!(chart.lines[2].points[0], [0.0, 64.0, 300.0, 400.0]);
    }

    #[test]
    fn what_a_point_lacks_is_no_number_there() {
        let mut sweep = sweep();
        sweep.all[0].values =
            [("iops".to_owned(), sweep.all[0].values.get("iops").copied().unwrap())]
                .into_iter()
                .collect();
        let chart = chart(&sweep).unwrap();
        assert!(chart.lines[1].points[0][3].is_nan());
    }

    #[test]
    fn an_axis_is_logarithmic_where_its_values_are() {
        let doubling: Vec<f64> = (0..7).map(|i| f64::from(1 << i)).collect();
        let evenly: Vec<f64> = (1..=64).map(f64::from).collect();
        assert!(is_logarithmic(&doubling) && !is_logarithmic(&evenly));
        assert!(!is_logarithmic(&[0.0, 1.0, 100.0]) && !is_logarithmic(&[1.0, 2.0, 4.0]));
    }

    #[test]
    fn one_point_is_no_picture() {
        let mut sweep = sweep();
        sweep.all.truncate(1);
        assert!(chart(&sweep).is_none());
    }
}
