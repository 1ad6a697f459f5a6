//! `drivelab check`: reads job files, says what would be ignored or refused, runs nothing.

mod args;

use crate::console::Console;
use crate::files::{self, json_text};
use crate::job_source::{self, JobSource};
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
    for path in &args.jobs {
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
        _ => Err(Failure::wrong(format!("{refused} of {} job files refused", args.jobs.len()))),
    }
}

/// A job file that can run: its name, and what it says.
type Read = (String, JobFile);

fn read(
    path: &Path,
    env: &BTreeMap<String, String>,
    console: &mut Console,
) -> Result<Read, Failure> {
    let source = JobSource::read(path)?;
    let file = source.parse(env, None)?;
    for warning in &file.warnings {
        console.placed(warning);
    }
    Ok((source.name, file))
}

fn jobs((_, file): &Read) -> Vec<&str> {
    file.jobs.iter().map(|job| job.name.as_str()).collect()
}

fn line(read: &Read) -> String {
    let (name, file) = read;
    let warnings = match file.warnings.len() {
        0 => String::new(),
        1 => ", 1 warning".to_owned(),
        count => format!(", {count} warnings"),
    };
    let jobs = jobs(read);
    let (count, word) = (jobs.len(), if jobs.len() == 1 { "job" } else { "jobs" });
    format!("{name}: {count} {word} ({}){warnings}\n", jobs.join(", "))
}

fn as_json(path: &Path, result: &Result<Read, Failure>) -> Value {
    match result {
        Ok(read) => {
            let (name, file) = read;
            let warning = |warning: &Diagnostic| {
                let Diagnostic { file, line, column, message, help, .. } = warning;
                let (file, help) = (file.to_string(), help.as_deref());
                json!({
                    "file": file, "line": line, "column": column, "message": message, "help": help,
                })
            };
            let warnings: Vec<Value> = file.warnings.iter().map(warning).collect();
            json!({ "file": name, "jobs": jobs(read), "warnings": warnings })
        }
        Err(failure) => {
            let Failure { message, place, help, .. } = failure;
            let refused = json!({ "message": message, "place": place, "help": help });
            json!({ "file": path.display().to_string(), "refused": refused })
        }
    }
}
