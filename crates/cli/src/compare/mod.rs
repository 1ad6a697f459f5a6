//! `drivelab compare`: the same loads on several targets, and what differs by more than chance.

mod args;
mod intervals;
pub mod judge;
pub mod loads;
mod measure;
mod subjects;

use crate::console::Console;
use crate::ensemble::Drawn;
use crate::files::{self, json_text, kept};
use crate::laboratory::{bench_options_of, usual_budget_of};
use crate::on_real;
use crate::progress::Stopwatch;
use crate::records;
use crate::render::Failure;
use crate::values::Budget;
pub use args::CompareArgs;
use lab::ModelBench;
use library::Overrides;
use measure::{Measured, Work};
use serde_json::Value;

/// Budget of one measurement unless the user says it, s: there are many of them, and their scatter
/// is measured.
const BUDGET: Budget = Budget { seconds: 1.0 };

/// Runs the command.
pub fn command(args: &CompareArgs) -> Result<(), Failure> {
    let watch = Stopwatch::start();
    let mut console = Console::new(args.bench.quiet);
    args.result.check_places(args.real.consent.overwrite)?;
    if args.repeats < 2 {
        let message = format!("--repeats {}: one run says nothing about chance", args.repeats);
        return Err(Failure::wrong(message).with_help("ask for two runs or more; five are usual"));
    }
    let (subjects, baseline) = subjects::subjects(args)?;
    let loads = loads::loads(args, subjects.iter().any(|subject| subject.real))?;
    let real = subjects.iter().filter(|subject| subject.real);
    args.result.check_apart(real.map(|subject| subject.target.as_str()))?;
    if subjects.iter().all(|subject| subject.real) {
        on_real::check_options(&args.bench)?;
    }
    let bench = ModelBench::new(bench_options_of(&args.bench, BUDGET));
    if args.interval.is_some() && subjects.iter().all(|subject| subject.real) {
        on_real::refuse(std::iter::once("--interval"))?;
    }
    let drawn = args.interval.map(|draws| Drawn::new(draws, bench.options().seed)).transpose()?;
    let work = Work { args, subjects: &subjects, loads: &loads, bench, drawn };
    work.check()?;
    let (measured, draws, partial) = work.measure(&mut console)?;
    let comparison = judge::comparison(&work, baseline, &measured, &draws);
    let text = match args.result.json {
        true => json_text(&comparison)?,
        false => {
            comparison.warnings.iter().for_each(|warning| console.warn(warning));
            report::comparison_table(&comparison)
        }
    };
    files::deliver(&text, args.result.output.as_deref())?;
    if let Some(path) = &args.result.record {
        records::save(outcome(&work, &measured, kept(&comparison)?)?, watch.cost(), path)?;
        partial.remove();
    }
    Ok(())
}

fn outcome(work: &Work<'_>, measured: &Measured, data: Value) -> Result<stats::Outcome, Failure> {
    let numbered = work.subjects.iter().enumerate();
    let targets = numbered.map(|(i, subject)| match subject.real {
        true => Ok(on_real::target(&subject.target, about(measured, i))),
        false => subject.kept(work.bench.options().simulated(), Overrides::default()),
    });
    let real = work.subjects.iter().all(|subject| subject.real);
    let mut methods: Vec<&str> = Vec::new();
    for load in work.loads {
        let text = lab::find(&load.method).map(|method| method.text.as_str());
        methods.extend(text.ok().filter(|text| !methods.contains(text)));
    }
    Ok(stats::Outcome {
        kind: stats::Kind::Comparison,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        targets: targets.collect::<Result<_, _>>()?,
        seed: (!real).then_some(work.bench.options().seed),
        budget: match real {
            true => Value::Null,
            false => kept(&usual_budget_of(&work.args.bench, BUDGET, &work.bench.options()))?,
        },
        job_text: Some(methods.join("\n")),
        data,
        ..stats::Outcome::default()
    })
}

/// What a real target is and what was done to it, over all its measurements.
fn about(measured: &Measured, subject: usize) -> Value {
    let all = measured.iter().flat_map(|of_load| of_load.get(subject)).flatten();
    let mut all = all.map(|measurement| measurement.about.clone());
    let Some(mut first) = all.next() else { return Value::Null };
    for mut next in all {
        let more = next["steps"].as_array_mut().map(std::mem::take).unwrap_or_default();
        if let Some(steps) = first["steps"].as_array_mut() {
            steps.extend(more);
        }
    }
    first
}
