//! The device interface of a path.

use super::{Path, kind};
use crate::kernel::command::{CommandId, Op, Status};
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use crate::kernel::shared::Way;
use crate::kernel::{COMPLETED, Context, Device, Range};
use engine::{Event, Priority};

impl<P: Payload> Device<P> for Path {
    fn capacity(&self) -> u64 {
        self.capacity
    }

    fn submit<O: Probe<P>>(&mut self, context: &mut Context<P, O>, id: CommandId) {
        let refusal = self.gone.then_some(Status::DeviceGone);
        let Some(now) = context.arrive(id, refusal) else { return };
        self.under_way += 1;
        let own = *context.commands.get(id);
        let data = if own.op == Op::Write { own.len as u64 } else { 0 };
        let mut through = self.pass(context, Way::Down, now, data);
        if let Some((pool, cost)) = self.config.processor {
            through = through.max(context.shared.pools[pool].serve(now, cost));
        }
        through += self.config.submit;
        if through == now {
            return self.forward(context, id);
        }
        let event = Event { node: self.node, kind: kind::THROUGH, argument: id.0 };
        context.queue.push(through, Priority::Normal, event);
    }

    fn handle<O: Probe<P>>(&mut self, context: &mut Context<P, O>, event: Event) {
        let id = CommandId(event.argument);
        match event.kind {
            COMPLETED => self.completed(context, id),
            _ => self.forward(context, id),
        }
    }

    fn power_cut<O: Probe<P>>(&mut self, context: &mut Context<P, O>, node: u16) -> u64 {
        context.abandon(self.address);
        self.node = node;
        self.under_way = 0;
        0
    }

    fn fail<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        context.abandon(self.address);
        self.under_way = 0;
        self.gone = true;
    }

    fn describe(&self) -> String {
        format!("way to node {}: {} commands", self.below, self.under_way)
    }

    fn write_untimed(&mut self, start: u64, len: u64, below: &mut Vec<Range>) {
        below.push(Range { address: self.below, start, len });
    }

    fn destinations(&self, start: u64, len: u64, below: &mut Vec<Range>) -> bool {
        below.push(Range { address: self.below, start, len });
        true
    }
}
