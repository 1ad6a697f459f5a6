//! Commands on their way to a node.

use super::command::CommandId;

/// Commands that nodes have sent and the machine has not handed over yet: first come, first served.
#[derive(Default)]
pub struct Outgoing {
    commands: Vec<(u16, CommandId)>,
    /// How many of them are handed over.
    handed: usize,
}

impl Outgoing {
    /// A command goes to the node known as `to`.
    #[inline]
    pub fn send(&mut self, to: u16, id: CommandId) {
        self.commands.push((to, id));
    }

    /// The next command and its node.
    #[inline]
    pub fn take(&mut self) -> Option<(u16, CommandId)> {
        let next = self.commands.get(self.handed).copied();
        self.handed += 1;
        if next.is_none() {
            // All are handed over: the places are used again.
            self.commands.clear();
            self.handed = 0;
        }
        next
    }

    /// True if none is on its way. Between two events of a machine none is.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_while_others_are_handed_over_comes_after_them() {
        let mut outgoing = Outgoing::default();
        outgoing.send(1, CommandId(10));
        outgoing.send(2, CommandId(11));
        assert_eq!(outgoing.take(), Some((1, CommandId(10))));
        outgoing.send(3, CommandId(12));
        assert_eq!(outgoing.take(), Some((2, CommandId(11))));
        assert_eq!(outgoing.take(), Some((3, CommandId(12))));
        assert!(!outgoing.is_empty(), "empty once it has said so");
        assert_eq!(outgoing.take(), None);
        assert!(outgoing.is_empty());
        outgoing.send(4, CommandId(13));
        assert_eq!(outgoing.take(), Some((4, CommandId(13))));
    }
}
