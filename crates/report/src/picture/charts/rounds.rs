//! How a test came to rest: the course of its numbers over the rounds, and the window that was
//! judged.

use super::Group;
use crate::document::{Axis, Band, Chart, Line, Scale, Style};
use crate::picture::label::words;
use crate::picture::measured::Measured;
use crate::quantity::{Shown, short};
use answer::measured::of_metric;
use metric::tail;
use stats::{ByRound, Convergence, SniaVerdict, Tracked};

/// Pictures of the rounds of each run.
pub fn draw(group: &Group<'_>) -> Vec<Chart> {
    let mut charts = Vec::new();
    for (run, name) in group.named() {
        let several = if group.runs.len() > 1 { format!(" of {name}") } else { String::new() };
        for one in &run.convergence {
            let title = format!("{}: {}{several}", group.title, words(&one.name));
            charts.extend(courses(&title, one));
            charts.extend(one.tracked.iter().filter_map(|tracked| window(&title, one, tracked)));
        }
        charts.extend(over_fills(&format!("{}{several}", group.title), run));
    }
    charts
}

/// The unit in which a metric is shown up to a value.
fn shown(metric: &str, most: f64) -> Shown {
    let name = tail(metric);
    Shown::of(of_metric(name).base(), name, most)
}

/// The course of each tracked number, with those of the same kind beside it.
fn courses(title: &str, one: &Convergence) -> Vec<Chart> {
    let mut charts: Vec<Chart> = Vec::new();
    let mut drawn: Vec<&str> = Vec::new();
    for tracked in &one.tracked {
        let metric = tracked.rounds.metric.as_str();
        if drawn.contains(&metric) {
            continue;
        }
        drawn.push(metric);
        let same = |rounds: &&ByRound| tail(&rounds.metric) == tail(metric);
        let tracks = one.tracked.iter().map(|one| &one.rounds).filter(same);
        // What is tracked is among the numbers of its step, too.
        let is_tracked = |rounds: &ByRound| {
            let mut tracked = one.tracked.iter().map(|one| &one.rounds);
            tracked.any(|other| (&other.at, &other.metric) == (&rounds.at, &rounds.metric))
        };
        let beside = last_group(&one.others).into_iter().filter(same);
        let beside = beside.filter(|rounds| !is_tracked(rounds));
        let lines: Vec<&ByRound> = tracks.chain(beside).collect();
        charts.extend(course(&format!("{title}, course of {}", words(tail(metric))), &lines, one));
        // The worst of each round stands in a picture of its own.
        let max = metric.strip_suffix("_mean").map(|side| format!("{side}_max"));
        let worst: Vec<&ByRound> = last_group(&one.others)
            .into_iter()
            .filter(|rounds| Some(tail(&rounds.metric)) == max.as_deref().map(tail))
            .collect();
        if !worst.is_empty() {
            let what = max.as_deref().map(|max| words(tail(max))).unwrap_or_default();
            charts.extend(course(&format!("{title}, course of {what}"), &worst, one));
        }
        charts.extend(reads_beside(title, one, metric));
        charts.extend(between(title, one, metric));
    }
    charts
}

/// The course of the reads of a test whose writes decide.
fn reads_beside(title: &str, one: &Convergence, metric: &str) -> Option<Chart> {
    if tail(metric) != "write_bandwidth" {
        return None;
    }
    let is_read = |rounds: &&ByRound| {
        tail(&rounds.metric) == "read_bandwidth" && rounds.values.iter().any(|value| *value > 0.0)
    };
    let lines: Vec<&ByRound> = one.others.iter().filter(is_read).collect();
    course(&format!("{title}, course of read bandwidth"), &lines, one)
}

/// The course of what is written between the sweeps of a test.
fn between(title: &str, one: &Convergence, metric: &str) -> Option<Chart> {
    let is_swept = |rounds: &&ByRound| rounds.at.contains('=');
    if !one.others.iter().any(|rounds| is_swept(&rounds)) {
        return None;
    }
    let lines: Vec<&ByRound> = one.others.iter().filter(|rounds| !is_swept(rounds)).collect();
    course(&format!("{title}, course of {} between sweeps", words(tail(metric))), &lines, one)
}

