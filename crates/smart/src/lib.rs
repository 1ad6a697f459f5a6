//! Health logs of drives, in and out, and the arithmetic of endurance. It runs nothing.
//!
//! [`read::snapshot`] reads what `smartctl --json` and nvme-cli print, [`write::smartctl`] prints a
//! snapshot as smartctl would, and [`endurance`] says what two snapshots show about wear, with the
//! error that the resolution of the counters implies.

pub mod counter;
pub mod endurance;
pub mod error;
pub mod interval;
pub mod read;
pub mod snapshot;
pub mod write;

pub use error::SmartError;
pub use interval::Interval;
pub use snapshot::{
    AtaAttribute, DeviceStatistics, EraseCounts, Identity, NvmeHealth, OcpLog, Protocol, Snapshot,
    ThermalLog, VendorLog,
};
