//! What the cache holds: block to slot, which sectors of a slot are valid, which are changed, and
//! which block leaves next. It has no notion of time.
//!
//! A slot of 8 KiB costs 4 bytes of block number, 4 of validity, 8 of links and about 16 in the
//! table; only slots that were ever used cost anything.

use super::admission::Admission;
use super::config::TierConfig;
use super::eviction::Eviction;
use super::masks::{self, Masks};
use super::ordered::OrderedSet;
use super::table::Table;
use engine::narrow;

const NONE: u32 = u32::MAX;

/// A block in the cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Held {
    /// Its place on the fast device.
    pub slot: u32,
    /// Its number.
    pub block: u32,
    /// Sectors that are valid.
    pub valid: u64,
    /// Sectors that are newer than on the slow device.
    pub dirty: u64,
}

/// The directory of a cache.
#[derive(Clone, Debug)]
pub struct Directory {
    slots: u32,
    full: u64,
    table: Table,
    /// Block of each slot that was ever used, or NONE.
    blocks: Vec<u32>,
    valid: Masks,
    dirty: Masks,
    /// Slots that were used and freed.
    free: Vec<u32>,
    eviction: Eviction,
    admission: Admission,
    /// Blocks with dirty sectors, by address.
    dirty_blocks: OrderedSet,
    dirty_sectors: u64,
}

impl Directory {
    /// An empty directory for a configuration that was checked.
    pub fn new(config: &TierConfig) -> Directory {
        let sectors = narrow(config.block / config.sector);
        Directory {
            slots: config.slots(),
            full: masks::full(sectors),
            table: Table::default(),
            blocks: Vec::new(),
            valid: Masks::new(sectors),
            dirty: Masks::new(sectors),
            free: Vec::new(),
            eviction: Eviction::new(config),
            admission: Admission::new(config),
            dirty_blocks: OrderedSet::new(narrow(config.backing_bytes.div_ceil(config.block))),
            dirty_sectors: 0,
        }
    }

    /// Blocks that there is room for.
    pub fn slots(&self) -> u32 {
        self.slots
    }

    /// Blocks that are in.
    pub fn len(&self) -> u32 {
        narrow(self.table.len())
    }

    /// True if it is empty.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// Blocks with dirty sectors.
    pub fn dirty_blocks(&self) -> u32 {
        self.dirty_blocks.len()
    }

    /// Dirty sectors.
    pub fn dirty_sectors(&self) -> u64 {
        self.dirty_sectors
    }

    /// The mask of all sectors of a block.
    pub fn full(&self) -> u64 {
        self.full
    }

    /// The slot of a block.
    #[inline]
    pub fn find(&self, block: u32) -> Option<u32> {
        self.table.get(block)
    }

    /// The block of a slot that is in use.
    #[inline]
    pub fn block(&self, slot: u32) -> u32 {
        self.blocks[slot as usize]
    }

    /// Valid sectors of a slot.
    #[inline]
    pub fn valid(&self, slot: u32) -> u64 {
        self.valid.get(slot)
    }

    /// Sectors of a slot that are newer than on the slow device.
    #[inline]
    pub fn dirty(&self, slot: u32) -> u64 {
        self.dirty.get(slot)
    }

    /// The first block with dirty sectors from `block` on.
    pub fn next_dirty(&self, block: u32) -> Option<u32> {
        self.dirty_blocks.next(block)
    }

    /// A slot is used.
    #[inline]
    pub fn touch(&mut self, slot: u32) {
        self.eviction.touched(slot);
    }

    /// An absent block is touched: may it enter?
    #[inline]
    pub fn admits(&mut self, block: u32) -> bool {
        self.admission.admits(block)
    }

    /// Gives an absent block a slot with nothing valid in it. If none is free, a block leaves that
    /// has no dirty sectors and whose slot is not `busy`; `None` if there is none such.
    pub fn insert(&mut self, block: u32, busy: impl Fn(u32) -> bool) -> Option<u32> {
        debug_assert!(self.find(block).is_none());
        let slot = self.take_slot(busy)?;
        self.blocks[slot as usize] = block;
        self.table.insert(block, slot);
        self.valid.set(slot, 0);
        self.dirty.set(slot, 0);
        self.eviction.filled(slot, block);
        Some(slot)
    }

    fn take_slot(&mut self, busy: impl Fn(u32) -> bool) -> Option<u32> {
        if let Some(slot) = self.free.pop() {
            return Some(slot);
        }
        if self.blocks.len() < self.slots as usize {
            self.blocks.push(NONE);
            return Some(narrow(self.blocks.len() - 1));
        }
        let (dirty, blocks) = (&self.dirty, &self.blocks);
        let may_leave = |slot: u32| dirty.get(slot) == 0 && !busy(slot);
        let slot = self.eviction.victim(may_leave, |slot| blocks[slot as usize])?;
        self.table.remove(self.blocks[slot as usize]);
        Some(slot)
    }

    /// Gives a block up.
    pub fn remove(&mut self, slot: u32) {
        self.set_dirty(slot, 0);
        self.valid.set(slot, 0);
        self.eviction.removed(slot);
        let block = std::mem::replace(&mut self.blocks[slot as usize], NONE);
        self.table.remove(block);
        self.free.push(slot);
    }

    /// Makes sectors valid; `changed`: newer than on the slow device.
    pub fn validate(&mut self, slot: u32, mask: u64, changed: bool) {
        self.valid.set(slot, self.valid.get(slot) | mask);
        if changed {
            self.set_dirty(slot, self.dirty.get(slot) | mask);
        }
    }

