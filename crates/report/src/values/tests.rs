//! What rows say of each kind of result.

use super::*;
use serde_json::json;
use stats::{
    Direction, JobResult, Kind, LatencyResult, Outcome, PercentileValue, RunResult, Target, Warning,
};

fn to_base(symbol: &str) -> Option<(f64, &'static str)> {
    match symbol {
        "kIOPS" => Some((1e3, "1/s")),
        "us" => Some((1e-6, "s")),
        "%" => Some((0.01, "1")),
        _ => None,
    }
}

const OPTIONS: Options = Options { series: false, to_base };

fn source(outcome: Outcome) -> Source {
    let source = Source::of_outcome("a.json", outcome).unwrap();
    Source { hash: Some("ab".into()), ..source }
}

fn of(kind: Kind, data: serde_json::Value) -> Source {
    let target = |name: &str, scale| Target { name: name.into(), scale, ..Target::default() };
    let targets = vec![target("p4510", 0.25), target("d5", 1.0)];
    source(Outcome {
        kind,
        version: "0.1.0".into(),
        seed: Some(1),
        targets,
        data,
        ..Outcome::default()
    })
}

/// Rows of one source that has no problems.
fn read(source: &Source, options: &Options) -> Vec<Row> {
    let (rows, problems) = rows(std::slice::from_ref(source), options);
    assert_eq!(problems, []);
    rows
}

fn find<'r>(rows: &'r [Row], metric: &str) -> &'r Row {
    rows.iter().find(|row| &*row.metric == metric).unwrap_or_else(|| panic!("no row of {metric}"))
}

#[test]
fn a_metric_of_a_method_stands_with_all_that_it_rests_on() {
    let metric = json!({ "value": 5e-4, "unit": "s", "samples": 500, "interval95": [4e-4, 7e-4] });
    let point = json!({ "at": { "qd": "4", "op": "read" }, "metrics": {
        "iops": { "value": 1e5, "unit": "1/s", "samples": null, "interval95": null },
    } });
    let source = of(
        Kind::Method,
        json!({
            "method": "corner", "params": { "op": "read", "qd": "4" },
            "targets": [{
                "target": "p4510", "metrics": { "read_lat_p99": metric }, "points": [point],
                "series": [], "warnings": ["the run was not steady"],
                "provenance": { "exact": false, "about": "block size is a guess" },
            }],
        }),
    );
    let rows = read(&source, &OPTIONS);
    let (tail, iops) = (find(&rows, "read_lat_p99"), find(&rows, "iops"));
    assert_eq!((tail.value, &*tail.unit, tail.samples), (Some(5e-4), "s", Some(500)));
    assert_eq!((tail.low95, tail.high95), (Some(4e-4), Some(7e-4)));
    let about = &tail.about;
    assert_eq!(about.method.as_deref(), Some("corner"));
    assert_eq!(about.params.as_deref(), Some("op=read; qd=4"));
    assert_eq!((about.scale, about.seed, about.exact), (Some(0.25), Some(1), Some(false)));
    assert_eq!(
        tail.warnings.as_deref(),
        Some("p99 rests on 500 samples, and 1000 are needed for one to trust")
    );
    assert_eq!(
        about.run_warnings.as_deref(),
        Some(
            "the run was not steady; approximation: block size is a guess; simulated at 1/4 of \
             the capacity"
        )
    );
    assert_eq!(iops.point.as_deref(), Some("qd=4; op=read"));
    assert_eq!(iops.warnings, None, "nothing is wrong with this number");
}