/// Those with the last values of all that was swept but the innermost: with SNIA's mixes from reads
/// to writes that is writes alone, of all sizes.
fn last_group(all: &[ByRound]) -> Vec<&ByRound> {
    let outer = |rounds: &ByRound| {
        let innermost = rounds.at.rfind('=').and_then(|end| rounds.at[..end].rfind(' '));
        innermost.map_or(String::new(), |end| rounds.at[..end].to_owned())
    };
    let last = all.last().map(outer).unwrap_or_default();
    all.iter().filter(|rounds| outer(rounds) == last).collect()
}

/// Numbers over the rounds, with the window that was judged.
fn course(title: &str, lines: &[&ByRound], one: &Convergence) -> Option<Chart> {
    let values = lines.iter().flat_map(|rounds| &rounds.values).copied();
    let y = shown(&lines.first()?.metric, values.fold(0.0, f64::max));
    let line = |rounds: &&ByRound| {
        let points = rounds.values.iter().enumerate();
        let points = points.map(|(i, value)| [(i + 1) as f64, short(value * y.factor)]).collect();
        let at = if rounds.at.is_empty() { words(&rounds.metric) } else { words(&rounds.at) };
        Line::new(at, Style::Line, points)
    };
    let mut bands = Vec::new();
    if let (Some(first), Some(last)) = (from_end(one), one.judged.last()) {
        let (from, to) = (f64::from(first), f64::from(*last));
        bands.push(Band { name: "window".to_owned(), from, to });
    }
    Some(Chart {
        title: title.to_owned(),
        about: "The shaded rounds are the last that were judged.".to_owned(),
        x: Axis::new("round", "", Scale::Linear),
        y: Axis {
            from: Some(0.0),
            ..Axis::new(words(tail(&lines.first()?.metric)), &y.unit, Scale::Linear)
        },
        lines: lines.iter().map(line).collect(),
        bands,
        ..Chart::default()
    })
}

/// The first round of the window.
fn from_end(one: &Convergence) -> Option<u32> {
    let first = one.judged.len().checked_sub(one.criterion.window)?;
    one.judged.get(first).copied()
}

/// The window of a number with its mean, the range that is allowed and the line through it.
fn window(title: &str, one: &Convergence, tracked: &Tracked) -> Option<Chart> {
    let verdict = tracked.verdict?;
    let rounds: Vec<u32> =
        one.judged[one.judged.len().checked_sub(one.criterion.window)?..].to_vec();
    let value = |round: &u32| tracked.rounds.values.get((*round as usize).checked_sub(1)?).copied();
    let values: Vec<f64> = rounds.iter().filter_map(value).collect();
    let half = one.criterion.range_percent / 200.0;
    let y = shown(&tracked.rounds.metric, verdict.mean * (1.0 + half));
    let over = |of: &dyn Fn(usize) -> f64| -> Vec<[f64; 2]> {
        let point = |(i, round): (usize, &u32)| [f64::from(*round), short(of(i) * y.factor)];
        rounds.iter().enumerate().map(point).collect()
    };
    let level = |share: f64| over(&|_| verdict.mean * share);
    let lines = vec![
        Line::new("measured", Style::Dots, over(&|i| values.get(i).copied().unwrap_or(f64::NAN))),
        Line::new("mean", Style::Guide, level(1.0)),
        Line::new("mean + 10 %", Style::Guide, level(1.0 + half)),
        Line::new("mean - 10 %", Style::Guide, level(1.0 - half)),
        Line::new("line", Style::Plain, over(&|i| verdict.line_start + verdict.slope * i as f64)),
    ];
    let (at, metric) = (words(&tracked.rounds.at), words(tail(&tracked.rounds.metric)));
    Some(Chart {
        title: format!("{title}, window of {at} {metric}"),
        about: said(&verdict, one, &y, &rounds, &values),
        x: Axis::new("round", "", Scale::Linear),
        y: Axis::new(metric, &y.unit, Scale::Linear),
        lines,
        ..Chart::default()
    })
}

