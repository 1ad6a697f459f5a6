//! What blocks held before they were written, for as long as the model may go back to it.

use std::collections::{BTreeMap, VecDeque};

/// A block as it was before a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Past {
    /// Its number.
    pub block: u64,
    /// The number of the write.
    pub order: u64,
    /// Its version before.
    pub before: u32,
    /// Its version after; 0 if it was given up.
    pub version: u32,
    /// Its bytes before; `None` if it held nothing.
    pub bytes: Option<Box<[u8]>>,
}

impl Past {
    fn cost(&self) -> u64 {
        64 + self.bytes.as_ref().map_or(0, |bytes| bytes.len() as u64)
    }
}

/// Blocks as they were, in the order of the writes.
pub(super) struct Journal {
    pasts: VecDeque<Past>,
    bytes: u64,
    most: u64,
}

impl Journal {
    /// An empty journal that keeps so many bytes at most.
    pub(super) fn new(most: u64) -> Self {
        Journal { pasts: VecDeque::new(), bytes: 0, most }
    }

    /// Keeps a block.
    pub(super) fn push(&mut self, past: Past) {
        self.bytes += past.cost();
        self.pasts.push_back(past);
        while self.bytes > self.most && self.pasts.len() > 1 {
            self.pop();
        }
    }

    fn pop(&mut self) {
        if let Some(past) = self.pasts.pop_front() {
            self.bytes -= past.cost();
        }
    }

    /// Drops what was before writes below this number.
    pub(super) fn settle(&mut self, order: u64) {
        while self.pasts.front().is_some_and(|past| past.order < order) {
            self.pop();
        }
    }

    /// Takes out what was before one write, latest block first.
    pub(super) fn remove(&mut self, order: u64) -> Vec<Past> {
        let first = self.pasts.partition_point(|past| past.order < order);
        let end = self.pasts.partition_point(|past| past.order <= order);
        let removed: Vec<Past> = self.pasts.drain(first..end).rev().collect();
        self.bytes -= removed.iter().map(Past::cost).sum::<u64>();
        removed
    }

    /// The blocks of which something is kept, in order.
    pub(super) fn blocks(&self) -> Vec<u64> {
        let mut blocks: Vec<u64> = self.pasts.iter().map(|past| past.block).collect();
        blocks.sort_unstable();
        blocks.dedup();
        blocks
    }

    /// Empties the journal: the pasts of each block, oldest first.
    pub(super) fn drain_by_block(&mut self) -> BTreeMap<u64, Vec<Past>> {
        let mut blocks: BTreeMap<u64, Vec<Past>> = BTreeMap::new();
        for past in self.pasts.drain(..) {
            blocks.entry(past.block).or_default().push(past);
        }
        self.bytes = 0;
        blocks
    }
}
