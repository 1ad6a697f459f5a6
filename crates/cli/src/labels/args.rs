//! The arguments of `labels`.

use crate::arguments::BenchArgs;
use clap::Args;
use std::path::PathBuf;

const HELP: &str = "\
Each value of a model whose source is a data sheet, a publication or other values is moved by a
little, and each figure of the review that is called predicted is measured again. A figure that one
such value carries (elasticity of 0.9 or more) is an input. What was derived is kept in DIR, a file
for each review, from which the program is built; entries whose model, method and workload are still
the same are kept, so that an interrupted command goes on where it was.

Examples:
  drivelab labels
  drivelab labels intel-710 --budget 500ms";

/// Arguments of `labels`.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub struct LabelsArgs {
    /// Reviews to derive the labels of [default: all that are shipped]
    pub review: Vec<String>,
    /// Where the labels are kept
    #[arg(long, value_name = "DIR", default_value = "reviews/basis")]
    pub dir: PathBuf,
    #[command(flatten)]
    pub bench: BenchArgs,
}
