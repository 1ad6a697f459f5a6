//! What the flash drives of a machine have done, and how they are: all of them together.

use super::Machine;
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use engine::Instant;

/// Counters and levels of flash drives at one time. Bytes are those of the simulated part.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FlashTotals {
    /// How many drives.
    pub drives: u32,
    /// Bytes written by the host.
    pub accepted: u64,
    /// Bytes programmed for whatever reason.
    pub programmed: u64,
    /// Bytes of these that were moved: collection, folding, wear levelling, refresh.
    pub moved: u64,
    /// Room in the blocks of the SLC caches, bytes.
    pub slc_used: u64,
    /// What the caches may grow to, bytes.
    pub slc_room: u64,
    /// Logical units that hold data.
    pub mapped: u64,
    /// Logical units.
    pub logical: u64,
    /// Temperature of the warmest, C; `None` if none has one.
    pub celsius: Option<f64>,
}

impl FlashTotals {
    /// Of the flash drives at these addresses.
    ///
    /// # Panics
    /// If a node is no flash drive.
    pub fn of<P: Payload, O: Probe<P>>(
        machine: &Machine<P, O>,
        addresses: impl IntoIterator<Item = u16>,
        now: Instant,
    ) -> Self {
        let mut all = FlashTotals::default();
        for address in addresses {
            let drive = machine.drive(address);
            let (ftl, unit) = (drive.ftl(), u64::from(drive.config().geometry.unit_bytes));
            let ledger = ftl.ledger();
            all.drives += 1;
            all.accepted += drive.health().host_write_bytes;
            all.programmed += ledger.total() * unit;
            let moved = ledger.copies + ledger.folding + ledger.levelling + ledger.refresh;
            all.moved += moved * unit;
            all.slc_used += ftl.slc_used() * unit;
            all.slc_room += ftl.slc_budget() * unit;
            all.mapped += u64::from(ftl.map().mapped());
            all.logical += u64::from(ftl.map().logical_units());
            let celsius = drive.heat(now).map(|heat| heat.celsius());
            all.celsius = all.celsius.into_iter().chain(celsius).reduce(f64::max);
        }
        all
    }

    /// Share of the logical units that hold data, 0 to 1.
    pub fn mapped_share(&self) -> f64 {
        self.mapped as f64 / self.logical.max(1) as f64
    }
}
