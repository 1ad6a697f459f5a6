//! Going back: what has changed in a map since it was marked.

use super::{Map, UNMAPPED};
use crate::device::flash::prefetch::line_of;

/// Changes that are asked for before they are undone.
const AHEAD: usize = 8;

/// What changed in the map since a mark: the logical units in the order of their changes, and where
/// they were before.
#[derive(Clone, Default)]
pub(super) struct Journal {
    /// Logical unit and its place before.
    changes: Vec<(u32, u32)>,
    /// The map at the mark, if more has changed than a copy of it takes.
    copy: Option<Box<Map>>,
    /// Units mapped at the mark: all, and those of the drive itself.
    mapped: (u32, u32),
}

impl Map {
    /// Notes a change since the mark. Where the notes would take more memory than a copy of the
    /// marked map, they become one.
    #[cold]
    pub(super) fn note(&mut self, logical: u32, old: u32) {
        let most = self.forward.len().max(1024) as usize;
        let Some(journal) = &mut self.journal else { return };
        if journal.copy.is_some() {
            return;
        }
        journal.changes.push((logical, old));
        if journal.changes.len() > most {
            let mut copy = Box::new(self.clone());
            copy.go_back();
            copy.journal = None;
            if let Some(journal) = &mut self.journal {
                (journal.changes, journal.copy) = (Vec::new(), Some(copy));
            }
        }
    }

    /// Marks the map as it is.
    pub(in super::super) fn mark(&mut self) {
        let mapped = (self.mapped, self.own_mapped);
        self.journal = Some(Box::new(Journal { mapped, ..Journal::default() }));
    }

    /// Makes the map as it was when it was marked.
    ///
    /// # Panics
    /// If it was never.
    pub(in super::super) fn go_back(&mut self) {
        let mut journal = self.journal.take().expect("a map that was marked");
        if let Some(copy) = &journal.copy {
            self.forward.clone_from(&copy.forward);
            self.reverse.clone_from(&copy.reverse);
            self.valid.clone_from(&copy.valid);
        }
        let changes = &journal.changes;
        for (at, &(logical, old)) in changes.iter().enumerate().rev() {
            if let Some(&(next, before)) = at.checked_sub(AHEAD).and_then(|at| changes.get(at)) {
                self.forward.prefetch(next);
                self.reverse.prefetch(before);
                line_of(&self.valid, before as usize / 64);
            }
            let new = self.get(logical);
            self.forward.put(logical, old);
            if new != UNMAPPED {
                self.invalidate(new);
            }
            if old != UNMAPPED {
                self.validate(old);
                self.reverse.put(old, logical);
            }
        }
        journal.changes.clear();
        (self.mapped, self.own_mapped) = journal.mapped;
        self.journal = Some(journal);
    }
}
