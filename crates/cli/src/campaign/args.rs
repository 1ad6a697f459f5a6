//! What can be said to `campaign`.

use crate::on_real::ConsentArgs;
use crate::values;
use clap::Args;
use engine::Ratio;
use std::path::PathBuf;

const HELP: &str = "\
PLAN is a file (`drivelab list schemas`, campaign-plan) or a plan that is ready: quick-file (ten
minutes on a file), quick-drive (half an hour on a drive of a terabyte), review (a day), snia (all
eight tests of the Performance Test Specification). A plan without drives, as those that are ready,
runs on what --on names.

Before anything is written, every test is checked, drives and machine are looked at as by
`drivelab preflight`, and it is said what the tests take: hours, bytes written, and the share of the
rated writes of a drive whose model is named (`--model p4510`, or `model` in the plan): `tbw` of the
plan, else what the model's cells last for when they are written at random. Above --accept-wear the
campaign does not begin. --dry-run ends there.

A device is written only if its serial number is given by --destroy-data, once for each device,
whatever the plan says; a file that drivelab did not make only with --overwrite.

DIR keeps a Record, a table and what was said for each test, and a report of all. Killed,
interrupted or switched off at any time, the same command goes on: with the test that it was in, and
in that with the step, if nothing else wrote to the drive. A test that failed is tried again.

The runs of a test on something real have to pass gates: other programs leave the drive alone, it
stays away from its limit of temperature, its link stays what it was, its health log counts no
errors, a rate that is asked for is reached, the rate is even where it is taken to be, the machine
does not sleep. A test that fails one is made once more, if --accept-wear allows it; fails it again,
its result is marked. The first result stays, as NAME.first.json.

`[stop]` ends a campaign: `temperature`, `wear` (share of the rated writes), `time`, `failures`.
`[start]` lets tests begin only between two times of the day. `[end]` names a command that is given
the result as JSON: `command = [\"curl\", \"--data-binary\", \"@-\", \"https://example.org/hook\"]`.

Examples:
  drivelab campaign quick-file --on ./scratch.img --size 8GiB -o results
  drivelab campaign review --on /dev/nvme1n1 --model p4510 --dry-run
  drivelab campaign snia --on /dev/nvme1n1 --param spec=client --model sn850 --dry-run
  sudo drivelab campaign review --on /dev/nvme1n1 --destroy-data S4EVNX0R123456 \\
      --model p4510 -o results
  drivelab campaign examples/two-models.toml -o results --json";

/// Arguments of `campaign`.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub struct CampaignArgs {
    /// A file with the plan, or the name of one that is ready
    #[arg(value_name = "PLAN")]
    pub plan: String,
    /// File, device or model, where the plan names no drive; may be repeated
    #[arg(long, value_name = "TARGET")]
    pub on: Vec<String>,
    /// Model of the drive that --on names: what the tests take is told by its rates
    #[arg(long, value_name = "DRIVE")]
    pub model: Option<String>,
    /// A parameter of every test that has it, over what the plan says: `spec=client`; may be
    /// repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = values::pair)]
    pub param: Vec<values::Pair>,
    /// Size of a file that is made
    #[arg(long, value_name = "BYTES", value_parser = values::bytes)]
    pub size: Option<engine::Bytes>,
    /// Destroy all data of the device with this serial number; may be repeated
    #[arg(long, value_name = "SERIAL")]
    pub destroy_data: Vec<String>,
    /// Replace real files that drivelab did not make
    #[arg(long)]
    pub overwrite: bool,
    /// The directory that keeps the campaign
    #[arg(short = 'o', long = "output", value_name = "DIR", required_unless_present = "dry_run")]
    pub output: Option<PathBuf>,
    /// Who makes the tests: it stands in the header of those of SNIA [default: as in the plan]
    #[arg(long, value_name = "NAME")]
    pub operator: Option<String>,
    /// Most of its rated writes that the tests may take of a drive
    #[arg(long, value_name = "SHARE", value_parser = values::share, default_value = "1%")]
    pub accept_wear: Ratio,
    /// Mark a doubtful result at once, without making the test once more
    #[arg(long)]
    pub no_repeat: bool,
    /// Only check and say what the tests take
    #[arg(long)]
    pub dry_run: bool,
    /// Print one JSON object instead of a table
    #[arg(long)]
    pub json: bool,
    /// Of models: as --budget of `test`
    #[arg(long, value_name = "TIME")]
    pub budget: Option<String>,
    /// Of models: as --scale of `test`
    #[arg(long, value_name = "SCALE")]
    pub scale: Option<String>,
    /// Neither progress nor warnings on standard error
    #[arg(long)]
    pub quiet: bool,
}

impl CampaignArgs {
    /// Words of `test` for a model.
    pub fn of_models(&self) -> Vec<String> {
        let given = [("--budget", &self.budget), ("--scale", &self.scale)];
        let given = given.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
        given.flat_map(|(name, value)| [name.to_owned(), value.clone()]).collect()
    }

    /// Consent to one of the drives, for a look at it.
    pub fn consent(&self, size: Option<engine::Bytes>, serial: Option<String>) -> ConsentArgs {
        ConsentArgs { size, overwrite: self.overwrite, destroy_data: serial }
    }
}
