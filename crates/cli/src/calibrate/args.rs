//! The arguments of `calibrate`.

use clap::Args;
use std::path::PathBuf;

const HELP: &str = "\
Each RESULT is what `drivelab reproduce --interval --json-file RESULT` wrote. Of every predicted
number the 90 % interval is made anew without that number: by the values of its model, and by how
far the models were off in all others of its kind (throughput, time, tail, power; a kind with few
numbers takes all). Where intervals are right, nine of ten hold what was published, five of ten
those of 50 %, and so on; intervals that hold more are too wide.

Examples:
  drivelab calibrate docs/validation/intervals/*.json
  drivelab calibrate mine.json --json";

/// Arguments of `calibrate`.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub struct CalibrateArgs {
    /// Results of `drivelab reproduce --interval --json-file`
    #[arg(required = true, value_name = "RESULT")]
    pub results: Vec<PathBuf>,
    /// Print one JSON object instead of tables
    #[arg(long)]
    pub json: bool,
    /// Write the tables (or the JSON) to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Also keep what the models lack, from which the program is built
    #[arg(long, value_name = "FILE", hide = true)]
    pub model_error: Option<PathBuf>,
    /// Replace existing files with the results
    #[arg(long)]
    pub overwrite: bool,
}
