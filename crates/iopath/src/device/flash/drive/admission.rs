//! Who gets into a full write buffer: first come, first served, unless the model keeps a part of it
//! for small writes or lets writes take turns.
//!
//! The part that is kept is used by small writes that would have to wait behind a large one; they
//! pass it. Where a write's data lies in the buffer is not told apart: as the flash takes data,
//! both parts get free in proportion to what they hold, so that neither kind starves the other.

use super::Drive;
use crate::kernel::Context;
use crate::kernel::command::CommandId;
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use engine::Instant;

/// The part of the buffer that a write asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Room {
    /// What all use.
    Common,
    /// What is kept for small writes.
    Kept,
}

/// What has become of a write that asked for room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Admitted {
    /// All of it is in; its last byte is over the link then.
    Whole(Instant),
    /// Its turn is over.
    Turn,
    /// There is no room, or collection is behind.
    Waits,
}

impl<P: Payload> Drive<P> {
    /// True if the buffer has room for another unit of a write that has taken `taken` just now.
    #[inline]
    pub(super) fn has_room(&self, room: Room, taken: u32) -> bool {
        let (all, kept) = (self.config.buffer.units, self.config.buffer.admission.kept_units);
        let unit = self.ftl.full_size();
        match room {
            Room::Common => self.buffered - self.kept_used + unit <= all - kept,
            // What gets free is divided in whole units, so one part may hold a unit too much.
            Room::Kept => self.kept_used + taken + unit <= kept && self.buffered + unit <= all,
        }
    }

    /// Units have gone from the buffer to the flash.
    #[inline]
    pub(super) fn leave_buffer(&mut self, units: u32) {
        if self.kept_used > 0 && units > 0 {
            let before = u64::from(self.buffered);
            self.kept_leaving += u64::from(units) * u64::from(self.kept_used);
            let free = (self.kept_leaving / before) as u32;
            self.kept_used = self.kept_used.saturating_sub(free);
            self.kept_leaving %= before;
        }
        self.buffered -= units;
        self.kept_used = self.kept_used.min(self.buffered);
    }

    /// The first write waits: lets a small one pass it into what is kept for such. Returns whether
    /// one is in.
    pub(super) fn admit_small<O: Probe<P>>(&mut self, context: &mut Context<P, O>) -> bool {
        if self.config.buffer.admission.kept_units == 0 || !self.has_room(Room::Kept, 0) {
            return false;
        }
        let most = self.config.buffer.admission.small_bytes;
        let is_small = |id: &CommandId| context.commands.get(*id).len <= most;
        let Some(at) = self.waiting.iter().position(is_small) else { return false };
        let id = self.waiting[at];
        let Admitted::Whole(received) = self.admit(context, id, Room::Kept) else { return false };
        self.waiting.remove(at);
        self.accepted(context, id, received);
        true
    }
}