#[test]
fn a_warning_stands_with_the_numbers_that_it_concerns() {
    let number = |unit: &str| json!({ "value": 1.0, "unit": unit, "samples": 1_000_000 });
    let source = of(
        Kind::Method,
        json!({ "method": "corner", "params": {}, "targets": [{
            "target": "p4510",
            "metrics": {
                "iops_cv": number("1"), "iops": number("1/s"), "read_lat_p99.99": number("s"),
                "write_lat_p99.99": number("s"), "power": number("W"),
            },
            "warnings": [
                "simulated at 1/4 of the capacity",
                "iops_cv is over windows shorter than 1 s",
                "p99.99 is that of the slowest section",
                "`load.iops` is not steady after 5 rounds",
                "power is above the limit",
            ],
        }] }),
    );
    let rows = read(&source, &OPTIONS);
    let warned = |metric: &str| find(&rows, metric).warnings.as_deref();
    assert_eq!(warned("iops_cv"), Some("iops_cv is over windows shorter than 1 s"));
    assert_eq!(warned("iops"), None);
    assert_eq!(warned("read_lat_p99.99"), Some("p99.99 is that of the slowest section"));
    assert_eq!(warned("write_lat_p99.99"), warned("read_lat_p99.99"));
    assert_eq!(warned("power"), Some("power is above the limit"));
    let run = rows[0].about.run_warnings.as_deref();
    let once = "simulated at 1/4 of the capacity; `load.iops` is not steady after 5 rounds";
    assert_eq!(run, Some(once), "the scale once, in the words of the run");
}

#[test]
fn a_row_says_whether_it_was_measured_or_modelled() {
    let target = |name: &str| json!({ "target": name, "metrics": { "iops": { "value": 5.0 } } });
    let mut told = target("d5");
    told["origin"] = "measured".into();
    let data = json!({
        "method": "m", "params": {}, "targets": [target("./f.img"), target("./x.toml"), told],
    });
    let rows = read(&of(Kind::Method, data), &OPTIONS);
    let seen: Vec<&str> = rows.iter().map(|row| row.about.origin).collect();
    assert_eq!(seen, ["measured", "modelled", "measured"], "what a result tells comes first");
    let run = RunResult { jobs: vec![job("a")], ..RunResult::default() };
    let outcome = Outcome { version: "fio-3.33".into(), run: Some(run), ..Outcome::default() };
    assert!(read(&source(outcome), &OPTIONS).iter().all(|row| row.about.origin == "measured"));
}

#[test]
fn the_parameters_of_a_variation_are_those_that_were_run() {
    let cell = json!({ "mean": 100.0, "half_width": 2.0 });
    let target = |name: &str, give_up: f64, set: serde_json::Value, real: bool| {
        json!({
            "name": name, "target": name.split('@').next(), "give_up": give_up, "set": set,
            "real": real,
        })
    };
    let targets = [
        target("d5", 0.0, json!({}), false),
        target("d5@give_up=10 %", 0.1, json!({}), false),
        target("d5@flash.dies=64 dies", 0.0, json!({ "flash.dies": "64 dies" }), false),
        target("d5@give_up=2 %", 0.02, json!({}), false),
        target("./f.img", 0.0, json!({}), true),
    ];
    let of_load = |give_up: &str| {
        json!({
            "load": give_up, "method": "corner", "params": { "give_up": give_up, "qd": "4" },
            "metric": "iops", "unit": "1/s", "cells": vec![cell.clone(); targets.len()],
        })
    };
    let rows = [of_load("0 %"), of_load("5 %")];
    let data = json!({
        "baseline": "d5", "confidence": 0.95, "repeats": 5, "comparisons": 0, "summary": [],
        "targets": targets, "rows": rows, "warnings": [],
    });
    let rows = read(&of(Kind::Comparison, data), &OPTIONS);
    let params: Vec<&str> = rows.iter().map(|row| row.about.params.as_deref().unwrap()).collect();
    assert_eq!(
        params,
        [
            "give_up=0 %; qd=4",
            "give_up=10 %; qd=4",
            "give_up=0 %; qd=4; flash.dies=64 dies",
            "give_up=2 %; qd=4",
            "give_up=0 %; qd=4",
            "give_up=5 %; qd=4",
            "give_up=10 %; qd=4",
            "give_up=5 %; qd=4; flash.dies=64 dies",
            "give_up=5 %; qd=4",
            "give_up=5 %; qd=4",
        ],
        "of load and variation the larger share is given up"
    );
    let origins: Vec<&str> = rows[..5].iter().map(|row| row.about.origin).collect();
    assert_eq!(origins, ["modelled", "modelled", "modelled", "modelled", "measured"]);
}

