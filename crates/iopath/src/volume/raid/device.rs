//! The device interface of an array.

use super::stripe::{Kind, Phase};
use super::{Raid, kind};
use crate::kernel::command::{CommandId, Op, Status};
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use crate::kernel::{COMPLETED, Context, Device, Range};
use ::engine::{Event, Priority};

impl<P: Payload> Device<P> for Raid<P> {
    fn capacity(&self) -> u64 {
        self.layout.capacity()
    }

    #[inline]
    fn submit<O: Probe<P>>(&mut self, context: &mut Context<P, O>, id: CommandId) {
        let refusal = (self.gone || self.lost).then_some(Status::DeviceGone);
        let Some(now) = context.arrive(id, refusal) else { return };
        let command = context.commands.get_mut(id);
        debug_assert!(command.start + command.len as u64 <= self.layout.capacity());
        command.progress = 0;
        // One part represents the splitting itself.
        command.remaining = 1;
        self.hosts += 1;
        self.arrivals += 1;
        if self.resting {
            self.wake(context);
        }
        let command = context.commands.get(id);
        let bytes = match command.op {
            Op::Read => command.len as u64,
            Op::Write if self.parity() => 0,
            Op::Write => command.len as u64 * self.layout.copies() as u64,
            Op::Trim | Op::Flush => 0,
        };
        let at = self.engine.command(context, bytes);
        if at > now {
            let event = Event { node: self.node, kind: kind::BEGIN, argument: id.0 };
            return context.queue.push(at, Priority::Normal, event);
        }
        self.begin(context, id);
        self.settle(context);
    }

    #[inline]
    fn handle<O: Probe<P>>(&mut self, context: &mut Context<P, O>, event: Event) {
        match event.kind {
            COMPLETED => self.completed(context, CommandId(event.argument)),
            kind::BEGIN => self.begin(context, CommandId(event.argument)),
            kind::COMPUTED => self.computed(context, event.argument),
            kind::GATHERED => self.gathered(context),
            kind::SYNC => self.sync_timer(context),
            kind::CLEAN => self.clean_timer(context),
            _ => self.start_up(context),
        }
        self.settle(context);
    }

    fn idle<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        self.wake(context);
        self.settle(context);
    }

    fn rest<O: Probe<P>>(&mut self, _context: &mut Context<P, O>) {
        self.resting = true;
    }

    fn power_cut<O: Probe<P>>(&mut self, context: &mut Context<P, O>, node: u16) -> u64 {
        context.abandon(self.address);
        self.node = node;
        self.forget();
        let logs = self.logs();
        let kept = self.stripes.clear();
        self.sync = None;
        self.regions.power_cut(!logs && self.redundant());
        if self.gone || self.lost {
            return 0;
        }
        if self.members.rebuilding().is_some() {
            // No checkpoint is kept: a rebuild begins again.
            self.members.set_rebuilt(0);
        }
        for old in kept.into_iter().filter(|_| logs) {
            let begun = old.kind == Kind::Write && old.phase == Phase::Writing;
            if !begun && old.kind != Kind::Replay {
                continue;
            }
            let op = self.operation(Kind::Replay, old.row, old.rows, old.columns);
            let operation = self.stripes.get_mut(op);
            operation.plan = old.plan;
            operation.new = old.new;
            operation.parity = old.parity;
            self.ready.push_back(op);
        }
        let event = Event { node, kind: kind::START, argument: 0 };
        context.queue.push(context.queue.now(), Priority::Normal, event);
        0
    }

    fn fail<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        context.abandon(self.address);
        self.gone = true;
        self.sync = None;
        self.forget();
        self.stripes.clear();
    }

    fn describe(&self) -> String {
        format!(
            "{}: {} commands inside, {} stripe operations, {} commands to members, {} queued",
            self.config.name,
            self.hosts,
            self.stripes.live(),
            self.parts.live(),
            self.queue.len(),
        )
    }

    fn audit(&self) {
        self.stripes.audit();
        let outstanding: u32 = self.members.all.iter().map(|m| m.outstanding).sum();
        assert_eq!(outstanding as usize, self.parts.live(), "a lost command to a member");
        if self.stripes.live() == 0 {
            assert_eq!((self.rows, self.reading), (0, 0), "rows of nothing");
        }
    }

    fn write_untimed(&mut self, start: u64, len: u64, below: &mut Vec<Range>) {
        self.destinations(start, len, below);
    }

    fn destinations(&self, start: u64, len: u64, below: &mut Vec<Range>) -> bool {
        let (mut at, end) = (start, (start + len).min(self.capacity()));
        while at < end {
            let (bands, next) = self.layout.bands(at, end, u32::MAX >> 1);
            for band in bands.into_iter().flatten() {
                let stripe = self.layout.stripe(band.row);
                let slots = match band.rows as u64 > self.layout.chunk() {
                    true => u64::MAX >> (64 - self.layout.members()),
                    false => {
                        self.layout.slots(stripe, band.columns) | self.layout.parity_slots(stripe)
                    }
                };
                for slot in (0..self.layout.members()).filter(|slot| slots >> slot & 1 != 0) {
                    if let Some(member) = self.members.at(slot) {
                        let address = self.members.all[member as usize].address;
                        below.push(Range { address, start: band.row, len: band.rows as u64 });
                    }
                }
            }
            at = next;
        }
        true
    }
}
