//! `drivelab fleet`: what becomes of many drives over years.

mod args;
mod file;
mod measure;
mod plan;
mod quantity;
mod records;
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
    args.months.as_deref().map(is_parquet).transpose()?;
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

/// Whether the table of all months is Parquet, by the ending of its name; else it is CSV.
///
/// # Errors
/// A name that promises another format.
fn is_parquet(path: &Path) -> Result<bool, Failure> {
    match ReportFormat::of_ending(path) {
        Some(ReportFormat::Parquet) => Ok(true),
        None | Some(ReportFormat::Csv) => Ok(false),
        Some(_) => Err(Failure::wrong("the table of all months is CSV or Parquet")
            .at("--months")
            .with_help("name it .csv or .parquet")),
    }
}

fn write_months(fleet: &Fleet, path: &Path) -> Result<(), Failure> {
    if !is_parquet(path)? {
        return files::write(path, &report::fleet_months_csv(fleet));
    }
    let bytes =
        report::fleet_months_parquet(fleet).map_err(|error| Failure::failed(error.to_string()))?;
    files::write_with(path, |to| to.write_all(&bytes))
}

/// The bench of a drive.
fn bench_of(bench: &ModelBench, variant: &Variant) -> ModelBench {
    let subject = &variant.subject;
    bench.clone().with_set(subject.pairs()).with_give_up(subject.give_up)
}
