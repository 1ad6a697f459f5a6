//! What all nodes share: time, the commands in flight, links and processors.

use super::COMPLETED;
use crate::kernel::command::{Command, CommandId, Commands, Status};
use crate::kernel::data::Data;
use crate::kernel::outgoing::Outgoing;
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use crate::kernel::shared::Shared;
use engine::{Event, EventQueue, Instant, Priority};

/// What all nodes share.
pub struct Context<P: Payload, O: Probe<P>> {
    /// Time and what is to come.
    pub queue: EventQueue,
    /// Commands in flight.
    pub commands: Commands<P>,
    /// What the commands carry, in tests.
    pub data: Data<P>,
    /// Links and processors that nodes share.
    pub shared: Shared,
    /// Commands on their way to a node that the machine has not handed to it yet.
    pub outgoing: Outgoing,
    /// The outside.
    pub probe: O,
}

impl<P: Payload, O: Probe<P>> Context<P, O> {
    /// Sends a command to the node that is its target. Its end comes to its parent as an event
    /// [`COMPLETED`] with the name that is returned.
    #[inline]
    pub fn send(&mut self, command: Command<P>) -> CommandId {
        let id = self.commands.insert(command);
        self.outgoing.send(command.target, id);
        id
    }

    /// Marks a command as submitted to its node and returns the time of submission. With a
    /// `refusal` the command completes at once with that status, and there is no time.
    #[inline]
    pub fn arrive(&mut self, id: CommandId, refusal: Option<Status>) -> Option<Instant> {
        let now = self.queue.now();
        let command = self.commands.get_mut(id);
        command.submitted = now;
        let Some(status) = refusal else { return Some(now) };
        command.status = status;
        self.complete(id, now);
        None
    }

    /// Ends a command at `at`, not before now: its parent is notified then.
    #[inline]
    pub fn complete(&mut self, id: CommandId, at: Instant) {
        let command = self.commands.get_mut(id);
        command.answered = true;
        let event = Event { node: command.parent, kind: COMPLETED, argument: id.0 };
        self.queue.push(at, Priority::Completion, event);
    }

    /// Ends all commands that the node known as `address` has and has not answered as gone.
    pub fn abandon(&mut self, address: u16) {
        let now = self.queue.now();
        let here = |c: &Command<P>| c.target == address && c.submitted != Instant::NEVER;
        let ids: Vec<CommandId> = self
            .commands
            .iter()
            .filter(|(_, c)| here(c) && !c.answered)
            .map(|(id, _)| id)
            .collect();
        for id in ids {
            self.commands.get_mut(id).status = Status::DeviceGone;
            self.complete(id, now);
        }
    }
}
