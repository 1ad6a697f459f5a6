//! `drivelab reproduce`: published figures against the models.

mod against;
pub mod args;
mod counter;
mod intervals;
mod measure;
pub mod result;

use crate::configuration;
use crate::console::Console;
use crate::ensemble::Drawn;
use crate::files::{self, json_text, kept};
use crate::laboratory::{Measuring, Partial, RECORD, budget_of, key, published_options, threads};
use crate::progress::Stopwatch;
use crate::records;
use crate::render::Failure;
use answer::Reproduction;
use answer::reproduction::{Figure, Verdict};
use args::ReproduceArgs;
use engine::Ratio;
use lab::{BenchOptions, ModelBench};
use measure::Work;
use review::{Library, Plan};
use std::collections::BTreeSet;

/// Runs the command.
pub fn command(args: &ReproduceArgs) -> Result<(), Failure> {
    let watch = Stopwatch::start();
    let mut console = Console::new(args.bench.quiet);
    let places = args.output.iter().chain(&args.record).chain(&args.json_file);
    files::check_places(places, args.overwrite)?;
    args.check_seeds()?;
    // Read before anything runs: a name that is wrong must not cost an hour.
    let other = args.against.as_deref().map(result::read).transpose()?;
    let mut plan_of = read_rows(args)?;
    if args.counter {
        plan_of = counter::rows(plan_of)?;
    }
    if args.derive_basis {
        crate::labels::on_the_spot(&mut plan_of, &args.bench, &console)?;
    }
    let options = published_options(&args.bench);
    let bench = ModelBench::new(options);
    let drawn = args.interval.map(|draws| Drawn::new(draws, options.seed)).transpose()?;
    let plan = Plan::new(plan_of, &bench)?;
    let work = Work {
        plan: &plan,
        bench: bench.clone(),
        seeds: args.seeds,
        precision: args.precision.map(Ratio::fraction),
        max_seeds: args.max_seeds,
    };
    let head = key(&BenchOptions { seed: 0, ..options });
    let keys = work.keys();
    let partial =
        Partial::open((args.record.as_deref(), RECORD), &head, Some(&keys), &mut console)?;
    let pool = threads(&args.bench)?;
    let mut measuring = Measuring::new("measuring", &partial, &pool, &console);
    let seeds = work.measure(&mut measuring)?;
    let mut reproduction = plan.judge(&bench, &seeds);
    if let Some(drawn) = &drawn {
        intervals::add(&mut reproduction, &work, drawn, &mut measuring)?;
    }
    drop(measuring);
    let budget = budget_of(&args.bench, &options);
    let (seeds_each, precision) = (Some(args.seeds), work.precision);
    reproduction.budget = Some(answer::Budget { seeds: seeds_each, precision, ..budget });
    let as_json = json_text(&reproduction)?;
    if let Some(path) = &args.json_file {
        files::write(path, &as_json)?;
    }
    let text = match args.json {
        true => as_json,
        false => report::reproduction_table(&reproduction),
    };
    files::deliver(&text, args.output.as_deref())?;
    if let Some(path) = &args.record {
        // What every run gave is long, and of use to reports: the Record has it, the answer not.
        reproduction.runs = work.runs_of(&seeds);
        let targets: BTreeSet<&str> = plan.runs().iter().map(|p| p.run.target.as_str()).collect();
        let outcome = outcome(&reproduction, targets, &options)?;
        records::save(outcome, watch.cost(), path)?;
        partial.remove();
    }
    if args.counter {
        return counter::all_failed(&reproduction.claims);
    }
    ran(&reproduction.figures)?;
    other.map_or(Ok(()), |(name, other)| against::agree(&name, &reproduction, &other))
}

/// Reasons that are printed at the end; the remarks below the table have them all.
const REASONS: usize = 5;

/// An error if a figure could not be run, with the reasons.
fn ran(figures: &[Figure]) -> Result<(), Failure> {
    let broken: Vec<&Figure> =
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

fn outcome(
    reproduction: &Reproduction,
    targets: BTreeSet<&str>,
    options: &BenchOptions,
) -> Result<stats::Outcome, Failure> {
    let mut list = Vec::new();
    for name in targets {
        list.push(configuration::of_bench(name, options)?);
    }
    Ok(stats::Outcome {
        kind: stats::Kind::Reproduction,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        targets: list,
        seed: Some(options.seed),
        budget: kept(&reproduction.budget)?,
        data: kept(reproduction)?,
        ..stats::Outcome::default()
    })
}