#[test]
fn a_metric_that_nobody_knows_is_shown_as_it_is() {
    let source = of(
        Kind::Method,
        json!({ "method": "m", "params": {}, "targets": [{
            "target": "d5",
            "metrics": { "zeal": { "value": 3.0 }, "grit": { "value": 4.5, "unit": "parsec" } },
        }] }),
    );
    let rows = read(&source, &OPTIONS);
    let (zeal, grit) = (find(&rows, "zeal"), find(&rows, "grit"));
    assert_eq!((zeal.value, &*zeal.unit), (Some(3.0), ""));
    assert_eq!(zeal.warnings.as_deref(), Some("its unit is not told"));
    assert_eq!((grit.value, &*grit.unit, &grit.warnings), (Some(4.5), "parsec", &None));
}

#[test]
fn figures_are_in_base_units_and_shares_stay_percent() {
    let figure = |id: &str, unit: &str, simulated: serde_json::Value| {
        json!({
            "id": id, "review": "r", "target": "d5", "method": "corner", "metric": "m",
            "unit": unit, "published": 200.0, "simulated": simulated, "ratio": null,
            "basis": "predicted", "bound": "max", "verdict": "hit", "warnings": [], "params": {},
        })
    };
    let source = of(
        Kind::Reproduction,
        json!({
            "figures": [
                figure("a", "us", json!(150.0)),
                figure("b", "%", json!(3.0)),
                figure("c", "kIOPS", json!(null)),
            ],
            "claims": [{ "id": "q", "review": "r", "claim": "fast", "held": false }],
            "summary": {},
            "runs": [{
                "target": "d5", "method": "corner", "params": { "qd": "1" },
                "metrics": { "iops": { "value": 9.0, "unit": "1/s" } },
                "points": [], "series": [], "warnings": [], "provenance": { "exact": true },
            }],
        }),
    );
    let rows = read(&source, &OPTIONS);
    let near = |found: Option<f64>, value: f64| (found.unwrap() / value - 1.0).abs() < 1e-12;
    assert!(near(rows[0].value, 150e-6) && near(rows[0].published, 200e-6));
    assert_eq!((&*rows[0].unit, rows[0].bound.as_deref()), ("s", Some("max")));
    assert_eq!((rows[1].value, &*rows[1].unit), (Some(3.0), "%"));
    assert_eq!((rows[2].value, rows[2].published), (None, Some(200e3)));
    assert_eq!((rows[0].about.exact, rows[2].about.exact), (Some(true), None));
    let claim = find(&rows, "claim_held");
    assert_eq!((claim.value, claim.verdict.as_deref()), (Some(0.0), Some("failed")));
    let run = find(&rows, "iops");
    assert_eq!(run.about.params.as_deref(), Some("qd=1"));
    assert_eq!(run.figure, None);
}

