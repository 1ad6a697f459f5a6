//! Review methods on modelled drives: what brings a drive into its state, runs the method's job and
//! turns the result into metrics.

mod bench;
mod method;
mod metrics;
mod prewrite;

pub use bench::{BenchOptions, ModelBench};
pub use method::{Method, find, methods};
