//! Results made up for the page: every kind of chart, small and always the same.

use report::{Options, Problem, Source};
use serde_json::{Value, json};
use stats::{
    Direction, Histogram, JobResult, Kind, LatencyResult, Outcome, PercentileValue, RunResult,
    Target, Warning,
};

/// The page as it is written.
pub fn page() -> String {
    let sources = [
        reproduction(),
        method(),
        heat(),
        comparison(),
        sweep(),
        fio("before", 1),
        fio("after", 2),
    ];
    let problems = [Problem::new("broken.json", "the file ends inside the JSON")];
    let options = Options {
        title: Some("A page of everything".to_owned()),
        version: "0.0.0".to_owned(),
        ..Options::default()
    };
    report::page(&report::document(&sources, &problems, &options))
}

fn source(name: &str, kind: Kind, data: Value) -> Source {
    let targets = vec![Target { name: "drive-a".to_owned(), scale: 0.25, ..Target::default() }];
    let outcome = Outcome {
        kind,
        version: "0.0.0".to_owned(),
        targets,
        seed: Some(1),
        data,
        ..Outcome::default()
    };
    Source::of_outcome(name, outcome).unwrap()
}

fn number(value: f64, unit: &str) -> Value {
    json!({ "value": value, "unit": unit, "samples": 100_000, "interval95": null })
}

/// A load curve: latency rises towards the end of the rate.
fn curve(target: &str, most: f64) -> Value {
    let point = |i: i32| {
        let share = f64::from(i) / 10.0;
        let rate = most * share.min(1.0);
        let latency = 100e-6 / (1.02 - share.min(1.0));
        json!({
            "at": { "rate": format!("{} %", i * 10) },
            "metrics": {
                "asked_iops": number(most * share, "1/s"),
                "iops": number(rate, "1/s"),
                "lat_mean": number(latency, "s"),
            },
        })
    };
    let tail = |percent: &str, micros: f64| {
        let interval = [micros * 0.9e-6, micros * 1.1e-6];
        let value =
            json!({ "value": micros * 1e-6, "unit": "s", "samples": 5000, "interval95": interval });
        (format!("read_lat_p{percent}"), value)
    };
    let mut metrics = serde_json::Map::from_iter([
        ("peak_iops".to_owned(), number(most, "1/s")),
        ("latency_at_peak".to_owned(), number(4e-3, "s")),
    ]);
    metrics.extend([
        tail("50", 90.0),
        tail("99", 300.0),
        tail("99.9", 500.0),
        tail("99.99", 900.0),
    ]);
    json!({
        "target": target,
        "metrics": metrics,
        "points": (1..=12).map(point).collect::<Vec<Value>>(),
        "series": [],
        "warnings": ["simulated at 1/4 of the capacity"],
        "provenance": { "exact": false, "about": "the profile was never published" },
    })
}

fn method() -> Source {
    let targets = [curve("drive-a", 500e3), curve("drive-b", 350e3)];
    let data = json!({
        "method": "load-curve", "params": { "workload": "sql" }, "targets": targets,
    });
    source("curve.record.json", Kind::Method, data)
}

