//! Each option of a job file seen through what it does to the modelled drive.

mod bench_config;
mod budget;
mod files;
mod flow;
mod laws;
mod limiters;
mod limits;
mod patterns;
mod refusals;
mod replay;
mod reports;
mod schedule;
mod search;
