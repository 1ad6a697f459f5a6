//! A hard disk: platters, an arm, and a buffer behind a link.

mod config;
pub mod geometry;
pub mod seek;

pub(crate) use config::need;
pub use config::{
    ArmConfig, DiskBufferConfig, DiskConfig, DiskPowerConfig, DiskQueueConfig, Fault,
    PlatterConfig, SECTOR,
};
