//! `drivelab check`: reads job files, methods, models and reviews, says what would be ignored or
//! refused, runs nothing.

mod args;

use crate::console::Console;
use crate::files::{self, json_text};
use crate::job_source::{self, JobSource};
use crate::kind::{self, Usable};
use crate::render::{self, Failure};
use answer::check::{Checked, Note, Placed, Refused};
pub use args::CheckArgs;
use fio::{Diagnostic, JobFile};
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
            (result, true) => list.push(answer(path, &result)),
        }
    }
    if args.json {
        files::print(&json_text(&list)?)?;
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
            let what = format!("{} ({})", metric::counted(jobs.len(), "job"), jobs.join(", "));
            (name, what, file.warnings.len())
        }
        Read::Other(name, usable) => {
            let what = format!("{} ({})", usable.kind.words(), usable.about);
            (name, what, usable.warnings.len())
        }
    };
    let warnings = match warnings {
        0 => String::new(),
        count => format!(", {}", metric::counted(count, "warning")),
    };
    format!("{name}: {what}{warnings}\n")
}

fn answer(path: &Path, result: &Result<Read, Failure>) -> Checked {
    match result {
        Ok(Read::Jobs(name, file)) => Checked::Jobs {
            file: name.clone(),
            kind: "fio jobs",
            jobs: jobs(file).into_iter().map(str::to_owned).collect(),
            warnings: file.warnings.iter().map(placed).collect(),
        },
        Ok(Read::Other(name, usable)) => Checked::Other {
            file: name.clone(),
            kind: usable.kind.words().to_owned(),
            about: usable.about.clone(),
            warnings: usable.warnings.iter().cloned().map(|message| Note { message }).collect(),
        },
        Err(failure) => {
            Checked::Refused { file: path.display().to_string(), refused: refused(failure) }
        }
    }
}

fn placed(warning: &Diagnostic) -> Placed {
    let Diagnostic { file, line, column, message, help, .. } = warning;
    Placed {
        file: file.to_string(),
        line: *line,
        column: *column,
        message: message.clone(),
        help: help.clone(),
    }
}

/// Why a file was refused, with what else is wrong in it.
fn refused(failure: &Failure) -> Refused {
    let Failure { message, place, help, others, .. } = failure;
    Refused {
        message: message.clone(),
        place: place.clone(),
        help: help.clone(),
        others: others.iter().map(refused).collect(),
    }
}
