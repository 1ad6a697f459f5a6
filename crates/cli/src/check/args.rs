//! The arguments of `check`.

use clap::Args;
use std::path::PathBuf;

const CHECK_HELP: &str = "\
Exit code 2 says that a file was refused; the others were read all the same.

What a TOML file is follows from its keys: a method has steps, a review has figures, and so on.

Examples:
  drivelab check examples/four-corners.fio examples/zoned.fio
  drivelab check examples/zoned.fio --json
  drivelab check examples/pcie5-drive.toml examples/block-sizes.toml";

/// Arguments of `check`.
#[derive(Args, Debug)]
#[command(after_help = CHECK_HELP)]
pub struct CheckArgs {
    /// Job files, or TOML files: methods, models, flash, cooling, workloads, reviews; `-` reads a
    /// job file from standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Print a JSON array, an object for each file, with its warnings or why it was refused
    #[arg(long)]
    pub json: bool,
    /// No warnings on standard error
    #[arg(long)]
    pub quiet: bool,
}
