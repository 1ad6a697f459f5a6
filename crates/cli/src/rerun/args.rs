//! The arguments of `rerun`.

use clap::Args;
use std::path::PathBuf;

const HELP: &str = "\
A Record keeps its command line and the files that it named: job files, models with their flash,
figures. They are put into a temporary directory, and the command runs there with the same seed and
budget. The result goes to standard output.

A Record of a real drive is not run again by this: it would write to that drive. Its command line is
shown instead.

Examples:
  drivelab rerun mixed.json
  drivelab rerun mixed.json --verify --quiet";

/// Arguments of `rerun`.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub struct RerunArgs {
    /// The Record
    pub record: PathBuf,
    /// Only say whether the result is the same: exit code 1 if it is not
    #[arg(long)]
    pub verify: bool,
    /// Neither notes nor warnings on standard error
    #[arg(long)]
    pub quiet: bool,
}
