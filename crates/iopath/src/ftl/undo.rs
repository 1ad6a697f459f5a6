//! What a drive with a volatile buffer needs to know to lose data honestly: for each buffered unit,
//! where its logical unit lay before.

use super::map::UNMAPPED;
use std::collections::VecDeque;

/// One buffered write.
#[derive(Clone, Copy, Debug)]
pub struct Undo {
    /// The logical unit.
    pub logical: u32,
    /// Where it lay before, or UNMAPPED.
    pub old: u32,
    /// Where the buffered data will be programmed.
    pub new: u32,
}

/// Buffered writes, oldest first. Its length is bounded by the buffer of the drive.
#[derive(Clone, Default, Debug)]
pub struct UndoLog {
    entries: VecDeque<Undo>,
}

impl UndoLog {
    /// `new` was placed in the buffer, by the host or by collection; the flash still has `old`.
    pub fn note(&mut self, logical: u32, old: u32, new: u32) {
        self.entries.push_back(Undo { logical, old, new });
    }

    /// The host gave the logical unit up: nothing may come back.
    pub fn forget(&mut self, logical: u32) {
        for entry in &mut self.entries {
            if entry.logical == logical {
                entry.old = UNMAPPED;
            }
        }
    }

    /// Drops the oldest entries that have been programmed.
    pub fn prune(&mut self, programmed: impl Fn(u32) -> bool) {
        while self.entries.front().is_some_and(|e| programmed(e.new)) {
            self.entries.pop_front();
        }
    }

    /// Empties the log, newest first.
    pub fn drain_newest_first(&mut self) -> Vec<Undo> {
        self.entries.drain(..).rev().collect()
    }
}
