//! A write-back volume cache: memory in front of a node, volatile or protected.

mod config;

pub use config::{CacheConfig, DestageOrder, Retention};
