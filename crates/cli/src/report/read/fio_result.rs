//! What fio wrote, the installed one or a modelled run in its format.

use super::documents::Documents;
use super::{logs, warn};
use ::report::source::code;
use ::report::{Problem, Source};
use serde_json::Value;
use stats::{Kind, Outcome, RunResult, Target};
use std::path::Path;

/// Lines of fio's own messages that are repeated; more of them say the same.
const MESSAGES: usize = 3;

/// The last result of a text.
pub fn read(
    name: &str,
    folder: Option<&Path>,
    text: &str,
    found: &Documents<'_>,
) -> Result<(Source, Vec<Problem>), String> {
    let mut run = fio::json_in::parse(found.last_text()).map_err(|error| error.to_string())?;
    let mut problems = Vec::new();
    if let Some(folder) = folder {
        for message in logs::attach(&mut run, folder) {
            problems.push(Problem::new(name, message));
        }
    }
    let mut outcome = Outcome { kind: Kind::FioRun, ..Outcome::default() };
    match run.extra.get("drivelab").cloned() {
        Some(own) => modelled(&mut outcome, &own),
        None => {
            outcome.version = run.fio_version.clone();
            outcome.targets = targets(&run);
        }
    }
    if let Some(line) = found.cut_off {
        let message = format!("the last of its results is cut off at line {line}");
        problems.push(Problem::new(name, message + "; the one before is used"));
    }
    if found.whole.len() > 1 {
        let count = found.whole.len();
        let message = format!("the file holds {count} results, and this is the last");
        warn(&mut outcome, code::LAST_OF_SEVERAL, message);
    }
    for line in said(text, found) {
        warn(&mut outcome, code::FIO_SAID, line);
    }
    outcome.run = Some(run);
    Ok((Source { name: name.to_owned(), outcome, ..Source::default() }, problems))
}

/// A modelled run in fio's format says that it is modelled.
fn modelled(outcome: &mut Outcome, own: &Value) {
    let text = |key: &str| own.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    outcome.version = text("version");
    // The scale is in one of the warnings below.
    outcome.targets = vec![Target { name: text("target"), ..Target::default() }];
    for warning in own.get("warnings").and_then(Value::as_array).into_iter().flatten() {
        warn(outcome, "run", warning.as_str().unwrap_or_default());
    }
    let message = "this is no Record: seed, state and scale are not told, and nothing proves the \
                   numbers; --record FILE keeps all that";
    warn(outcome, code::UNPROVEN, message);
}

/// The files or devices that the jobs name, each once.
fn targets(run: &RunResult) -> Vec<Target> {
    let mut targets: Vec<Target> = Vec::new();
    for job in &run.jobs {
        let mut options = job.job_options.iter().chain(&run.global_options);
        let Some((_, name)) = options.find(|(name, _)| name == "filename") else { continue };
        if !targets.iter().any(|target| target.name == *name) {
            targets.push(Target { name: name.clone(), ..Target::default() });
        }
    }
    targets
}

/// What fio said around its JSON about itself.
fn said(text: &str, found: &Documents<'_>) -> Vec<String> {
    let mut outside = String::new();
    let mut end = 0;
    for range in &found.whole {
        outside.push_str(&text[end..range.start]);
        end = range.end;
    }
    outside.push_str(&text[end..]);
    let mut lines: Vec<String> = Vec::new();
    for line in outside.lines().map(str::trim).filter(|line| line.starts_with("fio: ")) {
        let line: String = line.chars().take(200).collect();
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines.truncate(MESSAGES);
    lines
}
