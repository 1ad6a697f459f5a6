//! What the tags of an operation are, in tests: data taken from the host, reconstructed from
//! parity, and put into the commands to members. With the payload `()` none of this is called.

use super::Raid;
use super::config::WriteLog;
use super::layout::{Layout, Role};
use super::parity;
use super::plan::Method;
use super::stripe::{Kind, Operation};
use crate::kernel::Context;
use crate::kernel::command::{Command, CommandId};
use crate::kernel::data::UNIT;
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use engine::index;

impl<P: Payload> Operation<P> {
    /// Tags of each slot or column.
    fn units(&self) -> usize {
        index((self.rows as u64).div_ceil(UNIT))
    }

    /// It knows what its columns are to hold, and does not only read them.
    fn brings_data(&self) -> bool {
        matches!(self.kind, Kind::Write | Kind::Trim | Kind::Replay)
    }
}

/// One unit of every slot of an operation on a stripe with parity.
struct Unit<'a, P> {
    layout: &'a Layout,
    operation: &'a mut Operation<P>,
    unit: usize,
    units: usize,
    stripe: u64,
}

impl<'a, P: Payload> Unit<'a, P> {
    fn new(layout: &'a Layout, operation: &'a mut Operation<P>, unit: usize) -> Self {
        let units = operation.units();
        let stripe = layout.stripe(operation.row + unit as u64 * UNIT);
        Unit { layout, operation, unit, units, stripe }
    }

    /// What a slot held.
    fn old(&self, slot: u32) -> P {
        self.operation.old[slot as usize * self.units + self.unit]
    }

    /// What the slot of a column held.
    fn old_of(&self, column: u32) -> P {
        self.old(self.layout.slot(self.stripe, column))
    }

    /// What a column is to hold.
    fn new_of(&self, column: u32) -> P {
        self.operation.new[column as usize * self.units + self.unit]
    }

    /// Whether the slot was read.
    fn is_read(&self, slot: u32) -> bool {
        self.operation.plan.reads >> slot & 1 != 0
    }

    /// Whether the operation is for a column.
    fn is_asked(&self, column: u32) -> bool {
        self.operation.columns >> column & 1 != 0
    }

    /// Whether it overwrites a column.
    fn is_written(&self, column: u32) -> bool {
        self.operation.brings_data() && self.is_asked(column)
    }

    fn set_parity(&mut self, p: P, q: P) {
        self.operation.parity[0][self.unit] = p;
        self.operation.parity[1][self.unit] = q;
    }

    /// The parity from the log: what the write left alone, as logged, and what the members hold of
    /// the rest.
    fn replay(&mut self) {
        let logged = self.operation.parity[1][self.unit];
        let all = (0..self.layout.columns()).filter(|&column| self.is_asked(column));
        let sum = all.fold(logged, |sum, column| sum.xor(self.old_of(column)));
        self.set_parity(sum, logged);
    }

    /// The parity from the old one and what changes.
    fn modify(&mut self) {
        let mut sum = self.old(self.layout.parity(self.stripe));
        let mut second = self.old(self.layout.second_parity(self.stripe));
        for column in (0..self.layout.columns()).filter(|&column| self.is_written(column)) {
            let change = self.old_of(column).xor(self.new_of(column));
            sum = sum.xor(change);
            second = second.xor(change.times(parity::factor(column)));
        }
        self.set_parity(sum, second);
    }

    /// All columns, and the parity of them.
    fn encode(&mut self) {
        let mut tags = self.held();
        for column in (0..self.layout.columns()).filter(|&column| self.is_written(column)) {
            tags[column as usize] = self.new_of(column);
        }
        for (column, tag) in tags.iter().enumerate() {
            self.operation.new[column * self.units + self.unit] = *tag;
        }
        self.set_parity(parity::p(&tags), parity::q(&tags));
    }

    /// What the columns held, where the plan restores it with those that could not be read.
    fn held(&self) -> Vec<P> {
        let restores = self.operation.plan.method == Method::Restore;
        let mut tags = vec![P::default(); self.layout.columns() as usize];
        let mut lost = 0u64;
        for (column, tag) in (0u32..).zip(&mut tags) {
            let slot = self.layout.slot(self.stripe, column);
            *tag = self.old(slot);
            // In a plan that restores, what will be overwritten counts with its old tag.
            if !self.is_read(slot) && (restores || !self.is_written(column)) {
                lost |= 1 << column;
            }
        }
        if lost != 0 && restores {
            let known = |slot: u32| self.is_read(slot).then(|| self.old(slot));
            let p = known(self.layout.parity(self.stripe));
            let two = self.layout.parities() == 2;
            let q = two.then(|| known(self.layout.second_parity(self.stripe))).flatten();
            parity::recover(&mut tags, lost, p, q);
        }
        tags
    }
}

impl<P: Payload> Raid<P> {
    /// What a command of the host carries for a row of a slot.
    pub(super) fn host_tag<O: Probe<P>>(
        &self,
        context: &Context<P, O>,
        id: CommandId,
        host: &Command<P>,
        slot: u32,
        row: u64,
    ) -> P {
        let place = self.layout.volume_place(slot, row).unwrap_or(host.start);
        context.data.get(id, (place - host.start) / UNIT).unwrap_or(host.payload)
    }

