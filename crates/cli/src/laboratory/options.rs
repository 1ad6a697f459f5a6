//! How measurements are made, from what the user said.

use crate::arguments::BenchArgs;
use crate::render::Failure;
use crate::values::{Budget, scale_text};
use lab::BenchOptions;

/// Budget of one measurement unless the user says it, s.
const BUDGET: Budget = Budget { seconds: 5.0 };
/// Budget at full precision over the usual one.
const FULL: f64 = 10.0;

/// How much work a measurement is, if not said `usual`, and ten times that at full precision.
fn budget(args: &BenchArgs, usual: Budget) -> Budget {
    let full = Budget { seconds: usual.seconds * FULL };
    args.budget.unwrap_or(if args.full { full } else { usual })
}

/// How the bench measures.
pub fn bench_options(args: &BenchArgs) -> BenchOptions {
    bench_options_of(args, BUDGET)
}

/// How the bench measures where a budget that somebody chose is taken at its word: figures of
/// reviews are measured for a second at least, whatever it is.
pub fn counted_options(args: &BenchArgs) -> BenchOptions {
    BenchOptions { brief: args.budget.is_some(), ..bench_options(args) }
}

/// How the bench measures where another budget is usual.
pub fn bench_options_of(args: &BenchArgs, usual: Budget) -> BenchOptions {
    let mut options = BenchOptions { seed: args.seed.unwrap_or(1), ..BenchOptions::default() };
    options.ios = budget(args, usual).ios();
    options.scale = args.scale;
    options
}

/// Measurements at the same time.
pub fn threads(args: &BenchArgs) -> Result<rayon::ThreadPool, Failure> {
    let number = args.threads.map_or(0, usize::from);
    rayon::ThreadPoolBuilder::new()
        .num_threads(number)
        .build()
        .map_err(|error| Failure::failed(format!("threads cannot be started: {error}")))
}

/// The budget as answers and Records have it.
pub fn budget_of(args: &BenchArgs, options: &BenchOptions) -> answer::Budget {
    usual_budget_of(args, BUDGET, options)
}

/// The same where another budget is usual.
pub fn usual_budget_of(args: &BenchArgs, usual: Budget, options: &BenchOptions) -> answer::Budget {
    answer::Budget {
        seconds_each: budget(args, usual).seconds,
        ios_each: options.ios,
        scale: scale_text(options.simulated()),
        seeds: None,
        precision: None,
    }
}