/// The verdict in words, with what is allowed and what was found. The line is that of the rounds as
/// they are numbered, of which a long test judges few.
fn said(
    verdict: &SniaVerdict,
    one: &Convergence,
    y: &Shown,
    rounds: &[u32],
    values: &[f64],
) -> String {
    let steady = if verdict.steady { "Steady" } else { "Not steady" };
    let (first, last) = (rounds.first(), rounds.last());
    let (first, last) = (first.map_or(0.0, |r| f64::from(*r)), last.map_or(0.0, |r| f64::from(*r)));
    let window = one.criterion.window as f64 - 1.0;
    let slope = verdict.slope * window / (last - first);
    let correlation = stats::correlation_with_order(values)
        .map(|r| format!(", correlation {r:.2}"))
        .unwrap_or_default();
    format!(
        "{steady}: mean {}; range {} of {} allowed ({:.1} % of {} %); line {:.4} x + {:.4} {} of \
         round x{correlation}, which moves by {} of {} allowed ({:.1} % of {} %).",
        y.text(verdict.mean),
        y.text(verdict.max - verdict.min),
        y.text(verdict.mean * one.criterion.range_percent / 100.0),
        verdict.range_percent,
        one.criterion.range_percent,
        slope * y.factor,
        (verdict.line_start - slope * first) * y.factor,
        y.unit,
        y.text((verdict.slope * window).abs()),
        y.text(verdict.mean * one.criterion.excursion_percent / 100.0),
        verdict.excursion_percent,
        one.criterion.excursion_percent,
    )
}

/// Metrics that are drawn over how often the drive was written.
const OVER_FILLS: [&str; 4] = ["iops", "write_lat_mean", "write_lat_p99.999", "write_lat_max"];

