//! When the bookkeeping of the drives is checked.

use super::observe::Observer;
use iopath::machine::Machine;

/// What no audit has seen. An audit takes as long as writing a tenth of all units. It is due when
/// as many as there are have been written since the last one, so that it costs little beside what
/// it checks; without flash, when so many events have been done.
#[derive(Default)]
pub(super) struct Audit {
    written: Unseen,
    events: Unseen,
}

/// A count of the machine: what it was at the last look, and its changes that no audit has seen.
/// States are put back between runs, so that counts may fall as well.
#[derive(Default)]
struct Unseen {
    looked: u64,
    unseen: u64,
}

impl Unseen {
    fn look(&mut self, count: u64) {
        self.unseen += self.looked.abs_diff(count);
        self.looked = count;
    }
}

impl Audit {
    /// Counts what was done since the last look.
    pub(super) fn look(&mut self, machine: &Machine<(), Observer>, flash: &[u16]) {
        let written = flash.iter().map(|&drive| machine.drive(drive).ftl().ledger().total()).sum();
        self.written.look(written);
        self.events.look(machine.context.queue.events_done());
    }

    /// Checks the books if it is time to.
    pub(super) fn check(&mut self, machine: &Machine<(), Observer>, flash: &[u16]) {
        self.look(machine, flash);
        let units = |&drive: &u16| u64::from(machine.drive(drive).ftl().map().physical_units());
        let is_due = match flash.iter().map(units).sum() {
            0 => self.events.unseen >= due(EVENTS),
            units => self.written.unseen >= due(units),
        };
        if is_due {
            machine.audit();
            (self.written.unseen, self.events.unseen) = (0, 0);
        }
    }
}

/// Events of disks and 3D XPoint, and of what is before them, between two audits: they take some
/// ten times as long as one.
const EVENTS: u64 = 1 << 22;

/// What is done between two audits of books of `size`. Builds with debug assertions, which the
/// tests are, check small ones after every run.
fn due(size: u64) -> u64 {
    const SMALL: u64 = 1 << 20;
    match (cfg!(debug_assertions), size) {
        (false, _) => size,
        (true, ..=SMALL) => 0,
        (true, _) => size / 8,
    }
}
