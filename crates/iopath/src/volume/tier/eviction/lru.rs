//! Least recently used.

use super::LOOKS;
use crate::volume::tier::chain::{Links, List};

/// All slots in the order of their last use.
#[derive(Clone, Debug, Default)]
pub struct Lru {
    links: Links,
    list: List,
}

impl Lru {
    pub(super) fn filled(&mut self, slot: u32, _block: u32) {
        self.list.push(&mut self.links, slot);
    }

    #[inline]
    pub(super) fn touched(&mut self, slot: u32) {
        self.list.renew(&mut self.links, slot);
    }

    pub(super) fn removed(&mut self, slot: u32) {
        self.list.remove(&mut self.links, slot);
    }

    pub(super) fn victim(
        &mut self,
        may_leave: &impl Fn(u32) -> bool,
        _block_of: &impl Fn(u32) -> u32,
    ) -> Option<u32> {
        let oldest = self.list.oldest_first(&self.links).take(LOOKS as usize);
        let slot = { oldest }.find(|&slot| may_leave(slot))?;
        self.removed(slot);
        Some(slot)
    }

    pub(super) fn next_victims(&self, count: usize, out: &mut Vec<u32>) {
        out.extend(self.list.oldest_first(&self.links).take(count));
    }
}
