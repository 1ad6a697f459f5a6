//! A job file on a model.

use super::Finished;
use super::args::RunArgs;
use super::health::Logs;
use super::output;
use super::trace::{self, Replayed};
use crate::arguments::State;
use crate::configuration;
use crate::console::Console;
use crate::files;
use crate::job_source::JobSource;
use crate::progress::Bar;
use crate::render::Failure;
use crate::values::Budget;
use engine::Ratio;
use fio::job::Job;
use fio::workload::Size;
use iopath::device::flash::drive::DriveState;
use library::{Overrides, ResolvedSystem, Scale, System};
use metric::{Dimension, plain, show};
use serde_json::json;
use simulate::{AgeSpec, HostCost, Progress, Replays, Rig, RunOptions, Simulated};
use stats::{Kind, Outcome, Warning};
use std::collections::BTreeMap;
use std::path::Path;

/// Budget of a run unless the user says it.
const BUDGET: Budget = Budget { seconds: 60.0 };

/// Runs the job.
pub fn run(
    args: &RunArgs,
    model: &System,
    source: &JobSource,
    env: &BTreeMap<String, String>,
    replayed: Option<Replayed>,
    console: &mut Console,
) -> Result<Finished, Failure> {
    let overrides = Overrides {
        give_up: args.give_up.unwrap_or(Ratio::from_base(0)),
        set: args.set.iter().map(|p| (p.key.clone(), p.value.clone())).collect(),
        power_state: args.power_state.unwrap_or(0),
        surroundings: args.surroundings.get(),
        drives: args.devices.drives,
        namespaces: args.devices.namespaces.clone(),
    };
    let mut scale = args.scale.unwrap_or_default();
    let mut resolved = model.resolve(scale, &overrides)?;
    let file = source.parse(env, None)?;
    let state = args.state.unwrap_or_else(|| default_state(&file.jobs));
    let (seed, budget) = (args.seed.unwrap_or(1), args.budget.unwrap_or(BUDGET));
    let mut rig = Rig::of(&resolved, seed);
    // The user need not wait until the drive is prepared, nor read about what does not run.
    let mut replays = Replays::default();
    let replayed = replayed.map(|replayed| replays.insert(&replayed.name, replayed.prepared));
    let checked = RunOptions { replays: replays.clone(), ..RunOptions::default() };
    let wrong = rig.check(&file, &checked).err();
    if args.scale.is_none() && (wrong.is_some() || replayed.is_some()) {
        // Nobody chose the scale: it is the one that the jobs need.
        let share = rig.least_share(&file, &checked)?;
        if share > resolved.scale {
            scale = Scale::Share(share);
            resolved = model.resolve(scale, &overrides)?;
            rig = Rig::of(&resolved, seed);
        }
        rig.check(&file, &checked)?;
    } else if let Some(wrong) = wrong {
        return Err(wrong.into());
    }
    if (args.save_state.is_some() || args.load_state.is_some()) && rig.single().is_none() {
        let message = "a state is saved and loaded of a single flash drive only";
        return Err(Failure::wrong(message)
            .with_help("leave out --save-state and --load-state, or run on one drive"));
    }
    output::check_logs(output::log_names(&file.jobs), args.logs.as_deref(), args.overwrite)?;
    let logs = Logs::wanted(args, model, &rig, seed)?;
    for warning in &file.warnings {
        console.placed(warning);
    }
    let mut warnings: Vec<Warning> = file.warnings.iter().map(of_file).collect();
    let start = match &args.load_state {
        Some(path) => Start::Saved(path),
        None => {
            warnings.extend(state_warning(args.state, state, &file.jobs));
            Start::State(state)
        }
    };
    for told in &resolved.warnings {
        let (code, concerns) = ("system".to_owned(), model.slug.clone());
        warnings.push(Warning { code, message: told.clone(), concerns });
    }
    console.note(&summary(model, &resolved, state, seed, budget));
    let age = args.age.as_ref();
    let simulated = {
        let how = How { start: &start, age, budget, logs: logs.as_ref(), replays };
        simulate(&mut rig, &resolved, &how, &file, console)?
    };
    if let Some(logs) = &logs {
        logs.end(&mut rig)?;
    }
    if let Some(path) = &args.save_state {
        files::write_with(path, |to| rig.save_state(to))?;
    }
    warnings.extend(simulated.warnings.iter().cloned());
    for warning in warnings.iter().skip(file.warnings.len()) {
        console.warn(&warning.message);
    }
    console.note(&outcome_line(&simulated));
    for limit in &simulated.limits {
        console.note(&format!("{}: limited by {limit}", limit.of));
    }
    let replay = replayed.map(|prepared| trace::outcome(&prepared, &simulated));
    if let Some(replay) = &replay {
        console.note(&trace::line(replay));
    }
    let laws = simulated.checks.failures();
    let failed = simulated.run.jobs.iter().find(|job| job.error != 0);
    let broken = match (laws.first(), failed) {
        (Some(law), _) => Some(format!("a law of the simulation is broken, which is a bug: {law}")),
        (None, Some(job)) => Some(format!("job `{}` ended with error {}", job.jobname, job.error)),
        (None, None) => None,
    };
    let mut data = json!({
        "measured_s": simulated.measured_s,
        "mean_power_w": simulated.mean_power_w,
        "write_amplification": simulated.write_amplification,
        "limited_by": simulated.limits,
        "ended_early": simulated.ended_early,
    });
    if let Some(heat) = &simulated.heat {
        data["temperature_c"] = json!({ "peak": heat.peak_c, "last": heat.last_c });
        data["throttled_share"] = json!(heat.throttled_share);
    }
    if let Some(replay) = replay {
        data["replay"] = replay;
    }
    if let Some(age) = age {
        data["age"] = crate::age::as_json(age);
        data["read_retries"] = json!(simulated.read_retries);
        data["lost_pages"] = json!(simulated.lost_pages);
    }
    let outcome = Outcome {
        kind: Kind::FioRun,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        targets: vec![configuration::target(model, &overrides, scale, &resolved, start.describe())],
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

/// What a run starts with.
enum Start<'a> {
    /// A state that is made.
    State(State),
    /// A state that was saved.
    Saved(&'a Path),
}

impl Start<'_> {
    fn describe(&self) -> serde_json::Value {
        match self {
            Start::State(state) => json!(state.word()),
            Start::Saved(path) => json!({ "saved": path.display().to_string() }),
        }
    }

    fn apply(&self, rig: &mut Rig) -> Result<(), Failure> {
        let state = match self {
            Start::State(State::Fresh) => DriveState::Fresh,
            Start::State(State::Filled) => DriveState::Filled,
            Start::State(State::Steady) => DriveState::Steady(1.0),
            Start::Saved(path) => {
                let wrong = |why: String| {
                    Failure::wrong(format!("{}: {why}", path.display())).with_help(
                        "give a file that --save-state wrote for this drive, scale and spare",
                    )
                };
                let file = std::fs::File::open(path).map_err(|e| wrong(e.to_string()))?;
                let mut from = std::io::BufReader::new(file);
                return rig.load_state(&mut from).map_err(|e| wrong(e.to_string()));
            }
        };
        rig.prepare(&state);
        Ok(())
    }
}

/// What a run starts with, may cost, and leaves behind.
struct How<'a> {
    start: &'a Start<'a>,
    age: Option<&'a AgeSpec>,
    budget: Budget,
    logs: Option<&'a Logs>,
    replays: Replays,
}

