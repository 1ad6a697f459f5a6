//! The commands.

use crate::calibrate::args::CalibrateArgs;
use crate::campaign::CampaignArgs;
use crate::capacity_check::CapacityArgs;
use crate::check::CheckArgs;
use crate::choose::ChooseArgs;
use crate::compare::CompareArgs;
use crate::control::ControlArgs;
use crate::corpus::CorpusArgs;
use crate::crash_test::CrashTestArgs;
use crate::endurance::EnduranceArgs;
use crate::fit::FitArgs;
use crate::fleet::FleetArgs;
use crate::labels::args::LabelsArgs;
use crate::list::ListArgs;
use crate::man::args::ManArgs;
use crate::preflight::PreflightArgs;
use crate::reference::ReferenceArgs;
use crate::report::ReportArgs;
use crate::reproduce::args::ReproduceArgs;
use crate::rerun::args::RerunArgs;
use crate::run::RunArgs;
use crate::serve::ServeArgs;
use crate::shelf::ShelfArgs;
use crate::show::ShowArgs;
use crate::spec::SpecArgs;
use crate::sweep::SweepArgs;
use crate::test::TestArgs;
use crate::trace::TraceArgs;
use crate::twin::TwinArgs;
use clap::{Parser, Subcommand};

/// A laboratory for storage drives: fio jobs and review methods on modelled and real drives.
#[derive(Parser, Debug)]
#[command(name = "drivelab", version, propagate_version = true, max_term_width = 100)]
#[command(
    after_help = "Exit codes: 0 done, 1 a run failed, 2 the request or a file is wrong, 130 \
interrupted.\n`drivelab COMMAND --help` has examples of each command."
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Run a fio job file or a block trace on a modelled or a real drive
    Run(Box<RunArgs>),
    /// Measure published figures again on the models, and compare
    Reproduce(ReproduceArgs),
    /// Say how often the intervals of predictions hold what was published
    Calibrate(CalibrateArgs),
    /// Say whether a real drive may be tested, and what of the machine disturbs a test
    Preflight(PreflightArgs),
    /// Run a review method on one or more drives, side by side
    Test(TestArgs),
    /// Say whether a drive has the capacity that it says
    CapacityCheck(CapacityArgs),
    /// Measure the rows of a data sheet on a drive, and say what likely keeps it short
    Spec(Box<SpecArgs>),
    /// Run a plan of tests on drives, one after another, and go on with it after a break
    Campaign(Box<CampaignArgs>),
    /// Keep results under names, and say what has changed since
    Shelf(ShelfArgs),
    /// Compare drives under the same loads, and say what is more than chance
    Compare(Box<CompareArgs>),
    /// Say which of some drives and arrays to take for a load
    Choose(Box<ChooseArgs>),
    /// Search drives, spare and loads for what is cheapest or fastest and keeps its limits
    Sweep(Box<SweepArgs>),
    /// Live through years with fleets of drives: who wears out, who fails, what spares it takes
    Fleet(Box<FleetArgs>),
    /// Fit free values of a model to measured figures, and write a new model
    Fit(FitArgs),
    /// Make a model of a drive from tests of it
    Twin(Box<TwinArgs>),
    /// Say from a drive's health logs how long it will last, and at what cost
    Endurance(EnduranceArgs),
    /// Make a report of results: a page with charts, text, or a table of values
    Report(ReportArgs),
    /// Make the result of a Record again from its file alone, and say whether it is the same
    Rerun(RerunArgs),
    /// Serve a modelled drive to real programs, in step with the clock
    Serve(Box<ServeArgs>),
    /// Ask a served drive how it is, cut its power, or end it
    Control(ControlArgs),
    /// Cut the power under a program again and again, and check what is left
    CrashTest(Box<CrashTestArgs>),
    /// Say what a block trace asks of its devices
    Trace(TraceArgs),
    /// List what is in the library
    List(ListArgs),
    /// Print a model with its sources, a method, or a review
    Show(ShowArgs),
    /// Read job files without running them
    Check(CheckArgs),
    /// Run or refuse every job file below a folder, on a small model
    Corpus(CorpusArgs),
    /// Print completions for a shell
    #[command(after_help = COMPLETIONS_HELP)]
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
    /// Print manual pages, or write them to a directory
    Man(ManArgs),
    /// Derive what the figures of the shipped reviews are: inputs of their models or predictions
    #[command(hide = true)]
    Labels(LabelsArgs),
    /// Write the reference of the documentation
    #[command(hide = true)]
    Reference(ReferenceArgs),
}

const COMPLETIONS_HELP: &str = "\
Examples:
  drivelab completions bash > ~/.local/share/bash-completion/completions/drivelab
  drivelab completions fish > ~/.config/fish/completions/drivelab.fish";

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
