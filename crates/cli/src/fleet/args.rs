//! What can be said to `fleet`.

use crate::arguments::BenchArgs;
use clap::Args;
use std::path::PathBuf;

const HELP: &str = "\
PLAN names one or more purchases, what their drives are used for, and why drives fail. What each
drive writes, how full it is and how warm it runs is drawn; its write amplification comes from
simulations of the drive's model at some fill levels, and a curve through them; when it fails
follows from the hazards of the plan, which are yours: no model knows them. Every fleet is lived
through many times, so that chance has its interval. All purchases are used alike, drive by drive.

Of each purchase a stratified sample of its drives is worn to the end in simulations, each under
its own use, and the wear of the fleet is held against these (--sample).

What is told of each: wear over the years, drives past their rated cycles, failures by cause,
replacements, spares to stock, arrays that lose data, cost.

With --output each simulation is saved at once in FILE.partial, and the same command goes on from
there.

Examples:
  drivelab fleet examples/fleet.toml
  drivelab fleet examples/fleet.toml --cost examples/prices.toml --runs 1000
  drivelab fleet examples/fleet.toml --sample 100
  drivelab fleet examples/fleet.toml --json --output fleet.json --months fleet.csv
  drivelab report fleet.json -o fleet.html";

/// Arguments of `fleet`.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub struct FleetArgs {
    /// The plan
    #[arg(value_name = "PLAN")]
    pub plan: PathBuf,
    /// How often each fleet is lived through, 5 to 100,000 times [default: 100,000 drives in all,
    /// 20 to 1,000 times]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(5..=100_000))]
    pub runs: Option<u32>,
    /// How many drives of each purchase are simulated in full
    #[arg(
        long,
        value_name = "N",
        default_value_t = 10,
        value_parser = clap::value_parser!(u32).range(..=10_000)
    )]
    pub sample: u32,
    /// A file with prices, as `[cost]` of a sweep's plan
    #[arg(long, value_name = "FILE")]
    pub cost: Option<PathBuf>,
    /// Write a table of all months to this file (CSV, or Parquet if its name ends in .parquet)
    #[arg(long, value_name = "FILE")]
    pub months: Option<PathBuf>,
    /// Print one JSON object instead of tables
    #[arg(long)]
    pub json: bool,
    /// Write the tables (or the JSON) to a file instead of standard output
    #[arg(short = 'o', long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace files that exist
    #[arg(long)]
    pub overwrite: bool,
    #[command(flatten)]
    pub bench: BenchArgs,
}
