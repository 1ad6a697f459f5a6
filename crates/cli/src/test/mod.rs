//! `drivelab test`: a method on one or more models, side by side.

mod args;

use crate::configuration;
use crate::console::Console;
use crate::files::{self, json_text};
use crate::laboratory::{
    Job, Measuring, Partial, bench_options, budget_json, key, run_key, run_key_of, threads,
};
use crate::measured::{self, dimension, tail};
use crate::on_real;
use crate::progress::Stopwatch;
use crate::records;
use crate::render::Failure;
use crate::target::{self, Target};
pub use args::TestArgs;
use lab::{BenchOptions, ModelBench, Watch};
use lab::{FACTS, Run, complete};
use library::Overrides;
use metric::{
    Dimension, METRICS, MeasureError, Measurement, Metric, MetricValue, Params, Provenance,
};
use report::{Column, Table};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// A target and what was measured on it.
type Measured = (String, Measurement);

/// Runs the command.
pub fn command(args: &TestArgs) -> Result<(), Failure> {
    let watch = Stopwatch::start();
    let mut console = Console::new(args.bench.quiet);
    args.result.check_places(args.real.overwrite)?;
    let mut options = bench_options(&args.bench);
    options.age = args.age;
    let bench =
        ModelBench::new(options).with_devices(args.devices.drives, args.devices.namespaces.clone());
    let runs = runs(args)?;
    let test = Test { args, options, bench: &bench, runs: &runs };
    test.check()?;
    let keys = keys(args, &runs, &mut console)?;
    let head = key(&options) + &args.devices.describe();
    let record = args.result.record.as_deref();
    let partial = Partial::open(record, &head, Some(&keys), &mut console)?;
    let measured = test.measure(keys, &partial, &console)?;
    let mut value = as_json(&args.method, &runs, &measured);
    if let Some(age) = &args.age {
        value["age"] = crate::age::as_json(age);
    }
    let text = match args.result.json {
        true => json_text(&value)?,
        false => shown(&measured, &mut console),
    };
    files::deliver(&text, args.result.output.as_deref())?;
    let Some(path) = &args.result.record else { return Ok(()) };
    records::save(test.outcome(&measured, value)?, watch.cost(), path)?;
    partial.remove();
    Ok(())
}

/// What is asked for.
struct Test<'a> {
    args: &'a TestArgs,
    options: BenchOptions,
    bench: &'a ModelBench,
    runs: &'a [Run],
}

impl Test<'_> {
    /// Refuses what cannot be measured, before anything is.
    fn check(&self) -> Result<(), Failure> {
        for run in self.runs.iter().filter(|run| !target::is_real(&run.target)) {
            self.bench.check(run)?;
        }
        if self.runs.iter().all(|run| target::is_real(&run.target)) {
            on_real::check_options(&self.args.bench)?;
            on_real::refuse(self.args.age.iter().map(|_| "--age"))?;
        }
        if !self.args.devices.describe().is_empty()
            && let Some(run) = self.runs.iter().find(|run| target::is_real(&run.target))
        {
            let message = format!("`{}` is real: its devices are what they are", run.target);
            return Err(Failure::wrong(message).with_help("leave out --drives and --namespaces"));
        }
        Ok(())
    }

    /// Makes the measurements, one for each run.
    fn measure(
        &self,
        keys: Vec<String>,
        partial: &Partial,
        console: &Console,
    ) -> Result<Vec<Measured>, Failure> {
        let pool = threads(&self.args.bench)?;
        let title = format!("measuring `{}`", self.args.method);
        let mut measuring = Measuring::new(&title, partial, &pool, console);
        if self.args.method == FACTS {
            measuring = measuring.without_lines();
        }
        let job = |(run, key): (&'_ Run, String)| {
            let label = run.target.clone();
            let (bench, real, options, run) =
                (self.bench, &self.args.real, self.options, run.clone());
            match target::is_real(&run.target) {
                true => Job::real(key, label, move |watch| real.measure(&run, options, watch)),
                false => Job::modelled(key, label, move |watch| measure(bench, &run, watch)),
            }
        };
        let jobs: Vec<Job<'_>> = self.runs.iter().zip(keys).map(job).collect();
        let made: Result<Vec<Measurement>, MeasureError> =
            measuring.make(&jobs)?.into_iter().collect();
        Ok(self.runs.iter().map(|run| run.target.clone()).zip(made?).collect())
    }

    /// What a Record holds: the numbers, and on what they were measured.
    fn outcome(&self, measured: &[Measured], value: Value) -> Result<stats::Outcome, Failure> {
        let args = self.args;
        let overrides = Overrides {
            drives: args.devices.drives,
            namespaces: args.devices.namespaces.clone(),
            ..Overrides::default()
        };
        let mut targets = Vec::new();
        for (name, measurement) in measured {
            targets.push(match target::is_real(name) {
                true => on_real::target(name, measurement.about.clone()),
                false => configuration::changed(name, &self.options, &overrides)?,
            });
        }
        let simulated = self.runs.iter().any(|run| !target::is_real(&run.target));
        Ok(stats::Outcome {
            kind: stats::Kind::Method,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            targets,
            seed: simulated.then_some(self.options.seed),
            budget: if simulated { budget_json(&args.bench, &self.options) } else { Value::Null },
            job_text: lab::find(&args.method).ok().map(|method| method.text.to_owned()),
            data: value,
            ..stats::Outcome::default()
        })
    }
}

