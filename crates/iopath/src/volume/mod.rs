//! What is made of devices: arrays, a fast device before a slow one, write-back volume caches.

pub mod cache;
pub mod raid;
pub mod tier;