/// Points over two parameters, and a curve over time with its phases.
fn heat() -> Source {
    let mut points = Vec::new();
    for (i, read) in ["0 %", "50 %", "100 %"].iter().enumerate() {
        for (j, block) in ["4 KiB", "64 KiB", "1 MiB"].iter().enumerate() {
            let iops = 1e5 * (i + 1) as f64 / (j + 1) as f64;
            let metrics = json!({ "iops": number(iops, "1/s") });
            points.push(json!({ "at": { "read": read, "block": block }, "metrics": metrics }));
        }
    }
    let time: Vec<f64> = (1..=60).map(f64::from).collect();
    let rate: Vec<f64> = (1..=60).map(|i| if i < 20 { 3e9 } else { 0.9e9 }).collect();
    let level: Vec<f64> = (1..=60).map(|i| f64::from(i.min(20)) * 1e9).collect();
    let done: Vec<f64> = time.iter().map(|t| t * 1e9).collect();
    let series = json!({
        "name": "timeline", "time_s": time, "position_bytes": done, "bytes_per_s": rate,
        "slc_used_bytes": level,
        "phases": [
            { "name": "fill", "kind": "write", "from_s": 0.0, "to_s": 20.0 },
            { "name": "torture", "kind": "write", "from_s": 20.0, "to_s": 60.0 },
        ],
    });
    let target = json!({
        "target": "drive-a", "metrics": { "iops": number(1e5, "1/s") }, "points": points,
        "series": [series], "warnings": [], "provenance": { "exact": true, "about": "SNIA" },
    });
    let data = json!({ "method": "snia-iops", "params": {}, "targets": [target] });
    source("snia.record.json", Kind::Method, data)
}

/// A name that does not fit below its bar.
pub const LONG: &str = "drive-of-the-next-generation-15.36tb@flash.dies=128 dies,give_up=25 %";

fn cell(mean: f64, verdict: Option<&str>) -> Value {
    let mut cell = json!({
        "mean": mean, "half_width": mean * 0.03, "values": [mean], "too_few_samples": false,
    });
    if let Some(verdict) = verdict {
        cell["difference"] = json!({
            "value": 1e4, "half_width": 1e3, "relative": 0.1, "relative_half_width": 0.01,
        });
        cell["verdict"] = json!(verdict);
    }
    cell
}

fn comparison() -> Source {
    compared(&["drive-a".to_owned(), "drive-b".to_owned(), LONG.to_owned()], &["rand read, QD 16"])
}

/// Targets side by side under some loads.
fn compared(names: &[String], loads: &[&str]) -> Source {
    let mean = |i: usize| 1e5 + 1e4 * i as f64;
    let cells: Vec<Value> =
        (0..names.len()).map(|i| cell(mean(i), (i > 0).then_some("better"))).collect();
    let row = |load: &&str| {
        json!({
            "load": load, "method": "corner", "params": {}, "metric": "iops",
            "unit": "1/s", "better": "higher", "shown_in": { "unit": "kIOPS", "scale": 1000.0 },
            "cells": cells,
        })
    };
    let targets: Vec<Value> = names.iter().map(|name| json!({ "name": name })).collect();
    let at: Vec<Value> =
        loads.iter().map(|load| json!({ "load": load, "metric": "iops" })).collect();
    let data = json!({
        "baseline": names[0], "confidence": 0.95, "repeats": 5, "comparisons": names.len() - 1,
        "targets": targets,
        "rows": loads.iter().map(row).collect::<Vec<Value>>(),
        "summary": [{
            "target": names[1], "better": at, "worse": [], "differs": [], "within_noise": [],
        }],
        "warnings": [],
    });
    source("compare.record.json", Kind::Comparison, data)
}

/// Points over two drives and depths, of which the deepest miss the limit.
fn sweep() -> Source {
    let exact = |value: f64| json!({ "value": value });
    let point = |number: i32| {
        let (drive, qd) = (["drive-a", "drive-b"][number as usize % 2], 1 << (number / 2));
        let iops = 10e3 * f64::from(qd) / (1.0 + f64::from(qd) / 50.0) * f64::from(1 + number % 2);
        let p99 = 1e-4 + 1e-5 * f64::from(qd);
        json!({
            "ids": [number.to_string()], "at": { "drive": drive, "qd": qd.to_string() },
            "verdict": if p99 > 7e-4 { "failed" } else { "met" },
            "values": { "iops": exact(iops), "read_lat_p99": exact(p99) }, "limited_by": ["host"],
        })
    };
    let all: Vec<Value> = (0..14).map(point).collect();
    let data = json!({
        "schema": answer::Sweep::SCHEMA, "load": "mixed@read=70%", "method": "mixed", "params": {},
        "factors": ["drive", "qd"], "sampler": "grid", "points": 14, "rungs": [], "failed": 0,
        "seeds": [1], "budget": { "seconds_each": 1.0, "ios_each": 1000, "scale": "4Mi units" },
        "objectives": [
            { "metric": "iops", "unit": "1/s", "better": "higher" },
            { "metric": "read_lat_p99", "unit": "s", "better": "lower" },
        ],
        "requirements": [{
            "text": "read_lat_p99 < 700 us", "failed": 2, "failed_alone": 2, "open": 0,
            "margin": 0.2,
        }],
        "currency": null, "best": all[11], "pareto": [all[11], all[9], all[7]], "all": all,
        "effects": [], "failures": [], "warnings": [],
    });
    let answer = answer::read(&data).unwrap();
    Source {
        name: "sweep.json".to_owned(),
        answer: answer::Answer::Sweep(answer),
        ..Source::default()
    }
}

