//! `drivelab reproduce`: published figures against the models.

mod partial;

use crate::args::{BenchArgs, ReproduceArgs};
use crate::configuration;
use crate::console::Console;
use crate::files;
use crate::measured;
use crate::progress::{Bar, Stopwatch};
use crate::records;
use crate::render::Failure;
use crate::target;
use crate::values::{Budget, scale_text};
use method::library::Overrides;
use method::measure::{BenchOptions, ModelBench};
use method::review::{Bench, Library, MeasureError, Measurement, Plan, PlannedRun, Results, Run};
pub use partial::Partial;
use rayon::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Budget of one measurement unless the user says it, s.
const BUDGET: Budget = Budget { seconds: 5.0 };
/// Budget at full precision over the usual one.
const FULL: f64 = 10.0;

/// Runs the command.
pub fn command(args: &ReproduceArgs) -> Result<(), Failure> {
    let watch = Stopwatch::start();
    let mut console = Console::new(args.bench.quiet);
    let places = args.output.iter().chain(&args.record).chain(&args.json_file);
    files::check_places(places, args.overwrite)?;
    let mut plan_of = read_rows(args)?;
    if args.derive_basis {
        crate::labels::on_the_spot(&mut plan_of, &args.bench, &console)?;
    }
    let options = bench_options(&args.bench);
    let bench = ModelBench::new(options);
    let plan = Plan::new(plan_of, &bench)?;
    let keys: Vec<String> = plan.runs().iter().map(|planned| run_key(&planned.run)).collect();
    let partial = Partial::open(args.record.as_deref(), &key(&options), Some(&keys), &mut console)?;
    let results = measure(plan.runs(), &bench, &partial, threads(&args.bench)?, &console)?;
    let reproduction = plan.judge(&bench, &results);
    let mut value = serde_json::to_value(&reproduction)
        .map_err(|error| Failure::failed(format!("the result has no JSON form: {error}")))?;
    value["budget"] = budget_json(&args.bench, &options);
    let as_json = json_text(&value)?;
    if let Some(path) = &args.json_file {
        files::write(path, &as_json)?;
    }
    let text = match args.json {
        true => as_json,
        false => report::reproduction_table(&value)
            .map_err(|error| Failure::failed(error.to_string()))?,
    };
    files::deliver(&text, args.output.as_deref())?;
    if let Some(path) = &args.record {
        // What every run gave is long, and of use to reports: the Record has it, the answer not.
        value["runs"] = runs_json(plan.runs(), &results);
        let targets: BTreeSet<&str> = plan.runs().iter().map(|p| p.run.target.as_str()).collect();
        let outcome = outcome(value, targets, &args.bench, &options)?;
        records::save(outcome, watch.cost(), path)?;
        partial.remove();
    }
    match reproduction.summary.figures_not_run {
        0 => Ok(()),
        count => Err(Failure::failed(format!("{count} figures have a run that failed"))),
    }
}

fn read_rows(args: &ReproduceArgs) -> Result<method::review::ReviewFile, Failure> {
    let mut library = Library::shipped()?;
    for path in &args.reviews {
        let name = path.display().to_string();
        let bytes = std::fs::read(path)
            .map_err(|e| Failure::wrong(format!("{name}: the reviews cannot be read: {e}")))?;
        let text = String::from_utf8(bytes).map_err(|_| {
            Failure::wrong(format!("{name}: this is not a text (UTF-8)"))
                .with_help("a reviews file is a TOML text; reviews/README.md shows a whole one")
        })?;
        library.add(&name, &text)?;
    }
    library.select(&args.review).map_err(Failure::wrong)
}

/// JSON for people's eyes too, ending in a line feed.
pub fn json_text(value: &Value) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| Failure::failed(format!("the result has no JSON form: {error}")))?;
    Ok(text + "\n")
}

/// How much work a measurement is, if not said `usual`, and ten times that at full precision.
fn budget(args: &BenchArgs, usual: Budget) -> Budget {
    let full = Budget { seconds: usual.seconds * FULL };
    args.budget.unwrap_or(if args.full { full } else { usual })
}

/// How the bench measures.
pub fn bench_options(args: &BenchArgs) -> BenchOptions {
    bench_options_of(args, BUDGET)
}

/// How the bench measures where another budget is usual.
pub fn bench_options_of(args: &BenchArgs, usual: Budget) -> BenchOptions {
    let mut options = BenchOptions { seed: args.seed.unwrap_or(1), ..BenchOptions::default() };
    options.ios = budget(args, usual).ios();
    if let Some(scale) = args.scale {
        options.scale = scale;
    }
    options
}

/// Measurements at the same time.
pub fn threads(args: &BenchArgs) -> Result<rayon::ThreadPool, Failure> {
    let number = args.threads.map_or(0, usize::from);
    rayon::ThreadPoolBuilder::new()
        .num_threads(number)
        .build()
        .map_err(|error| Failure::failed(format!("threads cannot be started: {error}")))
}

/// How the budget stands in a Record.
pub fn budget_json(args: &BenchArgs, options: &BenchOptions) -> Value {
    budget_json_of(args, BUDGET, options)
}

/// The same where another budget is usual.
pub fn budget_json_of(args: &BenchArgs, usual: Budget, options: &BenchOptions) -> Value {
    json!({
        "seconds_each": budget(args, usual).seconds,
        "ios_each": options.ios,
        "scale": scale_text(options.scale),
    })
}

