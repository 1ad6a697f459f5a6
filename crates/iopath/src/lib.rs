//! The path of one I/O through a storage machine, in this order:
//! workload -> path (host software, shared links) -> volumes -> link -> controller -> ftl -> nand,
//! and back.
//!
//! This crate prints nothing, never fails at run time, and keeps only the counters that a real
//! drive keeps. What happens is told to a probe.

pub mod cache;
pub mod cell;
pub mod command;
pub mod config;
pub mod data;
pub mod disk;
pub mod drive;
pub mod ftl;
mod galois;
pub mod geometry;
pub mod health;
pub mod heat;
pub mod machine;
pub mod nand;
pub mod oltp;
pub mod path;
pub mod payload;
mod prefetch;
pub mod probe;
pub mod queues;
pub mod raid;
pub mod shared;
pub mod system;
pub mod tier;
pub mod workload;
pub mod xpoint;
