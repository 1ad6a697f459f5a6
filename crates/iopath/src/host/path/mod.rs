//! The path from the host to a node: the host's software, and links that others use too.

mod device;

use crate::kernel::Context;
use crate::kernel::command::{Command, CommandId, Op, Status};
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use crate::kernel::shared::Way;
use engine::{Duration, Instant};

mod kind {
    /// A command has come through to the node below; argument: the command.
    pub const THROUGH: u16 = 0;
}

/// What a command passes on its path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathConfig {
    /// Time before the node below has a command, beside all that is shared.
    pub submit: Duration,
    /// Time before its completion is seen above.
    pub complete: Duration,
    /// Processor time of each command, and the pool in [`crate::kernel::shared::Shared`] that
    /// spends it.
    pub processor: Option<(usize, Duration)>,
    /// Pipes that its data goes through, by their places in [`crate::kernel::shared::Shared`].
    pub pipes: Vec<usize>,
}

/// A path to one node.
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
    /// A path to the node at `below`, which has `capacity` bytes.
    pub fn new(config: PathConfig, below: u16, capacity: u64, node: u16) -> Self {
        Path { config, below, capacity, node, address: node, under_way: 0, gone: false }
    }

    /// When data that leaves at `now` is through all pipes: they all pass it at the same time.
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

    /// True if nothing is in flight.
    pub fn is_at_rest(&self) -> bool {
        self.under_way == 0
    }
}
