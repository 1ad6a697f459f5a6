//! A job file on a model.

use super::Finished;
use super::args::RunArgs;
use super::health::Logs;
use super::output;
use super::site::{Site, options};
use super::start::{Start, default_state, state_warning};
use super::trace::{self, Replayed};
use super::words;
use crate::configuration;
use crate::console::Console;
use crate::files;
use crate::job_source::JobSource;
use crate::progress::Bar;
use crate::render::Failure;
use crate::subject::Subject;
use crate::values::Budget;
use ::trace::Replays;
use answer::Run;
use answer::run::{Aged, Temperature};
use answer::trace::Replay;
use fio::JobFile;
use library::{ResolvedSystem, System};
use serde_json::json;
use simulate::{Planned, Progress, Rig, RunOptions, Simulated};
use stats::{Kind, Outcome, Warning};
use std::collections::BTreeMap;

/// Budget of a run unless the user says it.
const BUDGET: Budget = Budget { seconds: 60.0 };

/// Runs the job.
pub fn run(
    args: &RunArgs,
    (model, subject): (&System, &Subject),
    source: &JobSource,
    env: &BTreeMap<String, String>,
    replayed: Option<Replayed>,
    console: &mut Console,
) -> Result<Finished, Failure> {
    let file = source.parse(env, None)?;
    let mut replays = Replays::default();
    let replayed = replayed.map(|replayed| replays.insert(&replayed.name, replayed.prepared));
    let site = Site::choose(args, (model, subject), &file, &replays)?;
    check(args, &site, &file)?;
    let logs = Logs::wanted(args, model, &site.blueprint)?;
    let start = match &args.load_state {
        Some(path) => Start::Saved(path),
        None => Start::State(args.state.unwrap_or_else(|| default_state(&file.jobs))),
    };
    let mut warnings = known_before(args, model, &site, &start, &file);
    for warning in &file.warnings {
        console.placed(warning);
    }
    let (seed, budget) = (args.seed(), args.budget.unwrap_or(BUDGET));
    console.note(&words::summary(model, &site.resolved, &start, seed, budget));
    let rig = Rig::build(site.blueprint);
    let (logs, resolved, replays) = (logs.as_ref(), &site.resolved, &replays);
    let how = How { args, start: &start, logs, budget, resolved, replays };
    let simulated = simulate(rig, (&file, site.planned), &how, console)?;
    warnings.extend(simulated.warnings.iter().cloned());
    for warning in warnings.iter().skip(file.warnings.len()) {
        console.warn(&warning.message);
    }
    let replay = replayed.map(|prepared| trace::outcome(&prepared, &simulated));
    for line in words::outcome(&simulated).into_iter().chain(replay.as_ref().and_then(trace::line))
    {
        console.note(&line);
    }
    let data = files::kept(&answer(args, replay, &simulated))?;
    let broken = simulated.broken();
    let (overrides, scale) = (&site.overrides, site.scale);
    let outcome = Outcome {
        kind: Kind::FioRun,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        targets: vec![configuration::target(model, overrides, scale, resolved, start.describe())],
        seed: Some(seed),
        budget: json!({ "seconds": budget.seconds, "ios": budget.ios() }),
        job_text: Some(source.resolved(env)),
        data,
        run: Some(simulated.run),
        checks: simulated.checks,
        warnings,
    };
    Ok(Finished { outcome, jobs: file.jobs, events: simulated.events, ios: simulated.ios, broken })
}

/// Mistakes that are found before anything is built.
fn check(args: &RunArgs, site: &Site, file: &JobFile) -> Result<(), Failure> {
    let states = args.save_state.is_some() || args.load_state.is_some();
    if states && site.blueprint.single().is_none() {
        let message = "a state is saved and loaded of a single flash drive only";
        return Err(Failure::wrong(message)
            .with_help("leave out --save-state and --load-state, or run on one drive"));
    }
    output::check_logs(output::log_names(&file.jobs), args.logs.as_deref(), args.overwrite)
}