/// Names that differ only at their ends, with 2 to 8 of them in a chart each, and a rebuild whose
/// parts last from a moment to the whole time.
pub fn crowded() -> String {
    let name = |i: usize| format!("pm9a3-7.68tb@give_up={i} %,flash.bus=800 MT/s,ftl.alpha=1.2 x");
    let names: Vec<String> = (1..=8).map(name).collect();
    let mut sources: Vec<Source> = (2..=8)
        .map(|count| {
            let mut source = compared(&names[..count], &["rand read, QD 16"]);
            source.name = format!("{count}.json");
            source
        })
        .collect();
    let time: Vec<f64> = (1..=60).map(f64::from).collect();
    let rate: Vec<f64> = time.iter().map(|s| s * 1e7).collect();
    let phase = |name: &str, from: f64, to: f64| {
        let kind = "write";
        json!({ "name": name, "kind": kind, "from_s": from, "to_s": to })
    };
    let series = json!({
        "name": "timeline", "time_s": time, "bytes_per_s": rate,
        "phases": [
            phase("healthy", 0.0, 0.5), phase("degraded", 0.5, 1.0),
            phase("rebuilding with a rather long name", 1.0, 1.2), phase("rebuilt", 1.2, 60.0),
        ],
    });
    let run = |name: &String| {
        json!({
            "target": name, "metrics": { "iops": number(1e5, "1/s") }, "points": [],
            "series": [series], "warnings": [],
            "provenance": { "exact": true, "about": "a test" },
        })
    };
    let runs: Vec<Value> = names.iter().map(run).collect();
    let data = json!({ "method": "fault-rebuild", "params": {}, "targets": runs });
    sources.push(source("rebuild.json", Kind::Method, data));
    report::page(&report::document(&sources, &[], &Options::default()))
}

fn figure(id: &str, published: f64, simulated: f64, basis: &str, verdict: &str) -> Value {
    json!({
        "id": id, "target": "drive-a", "method": "corner", "metric": "iops", "unit": "IOPS",
        "published": published, "simulated": simulated, "half_width": simulated / 100.0,
        "ratio": simulated / published,
        "basis": basis, "bound": null, "verdict": verdict, "warnings": ["scaled"],
        "params": { "qd": "32" }, "fitted_parameters": [], "why": "the front end's time",
        "review": "a-review",
    })
}

fn reproduction() -> Source {
    let sums = |compared: u32, hits: u32, error: f64| {
        json!({
            "count": compared, "median_error": error, "worst_error": error, "compared": compared,
            "hits": hits, "bounds_held": 0, "bounds_failed": 0,
        })
    };
    let data = json!({
        "figures": [
            figure("f.one", 100e3, 101e3, "fitted", "hit"),
            figure("f.two", 9e3, 7e3, "predicted", "miss"),
            figure("f.three", 900e3, 950e3, "predicted", "hit"),
        ],
        "claims": [
            { "id": "c.one", "held": true, "evidence": "a 2 > b 1", "claim": "a beats b" },
            { "id": "c.two", "held": false, "evidence": "FAILED: a 1 > b 2", "claim": "b is slow" },
        ],
        "summary": {
            "fitted": sums(1, 1, 0.01), "predicted": sums(2, 1, 0.22), "input": sums(0, 0, 0.0),
            "not_modelled": sums(0, 0, 0.0), "claims_held": 1, "claims_failed": 1,
            "claims_unchecked": 0, "figures_not_run": 0,
        },
        "remarks": [{ "review": "a-review", "text": "Contradicts itself: 2 against 1." }],
        "runs": corners(),
    });
    source("review.record.json", Kind::Reproduction, data)
}

