//! What can be said to `choose`.

use crate::arguments::BenchArgs;
use crate::ensemble;
use clap::Args;
use std::path::PathBuf;

const HELP: &str = "\
Each candidate is put under the load, and held to every limit. A CANDIDATE is a drive or a system of
the library or a model file, with changes behind an `@`: `p5430@give_up=25%`; the name of a series
(`p5520`) is each of its drives. An array that lives on
without a drive is held to the limits in three conditions: healthy, degraded (a drive has failed)
and rebuilding (a new one is filled beside the load); --while names those that count.

LOAD is a fio job file, a block trace or a method with its parameters (`mixed@read=70%,qd=16`). Of
the rates in a job file (rate_iops=, rate=) each candidate has to keep 99 %: so all are judged at
the same load. Without rates each takes as many I/Os as it can, which is said. Drives begin in the
steady state unless the load says another: `./mine.fio@state=filled`.

--dwpd and --years ask that the rated cycles of the flash last so long, by the write amplification
under this load and the usable capacity: what is given up as spare area is not written either. Where
the data sheet of a drive says how many bytes the host may write (TBW), that is a limit too.

A limit is kept if the whole interval of the value keeps it, failed if none of it does, else open;
what is not known of a candidate is open.
Intervals are those of the runs (95 %); with --interval those of the real drives (90 %), by models
drawn from what is known of them and by how far models were off elsewhere. Of the candidates that
keep every limit the one with the least of --minimise (the most of --maximise) is chosen: `cost` by
the table of --cost if there is one, else `power`.

Exit code 1: no candidate surely keeps every limit. With --output each run is saved at once in
FILE.partial, and the same command goes on from there. `drivelab report` makes a page of the JSON.

Examples:
  drivelab choose --load examples/oltp-100k.fio --require 'read_lat_p99.9 < 1 ms' \\
      --among d7-p5520-7.68tb,pm9a3,p5430@give_up=25%
  drivelab choose --load mixed@read=70%,qd=16 --require 'iops > 200 kIOPS' --dwpd 1 --years 5 \\
      --among p4510,d7-p5520-7.68tb --minimise cost --cost examples/prices.toml
  drivelab choose --load examples/oltp-100k.fio --require 'read_lat_p99.9 < 5 ms' \\
      --among mdraid-raid5-4x-p5520,mdraid-raid10-4x-p5520 --json --output choice.json
  drivelab report choice.json -o choice.html";

/// Arguments of `choose`.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub struct ChooseArgs {
    /// The candidates, with commas between them; may be repeated
    #[arg(long, value_name = "CANDIDATE,...", required = true)]
    pub among: Vec<String>,
    /// What they are put under: a fio job file, a block trace, or a method with parameters
    #[arg(long, value_name = "LOAD")]
    pub load: String,
    /// A limit that has to be kept: `read_lat_p99.9 < 1 ms`; may be repeated
    #[arg(long, value_name = "LIMIT")]
    pub require: Vec<String>,
    /// Usable capacities that the host writes a day
    #[arg(long, value_name = "WRITES", requires = "years")]
    #[arg(allow_negative_numbers = true)]
    pub dwpd: Option<f64>,
    /// Years that the flash has to last at --dwpd
    #[arg(long, value_name = "YEARS", requires = "dwpd")]
    #[arg(allow_negative_numbers = true)]
    pub years: Option<f64>,
    /// Conditions of arrays that count, with commas between them [default: all three]
    #[arg(long = "while", value_name = "CONDITION,...", value_delimiter = ',')]
    pub conditions: Vec<String>,
    /// What is to be small [default: cost with --cost, else power]
    #[arg(long, value_name = "METRIC", conflicts_with = "maximise")]
    pub minimise: Option<String>,
    /// What is to be large
    #[arg(long, value_name = "METRIC")]
    pub maximise: Option<String>,
    /// A file with prices, as `[cost]` of a sweep's plan
    #[arg(long, value_name = "FILE")]
    pub cost: Option<PathBuf>,
    /// Runs of each candidate in each condition, 2 at least
    #[arg(long, value_name = "N", default_value_t = 3)]
    #[arg(value_parser = clap::value_parser!(u16).range(2..=1000))]
    pub repeats: u16,
    /// Judge by where values of the real drives lie with a probability of 90 %: so many models of
    /// each candidate (8 at least) are drawn from what is known of their values
    #[arg(long, value_name = "DRAWS", num_args = 0..=1, value_parser = ensemble::draws)]
    #[arg(default_missing_value = ensemble::DRAWS)]
    pub interval: Option<u16>,
    /// Print one JSON object instead of tables
    #[arg(long)]
    pub json: bool,
    /// Write the tables (or the JSON) to a file instead of standard output
    #[arg(short = 'o', long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace the file if it exists
    #[arg(long, requires = "output")]
    pub overwrite: bool,
    #[command(flatten)]
    pub bench: BenchArgs,
}