    /// Gives a command of the host what a slot held from a row on, as far as it asked for it.
    pub(super) fn give<O: Probe<P>>(
        &self,
        context: &mut Context<P, O>,
        id: CommandId,
        slot: u32,
        row: u64,
        units: &[P],
    ) {
        let host = *context.commands.get(id);
        for (unit, tag) in (0u64..).zip(units) {
            let Some(place) = self.layout.volume_place(slot, row + unit * UNIT) else { continue };
            if place >= host.start && place < host.start + host.len as u64 {
                context.data.put(id, (place - host.start) / UNIT, *tag);
            }
        }
    }

    /// An operation takes the data of a command of the host for some of its columns.
    pub(super) fn take_tags<O: Probe<P>>(
        &mut self,
        context: &Context<P, O>,
        id: CommandId,
        op: u32,
        columns: u64,
    ) {
        let host = *context.commands.get(id);
        let operation = self.stripes.get(op);
        let (row, units) = (operation.row, operation.units());
        let trim = operation.kind == Kind::Trim;
        let mut new = std::mem::take(&mut self.stripes.get_mut(op).new);
        new.resize(self.layout.columns() as usize * units, P::default());
        for column in (0..self.layout.columns()).filter(|c| columns >> c & 1 != 0) {
            for unit in 0..units {
                let row = row + unit as u64 * UNIT;
                let slot = self.layout.slot(self.layout.stripe(row), column);
                let tag = match trim {
                    true => P::default(),
                    false => self.host_tag(context, id, &host, slot, row),
                };
                new[column as usize * units + unit] = tag;
            }
        }
        self.stripes.get_mut(op).new = new;
    }

    /// Keeps what a slot held.
    pub(super) fn keep_tags(&mut self, op: u32, slot: u32, tags: &[P]) {
        let members = self.layout.members() as usize;
        let operation = self.stripes.get_mut(op);
        let units = operation.units();
        operation.old.resize(members * units, P::default());
        for unit in 0..units {
            let tag = tags.get(unit).copied().unwrap_or_default();
            operation.old[slot as usize * units + unit] = tag;
        }
    }

    /// Finds all tags that an operation writes or was asked for.
    pub(super) fn calculate(&mut self, op: u32) {
        let layout = self.layout;
        let partial_log = self.config.log == WriteLog::PartialParity;
        let operation = self.stripes.get_mut(op);
        let units = operation.units();
        operation.old.resize(layout.members() as usize * units, P::default());
        operation.new.resize(layout.columns() as usize * units, P::default());
        if layout.parities() == 0 {
            if !operation.brings_data() {
                copy_mirrors(&layout, operation);
            }
            return;
        }
        if operation.kind == Kind::Replay && !partial_log {
            return;
        }
        operation.parity[0].resize(units, P::default());
        operation.parity[1].resize(units, P::default());
        for unit in 0..units {
            let mut unit = Unit::new(&layout, operation, unit);
            match unit.operation.plan.method {
                _ if unit.operation.kind == Kind::Replay => unit.replay(),
                Method::Modify => unit.modify(),
                _ => unit.encode(),
            }
        }
        if partial_log && operation.kind == Kind::Write {
            partial_parity(operation, layout.columns(), units);
        }
    }

    /// Gives commands of the host what an operation found.
    pub(super) fn give_found<O: Probe<P>>(&self, context: &mut Context<P, O>, op: u32) {
        let operation = self.stripes.get(op);
        let units = operation.units();
        let mut link = operation.hosts;
        while let Some((host, next)) = self.stripes.host(link) {
            link = next;
            for column in (0..self.layout.columns()).filter(|c| operation.columns >> c & 1 != 0) {
                let slot = self.layout.slot(self.layout.stripe(operation.row), column);
                let tags = &operation.new[column as usize * units..][..units];
                self.give(context, CommandId(host), slot, operation.row, tags);
            }
        }
    }

    /// Puts what a slot is to hold from `row` on into a command to its member.
    pub(super) fn put_tags<O: Probe<P>>(
        &self,
        context: &mut Context<P, O>,
        op: u32,
        slot: u32,
        row: u64,
        child: CommandId,
    ) {
        let operation = self.stripes.get(op);
        let units = operation.units();
        let len = context.commands.get(child).len as u64;
        let first = ((row - operation.row) / UNIT) as usize;
        for i in 0..index(len.div_ceil(UNIT)) {
            let unit = first + i;
            let at = operation.row + unit as u64 * UNIT;
            let tag = match self.layout.role(self.layout.stripe(at), slot) {
                Role::Data { column, .. } => operation.new[column as usize * units + unit],
                Role::P => operation.parity[0][unit],
                Role::Q => operation.parity[1][unit],
            };
            context.data.put(child, i as u64, tag);
        }
    }
}

/// The columns of mirrors are what the copy that was read held.
fn copy_mirrors<P: Payload>(layout: &Layout, operation: &mut Operation<P>) {
    let units = operation.units();
    let mut reads = operation.plan.reads;
    while reads != 0 {
        let slot = reads.trailing_zeros();
        reads &= reads - 1;
        let column = (slot / layout.copies()) as usize;
        for unit in 0..units {
            operation.new[column * units + unit] = operation.old[slot as usize * units + unit];
        }
    }
}

/// Keeps the exclusive or of the columns that a write leaves alone in place of the unused Q.
fn partial_parity<P: Payload>(operation: &mut Operation<P>, columns: u32, units: usize) {
    for unit in 0..units {
        let written = (0..columns).filter(|c| operation.columns >> c & 1 != 0);
        let new = |column: u32| operation.new[column as usize * units + unit];
        let sum = written.fold(operation.parity[0][unit], |sum, c| sum.xor(new(c)));
        operation.parity[1][unit] = sum;
    }
}
