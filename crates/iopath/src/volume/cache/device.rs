//! The device interface of a volume cache.

use super::destage::Epochs;
use super::{Cache, Retention, kind};
use crate::kernel::command::{CommandId, Op, Status};
use crate::kernel::data::UNIT;
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use crate::kernel::{COMPLETED, Context, Device, Range};
use engine::{Event, FifoServer, FifoServers, Priority};

impl<P: Payload> Device<P> for Cache<P> {
    fn capacity(&self) -> u64 {
        self.capacity
    }

    fn submit<O: Probe<P>>(&mut self, context: &mut Context<P, O>, id: CommandId) {
        let refusal = self.broken.or(self.gone.then_some(Status::DeviceGone));
        let Some(now) = context.arrive(id, refusal) else { return };
        let command = context.commands.get_mut(id);
        command.progress = 0;
        let own = *command;
        debug_assert!(own.start + own.len as u64 <= self.capacity);
        self.hosts += 1;
        (self.resting, self.emptying) = (false, false);
        self.last_command = now;
        let (first, end) = self.range(own.start, own.len as u64);
        let lines = if matches!(own.op, Op::Read | Op::Write) { end - first } else { 0 };
        let copied = match own.op {
            Op::Write => own.len as u64,
            Op::Read if self.holds(first, end) => own.len as u64,
            _ => 0,
        };
        let at = self.spend(context, lines, copied, copied);
        let event = Event { node: self.node, kind: kind::BEGIN, argument: id.0 };
        if at > now {
            return context.queue.push(at, Priority::Normal, event);
        }
        self.handle(context, event);
    }

    fn handle<O: Probe<P>>(&mut self, context: &mut Context<P, O>, event: Event) {
        match event.kind {
            COMPLETED => self.completed(context, CommandId(event.argument)),
            kind::BEGIN => self.begin(context, CommandId(event.argument)),
            kind::SEND => self.send_run(context, event.argument),
            kind::IDLE => self.idle_timer(context),
            _ => {}
        }
        self.admit(context);
        self.destage(context);
    }

    fn idle<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        self.resting = false;
        self.last_command = context.queue.now();
        self.watch_idle(context);
    }

    fn rest<O: Probe<P>>(&mut self, _context: &mut Context<P, O>) {
        self.resting = true;
        self.emptying = false;
    }

    fn power_cut<O: Probe<P>>(&mut self, context: &mut Context<P, O>, node: u16) -> u64 {
        context.abandon(self.address);
        self.node = node;
        let kept = self.config.retention == Retention::Protected;
        let lost = if kept { 0 } else { self.dirty_bytes() };
        self.parts.clear();
        self.free_parts.clear();
        self.queue.clear();
        (self.hosts, self.filling, self.destaging) = (0, 0, 0);
        (self.idle_timer, self.emptying, self.trimming) = (false, false, false);
        self.lock = FifoServer::default();
        if let Some(threads) = &mut self.threads {
            *threads = FifoServers::new(threads.servers());
        }
        self.epochs = Epochs::default();
        if kept {
            self.lines.call_back();
            for _ in 0..self.lines.unsaved() {
                self.epochs.enter();
            }
            self.emptying = self.lines.unsaved() > 0 && self.broken.is_none();
            let event = Event { node, kind: kind::START, argument: 0 };
            context.queue.push(context.queue.now(), Priority::Normal, event);
        } else {
            let units = (self.config.line as u64 / UNIT) as usize;
            self.lines = super::Lines::new(self.config.lines(), units, self.config.order);
        }
        lost
    }

    fn fail<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        context.abandon(self.address);
        self.gone = true;
        self.queue.clear();
        (self.hosts, self.filling, self.destaging) = (0, 0, 0);
    }

    fn describe(&self) -> String {
        format!(
            "{}: {} commands inside, {} lines to save, {} commands below, {} queued",
            self.config.name,
            self.hosts,
            self.lines.unsaved(),
            self.parts.len() - self.free_parts.len(),
            self.queue.len(),
        )
    }

    fn audit(&self) {
        self.lines.audit();
        assert!(self.lines.unsaved() <= self.high, "more lines are dirty than may be");
    }

    fn write_untimed(&mut self, start: u64, len: u64, below: &mut Vec<Range>) {
        below.push(Range { address: self.below, start, len });
    }

    fn destinations(&self, start: u64, len: u64, below: &mut Vec<Range>) -> bool {
        below.push(Range { address: self.below, start, len });
        true
    }
}
