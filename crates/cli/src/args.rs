//! What can be said on the command line.

use crate::compare::CompareArgs;
use crate::endurance::EnduranceArgs;
use crate::files;
use crate::fit::FitArgs;
use crate::labels::LabelsArgs;
use crate::man::ManArgs;
use crate::on_real::RealArgs;
use crate::reference::ReferenceArgs;
use crate::render::Failure;
use crate::report::ReportArgs;
use crate::reproduce::args::ReproduceArgs;
use crate::rerun::RerunArgs;
use crate::surroundings::SurroundingsArgs;
use crate::target;
use crate::trace::{ReplayArgs, TraceArgs};
use crate::values::{self, Budget, Format, Pair};
use clap::{Args, Parser, Subcommand, ValueEnum};
use engine::{Bytes, Ratio};
use library::{Division, Scale};
use simulate::AgeSpec;
use std::path::PathBuf;

/// A laboratory for storage drives: fio jobs and review methods on modelled and real drives.
#[derive(Parser, Debug)]
#[command(name = "drivelab", version, propagate_version = true, max_term_width = 100)]
#[command(
    after_help = "Exit codes: 0 done, 1 a run failed, 2 the request or a file is wrong, 130 \
interrupted.\n`drivelab COMMAND --help` has examples of each command."
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Run a fio job file or a block trace on a modelled or a real drive
    Run(Box<RunArgs>),
    /// Measure published figures again on the models, and compare
    Reproduce(ReproduceArgs),
    /// Run a review method on one or more drives, side by side
    Test(TestArgs),
    /// Compare drives under the same loads, and say what is more than chance
    Compare(Box<CompareArgs>),
    /// Fit free values of a model to measured figures, and write a new model
    Fit(FitArgs),
    /// Say from a drive's health logs how long it will last, and at what cost
    Endurance(EnduranceArgs),
    /// Make a report of results: a page with charts, text, or a table of values
    Report(ReportArgs),
    /// Make the result of a Record again from its file alone, and say whether it is the same
    Rerun(RerunArgs),
    /// Say what a block trace asks of its devices
    Trace(TraceArgs),
    /// List what is in the library
    List(ListArgs),
    /// Print a model with its sources, a method, or a review
    Show(ShowArgs),
    /// Read job files without running them
    Check(CheckArgs),
    /// Run or refuse every job file below a folder, on a small model
    Corpus(CorpusArgs),
    /// Print completions for a shell
    #[command(after_help = COMPLETIONS_HELP)]
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
    /// Print manual pages, or write them to a directory
    Man(ManArgs),
    /// Derive what the figures of the shipped reviews are: inputs of their models or predictions
    #[command(hide = true)]
    Labels(LabelsArgs),
    /// Write the reference of the documentation
    #[command(hide = true)]
    Reference(ReferenceArgs),
}

const COMPLETIONS_HELP: &str = "\
Examples:
  drivelab completions bash > ~/.local/share/bash-completion/completions/drivelab
  drivelab completions fish > ~/.config/fish/completions/drivelab.fish";

/// State of a modelled drive before a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum State {
    /// Formatted: nothing was ever written
    Fresh,
    /// Written once in sequence, from the first byte to the last
    Filled,
    /// In the steady state of uniform random writes over the whole drive
    Steady,
}

impl State {
    /// The word on the command line and in a Record.
    pub fn word(self) -> &'static str {
        match self {
            State::Fresh => "fresh",
            State::Filled => "filled",
            State::Steady => "steady",
        }
    }
}

const RUN_HELP: &str = "\
TARGET is a drive of the library (its name, or an alias: `drivelab list drives`), a model file
ending in .toml, or a path with a `/`: a real file or device, on which the installed fio runs.

The state of a modelled drive, unless --state says it, is `filled`. Only if the jobs first write
the whole drive in sequence and others wait for that, it is `fresh`: they precondition themselves.

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
    /// Drive, model file or real path; several real paths with commas are the devices of the job
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
    /// User capacity that is never written, as extra spare area: `10%`
    #[arg(long, value_name = "SHARE", value_parser = values::share)]
    #[arg(help_heading = "Modelled drives")]
    pub give_up: Option<Ratio>,
    /// Change a value of the model: `flash.dies="64 dies"`; may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = values::pair)]
    #[arg(help_heading = "Modelled drives")]
    pub set: Vec<Pair>,
    #[command(flatten)]
    pub devices: DevicesArgs,
    /// NVMe power state; 0 is uncapped [default: 0]
    #[arg(long, value_name = "N", help_heading = "Modelled drives")]
    pub power_state: Option<u32>,
    #[command(flatten)]
    pub surroundings: SurroundingsArgs,
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

/// Which block devices a modelled target shows.
#[derive(Args, Debug, Default)]
pub struct DevicesArgs {
    /// So many of the drive side by side, each a device of its own: jobs name them `/dev/...`, in
    /// the order of their first use
    #[arg(long, value_name = "N", help_heading = "Modelled drives")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=256))]
    pub drives: Option<u32>,
    /// Namespaces that each drive is divided into, each a device: `6` of the same size, or
    /// `3 x 1 TB, 2 TB`; what none of them holds is spare area
    #[arg(long, value_name = "SIZES", help_heading = "Modelled drives")]
    pub namespaces: Option<Division>,
}