    /// Sectors that are valid count as dirty: a write to them is in flight.
    pub fn taint(&mut self, slot: u32, mask: u64) {
        self.set_dirty(slot, self.dirty.get(slot) | mask & self.valid.get(slot));
    }

    /// Makes sectors invalid; changes in them are dropped.
    pub fn invalidate(&mut self, slot: u32, mask: u64) {
        self.valid.set(slot, self.valid.get(slot) & !mask);
        self.set_dirty(slot, self.dirty.get(slot) & !mask);
    }

    /// Sectors are on the slow device too.
    pub fn clean(&mut self, slot: u32, mask: u64) {
        self.set_dirty(slot, self.dirty.get(slot) & !mask);
    }

    fn set_dirty(&mut self, slot: u32, mask: u64) {
        let before = self.dirty.get(slot);
        if before == mask {
            return;
        }
        self.dirty.set(slot, mask);
        self.dirty_sectors += mask.count_ones() as u64;
        self.dirty_sectors -= before.count_ones() as u64;
        let block = self.blocks[slot as usize];
        if mask == 0 {
            self.dirty_blocks.remove(block);
        } else if before == 0 {
            self.dirty_blocks.insert(block);
        }
    }

    /// Slots that will leave soon, the first to leave first.
    pub fn next_victims(&self, count: usize, out: &mut Vec<u32>) {
        self.eviction.next_victims(count, out);
    }

    /// All slots in use, in order of slots.
    pub fn in_use(&self) -> impl Iterator<Item = u32> + '_ {
        (0..narrow(self.blocks.len())).filter(|&slot| self.blocks[slot as usize] != NONE)
    }

    /// Frees slots without valid sectors.
    pub fn drop_empty(&mut self) {
        for slot in 0..narrow(self.blocks.len()) {
            if self.blocks[slot as usize] != NONE && self.valid.get(slot) == 0 {
                self.remove(slot);
            }
        }
    }

    /// Drops all clean blocks.
    pub fn keep_changed(&mut self) {
        for slot in 0..narrow(self.blocks.len()) {
            if self.blocks[slot as usize] != NONE {
                let dirty = self.dirty.get(slot);
                self.valid.set(slot, dirty);
                if dirty == 0 {
                    self.remove(slot);
                }
            }
        }
    }

    /// Gives everything up and forgets what was seen.
    pub fn clear(&mut self, config: &TierConfig) {
        self.table.clear();
        self.blocks.clear();
        self.valid.clear();
        self.dirty.clear();
        self.free.clear();
        self.eviction.clear(config);
        self.admission.clear();
        self.dirty_blocks.clear();
        self.dirty_sectors = 0;
    }

    /// All blocks with valid sectors, the first to leave first.
    pub fn held(&self) -> Vec<Held> {
        let mut slots = Vec::new();
        self.eviction.next_victims(usize::MAX, &mut slots);
        let held = |slot| Held {
            slot,
            block: self.block(slot),
            valid: self.valid(slot),
            dirty: self.dirty(slot),
        };
        slots.into_iter().map(held).filter(|held| held.valid != 0).collect()
    }

    /// The directory of a cache that holds these blocks, of which the first leaves first.
    ///
    /// # Errors
    /// What keeps them from being in one cache of this configuration.
    pub fn of_held(config: &TierConfig, held: &[Held]) -> Result<Directory, &'static str> {
        let mut directory = Directory::new(config);
        let blocks = config.backing_bytes.div_ceil(config.block);
        let used = held.iter().map(|held| held.slot as usize + 1).max().unwrap_or(0);
        if used > directory.slots as usize {
            return Err("a block is beyond the cache");
        }
        directory.blocks.resize(used, NONE);
        for Held { slot, block, valid, dirty } in held {
            if u64::from(*block) >= blocks {
                return Err("a block is beyond the slow device");
            }
            if directory.find(*block).is_some() || directory.blocks[*slot as usize] != NONE {
                return Err("two blocks are one");
            }
            if *valid == 0 || valid & !directory.full != 0 || dirty & !valid != 0 {
                return Err("sectors of a block cannot be so");
            }
            directory.blocks[*slot as usize] = *block;
            directory.table.insert(*block, *slot);
            directory.valid.set(*slot, *valid);
            directory.set_dirty(*slot, *dirty);
            directory.eviction.filled(*slot, *block);
        }
        let is_free = |slot: &u32| directory.blocks[*slot as usize] == NONE;
        directory.free = (0..narrow(used)).filter(is_free).collect();
        Ok(directory)
    }

    /// Checks the bookkeeping; O(n).
    ///
    /// # Panics
    /// If the map, the slots or the counts disagree.
    pub fn audit(&self) {
        let mut sectors = 0;
        let mut blocks = 0;
        for slot in self.in_use() {
            let (block, dirty) = (self.block(slot), self.dirty(slot));
            assert_eq!(self.find(block), Some(slot), "the map is not a bijection");
            assert_eq!(dirty & !self.valid(slot), 0, "changed sectors that are not valid");
            assert_eq!(self.dirty_blocks.contains(block), dirty != 0);
            sectors += dirty.count_ones() as u64;
            blocks += u32::from(dirty != 0);
        }
        let used = self.in_use().count();
        assert_eq!(used, self.table.len());
        assert_eq!(used + self.free.len(), self.blocks.len(), "a slot was lost");
        assert_eq!((self.dirty_sectors, self.dirty_blocks.len()), (sectors, blocks));
    }
}