/// Tables for people, and on the console what is to be known of them.
fn shown(measured: &[Measured], console: &mut Console) -> String {
    for warning in &warnings(measured) {
        console.warn(warning);
    }
    for (target, measurement) in measured {
        for line in measured::limited_by(measurement) {
            console.note(&format!("{target}: limited by {line}"));
        }
    }
    let points = measured.iter().filter_map(points_text).map(|text| format!("\n{text}"));
    table(measured).to_text() + &points.collect::<String>()
}

/// What makes each measurement another one. Real targets are examined for it, so that all refusals
/// come before the first measurement.
fn keys(args: &TestArgs, runs: &[Run], console: &mut Console) -> Result<Vec<String>, Failure> {
    let mut key = |run: &Run| match target::is_real(&run.target) {
        true => Ok(run_key_of(run, &args.real.key(&run.target, console)?)),
        false => Ok(run_key(run)),
    };
    runs.iter().map(&mut key).collect()
}

/// The runs: the method with its parameters on each target.
fn runs(args: &TestArgs) -> Result<Vec<Run>, Failure> {
    let named =
        |help: String| Failure::wrong(format!("unknown method `{}`", args.method)).with_help(help);
    if args.method != FACTS {
        lab::find(&args.method).map_err(named)?;
    }
    let pairs = args.param.iter().map(|pair| (pair.key.as_str(), pair.value.as_str()));
    let help = || format!("`drivelab show {}` lists the parameters", args.method);
    let wrong = |why: String| Failure::wrong(why).with_help(help());
    let mut params = Params::from_pairs(pairs).map_err(wrong)?;
    if let Ok(method) = lab::find(&args.method)
        && let Some(name) = method.foreign(&params).first()
    {
        return Err(wrong(format!("method `{}` has no parameter `{name}`", args.method)));
    }
    complete(&args.method, &mut params).map_err(wrong)?;
    let mut runs: Vec<Run> = Vec::new();
    for name in &args.on {
        let target = match target::resolve(name, &[])? {
            Target::Model(model) => model.slug,
            Target::Real(paths) => target::joined(&paths),
        };
        if runs.iter().any(|run| run.target == target) {
            let message = format!("`{name}` is named twice: {target}");
            return Err(Failure::wrong(message).with_help("name each drive once"));
        }
        runs.push(Run { target, method: args.method.clone(), params: params.clone() });
    }
    let real = runs.iter().map(|run| run.target.as_str()).filter(|name| target::is_real(name));
    target::check_distinct(real.clone())?;
    args.result.check_apart(real)?;
    Ok(runs)
}

fn measure(bench: &ModelBench, run: &Run, watch: Watch<'_>) -> Result<Measurement, MeasureError> {
    if !run.is_fact() {
        let (target, method) = (&run.target, &run.method);
        return bench.measure_watched(target, method, &run.params, Some(watch));
    }
    let known = METRICS.iter().filter(|spec| spec.fact);
    let metrics = known.filter_map(|spec| {
        let value = bench.fact(&run.target, spec.name)?;
        Some((spec.name.to_owned(), MetricValue::exact(value)))
    });
    Ok(Measurement {
        metrics: metrics.collect(),
        points: Vec::new(),
        series: Vec::new(),
        histograms: Vec::new(),
        limits: Vec::new(),
        warnings: Vec::new(),
        method_provenance: Provenance::Exact("the model's own values".to_owned()),
        about: serde_json::Value::Null,
    })
}

/// Warnings, each with the target it is about unless it is about all.
fn warnings(measured: &[Measured]) -> Vec<String> {
    let mut list: Vec<String> = Vec::new();
    let mut add = |text: String| {
        if !list.contains(&text) {
            list.push(text);
        }
    };
    for (target, measurement) in measured {
        if let Provenance::Approximation(what) = &measurement.method_provenance {
            add(format!("approximation: {what}"));
        }
        for warning in &measurement.warnings {
            add(format!("{target}: {warning}"));
        }
        for (name, metric) in &measurement.metrics {
            if too_few(name, metric) {
                let samples = metric.samples.unwrap_or(0);
                add(format!("{target}: {name} rests on {samples} samples, which are too few"));
            }
        }
    }
    list
}

