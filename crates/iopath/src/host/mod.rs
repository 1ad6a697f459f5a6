//! Sources of I/Os, and the path before a volume or a device.

pub mod oltp;
pub mod path;
pub mod workload;
