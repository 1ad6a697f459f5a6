//! Checks a run against laws: no resource works longer than there is time, and every byte that is
//! programmed has a cause.
use iopath::kernel::Device;

use super::workers::{Worker, workers};
use engine::Instant;
use iopath::device::flash::config::DriveConfig;
use iopath::device::flash::drive::Drive;
use iopath::device::flash::ftl::UnitLedger;
use iopath::device::flash::nand::NandCounters;
use iopath::device::health::Health;
use iopath::kernel::probe::Probe;
use iopath::machine::Machine;
use stats::{Cause, Checks, Ledger, Utilisation};

/// The counters of all flash drives at one time.
pub(super) struct Meter {
    /// The time, ps.
    pub at_ps: u64,
    /// Energy of all devices so far, pJ.
    pub energy_pj: u128,
    /// Bytes written to flash.
    pub flash_bytes: u64,
    /// Bytes that hosts wrote: of a unit that is written in part, that part.
    pub host_bytes: u64,
    /// Counters of the flash.
    pub nand: NandCounters,
    /// What works besides the flash drives.
    pub workers: Vec<Worker>,
    /// The flash drives.
    pub drives: Vec<DriveMeter>,
}

/// The counters of one flash drive.
pub(super) struct DriveMeter {
    /// Units placed by cause.
    pub units: UnitLedger,
    /// Counters of its flash.
    pub nand: NandCounters,
    health: Health,
    /// Energy so far, pJ.
    pub energy_pj: u128,
    /// Time at work, ps: of the controller's cores, the two directions of the link, and the
    /// controller's data paths.
    pub cores_ps: u64,
    /// See `cores_ps`.
    pub down_ps: u64,
    /// See `cores_ps`.
    pub up_ps: u64,
    /// See `cores_ps`.
    pub write_path_ps: u64,
    /// See `cores_ps`.
    pub read_path_ps: u64,
    /// Bytes of data in its SLC cache.
    pub slc_bytes: u64,
    /// Time in which a write waited for room, ps.
    pub waited_ps: u64,
    /// Units placed in word lines that are not full yet.
    unfinished: u64,
}

impl DriveMeter {
    fn read(drive: &Drive<()>, now: Instant) -> DriveMeter {
        let (cores, down, up) = drive.busy();
        let (write_path, read_path) = drive.paths_busy();
        let ftl = drive.ftl();
        let unfinished = ftl.streams().map(|stream| stream.unfinished()).sum::<u32>();
        DriveMeter {
            units: ftl.ledger(),
            nand: drive.nand().counters_at(now),
            health: *drive.health(),
            cores_ps: cores.ps(),
            down_ps: down.ps(),
            up_ps: up.ps(),
            energy_pj: drive.energy_pj(now),
            slc_bytes: ftl.slc_used() * u64::from(drive.config().geometry.unit_bytes),
            write_path_ps: write_path.ps(),
            read_path_ps: read_path.ps(),
            waited_ps: drive.writes_waited(now).ps(),
            unfinished: u64::from(unfinished),
        }
    }
}

impl Meter {
    /// Reads all counters at `now_ps`.
    pub(super) fn read<O: Probe<()>>(
        now_ps: u64,
        machine: &Machine<(), O>,
        drives: &[&Drive<()>],
    ) -> Meter {
        let unit = |drive: &Drive<()>| u64::from(drive.config().geometry.unit_bytes);
        let flash_bytes = drives.iter().map(|d| d.ftl().ledger().total() * unit(d)).sum();
        let host_bytes = drives.iter().map(|drive| drive.health().host_write_bytes).sum();
        let now = Instant::from_ps(now_ps);
        let read =
            |drive: &&Drive<()>| DriveMeter::read(drive, now.max(machine.context.queue.now()));
        let drives: Vec<DriveMeter> = drives.iter().map(read).collect();
        Meter {
            at_ps: now_ps,
            energy_pj: machine.energy_pj(now),
            workers: workers(machine),
            flash_bytes,
            host_bytes,
            nand: drives.iter().map(|drive| drive.nand).sum(),
            drives,
        }
    }

    /// The laws from this reading, taken at rest, to a later one, at rest again. Only between two
    /// times of rest is booked work also done, and are placed units also programmed.
    pub(super) fn checks(&self, end: &Meter, drives: &[&Drive<()>]) -> Checks {
        let window_ps = end.at_ps - self.at_ps;
        let mut checks = Checks::default();
        for (number, drive) in drives.iter().enumerate() {
            let of = match drives.len() {
                1 => String::new(),
                _ => format!("drive {}: ", number + 1),
            };
            let (from, to) = (&self.drives[number], &end.drives[number]);
            from.add_checks(to, window_ps, drive.config(), &of, &mut checks);
        }
        checks
    }
}

impl DriveMeter {
    fn add_checks(
        &self,
        end: &DriveMeter,
        window_ps: u64,
        config: &DriveConfig,
        of: &str,
        checks: &mut Checks,
    ) {
        let single = |name, from: u64, to: u64| {
            Utilisation::single(format!("{of}{name}"), to - from, window_ps)
        };
        let mut cores = single("controller cores", self.cores_ps, end.cores_ps);
        cores.servers = u64::from(config.controller.cores);
        let channels = Utilisation {
            name: format!("{of}channels"),
            busy_ps: end.nand.bus_busy_ps - self.nand.bus_busy_ps,
            window_ps,
            servers: u64::from(config.geometry.channels),
        };
        let down = single("link to the drive", self.down_ps, end.down_ps);
        let up = single("link to the host", self.up_ps, end.up_ps);
        checks.utilisation.extend([cores, down, up, channels]);
        checks.ledgers.push(self.programs(end, config, of));
        checks.ledgers.push(self.host_writes(end, config, of));
    }

    /// What was programmed, by cause; units in unfinished word lines are placed but not there.
    fn programs(&self, end: &DriveMeter, config: &DriveConfig, of: &str) -> Ledger {
        let unit_bytes = u64::from(config.geometry.unit_bytes);
        let mut ledger = Ledger::new(format!("{of}units placed"));
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
    fn host_writes(&self, end: &DriveMeter, config: &DriveConfig, of: &str) -> Ledger {
        let unit_bytes = u64::from(config.geometry.unit_bytes);
        let mut ledger = Ledger::new(format!("{of}host writes"));
        let modified = end.health.modify_bytes - self.health.modify_bytes;
        ledger.add(Cause::Host, end.health.host_write_bytes - self.health.host_write_bytes);
        ledger.add(Cause::ReadModifyWrite, modified);
        if modified == 0 {
            ledger.set_counted_total((end.units.accepted - self.units.accepted) * unit_bytes);
        }
        ledger
    }
}
