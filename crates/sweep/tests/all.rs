//! All tests of the crate in one binary: it is linked once.

mod judging;
mod nsga2;
mod pareto;
mod peers;
mod samplers;
mod store;
