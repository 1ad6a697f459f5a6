//! Intervals of predictions: each beside what was published, and how often they hold it.

use crate::document::{Axis, Chart, Line, Scale, Style};
use crate::quantity::short;
use answer::reproduction::Figure;
use answer::{Interval90, Origin};
use stats::student::deviations;

/// Probabilities of the intervals that are looked at.
const COVERED: [f64; 10] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95];

/// Fewer figures make no diagram of how often intervals hold.
const LEAST: usize = 5;

/// The charts; none if no figure that is judged has an interval.
pub(super) fn charts(figures: &[Figure]) -> Vec<Chart> {
    let mut known: Vec<(&Figure, &Interval90)> =
        figures.iter().filter_map(|figure| Some((figure, figure.compared_interval()?))).collect();
    known.sort_by(|a, b| off(a).total_cmp(&off(b)));
    let mut charts = Vec::new();
    if !known.is_empty() {
        charts.push(beside(&known));
    }
    if known.len() >= LEAST {
        charts.push(reliability(&known));
    }
    charts
}

/// What was published over the median of the draws.
fn off((figure, interval): &(&Figure, &Interval90)) -> f64 {
    figure.published / interval.median
}

/// Each interval with what was published.
fn beside(known: &[(&Figure, &Interval90)]) -> Chart {
    let names = known.iter().map(|(figure, _)| figure.id.clone()).collect();
    let numbered = || known.iter().enumerate();
    let middle: Vec<[f64; 2]> = numbered().map(|(i, _)| [i as f64, 1.0]).collect();
    let ends = |(_, interval): &(&Figure, &Interval90)| {
        Some((short(interval.low / interval.median), short(interval.high / interval.median)))
    };
    let intervals = Line {
        intervals: known.iter().map(ends).collect(),
        ..Line::new("90 % interval", Style::Rings, middle)
    };
    let published: Vec<[f64; 2]> = numbered().map(|(i, one)| [i as f64, short(off(one))]).collect();
    Chart {
        title: "Where the real drives lie, and what was published".to_owned(),
        origin: Origin::Modelled.word().to_owned(),
        about: "Over the median of the models that were drawn. Nine of ten full marks are to lie \
                within the bars."
            .to_owned(),
        x: Axis::names("figure", names),
        y: Axis::new("over the median", "", Scale::Log),
        lines: vec![intervals, Line::new("published", Style::Dots, published)],
        ..Chart::default()
    }
}

/// How often intervals of a probability hold what was published.
fn reliability(known: &[(&Figure, &Interval90)]) -> Chart {
    let share = |covers: f64| {
        let held = known.iter().filter(|one| holds(one, covers)).count();
        100.0 * held as f64 / known.len() as f64
    };
    let points = COVERED.map(|covers| [short(100.0 * covers), short(share(covers))]).to_vec();
    let ideal = vec![[0.0, 0.0], [100.0, 100.0]];
    let axis = |name: &str| Axis {
        from: Some(0.0),
        to: Some(100.0),
        ..Axis::new(name, "%", Scale::Linear)
    };
    Chart {
        title: "How often intervals hold what was published".to_owned(),
        origin: Origin::Modelled.word().to_owned(),
        about: format!(
            "{} figures. On the dashed line they promise what they hold; below it they are too \
             narrow, above it too wide.",
            known.len()
        ),
        x: axis("probability of the interval"),
        y: axis("figures held"),
        lines: vec![
            Line::new("held", Style::Line, points),
            Line::new("as promised", Style::Guide, ideal),
        ],
        ..Chart::default()
    }
}

/// Whether the interval of another probability holds what was published: it is narrower or wider
/// as that of a normal logarithm is.
fn holds(one: &(&Figure, &Interval90), covers: f64) -> bool {
    let (_, interval) = one;
    let off = off(one).ln();
    let end = if off < 0.0 { interval.low } else { interval.high };
    off.abs() <= (end / interval.median).ln().abs() * deviations(covers) / deviations(0.9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn figures(ratios: &[f64]) -> Vec<Figure> {
        let one = |(i, ratio): (usize, &f64)| {
            let figure = json!({
                "id": format!("f{i}"), "metric": "iops", "published": 100.0 * ratio,
                "simulated": 100.0, "basis": "predicted", "bound": null, "verdict": "hit",
                "interval90": { "low": 80.0, "median": 100.0, "high": 125.0, "draws": 16,
                    "by_values": [90.0, 110.0], "by_model": 1.2 },
            });
            answer::read(&figure).unwrap()
        };
        ratios.iter().enumerate().map(one).collect()
    }

    #[test]
    fn each_interval_stands_beside_what_was_published() {
        let charts = charts(&figures(&[1.3, 0.9]));
        assert_eq!(charts.len(), 1, "two figures make no diagram");
        let lines = &charts[0].lines;
        assert_eq!(lines[0].intervals, [Some((0.8, 1.25)), Some((0.8, 1.25))]);
        assert_eq!(lines[1].points, [[0.0, 0.9], [1.0, 1.3]], "sorted");
        assert!(super::charts(&[]).is_empty());
    }

    #[test]
    fn the_diagram_counts_what_wider_intervals_hold() {
        let charts = charts(&figures(&[1.0, 1.01, 0.95, 1.2, 1.3]));
        let held = |percent: f64| {
            let point = charts[1].lines[0].points.iter().find(|point| point[0] == percent);
            point.unwrap()[1]
        };
        // 90 % reach to 1.25 and 95 % to 1.304; 10 % to 1.017.
        assert_eq!((held(10.0), held(90.0), held(95.0)), (40.0, 80.0, 100.0));
    }
}