impl DevicesArgs {
    /// What was asked for, in a few words; empty if nothing was.
    pub fn describe(&self) -> String {
        let drives = self.drives.map(|drives| format!(", {drives} drives"));
        let namespaces = self.namespaces.as_ref().map(|sizes| format!(", namespaces {sizes}"));
        drives.into_iter().chain(namespaces).collect()
    }
}

/// Where the result of measurements goes.
#[derive(Args, Debug)]
pub struct ResultArgs {
    /// Print one JSON object instead of a table
    #[arg(long)]
    pub json: bool,
    /// Write the table (or the JSON) to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Save the Record
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
}

impl ResultArgs {
    /// Refuses places at which no result can be written.
    pub fn check_places(&self, overwrite: bool) -> Result<(), Failure> {
        files::check_places(self.output.iter().chain(&self.record), overwrite)
    }

    /// Refuses results that would go to real targets of these names.
    pub fn check_apart<'a>(&self, real: impl Iterator<Item = &'a str>) -> Result<(), Failure> {
        let mut paths = Vec::new();
        for name in real {
            paths.extend(target::paths(name)?);
        }
        files::check_apart(self.output.iter().chain(&self.record), &paths)
    }
}

/// How measurements of methods are made.
#[derive(Args, Debug)]
pub struct BenchArgs {
    /// Work of one measurement, as time at 800 thousand I/Os a second [default: 5s; of `compare`
    /// 1s]
    #[arg(long, value_name = "TIME", value_parser = values::budget, conflicts_with = "full")]
    pub budget: Option<Budget>,
    /// Full precision: ten times the default budget
    #[arg(long)]
    pub full: bool,
    /// Seed of all random streams [default: 1]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// How much of a drive is simulated: `1/64`, `64Mi units` or `whole` [default: 16Mi units]
    #[arg(long, value_parser = values::scale)]
    pub scale: Option<Scale>,
    /// Measurements at the same time [default: one a processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Neither progress nor warnings on standard error
    #[arg(long)]
    pub quiet: bool,
}

const TEST_HELP: &str = "\
`drivelab show METHOD` says what a method does and lists its parameters, steps and metrics.
On a real file or device (a path with a `/`) the same steps run through the installed fio, and the
drive is purged where a method begins with a fresh one.

With --record FILE each target is saved at once in FILE.partial; a test that was interrupted and is
started again with the same options resumes there.

Examples:
  drivelab test torture --on d5-p5430 --param duration='60 min'
  drivelab test iometer-database --on p4510 --param span='2 TB'
  drivelab test sustained-write --on ./scratch.img --size 1GiB
  drivelab test corner --on d5-p5430 --on p4510 --param op=read --param qd=32
  drivelab test mixed --on d5-p5430 --param read='70 %' --param qd=16 --json
  drivelab test corner --on pm9a3-7.68tb --drives 8 --param op=read --param qd=32
  drivelab test sysbench-oltp --on ./scratch/ --param vms=1 --param tables=4 \\
      --param rows=100000 --param pool='64 MiB' --param duration='60 s'
  drivelab test facts --on d5-p5430 --on d5-p5316";

/// Arguments of `test`.
#[derive(Args, Debug)]
#[command(after_help = TEST_HELP)]
pub struct TestArgs {
    /// The method: `drivelab list methods`
    pub method: String,
    /// Drive of the library, model file or real path; may be repeated
    #[arg(long, value_name = "TARGET", required = true)]
    pub on: Vec<String>,
    #[command(flatten)]
    pub real: RealArgs,
    /// A parameter of the method: `qd=32`; may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = values::pair)]
    pub param: Vec<Pair>,
    /// What the drive has been through: `cycles=3000, shelf=6 months, temperature=30 C,
    /// reads=10k`, each if it matters; `cycles=80%` is a share of the rated endurance
    #[arg(long, value_name = "AGE", value_parser = crate::age::age)]
    pub age: Option<AgeSpec>,
    #[command(flatten)]
    pub devices: DevicesArgs,
    #[command(flatten)]
    pub result: ResultArgs,
    #[command(flatten)]
    pub bench: BenchArgs,
}

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

const SHOW_HELP: &str = "\
A model is printed as its file, which can be changed and run.

Examples:
  drivelab show d5-p5430 > mine.toml
  drivelab run examples/four-corners.fio --on mine.toml --budget 5s
  drivelab show qlc-192l-fg
  drivelab show corner
  drivelab show d7-p5520-7.68tb --namespaces 6
  drivelab show solidigm-d5-p5430 --json";

/// Arguments of `show`.
#[derive(Args, Debug)]
#[command(after_help = SHOW_HELP)]
pub struct ShowArgs {
    /// A drive, a NAND, a method or a review
    pub name: String,
    #[command(flatten)]
    pub devices: DevicesArgs,
    /// Print one JSON object; of a file, its values
    #[arg(long)]
    pub json: bool,
}

const CHECK_HELP: &str = "\
Exit code 2 says that a file was refused; the others were read all the same.

Examples:
  drivelab check examples/four-corners.fio examples/zoned.fio
  drivelab check examples/zoned.fio --json";

/// Arguments of `check`.
#[derive(Args, Debug)]
#[command(after_help = CHECK_HELP)]
pub struct CheckArgs {
    /// Job files; `-` reads standard input
    #[arg(required = true)]
    pub jobs: Vec<PathBuf>,
    /// Print a JSON array, an object for each file, with its warnings or why it was refused
    #[arg(long)]
    pub json: bool,
    /// No warnings on standard error
    #[arg(long)]
    pub quiet: bool,
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
