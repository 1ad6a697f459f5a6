//! Writing dirty lines below, flushes that wait for it, and what a power cut leaves.

use super::{Cache, Part, Purpose, Retention, kind};
use crate::kernel::Context;
use crate::kernel::command::{Command, CommandId, Op, Status};
use crate::kernel::data::UNIT;
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use engine::{Event, Priority, index, narrow};
use std::collections::VecDeque;

/// Dirty lines by the flushes that must wait for them: a line belongs to the epoch in which it
/// became dirty, and each flush ends an epoch.
#[derive(Default)]
pub(super) struct Epochs {
    first: u32,
    /// Lines of each epoch that are not below yet; the last is the present one.
    counts: VecDeque<u64>,
    /// Commands that wait for an epoch and all before it.
    waiting: VecDeque<(u32, CommandId)>,
}

impl Epochs {
    /// The present epoch.
    pub fn now(&self) -> u32 {
        self.first + narrow::<u32>(self.counts.len().saturating_sub(1))
    }

    /// A line became dirty.
    pub fn enter(&mut self) {
        match self.counts.back_mut() {
            Some(count) => *count += 1,
            None => self.counts.push_back(1),
        }
    }

    /// A line of an epoch is below.
    pub fn leave(&mut self, epoch: u32) {
        if let Some(count) = self.counts.get_mut((epoch - self.first) as usize) {
            *count -= 1;
        }
    }

    /// A command waits for everything that is dirty now.
    pub fn wait(&mut self, id: CommandId) {
        if self.counts.is_empty() {
            self.counts.push_back(0);
        }
        self.waiting.push_back((self.now(), id));
        self.counts.push_back(0);
    }

    /// The next command whose lines are all below.
    pub fn next_done(&mut self) -> Option<CommandId> {
        let &(epoch, id) = self.waiting.front()?;
        while self.first <= epoch && self.counts.front() == Some(&0) && self.counts.len() > 1 {
            self.counts.pop_front();
            self.first += 1;
        }
        (self.first > epoch).then(|| {
            self.waiting.pop_front();
            id
        })
    }

    /// True if a command waits.
    pub fn is_waited_for(&self) -> bool {
        !self.waiting.is_empty()
    }
}

impl<P: Payload> Cache<P> {
    /// Begins to write dirty lines as far as limits, flushes and idleness ask for it.
    pub(super) fn destage<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        while self.destaging < self.config.depth && self.broken.is_none() && !self.trimming {
            let asked = self.lines.waiting() > self.low
                || self.epochs.is_waited_for()
                || self.emptying
                || !self.queue.is_empty() && self.filling == 0;
            if !asked {
                return;
            }
            let most = (self.config.request / self.config.line) as u64;
            let Some((first, count)) = self.lines.next_run(most) else { return };
            self.destaging += 1;
            let purpose = Purpose::Destage;
            let part = self.part(Part { purpose, first, count, held: Vec::new() });
            let bytes = count * self.config.line as u64;
            let at = self.spend(context, count, 0, bytes);
            if at > context.queue.now() {
                let event = Event { node: self.node, kind: kind::SEND, argument: part };
                context.queue.push(at, Priority::Normal, event);
            } else {
                self.send_run(context, part);
            }
        }
    }

    /// Sends a run of dirty lines below.
    pub(super) fn send_run<O: Probe<P>>(&mut self, context: &mut Context<P, O>, part: u32) {
        let Part { first, count, .. } = self.parts[part as usize];
        let size = self.config.line as u64;
        let (start, end) = (first * size, ((first + count) * size).min(self.capacity));
        let durable = self.config.retention == Retention::Protected;
        let write = Command { durable, ..Command::new(Op::Write, start, narrow(end - start)) };
        let child = self.send(context, part, write);
        if P::CARRIED {
            for unit in 0..(end - start).div_ceil(UNIT) {
                let tag = self.tag_at(start + unit * UNIT).unwrap_or_default();
                context.data.put(child, unit, tag);
            }
        }
    }

    /// A command to the node below has ended.
    pub(super) fn completed<O: Probe<P>>(&mut self, context: &mut Context<P, O>, child: CommandId) {
        let units = context.data.take(child);
        let below = context.commands.remove(child);
        self.free_parts.push(below.tag);
        let part = &mut self.parts[below.tag as usize];
        let (purpose, first, count) = (part.purpose, part.first, part.count);
        let held = std::mem::take(&mut part.held);
        let status = below.status;
        match purpose {
            Purpose::Read(id) => {
                for (unit, tag) in (0u64..).zip(held) {
                    let read = units.get(index(unit)).copied();
                    context.data.put(id, unit, tag.or(read).unwrap_or_default());
                }
                self.end(context, id, status);
            }
            Purpose::Fill => {
                self.filling = 0;
                if status != Status::Ok {
                    // The rest of the line is unknown, so the write cannot be taken in.
                    if let Some(id) = self.queue.pop_front() {
                        self.end(context, id, status);
                    }
                } else if let Some(slot) = self.lines.fill(first) {
                    for (unit, tag) in units.iter().enumerate() {
                        self.lines.set_tag(slot, unit, *tag);
                    }
                }
            }
            Purpose::Destage => {
                self.destaging -= 1;
                if status != Status::Ok {
                    return self.break_down(context, status);
                }
                let epochs = &mut self.epochs;
                for line in first..first + count {
                    self.lines.saved(line, |epoch| epochs.leave(epoch));
                }
                self.try_flushes(context);
            }
            Purpose::Trim(id) => {
                (self.filling, self.trimming) = (0, false);
                if status == Status::Ok {
                    let own = *context.commands.get(id);
                    self.trimmed(&own);
                    self.try_flushes(context);
                }
                self.end(context, id, status);
            }
            Purpose::Flush(id) => self.end(context, id, status),
        }
    }

    /// The node below takes no more writes: what is dirty stays where it is, and nothing works.
    #[cold]
    fn break_down<O: Probe<P>>(&mut self, context: &mut Context<P, O>, status: Status) {
        if self.broken.is_some() {
            return;
        }
        self.broken = Some(status);
        while let Some((_, id)) = self.epochs.waiting.pop_front() {
            self.end(context, id, status);
        }
    }

    /// Passes on flushes that have waited for their lines.
    pub(super) fn try_flushes<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        while let Some(id) = self.epochs.next_done() {
            let purpose = Purpose::Flush(id);
            let part = self.part(Part { purpose, first: 0, count: 0, held: Vec::new() });
            self.send(context, part, Command::new(Op::Flush, 0, 0));
        }
    }

    /// Looks later whether the host has been silent.
    pub(super) fn watch_idle<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        if self.idle_timer || self.resting || self.lines.waiting() == 0 {
            return;
        }
        self.idle_timer = true;
        let event = Event { node: self.node, kind: kind::IDLE, argument: 0 };
        let at = context.queue.now().max(self.last_command + self.config.idle_after);
        context.queue.push(at, Priority::Timer, event);
    }

    pub(super) fn idle_timer<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        self.idle_timer = false;
        let now = context.queue.now();
        let silent = self.hosts == 0 && self.last_command + self.config.idle_after <= now;
        if silent && !self.resting {
            self.emptying = true;
        } else if self.hosts == 0 {
            self.watch_idle(context);
        }
    }
}
