//! `drivelab report`: Records and fio's results as a page, as text or as a table of values.

mod args;
mod read;

pub use args::{ReportArgs, ReportFormat};

use crate::console::Console;
use crate::files;
use crate::render::Failure;
use ::report::values::{self, Row};
use metric::Unit;
use read::Inputs;
use std::io::{IsTerminal as _, Write as _};
use std::path::Path;

/// Runs the command.
pub fn command(args: &ReportArgs) -> Result<(), Failure> {
    let format = format(args)?;
    if let Some(path) = &args.output {
        files::check_place(path, args.overwrite)?;
        if let Some(input) = args.inputs.iter().find(|input| same_file(input, path)) {
            let name = input.display();
            return Err(Failure::wrong(format!("{name}: the report would replace what it reads"))
                .with_help("name another file behind -o"));
        }
    }
    let mut console = Console::new(args.quiet);
    let mut inputs = read::inputs(&args.inputs);
    // A page also lists the numbers that could not be read.
    let options = values::Options { series: args.series, to_base };
    let (rows, mut problems) = values::rows(&inputs.sources, &options);
    inputs.problems.append(&mut problems);
    for problem in &inputs.problems {
        console.warn(&problem.to_string());
    }
    for source in &inputs.sources {
        for warning in source.file_warnings() {
            console.warn(&format!("{}: {warning}", source.name));
        }
    }
    if inputs.sources.is_empty() {
        return Err(Failure::wrong("nothing of what was named can be used, so there is no report")
            .with_help("name a Record (--record FILE of any command), or JSON that fio wrote"));
    }
    let bytes = rendered(args, format, &inputs, &rows)?;
    match &args.output {
        Some(path) => files::write_with(path, |to| to.write_all(&bytes)),
        None if format == ReportFormat::Parquet && std::io::stdout().is_terminal() => {
            Err(Failure::wrong("Parquet is not a text, and standard output is a terminal")
                .with_help("name a file: -o values.parquet"))
        }
        None => files::print_bytes(&bytes),
    }
}

fn same_file(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| path.canonicalize().ok();
    place(a).is_some_and(|a| place(b) == Some(a))
}

/// The form that was asked for, or the one of the output's extension.
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
fn rendered(
    args: &ReportArgs,
    format: ReportFormat,
    inputs: &Inputs,
    rows: &[Row],
) -> Result<Vec<u8>, Failure> {
    let document = || {
        let options = ::report::Options {
            title: args.title.clone(),
            reference: args.reference.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            notes: args.note.clone(),
            operator: args.operator.clone(),
        };
        ::report::document(&inputs.sources, &inputs.problems, &options)
    };
    match format {
        ReportFormat::Html => Ok(::report::page(&document()).into_bytes()),
        ReportFormat::Markdown => Ok(::report::markdown(&document()).into_bytes()),
        ReportFormat::Csv => Ok(values::to_csv(rows)),
        ReportFormat::Json => Ok(values::to_json(rows)),
        ReportFormat::Parquet => {
            values::to_parquet(rows).map_err(|error| Failure::failed(error.to_string()))
        }
    }
}

/// A unit of a review as a multiple of the base unit.
fn to_base(symbol: &str) -> Option<(f64, &'static str)> {
    Unit::parse(symbol).map(|unit| (unit.factor, unit.dimension.base()))
}
