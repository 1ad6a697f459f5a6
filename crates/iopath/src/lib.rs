//! The path of one I/O through a storage machine, in this order: host (workload, software, shared
//! links) -> volume (array, tier, cache) -> device (link, controller, FTL, flash), and back.
//!
//! The kernel is what all of them know; the machine holds them, and is known by none. This crate
//! prints nothing, never fails at run time, and keeps only the counters that a real drive keeps. A
//! probe is notified of what happens.

#![cfg_attr(not(test), warn(clippy::cast_possible_truncation))]

pub mod device;
pub mod host;
pub mod kernel;
pub mod machine;
pub mod volume;
