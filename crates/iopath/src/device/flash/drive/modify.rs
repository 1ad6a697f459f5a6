//! Writes that cover a mapping unit in part: the rest of the unit is read before it is placed.

use super::Drive;
use crate::device::flash::ftl::map::UNMAPPED;
use crate::device::flash::nand::ReadOwner;
use crate::kernel::Context;
use crate::kernel::command::{CommandId, Op};
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use rustc_hash::FxHashMap;

/// A write smaller than its mapping unit, waiting for the rest of the unit.
struct Modify<P> {
    payload: P,
    /// Physical units that it will take.
    size: u32,
    /// The stream hint of the write.
    hint: u16,
    /// Durable writes and flushes that wait until the unit is placed.
    waiters: Vec<CommandId>,
    /// Reads still in flight.
    parts: u32,
}

/// Units that wait for their rest.
pub(super) struct Modifies<P> {
    units: FxHashMap<u32, Modify<P>>,
    /// Those that have it and wait until a group is free.
    stalled: Vec<u32>,
}

impl<P> Default for Modifies<P> {
    fn default() -> Self {
        Modifies { units: FxHashMap::default(), stalled: Vec::new() }
    }
}

impl<P: Payload> Modifies<P> {
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.units.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.units.len()
    }

    /// True if some have all they need and no place.
    pub(super) fn has_stalled(&self) -> bool {
        !self.stalled.is_empty()
    }

    /// What was last written to a unit that waits.
    #[inline]
    pub(super) fn payload(&self, logical: u32) -> Option<P> {
        match self.units.is_empty() {
            true => None,
            false => self.units.get(&logical).map(|modify| modify.payload),
        }
    }

    /// A flush waits for all of them.
    pub(super) fn await_all(&mut self, id: CommandId) {
        self.units.values_mut().for_each(|modify| modify.waiters.push(id));
    }

    /// All that wait, ordered by unit: unit, physical units that it takes, what was written.
    pub(super) fn sorted(&self) -> Vec<(u32, u32, P)> {
        let mut all: Vec<(u32, u32, P)> =
            self.units.iter().map(|(&unit, m)| (unit, m.size, m.payload)).collect();
        all.sort_unstable_by_key(|&(unit, ..)| unit);
        all
    }

    /// All are gone with the power.
    pub(super) fn clear(&mut self) {
        self.units.clear();
        self.stalled.clear();
    }
}

impl<P: Payload> Drive<P> {
    /// A write that covers a unit in part: the rest of the unit has to be read first.
    pub(super) fn write_part<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        id: CommandId,
        logical: u32,
        bytes: u64,
        size: u32,
    ) {
        let command = context.commands.get(id);
        let (payload, hint) = (command.payload, command.stream.into());
        self.health.modify_bytes += self.unit_bytes - bytes;
        let durable = self.must_be_durable(context.commands.get(id).durable);
        if let Some(modify) = self.modifies.units.get_mut(&logical) {
            (modify.payload, modify.hint) = (payload, hint);
            if durable {
                modify.waiters.push(id);
                context.commands.get_mut(id).remaining += 1;
            }
            return;
        }
        self.buffer.enter(size);
        let unit = self.ftl.map().get(logical);
        if unit == UNMAPPED || self.stripes.in_buffer(self.ftl.layout(), unit) {
            self.place(context, logical, payload, hint, size);
            return;
        }
        let mut waiters = Vec::new();
        if durable {
            waiters.push(id);
            context.commands.get_mut(id).remaining += 1;
        }
        let owner = ReadOwner::Modify(logical);
        let mut pending = None;
        let bytes = self.stored_bytes(unit);
        let mut parts = self.ask(context, owner, unit, 0, bytes, &mut pending);
        if let Some(last) = pending {
            self.issue(context, last.read);
            parts += 1;
        }
        self.modifies.units.insert(logical, Modify { payload, hint, size, waiters, parts });
    }

    /// The rest of a partly written unit has been read.
    pub(super) fn modified<O: Probe<P>>(&mut self, context: &mut Context<P, O>, logical: u32) {
        let Some(modify) = self.modifies.units.get_mut(&logical) else { return };
        modify.parts = modify.parts.saturating_sub(1);
        if modify.parts > 0 {
            return;
        }
        if self.ftl.can_place_host() {
            self.place_modified(context, logical);
        } else {
            // Rare: collection has to free a group first.
            self.modifies.stalled.push(logical);
        }
        self.go_on(context);
    }

    fn place_modified<O: Probe<P>>(&mut self, context: &mut Context<P, O>, logical: u32) {
        let Some(modify) = self.modifies.units.remove(&logical) else { return };
        self.place(context, logical, modify.payload, modify.hint, modify.size);
        self.ftl.end_command();
        self.release_waiters(context, modify.waiters);
    }

    /// Places what [`Drive::modified`] had to put off, as far as there is room.
    pub(super) fn retry_modifies<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        while self.ftl.can_place_host()
            && let Some(logical) = self.modifies.stalled.pop()
        {
            self.place_modified(context, logical);
        }
    }

    /// A unit that waited for its other part has been overwritten or trimmed.
    pub(super) fn drop_modify<O: Probe<P>>(&mut self, context: &mut Context<P, O>, logical: u32) {
        if let Some(modify) = self.modifies.units.remove(&logical) {
            self.buffer.leave(modify.size);
            self.release_waiters(context, modify.waiters);
        }
    }

    /// A unit that these commands waited for is placed; those that wait for no other can now wait
    /// for the flash.
    fn release_waiters<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        waiters: Vec<CommandId>,
    ) {
        for id in waiters {
            let command = context.commands.get_mut(id);
            command.remaining -= 1;
            let whole = command.op == Op::Flush || command.progress == command.len;
            if command.remaining == 0 && whole {
                self.await_durable(context, id);
            }
        }
    }
}
