//! `drivelab report`: Records and fio's results as a page, as text or as a table of values.

mod args;
mod read;

pub use args::{ReportArgs, ReportFormat};

use crate::console::Console;
use crate::files;
use crate::render::Failure;
use read::Inputs;

/// Runs the command.
pub fn command(args: &ReportArgs) -> Result<(), Failure> {
    let format = format(args)?;
    if let Some(path) = &args.output {
        files::check_writable(path)?;
    }
    let mut console = Console::new(args.quiet);
    let inputs = read::inputs(&args.inputs)?;
    for problem in &inputs.problems {
        console.warn(&problem.to_string());
    }
    if inputs.sources.is_empty() {
        return Err(Failure::wrong("nothing of what was named can be used, so there is no report")
            .with_help("name a Record (--record FILE of any command), or JSON that fio wrote"));
    }
    let bytes = rendered(args, format, &inputs)?;
    match &args.output {
        Some(path) => files::write_with(path, |to| std::io::Write::write_all(to, &bytes)),
        None => files::print(&String::from_utf8_lossy(&bytes)),
    }
}

/// The form that was asked for, or the one that the output's name tells.
fn format(args: &ReportArgs) -> Result<ReportFormat, Failure> {
    match (args.format, &args.output) {
        (Some(format), _) => Ok(format),
        (None, None) => Ok(ReportFormat::Markdown),
        (None, Some(path)) => ReportFormat::of_ending(path).ok_or_else(|| {
            Failure::wrong(format!("{}: its ending tells no form of a report", path.display()))
                .with_help("name it .html, .md, .csv, .json or .parquet, or say --format")
        }),
    }
}

/// The whole file.
fn rendered(args: &ReportArgs, format: ReportFormat, inputs: &Inputs) -> Result<Vec<u8>, Failure> {
    let document = || {
        let options = report::Options {
            title: args.title.clone(),
            reference: args.reference.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        report::document(&inputs.sources, &inputs.problems, &options)
    };
    match format {
        ReportFormat::Html => Ok(report::page(&document()).into_bytes()),
        ReportFormat::Markdown => Ok(report::markdown(&document()).into_bytes()),
        _ => Err(Failure::wrong(format!("{format:?} is not made yet"))),
    }
}
