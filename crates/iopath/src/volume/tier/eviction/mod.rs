//! Which block leaves the cache. A policy is notified of every slot that is filled, touched and
//! freed, and names a victim among those that may leave.
//!
//! Slots that are in use or hold dirty data may not leave. A policy looks past a bounded number of
//! them, so that the choice takes a bounded time; then nothing leaves, and the tier destages.

mod clock;
mod lru;
mod two_queue;

use super::config::{EvictionConfig, TierConfig};
use clock::Clock;
use lru::Lru;
use two_queue::TwoQueue;

/// Slots that may not leave which a policy looks past before it gives up.
pub const LOOKS: u32 = 64;

/// The policy with its order.
#[derive(Clone, Debug)]
pub enum Eviction {
    /// Least recently used.
    Lru(Lru),
    /// Second chance under a turning hand.
    Clock(Clock),
    /// A queue of new blocks before a list by recency.
    TwoQueue(TwoQueue),
}

macro_rules! each {
    ($self:ident, $policy:ident => $call:expr) => {
        match $self {
            Eviction::Lru($policy) => $call,
            Eviction::Clock($policy) => $call,
            Eviction::TwoQueue($policy) => $call,
        }
    };
}

impl Eviction {
    /// The policy of a configuration.
    pub fn new(config: &TierConfig) -> Eviction {
        let slots = config.slots();
        match config.eviction {
            EvictionConfig::Lru => Eviction::Lru(Lru::default()),
            EvictionConfig::Clock => Eviction::Clock(Clock::default()),
            EvictionConfig::TwoQueue { recent, ghosts } => {
                Eviction::TwoQueue(TwoQueue::new(slots, recent, ghosts))
            }
        }
    }

    /// A slot was given a block.
    pub fn filled(&mut self, slot: u32, block: u32) {
        each!(self, policy => policy.filled(slot, block));
    }

    /// A slot was used.
    #[inline]
    pub fn touched(&mut self, slot: u32) {
        each!(self, policy => policy.touched(slot));
    }

    /// A slot was freed other than by [`Eviction::victim`].
    pub fn removed(&mut self, slot: u32) {
        each!(self, policy => policy.removed(slot));
    }

    /// Takes out the slot whose block is to leave, among those that `may_leave`. `block_of` names
    /// the block of a slot.
    pub fn victim(
        &mut self,
        may_leave: impl Fn(u32) -> bool,
        block_of: impl Fn(u32) -> u32,
    ) -> Option<u32> {
        each!(self, policy => policy.victim(&may_leave, &block_of))
    }

    /// Slots that will leave soon, the first to leave first: what is to be destaged when dirty data
    /// keeps others out.
    pub fn next_victims(&self, count: usize, out: &mut Vec<u32>) {
        each!(self, policy => policy.next_victims(count, out));
    }

    /// Forgets all slots.
    pub fn clear(&mut self, config: &TierConfig) {
        *self = Eviction::new(config);
    }
}