/// Numbers of rounds over how often the user capacity was written by then.
fn over_fills(title: &str, run: &Measured) -> Vec<Chart> {
    let chart = |metric: &&str| {
        let point = |point: &crate::picture::measured::Point| {
            let fills = point.metrics.get("drive_fills")?.value;
            Some([fills, point.metrics.get(*metric)?.value])
        };
        let points: Vec<[f64; 2]> = run.points.iter().filter_map(point).collect();
        let most = points.iter().map(|point| point[1]).fold(0.0, f64::max);
        let y = shown(metric, most);
        let scaled = |[x, value]: [f64; 2]| [short(x), short(value * y.factor)];
        let line = Line::new(words(metric), Style::Plain, points.into_iter().map(scaled).collect());
        (line.points.len() > 1).then(|| Chart {
            title: format!("{title}: {} over drive fills", words(metric)),
            about: "One drive fill is the user capacity, written once.".to_owned(),
            x: Axis { from: Some(0.0), ..Axis::new("drive fills", "", Scale::Linear) },
            y: Axis { from: Some(0.0), ..Axis::new(words(metric), &y.unit, Scale::Linear) },
            lines: vec![line],
            ..Chart::default()
        })
    };
    OVER_FILLS.iter().filter_map(chart).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::SniaCriterion;

    fn by(at: &str, metric: &str, values: &[f64]) -> ByRound {
        ByRound { at: at.to_owned(), metric: metric.to_owned(), values: values.to_vec() }
    }

    fn convergence(values: &[f64]) -> Convergence {
        let criterion = SniaCriterion::default();
        let verdict = criterion.judge(values);
        Convergence {
            name: "rounds".to_owned(),
            criterion,
            judged: (1..=values.len() as u32).collect(),
            tracked: vec![Tracked { rounds: by("write4k", "iops", values), verdict }],
            others: vec![
                by("read=100 % block=4 KiB", "iops", values),
                by("read=0 % block=8 KiB", "iops", values),
                by("read=0 % block=4 KiB", "iops", values),
            ],
        }
    }

    /// The window says what was allowed and what was found, and the course shows all sizes of the
    /// last mix.
    #[test]
    fn a_course_and_its_window() {
        let run = Measured {
            convergence: vec![convergence(&[200.0, 100.0, 102.0, 98.0, 100.0, 100.0])],
            ..Measured::default()
        };
        let runs = [&run];
        let charts = draw(&Group::of("snia-iops", &runs));
        let titles: Vec<&str> = charts.iter().map(|chart| chart.title.as_str()).collect();
        assert_eq!(
            titles,
            ["snia-iops: rounds, course of IOPS", "snia-iops: rounds, window of write4k IOPS"]
        );
        let names: Vec<&str> = charts[0].lines.iter().map(|line| line.name.as_str()).collect();
        assert_eq!(names, ["write4k", "read=0 % block=8 KiB", "read=0 % block=4 KiB"]);
        assert_eq!((charts[0].bands[0].from, charts[0].bands[0].to), (2.0, 6.0));
        let about = &charts[1].about;
        assert!(about.starts_with("Steady: mean 100 IOPS; range 4 IOPS of 20 IOPS"), "{about}");
        // 100, 102, 98, 100, 100: the line falls by 0.2 a round, from 100.4 in round 2.
        let line = "line -0.2000 x + 100.8000 IOPS of round x, correlation -0.22";
        assert!(about.contains(line), "{about}");
        assert_eq!(charts[1].lines[0].points.len(), 5);
    }

    /// A test of throughput: its write rate decides and is drawn once, and its reads have a picture
    /// of their own.
    #[test]
    fn reads_beside_writes_that_decide_have_a_course() {
        let values = [5e8; 6];
        let mut one = convergence(&values);
        one.tracked[0].rounds = by("write", "write_bandwidth", &values);
        one.others = vec![
            by("read", "read_bandwidth", &[1e9; 6]),
            by("write", "read_bandwidth", &[0.0; 6]),
            by("write", "write_bandwidth", &values),
        ];
        let run = Measured { convergence: vec![one], ..Measured::default() };
        let charts = draw(&Group::of("snia-tp", &[&run]));
        let lines: Vec<(&str, Vec<&str>)> = charts
            .iter()
            .map(|chart| {
                let names = chart.lines.iter().map(|line| line.name.as_str());
                (chart.title.as_str(), names.collect())
            })
            .collect();
        assert_eq!(lines[0], ("snia-tp: rounds, course of write bandwidth", vec!["write"]));
        assert_eq!(lines[1], ("snia-tp: rounds, course of read bandwidth", vec!["read"]));
        assert!(lines[2].0.contains("window of write"), "{lines:?}");
    }

    /// What is written between the tables of cells has a picture of its own.
    #[test]
    fn writes_between_sweeps_have_a_course() {
        let values = [100.0; 6];
        let mut one = convergence(&values);
        one.others.insert(0, by("between", "iops", &values));
        let run = Measured { convergence: vec![one], ..Measured::default() };
        let charts = draw(&Group::of("snia-cbw", &[&run]));
        let of = |title: &str| charts.iter().find(|chart| chart.title == title).expect(title);
        let names = |chart: &Chart| -> Vec<String> {
            chart.lines.iter().map(|line| line.name.clone()).collect()
        };
        let between = of("snia-cbw: rounds, course of IOPS between sweeps");
        assert_eq!(names(between), ["between"]);
        assert!(!names(of("snia-cbw: rounds, course of IOPS")).contains(&"between".to_owned()));
    }

    #[test]
    fn too_few_rounds_have_a_course_and_no_window() {
        let run = Measured { convergence: vec![convergence(&[1.0; 4])], ..Measured::default() };
        let charts = draw(&Group::of("m", &[&run]));
        assert_eq!(charts.len(), 1);
        assert!(charts[0].bands.is_empty());
    }
}
