//! Writes: through the buffer into word lines, and from there to the flash.

use super::Drive;
use super::admission::Admitted;
use super::buffer::Room;
use crate::device::flash::config::Protection;
use crate::device::flash::nand::WordLine;
use crate::kernel::Context;
use crate::kernel::command::{Command, CommandId, Op};
use crate::kernel::data::UNIT;
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use engine::{Instant, narrow};

impl<P: Payload> Drive<P> {
    /// Lets everything continue that may have waited for what just changed: units and writes that
    /// wait for space, word lines that are full, collection.
    #[inline]
    pub(super) fn go_on<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        loop {
            if self.modifies.has_stalled() {
                self.retry_modifies(context);
            }
            if self.translation.is_some() {
                self.write_leaving_pages(context);
            }
            self.admit_waiting(context);
            if self.ftl.has_ready() {
                self.send_ready(context);
            }
            let wanted = self.ftl.wants_collection(self.collection_goal());
            if !wanted && self.ftl.victims() == 0 {
                return;
            }
            // Collection may free space at once: a victim that holds nothing, a page that is still
            // in the buffer. No event will wake the writes that wait for it.
            let before = (self.ftl.debt(), self.ftl.released());
            let bursting = self.is_bursting();
            self.collect(context, wanted);
            let over = bursting && !self.is_bursting() && self.ftl.debt() < self.slack;
            let waits = !self.waiting.is_empty()
                || self.modifies.has_stalled()
                || self.ftl.has_leaving_page();
            if !waits || before == (self.ftl.debt(), self.ftl.released()) && !over {
                return;
            }
        }
    }

    /// Takes as many waiting writes into the buffer as it has room for and collection allows.
    #[inline]
    fn admit_waiting<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        if self.waiting.is_empty() {
            return;
        }
        self.admit_some(context);
        self.waiting.count(context.queue.now());
    }

    #[inline]
    fn admit_some<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        while let Some(id) = self.waiting.first() {
            if self.ftl.is_read_only() && context.commands.get(id).progress == 0 {
                self.waiting.pop();
                self.refuse(context, id);
                continue;
            }
            match self.admit(context, id, Room::Common) {
                Admitted::Whole(received) => {
                    self.waiting.pop();
                    self.accepted(context, id, received);
                }
                Admitted::Turn => {
                    self.waiting.rotate();
                }
                Admitted::Waits => {
                    if !self.admit_small(context) {
                        return;
                    }
                }
            }
        }
    }

    /// Places the units of one write. If the rest must wait, the link moves what there is room for
    /// meanwhile.
    #[inline]
    pub(super) fn admit<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        id: CommandId,
        room: Room,
    ) -> Admitted {
        // Most writes that wait are looked at more than once in vain.
        let command = context.commands.get(id);
        if command.progress < command.len {
            let units = self.first_units(command);
            if !self.may_place(room, 0, units) {
                return Admitted::Waits;
            }
        }
        self.place_units(context, id, room)
    }

    /// True if there is room for so many units of a write that has taken `taken` just now, and
    /// collection is not behind. With 0 units that was asked for the page that it is in.
    #[inline]
    fn may_place(&mut self, room: Room, taken: u32, units: u32) -> bool {
        let asked = units == 0
            || self.buffer.has_room(room, taken, units * self.ftl.full_size())
                && (!self.is_behind() || self.ftl.is_read_only());
        asked && self.ftl.can_place_host()
    }

    /// Units that a write from `start` to `end` places at once when it goes on at a byte: one, or
    /// where commands begin their own pages, what there is for the next page, so that no copies
    /// come between; 0 within a page.
    #[inline]
    fn placed_at_once(&self, start: u64, at: u64, end: u64) -> u32 {
        if self.at_once == 1 {
            return 1;
        }
        let (placed, left) = self.in_page(start, at, end);
        if placed == 0 { left } else { 0 }
    }

    /// Units of a page that a write from `start` to `end` has placed when it goes on at a byte, and
    /// those that it still has for that page.
    #[inline]
    fn in_page(&self, start: u64, at: u64, end: u64) -> (u32, u32) {
        let unit = at / self.unit_bytes;
        let placed = narrow::<u32>(unit - start / self.unit_bytes) % self.at_once;
        let left: u32 = narrow(end.div_ceil(self.unit_bytes) - unit);
        (placed, left.min(self.at_once - placed))
    }

    /// The same for a write that begins or goes on: a turn may have ended within a page, and what
    /// is left of it is asked for again.
    #[inline]
    fn first_units(&self, command: &Command<P>) -> u32 {
        if self.at_once == 1 {
            return 1;
        }
        let start = self.on_drive(command);
        let (at, end) = (start + u64::from(command.progress), start + u64::from(command.len));
        self.in_page(start, at, end).1
    }

    /// Places the units of a write for the first of which there is a place.
    fn place_units<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        id: CommandId,
        room: Room,
    ) -> Admitted {
        let command = *context.commands.get(id);
        let start = self.on_drive(&command);
        let end = start + command.len as u64;
        let first = start + command.progress as u64;
        let mut at = first;
        let turn_ends = match self.turn_bytes {
            u64::MAX => u64::MAX,
            turn => start + (u64::from(command.progress) / turn + 1) * turn,
        };
        let mut outcome = Admitted::Whole(Instant::ZERO);
        let (mut stored, before) = (0, self.buffer.used());
        let mut logical: u32 = narrow(at / self.unit_bytes);
        while at < end {
            if at >= turn_ends {
                outcome = Admitted::Turn;
                break;
            }
            let taken = self.buffer.used().saturating_sub(before);
            let units = self.placed_at_once(start, at, end);
            if at > first && !self.may_place(room, taken, units) {
                outcome = Admitted::Waits;
                break;
            }
            let unit_start = logical as u64 * self.unit_bytes;
            self.prefetch_ahead(unit_start, end);
            let bytes = (unit_start + self.unit_bytes).min(end) - at;
            let size = self.stored_size(command.stored_ppm);
            stored += if self.config.compression.is_none() {
                bytes
            } else {
                (size as u64 * self.config.geometry.unit_bytes as u64).min(bytes)
            };
            if bytes < self.unit_bytes {
                self.write_part(context, id, logical, bytes, size);
            } else {
                let payload = context.data.get(id, (at - start) / UNIT);
                let payload = payload.unwrap_or(command.payload);
                self.place(context, logical, payload, command.stream.into(), size);
                self.buffer.enter(size);
                if !self.modifies.is_empty() {
                    // The whole unit is new: what its other part was no longer matters.
                    self.drop_modify(context, logical);
                }
            }
            self.health.host_write_bytes += bytes;
            at += bytes;
            logical += 1;
        }
        let admitted = at - start - command.progress as u64;
        context.commands.get_mut(id).progress = narrow(at - start);
        if room == Room::Kept {
            self.buffer.count_kept(self.buffer.used().saturating_sub(before));
        }
        let complete = matches!(outcome, Admitted::Whole(_));
        if admitted == 0 && !complete {
            return outcome;
        }
        let received = self.link.receive(context.queue.now(), admitted, stored);
        if !complete {
            return outcome;
        }
        self.ftl.end_command();
        Admitted::Whole(received)
    }

    #[inline]
    pub(super) fn place<O: Probe<P>>(
        &mut self,
        context: &Context<P, O>,
        logical: u32,
        payload: P,
        hint: u16,
        size: u32,
    ) {
        self.ftl.set_hint(hint);
        self.ftl.note_order(logical, 1);
        self.ftl.set_stored(size);
        self.ftl.place_host(logical, payload);
        if self.ftl.has_opened() {
            self.track_opened(context.queue.now());
        }
    }

    /// Physical units that data takes of which so many millionths are left after compression.
    #[inline]
    fn stored_size(&mut self, stored_ppm: u32) -> u32 {
        let Some(compression) = self.config.compression else { return self.ftl.full_size() };
        let kept = (stored_ppm as u64).max(compression.smallest.base());
        self.rounding.grains(self.ftl.full_size(), kept)
    }

    /// Bytes of the flash that hold a unit.
    #[inline]
    pub(super) fn stored_bytes(&self, unit: u32) -> u64 {
        self.ftl.size_of(unit) as u64 * self.config.geometry.unit_bytes as u64
    }

    /// Registers stripes that a stream has just opened: none of their rows is on the flash.
    pub(super) fn track_opened(&mut self, now: Instant) {
        let dies = self.config.geometry.dies as usize;
        while let Some((groups, lines)) = self.ftl.take_opened() {
            if let Some(cells) = &mut self.cells {
                let erases = self.ftl.pool().erases();
                groups.iter().for_each(|&g| cells.written(g, erases[g as usize], now));
            }
            self.stripes.open(&groups, lines, std::iter::repeat_n(0, dies));
        }
    }

    #[inline]
    pub(super) fn must_be_durable(&self, asked: bool) -> bool {
        match self.config.buffer.protection {
            Protection::Protected => false,
            Protection::Volatile => asked,
            Protection::Off => true,
        }
    }

    /// All units of a write are in the buffer: acknowledge it, or wait until it is durable.
    #[inline]
    pub(super) fn accepted<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        id: CommandId,
        received: Instant,
    ) {
        let now = context.queue.now();
        let command = context.commands.get(id);
        let (len, durable) = (command.len as u64, command.durable);
        self.nand.count_written_bytes(now, len);
        if self.must_be_durable(durable) {
            if context.commands.get(id).remaining == 0 {
                self.await_durable(context, id);
            }
        } else {
            let at = received + self.config.controller.write_ack;
            self.finish(context, id, at);
        }
    }

    /// Makes everything placed so far go to the flash and completes `id` when it is there.
    pub(super) fn await_durable<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        id: CommandId,
    ) {
        self.ftl.pad_host();
        self.send_ready(context);
        self.programs.await_all(id);
        self.complete_durable(context);
    }

    /// A flush: everything acknowledged must be durable.
    pub(super) fn dispatch_flush<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        id: CommandId,
    ) {
        if self.config.buffer.protection == Protection::Volatile {
            // Acknowledged parts of units come first: they are not placed yet.
            self.modifies.await_all(id);
            context.commands.get_mut(id).remaining = narrow(self.modifies.len());
            if self.modifies.is_empty() {
                self.await_durable(context, id);
            }
        } else {
            let now = context.queue.now();
            self.finish(context, id, now);
        }
    }

    /// Sends full word lines to the flash.
    pub(super) fn send_ready<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        let mut ready = std::mem::take(&mut self.ready);
        self.ftl.take_ready(&mut ready);
        let now = context.queue.now();
        for ready in ready.drain(..) {
            if ready.parity {
                self.ftl.note_parity(self.ftl.line_units(ready.slc));
            }
            let sequence = self.programs.begin();
            let line = WordLine { ready, sequence, erase_first: false };
            self.nand.program(&mut context.queue, now, line);
        }
        self.ready = ready;
    }

    /// A word line is on the flash: its place in the buffer is free.
    pub(super) fn programmed<O: Probe<P>>(&mut self, context: &mut Context<P, O>, line: WordLine) {
        let r = line.ready;
        if let Some(groups) = self.stripes.programmed(r.group, r.die, r.row) {
            self.ftl.settle_stripe(groups);
        }
        self.buffer.leave(r.host_units);
        self.copies.leave(r.copy_units);
        self.programs.end(line.sequence);
        let stripes = &self.stripes;
        self.ftl.settle_undo(|layout, unit| !stripes.in_buffer(layout, unit));
        self.complete_durable(context);
        self.go_on(context);
    }

    fn complete_durable<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        let now = context.queue.now();
        while let Some(id) = self.programs.pop_durable() {
            debug_assert!(context.commands.get(id).op != Op::Read);
            self.finish(context, id, now);
        }
    }
}
