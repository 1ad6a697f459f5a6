//! `drivelab fit`: free values of a model, fitted to measured figures.

mod args;
mod drawn;
pub mod figures;
mod free;
mod record;
pub mod row;
mod show;
pub mod simulate;

pub use args::FitArgs;

use crate::console::Console;
use crate::files::{self, json_text, kept};
use crate::laboratory::{OUTPUT, Partial, bench_options, budget_of, key, threads};
use crate::progress::Stopwatch;
use crate::records;
use crate::render::Failure;
use crate::subject::Subject;
use crate::target;
use crate::values::Pair;
use answer::Fitted;
use figures::Row;
use fit::model_text::{Change, NAND, apart, changed, with_nand};
use fit::{Choice, Ended, Fit, FitError, Options, Problem, Wanted, fit};
use free::Free;
use library::{Overrides, System};
use serde_json::Value;
use simulate::Laboratory;
use std::path::{Path, PathBuf};

/// Runs the command.
pub fn command(args: &FitArgs) -> Result<(), Failure> {
    let watch = Stopwatch::start();
    let mut console = Console::new(args.bench.quiet);
    let subject = Subject::changed(&args.model, &args.set, None)?;
    let model = target::model(&subject.target, &subject.set)?;
    if subject.give_up.fraction() > 0.0 {
        let message = "a model is fitted as the drive is sold, without capacity given up";
        return Err(Failure::wrong(message)
            .with_help("state `give_up` in the figures that were measured with more spare area"));
    }
    if model.lone().is_none() {
        let message = format!("`{}` is a system, and only drives are fitted", model.slug);
        return Err(Failure::wrong(message).with_help("fit the drives in it one by one"));
    }
    let output = output(args, &model)?;
    let rows = figures::read(&args.figures, &args.only, &model)?;
    rows.notes.iter().for_each(|note| console.note(note));
    let options = bench_options(&args.bench);
    let partial = Partial::open((Some(&output), OUTPUT), &key(&options), None, &mut console)?;
    let pool = threads(&args.bench)?;
    let quiet = Console::new(args.bench.quiet);
    let of = (&model, &subject);
    let made = run(args, of, rows.rows, options, &partial, &pool, &quiet);
    let (fitted, rows, free, notes, measurements) = match made {
        Ok(made) => made,
        Err(failure) => {
            // A refusal leaves nothing behind; what was measured before a failure is kept.
            if failure.exit == crate::render::WRONG && partial.is_new() {
                partial.remove();
            }
            return Err(failure);
        }
    };
    let report = show::Report { model: &model, rows: &rows, free: &free, fit: &fitted };
    let answer = Fitted { notes: notes.clone(), ..report.answer(&output, measurements) };
    new_model(&subject, &report, &output)?;
    if let Some(path) = &args.record {
        save(args, &subject, &options, kept(&answer)?, watch, path)?;
    }
    notes.iter().for_each(|note| console.note(note));
    let shown = match args.json {
        true => json_text(&answer)?,
        false => {
            let tables = report.as_text() + &drawn::as_text(&report);
            tables + &format!("\nThe fitted model: {}\n", output.display())
        }
    };
    files::print(&shown)?;
    partial.remove();
    Ok(())
}

type Made = (Fit, Vec<Row>, Free, Vec<String>, usize);

fn run(
    args: &FitArgs,
    (model, subject): (&System, &Subject),
    rows: Vec<Row>,
    options: lab::BenchOptions,
    partial: &Partial,
    pool: &rayon::ThreadPool,
    console: &Console,
) -> Result<Made, Failure> {
    let (of, bench) = ((model.slug.as_str(), subject.pairs()), lab::ModelBench::new(options));
    let mut laboratory = Laboratory::new(of, rows, bench, partial, pool, console)?;
    let free = free::read(&args.free, model, &|set| laboratory.possible(set))?;
    let mut notes = free.notes.clone();
    too_many(&args.free, &free, laboratory.rows())?;
    laboratory.free(&free.parameters);
    notes.extend(laboratory.settle_rows()?);
    let problem = Problem {
        parameters: free.parameters.clone(),
        figures: laboratory
            .rows()
            .iter()
            .map(|row| Wanted {
                id: row.figure.id.clone(),
                value: row.figure.published(),
                sigma: row.sigma,
            })
            .collect(),
    };
    let how = Options {
        iterations: usize::from(args.iterations),
        model_error: args.model_error.fraction(),
        choice: if args.free.is_empty() { Choice::Mending } else { Choice::All },
        draws: args.interval.map(|draws| (usize::from(draws), options.seed)),
    };
    let fitted = fit(&problem, &laboratory, how).map_err(|error| match error {
        FitError::Unidentified(why) => Failure::wrong(why.message).with_help(why.help),
        FitError::NoStart => Failure::failed("the model cannot be measured where the fit begins"),
        FitError::NoRepeat => {
            Failure::failed("the fitted model cannot be measured with other seeds")
                .with_help("start again with another --seed")
        }
        FitError::Simulation(failure) => failure,
    })?;
    let measurements = laboratory.measurements();
    Ok((fitted, laboratory.rows().to_vec(), free, notes, measurements))
}

