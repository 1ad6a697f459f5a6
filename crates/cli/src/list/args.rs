//! The arguments of `list`.

use clap::{Args, ValueEnum};

/// What can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shelf {
    /// Modelled drives
    Drives,
    /// What the dies of each drive hold, and what its capacity takes of them
    Capacities,
    /// Modelled arrays and volumes
    Systems,
    /// Flash that drives are made of
    Nands,
    /// Review methods
    Methods,
    /// What is measured
    Metrics,
    /// Published reviews
    Reviews,
    /// Ways of cooling a drive
    Coolings,
    /// Workload profiles of curves
    Workloads,
    /// Schemas of files, for editors and programs
    Schemas,
}

/// Arguments of `list`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  drivelab list drives\n  drivelab list reviews --json")]
pub struct ListArgs {
    /// What to list; without it, what can be listed
    #[arg(value_enum, value_name = "KIND")]
    pub shelf: Option<Shelf>,
    /// Print a JSON array
    #[arg(long)]
    pub json: bool,
}
