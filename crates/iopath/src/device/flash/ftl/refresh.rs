//! Groups that are to be rewritten because their data is fading: they go before all other victims.

use super::Ftl;
use super::pool::{GroupState, Pool};
use crate::kernel::payload::Payload;
use std::collections::VecDeque;

/// Groups that wait to be refreshed, and those that are being emptied for it.
#[derive(Clone, Debug, Default)]
pub(super) struct Refresh {
    waiting: VecDeque<u32>,
    active: Vec<u32>,
}

impl Refresh {
    /// True if there is something to do.
    #[inline]
    pub(super) fn is_wanted(&self) -> bool {
        !self.waiting.is_empty() || !self.active.is_empty()
    }

    /// True if a group is being refreshed.
    #[inline]
    pub(super) fn is_active(&self, group: u32) -> bool {
        !self.active.is_empty() && self.active.contains(&group)
    }

    /// The next group to refresh, after those that were collected anyway meanwhile.
    pub(super) fn next(&mut self, pool: &Pool) -> Option<u32> {
        while let Some(&group) = self.waiting.front() {
            if pool.is_candidate(group) {
                return Some(group);
            }
            self.waiting.pop_front();
        }
        None
    }

    /// A group has been taken as a victim.
    pub(super) fn taken(&mut self, group: u32) {
        if let Some(at) = self.waiting.iter().position(|&g| g == group) {
            self.waiting.remove(at);
            self.active.push(group);
        }
    }

    /// A group is free.
    pub(super) fn released(&mut self, group: u32) {
        self.active.retain(|&g| g != group);
    }

    /// Collections in progress have been cancelled.
    pub(super) fn abandon(&mut self) {
        self.active.clear();
    }

    fn ask(&mut self, group: u32, pool: &Pool) {
        if pool.state(group) == GroupState::Closed
            && pool.is_candidate(group)
            && !self.waiting.contains(&group)
        {
            self.waiting.push_back(group);
        }
    }
}

impl<P: Payload> Ftl<P> {
    /// Asks that a group be rewritten. What is open, free or already a victim is not.
    pub fn ask_refresh(&mut self, group: u32) {
        self.refresh.ask(group, &self.pool);
    }

    /// Groups that wait to be rewritten or are being rewritten.
    pub fn refreshes(&self) -> bool {
        self.refresh.is_wanted()
    }
}
