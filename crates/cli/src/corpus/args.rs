//! The arguments of `corpus`.

use crate::values::{self, Budget, Pair};
use clap::Args;
use std::path::PathBuf;

const CORPUS_HELP: &str = "\
Each file runs on a small modelled drive within a small budget, or is refused with a reason that
names the engine or the option, file and line. A line is printed for each file and a count at the
end. The exit code is 0 unless a run broke or its output was not valid.

Variables of job files (`${NAME}`) are given behind the folder; of the environment none is seen.
For one that is not given a value is assumed that fits the option, and the line says so.

Examples:
  drivelab corpus examples
  drivelab corpus examples DISK=/dev/nvme0n1 SIZE=1g --json";

/// Arguments of `corpus`.
#[derive(Args, Debug)]
#[command(after_help = CORPUS_HELP)]
pub struct CorpusArgs {
    /// The folder
    pub folder: PathBuf,
    /// Values of `${NAME}` in the job files
    #[arg(value_name = "NAME=VALUE", value_parser = values::pair)]
    pub variables: Vec<Pair>,
    /// Most work of each file, as time at 800 thousand I/Os a second
    #[arg(long, value_name = "TIME", value_parser = values::budget, default_value = "50ms")]
    pub budget: Budget,
    /// Seed of all random streams
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Print one JSON object: the files and the counts
    #[arg(long)]
    pub json: bool,
    /// No progress on standard error
    #[arg(long)]
    pub quiet: bool,
}
