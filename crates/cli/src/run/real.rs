//! A job file on a file or a device that exists: the guard first, then the installed fio.

use super::args::RunArgs;
use super::trace::Replayed;
use super::{Finished, output};
use crate::console::Console;
use crate::files;
use crate::interrupt;
use crate::job_source::JobSource;
use crate::progress::Bar;
use crate::render::Failure;
use crate::target;
use crate::trace::{self, Pace};
use ::trace::Replays;
use answer::Run;
use answer::trace::Replay;
use real::run::{RunOptions, run as start};
use real::{
    Identity, InstalledFio, ModelTime, Output, Permit, Progress, RealJob, Redirected, Request,
    SourceOptions, System,
};
use serde_json::{Value, json};
use stats::{Direction, Kind, Outcome, RunResult, Target, Warning};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Replays a trace, which is laid out on the target as fio's iolog.
pub fn replay(
    args: &RunArgs,
    paths: &[PathBuf],
    replayed: Replayed,
    env: &BTreeMap<String, String>,
    console: &mut Console,
) -> Result<Finished, Failure> {
    if args.replay.pace == Some(Pace::Dependent) {
        return Err(Failure::wrong("fio has no --pace dependent, and the target is real")
            .with_help("say --pace recorded or --pace fastest"));
    }
    if paths.len() > 1 {
        return Err(
            Failure::wrong("a trace is replayed on one real path").with_help("name one of them")
        );
    }
    let trace = trace::answer(None, replayed.prepared.summary());
    let mut replays = Replays::default();
    replays.insert(&replayed.name, replayed.prepared);
    let what =
        What { source: &replayed.source, replays, replay: Some(Replay { trace, replayed: None }) };
    run(args, paths, what, env, console)
}

/// What is run: a job file, which may be that of a trace.
pub struct What<'a> {
    /// The job file.
    pub source: &'a JobSource,
    /// Traces that were read with options.
    pub replays: Replays,
    /// What the Record keeps of a trace.
    pub replay: Option<Replay>,
}

/// Runs the job.
pub fn run(
    args: &RunArgs,
    paths: &[PathBuf],
    What { source, replays, replay }: What<'_>,
    env: &BTreeMap<String, String>,
    console: &mut Console,
) -> Result<Finished, Failure> {
    let options = SourceOptions {
        name: source.name.clone(),
        base_dir: source.folder.clone(),
        variables: env.clone(),
        replays,
    };
    let job = RealJob::parse(&source.text, &options)?;
    let system = System::real();
    let permits = permits(args, paths, &system, job.writes())?;
    let redirected = job.redirect(&permits, args.size.map(engine::Bytes::base))?;
    let logs = redirected.logs.iter().map(|log| log.name.as_str());
    output::check_logs(logs, args.logs.as_deref(), args.overwrite)?;
    let fio = InstalledFio::find()?;
    let mut warnings = redirected.warnings.clone();
    for warning in &warnings {
        console.warn(&warning.message);
    }
    for permit in &permits {
        let path = permit.path().display();
        console.note(&format!("{path}: real, {}; {}", fio.version(), permit.why()));
    }
    let identities: Vec<Identity> = permits
        .iter()
        .map(|permit| Identity::of(&system, permit, permit.size_bytes(), &fio))
        .collect();
    let before = permits.iter().find_map(ModelTime::ask);
    let output = watched(&system, &fio, &permits, &redirected, console)?;
    let result = output.result(&redirected)?;
    let after = permits.iter().find_map(ModelTime::ask);
    let beside = before.zip(after).map(|(before, after)| before.until(&after, &result));
    for line in output.messages.lines().filter(|line| !line.trim().is_empty()) {
        console.note(&format!("fio: {line}"));
    }
    let mut found = too_few_samples(&result);
    found.extend(beside.into_iter().flatten().map(of_machine));
    for warning in &found {
        console.warn(&warning.message);
    }
    warnings.extend(found);
    let broken = broken(&result, &permits)
        .or_else(|| (!output.success).then(|| "fio ended with an error".to_owned()));
    let ios = result.jobs.iter().map(|job| job.total_ios()).sum();
    // fio's own parser has accepted the job; ours is only asked for the banner and the logs.
    let jobs = source.parse(env, None).map(|file| file.jobs).unwrap_or_default();
    let outcome = Outcome {
        kind: Kind::FioRun,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        targets: targets(paths, &permits, identities),
        job_text: Some(source.resolved(env)),
        data: files::kept(&Run {
            redirected_job: Some(redirected.text.clone()),
            replay,
            ..Run::default()
        })?,
        run: Some(result),
        warnings,
        ..Outcome::default()
    };
    Ok(Finished { outcome, jobs, events: 0, ios, broken })
}

