//! Taking commands from submission queues: when a core is free, the arbiter chooses the next one.
//!
//! Without queues a command is given to the cores when it arrives, by arithmetic, which serves all
//! in the order of arrival. With queues the choice is made when a core can begin, because what
//! arrives later may go first. A command that is known now reaches the controller a command latency
//! later, so the choice for a core that is free at `t` is made at `t` less that latency.

use super::{Drive, kind};
use crate::device::flash::config::DriveConfig;
use crate::device::queues::{Arbiter, QueueConfig};
use crate::kernel::Context;
use crate::kernel::command::CommandId;
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use engine::{Event, Priority};
use std::collections::VecDeque;

/// The commands that the device has taken, and those that wait for it to take them.
pub(super) struct Entry {
    inside: u32,
    /// Commands inside from which on others wait; zero if all go through submission queues.
    limit: u32,
    overflow: VecDeque<CommandId>,
    /// Submission queues, if the drive has several.
    queues: Option<Box<Fetch>>,
}

/// The submission queues of a drive and whether a choice is due.
struct Fetch {
    arbiter: Arbiter,
    /// An event will make the next choice.
    timer: bool,
}

impl Entry {
    /// The entry of a drive, with its queues if they make a difference.
    pub(super) fn new(config: &DriveConfig) -> Self {
        let queues = config.queues.as_ref().filter(|queues: &&QueueConfig| queues.matters());
        let fetch =
            |queues: &QueueConfig| Fetch { arbiter: Arbiter::new(queues.clone()), timer: false };
        let queues = queues.map(|queues| Box::new(fetch(queues)));
        let limit = if queues.is_some() { 0 } else { config.link.queue_limit };
        Entry { inside: 0, limit, overflow: VecDeque::new(), queues }
    }

    /// Commands that the device has taken and not answered.
    pub(super) fn inside(&self) -> u32 {
        self.inside
    }

    /// True if a command has to wait.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.inside >= self.limit
    }

    /// True if no command ever waits, so that none has a place to free.
    #[inline]
    pub(super) fn is_unbounded(&self) -> bool {
        self.limit == u32::MAX
    }

    /// A command is taken.
    #[inline]
    pub(super) fn enter(&mut self) {
        self.inside += 1;
    }

    /// A command has been answered.
    #[inline]
    pub(super) fn leave(&mut self) {
        self.inside -= 1;
    }

    /// True if no command is inside or waits.
    pub(super) fn is_empty(&self) -> bool {
        let queued = self.queues.as_ref().is_some_and(|fetch| fetch.arbiter.waiting() > 0);
        self.inside == 0 && !queued
    }

    /// Power has failed: nothing waits, and no event is on its way.
    pub(super) fn clear(&mut self) {
        self.inside = 0;
        self.overflow.clear();
        if let Some(fetch) = &mut self.queues {
            fetch.arbiter.clear();
            fetch.timer = false;
        }
    }
}

impl<P: Payload> Drive<P> {
    /// A command that the device cannot take at once: it waits in its submission queue, or for a
    /// place in the only one.
    #[cold]
    pub(super) fn enqueue<O: Probe<P>>(&mut self, context: &mut Context<P, O>, id: CommandId) {
        match &mut self.entry.queues {
            None => self.entry.overflow.push_back(id),
            Some(fetch) => {
                fetch.arbiter.push(context.commands.get(id).queue, id);
                self.fetch(context);
            }
        }
    }

    /// Takes commands as long as a core is free for them and a slot is left.
    pub(super) fn fetch<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        let now = context.queue.now();
        let latency = self.config.link.command_latency;
        while let Some(fetch) = &mut self.entry.queues {
            if fetch.arbiter.waiting() == 0 || self.entry.inside >= fetch.arbiter.slots() {
                return;
            }
            let free = self.cores.free_at();
            if free > now + latency {
                if !fetch.timer {
                    fetch.timer = true;
                    let event = Event { node: self.node, kind: kind::FETCH, argument: 0 };
                    let at = now + free.since(now + latency);
                    context.queue.push(at, Priority::Normal, event);
                }
                return;
            }
            let Some(id) = fetch.arbiter.pick() else { return };
            self.accept(context, id);
        }
    }

    /// A core is free.
    pub(super) fn on_fetch<O: Probe<P>>(&mut self, context: &mut Context<P, O>) {
        if let Some(fetch) = &mut self.entry.queues {
            fetch.timer = false;
            self.fetch(context);
        }
    }

    /// A command of `queue` has been answered: its place is free.
    pub(super) fn leave<O: Probe<P>>(&mut self, context: &mut Context<P, O>, queue: u32) {
        self.entry.leave();
        match &mut self.entry.queues {
            Some(fetch) => {
                fetch.arbiter.answered(queue);
                self.fetch(context);
            }
            None => {
                if let Some(id) = self.entry.overflow.pop_front() {
                    self.accept(context, id);
                }
            }
        }
    }
}
