//! Runs fio's jobs on a modelled drive: the one place where an event of the model becomes a
//! statistic.
//!
//! The path of a job: `translate` makes threads of it (`extents` says where its files are, `scale`
//! what becomes of them on a drive simulated at a fraction of its size, `pattern` where its I/Os
//! go, `refuse` what the model cannot do yet); `phase` lets the threads run up to the next
//! `stonewall` and keeps the budget; `observe` counts what happens (`tally`, `log`), `timeline`
//! reads the counters now and then; `assemble` makes fio's report of the counts, and `checks`
//! checks the run against laws.

#![cfg_attr(not(test), warn(clippy::cast_possible_truncation))]

mod assemble;
mod audit;
mod blueprint;
mod checks;
mod extents;
mod faults;
mod fill_first;
pub mod health;
mod limit;
mod log;
mod namespaces;
mod needs;
mod observe;
mod options;
mod pattern;
mod phase;
mod pristine;
mod refuse;
mod replay;
mod rig;
mod scale;
mod search;
mod sense;
mod server_tally;
mod servers;
mod simulated;
mod sprandom;
mod state_file;
mod states;
mod steady;
mod tally;
mod thread;
mod timeline;
mod translate;
mod warn;
mod workers;

#[cfg(test)]
mod tests;

pub use blueprint::{Blueprint, Planned};
pub use extents::drives_named;
pub use fill_first::fill_first;
pub use options::{Enough, HostCost, Progress, RunOptions};
pub use rig::Rig;
pub use server_tally::{IoTally, ServerTally, Window};
pub use servers::{Served, ServersAsked};
pub use simulated::{HeatSummary, Series, Simulated};
pub use states::States;
