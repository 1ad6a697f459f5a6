//! The arguments of `run`.

use crate::arguments::{ModelArgs, State};
use crate::trace::ReplayArgs;
use crate::values::{self, Budget, Format};
use clap::Args;
use engine::Bytes;
use iopath::device::flash::cell::age::AgeSpec;
use library::Scale;
use std::path::PathBuf;

const RUN_HELP: &str = "\
TARGET is a drive of the library (its name, or an alias: `drivelab list drives`), a model file
ending in .toml, or a path with a `/`: a real file or device, on which the installed fio runs.

The state of a modelled drive, unless --state says it, is `filled`. Only if the jobs first write
the whole drive in sequence, or by `sprandom`, and others wait for that, it is `fresh`: they
precondition themselves.

A block trace is replayed at its recorded times (`drivelab trace --help` lists the formats). Its
devices lie side by side on the target; if they are larger, their addresses wrap.

A budget is a number of I/Os, 800 thousand for each second of it, so that a run repeats exactly on
any machine. What a run needs beyond it is cut off at a boundary that keeps the result unbiased; the
output says so.

Standard output carries fio's report and nothing else. Warnings and progress go to standard error.

Examples:
  drivelab run examples/four-corners.fio --on d5-p5430 --budget 5s
  drivelab run examples/mixed-qos.fio --on d5-p5430 --state steady --give-up 10%
  drivelab run examples/mixed-qos.fio --on p4510 --set suspend.enabled=no --output-format json
  drivelab run examples/steady-state.fio --on ./mine.toml --record out.json
  drivelab run examples/mixed-qos.fio --on p5430 --age 'cycles=80%, shelf=1 year'
  drivelab run web.csv --on d5-p5430 --device usr.1 --time-scale 200%
  drivelab run web.csv --on p4510 --pace fastest --depth 8
  drivelab run examples/neighbours.fio --on d7-p5520-7.68tb --namespaces '5 x 1 TB, 2 TB'
  drivelab run examples/neighbours.fio --on pm9a3-7.68tb --drives 6
  drivelab run examples/rate-limited.fio --on ./scratch.img --size 1GiB";

/// Arguments of `run`.
#[derive(Args, Debug)]
#[command(after_help = RUN_HELP)]
pub struct RunArgs {
    /// The job file, or a block trace to replay; `-` reads a job file from standard input
    pub job: PathBuf,
    /// Drive, model file or real path; a model may be changed behind an `@`:
    /// `p4510@give_up=10%`; several real paths with commas are the devices of the job
    #[arg(long, value_name = "TARGET")]
    pub on: String,
    /// What the run starts with [default: filled, see below]
    #[arg(long, value_enum, help_heading = "Modelled drives")]
    pub state: Option<State>,
    /// Start with a state that --save-state wrote for the same drive and scale
    #[arg(long, value_name = "FILE", conflicts_with = "state")]
    #[arg(help_heading = "Modelled drives")]
    pub load_state: Option<PathBuf>,
    /// Write the state of the drive after the run
    #[arg(long, value_name = "FILE", help_heading = "Modelled drives")]
    pub save_state: Option<PathBuf>,
    /// Write the drive's health log as it is before the run, its workload timer just reset
    #[arg(long, value_name = "FILE", help_heading = "Modelled drives")]
    pub smart_before: Option<PathBuf>,
    /// Write its health log after the run, for `drivelab endurance`
    #[arg(long, value_name = "FILE", help_heading = "Modelled drives")]
    pub smart_after: Option<PathBuf>,
    /// What the drive has been through: `cycles=3000, shelf=6 months, temperature=30 C,
    /// reads=10k`, each if it matters; `cycles=80%` is a share of the rated endurance
    #[arg(long, value_name = "AGE", value_parser = crate::age::age)]
    #[arg(help_heading = "Modelled drives")]
    pub age: Option<AgeSpec>,
    /// How much of the drive is simulated: `1/64`, `64Mi units` or `whole` [default: 64Mi units]
    #[arg(long, value_parser = values::scale, help_heading = "Modelled drives")]
    pub scale: Option<Scale>,
    #[command(flatten)]
    pub model: ModelArgs,
    /// Seed of all random streams [default: 1]
    #[arg(long, value_name = "N", help_heading = "Modelled drives")]
    pub seed: Option<u64>,
    /// Most work of the run, as time at 800 thousand I/Os a second [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = values::budget)]
    #[arg(help_heading = "Modelled drives")]
    pub budget: Option<Budget>,
    /// Size of a file that is made, for jobs that name none
    #[arg(long, value_name = "BYTES", value_parser = values::bytes, help_heading = "Real drives")]
    pub size: Option<Bytes>,
    /// Destroy all data of the device with this serial number; of several paths one each, with
    /// commas
    #[arg(long, value_name = "SERIAL", help_heading = "Real drives")]
    pub destroy_data: Option<String>,
    #[command(flatten)]
    pub replay: ReplayArgs,
    /// normal, json or json+, or several with commas, as in fio
    #[arg(
        long,
        value_name = "FORMAT",
        value_enum,
        value_delimiter = ',',
        default_value = "normal"
    )]
    #[arg(help_heading = "Output")]
    pub output_format: Vec<Format>,
    /// The same as `--output-format json`
    #[arg(long, conflicts_with = "output_format", help_heading = "Output")]
    pub json: bool,
    /// Write the report to a file instead of standard output
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Save the Record: result, configuration, seed and all that is needed to run it again
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub record: Option<PathBuf>,
    /// Replace existing files: those of results, and a real target that drivelab did not make
    #[arg(long, help_heading = "Output")]
    pub overwrite: bool,
    /// Where logs go that the jobs ask for [default: the current directory, as in fio]
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub logs: Option<PathBuf>,
    /// Neither progress nor warnings on standard error
    #[arg(long, help_heading = "Output")]
    pub quiet: bool,
}

impl RunArgs {
    /// Seed of all random streams.
    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or(1)
    }
}
