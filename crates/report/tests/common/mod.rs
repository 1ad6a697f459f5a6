//! Tables for tests: one of all kinds of results, and any.

#![allow(dead_code, reason = "each test file uses its part")]

use proptest::option::of;
use proptest::prelude::*;
use report::Source;
use report::values::{About, Cell, Field, Options, Row, columns, rows};
use serde_json::{Value, json};
use stats::{Kind, Outcome, Target};
use std::sync::Arc;

/// The cells of rows as JSON.
pub fn columns_of(rows: &[Row]) -> Vec<Vec<Value>> {
    let cell = |row: &Row, column: &Field| match column.cell(row) {
        Cell::Empty => Value::Null,
        Cell::Text(text) => Value::from(text),
        Cell::Number(number) => Value::from(number),
        Cell::Count(count) => Value::from(count),
        Cell::Flag(flag) => Value::from(flag),
    };
    let columns = columns(rows);
    rows.iter().map(|row| columns.iter().map(|column| cell(row, column)).collect()).collect()
}

fn source(name: &str, kind: Kind, data: Value) -> Source {
    let state = json!("steady");
    let target = Target { name: "d5".into(), scale: 0.5, state, ..Target::default() };
    let outcome = Outcome {
        kind,
        version: "0.1.0".into(),
        seed: Some(7),
        targets: vec![target],
        data,
        ..Outcome::default()
    };
    let source = Source::of_outcome(name, outcome).unwrap();
    Source { hash: Some("c0ffee".into()), ..source }
}

/// Rows of a run of the installed fio, a method, a reproduction and a comparison.
pub fn sample() -> Vec<Row> {
    let metric = json!({ "value": 5e-4, "unit": "s", "samples": 500, "interval95": [4e-4, 7e-4] });
    let measured = json!({
        "target": "d5", "method": "corner", "params": { "qd": "4" },
        "metrics": { "read_lat_p99": metric },
        "points": [{ "at": { "qd": "4" }, "metrics": { "iops": { "value": 1e5, "unit": "1/s" } } }],
        "series": [{ "name": "fill", "time_s": [1, 2.5], "bytes_per_s": [5, 6] }],
        "warnings": ["quotes \" and, commas;\nand lines"],
        "provenance": { "exact": false, "about": "a guess" },
    });
    let method = json!({ "method": "corner", "params": { "qd": "4" }, "targets": [measured] });
    let figure = json!({
        "id": "f.1", "review": "r", "target": "d5", "method": "corner", "metric": "iops",
        "unit": "IOPS", "published": 200.0, "simulated": 190.0, "basis": "predicted",
        "bound": "min", "verdict": "hit", "warnings": [], "params": {},
    });
    let claim = json!({ "id": "q.1", "review": "r", "held": null });
    let reproduction =
        json!({ "figures": [figure], "claims": [claim], "summary": {}, "runs": [measured] });
    let comparison = json!({
        "baseline": "d5", "confidence": 0.95, "repeats": 5, "comparisons": 0, "summary": [],
        "targets": [{ "name": "d5" }],
        "rows": [{ "load": "l", "metric": "iops", "unit": "1/s", "cells": [
            { "mean": 100.0, "half_width": 2.0 },
        ] }],
    });
    let mut fio = source("fio.json", Kind::FioRun, Value::Null);
    let mut job = stats::JobResult { jobname: "reads".into(), ..Default::default() };
    job.job_options = vec![("bs".into(), "4k".into()), ("rw".into(), "randread".into())];
    let read = job.direction_mut(stats::Direction::Read);
    (read.total_ios, read.io_bytes, read.runtime_ms) = (500, 500 * 4096, 1000);
    read.derive_rates();
    let mut tally = stats::direction::LatencyTally::new();
    (0..500_u64).for_each(|i| tally.record(90_000 + i * 1_000));
    read.clat = stats::LatencyResult::from_tally(&tally, &[50.0, 99.0, 99.99]);
    fio.outcome.run = Some(stats::RunResult { jobs: vec![job], ..Default::default() });
    let sources = [
        fio,
        source("method.json", Kind::Method, method),
        source("reproduction.json", Kind::Reproduction, reproduction),
        source("comparison.json", Kind::Comparison, comparison),
    ];
    let options =
        Options { series: true, to_base: |unit| (unit == "IOPS").then_some((1.0, "1/s")) };
    let (rows, problems) = rows(&sources, &options);
    assert_eq!(problems, []);
    rows
}

fn text() -> impl Strategy<Value = Option<Arc<str>>> {
    of("[a-zä\",;\n\r ]{0,8}").prop_map(|text| text.map(Arc::from))
}

fn number() -> impl Strategy<Value = Option<f64>> {
    of(prop_oneof![any::<f64>(), Just(f64::INFINITY), Just(f64::NAN), -10.0..10.0])
}

/// Parameters and options, of which some are numbers in one row and none in another.
fn settings() -> impl Strategy<Value = Vec<(String, String)>> {
    let name = prop_oneof!["param.[a-b]", "fio.[a-b]", Just("fio.bs".to_owned())];
    let value = prop_oneof!["[0-9]{1,3}", "[0-9]{1,3}k", "[0-9]{1,2} (KiB|%|s)", "[a-z]{1,4}"];
    proptest::collection::vec((name, value), 0..3)
}

prop_compose! {
    fn about()(
        source in ".{0,8}",
        hash in of("[0-9a-f]{8}"),
        scale in number(),
        seed in of(any::<u64>()),
        exact in of(any::<bool>()),
        settings in settings(),
    ) -> About {
        let (kind, origin) = ("method", "measured");
        About { source, hash, kind, origin, scale, seed, exact, settings, ..About::default() }
    }
}

prop_compose! {
    fn row()(
        about in about(),
        (job, point, verdict, warnings) in (text(), text(), text(), text()),
        metric in "[a-z_]{0,6}",
        (value, low95, high95, time_s) in (number(), number(), number(), number()),
        samples in of(any::<u64>()),
        at in of(settings().prop_map(Arc::new)),
    ) -> Row {
        Row {
            about: Arc::new(about),
            job, point, verdict, warnings, value, low95, high95, time_s, samples, at,
            metric: metric.into(),
            ..Row::default()
        }
    }
}

/// Any rows, with numbers that are none among them.
pub fn arbitrary_rows() -> impl Strategy<Value = Vec<Row>> {
    proptest::collection::vec(row(), 0..6)
}
