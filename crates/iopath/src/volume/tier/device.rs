//! The device interface of a cache tier.

use super::config::{Mode, WriteAdmission};
use super::jobs::Slab;
use super::{Tier, kind};
use crate::kernel::command::{CommandId, Status};
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use crate::kernel::{COMPLETED, Context, Device, Range};
use engine::{Event, Priority};

impl<P: Payload> Device<P> for Tier<P> {
    fn capacity(&self) -> u64 {
        self.config.backing_bytes
    }

    fn submit<O: Probe<P>>(&mut self, context: &mut Context<P, O>, id: CommandId) {
        let refusal = self.gone.then_some(Status::DeviceGone);
        let Some(now) = context.arrive(id, refusal) else { return };
        let command = context.commands.get_mut(id);
        (command.remaining, command.progress) = (0, 0);
        self.inside += 1;
        self.destager.disturbed();
        if self.config.overhead.ps() == 0 {
            return self.dispatch(context, id);
        }
        let event = Event { node: self.node, kind: kind::DISPATCH, argument: id.0 };
        context.queue.push(now + self.config.overhead, Priority::Normal, event);
    }

    fn handle<O: Probe<P>>(&mut self, context: &mut Context<P, O>, event: Event) {
        match event.kind {
            COMPLETED => self.completed(context, CommandId(event.argument)),
            kind::DISPATCH => self.dispatch(context, CommandId(event.argument)),
            _ => self.on_timer(context),
        }
    }

    fn idle<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        self.destager.go_on();
        if self.inside == 0 {
            self.became_quiet(context);
        }
    }

    fn rest<O: Probe<P>>(&mut self, _context: &mut Context<P, O>) {
        self.destager.rest();
    }

    fn power_cut<O: Probe<P>>(&mut self, context: &mut Context<P, O>, node: u16) -> u64 {
        context.abandon(self.address);
        self.node = node;
        let lost = if self.config.persistent || self.cache_gone {
            if self.passing.is_unsettled() {
                self.directory.keep_changed();
            }
            self.directory.drop_empty();
            0
        } else {
            self.lose_directory()
        };
        self.activity.clear();
        self.jobs = Slab::default();
        self.passing.cut();
        self.waiting.clear();
        self.through.clear();
        self.restart_destaging();
        (self.filling, self.reserved, self.inside) = (0, 0, 0);
        lost
    }

    fn fail<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        self.gone = true;
        context.abandon(self.address);
        self.waiting.clear();
        self.inside = 0;
    }

    fn describe(&self) -> String {
        format!(
            "{}: {} commands inside, {} writes waiting, {} parts under way, {} fills, {} of {} \
             slots used, {} blocks changed (limit {}), {}",
            self.config.name,
            self.inside,
            self.waiting.len(),
            self.jobs.len(),
            self.filling,
            self.directory.len(),
            self.directory.slots(),
            self.directory.dirty_blocks(),
            self.config.dirty_limit(),
            self.destager.describe(),
        )
    }

    fn audit(&self) {
        self.directory.audit();
        let held = self.activity.slots().map(|slot| (slot, self.activity.get(slot)));
        let reserved = held.filter(|(slot, record)| {
            assert!(!record.reserved || self.directory.dirty(*slot) == 0, "counted twice");
            record.reserved
        });
        assert_eq!(reserved.count(), self.reserved as usize, "reserved blocks");
        let limit = self.config.dirty_limit();
        let changed = self.directory.dirty_blocks() + self.reserved;
        assert!(self.cache_gone || changed <= limit, "{changed} changed blocks, limit {limit}");
        if self.jobs.len() == 0 && !self.gone && self.destager.is_at_rest() {
            assert_eq!(self.activity.len(), 0, "a slot is held by nothing");
            assert_eq!((self.filling, self.reserved), (0, 0));
            assert!(self.passing.is_empty());
        }
    }

    /// The blocks of a write enter the cache as they would in time, and are destaged at once,
    /// because hours have passed when it is over.
    fn write_untimed(&mut self, start: u64, len: u64, below: &mut Vec<Range>) {
        let end = (start + len).min(self.config.backing_bytes);
        if start >= end {
            return;
        }
        below.push(Range { address: self.backing, start, len: end - start });
        let stays = self.config.mode != Mode::WriteAround
            && self.config.write_admission == WriteAdmission::Always
            && self.config.bypass_after.is_none_or(|after| end - start < after);
        if stays {
            self.enter(start, end, true, below);
        } else {
            self.forget(start, end);
        }
    }

    fn destinations(&self, start: u64, len: u64, below: &mut Vec<Range>) -> bool {
        below.push(Range { address: self.backing, start, len });
        true
    }
}