#[test]
fn a_comparison_is_means_and_differences() {
    let source = of(
        Kind::Comparison,
        json!({
            "baseline": "p4510", "confidence": 0.95, "repeats": 5, "comparisons": 1, "summary": [],
            "targets": [{ "name": "p4510", "target": "p4510" }, { "name": "new", "target": "d5" }],
            "rows": [{
                "load": "rand read", "method": "corner", "params": { "op": "read" },
                "metric": "iops", "unit": "1/s",
                "cells": [
                    { "mean": 100.0, "half_width": 2.0, "too_few_samples": false },
                    {
                        "mean": 90.0, "half_width": 1.0, "too_few_samples": true,
                        "verdict": "worse",
                        "difference": { "value": -10.0, "half_width": 3.0 },
                    },
                ],
            }],
            "warnings": ["new, rand read: not steady", "new, seq read: other"],
        }),
    );
    let rows = read(&source, &OPTIONS);
    let seen: Vec<_> = rows
        .iter()
        .map(|row| (row.about.target.as_deref().unwrap(), &*row.metric, row.low95, row.high95))
        .collect();
    assert_eq!(
        seen,
        [
            ("p4510", "iops", Some(98.0), Some(102.0)),
            ("new", "iops", Some(89.0), Some(91.0)),
            ("new", "iops.difference", Some(-13.0), Some(-7.0)),
        ]
    );
    assert_eq!(rows[1].about.scale, Some(1.0), "that of the model behind the name");
    assert_eq!(rows[2].point.as_deref(), Some("to p4510"));
    assert_eq!(rows[1].warnings.as_deref(), Some("rests on too few samples"));
    assert_eq!(rows[1].about.run_warnings.as_deref(), Some("not steady"));
    assert_eq!(rows[0].about.run_warnings.as_deref(), Some("simulated at 1/4 of the capacity"));
}

#[test]
fn a_fit_is_figures_and_parameters_before_and_after() {
    let source = of(
        Kind::Fit,
        json!({
            "model": "d5",
            "figures": [{
                "id": "f", "metric": "iops", "unit": "1/s", "measured": 10.0,
                "before": 8.0, "fitted": 9.9, "from_the_others": null,
            }],
            "parameters": [{
                "key": "flash.read", "unit": "us", "before": 50.0, "fitted": 60.0,
                "uncertainty": 1.0, "at_bound": true,
            }],
            "chi_square_fitted": 0.5,
        }),
    );
    let rows = read(&source, &OPTIONS);
    let points: Vec<_> = rows.iter().map(|row| row.point.as_deref().unwrap_or("")).collect();
    assert_eq!(points, ["before", "fitted", "before", "fitted", ""]);
    assert_eq!(rows[1].published, Some(10.0));
    assert!((rows[3].high95.unwrap() - 61.96).abs() < 1e-3);
    assert_eq!(rows[3].warnings.as_deref(), Some("ends at a bound of its range"));
}

fn job(name: &str) -> JobResult {
    let mut job = JobResult { jobname: name.into(), usr_cpu: 30.0, ..JobResult::default() };
    let read = job.direction_mut(Direction::Read);
    (read.total_ios, read.io_bytes, read.runtime_ms) = (500, 500 * 4096, 1000);
    read.derive_rates();
    let percentiles = vec![
        PercentileValue { percent: 50.0, ns: 100_000 },
        PercentileValue { percent: 99.0, ns: 250_000 },
    ];
    read.clat = LatencyResult { n: 500, mean_ns: 110_500.0, percentiles, ..Default::default() };
    job
}

