//! Rows of a run of a job file, modelled or real: each job, direction and metric.

use super::collect::Collect;
use super::latency::{Frame, seconds, shared};
use super::setting;
use super::warned::{Subject, Warned};
use super::{About, Row};
use answer::Run;
use serde_json::Value;
use stats::{Direction, DirectionResult, JobResult, RunResult, Unified};
use std::sync::Arc;

/// Processor time of a job, percent, from which the processor may be what limited it.
const SATURATED: f64 = 95.0;
const KIB: f64 = 1024.0;

impl Collect<'_> {
    /// The rows of all jobs, and how busy the devices were.
    pub fn fio_run(&mut self, run: &RunResult) {
        let names: Vec<&str> = run.jobs.iter().map(|job| job.jobname.as_str()).collect();
        let warned = Warned::of(self.source);
        let target = self.only_target().map(|target| target.name.clone());
        let mut abouts: Vec<Arc<About>> = Vec::new();
        for (index, job) in run.jobs.iter().enumerate() {
            let own = option(run, job, "filename").map(str::to_owned);
            let mut about = self.about(target.clone().or(own).as_deref(), None, &warned);
            about.settings = setting::options(job.job_options.iter().chain(&run.global_options));
            let about = match abouts.iter().find(|known| ***known == about) {
                Some(known) => known.clone(),
                None => {
                    abouts.push(Arc::new(about));
                    abouts[abouts.len() - 1].clone()
                }
            };
            let point = apart(job, index, &names);
            let row = Row { about, job: shared(&job.jobname), point, ..Row::default() };
            let own = job_warnings(job);
            let frame = Frame { row, job: &job.jobname, warned: &warned, own: &own };
            self.job(job, &frame);
        }
        if self.options.series
            && let Some(timeline) = &run.timeline
        {
            let about = Arc::new(self.about(target.as_deref(), None, &warned));
            self.series(timeline, &about, &warned);
        }
        for disk in &run.disk_util {
            let about = Arc::new(self.about(target.as_deref(), None, &warned));
            let row = Row { about, point: shared(&disk.name), ..Row::default() };
            let frame = Frame { row, job: "", warned: &warned, own: &[] };
            self.rows.push(frame.row("disk_util", disk.own.util_percent, "%", None));
        }
    }

    fn job(&mut self, job: &JobResult, frame: &Frame<'_>) {
        if job.unified != Unified::Mixed {
            for side in Direction::ALL {
                self.direction(job.direction(side), side.name(), frame);
            }
        }
        if let Some(mixed) = &job.mixed {
            self.direction(mixed, "mixed", frame);
        }
        self.rows.extend(frame.latency("sync_lat", &job.sync.lat));
        self.rows.push(frame.row("usr_cpu", job.usr_cpu, "%", None));
        self.rows.push(frame.row("sys_cpu", job.sys_cpu, "%", None));
        if let Some(steady) = &job.steadystate {
            let value = if steady.attained { 1.0 } else { 0.0 };
            self.rows.push(frame.row("steady", value, "1", None));
        }
        if self.options.series {
            self.logs(job, frame);
        }
    }

    fn direction(&mut self, result: &DirectionResult, name: &str, frame: &Frame<'_>) {
        if result.is_empty() {
            return;
        }
        let put = |metric: &str, value: f64, unit: &str| {
            frame.row(&format!("{name}_{metric}"), value, unit, None)
        };
        self.rows.push(put("iops", result.iops, "1/s"));
        self.rows.push(put("bandwidth", result.bw_bytes_s as f64, "B/s"));
        self.rows.push(put("ios", result.total_ios as f64, "1"));
        self.rows.push(put("bytes", result.io_bytes as f64, "B"));
        self.rows.push(put("runtime", result.runtime_ms as f64 / 1e3, "s"));
        // `lat` is completion latency, as in methods; fio's own `lat` counts from the request.
        self.rows.extend(frame.latency(&format!("{name}_lat"), &result.clat));
        self.rows.extend(frame.latency(&format!("{name}_slat"), &result.slat));
        self.rows.extend(frame.latency(&format!("{name}_total_lat"), &result.lat));
        let (iops, bw) = (&result.iops_samples, &result.bw_samples);
        let sampled = |metric: &str, value: f64, unit: &str, samples: u64| Row {
            samples: Some(samples),
            ..put(metric, value, unit)
        };
        if iops.samples > 0 {
            let n = iops.samples;
            self.rows.push(sampled("iops_min", iops.min as f64, "1/s", n));
            self.rows.push(sampled("iops_max", iops.max as f64, "1/s", n));
            self.rows.push(sampled("iops_stddev", iops.stddev, "1/s", n));
        }
        if bw.samples > 0 {
            let n = bw.samples;
            self.rows.push(sampled("bandwidth_min", bw.min_kib_s as f64 * KIB, "B/s", n));
            self.rows.push(sampled("bandwidth_max", bw.max_kib_s as f64 * KIB, "B/s", n));
            self.rows.push(sampled("bandwidth_stddev", bw.dev_kib_s * KIB, "B/s", n));
        }
    }

    /// A log's rows as points over time.
    fn logs(&mut self, job: &JobResult, frame: &Frame<'_>) {
        for log in &job.logs {
            let (name, scale, unit): (_, fn(f64) -> f64, _) = match log.kind {
                stats::LogKind::Bw => ("bandwidth", |kib| kib * KIB, "B/s"),
                stats::LogKind::Iops => ("iops", |iops| iops, "1/s"),
                stats::LogKind::Slat => ("slat", seconds, "s"),
                stats::LogKind::Clat => ("lat", seconds, "s"),
                stats::LogKind::Lat => ("total_lat", seconds, "s"),
            };
            let point = Some(Arc::from(format!("log {} of {}", log.number, log.name)));
            let sides = Direction::ALL
                .map(|side| frame.row(&format!("{}_{name}", side.name()), 0.0, unit, None));
            for row in log.rows() {
                let Some(side) = sides.get(usize::from(row.ddir)) else { continue };
                self.rows.push(Row {
                    point: point.clone(),
                    time_s: Some(row.ms as f64 / 1e3),
                    value: Some(scale(row.value as f64)),
                    ..side.clone()
                });
            }
        }
    }

    /// What a Record of a run holds besides fio's numbers. A trace and an age describe the run;
    /// they are no results of it.
    pub fn beside_the_run(&mut self, run: &Run) {
        let mut all: Vec<(&str, Option<f64>, &str)> = Vec::new();
        if let Some(simulated) = &run.simulated {
            let heat = simulated.temperature_c;
            all.extend([
                ("measured", Some(simulated.measured_s), "s"),
                ("power", Some(simulated.mean_power_w), "W"),
                ("write_amplification", simulated.write_amplification, "1"),
                ("temperature", heat.map(|heat| heat.peak), "C"),
                ("temperature_last", heat.map(|heat| heat.last), "C"),
                ("throttled_share", simulated.throttled_share, "1"),
            ]);
        }
        if let Some(aged) = &run.aged {
            all.push(("read_retries", Some(aged.read_retries as f64), "1"));
            all.push(("lost_pages", Some(aged.lost_pages as f64), "1"));
        }
        let warned = Warned::of(self.source);
        let target = self.only_target().map(|target| target.name.clone());
        let about = Arc::new(self.about(target.as_deref(), None, &warned));
        for (metric, value, unit) in all.into_iter().filter(|(_, value, _)| value.is_some()) {
            self.rows.push(Row {
                about: about.clone(),
                metric: metric.into(),
                value,
                unit: unit.into(),
                warnings: warned.about(Subject { metric, ..Subject::default() }, &[]),
                ..Row::default()
            });
        }
    }
}

