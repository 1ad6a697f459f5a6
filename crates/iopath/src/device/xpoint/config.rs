//! A module of 3D XPoint as resolved numbers: what its model file says.

use crate::device::disk::{Fault, need};
use crate::device::flash::config::LinkConfig;
use engine::{Bandwidth, Duration, Energy, Power};

/// Bytes that are read and written as one, striped over all dies.
pub const XPOINT_UNIT: u64 = 4096;

/// One module.
#[derive(Clone, Debug)]
pub struct XPointConfig {
    /// Name of the component.
    pub name: String,
    /// Bytes that the host sees.
    pub user_bytes: u64,
    /// Dies; a unit is spread over all of them, so they work as one.
    pub dies: u32,
    /// What a die reads.
    pub die_read: Bandwidth,
    /// What a die writes.
    pub die_write: Bandwidth,
    /// Least time from the start of a read to that of the next command.
    pub read_interval: Duration,
    /// Least time from the start of a write to that of the next command.
    pub write_interval: Duration,
    /// Latency of the controller, before the dies are asked and after; adds no load.
    pub overhead: Duration,
    /// What the controller can pass on, in either direction.
    pub data_path: Bandwidth,
    /// Interface.
    pub link: LinkConfig,
    /// Rated bytes written over its life.
    pub endurance_bytes: u64,
    /// Power.
    pub power: XPointPowerConfig,
}

/// Its power.
#[derive(Clone, Copy, Debug)]
pub struct XPointPowerConfig {
    /// Always.
    pub idle: Power,
    /// Each byte read from the dies and sent.
    pub read_per_byte: Energy,
    /// Each byte written.
    pub write_per_byte: Energy,
}

impl XPointConfig {
    /// What would keep a module of this configuration from working, if anything: found before time
    /// 0, because inside the simulation there is no error path.
    ///
    /// # Errors
    /// The first value that is out of range, with its key in the model file and what to give
    /// instead.
    pub fn check(&self) -> Result<(), Fault> {
        let size = (XPOINT_UNIT..=1 << 60).contains(&self.user_bytes);
        need(size, "body.capacity", "the capacity is out of range", "give 4 KiB to 1 EiB")?;
        let dies = (1..=4096).contains(&self.dies);
        need(dies, "dies.count", "the number of dies is out of range", "give 1 to 4096")?;
        let kb = Bandwidth::from_base(1000);
        let help = "give at least 1 kB/s";
        let slow = "the value is too slow";
        need(self.die_read >= kb, "dies.read", slow, help)?;
        need(self.die_write >= kb, "dies.write", slow, help)?;
        need(self.data_path >= kb, "controller.data_path", slow, help)?;
        let second = Duration::from_s(1);
        let help = "give at most 1 s";
        need(self.read_interval <= second, "controller.read_interval", slow, help)?;
        need(self.write_interval <= second, "controller.write_interval", slow, help)?;
        need(self.overhead <= second, "controller.overhead", slow, help)?;
        let help = "give the rated bytes written of the data sheet";
        let rated = self.endurance_bytes > 0;
        need(rated, "body.endurance", "the rated endurance is 0", help)
    }
}
