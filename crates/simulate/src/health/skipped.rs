//! Work of a drive that was not simulated, and work that was, both scaled to the real drive.

use crate::Rig;
use iopath::device::flash::drive::Drive;

/// What a drive has done, of the real drive.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Skipped {
    /// Time, s.
    pub seconds: f64,
    /// Bytes that the host wrote.
    pub host_write_bytes: f64,
    /// Bytes that the host read.
    pub host_read_bytes: f64,
    /// Write commands.
    pub write_commands: f64,
    /// Read commands.
    pub read_commands: f64,
    /// Bytes programmed.
    pub nand_write_bytes: f64,
    /// Bytes moved from the flash.
    pub nand_read_bytes: f64,
}

impl Skipped {
    /// What the drive, or all drives of a system together, have done in the simulation.
    ///
    /// Host writes in zero time (states that are prepared, hours of pre-writing) count as any
    /// others; their commands are not counted. A steady state that was constructed has no past.
    pub fn counted(rig: &Rig) -> Self {
        let seconds = rig.now().ps() as f64 / 1e12;
        let work = rig.drives().map(of_drive).fold(Skipped::default(), |a, b| a.plus(&b));
        Skipped { seconds, ..work }.times(1.0 / rig.clock().scale())
    }

    /// The same of one of its flash drives.
    pub fn of(rig: &Rig, place: usize) -> Self {
        let seconds = rig.now().ps() as f64 / 1e12;
        let work = rig.drives().nth(place).map(of_drive).unwrap_or_default();
        Skipped { seconds, ..work }.times(1.0 / rig.clock().scale())
    }

    fn each(&self, other: &Skipped, both: impl Fn(f64, f64) -> f64) -> Self {
        Skipped {
            seconds: both(self.seconds, other.seconds),
            host_write_bytes: both(self.host_write_bytes, other.host_write_bytes),
            host_read_bytes: both(self.host_read_bytes, other.host_read_bytes),
            write_commands: both(self.write_commands, other.write_commands),
            read_commands: both(self.read_commands, other.read_commands),
            nand_write_bytes: both(self.nand_write_bytes, other.nand_write_bytes),
            nand_read_bytes: both(self.nand_read_bytes, other.nand_read_bytes),
        }
    }

    /// All of it, times a factor.
    #[must_use]
    pub fn times(&self, factor: f64) -> Self {
        self.each(self, |amount, _| amount * factor)
    }

    /// What came after an earlier reading.
    #[must_use]
    pub fn since(&self, earlier: &Skipped) -> Self {
        self.each(earlier, |now, then| now - then)
    }

    /// Both together.
    #[must_use]
    pub fn plus(&self, other: &Skipped) -> Self {
        self.each(other, |a, b| a + b)
    }
}

fn of_drive(drive: &Drive<()>) -> Skipped {
    let (health, nand) = (drive.health(), drive.nand().counters());
    let ledger = drive.ftl().ledger();
    let unit = f64::from(drive.config().geometry.unit_bytes);
    // The rest of a unit that was modified is not the host's.
    let host = ledger.accepted as f64 * unit - health.modify_bytes as f64;
    Skipped {
        seconds: 0.0,
        host_write_bytes: host.max(0.0),
        host_read_bytes: health.host_read_bytes as f64,
        write_commands: health.write_commands as f64,
        read_commands: health.read_commands as f64,
        nand_write_bytes: ledger.total() as f64 * unit,
        nand_read_bytes: nand.read_bytes as f64,
    }
}
