//! Writes: through the buffer into word lines, and from there to the flash.

use super::admission::{Admitted, Room};
use super::{Drive, Modify};
use crate::device::flash::config::Protection;
use crate::device::flash::ftl::map::UNMAPPED;
use crate::device::flash::nand::{ReadOwner, WordLine};
use crate::kernel::Context;
use crate::kernel::command::{CommandId, Op};
use crate::kernel::data::UNIT;
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use engine::{Duration, Instant};

impl<P: Payload> Drive<P> {
    /// Lets everything go on that may have waited for what just changed: units and writes that
    /// wait for space, word lines that are full, collection.
    #[inline]
    pub(super) fn go_on<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        loop {
            self.retry_modifies(context);
            if self.translation.is_some() {
                self.write_leaving_pages(context);
            }
            self.admit_waiting(context);
            if self.ftl.has_ready() {
                self.send_ready(context);
            }
            if !self.ftl.wants_collection(self.collection_goal()) && self.ftl.victims() == 0 {
                return;
            }
            // Collection may free space at once: a victim that holds nothing, a page that is still
            // in the buffer. No event will tell the writes that wait for it.
            let before = (self.ftl.debt(), self.ftl.released());
            let bursting = self.is_bursting();
            self.collect(context);
            let over = bursting && !self.is_bursting() && self.ftl.debt() < self.slack;
            let waits = !self.waiting.is_empty()
                || !self.stalled_modifies.is_empty()
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
        let now = context.queue.now();
        if self.waiting.is_empty() {
            let since = self.waiting_since.take();
            self.waited += since.map_or(Duration::ZERO, |since| now.since(since));
        } else {
            self.waiting_since.get_or_insert(now);
        }
    }

