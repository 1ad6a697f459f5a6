//! Jobs of job files as a sweep: sections that run one after the other, or files of one job each,
//! that differ in one option.

use super::charts::{Group, across};
use super::measured::Measured;
use crate::document::Chart;
use crate::source::Source;
use crate::values::fio_number;
use answer::measured::Number;
use stats::{Direction, JobResult, LatencyResult, RunResult};
use std::collections::BTreeMap;

/// Options that say how a job is written down or logged, or where: in these sections may differ.
const ASIDE: [&str; 13] = [
    "name",
    "description",
    "filename",
    "directory",
    "filename_format",
    "stonewall",
    "wait_for",
    "new_group",
    "group_reporting",
    "per_job_logs",
    "log_avg_msec",
    "write_hist_log",
    "startdelay",
];
/// Percentiles that a curve is worth, percent.
const PERCENTILES: [f64; 2] = [99.0, 99.99];

/// Jobs as measurements, each with its options as parameters; `drive` is the drive of a source.
pub fn measured(sources: &[&Source], drive: impl Fn(&Source) -> String) -> Vec<Measured> {
    let mut list = Vec::new();
    for source in sources {
        let Some(run) = &source.outcome.run else { continue };
        // Jobs side by side share the drive: none of them alone is what was measured.
        if !run.jobs.iter().skip(1).all(|job| waits(run, job)) {
            continue;
        }
        for job in &run.jobs {
            let metrics = metrics(job);
            if !metrics.is_empty() {
                list.push(Measured {
                    target: drive(source),
                    params: params(run, job),
                    metrics,
                    origin: source.run_origin(),
                    ..Measured::default()
                });
            }
        }
    }
    list
}

/// Curves over the option in which jobs differ.
pub fn charts(title: &str, jobs: &[Measured]) -> Vec<Chart> {
    across::draw(&Group::of(title, &jobs.iter().collect::<Vec<_>>()))
}

/// Whether a job begins when those before it have ended.
fn waits(run: &RunResult, job: &JobResult) -> bool {
    let all = job.job_options.iter().chain(&run.global_options);
    let is = |(name, value): &(String, String)| {
        matches!(name.as_str(), "stonewall" | "wait_for_previous" | "wait_for") && value != "0"
    };
    all.into_iter().any(is)
}

fn params(run: &RunResult, job: &JobResult) -> BTreeMap<String, String> {
    let mut params = BTreeMap::new();
    for (name, value) in crate::values::options(job.job_options.iter().chain(&run.global_options)) {
        let name = name.trim_start_matches("fio.");
        let log = name.starts_with("write_") && name.ends_with("_log");
        if !log && !ASIDE.contains(&name) {
            params.insert(name.to_owned(), shown(name, &value));
        }
    }
    params
}

/// An option in words that are a quantity: `4k` is 4 KiB.
fn shown(name: &str, value: &str) -> String {
    match fio_number(name, value) {
        Some((bytes, "B")) => {
            let units = [("GiB", 30), ("MiB", 20), ("KiB", 10), ("B", 0)];
            let whole = |power: i32| bytes % 2_f64.powi(power) == 0.0 && bytes != 0.0;
            let (unit, power) = units.into_iter().find(|(_, p)| whole(*p)).unwrap_or(("B", 0));
            format!("{} {unit}", bytes / 2_f64.powi(power))
        }
        Some((seconds, "s")) => format!("{} s", metric::plain(seconds)),
        _ => value.to_owned(),
    }
}

/// Rates and latencies of the directions in which a job did anything.
fn metrics(job: &JobResult) -> BTreeMap<String, Number> {
    let mut metrics = BTreeMap::new();
    let each = Direction::ALL.iter().map(|d| (d.name(), job.direction(*d)));
    let all = each.chain(job.mixed.iter().map(|mixed| ("mixed", mixed)));
    for (name, result) in all.filter(|(_, result)| result.total_ios > 0) {
        let mut put = |metric: &str, value: f64, unit: &str, samples: Option<u64>| {
            let unit = unit.to_owned();
            let number = Number { value, unit, samples, interval95: None, interval90: None };
            metrics.insert(format!("{name}_{metric}"), number);
        };
        put("iops", result.iops, "1/s", None);
        put("bandwidth", result.bw_bytes_s as f64, "B/s", None);
        let latency: &LatencyResult = if result.clat.n > 0 { &result.clat } else { &result.lat };
        if latency.n == 0 {
            continue;
        }
        put("lat_mean", latency.mean_ns * 1e-9, "s", None);
        for percent in PERCENTILES {
            let known = latency.percentile_ns(percent);
            if let Some(ns) = known.filter(|_| stats::enough_samples(percent, latency.n)) {
                put(&format!("lat_p{percent}"), ns as f64 * 1e-9, "s", Some(latency.n));
            }
        }
    }
    metrics
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Scale;
    use stats::{Kind, Outcome, Target};

    fn job(name: &str, options: &[(&str, &str)], iops: f64) -> JobResult {
        let mut job = JobResult { jobname: name.to_owned(), ..JobResult::default() };
        let pair = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        job.job_options = options.iter().map(pair).collect();
        let read = job.direction_mut(Direction::Read);
        (read.total_ios, read.iops, read.bw_bytes_s) = (1000, iops, 1 << 30);
        job
    }

    fn source(target: &str, jobs: Vec<JobResult>, globals: &[(&str, &str)]) -> Source {
        let pair = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let run = RunResult {
            jobs,
            global_options: globals.iter().map(pair).collect(),
            ..RunResult::default()
        };
        let targets = vec![Target { name: target.to_owned(), ..Target::default() }];
        let outcome = Outcome { kind: Kind::FioRun, run: Some(run), targets, ..Outcome::default() };
        Source { name: format!("{target}.json"), outcome, ..Source::default() }
    }

    fn sections() -> Vec<JobResult> {
        let sizes = [("b4k", "4k", 9e5), ("b64k", "64k", 1e5), ("b1m", "1m", 7e3)];
        sizes.map(|(name, bs, iops)| job(name, &[("bs", bs), ("name", name)], iops)).to_vec()
    }

    fn drawn(sources: &[&Source]) -> Vec<Chart> {
        charts("Jobs", &measured(sources, |s| s.outcome.targets[0].name.clone()))
    }

    #[test]
    fn sections_that_differ_in_one_option_are_a_curve_a_drive() {
        let globals = [("rw", "randread"), ("stonewall", "")];
        let (a, b) = (source("a", sections(), &globals), source("b", sections(), &globals));
        let charts = drawn(&[&a, &b]);
        let iops = &charts[0];
        assert_eq!(iops.title, "Jobs: by block size: read IOPS");
        assert_eq!(iops.x.scale, Scale::Log, "more than a decade");
        let names: Vec<&str> = iops.lines.iter().map(|line| line.name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(iops.lines[0].points.len(), 3);
        let at_once = source("a", sections(), &globals[..1]);
        assert!(drawn(&[&at_once]).is_empty(), "jobs side by side are no sweep");
    }

    #[test]
    fn files_of_one_job_each_are_a_curve_too() {
        let of = |depth: &str, iops| source("a", vec![job("j", &[("iodepth", depth)], iops)], &[]);
        let files = [of("1", 1e4), of("8", 7e4), of("64", 3e5)];
        let charts = drawn(&files.iter().collect::<Vec<_>>());
        assert_eq!(charts[0].lines[0].points.len(), 3);
        assert!(charts[0].title.contains("by queue depth"), "{}", charts[0].title);
    }
}