/// Reviews by the number of their figures and the characters of their names: as in those that are
/// shipped, and longer.
pub const REVIEWS: [(usize, usize); 7] =
    [(3, 60), (8, 20), (8, 90), (14, 39), (26, 90), (38, 39), (40, 12)];

/// The name of a figure of such a review.
pub fn figure_name(i: usize, length: usize) -> String {
    format!("s{i}.drive-a.{}", "crystaldiskmark.4k_read.".repeat(4))[..length].to_owned()
}

/// The page of such reviews.
pub fn reviews() -> String {
    let review = |(count, length): (usize, usize)| {
        let one = |i| figure(&figure_name(i, length), 1e5, 1e5 + i as f64, "fitted", "hit");
        let figures: Vec<Value> = (1..=count).map(one).collect();
        let data = json!({ "figures": figures, "claims": [], "summary": {}, "runs": [] });
        source(&format!("{count}-{length}.record.json"), Kind::Reproduction, data)
    };
    report::page(&report::document(&REVIEWS.map(review), &[], &Options::default()))
}

/// Four corners of two drives.
fn corners() -> Vec<Value> {
    let mut runs = Vec::new();
    for (drive, factor) in [("drive-a", 1.0), ("drive-b", 1.4)] {
        for (pattern, read, rate) in [
            ("seq", "100 %", 7e9),
            ("seq", "0 %", 3e9),
            ("rand", "100 %", 4e9),
            ("rand", "0 %", 1e9),
        ] {
            runs.push(json!({
                "target": drive, "method": "corner",
                "params": { "pattern": pattern, "read": read },
                "metrics": { "bandwidth": number(rate * factor, "B/s") },
                "points": [], "series": [], "warnings": [],
                "provenance": { "exact": true, "about": "the data sheet" },
            }));
        }
    }
    runs
}

/// What fio wrote of a job of random reads.
fn fio(name: &str, factor: u64) -> Source {
    let mut histogram = Histogram::new();
    for (micros, count) in [(80, 9_000), (100, 90_000), (300, 900), (900, 90), (2_000, 10)] {
        histogram.record_n(micros * 1_000 * factor, count);
    }
    let mut job = JobResult { jobname: "qos".to_owned(), ..JobResult::default() };
    job.job_options = vec![("rw".to_owned(), "randread".to_owned())];
    let read = job.direction_mut(Direction::Read);
    read.total_ios = histogram.count();
    read.iops = 10_000.0 / factor as f64;
    read.bw_bytes_s = 40_960_000 / factor;
    read.clat = LatencyResult {
        n: histogram.count(),
        mean_ns: 100e3 * factor as f64,
        max_ns: 2_000_000 * factor,
        percentiles: vec![PercentileValue { percent: 99.99, ns: 900_000 * factor }],
        histogram: Some(histogram),
        ..LatencyResult::default()
    };
    let run = RunResult { jobs: vec![job], ..RunResult::default() };
    let warning = Warning {
        code: "not-steady".to_owned(),
        message: "the rate still fell at the end".to_owned(),
        concerns: "qos".to_owned(),
    };
    let mut source = source(&format!("{name}.json"), Kind::FioRun, Value::Null);
    source.outcome.version = "fio-3.33".to_owned();
    source.outcome.run = Some(run);
    source.outcome.warnings = vec![warning];
    source
}
