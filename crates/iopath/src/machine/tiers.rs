//! Operations on cache tiers besides commands.

use super::{Machine, Node};
use crate::kernel::Range;
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use crate::volume::tier::Tier;

impl<P: Payload, O: Probe<P>> Machine<P, O> {
    /// The cache tier at an address.
    ///
    /// # Panics
    /// If the node is not a tier.
    pub fn tier(&self, address: u16) -> &Tier<P> {
        match self.node(address) {
            Node::Tier(tier) => tier,
            _ => panic!("node {address} is not a cache tier"),
        }
    }

    /// The cache tier at an address, to change.
    ///
    /// # Panics
    /// If the node is not a tier.
    pub fn tier_mut(&mut self, address: u16) -> &mut Tier<P> {
        match self.node_mut(address) {
            Node::Tier(tier) => tier,
            _ => panic!("node {address} is not a cache tier"),
        }
    }

    /// Takes the cache of a tier away: what is changed is destaged in time
    /// ([`Tier::detached_at`]), then every command goes to the slow device.
    ///
    /// # Panics
    /// If the node is not a tier.
    pub fn detach(&mut self, address: u16) {
        let index = self.index(address);
        match &mut self.nodes[index] {
            Node::Tier(tier) => tier.detach(&mut self.context),
            _ => panic!("node {address} is not a cache tier"),
        }
        self.hand_on();
    }

    /// Fills the cache of a tier with a range as if it had been read, in zero time; returns the
    /// bytes of it that are cached. Time must not continue before [`Machine::resume`].
    ///
    /// # Panics
    /// If the node is not a tier.
    pub fn warm(&mut self, address: u16, start: u64, len: u64) -> u64 {
        let mut ranges = Vec::new();
        let warm = self.tier_mut(address).warm(start, len, &mut ranges);
        for Range { address, start, len } in ranges {
            self.write_untimed(address, start, len);
        }
        warm
    }
}
