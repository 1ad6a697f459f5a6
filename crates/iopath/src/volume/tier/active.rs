//! What is in flight at each slot. A slot with a record may not leave the cache.

use engine::narrow;

const NONE: u32 = u32::MAX;

/// A block that is to be filled with what was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Filling {
    /// Is not.
    #[default]
    No,
    /// The read of this job is in flight.
    Reading(u32),
    /// What was read is being written to the cache.
    Writing(u32),
    /// The same, but something newer was written elsewhere meanwhile: it will not be valid.
    Dropped(u32),
}

/// One slot with something in flight.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Active {
    /// Reads of clients from the cache.
    pub(super) reads: u32,
    /// Writes of clients to the cache.
    pub(super) writes: u32,
    /// Sectors that these writes touch.
    pub(super) writing: u64,
    /// Sectors that more than one of them touches: which of them wins is not known.
    pub(super) contested: u64,
    /// Sectors that count as dirty only because a write to them is in flight.
    pub(super) tainted: u64,
    /// Sectors in flight to the slow device, or there but not yet flushed.
    pub(super) destaging: u64,
    /// Sectors of these that were written again meanwhile.
    pub(super) redirtied: u64,
    pub(super) filling: Filling,
    /// The block is counted as changed before it is.
    pub(super) reserved: bool,
}

impl Active {
    fn is_idle(&self) -> bool {
        let none = self.reads == 0 && self.writes == 0 && self.destaging == 0;
        none && self.filling == Filling::No
    }
}

/// The records of all slots that have one.
#[derive(Clone, Debug, Default)]
pub(super) struct Activity {
    of_slot: Vec<u32>,
    records: Vec<Active>,
    free: Vec<u32>,
}

impl Activity {
    /// True if something is in flight at a slot.
    #[inline]
    pub(super) fn is_busy(&self, slot: u32) -> bool {
        self.of_slot.get(slot as usize).is_some_and(|&record| record != NONE)
    }

    /// What is in flight at a slot.
    #[inline]
    pub(super) fn get(&self, slot: u32) -> Active {
        match self.of_slot.get(slot as usize) {
            Some(&record) if record != NONE => self.records[record as usize],
            _ => Active::default(),
        }
    }

    /// The record of a slot, made if there is none.
    pub(super) fn at(&mut self, slot: u32) -> &mut Active {
        if slot as usize >= self.of_slot.len() {
            self.of_slot.resize(slot as usize + 1, NONE);
        }
        let mut record = self.of_slot[slot as usize];
        if record == NONE {
            record = self.free.pop().unwrap_or_else(|| {
                self.records.push(Active::default());
                narrow(self.records.len() - 1)
            });
            self.records[record as usize] = Active::default();
            self.of_slot[slot as usize] = record;
        }
        &mut self.records[record as usize]
    }

    /// Gives the record of a slot back if nothing is in flight there; returns whether it is idle.
    pub(super) fn settle(&mut self, slot: u32) -> bool {
        let Some(&record) = self.of_slot.get(slot as usize) else { return true };
        if record == NONE {
            return true;
        }
        if !self.records[record as usize].is_idle() {
            return false;
        }
        self.of_slot[slot as usize] = NONE;
        self.free.push(record);
        true
    }

    /// Slots with something in flight.
    pub(super) fn len(&self) -> usize {
        self.records.len() - self.free.len()
    }

    /// Nothing is in flight any more.
    pub(super) fn clear(&mut self) {
        *self = Activity::default();
    }

    /// Slots of all records.
    pub(super) fn slots(&self) -> impl Iterator<Item = u32> + '_ {
        (0..narrow(self.of_slot.len())).filter(|&slot| self.of_slot[slot as usize] != NONE)
    }
}
