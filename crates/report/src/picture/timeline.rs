//! A test over its time: rate, latency and what state the drive was in.

use super::label::{labels, varying, words};
use super::measured::Measured;
use super::thin::thinned;
use crate::document::{Axis, Band, Chart, Line, Scale, Style};
use crate::quantity::{Shown, short};
use stats::Series;
use std::collections::BTreeMap;

/// Lines that one picture can hold.
const MOST: usize = 10;
/// Points of a line: more cannot be distinguished on a screen.
const POINTS: usize = 240;
/// The curve over all steps of a run.
const WHOLE: &str = "timeline";

/// A column: its base unit, its name in words and its values; not a number where there is none.
type Column = (&'static str, &'static str, Vec<f64>);

/// Pictures of a group of runs of the same method: one that sets the runs against each other, and
/// of each run what state its drive was in.
pub fn charts(title: &str, runs: &[&Measured]) -> Vec<Chart> {
    let names = labels(runs, &varying(runs));
    let mut charts = Vec::new();
    let mut steps: BTreeMap<&str, Vec<(&str, &Series)>> = BTreeMap::new();
    for (run, name) in runs.iter().zip(&names) {
        let drawn = run.series.iter().filter(|series| series.len() > 1 && series.name != WHOLE);
        for series in drawn {
            steps.entry(&series.name).or_default().push((name, series));
        }
    }
    for (step, group) in &steps {
        for part in group.chunks(MOST) {
            charts.push(beside(&format!("{title}: {}", words(step)), part));
        }
    }
    for (run, name) in runs.iter().zip(&names) {
        let whole = run.series.iter().find(|series| series.name == WHOLE);
        let of = match runs.len() {
            1 => title.to_owned(),
            _ => format!("{title}: {name}"),
        };
        // What explains the rate best comes first: of many runs that is what there is room for.
        let room = match runs.len() {
            0..=2 => usize::MAX,
            3..=8 => 2,
            _ => 1,
        };
        let by_step = |series: &Series| state(&format!("{of}, {}", words(&series.name)), series);
        let all: Vec<Chart> = match whole {
            Some(series) => state(&of, series),
            None => run.series.iter().flat_map(by_step).collect(),
        };
        let of_drive = |mut chart: Chart| {
            chart.lines.iter_mut().for_each(|line| line.drive.clone_from(&run.target));
            chart
        };
        charts.extend(all.into_iter().take(room).map(of_drive));
    }
    charts
}

/// Bandwidth of several runs over how much was done, or over time.
fn beside(title: &str, group: &[(&str, &Series)]) -> Chart {
    let by_position = group.iter().all(|(_, series)| {
        series.position_bytes.len() == series.len()
            && series.position_bytes.last().is_some_and(|last| *last > 0.0)
    });
    let across = |series: &Series| match by_position {
        true => series.position_bytes.clone(),
        false => series.time_s.clone(),
    };
    let base = if by_position { "B" } else { "s" };
    let furthest = group.iter().flat_map(|(_, series)| across(series)).fold(0.0, f64::max);
    let x = Shown::of(base, "", furthest);
    let most = group.iter().flat_map(|(_, series)| &series.bytes_per_s).copied();
    let y = Shown::of("B/s", "bandwidth", most.fold(0.0, f64::max));
    let line = |(name, series): &(&str, &Series)| {
        Line::new(*name, Style::Plain, points(&across(series), &series.bytes_per_s, &x, &y))
    };
    Chart {
        title: title.to_owned(),
        about: match by_position {
            true => "Bandwidth in the order in which the drive was written or read.".to_owned(),
            false => "Bandwidth over the time of the step.".to_owned(),
        },
        x: Axis::new(if by_position { "done" } else { "time" }, &x.unit, Scale::Linear),
        y: Axis { from: Some(0.0), ..Axis::new("bandwidth", &y.unit, Scale::Linear) },
        lines: group.iter().map(line).collect(),
        ..Chart::default()
    }
}

/// One curve with what explains it: the rate on the left, and on the right one state of the drive a
/// picture. What does not change is not drawn.
pub fn state(title: &str, series: &Series) -> Vec<Chart> {
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
    vec![
        vec![
            ("B", "SLC cache in use", known(&series.slc_used_bytes)),
            ("B", "room of the SLC cache", known(&series.slc_room_bytes)),
        ],
        vec![("share", "share of time moving data", known(&series.collecting))],
        vec![("C", "temperature", known(&series.celsius))],
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
fn points(across: &[f64], upwards: &[f64], x: &Shown, y: &Shown) -> Vec<[f64; 2]> {
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
        let charts = state("d", &series());
        assert_eq!(charts.len(), 1, "the mapped share does not change");
        let chart = &charts[0];
        assert_eq!(chart.title, "d: bandwidth and SLC cache in use over time");
        assert_eq!(chart.bands.len(), 2);
        assert!(chart.lines[1].second);
    }

    #[test]
    fn a_peak_is_never_lost() {
        let chart = &state("d", &series())[0];
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
        let charts = state("snia-wsat", &real);
        assert_eq!(charts.len(), 1);
        assert_eq!(charts[0].title, "snia-wsat: bandwidth over time");
        assert_eq!(charts[0].lines[0].points.len(), 233);
        let scan = Series { name: "scan".to_owned(), ..real };
        assert!(state("scan", &scan).is_empty(), "it stands beside the others already");
    }

    #[test]
    fn a_damaged_curve_is_not_drawn() {
        let damaged = Series { mapped: vec![1.0], ..series() };
        assert!(state("d", &damaged).is_empty());
    }
}
