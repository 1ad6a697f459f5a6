//! The arguments of `capacity-check`.

use crate::on_real::ConsentArgs;
use clap::Args;

const HELP: &str = "\
Blocks that say where they lie are written to many places of a drive, and read again when all are
written. A drive that has less than it says loses some of them, or reads one where another was
written. A sample is a tenth of the drive and 16 GiB at least, so that no cache holds it; --full
writes every block, which takes as long as a fill and a read. The data of the drive is lost, and
the guard asks for the same consent as any test. The exit code is 1 if blocks are wrong.

Examples:
  sudo drivelab capacity-check --on /dev/sdb --destroy-data 4C530001230518105123
  drivelab capacity-check --on ./scratch.img --size 1GiB --full";

/// Arguments of `capacity-check`.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub struct CapacityArgs {
    /// File or device
    #[arg(long, value_name = "TARGET")]
    pub on: String,
    #[command(flatten)]
    pub consent: ConsentArgs,
    /// Write every block
    #[arg(long)]
    pub full: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// No progress on standard error
    #[arg(long)]
    pub quiet: bool,
}
