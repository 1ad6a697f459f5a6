//! `drivelab corpus`: every job file below a folder runs on a small model or is refused.

mod args;
mod assume;

use crate::console::Console;
use crate::files::{self, json_text};
use crate::job_source::JobSource;
use crate::progress::Bar;
use crate::render::{Failure, failure_text};
use crate::run::{Finished, a_drive_each, default_state, report};
use crate::target;
use crate::values::{Format, Pair};
use answer::corpus::{Corpus, CorpusFile, Fate, Ran};
pub use args::CorpusArgs;
use fio::{Diagnostic, JobFile};
use library::{Overrides, Scale, System};
use rayon::prelude::*;
use simulate::{Blueprint, HostCost, Rig, RunOptions, Simulated};
use stats::Outcome;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Capacities of the drive, what each of its two dies holds, and how many mapping units of it are
/// simulated: the first on which the jobs fit is taken. The first three are simulated whole, so
/// that nothing shrinks there, and the smallest is ready in a tenth of a second.
const SIZES: [(&str, &str, u64); 5] = [
    ("4 GB", "2.25 GB", 1 << 20),
    ("32 GB", "18 GB", 8 << 20),
    ("128 GB", "72 GB", 32 << 20),
    ("1 TB", "560 GB", 8 << 20),
    ("16 TB", "9 TB", 8 << 20),
];

/// The model: few dies and a small buffer, so that a small drive is still a drive.
const MODEL: &str = "p4510-8tb";
const SET: [(&str, &str); 4] = [
    ("flash.channels", "2 channels"),
    ("flash.dies", "2 dies"),
    ("buffer.size", "1 MiB"),
    ("buffer.copies", "1 MiB"),
];

/// What became of a file, and the values that were assumed for its variables.
struct Report {
    fate: Fate,
    assumed: BTreeMap<String, String>,
}

/// Runs the command.
pub fn command(args: &CorpusArgs) -> Result<(), Failure> {
    let console = Console::new(args.quiet);
    let mut paths = Vec::new();
    collect(&args.folder, &mut paths)?;
    if paths.is_empty() {
        let message = format!("{}: no file below it ends in .fio", args.folder.display());
        return Err(Failure::wrong(message).with_help("name a folder with job files"));
    }
    let env: BTreeMap<String, String> =
        args.variables.iter().map(|pair| (pair.key.clone(), pair.value.clone())).collect();
    let drives = drives()?;
    let bar = Bar::new(&console, "");
    let done = AtomicUsize::new(0);
    let reports: Vec<Report> = paths
        .par_iter()
        .with_max_len(1)
        .map(|path| {
            let attempt = || one(path, &env, &drives, args);
            let report = catch_unwind(AssertUnwindSafe(attempt)).unwrap_or_else(|_| Report {
                fate: Fate::Broken("it panicked".to_owned()),
                assumed: BTreeMap::new(),
            });
            let number = done.fetch_add(1, Ordering::Relaxed) + 1;
            bar.count(number, paths.len(), "files", &path.display().to_string());
            report
        })
        .collect();
    bar.finish();
    let of = |is: fn(&Fate) -> bool| reports.iter().filter(|report| is(&report.fate)).count();
    let ran = of(|fate| matches!(fate, Fate::Ran(_)));
    let refused = of(|fate| matches!(fate, Fate::Refused(_)));
    let broken = of(|fate| matches!(fate, Fate::Broken(_)));
    let count = paths.len();
    let lines = paths.iter().zip(&reports);
    files::print(&match args.json {
        true => {
            let files = lines.map(|(path, report)| CorpusFile {
                file: path.display().to_string(),
                assumed: report.assumed.clone(),
                fate: report.fate.clone(),
            });
            json_text(&Corpus { files: files.collect(), ran, refused, broken })?
        }
        false => {
            let lines: String = lines.map(|(path, report)| line(path, report)).collect();
            format!("{lines}\n{count} files: {ran} ran, {refused} refused, {broken} broken\n")
        }
    })?;
    match broken {
        0 => Ok(()),
        _ => Err(Failure::failed(format!("{broken} of {count} job files broke"))),
    }
}

fn line(path: &Path, report: &Report) -> String {
    let path = path.display();
    let assumed: Vec<String> =
        report.assumed.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let assumed = match assumed.is_empty() {
        true => String::new(),
        false => format!(" [assumed {}]", assumed.join(" ")),
    };
    match &report.fate {
        Fate::Ran(Ran { jobs, ios, warnings, ended_by_budget }) => {
            let early = if *ended_by_budget { ", ended by the budget" } else { "" };
            format!(
                "ran      {path}: jobs {jobs}, I/Os {ios}, warnings {warnings}{early}{assumed}\n"
            )
        }
        Fate::Refused(why) => format!("refused  {why}{assumed}\n"),
        Fate::Broken(why) => format!("BROKEN   {path}: {why}{assumed}\n"),
    }
}

