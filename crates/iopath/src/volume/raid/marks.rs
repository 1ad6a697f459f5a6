//! Marks of the regions that are being written, on the members: set before a write, cleared when a
//! region has been quiet and the members were flushed.

use super::stripe::Phase;
use super::{Purpose, Raid, kind};
use crate::kernel::Context;
use crate::kernel::command::{Command, Op};
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use ::engine::{Event, Priority};

impl<P: Payload> Raid<P> {
    /// Marks the regions of operations that wait for it, unless marks are on the way.
    pub(super) fn write_marks<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        if self.marks_pending > 0 || self.to_mark.is_empty() {
            return;
        }
        std::mem::swap(&mut self.marking, &mut self.to_mark);
        self.marks_pending = self.write_metadata(context, Purpose::Marks);
        if self.marks_pending == 0 {
            self.marks_pending = 1;
            self.marks_part(context);
        }
    }

    fn write_metadata<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        purpose: Purpose,
    ) -> u32 {
        let mut sent = 0;
        let len = self.config.metadata.min(4096) as u32;
        for slot in 0..self.config.members {
            if self.members.at(slot).is_some() && len > 0 {
                let at = self.layout.member_bytes();
                let mark = Command { durable: true, ..Command::new(Op::Write, at, len) };
                self.send(context, slot, purpose, 0, mark);
                sent += 1;
            }
        }
        sent
    }

    /// One of the writes of marks has ended.
    pub(super) fn marks_part<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        self.marks_pending -= 1;
        if self.marks_pending > 0 {
            return;
        }
        let mut marked = std::mem::take(&mut self.marking);
        for op in marked.drain(..) {
            let operation = self.stripes.get_mut(op);
            operation.phase = Phase::Computing;
            self.regions.written(operation.row, operation.rows as u64);
            self.proceed(context, op);
        }
        self.marking = marked;
        self.watch_quiet(context);
        self.write_marks(context);
    }

    /// Looks again later whether regions have been quiet.
    #[inline]
    pub(super) fn watch_quiet<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        if self.clean_timer || !self.regions.is_dirty() {
            return;
        }
        self.clean_timer = true;
        let at = context.queue.now() + self.regions.after();
        let event = Event { node: self.node, kind: kind::CLEAN, argument: 0 };
        context.queue.push(at, Priority::Normal, event);
    }

    pub(super) fn clean_timer<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        self.clean_timer = false;
        if self.lost || self.quiet_pending > 0 {
            return;
        }
        if !self.regions.begin_clearing(context.queue.now()) {
            // What is to be resynchronised is watched again when that is done.
            if self.sync.as_ref().is_none_or(|sync| sync.slot.is_some()) {
                self.watch_quiet(context);
            }
            return;
        }
        for slot in 0..self.config.members {
            if self.members.at(slot).is_some() {
                self.quiet_pending += 1;
                self.send(context, slot, Purpose::Quiet, 0, Command::new(Op::Flush, 0, 0));
            }
        }
    }

    /// One of the flushes before regions are marked clean has ended.
    pub(super) fn quiet_part<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        self.quiet_pending -= 1;
        if self.quiet_pending == 0 {
            self.regions.flushed();
            self.write_metadata(context, Purpose::Nobody);
            self.watch_quiet(context);
        }
    }
}
