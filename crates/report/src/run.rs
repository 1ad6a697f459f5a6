//! A run of a job file in a few lines, with its warnings first: a number that cannot be trusted
//! must not be read before its warning.

use metric::{Dimension, plain, show};
use stats::{Direction, DirectionResult, JobResult, Record, RunResult};

use crate::table::{Column, Table};

/// Percentiles shown of completion latency.
const PERCENTILES: [f64; 4] = [50.0, 99.0, 99.9, 99.99];

/// The jobs of a run, one line a direction.
pub fn run_summary(run: &RunResult) -> String {
    let mut columns = vec![Column::left("Job"), Column::left("Op"), Column::right("Rate")];
    columns.extend([Column::right("Bandwidth"), Column::right("Mean")]);
    columns.extend(PERCENTILES.map(|percent| Column::right(&format!("p{percent}"))));
    let mut table = Table::new(columns);
    for job in &run.jobs {
        for (name, direction) in shown(job) {
            table.row(cells(job, name, direction));
        }
    }
    table.to_text()
}

/// A saved run: what it was, what to be careful with, and its jobs.
pub fn record_summary(record: &Record) -> String {
    let result = record.result();
    let mut text = String::new();
    for target in &result.targets {
        let scaled = match target.scale {
            1.0 => String::new(),
            scale => format!(", at {} % of its capacity", plain(scale * 100.0)),
        };
        text.push_str(&format!("{}{scaled}\n", target.name));
    }
    for warning in &result.warnings {
        let about = match warning.concerns.as_str() {
            "" => String::new(),
            concerns => format!("{concerns}: "),
        };
        text.push_str(&format!("warning: {about}{}\n", warning.message));
    }
    for failure in result.checks.failures() {
        text.push_str(&format!("broken law: {failure}\n"));
    }
    if let Some(run) = &result.run {
        text.push_str(&run_summary(run));
    }
    text
}

/// The directions in which the job did anything; one that mixes them shows the sum.
fn shown(job: &JobResult) -> Vec<(&'static str, &DirectionResult)> {
    if let Some(mixed) = &job.mixed {
        return vec![("mixed", mixed)];
    }
    let one = |direction: &Direction| (direction.name(), job.direction(*direction));
    Direction::ALL.iter().map(one).filter(|(_, result)| result.total_ios > 0).collect()
}

fn cells(job: &JobResult, name: &str, direction: &DirectionResult) -> Vec<String> {
    let time = |ns: f64| show(Dimension::Time, ns * 1e-9);
    let mut cells = vec![
        job.jobname.clone(),
        name.to_owned(),
        show(Dimension::Rate, direction.iops),
        show(Dimension::Bandwidth, direction.bw_bytes_s as f64),
        time(direction.clat.mean_ns),
    ];
    cells.extend(PERCENTILES.map(|percent| {
        // Few samples make a percentile the luck of a few: it is marked, not hidden.
        let doubt = if stats::enough_samples(percent, direction.clat.n) { "" } else { "?" };
        direction
            .clat
            .percentile_ns(percent)
            .map_or_else(|| "-".to_owned(), |ns| format!("{}{doubt}", time(ns as f64)))
    }));
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::{Cost, LatencyResult, Outcome, PercentileValue, Target, Warning};

    fn run() -> RunResult {
        let mut job = JobResult { jobname: "qos".to_owned(), ..JobResult::default() };
        let read = job.direction_mut(Direction::Read);
        read.total_ios = 8_300;
        read.iops = 8_300.0;
        read.bw_bytes_s = 33_996_800;
        let percentiles = vec![
            PercentileValue { percent: 50.0, ns: 98_000 },
            PercentileValue { percent: 99.99, ns: 523_000 },
        ];
        read.clat =
            LatencyResult { n: 8_300, mean_ns: 103_000.0, percentiles, ..Default::default() };
        RunResult { jobs: vec![job], ..RunResult::default() }
    }

    #[test]
    fn a_percentile_of_too_few_samples_is_marked() {
        let text = "\
Job  Op         Rate  Bandwidth    Mean    p50  p99  p99.9   p99.99
---  ----  ---------  ---------  ------  -----  ---  -----  -------
qos  read  8300 IOPS    34 MB/s  103 us  98 us    -      -  523 us?
";
        assert_eq!(run_summary(&run()), text);
    }

    #[test]
    fn warnings_stand_before_the_numbers() {
        let warning = Warning {
            code: "too-few-samples".to_owned(),
            message: "run longer".to_owned(),
            concerns: "p99.99".to_owned(),
        };
        let outcome = Outcome {
            targets: vec![Target { name: "d".to_owned(), scale: 0.25, ..Target::default() }],
            warnings: vec![warning],
            run: Some(run()),
            ..Outcome::default()
        };
        let text = record_summary(&Record::new(outcome, Cost::default()).unwrap());
        assert!(text.starts_with("d, at 25 % of its capacity\nwarning: p99.99: run longer\nJob"));
    }
}
