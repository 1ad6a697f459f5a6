//! What can be said to `sweep`.

use crate::arguments::BenchArgs;
use crate::values::{self, Pair};
use clap::{Args, Subcommand};
use std::path::PathBuf;
use std::time::Duration;
use sweep::{Sampler, Shard};

const HELP: &str = "\
A sweep measures a load at many points. A point is a value of each factor: `drive`, `system` or
`target`, `give_up` (share of the capacity given up as spare), a parameter of the load's method, a
value of the model with a dot in its name (`flash.dies`), or the load itself. Values are a list
(`p4510,pm9a3`; the name of a series, `p5520`, is each of its drives) or a range: `0..25%`,
`1..256 log2` (doubling), `50..800 us log`, `32..64 dies whole`; ` in 6` behind a range is how many
values a grid takes of it. PLAN is a file of the same (`drivelab list schemas`, sweep-plan); what is
said on the command line counts before it.

--require keeps points out that miss a limit with their whole interval. --minimise and --maximise
say what is sought: metrics, `cost` by the table of --cost, `usable_capacity`. The answer is the set
of points that no other is surely better than, what each factor does by itself, and what binds. The
table points.parquet in DIR has every run, sorted by id: the same bytes however often it was
interrupted.

Each run that ended is a line of DIR/journal.jsonl. Killed or interrupted at any time, the same
command goes on from there; requirements, objectives and costs may change. --shard 3/40 makes the
third of 40 parts, in any order, on any machine that sees DIR; the same command without it reads
all parts, makes what is missing, and answers. The rungs of --halving, the generations of a search
and the rounds of a race follow from all runs before: a part makes its share of them as far as the
other parts have come, says what they have not made, and goes on when it is started again; with
--wait it waits for them, which all have to run at the same time then.

Examples:
  drivelab sweep --vary drive=p4510,pm9a3 --vary give_up=0..25% --load mixed@read=70%,qd=16 -o s1
  drivelab sweep examples/cheapest.toml -o s2
  drivelab sweep plan examples/cheapest.toml
  drivelab sweep --on p4510 --vary qd='1..64 log2' --vary read=0%,50%,100% --load mixed -o s3
  drivelab sweep run examples/cheapest.toml --shard 1/4 -o s4
  drivelab sweep merge examples/cheapest.toml -o s4
  drivelab sweep examples/cheapest.toml --repeats 10 --race -o s5
  drivelab sweep --on p4510 --vary give_up=0..30% --vary qd=1..64 --load mixed@read=70% \\
      --points 8 --generations 3 -o s6
  drivelab sweep --vary drive=p4510,pm9a3 --load mixed@read=70% --load corner@read=0% -o s7";

const RUN_HELP: &str = "\
Parts are made in any order, at the same time or not, on any machine that sees DIR; each keeps a
file of its own there, and goes on where it ended. The rungs of --halving, the generations of a
search and the rounds of a race follow from all runs before: a part makes its share of them as far
as the other parts have come, says what they have not made, and goes on when it is started again;
with --wait it waits for them, which all have to run at the same time then.

Examples:
  drivelab sweep run examples/cheapest.toml --shard 1/4 -o s1
  drivelab sweep run examples/cheapest.toml --shard 2/4 -o s1 --threads 1
  drivelab sweep run --on p4510 --vary qd=1..64 --load mixed --halving 3 --shard 1/2 --wait -o s2";

/// Arguments of `sweep`.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, after_help = HELP)]
pub struct SweepArgs {
    /// A step of it alone; without one all are taken.
    #[command(subcommand)]
    pub step: Option<Step>,
    #[command(flatten)]
    pub plan: PlanArgs,
    #[command(flatten)]
    pub kept: KeptArgs,
}

/// The steps of a sweep that other programs divide.
#[derive(Subcommand, Debug)]
pub enum Step {
    /// List the points, and measure nothing
    Plan(Box<PlanArgs>),
    /// Make one part of the runs
    Run(Box<RunArgs>),
    /// Make nothing, answer from what the parts hold
    Merge(Box<MergeArgs>),
}

