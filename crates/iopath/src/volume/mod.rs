//! Volumes over devices: arrays, cache tiers, write-back volume caches.

pub mod cache;
pub mod raid;
pub mod tier;
