//! A curve over time with what explains it: the state that the drive was in.

use super::label::words;
use super::thin::thinned;
use crate::document::{Axis, Band, Chart, Line, Scale, Style};
use crate::quantity::{Shown, short};
use stats::Series;

/// Points of a line: more cannot be distinguished on a screen.
const POINTS: usize = 240;
/// The curve over all steps of a run.
pub const WHOLE: &str = "timeline";

/// A column: its base unit, its name in words and its values; not a number where there is none.
type Column = (&'static str, &'static str, Vec<f64>);

/// One curve with what explains it: the rate on the left, and on the right one state of the drive a
/// picture. What does not change is not drawn.
pub fn of_series(title: &str, series: &Series) -> Vec<Chart> {
    if series.len() < 2 || series.check().is_err() {
        return Vec::new();
    }
    let x = Shown::of("s", "", series.time_s.last().copied().unwrap_or(0.0));
    let timed = series.phases.iter().filter(|phase| phase.to_s > phase.from_s);
    let bands: Vec<Band> = timed
        .map(|phase| Band {
            name: words(&phase.name),
            from: short(phase.from_s * x.factor),
            to: short(phase.to_s * x.factor),
        })
        .collect();
    let rate = match series.bytes_per_s.is_empty() {
        true => ("1/s", "iops", series.iops.clone()),
        false => ("B/s", "bandwidth", series.bytes_per_s.clone()),
    };
    let known = states(series);
    // A real drive reports no state: its rate is all that there is to see.
    let rate_only = series.name == WHOLE
        && known.iter().flatten().all(|(.., values)| values.iter().all(|value| value.is_nan()));
    let states: Vec<Vec<Column>> = known
        .into_iter()
        .map(|group| group.into_iter().filter(|(.., values)| changes(values)).collect())
        .filter(|group: &Vec<Column>| !group.is_empty())
        .collect();
    let title = |what: &str| format!("{title}: {what} over time");
    let chart = |group: &[Column]| {
        let second = group.first().map(|(_, name, _)| words(name));
        let what = match &second {
            Some(second) => format!("bandwidth and {second}"),
            None => "bandwidth".to_owned(),
        };
        let mut chart = Chart {
            title: title(&what),
            about: match bands.is_empty() {
                true => String::new(),
                false => "Shaded stretches are the parts of the test.".to_owned(),
            },
            x: Axis::new("time", &x.unit, Scale::Linear),
            bands: bands.clone(),
            ..Chart::default()
        };
        (chart.y, chart.lines) = side(std::slice::from_ref(&rate), &series.time_s, &x, false);
        if !group.is_empty() {
            let (axis, lines) = side(group, &series.time_s, &x, true);
            chart.second = Some(axis);
            chart.lines.extend(lines);
        }
        chart
    };
    match states.is_empty() {
        // The rate by itself is worth a picture only if there are parts to be seen.
        true if bands.len() < 2 && !rate_only => Vec::new(),
        true => vec![chart(&[])],
        false => states.iter().map(|group| chart(group)).collect(),
    }
}

/// What can explain a rate, the most telling first; columns of a group share an axis.
fn states(series: &Series) -> Vec<Vec<Column>> {
    let known = |values: &[f64]| values.to_vec();
    let maybe = |values: &[Option<f64>]| -> Vec<f64> {
        values.iter().map(|value| value.unwrap_or(f64::NAN)).collect()
    };
    let power_state = series.power_state.iter().copied().map(f64::from).collect();
    vec![
        vec![
            ("B", "SLC cache in use", known(&series.slc_used_bytes)),
            ("B", "room of the SLC cache", known(&series.slc_room_bytes)),
        ],
        vec![("share", "share of time moving data", known(&series.collecting))],
        vec![("C", "temperature", known(&series.celsius))],
        vec![("1", "power state", power_state)],
        vec![("B/s", "data that others moved", known(&series.others_bytes_per_s))],
        vec![("1", "write amplification", maybe(&series.write_amplification))],
        vec![("s", "mean latency", maybe(&series.latency_mean_s))],
        vec![("W", "power", known(&series.watts))],
        vec![("B/s", "data that the drive moved itself", known(&series.moved_bytes_per_s))],
        vec![("share", "mapped share", known(&series.mapped))],
    ]
}

