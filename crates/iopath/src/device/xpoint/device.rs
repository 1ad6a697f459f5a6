//! The device interface of a module of 3D XPoint.

use super::XPoint;
use crate::kernel::command::{CommandId, Op, Status};
use crate::kernel::data::UNIT;
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use crate::kernel::{Context, Device};
use engine::{Event, Instant, Priority};

impl<P: Payload> Device<P> for XPoint<P> {
    fn capacity(&self) -> u64 {
        self.config.user_bytes
    }

    #[inline]
    fn submit<O: Probe<P>>(&mut self, context: &mut Context<P, O>, id: CommandId) {
        let refusal = self.gone.then_some(Status::DeviceGone);
        let Some(now) = context.arrive(id, refusal) else { return };
        let own = *context.commands.get(id);
        debug_assert!(own.start + u64::from(own.len) <= self.config.user_bytes);
        self.under_way += 1;
        let done = self.serve(now + self.config.link.command_latency, &own);
        let event = Event { node: self.node, kind: 0, argument: id.0 };
        context.queue.push(done, Priority::Normal, event);
    }

    fn handle<O: Probe<P>>(&mut self, context: &mut Context<P, O>, event: Event) {
        let id = CommandId(event.argument);
        let command = *context.commands.get(id);
        let first = command.start / UNIT;
        let units = (command.start + u64::from(command.len)).div_ceil(UNIT) - first;
        match command.op {
            Op::Read => {
                self.health.read_commands += 1;
                self.health.host_read_bytes += u64::from(command.len);
                if P::CARRIED {
                    for i in 0..units {
                        context.data.put(id, i, self.contents.get(first + i));
                    }
                }
            }
            Op::Write => {
                self.health.write_commands += 1;
                self.health.host_write_bytes += u64::from(command.len);
                if P::CARRIED {
                    for i in 0..units {
                        let tag = context.data.get(id, i).unwrap_or(command.payload);
                        self.contents.set(first + i, tag);
                    }
                }
            }
            Op::Trim | Op::Flush => {}
        }
        self.under_way -= 1;
        let now = context.queue.now();
        let seen = self.completion.seen(now);
        context.complete(id, seen);
    }

    fn power_cut<O: Probe<P>>(&mut self, context: &mut Context<P, O>, node: u16) -> u64 {
        self.health.unsafe_shutdowns += 1;
        self.stop(context);
        self.node = node;
        0
    }

    fn fail<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        self.stop(context);
        self.gone = true;
    }

    fn energy_pj(&self, now: Instant) -> u128 {
        let p = &self.config.power;
        // Microwatts times picoseconds are 10^-18 J: a millionth of a picojoule.
        let idle = u128::from(p.idle.base()) * u128::from(now.ps()) / 1_000_000;
        let each = |bytes: u64, energy: u64| u128::from(bytes) * u128::from(energy);
        let read = each(self.media[0], p.read_per_byte.base());
        idle + read + each(self.media[1], p.write_per_byte.base())
    }

    fn describe(&self) -> String {
        format!("{}: {} commands under way", self.config.name, self.under_way)
    }

    fn audit(&self) {
        let h = &self.health;
        assert!(self.media[0] >= h.modify_bytes, "units were modified and not read");
    }
}