    #[inline]
    fn admit_some<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        while let Some(&id) = self.waiting.front() {
            if self.ftl.is_read_only() && context.commands.get(id).progress == 0 {
                self.waiting.pop_front();
                self.refuse(context, id);
                continue;
            }
            match self.admit(context, id, Room::Common) {
                Admitted::Whole(received) => {
                    self.waiting.pop_front();
                    self.accepted(context, id, received);
                }
                Admitted::Turn => {
                    self.waiting.pop_front();
                    self.waiting.push_back(id);
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
        let command = *context.commands.get(id);
        let start = self.on_drive(&command);
        let end = start + command.len as u64;
        let mut at = start + command.progress as u64;
        let turn_ends = match self.turn_bytes {
            u64::MAX => u64::MAX,
            turn => start + (u64::from(command.progress) / turn + 1) * turn,
        };
        let mut outcome = Admitted::Whole(Instant::ZERO);
        let (mut stored, before) = (0, self.buffered);
        while at < end {
            if at >= turn_ends {
                outcome = Admitted::Turn;
                break;
            }
            if !self.has_room(room, self.buffered.saturating_sub(before))
                || self.is_behind() && !self.ftl.is_read_only()
                || !self.ftl.can_place_host()
            {
                outcome = Admitted::Waits;
                break;
            }
            let logical = (at / self.unit_bytes) as u32;
            let unit_start = logical as u64 * self.unit_bytes;
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
                self.buffered += size;
                if !self.modifies.is_empty() {
                    // The whole unit is new: what its other part was no longer matters.
                    self.drop_modify(context, logical);
                }
            }
            self.health.host_write_bytes += bytes;
            at += bytes;
        }
        let admitted = at - start - command.progress as u64;
        context.commands.get_mut(id).progress = (at - start) as u32;
        let now = context.queue.now();
        if room == Room::Kept {
            self.kept_used += self.buffered.saturating_sub(before);
        }
        let complete = matches!(outcome, Admitted::Whole(_));
        if admitted == 0 && !complete {
            return outcome;
        }
        let received = self.link.receive(now, admitted, stored);
        if !complete {
            return outcome;
        }
        self.ftl.end_command();
        Admitted::Whole(received)
    }

    #[inline]
    fn place<O: Probe<P>>(
        &mut self,
        context: &Context<P, O>,
        logical: u32,
        payload: P,
        hint: u16,
        size: u32,
    ) {
        self.ftl.set_hint(hint);
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

    /// A write that covers a unit in part: the rest of the unit has to be read first.
    fn write_part<O: Probe<P>>(
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
        if let Some(modify) = self.modifies.get_mut(&logical) {
            (modify.payload, modify.hint) = (payload, hint);
            if durable {
                modify.waiters.push(id);
                context.commands.get_mut(id).remaining += 1;
            }
            return;
        }
        self.buffered += size;
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
        if let Some(read) = pending {
            self.issue(context, read);
            parts += 1;
        }
        self.modifies.insert(logical, Modify { payload, hint, size, waiters, parts });
    }

    /// The rest of a partly written unit has been read.
    pub(super) fn modified<O: Probe<P>>(&mut self, context: &mut Context<P, O>, logical: u32) {
        let Some(modify) = self.modifies.get_mut(&logical) else { return };
        modify.parts = modify.parts.saturating_sub(1);
        if modify.parts > 0 {
            return;
        }
        if self.ftl.can_place_host() {
            self.place_modified(context, logical);
        } else {
            // Rare: collection has to free a group first.
            self.stalled_modifies.push(logical);
        }
        self.go_on(context);
    }

    fn place_modified<O: Probe<P>>(&mut self, context: &mut Context<P, O>, logical: u32) {
        let Some(modify) = self.modifies.remove(&logical) else { return };
        self.place(context, logical, modify.payload, modify.hint, modify.size);
        self.ftl.end_command();
        self.release_waiters(context, modify.waiters);
    }

    /// Places what [`Drive::modified`] had to put off, as far as there is room.
    pub(super) fn retry_modifies<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        while self.ftl.can_place_host()
            && let Some(logical) = self.stalled_modifies.pop()
        {
            self.place_modified(context, logical);
        }
    }

    /// A unit that waited for its other part has been overwritten or given up.
    pub(super) fn drop_modify<O: Probe<P>>(&mut self, context: &mut Context<P, O>, logical: u32) {
        if let Some(modify) = self.modifies.remove(&logical) {
            self.leave_buffer(modify.size);
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

    #[inline]
    fn must_be_durable(&self, asked: bool) -> bool {
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
            self.finish(context, id, Some(self.write_done), at);
        }
    }

    /// Makes everything placed so far go to the flash and completes `id` when it is there.
    fn await_durable<O: Probe<P>>(&mut self, context: &mut Context<P, O>, id: CommandId) {
        self.ftl.pad_host();
        self.send_ready(context);
        self.durable.push((self.next_line, id));
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
            self.modifies.values_mut().for_each(|modify| modify.waiters.push(id));
            context.commands.get_mut(id).remaining = self.modifies.len() as u32;
            if self.modifies.is_empty() {
                self.await_durable(context, id);
            }
        } else {
            let now = context.queue.now();
            self.finish(context, id, None, now);
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
            let sequence = self.next_line;
            self.next_line += 1;
            self.lines_done.push_back(false);
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
        self.leave_buffer(r.host_units);
        self.copies_buffered -= r.copy_units;
        self.lines_done[(line.sequence - self.first_line) as usize] = true;
        while self.lines_done.front() == Some(&true) {
            self.lines_done.pop_front();
            self.first_line += 1;
        }
        let stripes = &self.stripes;
        self.ftl.settle_undo(|layout, unit| !stripes.in_buffer(layout, unit));
        self.complete_durable(context);
        self.go_on(context);
    }

    fn complete_durable<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        let now = context.queue.now();
        let mut i = 0;
        while i < self.durable.len() {
            if self.durable[i].0 <= self.first_line {
                let (_, id) = self.durable.remove(i);
                debug_assert!(context.commands.get(id).op != Op::Read);
                self.finish(context, id, None, now);
            } else {
                i += 1;
            }
        }
    }
}
