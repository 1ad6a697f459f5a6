//! Reads: what is valid from the cache, the rest from the slow device; and the fills that follow.

use super::active::Filling;
use super::grid::Run;
use super::jobs::Job;
use super::{Tier, Use};
use crate::kernel::Context;
use crate::kernel::command::{Command, CommandId, Op, Status};
use crate::kernel::data::UNIT;
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use engine::{index, narrow};

/// A piece of a read: in consecutive slots from this one, or on the slow device.
#[derive(Clone, Copy, Debug)]
struct Piece {
    start: u64,
    end: u64,
    slot: Option<u32>,
}

impl<P: Payload> Tier<P> {
    pub(super) fn read<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        id: CommandId,
        bypass: bool,
    ) {
        let command = *context.commands.get(id);
        let (start, end) = (command.start, command.start + command.len as u64);
        self.counters.read_bytes += command.len as u64;
        let mut piece = Piece { start, end: start, slot: None };
        let mut at = start;
        while at < end {
            let block = self.grid.block_of(at);
            let until = self.grid.block_end(at).min(end);
            let wanted = self.grid.touched(block, at, until);
            let slot = self.directory.find(block);
            let valid = slot.map_or(0, |slot| self.readable(context, id, slot, wanted));
            if wanted & !valid == 0 {
                self.counters.read_hits += 1;
                if let Some(slot) = slot {
                    self.directory.touch(slot);
                }
            } else {
                self.counters.read_misses += 1;
                if wanted & valid != 0 {
                    // What is read before this block does not reach into it.
                    self.send_piece(context, id, &command, &mut piece);
                }
                self.reserve_fill(block, slot, wanted, bypass);
            }
            self.cut(context, id, &command, &mut piece, (at, until), slot, valid);
            at = until;
        }
        self.send_piece(context, id, &command, &mut piece);
        self.end_if_done(context, id, true);
    }

    /// Sectors of a slot that can be read from the cache. Of a cache that has failed there are
    /// none, and sectors that only it held are lost: the read ends with an error.
    fn readable<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        id: CommandId,
        slot: u32,
        wanted: u64,
    ) -> u64 {
        if !self.cache_gone {
            // A cache that is being detached serves only data that nothing else has.
            return match self.usage {
                Use::Detaching => self.directory.dirty(slot),
                _ => self.directory.valid(slot),
            };
        }
        if self.only_here(slot) & wanted != 0 {
            self.note(context, id, Status::MediaError);
        }
        0
    }

    /// Sectors of a slot with acknowledged data that the slow device does not have.
    fn only_here(&self, slot: u32) -> u64 {
        self.directory.dirty(slot) & !self.activity.get(slot).tainted
    }

    /// Cuts a block's part of a read into what is valid and what is not, and joins it to the piece
    /// before where it follows on.
    #[allow(clippy::too_many_arguments)] // All of it is the state of one walk.
    fn cut<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        id: CommandId,
        command: &Command<P>,
        piece: &mut Piece,
        (mut at, until): (u64, u64),
        slot: Option<u32>,
        valid: u64,
    ) {
        let base = at / self.config.block * self.config.block;
        while at < until {
            let sector = (at - base) / self.config.sector;
            let here = valid >> sector & 1;
            // Sectors in a row that are alike.
            let alike = if here == 1 { !(valid >> sector) } else { valid >> sector };
            let next = base + (sector + alike.trailing_zeros() as u64) * self.config.sector;
            let stop = next.min(until);
            let slot = slot.filter(|_| here == 1);
            let follows = match (piece.slot, slot) {
                _ if piece.start == piece.end => false,
                (None, None) => true,
                (Some(first), Some(slot)) => {
                    first + self.grid.block_of(at) - self.grid.block_of(piece.start) == slot
                }
                _ => false,
            };
            if !follows {
                self.send_piece(context, id, command, piece);
                *piece = Piece { start: at, end: at, slot };
            }
            piece.end = stop;
            at = stop;
        }
    }

    /// Decides whether a block that missed will be filled with what is read now.
    fn reserve_fill(&mut self, block: u32, slot: Option<u32>, wanted: u64, bypass: bool) {
        if self.usage != Use::Attached || self.cache_gone || self.backing_gone {
            return;
        }
        let first = block as u64 * self.config.block;
        let touched = self.passing.touches(first, first + self.config.block);
        let can = !touched && self.filling < self.config.fill_commands;
        let slot = match slot {
            Some(slot) => {
                self.directory.touch(slot);
                let record = self.activity.get(slot);
                // What is destaged may be older than a trim since, and lands after this read.
                let busy = record.writes > 0 || record.destaging & wanted != 0;
                if busy || record.filling != Filling::No {
                    return;
                }
                can.then_some(slot)
            }
            None if bypass || !self.directory.admits(block) => return,
            None if can => {
                let activity = &self.activity;
                self.directory.insert(block, |slot| activity.is_busy(slot))
            }
            None => None,
        };
        let Some(slot) = slot else {
            self.counters.fills_skipped += 1;
            return;
        };
        // The number of the read is not known before it is sent.
        self.activity.at(slot).filling = Filling::Reading(u32::MAX);
        self.to_fill.push(slot);
    }

    fn send_piece<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        id: CommandId,
        command: &Command<P>,
        piece: &mut Piece,
    ) {
        let Piece { start, end, slot } = *piece;
        piece.start = end;
        if start == end {
            return;
        }
        let len = narrow(end - start);
        if let Some(slot) = slot {
            let run = Run { slot, start, len };
            self.counters.read_hit_bytes += len as u64;
            for (slot, _) in self.grid.slots(run) {
                self.activity.at(slot).reads += 1;
            }
            let part = self.part_in_cache(command, run);
            self.send_part(context, id, Job::ReadCache { client: id, run }, part, 0);
            return;
        }
        let mut fills = std::mem::take(&mut self.to_fill);
        let job = Job::ReadBacking { client: id, fills: !fills.is_empty() };
        let part = self.part(command, start, end);
        let child = self.send_part(context, id, job, part, 0);
        let tag = context.commands.get(child).tag;
        self.filling += u32::from(!fills.is_empty());
        for slot in fills.drain(..) {
            self.activity.at(slot).filling = Filling::Reading(tag);
        }
        self.to_fill = fills;
    }

    /// Copies what was read into the client's command.
    fn hand_up<O: Probe<P>>(
        context: &mut Context<P, O>,
        client: CommandId,
        start: u64,
        units: &[P],
    ) {
        let first = (start - context.commands.get(client).start) / UNIT;
        for (i, &tag) in units.iter().enumerate() {
            context.data.put(client, first + i as u64, tag);
        }
    }

    pub(super) fn read_from_cache<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        client: CommandId,
        run: Run,
        done: &Command<P>,
        units: Vec<P>,
    ) {
        let mut changed = false;
        for (slot, mask) in self.grid.slots(run) {
            changed |= self.only_here(slot) & mask != 0;
            self.activity.at(slot).reads -= 1;
            self.settle(slot);
        }
        if done.status == Status::Ok {
            Self::hand_up(context, client, run.start, &units);
        } else if changed {
            // The slow device has an older version: no data is better than that.
            self.note(context, client, Status::MediaError);
        } else {
            let command = *context.commands.get(client);
            let command = Command { status: Status::Ok, ..command };
            let part = self.part(&command, run.start, run.end());
            let job = Job::ReadBacking { client, fills: false };
            self.send_part(context, client, job, part, 0);
        }
        self.part_done(context, client);
    }

    pub(super) fn read_from_backing<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        client: CommandId,
        fills: bool,
        done: &Command<P>,
        units: Vec<P>,
        tag: u32,
    ) {
        Self::hand_up(context, client, done.start, &units);
        if done.status != Status::Ok {
            self.note(context, client, done.status);
        }
        if fills {
            self.filling -= 1;
            self.fill(context, done, &units, tag);
        }
        self.part_done(context, client);
    }

    /// Writes what was read to the blocks that wait for it.
    fn fill<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        done: &Command<P>,
        units: &[P],
        tag: u32,
    ) {
        let (start, end) = (done.start, done.start + done.len as u64);
        let ok = done.status == Status::Ok && !self.cache_gone && self.usage == Use::Attached;
        let mut run = Run { slot: 0, start, len: 0 };
        for block in self.grid.blocks(start, end) {
            let first = block as u64 * self.config.block;
            let (from, to) = (start.max(first), end.min(first + self.config.block));
            let slot = self
                .directory
                .find(block)
                .filter(|&slot| self.activity.get(slot).filling == Filling::Reading(tag));
            // Sectors that the read covers in part only stay as they are.
            let whole = self.grid.covered(block, from, to) == self.grid.touched(block, from, to);
            let Some(slot) = slot else { continue };
            if !ok || !whole {
                self.activity.at(slot).filling = Filling::No;
                self.settle(slot);
                continue;
            }
            let blocks: u32 = narrow(self.grid.blocks(run.start, run.end()).len());
            if run.len > 0 && run.end() == from && run.slot + blocks == slot {
                run.len += narrow::<u32>(to - from);
            } else {
                self.send_fill(context, run, done, units);
                run = Run { slot, start: from, len: narrow(to - from) };
            }
        }
        self.send_fill(context, run, done, units);
    }

    fn send_fill<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        run: Run,
        done: &Command<P>,
        units: &[P],
    ) {
        if run.len == 0 {
            return;
        }
        self.filling += 1;
        self.counters.fill_bytes += run.len as u64;
        let write = Command { op: Op::Write, ..*done };
        let child = {
            let part = self.part_in_cache(&write, run);
            self.send(context, Job::Fill { run }, part)
        };
        let tag = context.commands.get(child).tag;
        for (slot, _) in self.grid.slots(run) {
            self.activity.at(slot).filling = Filling::Writing(tag);
        }
        if P::CARRIED {
            let first = (run.start - done.start) / UNIT;
            for unit in 0..(run.len as u64).div_ceil(UNIT) {
                let tag = units.get(index(first + unit)).copied().unwrap_or_default();
                context.data.put(child, unit, tag);
            }
        }
    }

    /// The cache has what was read.
    pub(super) fn filled(&mut self, run: Run, done: &Command<P>) {
        self.filling -= 1;
        for (slot, mask) in self.grid.slots(run) {
            let record = self.activity.at(slot);
            let whole = matches!(record.filling, Filling::Writing(_));
            record.filling = Filling::No;
            if whole && done.status == Status::Ok {
                self.directory.validate(slot, mask, false);
            }
            self.settle(slot);
        }
    }
}
