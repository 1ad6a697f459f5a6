//! What can be said to `drivelab fit`.

use crate::arguments::BenchArgs;
use crate::ensemble;
use crate::values::{self, Pair};
use clap::Args;
use engine::Ratio;
use std::path::PathBuf;

const HELP: &str = "\
MODEL is a drive of the library or a model file ending in .toml. It is never changed: the fitted
model is a new file that says on which figures each value was fitted.

FILE is a reviews file (reviews/README.md), the name of a review (`drivelab list reviews`), or a
Record that `drivelab test --record` has written of a real drive or a model. Of the rows those of
the drive count that are measured or specified values; bounds and what is not modelled do not.

Without --free all values are proposed that the model file calls assumed or fitted, whose bounds
are known, and that lie at none of them. At most half as many as there are figures are fitted:
those that mend most of what the figures miss. The others stay as they are, and the report says
why. With --free it is an error if the figures cannot fix a parameter.

All points of the search have the same seed. In the end the model as it was and the fitted one are
measured again with 5 new seeds each, which is what the table shows; values that are not better
beyond what the seeds scatter are not taken. `fitted_on` names the figures that move with a value.

With --interval the fitted values are drawn from what is known of them, each draw is measured, and
counts by how well it meets the figures. That says how sure the values are where their effect is not
a straight line, where the fitted model gives each figure with a probability of 90 %, and where the
other figures expect it. If fewer than half as many draws count as a round has, another round is
drawn where the figures are met, three at most; with fewer than 8 that count, nothing is said.

Each measurement is saved at once in OUTPUT.partial; a fit that was interrupted and is started again
with the same options resumes there. The same seed gives the same fit on any number of threads.

Examples:
  drivelab fit d7-p5520-7.68tb --figures p5520-showdown --only 's2.ws8k.*' \\
      --free suspend.closed_window --free 'suspend.erase_segment=200 us..2 ms'
  drivelab fit ./mine.toml --figures figures.toml --json
  drivelab fit ./mine.toml --figures figures.toml --interval 32
  drivelab test mixed --on /dev/nvme0n1 --destroy-data SERIAL \\
      --param read='70 %' --param qd=16 --record real.json
  drivelab fit p4510 --figures real.json --free controller.read_cost --output real.toml";

/// Arguments of `fit`.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub struct FitArgs {
    /// The model to start from
    pub model: String,
    /// Change a value of the model before it is fitted: `flash.dies="64 dies"`; may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = values::pair)]
    pub set: Vec<Pair>,
    /// Reviews file, name of a review, or Record; may be repeated
    #[arg(long, value_name = "FILE", required = true)]
    pub figures: Vec<String>,
    /// Use these figures only: an id, or a beginning with a `*`; may be repeated
    #[arg(long, value_name = "ID", num_args = 1..)]
    pub only: Vec<String>,
    /// A parameter to fit, with bounds if the usual ones do not fit:
    /// `suspend.closed_window=200 us..900 us`; may be repeated [default: what is not known]
    #[arg(long, value_name = "KEY[=LOW..HIGH]", num_args = 1..)]
    pub free: Vec<String>,
    /// Iterations at most; each takes two measurements of every figure for each parameter
    #[arg(long, value_name = "N", default_value_t = 8)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=100))]
    pub iterations: u16,
    /// Relative error that any model may have, besides the uncertainty of each figure
    #[arg(long, value_name = "SHARE", value_parser = values::share, default_value = "1%")]
    pub model_error: Ratio,
    /// Also draw so many models a round from what the figures leave open of the values (8 at least)
    /// and say how sure the values and the figures are by them
    #[arg(long, value_name = "DRAWS", num_args = 0..=1, value_parser = ensemble::draws)]
    #[arg(default_missing_value = ensemble::DRAWS)]
    pub interval: Option<u16>,
    /// The new model file [default: MODEL.fitted.toml]
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace existing files with the results
    #[arg(long, alias = "force")]
    pub overwrite: bool,
    /// Print one JSON object instead of tables
    #[arg(long)]
    pub json: bool,
    /// Save the Record
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    #[command(flatten)]
    pub bench: BenchArgs,
}
