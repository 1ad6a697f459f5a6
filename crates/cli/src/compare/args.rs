//! What can be said to `compare`.

use crate::arguments::{BenchArgs, ResultArgs, State};
use crate::ensemble;
use crate::on_real::RealArgs;
use crate::values::{self, Pair};
use clap::Args;
use engine::Ratio;

const HELP: &str = "\
TARGET is a drive or system of the library, a model file ending in .toml, or a path with a `/`: a
real file or device, on which the installed fio runs. A model can be varied behind an `@`:
`pm9a3@give_up=10%`, `pm9a3@flash.bus=800 MT/s,ftl.alpha=1.2 x`. --give-up and --set add, for each
model named, the same model so changed: what one target becomes with more spare area, say.

Without --method the loads are the four corners and a mix of 70 % reads at queue depth 16. A METHOD
can have its own parameters behind an `@`: `corner@op=read,qd=1`; --param is for all that have it.
A job file (./db.fio) is a method too: each entry of its report is compared, so that drives are
compared under the same rates, sizes and depths. So is a block trace (./web.csv): its requests are
issued at their recorded times, `qd` of them in flight at most (1 where a target is real).

Each target is measured with several seeds (a real one several times). The difference to the first
target, or to --baseline, stands with its 95 % interval: a variation of the baseline is compared
seed by seed (Student), all else as two samples with seeds of their own (Welch). `better` and
`worse` hold for all comparisons of the table together with 95 % confidence (Holm); what does not
is within noise. A percentile is not told apart more finely than a histogram's buckets (1/128).

With --record FILE each measurement is saved at once in FILE.partial; a comparison that was
interrupted and is started again with the same options resumes there.

Examples:
  drivelab compare d7-p5520-7.68tb pm9a3
  drivelab compare d7-p5520-7.68tb pm9a3 --method corner@op=write --interval
  drivelab compare pm9a3 --give-up 10% --give-up 25% --metric iops --metric write_amplification
  drivelab compare d7-p5520-7.68tb --set flash.bus='600 MT/s' --method corner@op=read,pattern=seq
  drivelab compare 'p5430@give_up=10%' p5316 --method mixed --param read=70% --param qd=16
  drivelab compare d7-p5520-7.68tb pm9a3 --method examples/rate-limited.fio
  drivelab compare ./old.img ./new.img --size 1GiB --repeats 3 --method corner@op=read";

/// Arguments of `compare`.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub struct CompareArgs {
    /// What is compared; the first is what the others are compared with
    #[arg(required = true, value_name = "TARGET")]
    pub targets: Vec<String>,
    /// A target that the others are compared with, instead of the first
    #[arg(long, value_name = "TARGET")]
    pub baseline: Option<String>,
    /// Also each model with this share of its capacity given up as spare: `10%`; may be repeated
    #[arg(long, value_name = "SHARE", value_parser = values::share)]
    #[arg(help_heading = "Modelled drives")]
    pub give_up: Vec<Ratio>,
    /// Also each model with this value changed: `flash.dies="64 dies"`; may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = values::pair)]
    #[arg(help_heading = "Modelled drives")]
    pub set: Vec<Pair>,
    /// A method (`drivelab list methods`), a file of one, a fio job file or a block trace; may be
    /// repeated [default: four corners and a mix]
    #[arg(long, value_name = "METHOD")]
    pub method: Vec<String>,
    /// A parameter of the methods: `qd=32`; may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = values::pair)]
    pub param: Vec<Pair>,
    /// State of the drives before each measurement, as `--param state=...`
    #[arg(long, value_enum)]
    pub state: Option<State>,
    /// A metric that is compared (`read_lat_p99.99`); may be repeated [default: those that count]
    #[arg(long, value_name = "METRIC")]
    pub metric: Vec<String>,
    /// Runs of each target, 2 at least
    #[arg(long, value_name = "N", default_value_t = 5)]
    #[arg(value_parser = clap::value_parser!(u16).range(..=1000))]
    pub repeats: u16,
    /// Also say where values and differences of the real drives lie with a probability of 90 %: by
    /// so many models (8 at least), drawn from what is known of their values, and by how far models
    /// were off elsewhere; a variation of a model is drawn like the model itself
    #[arg(help_heading = "Modelled drives")]
    #[arg(long, value_name = "DRAWS", num_args = 0..=1, value_parser = ensemble::draws)]
    #[arg(default_missing_value = ensemble::DRAWS)]
    pub interval: Option<u16>,
    #[command(flatten)]
    pub result: ResultArgs,
    #[command(flatten)]
    pub real: RealArgs,
    #[command(flatten)]
    pub bench: BenchArgs,
}