/// Whether a percentile rests on too few samples.
pub fn too_few(name: &str, metric: &MetricValue) -> bool {
    let percent = Metric::parse(name).ok().and_then(|(parsed, _)| parsed.percent());
    let (Some(percent), Some(samples)) = (percent, metric.samples) else { return false };
    !stats::enough_samples(percent, samples)
}

/// Metrics in the order in which the documentation has them, those of a family by percentile.
fn names(measured: &[Measured]) -> Vec<String> {
    let all: BTreeSet<&String> = measured.iter().flat_map(|(_, m)| m.metrics.keys()).collect();
    let mut names: Vec<String> = all.into_iter().cloned().collect();
    names.sort_by_key(|name| place(name));
    names
}

/// Where a metric stands in the documentation; of a family the lower percentile comes first.
pub fn place(name: &str) -> (usize, u64) {
    let metric = Metric::parse(name).ok().map(|(metric, _)| metric);
    let percent = metric.and_then(|metric| metric.percent()).unwrap_or(0.0);
    let same = |spec: &&metric::MetricSpec| match spec.pattern {
        true => spec.name.split('<').next().is_some_and(|family| name.starts_with(family)),
        false => spec.name == name,
    };
    let exact = METRICS.iter().position(|spec| spec.name == name);
    let index = exact.or_else(|| METRICS.iter().position(|spec| same(&spec)));
    (index.unwrap_or(METRICS.len()), (percent * 1e6) as u64)
}

fn table(measured: &[Measured]) -> Table {
    let mut columns = vec![Column::left("Metric")];
    let headings = measured::headings(measured.iter().map(|(target, _)| target.as_str()));
    columns.extend(headings.iter().map(|heading| Column::right(heading)));
    let mut table = Table::new(columns);
    for name in names(measured) {
        let dimension =
            Metric::parse(&name).map_or(Dimension::Number, |(metric, _)| metric.dimension());
        let mut cells = vec![name.clone()];
        cells.extend(measured.iter().map(
            |(_, measurement)| match measurement.metrics.get(&name) {
                Some(metric) => {
                    let doubt = if too_few(&name, metric) { "?" } else { "" };
                    let shown = metric::show_metric(&name, dimension, metric.value);
                    format!("{shown}{doubt}")
                }
                None => "-".to_owned(),
            },
        ));
        table.row(cells);
    }
    table
}

/// Metrics of a point that are shown, in this order; the JSON has all.
const SHOWN: [&str; 13] = [
    "asked_iops",
    "iops",
    "lat_mean",
    "outstanding",
    "bandwidth",
    "read_lat_mean",
    "write_lat_mean",
    "read_lat_p99.99",
    "write_amplification",
    "temperature",
    "first_throttle",
    "bandwidth_after",
    "thermal_resistance",
];

/// The points of a sweep, one a line.
fn points_text((target, measurement): &Measured) -> Option<String> {
    let first = measurement.points.first()?;
    let mut columns: Vec<Column> = first.at.iter().map(|(name, _)| Column::right(name)).collect();
    let plain = |name: &str| name.rsplit_once('.').map_or(name, |_| tail(name)).to_owned();
    let mut names: Vec<&String> = first.metrics.keys().collect();
    names.retain(|name| SHOWN.contains(&plain(name).as_str()));
    let place = |name: &str| SHOWN.iter().position(|shown| *shown == plain(name));
    names.sort_by_key(|name| (name.strip_suffix(&plain(name)).map(str::to_owned), place(name)));
    columns.extend(names.iter().map(|name| Column::right(name)));
    let mut table = Table::new(columns);
    for point in &measurement.points {
        let mut cells: Vec<String> = point.at.iter().map(|(_, value)| value.clone()).collect();
        cells.extend(names.iter().map(|name| match point.metrics.get(*name) {
            Some(value) => metric::show_metric(&plain(name), dimension(&plain(name)), value.value),
            None => "-".to_owned(),
        }));
        table.row(cells);
    }
    Some(format!("{target}, by point\n{}", table.to_text()))
}

fn as_json(method: &str, runs: &[Run], measured: &[Measured]) -> Value {
    let params: Map<String, Value> = runs
        .first()
        .map(|run| run.params.iter().map(|(name, value)| (name.to_owned(), json!(value))).collect())
        .unwrap_or_default();
    let targets: Vec<Value> = measured.iter().map(|(name, m)| measured::as_json(name, m)).collect();
    json!({ "method": method, "params": params, "targets": targets })
}
