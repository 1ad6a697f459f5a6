//! Blocks that are remembered without their data, in the order in which they came.

use super::chain::NONE;
use super::table::Table;

/// The last `capacity` blocks that were noted, less those that were forgotten.
#[derive(Clone, Debug)]
pub struct Ghosts {
    capacity: u32,
    /// Blocks in the order they were noted; NONE if forgotten since.
    ring: Vec<u32>,
    next: u32,
    /// Block to place in the ring.
    places: Table,
}

impl Ghosts {
    /// Remembers up to `capacity` blocks.
    pub fn new(capacity: u32) -> Ghosts {
        Ghosts { capacity, ring: Vec::new(), next: 0, places: Table::default() }
    }

    /// Notes a block that is not remembered. The one noted `capacity` notes ago is forgotten.
    pub fn note(&mut self, block: u32) {
        if self.capacity == 0 {
            return;
        }
        if self.ring.len() < self.capacity as usize {
            self.ring.push(block);
        } else {
            let old = std::mem::replace(&mut self.ring[self.next as usize], block);
            if old != NONE {
                self.places.remove(old);
            }
        }
        self.places.insert(block, self.next);
        self.next = (self.next + 1) % self.capacity;
    }

    /// Forgets a block; returns whether it was remembered.
    pub fn forget(&mut self, block: u32) -> bool {
        let Some(place) = self.places.remove(block) else { return false };
        self.ring[place as usize] = NONE;
        true
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        *self = Ghosts::new(self.capacity);
    }
}
