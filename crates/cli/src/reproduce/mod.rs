//! `drivelab reproduce`: published figures against the models.

mod against;
pub mod args;
mod measure;
mod partial;

use crate::args::BenchArgs;
use crate::configuration;
use crate::console::Console;
use crate::files;
use crate::progress::Stopwatch;
use crate::records;
use crate::render::Failure;
use crate::target;
use crate::values::{Budget, scale_text};
use args::ReproduceArgs;
use lab::Run;
use lab::{BenchOptions, ModelBench};
use library::Overrides;
use measure::Work;
use metric::{MeasureError, Measurement};
pub use partial::Partial;
use review::{FigureResult, Library, Plan, PlannedRun, Verdict};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

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
    // Read before anything runs: a name that is wrong must not cost an hour.
    let other = args.against.as_deref().map(against::read).transpose()?;
    let mut plan_of = read_rows(args)?;
    if args.derive_basis {
        crate::labels::on_the_spot(&mut plan_of, &args.bench, &console)?;
    }
    let options = bench_options(&args.bench);
    let bench = ModelBench::new(options);
    let plan = Plan::new(plan_of, &bench)?;
    let work = Work { runs: plan.runs(), options, seeds: args.seeds };
    let head = key(&BenchOptions { seed: 0, ..options });
    let partial = Partial::open(args.record.as_deref(), &head, Some(&work.keys()), &mut console)?;
    let seeds = work.measure(&partial, &threads(&args.bench)?, &console)?;
    let reproduction = plan.judge(&bench, &seeds);
    let mut value = serde_json::to_value(&reproduction)
        .map_err(|error| Failure::failed(format!("the result has no JSON form: {error}")))?;
    value["budget"] = budget_json(&args.bench, &options);
    value["budget"]["seeds"] = json!(args.seeds);
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
        value["runs"] = work.runs_json(&seeds);
        let targets: BTreeSet<&str> = plan.runs().iter().map(|p| p.run.target.as_str()).collect();
        let outcome = outcome(value.clone(), targets, &options)?;
        records::save(outcome, watch.cost(), path)?;
        partial.remove();
    }
    ran(&reproduction.figures)?;
    other.map_or(Ok(()), |(name, other)| against::agree(&name, &value, &other))
}

/// Reasons that are told at the end; the remarks below the table have them all.
const REASONS: usize = 5;

/// An error if a figure could not be run, with the reasons.
fn ran(figures: &[FigureResult]) -> Result<(), Failure> {
    let broken: Vec<&FigureResult> =
        figures.iter().filter(|figure| figure.verdict == Verdict::NotRun).collect();
    let mut message = match broken.len() {
        0 => return Ok(()),
        1 => "a figure could not be run".to_owned(),
        count => format!("{count} figures could not be run"),
    };
    for figure in broken.iter().take(REASONS) {
        let why = figure.warnings.last().map_or("no reason given", String::as_str);
        message.push_str(&format!("\n  {}: {why}", figure.id));
    }
    if broken.len() > REASONS {
        message.push_str(&format!("\n  and {} more: see Remarks", broken.len() - REASONS));
    }
    Err(Failure::failed(message).with_help(
        "mend the row or the options; a row that no model can answer says \
         basis = \"not_modelled\" and why",
    ))
}

fn read_rows(args: &ReproduceArgs) -> Result<review::ReviewFile, Failure> {
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
    let method = lab::find(&run.method).map(|m| m.text).unwrap_or_default();
    let hash = engine::rng::fnv1a(format!("{texts}\n{method}").as_bytes());
    format!("{} | {} | {} | {hash:016x}", run.target, run.method, run.params)
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
        budget: data["budget"].clone(),
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
