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

/// The submission queues of a drive and whether a choice is due.
pub(super) struct Fetch {
    pub(super) arbiter: Arbiter,
    /// An event will make the next choice.
    timer: bool,
}

impl Fetch {
    /// The queues of a drive, if they make a difference.
    pub(super) fn new(config: &DriveConfig) -> Option<Box<Fetch>> {
        let queues = config.queues.as_ref().filter(|queues: &&QueueConfig| queues.matters())?;
        Some(Box::new(Fetch { arbiter: Arbiter::new(queues.clone()), timer: false }))
    }

    /// Power has failed: nothing waits, and no event is on its way.
    pub(super) fn clear(&mut self) {
        self.arbiter.clear();
        self.timer = false;
    }
}

impl<P: Payload> Drive<P> {
    /// A command that the device cannot take at once: it waits in its submission queue, or for a
    /// place in the only one.
    #[cold]
    pub(super) fn enqueue<O: Probe<P>>(&mut self, context: &mut Context<P, O>, id: CommandId) {
        match &mut self.queues {
            None => self.overflow.push_back(id),
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
        while let Some(fetch) = &mut self.queues {
            if fetch.arbiter.waiting() == 0 || self.inside >= fetch.arbiter.slots() {
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
        if let Some(fetch) = &mut self.queues {
            fetch.timer = false;
            self.fetch(context);
        }
    }

    /// A command of `queue` has been answered: its place is free.
    pub(super) fn leave<O: Probe<P>>(&mut self, context: &mut Context<P, O>, queue: u8) {
        self.inside -= 1;
        match &mut self.queues {
            Some(fetch) => {
                fetch.arbiter.answered(queue);
                self.fetch(context);
            }
            None => {
                if let Some(id) = self.overflow.pop_front() {
                    self.accept(context, id);
                }
            }
        }
    }
}