/// Arguments of `sweep run`.
#[derive(Args, Debug)]
#[command(after_help = RUN_HELP)]
pub struct RunArgs {
    #[command(flatten)]
    pub plan: PlanArgs,
    #[command(flatten)]
    pub kept: KeptArgs,
    /// Which part of how many: `3/40`
    #[arg(long, value_name = "I/N", value_parser = shard, default_value = "1/1")]
    pub shard: Shard,
    /// Before the next rung, generation or round wait for the runs of the other parts, which are
    /// made meanwhile; give up when none has come for so long
    #[arg(long, value_name = "TIME", value_parser = values::wall_time)]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "1h")]
    pub wait: Option<Duration>,
}

/// Arguments of `sweep merge`.
#[derive(Args, Debug)]
pub struct MergeArgs {
    #[command(flatten)]
    pub plan: PlanArgs,
    #[command(flatten)]
    pub kept: KeptArgs,
}

/// Where a sweep is kept, and how its answer is printed.
#[derive(Args, Debug)]
pub struct KeptArgs {
    /// The directory that keeps the sweep
    #[arg(short = 'o', long = "output", value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Print one JSON object instead of tables
    #[arg(long)]
    pub json: bool,
}

/// What is measured.
#[derive(Args, Debug)]
pub struct PlanArgs {
    /// A file with the plan
    #[arg(value_name = "PLAN")]
    pub plan: Option<PathBuf>,
    /// What is varied: `give_up=0..25%`; may be repeated
    #[arg(long, value_name = "FACTOR=VALUES", value_parser = values::pair)]
    pub vary: Vec<Pair>,
    /// The method that is measured, with parameters: `mixed@read=70%,qd=16`; said several times,
    /// the load is varied too
    #[arg(long, value_name = "METHOD")]
    pub load: Vec<String>,
    /// The drive or system, if it is not varied
    #[arg(long, value_name = "TARGET")]
    pub on: Option<String>,
    /// A limit that points have to keep: `read_lat_p99.9 < 1 ms`; may be repeated
    #[arg(long, value_name = "LIMIT")]
    pub require: Vec<String>,
    /// What is to be small; may be repeated [default: what the method measures first]
    #[arg(long, value_name = "METRIC")]
    pub minimise: Vec<String>,
    /// What is to be large; may be repeated
    #[arg(long, value_name = "METRIC")]
    pub maximise: Vec<String>,
    /// What the host writes in a day over what it sees: points have a `lifetime` then, by the rated
    /// cycles of their cells and the write amplification of the load
    #[arg(long, value_name = "N")]
    pub dwpd: Option<f64>,
    /// A file with prices, as `[cost]` of a plan
    #[arg(long, value_name = "FILE")]
    pub cost: Option<PathBuf>,
    /// How points are chosen: grid, random, lhs, sobol or sobol-plain [default: grid if all factors
    /// are lists, else sobol]
    #[arg(long, value_name = "SAMPLER", value_parser = sampler)]
    pub sampler: Option<Sampler>,
    /// How many points are taken, unless it is a grid; a power of two suits Sobol's [default: 64]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub points: Option<u32>,
    /// Runs of each point, with seeds that all points share [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=100))]
    pub repeats: Option<u16>,
    /// Successive halving on N rungs: all points with a part of the budget, of each rung the better
    /// third with three times as much, the last with all of it and all --repeats
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=6))]
    pub halving: Option<u32>,
    /// Race: --repeats is the most; from the third run on points that others surely beat, or that
    /// surely miss a limit, get no more
    #[arg(long, conflicts_with = "generations")]
    pub race: bool,
    /// Search: after the first points so many generations of as many each, bred from the best by
    /// what is sought and required (NSGA-II); then points are a sample unless --sampler says it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    #[arg(conflicts_with = "halving")]
    pub generations: Option<u32>,
    #[command(flatten)]
    pub bench: BenchArgs,
}

fn sampler(text: &str) -> Result<Sampler, String> {
    let found = Sampler::ALL.into_iter().find(|sampler| sampler.word() == text);
    found.ok_or_else(|| {
        let known = Sampler::ALL.map(Sampler::word).join(", ");
        format!("`{text}` is no sampler; known are {known}")
    })
}

fn shard(text: &str) -> Result<Shard, String> {
    let numbers = text.split_once('/').and_then(|(number, of)| {
        Some(Shard { number: number.trim().parse().ok()?, of: of.trim().parse().ok()? })
    });
    match numbers {
        Some(shard) if (1..=shard.of).contains(&shard.number) => Ok(shard),
        _ => Err(format!("`{text}` is no part; the third of 40 is `3/40`, the last `40/40`")),
    }
}
