//! `drivelab choose`: which of some drives and arrays to take for a load.

mod args;
mod judge;
mod measure;
mod offered;
mod plan;

use crate::console::Console;
use crate::files::{self, json_text};
use crate::render::Failure;
use answer::choice::Verdict;
pub use args::ChooseArgs;
use plan::Plan;

/// Runs the command.
///
/// # Errors
/// A choice that cannot be made, and one in which no candidate surely keeps every limit.
pub fn command(args: &ChooseArgs) -> Result<(), Failure> {
    let mut console = Console::new(args.bench.quiet);
    files::check_places(&args.output, args.overwrite)?;
    let plan = Plan::new(args)?;
    let (measured, partial) = plan.measure(&mut console)?;
    let choice = judge::choice(&plan, &measured);
    let text = match args.json {
        true => json_text(&choice)?,
        false => {
            choice.warnings.iter().for_each(|warning| console.warn(warning));
            report::choice_table(&choice)
        }
    };
    files::deliver(&text, args.output.as_deref())?;
    partial.remove();
    let sure = choice.candidates.iter().any(|one| one.verdict == Verdict::Keeps);
    match sure {
        true => Ok(()),
        false => Err(Failure::failed("no candidate surely keeps every limit")),
    }
}
