//! Arrays: RAID 0, 1, 5, 6 and 10 over nodes below.

pub mod config;
pub mod layout;
pub mod parity;
pub mod plan;

pub use config::{
    Bitmap, Fault, Level, Lock, Modify, ParityLayout, RaidConfig, ReadBalance, StripeEngine,
    SyncPolicy, WriteLog, WritePolicy,
};
pub use layout::Layout;
