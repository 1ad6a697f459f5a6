//! CLOCK (Corbato 1968): an approximation of LRU that moves nothing when a block is used.

use super::LOOKS;
use engine::narrow;

/// What the hand sees of a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mark {
    Free,
    /// Holds a block that was not used since it came or since the hand passed.
    Unused,
    Used,
}

/// All slots on a dial.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    marks: Vec<Mark>,
    hand: u32,
}

impl Clock {
    pub(super) fn filled(&mut self, slot: u32, _block: u32) {
        if slot as usize >= self.marks.len() {
            self.marks.resize(slot as usize + 1, Mark::Free);
        }
        self.marks[slot as usize] = Mark::Unused;
    }

    #[inline]
    pub(super) fn touched(&mut self, slot: u32) {
        self.marks[slot as usize] = Mark::Used;
    }

    pub(super) fn removed(&mut self, slot: u32) {
        self.marks[slot as usize] = Mark::Free;
    }

    pub(super) fn victim(
        &mut self,
        may_leave: &impl Fn(u32) -> bool,
        _block_of: &impl Fn(u32) -> u32,
    ) -> Option<u32> {
        let mut looks = 0;
        // Two turns: the first may only take the marks of use away.
        for _ in 0..2 * self.marks.len() {
            let slot = self.hand;
            self.hand = if slot as usize + 1 < self.marks.len() { slot + 1 } else { 0 };
            match self.marks[slot as usize] {
                Mark::Free => {}
                _ if !may_leave(slot) => {
                    looks += 1;
                    if looks == LOOKS {
                        return None;
                    }
                }
                Mark::Used => self.marks[slot as usize] = Mark::Unused,
                Mark::Unused => {
                    self.marks[slot as usize] = Mark::Free;
                    return Some(slot);
                }
            }
        }
        None
    }

    pub(super) fn next_victims(&self, count: usize, out: &mut Vec<u32>) {
        let (before, after) = (0..self.hand, self.hand..narrow(self.marks.len()));
        let held = |slot: &u32| self.marks[*slot as usize] != Mark::Free;
        out.extend(after.chain(before).take(count).filter(held));
    }
}
