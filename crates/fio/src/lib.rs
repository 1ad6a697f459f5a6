//! fio's languages: job files in; text, JSON, JSON+ and logs out and in. Runs nothing.
//!
//! [`source`] cuts a job file into sections, for modelled and for real drives.
//! [`jobfile::load`] makes typed [`job::Job`]s of them; every mistake is a [`Diagnostic`] with
//! file, line and column. What each option means here is in one table,
//! [`options::option_table`]. Results are written by [`output`], and those of fio itself read by
//! [`json_in`] and [`log_in`].

pub mod diagnostic;
pub mod engines;
pub mod job;
pub mod jobfile;
pub mod json_in;
pub mod log_in;
mod option_row;
pub mod options;
pub mod output;
pub mod source;
pub mod suggest;
pub mod workload;

mod arithmetic;
mod expand;
mod number;
mod options_table;

/// The longest time that a job file may give, us: 100 days, the end of a simulated clock.
pub const LONGEST_US: u64 = 100 * 86_400 * 1_000_000;

pub use arithmetic::{bytes, most_bytes};
pub use diagnostic::{Diagnostic, Place};
pub use expand::{variable, variables};
pub use job::Job;
pub use jobfile::{JobFile, LoadOptions};