/// Brings the drive into its state and lets the jobs run, with progress.
fn simulate(
    rig: &mut Rig,
    resolved: &ResolvedSystem,
    how: &How<'_>,
    file: &fio::JobFile,
    console: &Console,
) -> Result<Simulated, Failure> {
    let bar = Bar::new(console, "preparing the drive");
    how.start.apply(rig)?;
    if let Some(age) = how.age {
        let help = "give its NAND file a [cell] section; `drivelab show mlc-25nm` prints one";
        rig.set_age(age).map_err(|why| Failure::wrong(why).with_help(help))?;
    }
    if let Some(logs) = how.logs {
        logs.begin(rig)?;
    }
    bar.finish();
    let bar = Bar::new(console, "running");
    let mut show = |progress: &Progress| {
        let rate = progress.ios as f64 / bar.seconds().max(1e-3);
        let message = format!(
            "phase {} of {}, {:.2} s simulated, {:.2} million I/Os a second",
            progress.phase + 1,
            progress.phases,
            progress.simulated_s,
            rate / 1e6
        );
        bar.set(share_done(progress), message);
    };
    let mut options = RunOptions {
        budget_ios: Some(how.budget.ios()),
        progress: Some(&mut show),
        host: HostCost { submit: resolved.host.submit },
        replays: how.replays.clone(),
        ..RunOptions::default()
    };
    let simulated = rig.run(file, &mut options)?;
    bar.finish();
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

fn summary(
    model: &System,
    resolved: &ResolvedSystem,
    state: State,
    seed: u64,
    budget: Budget,
) -> String {
    let scale = match resolved.scale {
        1.0 => "whole".to_owned(),
        scale => {
            let real = resolved.real_bytes as f64;
            let [part, whole] = [real * scale, real].map(|bytes| show(Dimension::Bytes, bytes));
            format!("{part} of its {whole} simulated")
        }
    };
    let (name, state) = (model.name(), state.word());
    format!("{name}: {scale}, {state}, seed {seed}, budget {} s", budget.seconds)
}

/// What fio's report has no place for.
fn outcome_line(simulated: &Simulated) -> String {
    let amplification = match simulated.write_amplification {
        Some(factor) => format!(", write amplification {}", plain(factor)),
        None => String::new(),
    };
    let (retries, lost) = (simulated.read_retries, simulated.lost_pages);
    let errors = match (retries, lost) {
        (0, 0) => String::new(),
        _ => format!(", {retries} read retries, {lost} pages lost"),
    };
    let heat = match &simulated.heat {
        Some(heat) if heat.throttled_share > 0.0 => format!(
            ", {:.1} C at most, throttled {:.0} % of the time",
            heat.peak_c,
            100.0 * heat.throttled_share
        ),
        Some(heat) => format!(", {:.1} C at most", heat.peak_c),
        None => String::new(),
    };
    format!(
        "measured {}: mean power {}{amplification}{errors}{heat}; {} I/Os in {} events",
        show(Dimension::Time, simulated.measured_s),
        show(Dimension::Power, simulated.mean_power_w),
        simulated.ios,
        simulated.events
    )
}

/// The state a run starts with if the user says none: what a drive in use is like, unless the
/// jobs precondition the drive themselves. They do if in the first phase some job writes the
/// whole drive in sequence and a later phase waits for that.
pub fn default_state(jobs: &[Job]) -> State {
    let second = jobs.iter().skip(1).position(|job| job.stonewall || job.wait_for.is_some());
    let Some(second) = second.map(|at| at + 1) else { return State::Filled };
    let whole = |job: &Job| match job.size {
        None => true,
        Some(Size::Percent(percent)) => percent >= 100,
        Some(Size::Bytes(_)) => false,
    };
    let fills = |job: &Job| {
        let only_writes = job.rw.write && !job.rw.read && !job.rw.random;
        let to_the_end = job.runtime_us.is_none() && job.number_ios.is_none();
        only_writes && to_the_end && (job.fill_device || whole(job))
    };
    if jobs[..second].iter().any(fills) { State::Fresh } else { State::Filled }
}

/// Random writes on a drive that was filled in sequence are first fast, then slow. That is no
/// mistake, but who did not choose it should know.
fn state_warning(given: Option<State>, state: State, jobs: &[Job]) -> Option<Warning> {
    let random_writes = jobs.iter().any(|job| job.rw.write && job.rw.random);
    if given.is_some() || state != State::Filled || !random_writes {
        return None;
    }
    let message = "random writes begin on a drive that was filled in sequence and slow down as \
                   collection begins; --state steady begins in their steady state, --state filled \
                   says that this is meant";
    Some(Warning {
        code: "default-state".to_owned(),
        message: message.to_owned(),
        concerns: "--state".to_owned(),
    })
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
    use super::*;
    use fio::LoadOptions;
    use library::Scale;

    fn state_of(text: &str) -> State {
        let file = fio::jobfile::parse_str("j", text, &LoadOptions::default()).unwrap();
        default_state(&file.jobs)
    }

    #[test]
    fn jobs_that_fill_the_drive_themselves_begin_fresh() {
        let fill = "[fill]\nfilename=/dev/x\nrw=write\nbs=128k\n";
        let then = "[then]\nfilename=/dev/x\nstonewall\nrw=randread\n";
        assert_eq!(state_of(&format!("{fill}{then}")), State::Fresh);
        assert_eq!(state_of(fill), State::Filled, "nothing comes of it");
        assert_eq!(state_of(&format!("{fill}size=1g\n{then}")), State::Filled, "a part only");
        assert_eq!(state_of(&format!("{fill}runtime=9\n{then}")), State::Filled, "cut short");
        assert_eq!(state_of(then), State::Filled);
    }

    #[test]
    fn the_default_scale_is_the_library_s() {
        assert_eq!(Scale::default(), Scale::Units(64 << 20));
    }
}
