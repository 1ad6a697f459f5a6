//! The device interface of a hard disk.

use super::{Disk, kind};
use crate::kernel::command::{CommandId, Status};
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use crate::kernel::{Context, Device};
use engine::{Event, Instant};

impl<P: Payload> Device<P> for Disk<P> {
    fn capacity(&self) -> u64 {
        self.config.user_bytes
    }

    fn submit<O: Probe<P>>(&mut self, context: &mut Context<P, O>, id: CommandId) {
        let refusal = self.gone.then_some(Status::DeviceGone);
        if context.arrive(id, refusal).is_none() {
            return;
        }
        let command = context.commands.get(id);
        debug_assert!(command.start + u64::from(command.len) <= self.config.user_bytes);
        if self.inside == self.config.link.queue_limit {
            return self.overflow.push_back(id);
        }
        self.accept(context, id);
    }

    fn handle<O: Probe<P>>(&mut self, context: &mut Context<P, O>, event: Event) {
        let id = CommandId(event.argument);
        match event.kind {
            kind::DISPATCH => self.dispatch(context, id),
            kind::RECEIVED => self.received(context, id),
            kind::ARM => self.arm_done(context),
            kind::LIMIT => self.go_on(context),
            _ => self.leave(context),
        }
    }

    fn power_cut<O: Probe<P>>(&mut self, context: &mut Context<P, O>, node: u16) -> u64 {
        self.health.unsafe_shutdowns += 1;
        let lost = self.cache.unsafe_bytes();
        self.stop(context);
        self.node = node;
        lost
    }

    fn fail<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        self.stop(context);
        self.gone = true;
    }

    fn energy_pj(&self, now: Instant) -> u128 {
        let p = &self.config.power;
        // Microwatts times picoseconds are 10^-18 J: a millionth of a picojoule.
        let of = |power: engine::Power, ps: u64| u128::from(power.base()) * u128::from(ps);
        let moved = of(p.seek, self.seeking.ps()) + of(p.transfer, self.transferring.ps());
        (of(p.idle, now.ps()) + moved) / 1_000_000
    }

    fn describe(&self) -> String {
        format!(
            "{}: {} commands inside, {} for the arm, {} writes waiting for room, {} B in the write \
             cache, {} flushes",
            self.config.name,
            self.inside,
            self.pending.len(),
            self.waiting.len(),
            self.cache.unsafe_bytes(),
            self.flushes.len(),
        )
    }

    fn audit(&self) {
        self.cache.audit();
        let known = self.pending.len() + self.waiting.len() + self.flushes.len();
        assert!(known <= self.inside as usize, "{}", self.describe());
    }
}
