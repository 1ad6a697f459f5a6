//! 2Q (Johnson and Shasha 1994, the full version): a block enters a first-in-first-out queue. If
//! it is asked for again after it left that queue, while it is still remembered, it goes to the
//! list that is kept by recency. What is used once only ever fills the queue.

use super::LOOKS;
use crate::volume::tier::chain::{Links, List};
use crate::volume::tier::ghosts::Ghosts;
use engine::{Ratio, narrow};

/// The queue, the list, and what left the queue.
#[derive(Clone, Debug)]
pub struct TwoQueue {
    links: Links,
    /// A1in of the paper.
    recent: List,
    /// Am of the paper.
    kept: List,
    /// Whether a slot is in `kept`.
    is_kept: Vec<bool>,
    /// Length above which the queue gives up a block before the list does.
    most_recent: u32,
    /// A1out of the paper.
    ghosts: Ghosts,
}

impl TwoQueue {
    pub(super) fn new(slots: u32, recent: Ratio, ghosts: Ratio) -> TwoQueue {
        TwoQueue {
            links: Links::default(),
            recent: List::default(),
            kept: List::default(),
            is_kept: Vec::new(),
            most_recent: narrow(recent.of(slots as u64)),
            ghosts: Ghosts::new(narrow(ghosts.of(slots as u64).min(u32::MAX as u64 - 1))),
        }
    }

    pub(super) fn filled(&mut self, slot: u32, block: u32) {
        if slot as usize >= self.is_kept.len() {
            self.is_kept.resize(slot as usize + 1, false);
        }
        let kept = self.ghosts.forget(block);
        self.is_kept[slot as usize] = kept;
        if kept {
            self.kept.push(&mut self.links, slot);
        } else {
            self.recent.push(&mut self.links, slot);
        }
    }

    #[inline]
    pub(super) fn touched(&mut self, slot: u32) {
        // Uses shortly after the first belong together and say nothing about the future.
        if self.is_kept[slot as usize] {
            self.kept.renew(&mut self.links, slot);
        }
    }

    pub(super) fn removed(&mut self, slot: u32) {
        if self.is_kept[slot as usize] {
            self.kept.remove(&mut self.links, slot);
        } else {
            self.recent.remove(&mut self.links, slot);
        }
    }

    fn queue_first(&self) -> bool {
        self.recent.len() > self.most_recent || self.kept.len() == 0
    }

    pub(super) fn victim(
        &mut self,
        may_leave: &impl Fn(u32) -> bool,
        block_of: &impl Fn(u32) -> u32,
    ) -> Option<u32> {
        let (first, second) = self.order();
        let find = |list: List| {
            list.oldest_first(&self.links).take(LOOKS as usize).find(|&slot| may_leave(slot))
        };
        let slot = find(first).or_else(|| find(second))?;
        self.removed(slot);
        if !self.is_kept[slot as usize] {
            self.ghosts.note(block_of(slot));
        }
        Some(slot)
    }

    fn order(&self) -> (List, List) {
        if self.queue_first() { (self.recent, self.kept) } else { (self.kept, self.recent) }
    }

    pub(super) fn next_victims(&self, count: usize, out: &mut Vec<u32>) {
        let (first, second) = self.order();
        let both = first.oldest_first(&self.links).chain(second.oldest_first(&self.links));
        out.extend(both.take(count));
    }
}
