//! Real drives: running the installed fio, and the guard before it.
//!
//! The only crate that touches a disk. The order is fixed by the types: [`System::examine`]
//! decides, without writing anything, whether a path may be used, claims it, and yields a
//! [`Permit`];
//! [`job::RealJob::redirect`] turns a job file into one that can reach nothing but the permitted
//! path; [`run::run`] takes both and starts fio, never through a shell; [`Output::result`] is what
//! came of it, in the same form as that of a modelled run.
//!
//! [`database`] starts servers of its own in a directory that was permitted, and sysbench on them.
//!
//! [`smartctl`] and [`nvme`] read health logs, which changes nothing; [`purge`] erases a drive, and
//! needs a permit that was given for it.

pub mod capacity;
mod claim;
pub mod conditions;
pub mod database;
pub mod device;
mod fingerprint;
pub mod guard;
pub mod identity;
pub mod installed;
pub mod job;
pub mod journal;
pub mod machine;
pub mod marker;
pub mod model_time;
pub mod noise;
pub mod nvme;
pub mod options;
pub mod outcome;
pub mod power;
pub mod purge;
pub mod refusal;
pub mod run;
pub mod scratch;
pub mod seen;
pub mod signature;
pub mod smartctl;
pub mod source;
pub mod space;
pub mod system;
pub mod tool;
pub mod trace_file;
pub mod uptime;
mod users;

pub use conditions::{Conditions, Finding, Thermometer};
pub use guard::{Permit, PermitKind, Request, ServedDrive};
pub use identity::{Identity, Place, drive_below};
pub use installed::{InstalledError, InstalledFio};
pub use job::{RealJob, Redirected};
pub use journal::Journal;
pub use model_time::ModelTime;
pub use noise::{Noise, Ticks};
pub use outcome::OutcomeError;
pub use power::PowerStates;
pub use purge::{Purge, PurgeError};
pub use refusal::{Reason, Refusal};
pub use run::{Output, Progress, RunError, RunOptions};
pub use seen::{Meanwhile, Moved, Seen};
pub use smartctl::Health;
pub use source::SourceOptions;
pub use system::System;
pub use tool::{ToolError, Tools};
pub use uptime::Uptime;
