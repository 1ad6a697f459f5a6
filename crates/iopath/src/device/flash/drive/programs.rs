//! Programs in the order in which they were begun, and the commands that wait until all before are
//! done.

use crate::kernel::command::CommandId;
use engine::index;
use std::collections::VecDeque;

/// Programs in flight.
#[derive(Default)]
pub(super) struct Programs {
    /// Numbers of the next to begin and of the oldest that is not done.
    next: u64,
    oldest: u64,
    /// Which are done, from the oldest that is not.
    done: VecDeque<bool>,
    /// Commands, and the number before which every program has to be done, which never falls.
    durable: VecDeque<(u64, CommandId)>,
}

impl Programs {
    /// The number of a new program.
    #[inline]
    pub(super) fn begin(&mut self) -> u64 {
        let number = self.next;
        self.next += 1;
        self.done.push_back(false);
        number
    }

    /// A program is on the flash.
    #[inline]
    pub(super) fn end(&mut self, number: u64) {
        self.done[index(number - self.oldest)] = true;
        while self.done.front() == Some(&true) {
            self.done.pop_front();
            self.oldest += 1;
        }
    }

    /// A command waits until all that is begun is done.
    pub(super) fn await_all(&mut self, id: CommandId) {
        self.durable.push_back((self.next, id));
    }

    /// The next command that need not wait any more.
    #[inline]
    pub(super) fn pop_durable(&mut self) -> Option<CommandId> {
        let (number, _) = self.durable.front()?;
        if *number > self.oldest {
            return None;
        }
        self.durable.pop_front().map(|(_, id)| id)
    }

    /// Nothing waits: commands are gone with the power.
    pub(super) fn abandon(&mut self) {
        self.durable.clear();
    }

    /// No program is in flight: the power has failed.
    pub(super) fn clear(&mut self) {
        self.done.clear();
        self.oldest = self.next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_waits_for_every_program_before_it_and_for_none_after() {
        let mut programs = Programs::default();
        let (a, b) = (programs.begin(), programs.begin());
        programs.await_all(CommandId(7));
        let c = programs.begin();
        programs.end(b);
        programs.end(c);
        assert_eq!(programs.pop_durable(), None, "the first is not done");
        programs.end(a);
        assert_eq!(programs.pop_durable(), Some(CommandId(7)));
        assert_eq!(programs.pop_durable(), None);
    }
}
