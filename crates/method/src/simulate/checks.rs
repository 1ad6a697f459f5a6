//! Holds a run against laws: no resource works longer than there is time, and every byte that is
//! programmed has a cause.

use engine::Instant;
use iopath::config::DriveConfig;
use iopath::drive::Drive;
use iopath::ftl::UnitLedger;
use iopath::health::Health;
use iopath::nand::NandCounters;
use stats::{Cause, Checks, Ledger, Utilisation};

/// The drive's counters at one time.
pub(super) struct Meter {
    /// The time, ps.
    pub at_ps: u64,
    /// Energy so far, pJ.
    pub energy_pj: u128,
    /// Units written by cause.
    pub units: UnitLedger,
    /// Counters of the flash.
    pub nand: NandCounters,
    health: Health,
    cores_ps: u64,
    down_ps: u64,
    up_ps: u64,
    /// Units placed in word lines that are not full yet.
    unfinished: u64,
}

impl Meter {
    /// Reads all counters at `now_ps`.
    pub(super) fn read(drive: &Drive<()>, now_ps: u64) -> Meter {
        let (cores, down, up) = drive.busy();
        let ftl = drive.ftl();
        let unfinished = ftl.streams().map(|stream| stream.unfinished()).sum::<u32>();
        Meter {
            at_ps: now_ps,
            energy_pj: drive.energy_pj(Instant::from_ps(now_ps)),
            units: ftl.ledger(),
            nand: *drive.nand().counters(),
            health: *drive.health(),
            cores_ps: cores.ps(),
            down_ps: down.ps(),
            up_ps: up.ps(),
            unfinished: u64::from(unfinished),
        }
    }

    /// The laws from this reading, taken at rest, to the drive as it is at `now_ps`, at rest
    /// again. Only between two times of rest is booked work also done, and are placed units also
    /// programmed.
    pub(super) fn checks(&self, drive: &Drive<()>, now_ps: u64, config: &DriveConfig) -> Checks {
        let end = Meter::read(drive, now_ps);
        let window_ps = now_ps - self.at_ps;
        let single = |name, from: u64, to: u64| Utilisation::single(name, to - from, window_ps);
        let mut cores = single("controller cores", self.cores_ps, end.cores_ps);
        cores.servers = u64::from(config.controller.cores);
        let channels = Utilisation {
            name: "channels".to_owned(),
            busy_ps: end.nand.bus_busy_ps - self.nand.bus_busy_ps,
            window_ps,
            servers: u64::from(config.geometry.channels),
        };
        let down = single("link to the drive", self.down_ps, end.down_ps);
        let up = single("link to the host", self.up_ps, end.up_ps);
        Checks {
            little: Vec::new(),
            utilisation: vec![cores, down, up, channels],
            ledgers: vec![self.programs(&end, config), self.host_writes(&end, config)],
        }
    }

    /// What was programmed, by cause; units in unfinished word lines are placed but not there.
    fn programs(&self, end: &Meter, config: &DriveConfig) -> Ledger {
        let unit_bytes = u64::from(config.geometry.unit_bytes);
        let mut ledger = Ledger::new("units placed");
        ledger.add(Cause::Host, (end.units.host - self.units.host) * unit_bytes);
        ledger.add(Cause::Copies, (end.units.copies - self.units.copies) * unit_bytes);
        ledger.add(Cause::Metadata, (end.units.metadata - self.units.metadata) * unit_bytes);
        ledger.add(Cause::Levelling, (end.units.levelling - self.units.levelling) * unit_bytes);
        ledger.add(Cause::Parity, (end.units.parity - self.units.parity) * unit_bytes);
        ledger.add(Cause::Folding, (end.units.folding - self.units.folding) * unit_bytes);
        ledger.add(Cause::Refresh, (end.units.refresh - self.units.refresh) * unit_bytes);
        ledger.add(Cause::Padding, (end.units.padding - self.units.padding) * unit_bytes);
        let programmed = end.nand.program_bytes - self.nand.program_bytes;
        let (placed, was) = (end.unfinished * unit_bytes, self.unfinished * unit_bytes);
        ledger.set_counted_total((programmed + placed).saturating_sub(was));
        ledger
    }

    /// What the host's commands brought, against the units that were placed for them. A write of
    /// a part of a unit may be overtaken by another: then there is no exact total.
    fn host_writes(&self, end: &Meter, config: &DriveConfig) -> Ledger {
        let unit_bytes = u64::from(config.geometry.unit_bytes);
        let mut ledger = Ledger::new("host writes");
        let modified = end.health.modify_bytes - self.health.modify_bytes;
        ledger.add(Cause::Host, end.health.host_write_bytes - self.health.host_write_bytes);
        ledger.add(Cause::ReadModifyWrite, modified);
        if modified == 0 {
            ledger.set_counted_total((end.units.accepted - self.units.accepted) * unit_bytes);
        }
        ledger
    }
}
