//! The arguments of `test`.

use crate::arguments::{BenchArgs, ChangeArgs, DevicesArgs, ResultArgs, State};
use crate::ensemble;
use crate::on_real::RealArgs;
use crate::values::{self, Pair};
use clap::Args;
use iopath::device::flash::cell::age::AgeSpec;

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
  drivelab test corner --on pm9a3 --on pm9a3@give_up=25% --param op=write --state steady
  drivelab test examples/block-sizes.toml --on d5-p5430 --set buffer.size='32 MiB'
  drivelab test corner --on pm9a3 --param op=write --state steady --interval
  drivelab test facts --on d5-p5430 --on d5-p5316";

/// Arguments of `test`.
#[derive(Args, Debug)]
#[command(after_help = TEST_HELP)]
pub struct TestArgs {
    /// The method (`drivelab list methods`), or a file of your own: ./mine.toml, or fio
    /// jobs: ./mine.fio
    pub method: String,
    /// Drive of the library, model file or real path; a model may be changed behind an `@`:
    /// `p4510@give_up=10%`; may be repeated
    #[arg(long, value_name = "TARGET", required = true)]
    pub on: Vec<String>,
    #[command(flatten)]
    pub real: RealArgs,
    /// A parameter of the method: `qd=32`; may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = values::pair)]
    pub param: Vec<Pair>,
    /// State of the drive before it is measured, as `--param state=...`
    #[arg(long, value_enum)]
    pub state: Option<State>,
    #[command(flatten)]
    pub change: ChangeArgs,
    /// What the drive has been through: `cycles=3000, shelf=6 months, temperature=30 C,
    /// reads=10k`, each if it matters; `cycles=80%` is a share of the rated endurance
    #[arg(long, value_name = "AGE", value_parser = crate::age::age)]
    pub age: Option<AgeSpec>,
    /// Also say where the number of the real drive lies with a probability of 90 %: by so many
    /// models (8 at least), drawn from what is known of their values, and by how far models were
    /// off elsewhere
    #[arg(help_heading = "Modelled drives")]
    #[arg(long, value_name = "DRAWS", num_args = 0..=1, value_parser = ensemble::draws)]
    #[arg(default_missing_value = ensemble::DRAWS)]
    pub interval: Option<u16>,
    #[command(flatten)]
    pub devices: DevicesArgs,
    #[command(flatten)]
    pub result: ResultArgs,
    #[command(flatten)]
    pub bench: BenchArgs,
}
