//! Commands that go straight to members: reads, writes of RAID 0, and the splitting of commands
//! into runs of adjacent chunks.

use super::plan::Reach;
use super::stripe::{Kind, Phase};
use super::{Part, Purpose, Raid};
use crate::kernel::Context;
use crate::kernel::command::{Command, CommandId, Op, Status};
use crate::kernel::data::UNIT;
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use engine::narrow;

impl<P: Payload> Raid<P> {
    /// Splits a range of the volume into runs on columns (or on slots, where parity moves the
    /// columns about) and does something with each. What is contiguous on a member is one run.
    fn split<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        id: CommandId,
        range: (u64, u64),
        with: impl Fn(&mut Self, &mut Context<P, O>, CommandId, u32, u64, u64),
    ) {
        let (mut at, end) = range;
        let chunk = self.layout.chunk();
        let parity = self.layout.parities() > 0;
        let mut any = false;
        while at < end {
            let place = self.layout.locate(at);
            let len = (chunk - place.inside as u64).min(end - at);
            let key = match parity {
                true => self.layout.slot(place.stripe, place.column),
                false => place.column,
            };
            let row = place.stripe * chunk + place.inside as u64;
            at += len;
            let run = &mut self.runs[key as usize];
            if run.1 > 0 && run.0 + run.1 == row {
                run.1 += len;
                continue;
            }
            if at == end && run.1 == 0 {
                // The last piece, and for most commands the only one.
                with(self, context, id, key, row, len);
                break;
            }
            let (before, bytes) = std::mem::replace(run, (row, len));
            any = true;
            if bytes > 0 {
                with(self, context, id, key, before, bytes);
            }
        }
        if !any {
            return;
        }
        for key in 0..self.runs.len() {
            let (row, bytes) = std::mem::take(&mut self.runs[key]);
            if bytes > 0 {
                with(self, context, id, narrow(key), row, bytes);
            }
        }
    }

    /// A read of the host.
    pub(super) fn read<O: Probe<P>>(&mut self, context: &mut Context<P, O>, id: CommandId) {
        let command = *context.commands.get(id);
        let end = command.start + command.len as u64;
        if self.layout.parities() == 0 {
            return self.split(context, id, (command.start, end), Self::read_column);
        }
        if command.len == 0 {
            return;
        }
        let last = (self.layout.locate(end - 1).stripe + 1) * self.layout.chunk();
        let unreadable = self.members.unreadable(last);
        if unreadable == 0 {
            return self.split(context, id, (command.start, end), Self::read_slot);
        }
        // Stripe by stripe: what a missing member held is found from the others.
        let mut at = command.start;
        while at < end {
            let (bands, next) = self.layout.bands(at, end, self.config.chunk);
            for band in bands.into_iter().flatten() {
                let stripe = self.layout.stripe(band.row);
                let mut slots = self.layout.slots(stripe, band.columns);
                if slots & unreadable != 0 {
                    self.find(context, id, band.row, band.rows, band.columns, 0);
                    continue;
                }
                while slots != 0 {
                    let slot = slots.trailing_zeros();
                    slots &= slots - 1;
                    self.read_slot(context, id, slot, band.row, band.rows as u64);
                }
            }
            at = next;
        }
    }

    fn read_slot<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        id: CommandId,
        slot: u32,
        row: u64,
        bytes: u64,
    ) {
        let host = context.commands.get_mut(id);
        host.remaining += 1;
        let read = Command {
            stream: host.stream,
            queue: host.queue,
            ..Command::new(Op::Read, row, narrow(bytes))
        };
        self.send(context, slot, Purpose::Host, id.0, read);
    }

    /// Reads rows of a column from one of its copies.
    fn read_column<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        id: CommandId,
        column: u32,
        row: u64,
        bytes: u64,
    ) {
        match self.pick_copy(column, row, bytes, 0) {
            Some(slot) => self.read_slot(context, id, slot, row, bytes),
            None => {
                context.commands.get_mut(id).remaining += 1;
                self.part_done(context, id, Status::DeviceGone);
            }
        }
    }

    /// The copy to read of rows of a column, if there is one outside the set `bad`.
    pub(super) fn pick_copy(&self, column: u32, row: u64, bytes: u64, bad: u64) -> Option<u32> {
        let reach = self.reach(row, bytes);
        let slots = self.layout.slots(0, 1 << column) & !reach.unreadable & !bad;
        if slots == 0 {
            return None;
        }
        if reach.stale {
            // Copies may differ: all readers are given the same one.
            return Some(slots.trailing_zeros());
        }
        let place = || self.layout.volume_place(slots.trailing_zeros(), row).unwrap_or(row);
        Some(self.members.choose(slots, self.config.reads, row, place))
    }

    /// What can be done with these rows at present.
    pub(super) fn reach(&self, row: u64, rows: u64) -> Reach {
        Reach {
            unreadable: self.members.unreadable(row + rows),
            unwritable: self.members.missing(),
            stale: self.is_stale(row, rows),
        }
    }

    /// A write or trim of the host on an array without parity.
    pub(super) fn write_plain<O: Probe<P>>(&mut self, context: &mut Context<P, O>, id: CommandId) {
        let command = *context.commands.get(id);
        let end = command.start + command.len as u64;
        let range = (command.start, end);
        if self.layout.copies() == 1 {
            return self.split(context, id, range, Self::write_striped);
        }
        self.split(context, id, range, Self::write_mirrored);
    }

    fn write_striped<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        id: CommandId,
        slot: u32,
        row: u64,
        bytes: u64,
    ) {
        if self.members.at(slot).is_none() {
            context.commands.get_mut(id).remaining += 1;
            return self.part_done(context, id, Status::DeviceGone);
        }
        let host = context.commands.get_mut(id);
        host.remaining += 1;
        let below = Command {
            start: row,
            len: narrow(bytes),
            namespace: 0,
            answered: false,
            submitted: ::engine::Instant::NEVER,
            remaining: 0,
            next: None,
            ..*host
        };
        let own = *host;
        let child = self.send(context, slot, Purpose::Host, id.0, below);
        if P::CARRIED && own.op == Op::Write {
            for unit in 0..bytes.div_ceil(UNIT) {
                let tag = self.host_tag(context, id, &own, slot, row + unit * UNIT);
                context.data.put(child, unit, tag);
            }
        }
    }

    fn write_mirrored<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        id: CommandId,
        column: u32,
        row: u64,
        bytes: u64,
    ) {
        let own = *context.commands.get(id);
        let kind = if own.op == Op::Trim { Kind::Trim } else { Kind::Write };
        let op = self.operation(kind, row, narrow(bytes), 1 << column);
        self.stripes.get_mut(op).durable = own.durable;
        self.join(context, id, op, 1 << column);
        self.ready.push_back(op);
    }

    /// A part of a command of the host has come back from a member.
    pub(super) fn host_part<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        part: Part,
        command: &Command<P>,
        units: Vec<P>,
    ) {
        let id = CommandId(part.owner);
        if command.op == Op::Flush && self.redundant() && !self.lost {
            return self.part_done(context, id, Status::Ok);
        }
        if command.status == Status::Ok {
            if P::CARRIED && command.op == Op::Read {
                self.give(context, id, part.slot as u32, command.start, &units);
            }
            return self.part_done(context, id, Status::Ok);
        }
        if command.op != Op::Read || !self.redundant() {
            return self.part_done(context, id, command.status);
        }
        // Another copy of the same data.
        let (mut row, end) = (command.start, command.start + command.len as u64);
        let bad = if command.status == Status::MediaError { 1 << part.slot } else { 0 };
        while row < end {
            let (stripe, inside) = self.layout.by_chunk(row);
            let rows = (self.layout.chunk() - inside as u64).min(end - row);
            if let super::layout::Role::Data { column, .. } =
                self.layout.role(stripe, part.slot as u32)
            {
                self.find(context, id, row, narrow(rows), 1 << column, bad);
            }
            row += rows;
        }
        self.part_done(context, id, Status::Ok);
    }

    /// Finds data of the host that its member cannot give, or not alone; slots in `bad` could not
    /// read it and are corrected.
    fn find<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        id: CommandId,
        row: u64,
        rows: u32,
        columns: u64,
        bad: u64,
    ) {
        let op = self.operation(Kind::Read, row, rows, columns);
        let operation = self.stripes.get_mut(op);
        operation.bad = bad;
        operation.phase = Phase::Blocked;
        self.stripes.attach(op, id.0);
        context.commands.get_mut(id).remaining += 1;
        self.ready.push_back(op);
    }
}
