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
use crate::sweep::Variant;
pub use args::FleetArgs;
pub use file::FleetFile;
use lab::ModelBench;
use plan::Plan;

/// Runs the command.
///
/// # Errors
/// A plan with mistakes, a drive that cannot be simulated, a file that cannot be written.
pub fn command(args: &FleetArgs) -> Result<(), Failure> {
    let mut console = Console::new(args.bench.quiet);
    files::check_places(args.output.iter().chain(&args.months), args.overwrite)?;
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
        files::deliver(&report::fleet_months_csv(&fleet), Some(path))?;
    }
    files::deliver(&text, args.output.as_deref())?;
    partial.remove();
    Ok(())
}

/// The bench of a drive.
fn bench_of(bench: &ModelBench, variant: &Variant) -> ModelBench {
    let subject = &variant.subject;
    bench.clone().with_set(subject.pairs()).with_give_up(subject.give_up)
}
