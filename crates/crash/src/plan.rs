//! What a crash test does.

use crate::attach::Attach;
use std::ffi::OsString;
use std::time::Duration;

/// What is done, how often, and how long it may take.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Power cuts.
    pub cuts: u32,
    /// Seed of the places of the cuts.
    pub seed: u64,
    /// How the program reaches the drive.
    pub attach: Attach,
    /// What a shell does once, on a drive with a new file system.
    pub prepare: Option<String>,
    /// The program whose work is interrupted, and its arguments.
    pub command: Vec<OsString>,
    /// What a shell does after each cut: its exit code says whether all is well.
    pub check: String,
    /// How long the program works, at most, before power is cut.
    pub work: Duration,
    /// How long preparation and a check may take.
    pub patience: Duration,
    /// Go on after a check that failed, on a new drive.
    pub keep_going: bool,
}
