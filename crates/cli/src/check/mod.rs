//! `drivelab check`: reads job files, methods, models and reviews, says what would be ignored or
//! refused, runs nothing.

mod args;

use crate::console::Console;
use crate::files::{self, json_text};
use crate::job_source::{self, JobSource};
use crate::kind::{self, Usable};
use crate::render::{self, Failure};
pub use args::CheckArgs;
use fio::{Diagnostic, JobFile};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// Runs the command.
pub fn command(args: &CheckArgs) -> Result<(), Failure> {
    let env = job_source::environment();
    let mut refused = 0;
    let mut list = Vec::new();
    for path in &args.files {
        // Two files may say the same: each has a console of its own.
        let mut console = Console::new(args.quiet || args.json);
        let result = read(path, &env, &mut console);
        refused += usize::from(result.is_err());
        match (result, args.json) {
            (Ok(read), false) => files::print(&line(&read))?,
            (Err(failure), false) => render::failure(&failure),
            (result, true) => list.push(as_json(path, &result)),
        }
    }
    if args.json {
        files::print(&json_text(&Value::Array(list))?)?;
    }
    match refused {
        0 => Ok(()),
        _ => Err(Failure::wrong(format!("{refused} of {} files refused", args.files.len()))),
    }
}

/// A file that can be used.
enum Read {
    /// A job file: its name, and what it says.
    Jobs(String, JobFile),
    /// Another file, with its name.
    Other(String, Usable),
}

fn read(
    path: &Path,
    env: &BTreeMap<String, String>,
    console: &mut Console,
) -> Result<Read, Failure> {
    if path.extension().is_some_and(|ending| ending == "toml") {
        let usable = kind::read(path)?;
        usable.warnings.iter().for_each(|warning| console.warn(warning));
        return Ok(Read::Other(path.display().to_string(), usable));
    }
    let source = JobSource::read(path)?;
    let file = source.parse(env, None)?;
    for warning in &file.warnings {
        console.placed(warning);
    }
    Ok(Read::Jobs(source.name, file))
}

fn jobs(file: &JobFile) -> Vec<&str> {
    file.jobs.iter().map(|job| job.name.as_str()).collect()
}

fn line(read: &Read) -> String {
    let (name, what, warnings) = match read {
        Read::Jobs(name, file) => {
            let jobs = jobs(file);
            let word = if jobs.len() == 1 { "job" } else { "jobs" };
            let what = format!("{} {word} ({})", jobs.len(), jobs.join(", "));
            (name, what, file.warnings.len())
        }
        Read::Other(name, usable) => {
            let what = format!("{} ({})", usable.kind.words(), usable.about);
            (name, what, usable.warnings.len())
        }
    };
    let warnings = match warnings {
        0 => String::new(),
        1 => ", 1 warning".to_owned(),
        count => format!(", {count} warnings"),
    };
    format!("{name}: {what}{warnings}\n")
}

fn as_json(path: &Path, result: &Result<Read, Failure>) -> Value {
    match result {
        Ok(Read::Jobs(name, file)) => {
            let warning = |warning: &Diagnostic| {
                let Diagnostic { file, line, column, message, help, .. } = warning;
                let (file, help) = (file.to_string(), help.as_deref());
                json!({
                    "file": file, "line": line, "column": column, "message": message, "help": help,
                })
            };
            let warnings: Vec<Value> = file.warnings.iter().map(warning).collect();
            json!({ "file": name, "kind": "fio jobs", "jobs": jobs(file), "warnings": warnings })
        }
        Ok(Read::Other(name, usable)) => {
            let Usable { kind, about, warnings, .. } = usable;
            let warnings: Vec<Value> =
                warnings.iter().map(|message| json!({ "message": message })).collect();
            json!({ "file": name, "kind": kind.words(), "about": about, "warnings": warnings })
        }
        Err(failure) => {
            json!({ "file": path.display().to_string(), "refused": refused(failure) })
        }
    }
}

/// Why a file was refused, with what else is wrong in it.
fn refused(failure: &Failure) -> Value {
    let Failure { message, place, help, others, .. } = failure;
    let mut value = json!({ "message": message, "place": place, "help": help });
    if !others.is_empty() {
        value["others"] = others.iter().map(refused).collect();
    }
    value
}