/// What makes all measurements of a run of the program others: version and options.
pub fn key(options: &BenchOptions) -> String {
    let (version, scale) = (env!("CARGO_PKG_VERSION"), scale_text(options.scale));
    let age = options.age.map_or_else(String::new, |age| format!(", {age:?}"));
    format!("{version}, seed {}, {} I/Os, {scale}{age}", options.seed, options.ios)
}

/// What makes a measurement another one besides the options of the bench: the run and the texts
/// of its model and its method.
pub fn run_key(run: &Run) -> String {
    let texts = target::model(&run.target, &[]).map(|system| system.texts()).unwrap_or_default();
    run_key_of(run, &texts)
}

/// The same for a model whose texts are known.
pub fn run_key_of(run: &Run, texts: &str) -> String {
    let method = method::measure::find(&run.method).map(|m| m.text).unwrap_or_default();
    let hash = engine::rng::fnv1a(format!("{texts}\n{method}").as_bytes());
    format!("{} | {} | {} | {hash:016x}", run.target, run.method, run.params)
}

/// Makes the runs, several at the same time. The order in which they end does not matter.
fn measure(
    runs: &[PlannedRun],
    bench: &ModelBench,
    partial: &Partial,
    pool: rayon::ThreadPool,
    console: &Console,
) -> Result<Results, Failure> {
    let bar = Bar::new(console, "measuring");
    let done = AtomicUsize::new(0);
    // Saving may fail (a full disk); the work goes on, and the first failure is told at the end.
    let trouble: Mutex<Option<Failure>> = Mutex::new(None);
    let one = |planned: &PlannedRun| {
        let run = &planned.run;
        let key = run_key(run);
        let watch = Stopwatch::start();
        let known = partial.get(&key);
        let fresh = known.is_none();
        let result = known.map_or_else(|| guarded(bench, planned), Ok);
        if let (true, Ok(measurement)) = (fresh, &result)
            && let Err(failure) = partial.save(&key, measurement)
            && let Ok(mut slot) = trouble.lock()
        {
            slot.get_or_insert(failure);
        }
        let number = done.fetch_add(1, Ordering::Relaxed) + 1;
        let label = format!("{}: {}", run.target, run.label());
        bar.count(number, runs.len(), "runs", &label);
        if console.speaks() && !console.draws() {
            let took = if fresh { format!("{:.1} s", watch.seconds()) } else { "saved".into() };
            eprintln!("[{number}/{}] {label} ({took})", runs.len());
        }
        (run.clone(), result)
    };
    let results = pool.install(|| runs.par_iter().with_max_len(1).map(one).collect());
    bar.finish();
    match trouble.into_inner() {
        Ok(Some(failure)) => Err(failure),
        _ => Ok(results),
    }
}

/// What every run gave, or why it gave nothing.
fn runs_json(runs: &[PlannedRun], results: &Results) -> Value {
    let one = |PlannedRun { run, .. }: &PlannedRun| {
        let mut value = match results.get(run)? {
            Ok(measurement) => measured::as_json(&run.target, measurement),
            Err(why) => json!({ "target": run.target, "failed": why.to_string() }),
        };
        value["method"] = json!(run.method);
        value["params"] =
            run.params.iter().map(|(name, value)| (name.to_owned(), json!(value))).collect();
        Some(value)
    };
    runs.iter().filter_map(one).collect()
}

/// One measurement. A bug in one must not cost the results of the others.
pub fn guarded(bench: &ModelBench, planned: &PlannedRun) -> Result<Measurement, MeasureError> {
    let run = &planned.run;
    caught(|| bench.measure(&run.target, &run.method, &run.params))
}

/// A measurement of which a bug becomes an error.
pub fn caught(
    measure: impl FnOnce() -> Result<Measurement, MeasureError>,
) -> Result<Measurement, MeasureError> {
    catch_unwind(AssertUnwindSafe(measure)).unwrap_or_else(|cause| {
        let text = cause
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| cause.downcast_ref::<&str>().copied())
            .unwrap_or("no reason given");
        Err(MeasureError::Failed(format!("a bug: {text}")))
    })
}

fn outcome(
    data: Value,
    targets: BTreeSet<&str>,
    args: &BenchArgs,
    options: &BenchOptions,
) -> Result<stats::Outcome, Failure> {
    let mut list = Vec::new();
    for name in targets {
        list.push(target_of(name, options)?);
    }
    Ok(stats::Outcome {
        kind: stats::Kind::Reproduction,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        targets: list,
        seed: Some(options.seed),
        budget: budget_json(args, options),
        data,
        ..stats::Outcome::default()
    })
}

/// A model at the scale of the bench, as the Record keeps it.
pub fn target_of(name: &str, options: &BenchOptions) -> Result<stats::Target, Failure> {
    changed_target_of(name, options, &Overrides::default())
}

/// The same with what the user changed about it.
pub fn changed_target_of(
    name: &str,
    options: &BenchOptions,
    overrides: &Overrides,
) -> Result<stats::Target, Failure> {
    let model = target::model(name, &[])?;
    let resolved = model.resolve(options.scale, overrides)?;
    Ok(configuration::target(&model, overrides, options.scale, &resolved, Value::Null))
}
