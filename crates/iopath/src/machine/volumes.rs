//! Volumes from outside: untimed writes and manual operations.

use super::{Machine, Node};
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use crate::kernel::{Device, Range};
use crate::volume::cache::Cache;
use crate::volume::raid::Raid;

impl<P: Payload, O: Probe<P>> Machine<P, O> {
    /// Writes a range in zero time, as a long prewriting would: through volumes to the flash below.
    /// Time must not continue before [`Machine::resume`].
    pub fn write_untimed(&mut self, address: u16, start: u64, len: u64) {
        // Nothing is allocated for a drive, which has nothing below.
        let mut below = Vec::new();
        self.node_mut(address).write_untimed(start, len, &mut below);
        while let Some(Range { address, start, len }) = below.pop() {
            self.node_mut(address).write_untimed(start, len, &mut below);
        }
    }

    /// The same for many ranges, in their order. The map's lines are asked for some ranges before
    /// they are needed: without that, each write would wait for memory.
    pub fn write_all_untimed(&mut self, ranges: &[Range]) {
        const AHEAD: usize = 8;
        for (number, &Range { address, start, len }) in ranges.iter().enumerate() {
            if let Some(next) = ranges.get(number + AHEAD)
                && let Node::Drive(drive) = self.node(next.address)
            {
                drive.prefetch(next.start);
            }
            self.write_untimed(address, start, len);
        }
    }

    /// The ranges of drives and other leaves that a write of a range would reach, parity and
    /// mirrors included.
    pub fn leaves(&self, address: u16, start: u64, len: u64) -> Vec<Range> {
        let (mut ranges, mut leaves) = (vec![Range { address, start, len }], Vec::new());
        while let Some(range) = ranges.pop() {
            if !self.node(range.address).destinations(range.start, range.len, &mut ranges) {
                leaves.push(range);
            }
        }
        leaves
    }

    /// The volume cache at an address.
    ///
    /// # Panics
    /// If the node is not a volume cache.
    pub fn cache(&self, address: u16) -> &Cache<P> {
        match self.node(address) {
            Node::Cache(cache) => cache,
            _ => panic!("node {address} is not a volume cache"),
        }
    }

    /// A new drive at `new` comes into an array in the place of the member at `old`.
    ///
    /// # Panics
    /// If the node at `array` is not an array.
    pub fn replace_member(&mut self, array: u16, old: u16, new: u16) {
        let index = self.index(array);
        match &mut self.nodes[index] {
            Node::Raid(raid) => raid.replace(&mut self.context, old, new),
            _ => panic!("node {array} is not an array"),
        }
        self.hand_on();
    }

    /// Rebuilds of an array stay at their beginning until [`Machine::finish_recovery`]: no row
    /// counts as rebuilt.
    ///
    /// # Panics
    /// If the node is not an array.
    pub fn hold_rebuild(&mut self, array: u16) {
        self.raid_mut(array).hold_rebuild();
    }

    /// Does what is left of the rebuild or resync of an array in zero time. Time must not continue
    /// before [`Machine::resume`].
    ///
    /// # Panics
    /// If the node is not an array, or something is in flight in it.
    pub fn finish_recovery(&mut self, array: u16) {
        if let Some((member, start, len)) = self.raid_mut(array).finish_sync() {
            self.write_untimed(member, start, len);
        }
    }

    fn raid_mut(&mut self, address: u16) -> &mut Raid<P> {
        match self.node_mut(address) {
            Node::Raid(raid) => raid,
            _ => panic!("node {address} is not an array"),
        }
    }

    /// The array at an address.
    ///
    /// # Panics
    /// If the node is not an array.
    pub fn raid(&self, address: u16) -> &Raid<P> {
        match self.node(address) {
            Node::Raid(raid) => raid,
            _ => panic!("node {address} is not an array"),
        }
    }
}
