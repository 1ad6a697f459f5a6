//! Admission by recency: a block enters when it is touched again before many others were. What is
//! read once, as in a backup, passes the cache without pushing anything out.

use crate::volume::tier::ghosts::Ghosts;

/// Blocks refused lately.
#[derive(Clone, Debug)]
pub struct SecondTouch {
    refused: Ghosts,
}

impl SecondTouch {
    pub(super) fn new(ghosts: u32) -> SecondTouch {
        SecondTouch { refused: Ghosts::new(ghosts) }
    }

    pub(super) fn admits(&mut self, block: u32) -> bool {
        if self.refused.forget(block) {
            return true;
        }
        self.refused.note(block);
        false
    }

    pub(super) fn clear(&mut self) {
        self.refused.clear();
    }
}