/// The first job that failed, and why.
fn broken(result: &RunResult, permits: &[Permit]) -> Option<String> {
    let job = result.jobs.iter().find(|job| job.error != 0)?;
    Some(format!("job `{}`: {}", job.jobname, real::outcome::fio_error(job.error, permits)))
}

/// What the guard lets the job do to each path.
fn permits(
    args: &RunArgs,
    paths: &[PathBuf],
    system: &System,
    writes: bool,
) -> Result<Vec<Permit>, Failure> {
    let serials = target::serials(args.destroy_data.as_deref(), paths.len())?;
    let examine = |(path, destroy_data): (&PathBuf, Option<String>)| {
        let request = Request {
            path: path.clone(),
            writes,
            overwrite: args.overwrite,
            destroy_data,
            ..Request::default()
        };
        Ok(system.examine(&request)?)
    };
    paths.iter().zip(serials).map(examine).collect()
}

/// Starts fio and shows its progress until it ends.
fn watched(
    system: &System,
    fio: &InstalledFio,
    permits: &[Permit],
    redirected: &Redirected,
    console: &Console,
) -> Result<Output, Failure> {
    let bar = Bar::new(console, "fio runs");
    let orderly = interrupt::orderly();
    let output = start(system, fio, permits, redirected, &RunOptions::default(), &mut |news| {
        if let Progress::Line { text, percent } = news {
            bar.set(percent.unwrap_or(0.0) / 100.0, text);
        }
        match interrupt::happened() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    })?;
    drop(orderly);
    bar.finish();
    match output.cancelled {
        true => Err(Failure::failed("the run was interrupted; fio has ended")),
        false => Ok(output),
    }
}

/// The paths as the Record keeps them, after the run: fio has laid its files out by now.
fn targets(paths: &[PathBuf], permits: &[Permit], identities: Vec<Identity>) -> Vec<Target> {
    let of = |((path, permit), identity): ((&PathBuf, &Permit), Identity)| Target {
        name: path.display().to_string(),
        configuration: json!(Identity { size_bytes: permit.size_bytes(), ..identity }),
        scale: 1.0,
        state: Value::Null,
    };
    paths.iter().zip(permits).zip(identities).map(of).collect()
}

/// What the socket and this machine add to the time of a served drive.
fn of_machine(message: String) -> Warning {
    Warning { code: "lateness".to_owned(), message, concerns: String::new() }
}

/// A percentile of too few samples is the luck of a few I/Os, on a real drive too.
fn too_few_samples(result: &RunResult) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for job in &result.jobs {
        for direction in Direction::ALL {
            let side = job.direction(direction);
            let lat = [&side.clat, &side.lat].into_iter().find(|lat| !lat.percentiles.is_empty());
            let Some(lat) = lat.filter(|lat| lat.n > 0) else { continue };
            let thin = |p: &&stats::PercentileValue| !stats::enough_samples(p.percent, lat.n);
            let Some(first) = lat.percentiles.iter().filter(|p| p.percent < 100.0).find(thin)
            else {
                continue;
            };
            let message = format!(
                "job `{}`: {} latencies are {} samples, too few for p{} and above",
                job.jobname,
                direction.name(),
                lat.n,
                first.percent
            );
            warnings.push(Warning {
                code: "few-samples".to_owned(),
                message,
                concerns: format!("p{}", first.percent),
            });
        }
    }
    warnings
}