/// Every file below the folder that ends in `.fio`, ordered. Links to folders are not followed:
/// they may lead in a circle.
fn collect(folder: &Path, paths: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let unreadable = |error: std::io::Error| {
        Failure::wrong(format!("{}: the folder cannot be read: {error}", folder.display()))
    };
    let mut inside = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        inside.push(entry.map_err(unreadable)?);
    }
    inside.sort_by_key(|entry| entry.file_name());
    for entry in inside {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            collect(&path, paths)?;
        } else if path.extension().is_some_and(|extension| extension == "fio") {
            paths.push(path);
        }
    }
    Ok(())
}

fn drives() -> Result<Vec<(System, Scale)>, Failure> {
    let pair = |(key, value): (&str, &str)| Pair { key: key.to_owned(), value: value.to_owned() };
    let mut drives = Vec::new();
    for (capacity, die, units) in SIZES {
        let mut set: Vec<Pair> = SET.into_iter().map(pair).collect();
        set.extend([pair(("body.capacity", capacity)), pair(("nand.die_capacity", die))]);
        drives.push((target::model(MODEL, &set)?, Scale::Units(units)));
    }
    Ok(drives)
}

fn one(
    path: &Path,
    env: &BTreeMap<String, String>,
    drives: &[(System, Scale)],
    args: &CorpusArgs,
) -> Report {
    let source = match JobSource::read(path) {
        Ok(source) => source,
        Err(failure) => {
            return Report { fate: Fate::Refused(in_a_line(&failure)), assumed: BTreeMap::new() };
        }
    };
    let assumed = assume::assume(&source.text, env);
    let mut env = env.clone();
    env.extend(assumed.clone());
    Report { fate: fate_of(&source, &env, drives, args), assumed }
}

fn fate_of(
    source: &JobSource,
    env: &BTreeMap<String, String>,
    drives: &[(System, Scale)],
    args: &CorpusArgs,
) -> Fate {
    // fio runs a file of [global] sections together with a job of the command line.
    let file = match source.parse(env, Some("job")) {
        Ok(file) => file,
        Err(wrong) => return Fate::Refused(in_a_line(&wrong.into())),
    };
    let mut refusal = None;
    for drive in drives {
        match simulate(&file, drive, args) {
            Ok(simulated) => return judged(file, simulated),
            // The reason of the largest drive counts: on it the size is least in the way.
            Err(why) => refusal = Some(why),
        }
    }
    Fate::Refused(refusal.map(|why| in_a_line(&why.into())).unwrap_or_default())
}

fn simulate(
    file: &JobFile,
    (model, scale): &(System, Scale),
    args: &CorpusArgs,
) -> Result<Simulated, Diagnostic> {
    let drive = model.resolve(*scale, &a_drive_each(Overrides::default(), model, file))?;
    let blueprint = Blueprint::of(&drive, args.seed);
    let host = HostCost { submit: drive.host.submit };
    let mut options =
        RunOptions { budget_ios: Some(args.budget.ios()), host, ..RunOptions::default() };
    // Filling a drive takes longer than anything else here.
    let planned = blueprint.plan(file, &options)?;
    let mut rig = Rig::build(blueprint);
    rig.bring_into(&default_state(&file.jobs).of_drive());
    rig.run_planned(file, planned, &mut options)
}

/// Holds the result against what is promised: laws, and output that reads back.
fn judged(file: JobFile, simulated: Simulated) -> Fate {
    if let Some(law) = simulated.checks.failures().first() {
        return Fate::Broken(law.clone());
    }
    let warnings = file.warnings.len() + simulated.warnings.len();
    let (jobs, ios, ended_by_budget) = (file.jobs.len(), simulated.ios, simulated.ended_early);
    let outcome = Outcome {
        targets: vec![stats::Target { name: MODEL.to_owned(), ..Default::default() }],
        run: Some(simulated.run),
        ..Outcome::default()
    };
    let finished = Finished { outcome, jobs: file.jobs, events: 0, ios, broken: None };
    for format in [Format::Json, Format::JsonPlus] {
        let text = report(&finished, &[format]);
        if let Err(error) = fio::json_in::parse(&text) {
            return Fate::Broken(format!("its JSON cannot be read: {error}"));
        }
    }
    if report(&finished, &[Format::Normal]).trim().is_empty() {
        return Fate::Broken("its text is empty".to_owned());
    }
    Fate::Ran(Ran { jobs, ios, warnings, ended_by_budget })
}

/// `file:line:column: message; help`.
fn in_a_line(failure: &Failure) -> String {
    let place = failure.place.clone().unwrap_or_default();
    let message = failure.message.split_whitespace().collect::<Vec<_>>().join(" ");
    match &failure.help {
        _ if place.is_empty() => failure_text(failure, "refused").replace('\n', " "),
        Some(help) => format!("{place}: {message} (help: {help})"),
        None => format!("{place}: {message}"),
    }
}
