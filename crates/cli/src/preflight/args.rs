//! The arguments of `preflight`.

use crate::on_real::ConsentArgs;
use clap::Args;

const HELP: &str = "\
Nothing is written. A target is a file or a device, as --on of `test` takes it. The guard is asked
as before a test; then the drive is looked at (link, scheduler, write cache, power management,
temperature) and the machine is listened to for some seconds. What disturbs a measurement is said
with what can be done about it. The exit code is 1 if a target is refused, and with --strict also
if anything disturbs.

Examples:
  drivelab preflight --on ./scratch.img --size 1GiB
  sudo drivelab preflight --on /dev/nvme1n1 --destroy-data S4EVNX0R123456
  drivelab preflight --on ./scratch.img --size 1GiB --strict --json";

/// Arguments of `preflight`.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub struct PreflightArgs {
    /// File or device; may be repeated
    #[arg(long, value_name = "TARGET", required = true)]
    pub on: Vec<String>,
    #[command(flatten)]
    pub consent: ConsentArgs,
    /// How long the machine is listened to, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 3)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=600))]
    pub listen: u16,
    /// Fail if anything disturbs a measurement
    #[arg(long)]
    pub strict: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
