//! When the bookkeeping of the drives is checked.

use super::observe::Observer;
use iopath::machine::Machine;

/// Units written that no audit has seen. An audit takes as long as writing a tenth of all units. It
/// is due when as many as there are have been written since the last one, so that it costs little
/// beside what it checks.
#[derive(Default)]
pub(super) struct Audit {
    /// Units written in all when it was last looked at.
    looked: u64,
    unseen: u64,
}

impl Audit {
    /// Counts what was written since the last look. States are put back between runs, so that
    /// counters may fall as well.
    pub(super) fn look(&mut self, machine: &Machine<(), Observer>, flash: &[u16]) {
        let written = flash.iter().map(|&drive| machine.drive(drive).ftl().ledger().total()).sum();
        self.unseen += self.looked.abs_diff(written);
        self.looked = written;
    }

    /// Checks the books if it is time to. Builds with debug assertions do it every time.
    pub(super) fn check(&mut self, machine: &Machine<(), Observer>, flash: &[u16]) {
        self.look(machine, flash);
        let units = |&drive: &u16| u64::from(machine.drive(drive).ftl().map().physical_units());
        let all: u64 = flash.iter().map(units).sum();
        if self.unseen >= due(all) {
            machine.audit();
            self.unseen = 0;
        }
    }
}

/// Units written after which drives of `all` units together are checked. Builds with debug
/// assertions, which the tests are, check small drives after every run.
fn due(all: u64) -> u64 {
    const SMALL: u64 = 1 << 20;
    match (cfg!(debug_assertions), all) {
        (false, _) => all,
        (true, ..=SMALL) => 0,
        (true, _) => all / 8,
    }
}
