//! The arguments of `spec`.

use crate::arguments::BenchArgs;
use crate::on_real::RealArgs;
use clap::Args;
use std::path::PathBuf;

const HELP: &str = "\
The rows of the data sheet of a drive of the library, as the shipped reviews have them, are measured
on a target under the conditions of the sheet: state, pattern, size, depth. A row is met if the
target is as good as rated, short if it surely is not, and open if the rated number lies within the
interval of the measured one. If something is short, what was seen that makes a drive slower is
named: its link, heat, a partition that is not aligned, data that cannot be compressed, a file
system, power management; of a modelled target, what limits it. The exit code is 1 if a row is
short.

What was measured is kept beside --output until all is done, so that the same command goes on.

Examples:
  drivelab spec p4510 --on 'p4510@link.interface=PCIe 3.0 x2' --budget 100ms --scale '4Mi units'
  drivelab spec sn850 --on ./scratch.img --size 8GiB -o spec.txt
  sudo drivelab spec p4510 --on /dev/nvme1n1 --destroy-data S4EVNX0R123456 -o spec.txt";

/// Arguments of `spec`.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub struct SpecArgs {
    /// The drive whose data sheet it is
    #[arg(value_name = "DRIVE")]
    pub drive: String,
    /// What is measured: file, device or model
    #[arg(long, value_name = "TARGET")]
    pub on: String,
    #[command(flatten)]
    pub real: RealArgs,
    /// Write the answer to a file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print JSON instead of a table
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub bench: BenchArgs,
}
