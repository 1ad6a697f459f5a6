//! The arguments of `show`.

use crate::arguments::DevicesArgs;
use clap::Args;

const SHOW_HELP: &str = "\
A model is printed as its file, which can be changed and run; with --toml a method is too.

Examples:
  drivelab show d5-p5430 > mine.toml
  drivelab run examples/four-corners.fio --on mine.toml --budget 5s
  drivelab show qlc-192l-fg
  drivelab show corner
  drivelab show mixed --toml > mine.toml
  drivelab show examples/block-sizes.toml
  drivelab show d7-p5520-7.68tb --namespaces 6
  drivelab show pm9a3-7.68tb --interval mixed@read=70%,qd=16 --metric read_lat_p99
  drivelab show solidigm-d5-p5430 --json
  drivelab show schema drive > drive.json";

/// Arguments of `show`.
#[derive(Args, Debug)]
#[command(after_help = SHOW_HELP)]
pub struct ShowArgs {
    /// A drive, a system, flash, a cooling, a workload, a method or a review, or a file of one;
    /// `schema` for the schema of a kind of file
    pub name: String,
    /// After `schema`: the kind, one of `drivelab list schemas`
    pub kind: Option<String>,
    /// Say which values of a model carry the uncertainty of what this method answers; its
    /// parameters may stand behind an `@`: `mixed@read=70%,qd=16`
    #[arg(long, value_name = "METHOD", conflicts_with = "toml")]
    pub interval: Option<String>,
    /// With --interval: a metric; may be repeated [default: IOPS and mean latencies]
    #[arg(long, value_name = "METRIC", requires = "interval")]
    pub metric: Vec<String>,
    #[command(flatten)]
    pub devices: DevicesArgs,
    /// Print the TOML file, of a method too
    #[arg(long, conflicts_with = "json")]
    pub toml: bool,
    /// Print one JSON object; of a file, its values
    #[arg(long)]
    pub json: bool,
}
