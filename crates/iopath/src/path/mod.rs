//! The way from the host to a node: the host's software, and links that others use too.

use crate::command::{Command, CommandId, Op, Status};
use crate::machine::{COMPLETED, Context};
use crate::payload::Payload;
use crate::probe::Probe;
use crate::shared::Way;
use engine::{Duration, Event, Instant, Priority};

mod kind {
    /// A command has come through to the node below; argument: the command.
    pub const THROUGH: u16 = 0;
}

/// What a command meets on its way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathConfig {
    /// Time before the node below has a command, beside all that is shared.
    pub submit: Duration,
    /// Time before its completion is seen above.
    pub complete: Duration,
    /// Processor time of each command, and the pool in [`crate::shared::Shared`] that spends it.
    pub processor: Option<(usize, Duration)>,
    /// Pipes that its data goes through, by their places in [`crate::shared::Shared`].
    pub pipes: Vec<usize>,
}

/// A way to one node.
pub struct Path {
    config: PathConfig,
    below: u16,
    capacity: u64,
    node: u16,
    address: u16,
    under_way: u32,
    gone: bool,
}

impl Path {
    /// A way to the node at `below`, which has `capacity` bytes.
    pub fn new(config: PathConfig, below: u16, capacity: u64, node: u16) -> Self {
        Path { config, below, capacity, node, address: node, under_way: 0, gone: false }
    }

    /// Bytes of the node below.
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// The node that it leads to.
    pub fn below(&self) -> u16 {
        self.below
    }

    /// A command arrives from above.
    pub fn submit<P: Payload, O: Probe<P>>(&mut self, context: &mut Context<P, O>, id: CommandId) {
        let now = context.queue.now();
        let command = context.commands.get_mut(id);
        command.submitted = now;
        if self.gone {
            command.status = Status::DeviceGone;
            return context.complete(id, now);
        }
        self.under_way += 1;
        let own = *command;
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

    /// When data that goes on `now` is through all pipes: they all pass it at the same time.
    fn pass<P: Payload, O: Probe<P>>(
        &self,
        context: &mut Context<P, O>,
        way: Way,
        now: Instant,
        bytes: u64,
    ) -> Instant {
        if bytes == 0 {
            return now;
        }
        let pipes = self.config.pipes.iter();
        pipes.map(|&pipe| context.shared.pipes[pipe].pass(way, now, bytes)).fold(now, Instant::max)
    }

    fn forward<P: Payload, O: Probe<P>>(&mut self, context: &mut Context<P, O>, id: CommandId) {
        let own = *context.commands.get(id);
        let now = context.queue.now();
        let below = Command {
            target: self.below,
            parent: self.node,
            tag: id.0,
            issued: now,
            submitted: Instant::NEVER,
            answered: false,
            ..own
        };
        let data = context.data.take(id);
        let child = context.send(below);
        context.data.hand_on(child, data);
    }

    /// An event of this node.
    pub fn handle<P: Payload, O: Probe<P>>(&mut self, context: &mut Context<P, O>, event: Event) {
        let id = CommandId(event.argument);
        match event.kind {
            COMPLETED => self.completed(context, id),
            _ => self.forward(context, id),
        }
    }

    fn completed<P: Payload, O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        child: CommandId,
    ) {
        let units = context.data.take(child);
        let below = context.commands.remove(child);
        let id = CommandId(below.tag);
        context.data.hand_on(id, units);
        context.commands.get_mut(id).status = below.status;
        let now = context.queue.now();
        let read = below.op == Op::Read && below.status == Status::Ok;
        let data = if read { below.len as u64 } else { 0 };
        let at = self.pass(context, Way::Up, now, data) + self.config.complete;
        self.under_way -= 1;
        context.complete(id, at);
    }

    /// Power fails: what is under way ends as gone. Nothing of the way is lost, since nothing on
    /// it was acknowledged.
    pub fn power_cut<P: Payload, O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        node: u16,
    ) -> u64 {
        context.abandon(self.address);
        self.node = node;
        self.under_way = 0;
        0
    }

    /// The way is broken for good: what is under way ends as gone.
    pub fn fail<P: Payload, O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        context.abandon(self.address);
        self.under_way = 0;
        self.gone = true;
    }

    /// Does nothing in the background.
    pub fn idle<P: Payload, O: Probe<P>>(&mut self, _context: &mut Context<P, O>) {}

    /// Does nothing in the background.
    pub fn rest<P: Payload, O: Probe<P>>(&mut self, _context: &mut Context<P, O>) {}

    /// Has no bookkeeping that could disagree.
    pub fn audit(&self) {}

    /// Uses none.
    pub fn energy_pj(&self, _now: Instant) -> u128 {
        0
    }

    /// True if nothing is under way.
    pub fn is_at_rest(&self) -> bool {
        self.under_way == 0
    }

    /// What it is doing, for messages.
    pub fn describe(&self) -> String {
        format!("way to node {}: {} commands", self.below, self.under_way)
    }
}
