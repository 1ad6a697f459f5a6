//! The path of one I/O through a storage machine, in this order:
//! workload -> host -> link -> controller -> ftl -> nand, and back.
//!
//! This crate prints nothing, never fails at run time, and keeps only the counters that a real
//! drive keeps. What happens is told to a probe.

pub mod ftl;
pub mod geometry;
pub mod payload;
mod prefetch;
