//! Writes by mode, trims and flushes.

use super::active::Filling;
use super::config::{Mode, WriteAdmission};
use super::grid::Run;
use super::jobs::Job;
use super::{Tier, Use};
use crate::kernel::Context;
use crate::kernel::command::{Command, CommandId, Op, Status};
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use engine::narrow;

/// Where a piece of a write goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    Cache(u32),
    Past,
    /// Not yet.
    Waits,
}

impl<P: Payload> Tier<P> {
    /// Begins a write, or continues with one that waited. Returns whether all of it is in flight.
    pub(super) fn write<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        id: CommandId,
        bypass: bool,
    ) -> bool {
        if self.backing_gone {
            self.note(context, id, Status::DeviceGone);
            let command = context.commands.get_mut(id);
            command.progress = command.len;
        } else if self.config.mode != Mode::WriteBack && self.usage != Use::Detached {
            self.write_past(context, id, bypass);
        } else if !self.write_back(context, id, bypass) {
            return false;
        }
        self.end_if_done(context, id, true);
        true
    }

    fn write_back<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        id: CommandId,
        bypass: bool,
    ) -> bool {
        let command = *context.commands.get(id);
        let end = command.start + command.len as u64;
        let mut at = command.start + command.progress as u64;
        // What takes the same path so far: past the cache, or to consecutive slots.
        let mut run: Option<(Option<u32>, u64)> = None;
        let mut whole = true;
        while at < end {
            let until = self.step(at, end);
            let slot = match self.way(at, until, bypass) {
                Way::Waits => {
                    whole = false;
                    break;
                }
                Way::Cache(slot) => Some(slot),
                Way::Past => {
                    self.counters.write_misses += 1;
                    None
                }
            };
            let joins = run.is_some_and(|(first, from)| match (first, slot) {
                (None, None) => true,
                (Some(first), Some(slot)) => {
                    first + self.grid.block_of(at) - self.grid.block_of(from) == slot
                }
                _ => false,
            });
            if !joins {
                self.send_write(context, id, &command, run, at);
                run = Some((slot, at));
            }
            if let Some(slot) = slot {
                let first = !joins || at.is_multiple_of(self.config.block);
                self.begin_piece(slot, at, until, first);
            }
            at = until;
        }
        self.send_write(context, id, &command, run, at);
        context.commands.get_mut(id).progress = narrow(at - command.start);
        whole
    }

    /// The end of the longest piece from `at` that has one answer: whole sectors of one block, or
    /// part of one sector.
    fn step(&self, at: u64, end: u64) -> u64 {
        let until = self.grid.block_end(at).min(end);
        let sector = self.config.sector;
        let rest = at % sector;
        if rest > 0 || until - at < sector {
            return (at - rest + sector).min(until);
        }
        until - until % sector
    }

    /// Where a piece goes, with a slot for it if it goes to the cache.
    fn way(&mut self, at: u64, until: u64, bypass: bool) -> Way {
        if self.cache_gone || self.usage == Use::Detached {
            return Way::Past;
        }
        if self.passing.touches(at, until) {
            return Way::Waits;
        }
        let block = self.grid.block_of(at);
        let found = self.directory.find(block);
        let touched = self.grid.touched(block, at, until);
        let part = self.grid.covered(block, at, until) != touched;
        if let Some(slot) = found {
            let record = self.activity.get(slot);
            if matches!(record.filling, Filling::Writing(_) | Filling::Dropped(_)) {
                return Way::Waits;
            }
            if part && touched & !self.directory.valid(slot) != 0 {
                if record.destaging & touched != 0 {
                    return Way::Waits;
                }
                self.drop_fill(slot);
                self.settle(slot);
                return Way::Past;
            }
            let dirty = self.directory.dirty(slot) != 0;
            if self.usage == Use::Detaching && !dirty && !self.activity.is_busy(slot) {
                self.directory.remove(slot);
                return Way::Past;
            }
            if !dirty && !record.reserved && !self.may_dirty() {
                return Way::Waits;
            }
            return Way::Cache(slot);
        }
        if part || bypass || self.usage == Use::Detaching {
            return Way::Past;
        }
        if self.config.write_admission == WriteAdmission::AsReads && !self.directory.admits(block) {
            return Way::Past;
        }
        if !self.may_dirty() {
            return Way::Waits;
        }
        let activity = &self.activity;
        match self.directory.insert(block, |slot| activity.is_busy(slot)) {
            Some(slot) => Way::Cache(slot),
            None => {
                self.destager.needs_slots();
                Way::Waits
            }
        }
    }

    /// True if one more block may hold dirty data.
    fn may_dirty(&mut self) -> bool {
        let changed = self.directory.dirty_blocks() + self.reserved;
        let may = changed < self.config.dirty_limit();
        if !may {
            self.destager.press();
        }
        may
    }

    /// Notes that a piece of a write is in flight; `first`: the first of its command in its block.
    fn begin_piece(&mut self, slot: u32, at: u64, until: u64, first: bool) {
        let block = self.grid.block_of(at);
        let mask = self.grid.touched(block, at, until);
        let before = self.directory.dirty(slot);
        // A fill that has not begun would bring what is older.
        self.drop_fill(slot);
        self.directory.touch(slot);
        self.directory.taint(slot, mask);
        let tainted = self.directory.dirty(slot) & !before;
        let record = self.activity.at(slot);
        record.writes += u32::from(first);
        record.tainted |= tainted;
        record.redirtied |= mask & record.destaging;
        let known = self.directory.valid(slot) != 0;
        self.counters.write_hits += u64::from(first && known);
        self.counters.write_misses += u64::from(first && !known);
        self.recount(slot);
    }

    /// A block is counted once: as changed, or as one that will be when a write to it is done.
    pub(super) fn recount(&mut self, slot: u32) {
        if self.config.mode != Mode::WriteBack || !self.activity.is_busy(slot) {
            return;
        }
        let record = self.activity.at(slot);
        let reserve = record.writes > 0 && self.directory.dirty(slot) == 0;
        if reserve && !record.reserved {
            self.reserved += 1;
        } else if !reserve && record.reserved {
            self.reserved -= 1;
        }
        record.reserved = reserve;
    }

    fn send_write<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        id: CommandId,
        command: &Command<P>,
        run: Option<(Option<u32>, u64)>,
        end: u64,
    ) {
        let Some((slot, start)) = run else { return };
        let command = Command { status: Status::Ok, ..*command };
        let offset = start - command.start;
        let Some(slot) = slot else {
            return self.pass(context, id, &command, start, end);
        };
        let run = Run { slot, start, len: narrow(end - start) };
        self.counters.cache_written_bytes += run.len as u64;
        let part = self.part_in_cache(&command, run);
        self.send_part(context, id, Job::WriteCache { client: id, run }, part, offset);
    }

    /// Sends a range of a client's write or trim to the slow device.
    fn pass<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        id: CommandId,
        command: &Command<P>,
        start: u64,
        end: u64,
    ) {
        if command.op == Op::Write {
            self.counters.passed_bytes += end - start;
        }
        self.passing.begin(start, end);
        let part = self.part(command, start, end);
        let offset = start - command.start;
        self.send_part(context, id, Job::WriteBacking { client: id }, part, offset);
    }

    /// A write through the cache, or around it: all of it goes to the slow device, and with it to
    /// the slots that hold its blocks, if they are kept up to date.
    fn write_past<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        id: CommandId,
        bypass: bool,
    ) {
        let command = *context.commands.get(id);
        let (start, end) = (command.start, command.start + command.len as u64);
        let mut runs: Vec<Run> = Vec::new();
        for block in self.grid.blocks(start, end) {
            let first = block as u64 * self.config.block;
            let (from, to) = (start.max(first), end.min(first + self.config.block));
            let Some(slot) = self.slot_through(block, from, to, bypass) else { continue };
            match runs.last_mut() {
                Some(run)
                    if run.end() == from
                        && run.slot
                            + narrow::<u32>(self.grid.blocks(run.start, run.end()).len())
                            == slot =>
                {
                    run.len += narrow::<u32>(to - from);
                }
                _ => runs.push(Run { slot, start: from, len: narrow(to - from) }),
            }
        }
        for &run in &runs {
            self.counters.cache_written_bytes += run.len as u64;
            let part = self.part_in_cache(&command, run);
            let job = Job::WriteCache { client: id, run };
            self.send_part(context, id, job, part, run.start - start);
        }
        if !runs.is_empty() {
            self.through.insert(id.0, runs);
        }
        if start < end {
            self.pass(context, id, &command, start, end);
        }
        context.commands.get_mut(id).progress = command.len;
    }

    /// The slot that a write through the cache updates beside the slow device, if any. What it
    /// replaces is invalid from now on.
    fn slot_through(&mut self, block: u32, from: u64, to: u64, bypass: bool) -> Option<u32> {
        let touched = self.grid.touched(block, from, to);
        let part = self.grid.covered(block, from, to) != touched;
        let through = self.config.mode == Mode::WriteThrough
            && self.usage == Use::Attached
            && !self.cache_gone
            && !part;
        let busy = self.passing.touches(from, to);
        let found = self.directory.find(block);
        let known = found.is_some_and(|slot| self.directory.valid(slot) != 0);
        self.counters.write_hits += u64::from(known);
        self.counters.write_misses += u64::from(!known);
        let Some(slot) = found else {
            let enters = through && !busy && !bypass;
            let admitted = enters
                && (self.config.write_admission == WriteAdmission::Always
                    || self.directory.admits(block));
            if !admitted {
                return None;
            }
            let activity = &self.activity;
            let slot = self.directory.insert(block, |slot| activity.is_busy(slot))?;
            self.begin_through(slot, touched);
            return Some(slot);
        };
        let filling = self.activity.get(slot).filling;
        self.directory.invalidate(slot, touched);
        self.drop_fill(slot);
        let under_way = matches!(filling, Filling::Writing(_) | Filling::Dropped(_));
        let other = busy && self.activity.get(slot).writing & touched == 0;
        if !through || under_way || other {
            self.settle(slot);
            return None;
        }
        self.directory.touch(slot);
        self.begin_through(slot, touched);
        Some(slot)
    }

    fn begin_through(&mut self, slot: u32, mask: u64) {
        let record = self.activity.at(slot);
        record.writes += 1;
        record.contested |= record.writing & mask;
        record.writing |= mask;
    }

    /// Part of a client's write is in the cache.
    pub(super) fn written_to_cache<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        client: CommandId,
        run: Run,
        done: &Command<P>,
    ) {
        // What a cache answered before it failed, and is heard after that, only it has.
        let ok = done.status == Status::Ok && !self.cache_gone;
        if self.config.mode == Mode::WriteBack {
            for (slot, mask) in self.grid.slots(run) {
                self.written_back(slot, mask, ok);
            }
            if !ok && !self.backing_gone {
                // The client need not know that the cache has failed.
                let command = Command { status: Status::Ok, ..*context.commands.get(client) };
                self.pass(context, client, &command, run.start, run.end());
            } else if !ok {
                self.note(context, client, done.status);
            }
        } else if !ok && let Some(runs) = self.through.get(&client.0) {
            // The slow device has it; the cache just does not.
            for &run in runs {
                for (slot, mask) in self.grid.slots(run) {
                    self.activity.at(slot).contested |= mask;
                }
            }
        }
        self.part_done(context, client);
    }

    fn written_back(&mut self, slot: u32, mask: u64, ok: bool) {
        let record = self.activity.at(slot);
        record.writes -= 1;
        record.contested = 0;
        let undone = record.tainted & mask;
        record.tainted &= !mask;
        if ok {
            self.directory.validate(slot, mask, true);
        } else {
            // The slow device still has the previous data.
            self.directory.clean(slot, undone);
        }
        self.recount(slot);
        self.settle(slot);
    }

    /// All parts of a write through the cache are done: what nothing else wrote meanwhile is valid.
    pub(super) fn written_through(&mut self, runs: &[Run], ok: bool) {
        for &run in runs {
            for (slot, mask) in self.grid.slots(run) {
                let record = self.activity.at(slot);
                record.writes -= 1;
                let sure = mask & !record.contested;
                if record.writes == 0 {
                    (record.writing, record.contested) = (0, 0);
                }
                if ok && self.usage == Use::Attached {
                    self.directory.validate(slot, sure, false);
                }
                self.settle(slot);
            }
        }
    }

    /// The slow device has done part of a client's write, or a trim.
    pub(super) fn written_to_backing<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        client: CommandId,
        done: &Command<P>,
    ) {
        let (start, end) = (done.start, done.start + done.len as u64);
        self.passing.end(start, end);
        if done.status != Status::Ok {
            self.note(context, client, done.status);
        } else if self.cache_gone {
            // What the cache lost of this range is new again.
            self.forget(start, end);
        }
        self.part_done(context, client);
    }

    pub(super) fn trim<O: Probe<P>>(&mut self, context: &mut Context<P, O>, id: CommandId) {
        let command = *context.commands.get(id);
        let (start, end) = (command.start, command.start + command.len as u64);
        for block in self.grid.blocks(start, end) {
            if let Some(slot) = self.directory.find(block) {
                self.drop_fill(slot);
                if self.activity.get(slot).writes > 0 {
                    // Which of them the slow device does last is not known.
                    let mask = self.grid.touched(block, start, end);
                    self.activity.at(slot).contested |= mask;
                }
                self.settle(slot);
            }
        }
        if start < end {
            self.pass(context, id, &command, start, end);
        }
        self.end_if_done(context, id, true);
    }

    /// A trim is done: its whole sectors are dropped.
    pub(super) fn trimmed<O: Probe<P>>(&mut self, context: &mut Context<P, O>, id: CommandId) {
        let command = context.commands.get(id);
        self.forget(command.start, command.start + command.len as u64);
    }

    /// Drops the whole sectors of a range.
    pub(super) fn forget(&mut self, start: u64, end: u64) {
        for block in self.grid.blocks(start, end) {
            if let Some(slot) = self.directory.find(block) {
                let mask = self.grid.covered(block, start, end);
                self.directory.invalidate(slot, mask);
                self.recount(slot);
                self.settle(slot);
            }
        }
    }

    /// A flush goes to the devices that hold what was acknowledged: the cache, and the slow device
    /// if anything passed to it since its last flush.
    pub(super) fn flush<O: Probe<P>>(&mut self, context: &mut Context<P, O>, id: CommandId) {
        let command = *context.commands.get(id);
        let passed = self.passing.done_so_far();
        let job = Job::Flush { client: id, passed };
        let part = self.part(&command, 0, 0);
        if self.passing.is_unsettled() || self.usage == Use::Detached {
            self.send_part(context, id, job, part, 0);
        }
        if !self.cache_gone && self.config.mode == Mode::WriteBack && self.usage != Use::Detached {
            let part = Command { target: self.cache, ..part };
            self.send_part(context, id, Job::Flush { client: id, passed: 0 }, part, 0);
        }
        self.end_if_done(context, id, true);
    }

    pub(super) fn flushed<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        client: CommandId,
        passed: u64,
        done: &Command<P>,
    ) {
        if done.status == Status::Ok {
            self.passing.flushed(passed);
        } else if done.target == self.backing {
            self.note(context, client, done.status);
        }
        self.part_done(context, client);
    }
}
