//! Which of the free groups of a lane is opened: with dynamic wear levelling the one with the
//! fewest erases, for data that static levelling moves the one with the most.

use std::collections::VecDeque;

/// The free group that a stream opens next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OpenFirst {
    /// The one that was freed first.
    #[default]
    Oldest,
    /// The one with the fewest erases.
    LeastErased,
    /// The one with the most erases.
    MostErased,
}

impl OpenFirst {
    /// Takes a free group; the one that was freed first among equals.
    pub(crate) fn take(self, free: &mut VecDeque<u32>, erases: &[u32]) -> Option<u32> {
        let erased = |&i: &usize| erases[free[i] as usize];
        let place = match self {
            OpenFirst::Oldest => return free.pop_front(),
            OpenFirst::LeastErased => (0..free.len()).min_by_key(erased),
            OpenFirst::MostErased => (0..free.len()).rev().max_by_key(erased),
        };
        free.remove(place?)
    }
}
