//! Where I/Os come from, and what they pass before a volume or a device.

pub mod oltp;
pub mod path;
pub mod workload;
