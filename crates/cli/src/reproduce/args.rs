//! The arguments of `reproduce`.

use crate::arguments::BenchArgs;
use crate::ensemble;
use crate::render::Failure;
use crate::values;
use clap::Args;
use engine::Ratio;
use std::path::PathBuf;

const HELP: &str = "\
Without a name: the reviews of --reviews FILE, or else all that are shipped (`drivelab list
reviews`). The format of a reviews file is documented in reviews/README.md.

Every measurement is made with several seeds: a simulated figure is their mean, with its 95 %
interval (Student). A figure is called hit or miss, a bound or a claim held or failed, only if the
interval lies on one side of the limit; else it is `open`, and more work may decide. With
--precision 1% only the numbers that are not known so well are measured with further seeds.

With --record FILE each measurement is saved at once in FILE.partial; an interrupted reproduction
started again with the same options resumes there.

Examples:
  drivelab reproduce solidigm-d5-p5430
  drivelab reproduce solidigm-d5-p5430 --json --record p5430.record.json
  drivelab reproduce --reviews figures.toml --precision 1%
  drivelab reproduce --reviews figures.toml --interval
  drivelab reproduce raid-10gbs --budget 500ms --against docs/validation/raid-10gbs.json
  drivelab reproduce optane-memory --budget 50ms --counter";

/// Arguments of `reproduce`.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub struct ReproduceArgs {
    /// Reviews to reproduce
    pub review: Vec<String>,
    /// A reviews file of your own; may be repeated
    #[arg(long, value_name = "FILE")]
    pub reviews: Vec<PathBuf>,
    /// Print one JSON object instead of a table
    #[arg(long)]
    pub json: bool,
    /// Also write the JSON to a file
    #[arg(long, value_name = "FILE")]
    pub json_file: Option<PathBuf>,
    /// Write the table (or the JSON) to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Save the Record
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Replace existing files with the results
    #[arg(long)]
    pub overwrite: bool,
    /// Seeds of each measurement, 3 at least, counted up from --seed
    #[arg(long, value_name = "N", default_value_t = 3)]
    #[arg(value_parser = clap::value_parser!(u16).range(3..=100))]
    pub seeds: u16,
    /// Add seeds until each number is known so well: half the width of its 95 % interval, of the
    /// published number
    #[arg(long, value_name = "PERCENT", value_parser = values::share)]
    pub precision: Option<Ratio>,
    /// Seeds of a measurement at most, with --precision
    #[arg(long, value_name = "N", default_value_t = 15)]
    #[arg(value_parser = clap::value_parser!(u16).range(3..=100))]
    pub max_seeds: u16,
    /// Also say of each prediction where the number of the real drive lies with a probability of
    /// 90 %: by so many models (8 at least), drawn from what is known of their values, and by how
    /// far models were off elsewhere
    #[arg(long, value_name = "DRAWS", num_args = 0..=1, value_parser = ensemble::draws)]
    #[arg(default_missing_value = ensemble::DRAWS)]
    pub interval: Option<u16>,
    /// A result of the same review (--json-file): a verdict that is another one there is an error,
    /// unless one of the two is open
    #[arg(long, value_name = "FILE")]
    pub against: Option<PathBuf>,
    /// Run the claims on models that contradict them, which their rows name as `counter`: each must
    /// fail, else its check shows nothing
    #[arg(long, conflicts_with_all = ["interval", "against", "derive_basis"])]
    pub counter: bool,
    /// Derive the basis of figures of which it is not known, in small runs that come first
    #[arg(long)]
    pub derive_basis: bool,
    #[command(flatten)]
    pub bench: BenchArgs,
}

impl ReproduceArgs {
    /// Refuses numbers of seeds that contradict each other.
    pub fn check_seeds(&self) -> Result<(), Failure> {
        let Some(precision) = self.precision else { return Ok(()) };
        if self.max_seeds < self.seeds {
            let (most, least) = (self.max_seeds, self.seeds);
            return Err(Failure::wrong(format!("--max-seeds {most} is less than --seeds {least}"))
                .with_help("--seeds is what each measurement begins with"));
        }
        if precision.fraction() == 0.0 {
            return Err(Failure::wrong("--precision 0% is never reached")
                .with_help("1% is half the width of an interval that most figures can reach"));
        }
        Ok(())
    }
}
