//! Review methods on drives: a list of steps brings a drive into its state, runs jobs on it and
//! turns the results into metrics.
//!
//! A method is a file (`method`), its parameters become the variables of fio jobs (`load`), its
//! steps (`steps`) act on a [`Target`] through a [`Session`]; `model_target` is a modelled
//! drive, `real_target` a real one.

#![cfg_attr(not(test), warn(clippy::cast_possible_truncation))]

mod added;
mod apart;
mod bench;
mod complete;
mod condition;
mod cost;
mod curve;
mod cut;
mod database_target;
mod facts;
mod failure;
mod fio_windows;
mod formula;
mod knee;
pub mod life;
mod line;
mod live;
mod load;
mod method;
mod metrics;
mod model_array;
mod model_faults;
mod model_preconditioning;
mod model_target;
mod options;
#[cfg(test)]
mod parameters;
mod preconditioning;
mod prewrite;
mod real_target;
mod run;
mod served;
mod session;
mod several;
mod soak;
pub mod steps;
mod surroundings;
mod target;
mod timeline;
mod values;
mod warm;
mod whole;
mod workload_load;

pub use bench::{ModelBench, measure_on};
pub use complete::{FACTS, complete};
pub use cost::{Cost, Rates, cost};
pub use database_target::{DatabaseOptions, DatabaseTarget};
pub use failure::Failure;
pub use load::Load;
pub use method::{
    Method, Param, TraceKind, When, find, is_method_file, methods, own_job, own_method, own_trace,
    written,
};
pub use model_target::ModelTarget;
pub use options::{ArrayCondition, BenchOptions, USUAL_SCALE};
pub use preconditioning::Preconditioning;
pub use real_target::{RealOptions, RealTarget, has_sprandom};
pub use run::Run;
pub use session::{Session, Watch};
pub use several::EVERY_DEVICE;
pub use target::{
    Counters, PowerLoss, Ran, Rebuilt, Target, Transactions, Work, WriteLimits, Written,
};
pub use values::Values;

/// The code that numbers follow from, as 16 hexadecimal digits: what two builds of different code
/// have measured is not to be mixed, whatever their version is called.
pub const CODE: &str = env!("DRIVELAB_CODE");
