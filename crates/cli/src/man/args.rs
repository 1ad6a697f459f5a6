//! The arguments of `man`.

use clap::Args;
use std::path::PathBuf;

const HELP: &str = "\
A page holds what `--help` says. `man ./drivelab-run.1` shows one from a file; those in a directory
of manual pages are found by name: `man drivelab-run`.

Examples:
  drivelab man > drivelab.1
  drivelab man run > drivelab-run.1
  drivelab man --dir ~/.local/share/man/man1";

/// Arguments of `man`.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub struct ManArgs {
    /// The command whose page is printed [default: the page of drivelab itself]
    pub command: Option<String>,
    /// Write the page of drivelab and one of each command to this directory, which is made
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    pub dir: Option<PathBuf>,
    /// Replace existing files with the results
    #[arg(long)]
    pub overwrite: bool,
}
