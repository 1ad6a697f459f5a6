//! What a drive with a volatile buffer needs to know to lose data honestly: for each buffered unit
//! of host data, where its logical unit was before.
//!
//! Copies need no entry: their source was on the flash (a group is collected only when it is
//! settled), and a drive does not erase it before the copy is on the flash too. So whether a copy
//! or its source survives is all the same to the host.

use super::Ftl;
use super::map::UNMAPPED;
use crate::kernel::payload::Payload;
use std::collections::VecDeque;

/// One buffered write.
#[derive(Clone, Copy, Debug)]
pub struct Undo {
    /// The logical unit.
    pub logical: u32,
    /// Where it was before, or UNMAPPED.
    pub old: u32,
    /// How often the group of `old` had been erased then: it can only be gone back to if it has
    /// not been erased since.
    pub erases: u32,
    /// Where the buffered data will be programmed.
    pub new: u32,
}

/// Buffered writes, oldest first. Its length is bounded by the buffer of the drive.
#[derive(Clone, Default, Debug)]
pub struct UndoLog {
    entries: VecDeque<Undo>,
}

impl UndoLog {
    /// A unit was placed in the buffer; the flash still has the previous data.
    pub fn note(&mut self, entry: Undo) {
        self.entries.push_back(entry);
    }

    /// Drops the oldest entries that have been programmed.
    pub fn prune(&mut self, programmed: impl Fn(u32) -> bool) {
        while self.entries.front().is_some_and(|e| programmed(e.new)) {
            self.entries.pop_front();
        }
    }

    /// Drops everything: all is on the flash.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// Empties the log, newest first.
    pub fn drain_newest_first(&mut self) -> Vec<Undo> {
        self.entries.drain(..).rev().collect()
    }
}

impl<P: Payload> Ftl<P> {
    /// Remembers where a unit was that is now at `new`, if the buffer can lose what is placed.
    #[inline]
    pub(super) fn note_undo(&mut self, logical: u32, old: u32, new: u32) {
        let Some(undo) = &mut self.undo else { return };
        let erases = match old {
            UNMAPPED => 0,
            _ => self.pool.erases()[self.layout.group_of(old) as usize],
        };
        undo.note(Undo { logical, old, erases, new });
    }
}
