//! What a drive counts about itself over its life.
//!
//! Bytes by cause are in the FTL's ledger, programs and erases in the flash's counters; nothing is
//! counted twice.

pub mod timed_workload;

pub use timed_workload::{Reading, Shown, TimedWorkload};

use serde::{Deserialize, Serialize};

/// Counters that a real drive keeps.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Health {
    /// Bytes that commands have read.
    pub host_read_bytes: u64,
    /// Bytes that commands have written.
    pub host_write_bytes: u64,
    /// Read commands.
    pub read_commands: u64,
    /// Write commands.
    pub write_commands: u64,
    /// Bytes that were read and written again because a write covered a mapping unit in part.
    pub modify_bytes: u64,
    /// Power losses without notice.
    pub unsafe_shutdowns: u64,
    /// Reads for the host that found data lost and could not put it together again.
    pub media_errors: u64,
    /// Cycles that every block had been through when the run began.
    pub cycles_at_start: u32,
}

/// How often the blocks of a drive have been erased.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Wear {
    /// Of the group erased least.
    pub min: u32,
    /// Of the group erased most.
    pub max: u32,
    /// Over all groups.
    pub total: u64,
    /// Number of groups.
    pub groups: u64,
}

impl Wear {
    /// The wear of groups that have been erased so often each; O(n).
    pub fn of(erases: &[u32]) -> Self {
        Wear {
            min: erases.iter().copied().min().unwrap_or(0),
            max: erases.iter().copied().max().unwrap_or(0),
            total: erases.iter().map(|&n| u64::from(n)).sum(),
            groups: erases.len() as u64,
        }
    }

    /// The same of groups that had so many erases before.
    #[must_use]
    pub fn after(self, erases: u32) -> Self {
        Wear {
            min: self.min.saturating_add(erases),
            max: self.max.saturating_add(erases),
            total: self.total + u64::from(erases) * self.groups,
            groups: self.groups,
        }
    }

    /// Mean number of erases.
    pub fn mean(&self) -> f64 {
        self.total as f64 / self.groups.max(1) as f64
    }
}
