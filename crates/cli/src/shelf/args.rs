//! What can be said to `shelf`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

const HELP: &str = "\
A shelf keeps Records of `test` under names: a drive, a firmware, a year. Records of one name are
runs of the same, as --repeats are of `compare`. Two names are compared test by test: a difference
counts only if it is more than what the runs of each scatter, and with one run nothing is known
about that. The shelf is ~/.local/share/drivelab/shelf (or below XDG_DATA_HOME), unless --shelf
names another directory.

Examples:
  drivelab shelf add results/bench/*.json --as 'P4510-fw-VDV10131'
  drivelab shelf list
  drivelab shelf compare P4510-fw-VDV10131 P4510-fw-VDV10184
  drivelab shelf compare before after --points --metric read_lat_p99 --json";

/// Arguments of `shelf`.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub struct ShelfArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: ShelfCommand,
}

/// Commands of a shelf.
#[derive(Subcommand, Debug)]
pub enum ShelfCommand {
    /// Keep Records under a name
    Add(AddArgs),
    /// List what is kept
    List(ListArgs),
    /// Compare two names
    Compare(CompareArgs),
}

/// Where a shelf is.
#[derive(Args, Debug)]
pub struct Place {
    /// Directory of the shelf
    #[arg(long, value_name = "DIR")]
    pub shelf: Option<PathBuf>,
}

/// Arguments of `shelf add`.
#[derive(Args, Debug)]
pub struct AddArgs {
    /// Records of `test`
    #[arg(value_name = "RECORD", required = true)]
    pub records: Vec<PathBuf>,
    /// The name that they are kept under
    #[arg(long = "as", value_name = "NAME")]
    pub name: String,
    #[command(flatten)]
    pub place: Place,
}

/// Arguments of `shelf list`.
#[derive(Args, Debug)]
pub struct ListArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub place: Place,
}

/// Arguments of `shelf compare`.
#[derive(Args, Debug)]
pub struct CompareArgs {
    /// The name that differences are to
    #[arg(value_name = "FIRST")]
    pub first: String,
    /// The name that is held against it
    #[arg(value_name = "SECOND")]
    pub second: String,
    /// Only this metric; may be repeated
    #[arg(long, value_name = "METRIC")]
    pub metric: Vec<String>,
    /// The points of sweeps too
    #[arg(long)]
    pub points: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub place: Place,
}
