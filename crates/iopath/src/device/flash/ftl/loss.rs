//! What a power loss leaves of a volatile buffer.

use super::Ftl;
use super::map::UNMAPPED;
use super::pool::GroupState;
use crate::device::flash::geometry::Layout;
use crate::kernel::payload::Payload;

impl<P: Payload> Ftl<P> {
    /// Power has failed and the buffer with it: data whose word line was not programmed is gone,
    /// and the map points at what was there before. `programmed` says whether a unit had been
    /// programmed. Returns how many units of host data were lost.
    ///
    /// A drive erases a group only when what replaced its data is on the flash. Here groups are
    /// freed at once, which is simpler and equivalent until power fails; then a unit whose old
    /// place has been freed counts as programmed.
    ///
    /// # Panics
    /// If the drive was made without an undo log, that is with a protected buffer.
    pub fn lose_unprogrammed(&mut self, programmed: impl Fn(&Layout, u32) -> bool) -> u64 {
        let undo = self.undo.as_mut().expect("only a volatile buffer loses data");
        let mut lost = 0;
        for entry in undo.drain_newest_first() {
            if programmed(&self.layout, entry.new) || self.map.get(entry.logical) != entry.new {
                continue;
            }
            if entry.old != UNMAPPED {
                let group = self.layout.group_of(entry.old);
                let erased = self.pool.erases()[group as usize] != entry.erases;
                if erased || self.pool.state(group) == GroupState::Free {
                    continue;
                }
            }
            lost += u64::from(entry.logical < self.map.logical_units());
            let size = |unit| self.sizes.as_ref().map_or(1, |sizes| sizes.get(unit));
            self.pool.drop_valid(self.layout.group_of(entry.new), size(entry.new));
            self.map.clear(entry.logical);
            if entry.old != UNMAPPED {
                self.map.set(entry.logical, entry.old);
                self.pool.add_valid(self.layout.group_of(entry.old), size(entry.old));
            }
        }
        lost
    }

    /// Tells the undo log that everything up to now is on the flash.
    pub fn settle_undo(&mut self, programmed: impl Fn(&Layout, u32) -> bool) {
        if let Some(undo) = &mut self.undo {
            undo.prune(|unit| programmed(&self.layout, unit));
        }
    }
}
