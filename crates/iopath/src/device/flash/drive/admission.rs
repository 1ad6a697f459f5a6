//! Writes that pass others into what the buffer keeps for small ones.

use super::Drive;
use super::buffer::Room;
use crate::kernel::Context;
use crate::kernel::command::CommandId;
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use engine::Instant;

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
    /// The first write waits: lets a small one pass it into what is kept for such. Returns whether
    /// one is in.
    pub(super) fn admit_small<O: Probe<P>>(&mut self, context: &mut Context<P, O>) -> bool {
        let full = self.ftl.full_size();
        if !self.buffer.keeps_room() || !self.buffer.has_room(Room::Kept, 0, full) {
            return false;
        }
        let most = self.config.buffer.admission.small_bytes;
        let is_small = |id: &CommandId| context.commands.get(*id).len <= most;
        let Some((place, id)) = self.waiting.find(is_small) else { return false };
        let Admitted::Whole(received) = self.admit(context, id, Room::Kept) else { return false };
        self.waiting.remove(place);
        self.accepted(context, id, received);
        true
    }
}
