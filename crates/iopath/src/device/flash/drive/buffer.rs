//! The write buffer: how much is in it, and which writes enter a full one.
//!
//! First come, first served, unless the model keeps a part of it for small writes. The part that is
//! kept is used by small writes that would have to wait behind a large one; they pass it. Where a
//! write's data is in the buffer is not distinguished: as the flash takes data, both parts are
//! freed in proportion to what they hold, so that neither kind starves the other.

use crate::device::flash::config::BufferConfig;
use engine::narrow;

/// The part of the buffer that a write asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Room {
    /// What all use.
    Common,
    /// What is kept for small writes.
    Kept,
}

/// The buffer, in physical units.
#[derive(Clone, Copy, Debug)]
pub(super) struct Buffer {
    size: u32,
    /// Of these, kept for small writes.
    kept: u32,
    used: u32,
    /// Of these, in the part that is kept.
    kept_used: u32,
    /// Parts of a unit that are free of these, as a share of what was in the buffer.
    kept_leaving: u64,
}

impl Buffer {
    /// An empty buffer.
    pub(super) fn new(config: &BufferConfig) -> Self {
        let (size, kept) = (config.units, config.admission.kept_units);
        Buffer { size, kept, used: 0, kept_used: 0, kept_leaving: 0 }
    }

    /// Units in it.
    #[inline]
    pub(super) fn used(&self) -> u32 {
        self.used
    }

    /// True if there is room for `unit` more of a write that has taken `taken` just now.
    #[inline]
    pub(super) fn has_room(&self, room: Room, taken: u32, unit: u32) -> bool {
        match room {
            Room::Common => self.used - self.kept_used + unit <= self.size - self.kept,
            // What gets free is divided in whole units, so one part may hold a unit too much.
            Room::Kept => {
                self.kept_used + taken + unit <= self.kept && self.used + unit <= self.size
            }
        }
    }

    /// True if a part of it is kept for small writes.
    pub(super) fn keeps_room(&self) -> bool {
        self.kept > 0
    }

    /// Units have come in.
    #[inline]
    pub(super) fn enter(&mut self, units: u32) {
        self.used += units;
    }

    /// Units that have come in are in the part that is kept.
    pub(super) fn count_kept(&mut self, units: u32) {
        self.kept_used += units;
    }

    /// Units have gone to the flash.
    #[inline]
    pub(super) fn leave(&mut self, units: u32) {
        if self.kept_used > 0 && units > 0 {
            let before = u64::from(self.used);
            self.kept_leaving += u64::from(units) * u64::from(self.kept_used);
            let free: u32 = narrow(self.kept_leaving / before);
            self.kept_used = self.kept_used.saturating_sub(free);
            self.kept_leaving %= before;
        }
        self.used -= units;
        self.kept_used = self.kept_used.min(self.used);
    }

    /// Holds `units`, as after a change in zero time.
    pub(super) fn hold(&mut self, units: u32) {
        (self.used, self.kept_used) = (units, 0);
    }

    /// Panics if it holds more than it can.
    pub(super) fn audit(&self) {
        assert!(self.used <= self.size, "the buffer overflowed");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(size: u32, kept: u32) -> Buffer {
        Buffer { size, kept, used: 0, kept_used: 0, kept_leaving: 0 }
    }

    #[test]
    fn a_unit_fits_up_to_the_last_place_of_each_part() {
        let mut b = buffer(10, 3);
        b.enter(6);
        assert!(b.has_room(Room::Common, 0, 1));
        b.enter(1);
        assert!(!b.has_room(Room::Common, 0, 1), "the rest is kept");
        assert!(b.has_room(Room::Kept, 2, 1));
        assert!(!b.has_room(Room::Kept, 3, 1));
    }

    #[test]
    fn both_parts_get_free_in_proportion_to_what_they_hold() {
        let mut b = buffer(100, 50);
        b.enter(80);
        b.count_kept(20);
        b.leave(40);
        assert_eq!((b.used(), b.kept_used), (40, 10));
        b.leave(40);
        assert_eq!((b.used(), b.kept_used), (0, 0));
    }
}
