//! Crash tests: a program works on a served drive, power fails, and a check says whether what was
//! promised is still there.
//!
//! The host and the drive lose power together: the program is killed, its file system is gone with
//! its page cache, and the drive loses what its model says. Then power is back, the file system
//! is mounted anew, and the check looks at it.

// Programs of the real world are waited for by the clock.
#![allow(clippy::disallowed_methods)]

mod attach;
mod campaign;
mod error;
mod folder;
mod plan;
mod programs;
mod result;
mod served;
mod tool;
mod volume;

pub use attach::Attach;
pub use campaign::Campaign;
pub use error::CrashError;
pub use plan::Plan;
pub use result::{CrashTest, CutResult};
pub use served::Served;
