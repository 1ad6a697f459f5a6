//! A cache tier: a fast device before a slow one, for a few blocks of what the slow one holds.

pub mod admission;
mod chain;
pub mod config;
pub mod counters;
pub mod directory;
pub mod eviction;
pub mod ghosts;
pub mod masks;
pub mod ordered;
pub mod sequential;
pub mod table;
