//! fio's logs over time: a line for each job and direction.

use super::label::Seen;
use super::thin::thinned;
use crate::document::{Axis, Chart, Line, Scale, Style};
use crate::quantity::{Shown, short};
use crate::source::Source;
use stats::{Direction, JobLog, JobResult, LogKind};

/// Most points of a line out of a log.
const POINTS: usize = 1500;

/// Time in s, and a value in the base unit.
type Points = Vec<[f64; 2]>;

/// What the logs of the jobs say over time; one picture a kind.
pub fn charts(source: &Source) -> Vec<Chart> {
    let kinds = [LogKind::Bw, LogKind::Iops, LogKind::Slat, LogKind::Clat, LogKind::Lat];
    kinds.into_iter().filter_map(|kind| chart(source, kind)).collect()
}

fn chart(source: &Source, kind: LogKind) -> Option<Chart> {
    let (base, name, factor) = unit(kind);
    let jobs = source.outcome.run.iter().flat_map(|run| &run.jobs);
    let mut seen = Seen::default();
    let mut lines: Vec<(String, Points)> = Vec::new();
    for job in jobs {
        for direction in Direction::ALL {
            let points = of_job(job, kind, direction);
            if points.len() > 1 {
                lines.push((seen.apart(format!("{} {}", job.jobname, direction.name())), points));
            }
        }
    }
    let values = lines.iter().flat_map(|(_, points)| points).map(|point| point[1] * factor);
    let shown = Shown::of(base, name, values.fold(0.0, f64::max));
    let thins = lines.iter().any(|(_, points)| points.len() > POINTS);
    let scale = factor * shown.factor;
    let line = |(name, points): (String, Points)| {
        let points = thinned(points, POINTS).into_iter();
        let points = points.map(|[s, value]| [short(s), short(value * scale)]).collect();
        Line::new(name, Style::Plain, points)
    };
    (!lines.is_empty()).then(|| Chart {
        title: format!("{}: {name} over time", source.name),
        about: match thins {
            true => "Out of the logs of the jobs; of many values in a row the smallest and the \
                     largest are drawn."
                .to_owned(),
            false => "Out of the logs of the jobs.".to_owned(),
        },
        x: Axis::new("time", "s", Scale::Linear),
        y: Axis { from: Some(0.0), ..Axis::new(name, &shown.unit, Scale::Linear) },
        lines: lines.into_iter().map(line).collect(),
        ..Chart::default()
    })
}

/// What the threads of a job logged of a direction: rates add up, latencies stand side by side.
fn of_job(job: &JobResult, kind: LogKind, direction: Direction) -> Points {
    let of_thread = |log: &JobLog| -> Points {
        let rows = log.rows().filter(|row| usize::from(row.ddir) == direction.index());
        rows.map(|row| [row.ms as f64 * 1e-3, row.value as f64]).collect()
    };
    let logs = job.logs.iter().filter(|log| log.kind == kind);
    let mut threads: Vec<Points> =
        logs.map(of_thread).filter(|points| !points.is_empty()).collect();
    if threads.len() < 2 {
        return threads.pop().unwrap_or_default();
    }
    match kind {
        LogKind::Bw | LogKind::Iops => summed(&threads),
        LogKind::Slat | LogKind::Clat | LogKind::Lat => {
            let mut all: Points = threads.into_iter().flatten().collect();
            all.sort_by(|a, b| a[0].total_cmp(&b[0]));
            all
        }
    }
}

/// The sum of rates at the times of the longest log.
fn summed(threads: &[Points]) -> Points {
    let Some(longest) = threads.iter().max_by_key(|points| points.len()) else {
        return Vec::new();
    };
    let sum = |s: f64| threads.iter().map(|points| at(points, s)).sum();
    longest.iter().map(|[s, _]| [*s, sum(*s)]).collect()
}

/// The rate of a thread at a time. A value is that of the stretch which ends at its time. Threads
/// write their values some milliseconds apart: one has ended half a stretch after its last.
fn at(points: &[[f64; 2]], s: f64) -> f64 {
    let next = points.partition_point(|point| point[0] < s);
    match (points.get(next), points) {
        (Some(point), _) => point[1],
        (None, [.., before, last]) if s <= last[0] + (last[0] - before[0]) / 2.0 => last[1],
        (None, _) => 0.0,
    }
}

/// Base unit and name of a log, and its factor to the base unit.
fn unit(kind: LogKind) -> (&'static str, &'static str, f64) {
    match kind {
        LogKind::Bw => ("B/s", "bandwidth", 1024.0),
        LogKind::Iops => ("1/s", "iops", 1.0),
        LogKind::Slat => ("s", "submission latency", 1e-9),
        LogKind::Clat => ("s", "completion latency", 1e-9),
        LogKind::Lat => ("s", "total latency", 1e-9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::log::LogRow;
    use stats::{Kind, Outcome, RunResult};

    fn log(number: u64, rows: &[(u64, u64)]) -> JobLog {
        let mut log = JobLog::new(LogKind::Iops, "rr", number);
        rows.iter().for_each(|(ms, value)| {
            log.push(LogRow { ms: *ms, value: *value, ddir: 0, ..LogRow::default() });
        });
        log
    }

    fn source(jobs: Vec<Vec<JobLog>>) -> Source {
        let job = |logs| JobResult { jobname: "rr".to_owned(), logs, ..JobResult::default() };
        let run = RunResult { jobs: jobs.into_iter().map(job).collect(), ..RunResult::default() };
        let outcome = Outcome { kind: Kind::FioRun, run: Some(run), ..Outcome::default() };
        Source { name: "a.json".to_owned(), outcome, ..Source::default() }
    }

    #[test]
    fn the_threads_of_a_group_are_one_line() {
        // The second thread is a little late, and ends early.
        let first = log(1, &[(500, 40), (1000, 50), (1500, 60), (2000, 70), (2500, 70)]);
        let second = log(2, &[(502, 10), (1003, 0), (1498, 30)]);
        let charts = charts(&source(vec![vec![first, second]]));
        let [chart] = charts.as_slice() else { panic!("{} charts", charts.len()) };
        assert_eq!(chart.lines.len(), 1);
        let points = &chart.lines[0].points;
        assert_eq!(*points, [[0.5, 50.0], [1.0, 50.0], [1.5, 90.0], [2.0, 70.0], [2.5, 70.0]]);
    }

    #[test]
    fn jobs_of_one_name_are_told_apart_and_share_a_unit() {
        let jobs = vec![vec![log(1, &[(1, 50), (2, 60)])], vec![log(2, &[(1, 90_000), (2, 9)])]];
        let chart = &charts(&source(jobs))[0];
        let names: Vec<&str> = chart.lines.iter().map(|line| line.name.as_str()).collect();
        assert_eq!(names, ["rr read", "rr read (2)"]);
        assert_eq!(chart.y.unit, "kIOPS");
        assert_eq!(chart.lines[0].points[0][1], 0.05, "in the unit of the axis");
    }

    #[test]
    fn a_dip_in_a_long_log_is_drawn() {
        let rows: Vec<(u64, u64)> =
            (1..=20_000).map(|ms| (ms, if ms == 7_777 { 0 } else { 100 })).collect();
        let chart = &charts(&source(vec![vec![log(1, &rows)]]))[0];
        assert!(chart.lines[0].points.contains(&vec![7.777, 0.0]));
        assert!(chart.lines[0].points.len() <= POINTS);
    }
}
