//! The arguments of `twin`.

use crate::arguments::BenchArgs;
use crate::on_real::RealArgs;
use clap::Args;
use engine::Bytes;
use std::path::PathBuf;

const HELP: &str = "\
The drive is put through tests that tell its parts from each other: single reads by size (page
kinds, sense times, bus), reads over the queue depth (dies, controller), one fill in order (SLC
cache), writes in order and at random, with more spare area too (programs, spare), after a pause
(write buffer), with flushes (protection), and reads beside writes (suspension). The model begins
with the drive of the library that answers most like it, its sibling. Page kinds, mapping unit,
protection and dies follow from closed forms, the other values from fits; at last all are fitted
to all numbers at once, which also says how sure each is. What the tests do not tell stays as the
sibling has it, and the file says so.

On a device all data is destroyed. A file tells less: nothing of spare area, collection, SLC cache
or mapping unit, and those values stay the sibling's.

With --blind drives of the library are drawn anew within what is known of them, hidden, and found
again by the same code, without a sibling of their own series; the answer shows true and found
values, and what the twins say of tests that they never saw. With --output it is kept after each
drive, and the same command goes on with the next; with --only those of one parent come first.

What was measured is kept beside --output until all is done, so that the same command goes on.

Examples:
  sudo drivelab twin --on /dev/nvme1n1 --destroy-data S4EVNX0R123456 -o my-drive.toml
  drivelab twin --on ./scratch.img --size 32GiB --capacity '1 TB' -o my-drive.toml
  drivelab twin --on 'sn850@slc.dynamic=150 GB' --not sn850 -o found.toml
  drivelab twin --on p4510 --not p4510 -o found.toml --json > found.json
  drivelab twin --blind 12 -o blind.json
  drivelab twin --blind 12 --only sn850 -o blind.json";

/// Arguments of `twin`.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub struct TwinArgs {
    /// The drive: device, file or model
    #[arg(long, value_name = "TARGET", required_unless_present = "blind")]
    pub on: Option<String>,
    #[command(flatten)]
    pub real: RealArgs,
    /// The new model file, which ends in .toml; its flash is in one of its own beside it. With
    /// --blind the answer so far, which ends in .json
    #[arg(short, long, value_name = "FILE", required_unless_present = "blind")]
    pub output: Option<PathBuf>,
    /// The drive of the library to begin with [default: the one that answers most like it]
    #[arg(long, value_name = "DRIVE")]
    pub like: Option<String>,
    /// A drive of the library that is no sibling; may be repeated
    #[arg(long, value_name = "DRIVE", conflicts_with = "like")]
    pub not: Vec<String>,
    /// User capacity of the drive, where the target is a file on it
    #[arg(long, value_name = "BYTES", value_parser = crate::values::bytes)]
    pub capacity: Option<Bytes>,
    /// Hide so many drives, and find them again
    #[arg(long, value_name = "DRIVES", value_parser = clap::value_parser!(u16).range(1..=64))]
    #[arg(conflicts_with_all = ["on", "like", "not", "capacity"])]
    pub blind: Option<u16>,
    /// Of the drives to hide only those drawn from this drive of the library; may be repeated
    #[arg(long, value_name = "DRIVE", requires = "blind")]
    pub only: Vec<String>,
    /// Print JSON instead of tables
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub bench: BenchArgs,
}