/// What one should know of the jobs, the start and the model: those of the job file first.
fn known_before(
    args: &RunArgs,
    model: &System,
    site: &Site,
    start: &Start<'_>,
    file: &JobFile,
) -> Vec<Warning> {
    let mut warnings: Vec<Warning> = file.warnings.iter().map(of_file).collect();
    if let Start::State(state) = start {
        warnings.extend(state_warning(args.state, *state, &file.jobs));
    }
    warnings.extend(words::drives(args, model, &site.overrides));
    warnings.extend(configuration::warnings(model, &site.resolved));
    warnings
}

/// What a run starts with, is run with, and leaves behind.
struct How<'a> {
    args: &'a RunArgs,
    start: &'a Start<'a>,
    logs: Option<&'a Logs>,
    budget: Budget,
    resolved: &'a ResolvedSystem,
    replays: &'a Replays,
}

/// Brings the drive into its state, lets the jobs run, with progress, and saves what is asked for.
fn simulate(
    mut rig: Rig,
    (file, planned): (&JobFile, Planned),
    how: &How<'_>,
    console: &Console,
) -> Result<Simulated, Failure> {
    let bar = Bar::new(console, "preparing the drive");
    how.start.apply(&mut rig)?;
    if let Some(age) = &how.args.age {
        let help = "give its NAND file a [cell] section; `drivelab show mlc-25nm` prints one";
        rig.set_age(age).map_err(|why| Failure::wrong(why).with_help(help))?;
    }
    if let Some(logs) = how.logs {
        logs.begin(&mut rig)?;
    }
    bar.finish();
    let bar = Bar::new(console, "running");
    let mut show = |progress: &Progress| {
        bar.set(share_done(progress), words::progress(progress, bar.seconds()));
    };
    let mut options = RunOptions {
        budget_ios: Some(how.budget.ios()),
        progress: Some(&mut show),
        ..options(how.resolved, how.replays)
    };
    let simulated = rig.run_planned(file, planned, &mut options)?;
    bar.finish();
    if let Some(logs) = how.logs {
        logs.end(&mut rig)?;
    }
    if let Some(path) = &how.args.save_state {
        files::write_with(path, |to| rig.save_state(to))?;
    }
    Ok(simulated)
}

/// How much is done: by time where jobs end by time, by budget where that comes first.
fn share_done(progress: &Progress) -> f64 {
    let by_budget = match progress.budget_ios {
        Some(budget) => progress.ios as f64 / budget.max(1) as f64,
        None => 0.0,
    };
    let in_phase = match progress.asked_s {
        Some(asked) if asked > 0.0 => (progress.simulated_s / asked).min(1.0),
        _ => 0.0,
    };
    let by_time = (f64::from(progress.phase) + in_phase) / f64::from(progress.phases.max(1));
    by_budget.max(by_time)
}

/// What the Record keeps besides fio's report.
fn answer(args: &RunArgs, replay: Option<Replay>, simulated: &Simulated) -> Run {
    let heat = simulated.heat.as_ref();
    Run {
        simulated: Some(answer::run::Simulated {
            measured_s: simulated.measured_s,
            mean_power_w: simulated.mean_power_w,
            write_amplification: simulated.write_amplification,
            limited_by: simulated.limits.clone(),
            ended_early: simulated.ended_early,
            temperature_c: heat.map(|heat| Temperature { peak: heat.peak_c, last: heat.last_c }),
            throttled_share: heat.map(|heat| heat.throttled_share),
        }),
        replay,
        aged: args.age.as_ref().map(|age| Aged {
            age: crate::age::as_answered(age),
            read_retries: simulated.read_retries,
            lost_pages: simulated.lost_pages,
        }),
        ..Run::default()
    }
}

/// A warning of the reader of job files. The Record names the file without its folder: where it
/// lay has no part in the result.
fn of_file(d: &fio::Diagnostic) -> Warning {
    let file = d.file.rsplit('/').next().unwrap_or_default();
    Warning {
        code: "job-file".to_owned(),
        message: d.message.clone(),
        concerns: format!("{file}:{}:{}", d.line, d.column),
    }
}

#[cfg(test)]
mod tests {
    use library::Scale;

    #[test]
    fn the_default_scale_is_the_library_s() {
        assert_eq!(Scale::default(), Scale::Units(64 << 20));
    }
}
