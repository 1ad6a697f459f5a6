//! `drivelab check`: reads job files, says what would be ignored or refused, runs nothing.

use crate::args::CheckArgs;
use crate::console::Console;
use crate::files;
use crate::job_source::{self, JobSource};
use crate::render::{self, Failure};
use std::path::Path;

/// Runs the command.
pub fn command(args: &CheckArgs) -> Result<(), Failure> {
    let env = job_source::environment();
    let mut refused = 0;
    for path in &args.jobs {
        match read(path, &env) {
            Ok(line) => files::print(&line)?,
            Err(failure) => {
                render::failure(&failure);
                refused += 1;
            }
        }
    }
    match refused {
        0 => Ok(()),
        _ => Err(Failure::wrong(format!("{refused} of {} job files refused", args.jobs.len()))),
    }
}

fn read(path: &Path, env: &std::collections::BTreeMap<String, String>) -> Result<String, Failure> {
    let source = JobSource::read(path)?;
    let file = source.parse(env, None)?;
    // Two files may say the same: each has a console of its own.
    let mut console = Console::new(false);
    for warning in &file.warnings {
        console.placed(warning);
    }
    let jobs: Vec<&str> = file.jobs.iter().map(|job| job.name.as_str()).collect();
    let warnings = match file.warnings.len() {
        0 => String::new(),
        1 => ", 1 warning".to_owned(),
        count => format!(", {count} warnings"),
    };
    let (count, word) = (jobs.len(), if jobs.len() == 1 { "job" } else { "jobs" });
    Ok(format!("{}: {count} {word} ({}){warnings}\n", source.name, jobs.join(", ")))
}
