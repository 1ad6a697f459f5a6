//! Results that do not pass a gate: the test is made once more, then they are marked.

use super::events::Event;
use super::plan::{Plan, Run};
use crate::render::Failure;
use answer::Campaign;
use answer::campaign::TestState;
use stats::{GateTotal, Record};
use std::path::{Path, PathBuf};

/// What does not pass in the runs of a test; empty of a model.
pub fn marks(record: &Record) -> Vec<String> {
    let targets = record.result().targets.iter();
    let gates = targets.filter_map(|target| GateTotal::kept(&target.configuration));
    let failed = gates.flatten().filter(|total| total.failed > 0);
    failed
        .map(|GateTotal { gate, runs, failed, .. }| {
            format!(
                "{} ({failed} of {})",
                gate.complaint(),
                metric::counted(engine::index(runs), "run")
            )
        })
        .collect()
}

/// Why a test whose result was marked is not made once more.
pub fn no_repeat(
    plan: &Plan,
    campaign: &Campaign,
    (run, number): (&Run, usize),
    events: &[Event],
    accept_wear: f64,
) -> Option<&'static str> {
    let drive = &plan.drive(run).name;
    let spoiled = |event: &&Event| event.drive == *drive && event.state == TestState::Spoiled;
    if events.iter().filter(spoiled).any(|event| event.run == run.key()) {
        return Some("it was made twice");
    }
    // What a repetition may take was not in what was accepted.
    let wear = |test: &answer::campaign::CampaignTest| test.estimate?.wear_most;
    let planned = campaign.tests.iter().filter(|test| test.drive == *drive).filter_map(wear);
    let repeated = |event: &Event| {
        let one = plan.runs.iter().position(|run| run.key() == event.run)?;
        wear(&campaign.tests[one])
    };
    let again = events.iter().filter(spoiled).filter_map(repeated);
    let all = planned.sum::<f64>() + again.sum::<f64>();
    let own = wear(&campaign.tests[number])?;
    (all + own > accept_wear).then_some("it would wear the drive more than was accepted")
}

/// Puts the first result of a test beside the one that follows, `first` before its ending, or
/// `first-2` if that is taken: nothing that was measured is lost.
///
/// # Errors
/// If a file cannot be moved.
pub fn put_aside(run: &Run, folder: &Path) -> Result<PathBuf, Failure> {
    let record = run.record(folder);
    let both = [run.table(folder), record.clone()];
    let aside = |path: &Path, number: u32| {
        let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
        let number = if number == 1 { String::new() } else { format!("-{number}") };
        path.with_extension(format!("first{number}.{ending}"))
    };
    let is_free = |number: &u32| both.iter().all(|path| !aside(path, *number).exists());
    let number = (1..).find(is_free).unwrap_or(1);
    for path in &both {
        let failed =
            |error: std::io::Error| Failure::failed(format!("{}: {error}", path.display()));
        std::fs::rename(path, aside(path, number)).map_err(failed)?;
    }
    Ok(aside(&record, number))
}