/// What distinguishes jobs of one name: the server they ran on, or else their place.
fn apart(job: &JobResult, index: usize, names: &[&str]) -> Option<Arc<str>> {
    if let Some(host) = job.extra.get("hostname").and_then(Value::as_str) {
        return shared(host);
    }
    let twice = names.iter().filter(|name| **name == job.jobname).count() > 1;
    twice.then(|| format!("entry {}", index + 1).into())
}

/// An option of the job, or of all jobs.
fn option<'r>(run: &'r RunResult, job: &'r JobResult, name: &str) -> Option<&'r str> {
    let all = job.job_options.iter().chain(&run.global_options);
    all.filter(|(key, _)| key == name).map(|(_, value)| value.as_str()).next()
}

/// What the job reports against its own numbers.
fn job_warnings(job: &JobResult) -> Vec<String> {
    let mut list = Vec::new();
    if job.error != 0 {
        list.push(format!("the job ended with error {}", job.error));
    }
    if let Some(count) = job.total_err.filter(|count| *count > 0) {
        list.push(format!("{count} I/Os failed and were passed over"));
    }
    if job.steadystate.as_ref().is_some_and(|steady| !steady.attained) {
        list.push("not steady: the steady state that was asked for was not reached".to_owned());
    }
    let busy = job.usr_cpu + job.sys_cpu;
    if busy >= SATURATED {
        let busy = metric::plain(busy);
        list.push(format!("saturated client: the job used {busy} % of a processor"));
    }
    list
}
