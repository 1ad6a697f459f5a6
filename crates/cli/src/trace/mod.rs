//! `drivelab trace`: what a block trace asks of its devices.

mod args;
mod job;
mod show;

pub use args::{Pace, ReplayArgs, TraceArgs};
pub use job::{REAL_DEPTH, is_trace, job, method_job, name_of};
pub use show::answer;

use crate::console::Console;
use crate::files;
use crate::progress::Bar;
use crate::render::Failure;
use ::trace::{Prepared, TraceError, TraceOptions};
use metric::{Dimension, show};
use std::path::Path;

/// Runs the command.
pub fn command(args: &TraceArgs) -> Result<(), Failure> {
    files::check_places(&args.output, args.overwrite)?;
    let mut console = Console::new(args.quiet);
    let options = TraceOptions {
        format: args.trace_format()?,
        devices: args.device.clone(),
        ..TraceOptions::default()
    };
    let prepared = read(&args.file, options, &console)?;
    let summary = prepared.summary();
    for warning in summary.notes.warnings(summary.format) {
        console.warn(&warning);
    }
    let name = args.file.file_name().unwrap_or(args.file.as_os_str()).to_string_lossy();
    let text = match args.wants_json() {
        true => files::json_text(&answer(Some(&name), summary))?,
        false => show::text(&name, summary),
    };
    files::deliver(&text, args.output.as_deref())
}

/// Reads a trace to its end, with progress.
pub fn read(path: &Path, options: TraceOptions, console: &Console) -> Result<Prepared, Failure> {
    let bar = Bar::new(console, "reading the trace");
    let prepared = Prepared::read(path, options, |read, all| {
        let done = if all > 0 { read as f64 / all as f64 } else { 0.0 };
        let rate = show(Dimension::Bandwidth, read as f64 / bar.seconds().max(1e-3));
        bar.set(done, format!("reading the trace, {rate}"));
    })?;
    bar.finish();
    Ok(prepared)
}

impl From<TraceError> for Failure {
    fn from(error: TraceError) -> Self {
        let place = error.place();
        Self { help: error.help, ..Self::wrong(error.message).at(place) }
    }
}
