//! `drivelab labels`: what the figures of the shipped reviews are, derived and kept as data.

pub mod args;
mod laboratory;

use crate::arguments::BenchArgs;
use crate::console::{self, Console};
use crate::files;
use crate::interrupt;
use crate::laboratory::{published_options_of, threads};
use crate::progress::Stopwatch;
use crate::render::Failure;
use crate::values::Budget;
use args::LabelsArgs;
use lab::{BenchOptions, ModelBench};
use laboratory::{Group, groups};
use rayon::prelude::*;
use review::{Bench, Derived, DerivedFile, Figure, Labels, Library};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Budget of one measurement unless the user says it, s: a rate of so many I/Os is sure to a few
/// thousandths, a twentieth of what a value is moved by.
const BUDGET: Budget = Budget { seconds: 0.2 };

/// Runs the command.
pub fn command(args: &LabelsArgs) -> Result<(), Failure> {
    interrupt::watch();
    let mut console = Console::new(args.bench.quiet);
    let library = Library::shipped()?;
    let names: Vec<String> = match args.review.is_empty() {
        true => library.names().into_iter().map(str::to_owned).collect(),
        false => args.review.clone(),
    };
    let options = published_options_of(&args.bench, BUDGET);
    for name in &names {
        let rows = library.select(std::slice::from_ref(name)).map_err(Failure::wrong)?;
        let path = args.dir.join(format!("{name}.toml"));
        one_review(args, &rows.figures, &rows.labels, options, &path, &mut console)?;
    }
    Ok(())
}

fn one_review(
    args: &LabelsArgs,
    figures: &[Figure],
    labels: &Labels,
    options: BenchOptions,
    path: &Path,
    console: &mut Console,
) -> Result<(), Failure> {
    let bench = ModelBench::new(options);
    let wanted: Vec<&Figure> =
        figures.iter().filter(|figure| labels.is_open(figure, &bench)).collect();
    let mut kept = match std::fs::read_to_string(path) {
        Ok(text) => DerivedFile::parse(&path.display().to_string(), &text)?.figure,
        Err(_) => Vec::new(),
    };
    kept.retain(|entry| wanted.iter().any(|figure| is_of(entry, figure, &bench)));
    let open = |figure: &&&Figure| !kept.iter().any(|entry| is_of(entry, figure, &bench));
    let left: Vec<&Figure> = wanted.iter().filter(open).copied().collect();
    console.note(&format!(
        "{}: {} predicted figures, {} to derive",
        path.display(),
        wanted.len(),
        left.len()
    ));
    let kept = Mutex::new(kept);
    let save = |more: Vec<Derived>| {
        let Ok(mut kept) = kept.lock() else { return Ok(()) };
        kept.extend(more);
        kept.sort_by(|a, b| a.what.cmp(&b.what));
        kept.dedup_by(|a, b| a.what == b.what);
        let file = DerivedFile { figure: kept.clone() };
        let text = file.text().map_err(|why| Failure::failed(format!("no TOML form: {why}")))?;
        files::write(path, &text)?;
        interrupt::set_last_words(format!(
            "{} labels are kept in {}; the same command goes on from there",
            kept.len(),
            path.display()
        ));
        Ok(())
    };
    save(Vec::new())?;
    derive(&left, &args.bench, options, console, &save)
}

/// Whether an entry is about a figure, and of the model, method and workload as they are.
fn is_of(entry: &Derived, figure: &Figure, bench: &ModelBench) -> bool {
    figure.measured().as_ref() == Some(&entry.what)
        && bench.inputs(figure).as_ref() == Some(&entry.inputs)
}

/// Derives the labels of figures, several at the same time, and saves each when it is known.
fn derive(
    figures: &[&Figure],
    args: &BenchArgs,
    options: BenchOptions,
    console: &Console,
    save: &(dyn Fn(Vec<Derived>) -> Result<(), Failure> + Sync),
) -> Result<(), Failure> {
    let groups = groups(figures);
    let done = AtomicUsize::new(0);
    let one = |group: &Group<'_>| -> Result<(), Failure> {
        let watch = Stopwatch::start();
        let (made, measurements) = group.derive(options, args.scale.is_some())?;
        let number = done.fetch_add(1, Ordering::Relaxed) + 1;
        if console.speaks() {
            let label = group.label();
            let took = watch.seconds();
            let (all, count) = (groups.len(), made.len());
            console::say(&format!(
                "[{number}/{all}] {label}: {count} figures, {measurements} measurements \
                 ({took:.1} s)"
            ));
        }
        save(made)
    };
    let pool = threads(args)?;
    pool.install(|| groups.par_iter().with_max_len(1).try_for_each(one))
}

/// The labels of a user's own figures, derived before they are judged.
pub fn on_the_spot(
    rows: &mut review::ReviewFile,
    args: &BenchArgs,
    console: &Console,
) -> Result<(), Failure> {
    let options = BenchOptions { ios: BUDGET.ios(), ..published_options_of(args, BUDGET) };
    let bench = ModelBench::new(options);
    let known = |figure: &&Figure| {
        let what = figure.measured();
        let entry = what.and_then(|what| rows.labels.derived(&what));
        entry.is_some_and(|entry| is_of(entry, figure, &bench))
    };
    let open: Vec<&Figure> = rows
        .figures
        .iter()
        .filter(|figure| rows.labels.is_open(figure, &bench) && !known(figure))
        .collect();
    let made = Mutex::new(Vec::new());
    let save = |more: Vec<Derived>| {
        if let Ok(mut made) = made.lock() {
            made.extend(more);
        }
        Ok(())
    };
    derive(&open, args, options, console, &save)?;
    let made = made.into_inner().unwrap_or_default();
    rows.labels.add_derived(made);
    Ok(())
}
