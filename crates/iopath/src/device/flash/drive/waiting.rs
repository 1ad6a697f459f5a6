//! Writes that wait for the buffer or for collection, in order.

use crate::kernel::command::CommandId;
use engine::{Duration, Instant};
use std::collections::VecDeque;

/// The queue, and how long there was one.
#[derive(Default)]
pub(super) struct Waiting {
    writes: VecDeque<CommandId>,
    /// Since when some wait, and for how long some have before.
    since: Option<Instant>,
    waited: Duration,
}

impl Waiting {
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.writes.len()
    }

    #[inline]
    pub(super) fn push(&mut self, id: CommandId) {
        self.writes.push_back(id);
    }

    /// The write whose turn it is.
    #[inline]
    pub(super) fn first(&self) -> Option<CommandId> {
        self.writes.front().copied()
    }

    /// The first write is in the buffer, or is refused.
    #[inline]
    pub(super) fn pop(&mut self) {
        self.writes.pop_front();
    }

    /// The turn of the first write is over: it waits behind all others.
    pub(super) fn rotate(&mut self) {
        self.writes.rotate_left(1);
    }

    /// The first write of a kind, and its place.
    pub(super) fn find(&self, is: impl FnMut(&CommandId) -> bool) -> Option<(usize, CommandId)> {
        let place = self.writes.iter().position(is)?;
        Some((place, self.writes[place]))
    }

    /// The write at a place has passed those before it.
    pub(super) fn remove(&mut self, place: usize) {
        self.writes.remove(place);
    }

    /// Counts the time in which some wait.
    #[inline]
    pub(super) fn count(&mut self, now: Instant) {
        if self.writes.is_empty() {
            self.waited += self.since.take().map_or(Duration::ZERO, |since| now.since(since));
        } else {
            self.since.get_or_insert(now);
        }
    }

    /// Time until `now` in which at least one waited.
    pub(super) fn waited(&self, now: Instant) -> Duration {
        self.waited + self.since.map_or(Duration::ZERO, |since| now.since(since))
    }

    /// All are gone with the power.
    pub(super) fn clear(&mut self) {
        self.writes.clear();
        self.since = None;
    }
}
