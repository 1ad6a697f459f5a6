//! The device interface of a flash drive.

use super::{Drive, kind};
use crate::device::flash::config::Protection;
use crate::device::flash::nand;
use crate::device::flash::nand::Outcome;
use crate::kernel::command::{CommandId, Op, Status};
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use crate::kernel::{Context, Device, Range};
use engine::{Event, Instant, narrow};

impl<P: Payload> Device<P> for Drive<P> {
    fn capacity(&self) -> u64 {
        self.config.user_bytes
    }

    #[inline]
    fn submit<O: Probe<P>>(&mut self, context: &mut Context<P, O>, id: CommandId) {
        let refusal = self.gone.then_some(Status::DeviceGone);
        if context.arrive(id, refusal).is_none() {
            return;
        }
        let command = context.commands.get(id);
        debug_assert!(
            self.namespaces.admits(command.namespace, command.start, u64::from(command.len)),
            "a command beyond its namespace"
        );
        if self.entry.is_full() {
            return self.enqueue(context, id);
        }
        self.accept(context, id);
    }

    #[inline]
    fn handle<O: Probe<P>>(&mut self, context: &mut Context<P, O>, event: Event) {
        if event.kind < nand::kind::END {
            let now = context.queue.now();
            match self.nand.handle(&mut context.queue, now, event) {
                Outcome::Nothing => {}
                Outcome::Arrived(read) => self.arrived(context, read),
                Outcome::Programmed(line) => self.programmed(context, line),
            }
            return;
        }
        let id = CommandId(event.argument);
        match event.kind {
            kind::FINISH => return self.leave(context, event.argument),
            kind::IDLE => return self.on_timer(context),
            kind::FETCH => return self.on_fetch(context),
            kind::COPIES => return self.on_batch(context),
            _ => {}
        }
        let op = context.commands.get(id).op;
        if self.ftl.is_read_only() && matches!(op, Op::Write | Op::Trim) {
            return self.refuse(context, id);
        }
        if self.translation.is_some() && !self.translate(context, id) {
            return;
        }
        self.dispatch(context, id);
    }

    fn idle<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        // What was drawn under load is not to be spread over the rest.
        self.look(context.queue.now());
        if self.background.go_on(context.queue.now()) {
            self.set_timer(context);
        }
    }

    fn rest<O: Probe<P>>(&mut self, _context: &mut Context<P, O>) {
        self.background.rest();
        self.ftl.set_idle(false);
    }

    fn power_cut<O: Probe<P>>(&mut self, context: &mut Context<P, O>, node: u16) -> u64 {
        self.abandon(context);
        self.health.unsafe_shutdowns += 1;
        self.ftl.abandon_victims();
        let mut lost = 0;
        if self.config.buffer.protection != Protection::Protected {
            lost = self.modifies.len() as u64;
            let stripes = &self.stripes;
            lost += self.ftl.lose_unprogrammed(|layout, unit| !stripes.in_buffer(layout, unit));
        } else {
            for (unit, size, payload) in self.modifies.sorted() {
                self.ftl.set_stored(size);
                self.ftl.write_accepted(unit, payload);
            }
        }
        self.ftl.forget_map(true);
        self.modifies.clear();
        self.copies.forget_reads();
        self.programs.clear();
        self.node = node;
        self.nand = self.nand.after_power_cut(&self.config, node);
        self.apply_caps();
        self.resume();
        // Without a buffer nothing was acknowledged that is not on the flash.
        if self.config.buffer.protection == Protection::Off { 0 } else { lost }
    }

    fn fail<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        self.gone = true;
        self.abandon(context);
    }

    fn energy_pj(&self, now: Instant) -> u128 {
        // Microwatts times picoseconds are 10^-18 J: a millionth of a picojoule.
        let idle = self.config.power.idle.base() as u128 * now.ps() as u128 / 1_000_000;
        idle + self.nand.counters().energy_pj as u128
    }

    fn describe(&self) -> String {
        format!(
            "{}: {} commands inside, {} writes waiting, buffer {} of {} units, copies {} of {}, \
             {} copy reads, debt {}, slack {}, {} victims, {} free stripes",
            self.config.name,
            self.entry.inside(),
            self.waiting.len(),
            self.buffer.used(),
            self.config.buffer.units,
            self.copies.buffered(),
            self.config.buffer.copy_units,
            self.copies.reads(),
            self.ftl.debt(),
            self.slack,
            self.ftl.victims(),
            self.ftl.pool().free_stripes(),
        )
    }

    fn audit(&self) {
        self.ftl.audit();
        self.buffer.audit();
    }

    fn write_untimed(&mut self, start: u64, len: u64, _below: &mut Vec<Range>) {
        let first = start / self.unit_bytes;
        let end = (start + len).div_ceil(self.unit_bytes);
        let ftl = self.ftl_mut();
        // What is outside is left out.
        let end = end.min(u64::from(ftl.map().logical_units()));
        if first < end {
            ftl.write_in_order(narrow(first), narrow(end - first), P::default());
        }
        ftl.end_command();
    }
}