/// Whether a column says anything.
fn changes(values: &[f64]) -> bool {
    let known = || values.iter().copied().filter(|value| value.is_finite());
    let (low, high) = known().fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
    known().count() > 1 && high - low > 1e-3 * high.abs()
}

/// Columns of one unit as an axis with its lines.
fn side(columns: &[Column], time: &[f64], x: &Shown, second: bool) -> (Axis, Vec<Line>) {
    let values = columns.iter().flat_map(|(.., values)| values).copied();
    let most = values.filter(|value| value.is_finite()).fold(0.0, f64::max);
    let (unit, name, _) = columns.first().map_or(("", "", &[][..]), |(u, n, v)| (*u, *n, &v[..]));
    let y = Shown::of(unit, name, most);
    let line = |(_, name, values): &Column| {
        let line = Line::new(words(name), Style::Plain, points(time, values, x, &y));
        Line { second, ..line }
    };
    let axis = Axis::new(words(name), &y.unit, Scale::Linear);
    let from = (unit != "C").then_some(0.0);
    (Axis { from, ..axis }, columns.iter().map(line).collect())
}

/// Points in the units of the axes.
pub fn points(across: &[f64], upwards: &[f64], x: &Shown, y: &Shown) -> Vec<[f64; 2]> {
    let scaled = |(a, u): (&f64, &f64)| [short(a * x.factor), short(u * y.factor)];
    thinned(across.iter().zip(upwards).map(scaled).collect(), POINTS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::series::{PhaseKind, SeriesPhase};

    fn series() -> Series {
        let phase = |name: &str, from_s, to_s| SeriesPhase {
            name: name.to_owned(),
            kind: PhaseKind::Write,
            from_s,
            to_s,
        };
        Series {
            name: WHOLE.to_owned(),
            time_s: (1..=1000).map(f64::from).collect(),
            bytes_per_s: (1..=1000).map(|i| if i == 500 { 9e9 } else { 1e9 }).collect(),
            slc_used_bytes: (1..=1000).map(|i| f64::from(i) * 1e6).collect(),
            mapped: vec![1.0; 1000],
            phases: vec![phase("fill", 0.0, 400.0), phase("torture", 400.0, 1000.0)],
            ..Series::default()
        }
    }

    #[test]
    fn what_changes_is_set_beside_the_rate() {
        let charts = of_series("d", &series());
        assert_eq!(charts.len(), 1, "the mapped share does not change");
        let chart = &charts[0];
        assert_eq!(chart.title, "d: bandwidth and SLC cache in use over time");
        assert_eq!(chart.bands.len(), 2);
        assert!(chart.lines[1].second);
    }

    #[test]
    fn a_peak_is_never_lost() {
        let chart = &of_series("d", &series())[0];
        assert!(chart.lines[0].points.len() <= POINTS + 2);
        assert!(chart.lines[0].points.iter().any(|point| point[1] == 9.0), "9 GB/s");
    }

    #[test]
    fn the_rate_of_a_real_drive_is_drawn() {
        let real = Series {
            name: WHOLE.to_owned(),
            time_s: (1..=233).map(f64::from).collect(),
            bytes_per_s: (1..=233).map(|i| 1e9 / f64::from(i)).collect(),
            phases: vec![SeriesPhase { to_s: 233.0, ..SeriesPhase::default() }],
            ..Series::default()
        };
        let charts = of_series("snia-wsat", &real);
        assert_eq!(charts.len(), 1);
        assert_eq!(charts[0].title, "snia-wsat: bandwidth over time");
        assert_eq!(charts[0].lines[0].points.len(), 233);
        let scan = Series { name: "scan".to_owned(), ..real };
        assert!(of_series("scan", &scan).is_empty(), "it stands beside the others already");
    }

    #[test]
    fn a_damaged_curve_is_not_drawn() {
        let damaged = Series { mapped: vec![1.0], ..series() };
        assert!(of_series("d", &damaged).is_empty());
    }
}
