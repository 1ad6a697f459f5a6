//! Many measurements: how they are made, what each is called, where they are saved, and the loop
//! that makes them.

mod key;
mod measuring;
mod options;
mod partial;

pub use key::{key, run_key, run_key_of};
pub use measuring::{Job, Made, Measuring, caught};
pub use options::{
    bench_options, bench_options_of, budget_of, published_options, published_options_of, threads,
    usual_budget_of,
};
pub use partial::{OUTPUT, Partial, RECORD};
