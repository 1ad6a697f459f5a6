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

/// How the bench measures where another budget is usual. One that somebody chose is taken at its
/// word.
pub fn bench_options_of(args: &BenchArgs, usual: Budget) -> BenchOptions {
    BenchOptions {
        seed: args.seed.unwrap_or(1),
        ios: budget(args, usual).ios(),
        scale: args.scale,
        brief: args.budget.is_some(),
        ..BenchOptions::default()
    }
}

/// How the bench measures what is held against published figures: for a second at least, whatever
/// the budget, since so do those who publish.
pub fn published_options(args: &BenchArgs) -> BenchOptions {
    published_options_of(args, BUDGET)
}

/// The same where another budget is usual.
pub fn published_options_of(args: &BenchArgs, usual: Budget) -> BenchOptions {
    BenchOptions { brief: false, ..bench_options_of(args, usual) }
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
