//! The arguments of `check`.

use clap::Args;
use std::path::PathBuf;

const CHECK_HELP: &str = "\
Exit code 2 says that a file was refused; the others were read all the same.

Examples:
  drivelab check examples/four-corners.fio examples/zoned.fio
  drivelab check examples/zoned.fio --json";

/// Arguments of `check`.
#[derive(Args, Debug)]
#[command(after_help = CHECK_HELP)]
pub struct CheckArgs {
    /// Job files; `-` reads standard input
    #[arg(required = true)]
    pub jobs: Vec<PathBuf>,
    /// Print a JSON array, an object for each file, with its warnings or why it was refused
    #[arg(long)]
    pub json: bool,
    /// No warnings on standard error
    #[arg(long)]
    pub quiet: bool,
}