#[test]
fn a_run_is_jobs_times_directions_times_metrics() {
    let warning = |concerns: &str, message: &str| Warning {
        code: "w".into(),
        message: message.into(),
        concerns: concerns.into(),
    };
    let mut log = stats::JobLog::new(stats::LogKind::Bw, "mine", 1);
    log.push(stats::log::LogRow { ms: 1500, value: 2, ddir: 0, ..Default::default() });
    let busy = JobResult { sys_cpu: 69.0, logs: vec![log], ..job("busy") };
    let run = RunResult { jobs: vec![job("calm"), busy], ..RunResult::default() };
    let source = source(Outcome {
        run: Some(run),
        targets: vec![Target { name: "d5".into(), ..Target::default() }],
        warnings: vec![
            warning("calm", "only the calm one"),
            warning("p50", "only medians"),
            warning("--state", "all"),
        ],
        data: json!({
            "measured_s": 2.0, "mean_power_w": 9.5, "write_amplification": null,
            "ended_early": false,
        }),
        ..Outcome::default()
    });
    let rows = read(&source, &Options { series: true, ..OPTIONS });
    let of_calm: Vec<&Row> = rows.iter().filter(|r| r.job.as_deref() == Some("calm")).collect();
    let value = |metric: &str| of_calm.iter().find(|row| &*row.metric == metric).unwrap();
    assert_eq!(value("read_iops").value, Some(500.0));
    assert_eq!(value("read_bandwidth").value, Some(2_048_000.0));
    assert_eq!(value("read_lat_mean").value, Some(110.5e-6));
    assert_eq!(value("read_lat_p99").samples, Some(500));
    assert!(of_calm.iter().all(|row| !row.metric.starts_with("write")), "nothing was written");
    let warned = |metric: &str| value(metric).warnings.as_deref().unwrap();
    assert_eq!(warned("read_iops"), "only the calm one");
    assert_eq!(warned("read_lat_p50"), "only the calm one; only medians");
    assert!(rows.iter().all(|row| row.about.run_warnings.as_deref() == Some("all")));
    assert!(warned("read_lat_p99").ends_with(
        "p99 rests on 500 samples, and 1000 are needed for \
                                              one to trust"
    ));
    let busy = rows.iter().find(|row| row.job.as_deref() == Some("busy")).unwrap();
    let said = busy.warnings.as_deref().unwrap();
    assert_eq!(said, "saturated client: the job used 99 % of a processor");
    let logged: Vec<&Row> = rows.iter().filter(|row| row.time_s.is_some()).collect();
    assert_eq!((logged.len(), logged[0].time_s, logged[0].value), (1, Some(1.5), Some(2048.0)));
    let power = find(&rows, "power");
    assert_eq!((power.value, &*power.unit), (Some(9.5), "W"));
}

#[test]
fn series_are_rows_when_asked_for() {
    let source = of(
        Kind::Method,
        json!({ "method": "m", "params": {}, "targets": [{
        "target": "d5", "metrics": {},
        "series": [{
            "name": "fill", "time_s": [1.0, 2.0], "bytes_per_s": [5.0, 6.0],
            "celsius": [], "phases": [
                { "name": "torture", "from_s": 0.0, "to_s": 1.0 }, { "name": "idle", "to_s": 2.0 },
                { "name": "rest", "to_s": 2.0 },
            ],
        }],
    }] }),
    );
    assert_eq!(read(&source, &OPTIONS), []);
    let rows = read(&source, &Options { series: true, ..OPTIONS });
    let seen: Vec<_> = rows.iter().map(|row| (row.time_s, row.value, &*row.unit)).collect();
    assert_eq!(seen, [(Some(1.0), Some(5.0), "B/s"), (Some(2.0), Some(6.0), "B/s")]);
    let points: Vec<_> = rows.iter().map(|row| row.point.as_deref().unwrap()).collect();
    assert_eq!(points, ["fill; phase=torture", "fill; phase=idle"]);
}

#[test]
fn a_metric_without_a_number_is_left_out_and_said() {
    let metrics = json!({ "iops": { "value": null }, "power": { "value": 5 } });
    let targets = json!([{ "target": "d5", "metrics": metrics }]);
    let source = of(Kind::Method, json!({ "method": "m", "targets": targets }));
    let (rows, problems) = rows(&[source], &OPTIONS);
    assert_eq!(rows.len(), 1);
    let said: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(said, ["a.json: metric `iops` has no number; it is left out"]);
}

#[test]
fn the_page_of_columns_is_true() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/report-values.md");
    let page = std::fs::read_to_string(path).unwrap();
    let lines: Vec<&str> = page.lines().filter(|line| line.starts_with("| `")).collect();
    let wanted: Vec<String> = COLUMNS
        .iter()
        .map(|column| {
            let kind = match column.kind {
                ColumnType::Text => "text",
                ColumnType::Number => "number",
                ColumnType::Count => "whole number",
                ColumnType::Flag => "true or false",
            };
            format!("| `{}` | {kind} | {} |", column.name, column.doc)
        })
        .collect();
    assert_eq!(lines[..wanted.len().min(lines.len())], wanted);
}
