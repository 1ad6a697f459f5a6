//! Devices that fail, power that is cut, and restarts.

use super::Tier;
use crate::kernel::Context;
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;

impl<P: Payload> Tier<P> {
    /// The cache device has failed. Without dirty data in it the tier continues with the slow
    /// device alone. Sectors that only the cache had are lost: reading them is an error until they
    /// are written again, since what the slow device has is older.
    pub(super) fn cache_failed(&mut self) {
        if self.cache_gone {
            return;
        }
        self.cache_gone = true;
        let sectors = self.directory.dirty_sectors() - self.tainted_sectors();
        self.counters.lost_bytes += sectors * self.config.sector;
    }

    /// The slow device has failed: what is valid in the cache can still be read, and nothing can
    /// be promised any more.
    pub(super) fn backing_failed<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        if self.backing_gone {
            return;
        }
        self.backing_gone = true;
        while let Some(waiting) = self.waiting.pop_front() {
            self.write(context, waiting.id, false);
        }
    }

    /// Sectors that count as dirty only because a write to them is in flight.
    fn tainted_sectors(&self) -> u64 {
        let tainted = |slot| self.activity.get(slot).tainted & self.directory.dirty(slot);
        self.activity.slots().map(|slot| tainted(slot).count_ones() as u64).sum()
    }

    pub(super) fn lose_directory(&mut self) -> u64 {
        let sectors = self.directory.dirty_sectors() - self.tainted_sectors();
        let lost = sectors * self.config.sector;
        self.counters.lost_bytes += lost;
        self.directory.clear(&self.config);
        lost
    }

    /// The computer is shut down in order, with the tier at rest, and started again: without a
    /// persistent directory the cache is empty then. Returns the bytes of dirty data that were not
    /// destaged before and are lost with such a directory.
    pub fn restart(&mut self) -> u64 {
        if self.config.persistent || self.cache_gone { 0 } else { self.lose_directory() }
    }

    /// True if the cache device has failed.
    pub fn cache_is_gone(&self) -> bool {
        self.cache_gone
    }
}