/// More parameters than figures are refused before anything runs.
fn too_many(asked: &[String], free: &Free, rows: &[Row]) -> Result<(), Failure> {
    if asked.is_empty() || free.parameters.len() <= rows.len() {
        return Ok(());
    }
    let ids: Vec<String> = rows.iter().map(|row| row.figure.id.clone()).collect();
    let keys: Vec<String> = free.parameters.iter().map(|p| p.key.clone()).collect();
    let message = format!(
        "{} ({}) cannot fix {} parameters ({})",
        metric::counted(ids.len(), "figure"),
        figures::listed(&ids),
        keys.len(),
        figures::listed(&keys)
    );
    Err(Failure::wrong(message).with_help("free fewer parameters, or give more figures"))
}

/// Where the new model goes: never over the old one, over another file only if the user says so.
fn output(args: &FitArgs, model: &System) -> Result<PathBuf, Failure> {
    let path = args.output.clone().unwrap_or_else(|| {
        let name = Path::new(&model.slug).file_name().unwrap_or_default().to_string_lossy();
        PathBuf::from(format!("{}.fitted.toml", name.trim_end_matches(".toml")))
    });
    let wrong = |why: &str, help: &str| {
        Err(Failure::wrong(format!("{}: {why}", path.display())).with_help(help))
    };
    check_ending(&path)?;
    let same = || Some(path.canonicalize().ok()? == Path::new(&model.slug).canonicalize().ok()?);
    if same() == Some(true) {
        return wrong("this is the model itself, which is never changed", "name another file");
    }
    if path.exists() && !args.overwrite {
        return wrong(
            "the file exists",
            "name another with --output, or replace it with --overwrite",
        );
    }
    let flash = nand_file(&path);
    let of_flash = args.free.is_empty() || args.free.iter().any(|key| key.starts_with(NAND));
    if of_flash && flash.exists() && !args.overwrite {
        let why = format!("the file of its flash, {}, exists", flash.display());
        return wrong(&why, "name another with --output, or replace both with --overwrite");
    }
    files::check_places([&path].into_iter().chain(&args.record), args.overwrite)?;
    // What the file names must be found from its new place.
    check_text(model, &path, &model.text)?;
    Ok(path)
}

/// Whether a text would be a model at its place.
fn check_text(model: &System, path: &Path, text: &str) -> Result<(), Failure> {
    let place = path.display().to_string();
    System::parse(&place, &place, text, path.parent(), &[]).map(|_| ()).map_err(|diagnostic| {
        let failure = Failure::from(diagnostic);
        let help = format!("write it into the folder of {} with --output", model.slug);
        Failure { help: failure.help.clone().or(Some(help)), ..failure }
    })
}

/// Writes the new file, and one of its flash beside it if a value of that was set or fitted. It is
/// the file of the model with these values changed, comments and all.
fn new_model(subject: &Subject, report: &show::Report<'_>, output: &Path) -> Result<(), Failure> {
    let change = |j: usize| Change {
        key: report.fit.problem.parameters[j].key.clone(),
        value: report.fit.problem.parameters[j].text(report.fit.point[j]),
        source: format!("fitted: {}", report.source(j)),
        fitted_on: report.fixed_by(j),
        range: report.range(j),
        correlated: report.partner(j),
    };
    // What is not better is not taken: the new file is then the old one.
    let fitted = match report.fit.ended {
        Ended::NotBetter => 0,
        _ => report.fit.point.len(),
    };
    let set = |pair: &Pair| Change {
        key: pair.key.clone(),
        value: pair.value.clone(),
        source: "assumed: set on the command line".to_owned(),
        fitted_on: Vec::new(),
        range: None,
        correlated: None,
    };
    let changes = subject.set.iter().map(set).chain((0..fitted).map(change));
    let model = &target::model(&subject.target, &[])?;
    let (own, of_nand) = apart(changes);
    let broken = || Failure::failed("the model file cannot be written with other values");
    let mut text = changed(&model.text, &own).ok_or_else(broken)?;
    if let (false, Some(flash)) = (of_nand.is_empty(), model.lone_flash()) {
        let nand = changed(&flash.nand_text, &of_nand).ok_or_else(broken)?;
        let path = nand_file(output);
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        text = with_nand(&text, &name).ok_or_else(broken)?;
        files::write(&path, &nand)?;
    }
    check_text(model, output, &text)?;
    files::write(output, &text)
}

/// Refuses a new model whose name does not end as those of models do.
pub fn check_ending(path: &Path) -> Result<(), Failure> {
    match path.extension().is_some_and(|ending| ending == "toml") {
        true => Ok(()),
        false => Err(Failure::wrong(format!("{}: a model file ends in .toml", path.display()))
            .with_help("name it NAME.toml")),
    }
}

/// The file of the flash beside a new model. Such a name holds letters, digits and `-_.` only.
pub fn nand_file(output: &Path) -> PathBuf {
    let stem = output.file_stem().unwrap_or_default().to_string_lossy();
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let stem: String = stem.chars().map(plain).collect();
    output.with_file_name(format!("{stem}-nand.toml"))
}

fn save(
    args: &FitArgs,
    subject: &Subject,
    options: &lab::BenchOptions,
    data: Value,
    watch: Stopwatch,
    path: &Path,
) -> Result<(), Failure> {
    let outcome = stats::Outcome {
        kind: stats::Kind::Fit,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        targets: vec![subject.kept(options.simulated(), Overrides::default())?],
        seed: Some(options.seed),
        budget: kept(&budget_of(&args.bench, options))?,
        data,
        ..stats::Outcome::default()
    };
    records::save(outcome, watch.cost(), path)
}
