//! `drivelab fleet`: what becomes of many drives over years.

mod args;
mod file;
mod measure;
mod plan;
mod quantity;
mod result;

use crate::console::Console;
use crate::files::{self, json_text};
use crate::render::Failure;
use crate::report::ReportFormat;
use crate::sweep::Variant;
use answer::Fleet;
pub use args::FleetArgs;
pub use file::FleetFile;
use lab::ModelBench;
use plan::Plan;
use std::io::Write as _;
use std::path::Path;

/// Runs the command.
///
/// # Errors
/// A plan with mistakes, a drive that cannot be simulated, a file that cannot be written.
pub fn command(args: &FleetArgs) -> Result<(), Failure> {
    let mut console = Console::new(args.bench.quiet);
    files::check_places(args.output.iter().chain(&args.months), args.overwrite)?;
    check_months(args.months.as_deref())?;
    let plan = Plan::new(args)?;
    let (measured, partial) = plan.measure(&mut console)?;
    let fleet = result::fleet(&plan, &measured);
    let text = match args.json {
        true => json_text(&fleet)?,
        false => {
            fleet.warnings.iter().for_each(|warning| console.warn(warning));
            report::fleet_table(&fleet)
        }
    };
    if let Some(path) = &args.months {
        write_months(&fleet, path)?;
    }
    files::deliver(&text, args.output.as_deref())?;
    partial.remove();
    Ok(())
}

/// Refuses a name for the table of all months that promises another format.
fn check_months(path: Option<&Path>) -> Result<(), Failure> {
    use ReportFormat::{Csv, Parquet};
    match path.and_then(ReportFormat::of_ending) {
        None | Some(Csv | Parquet) => Ok(()),
        Some(_) => Err(Failure::wrong("the table of all months is CSV or Parquet")
            .at("--months")
            .with_help("name it .csv or .parquet")),
    }
}

/// Writes the table of all months in the format that the ending of its name says.
fn write_months(fleet: &Fleet, path: &Path) -> Result<(), Failure> {
    match ReportFormat::of_ending(path) {
        None | Some(ReportFormat::Csv) => files::write(path, &report::fleet_months_csv(fleet)),
        Some(ReportFormat::Parquet) => {
            let bytes = report::fleet_months_parquet(fleet)
                .map_err(|error| Failure::failed(error.to_string()))?;
            files::write_with(path, |to| to.write_all(&bytes))
        }
        Some(_) => check_months(Some(path)),
    }
}

/// The bench of a drive.
fn bench_of(bench: &ModelBench, variant: &Variant) -> ModelBench {
    let subject = &variant.subject;
    bench.clone().with_set(subject.pairs()).with_give_up(subject.give_up)
}
