//! The page map and its mirror: about nine bytes for each mapped unit.

use engine::{low32, narrow};

/// Marks a logical unit that holds nothing.
pub const UNMAPPED: u32 = u32::MAX;

/// Logical to physical, physical to logical, and one validity bit for each physical unit.
///
/// Invariant: the map is a partial injection, `reverse` is its inverse on valid units, and the
/// bits say which physical units are valid.
#[derive(Clone)]
pub struct Map {
    forward: Vec<u32>,
    reverse: Vec<u32>,
    valid: Vec<u64>,
    mapped: u32,
    /// Units of the host; what is behind them is the drive's own.
    host_units: u32,
    own_mapped: u32,
    /// What changed since the last mark, if there is one.
    journal: Option<Box<Journal>>,
}

/// What changed in the map since a mark: the logical units in the order of their changes, and where
/// they were before.
#[derive(Clone, Default)]
struct Journal {
    /// Logical unit and its place before.
    changes: Vec<(u32, u32)>,
    /// The map at the mark, if more has changed than a copy of it takes.
    copy: Option<Box<Map>>,
    /// Units mapped at the mark: all, and those of the drive itself.
    mapped: (u32, u32),
}

impl Map {
    /// An empty map of `logical` units of the host, and `own` of the drive itself behind them, onto
    /// `physical` ones.
    pub fn new(logical: u32, own: u32, physical: u32) -> Self {
        Map {
            forward: vec![UNMAPPED; (logical + own) as usize],
            reverse: vec![UNMAPPED; physical as usize],
            valid: vec![0; physical.div_ceil(64) as usize],
            mapped: 0,
            host_units: logical,
            own_mapped: 0,
            journal: None,
        }
    }

    /// Bytes of memory that it takes.
    pub fn bytes(&self) -> usize {
        4 * (self.forward.len() + self.reverse.len()) + 8 * self.valid.len()
    }

    /// Number of logical units of the host.
    pub fn logical_units(&self) -> u32 {
        self.host_units
    }

    /// Number of physical units.
    pub fn physical_units(&self) -> u32 {
        narrow(self.reverse.len())
    }

    /// How many logical units of the host hold data.
    pub fn mapped(&self) -> u32 {
        self.mapped - self.own_mapped
    }

    /// True if every logical unit of the host holds data.
    pub fn is_full(&self) -> bool {
        self.mapped() == self.host_units
    }

    /// How many logical units hold data, those of the drive itself included.
    pub fn occupied(&self) -> u32 {
        self.mapped
    }

    /// Where a logical unit is, or [`UNMAPPED`].
    #[inline]
    pub fn get(&self, logical: u32) -> u32 {
        self.forward[logical as usize]
    }

    /// Asks the processor to fetch the entry of a logical unit.
    #[inline]
    pub fn prefetch(&self, logical: u32) {
        crate::device::flash::prefetch::line_of(&self.forward, logical as usize);
    }

    /// Asks the processor to fetch the entry of the logical unit that `physical` holds.
    #[inline]
    pub fn prefetch_owner(&self, physical: u32) {
        if let Some(&logical) = self.reverse.get(physical as usize) {
            crate::device::flash::prefetch::line_of(&self.forward, logical as usize);
        }
    }

    /// Asks the processor to fetch which logical unit `physical` holds.
    #[inline]
    pub fn prefetch_reverse(&self, physical: u32) {
        crate::device::flash::prefetch::line_of(&self.reverse, physical as usize);
    }

    /// Which logical unit a valid physical unit holds.
    #[inline]
    pub fn owner(&self, physical: u32) -> u32 {
        self.reverse[physical as usize]
    }

    /// True if the physical unit holds current data.
    #[inline]
    pub fn is_valid(&self, physical: u32) -> bool {
        self.valid[physical as usize / 64] >> (physical % 64) & 1 == 1
    }

    /// Validity of the `len` (at most 32) units from `first`, lowest bit first.
    #[inline]
    pub fn valid_bits(&self, first: u32, len: u32) -> u32 {
        let (word, bit) = (first as usize / 64, first % 64);
        let mut bits = self.valid[word] >> bit;
        if bit + len > 64 {
            bits |= self.valid[word + 1] << (64 - bit);
        }
        low32(bits & ((1u64 << len) - 1))
    }

    /// First valid unit in `first..end`, if any.
    #[inline]
    pub fn next_valid(&self, first: u32, end: u32) -> Option<u32> {
        if first >= end {
            return None;
        }
        let mut word = first as usize / 64;
        let mut bits = self.valid[word] & (u64::MAX << (first % 64));
        while bits == 0 {
            word += 1;
            if word * 64 >= end as usize {
                return None;
            }
            bits = self.valid[word];
        }
        let unit = narrow::<u32>(word) * 64 + bits.trailing_zeros();
        (unit < end).then_some(unit)
    }

    /// Points `logical` at `physical` and returns where it was before, or [`UNMAPPED`].
    #[inline]
    pub fn set(&mut self, logical: u32, physical: u32) -> u32 {
        let old = std::mem::replace(&mut self.forward[logical as usize], physical);
        self.reverse[physical as usize] = logical;
        debug_assert!(!self.is_valid(physical), "a physical unit is written once");
        self.valid[physical as usize / 64] |= 1 << (physical % 64);
        if old == UNMAPPED {
            self.mapped += 1;
            self.own_mapped += u32::from(logical >= self.host_units);
        } else {
            self.valid[old as usize / 64] &= !(1 << (old % 64));
        }
        if self.journal.is_some() {
            self.note(logical, old);
        }
        old
    }

    /// Forgets `logical` and returns where it was, or [`UNMAPPED`].
    #[inline]
    pub fn clear(&mut self, logical: u32) -> u32 {
        let old = std::mem::replace(&mut self.forward[logical as usize], UNMAPPED);
        if old != UNMAPPED {
            self.mapped -= 1;
            self.own_mapped -= u32::from(logical >= self.host_units);
            self.valid[old as usize / 64] &= !(1 << (old % 64));
            if self.journal.is_some() {
                self.note(logical, old);
            }
        }
        old
    }

    /// Notes a change since the mark. Where the notes would take more memory than a copy of the
    /// marked map, they become one.
    #[cold]
    fn note(&mut self, logical: u32, old: u32) {
        let most = self.forward.len().max(1024);
        let Some(journal) = &mut self.journal else { return };
        if journal.copy.is_some() {
            return;
        }
        journal.changes.push((logical, old));
        if journal.changes.len() > most {
            let mut copy = Box::new(self.clone());
            copy.go_back();
            copy.journal = None;
            if let Some(journal) = &mut self.journal {
                (journal.changes, journal.copy) = (Vec::new(), Some(copy));
            }
        }
    }

    /// Marks the map as it is.
    pub(super) fn mark(&mut self) {
        let mapped = (self.mapped, self.own_mapped);
        self.journal = Some(Box::new(Journal { mapped, ..Journal::default() }));
    }

    /// Makes the map as it was when it was marked.
    ///
    /// # Panics
    /// If it was never.
    pub(super) fn go_back(&mut self) {
        let mut journal = self.journal.take().expect("a map that was marked");
        if let Some(copy) = &journal.copy {
            self.forward.clone_from(&copy.forward);
            self.reverse.clone_from(&copy.reverse);
            self.valid.clone_from(&copy.valid);
        }
        for (logical, old) in journal.changes.drain(..).rev() {
            let new = std::mem::replace(&mut self.forward[logical as usize], old);
            if new != UNMAPPED {
                self.valid[new as usize / 64] &= !(1 << (new % 64));
            }
            if old != UNMAPPED {
                self.valid[old as usize / 64] |= 1 << (old % 64);
                self.reverse[old as usize] = logical;
            }
        }
        (self.mapped, self.own_mapped) = journal.mapped;
        self.journal = Some(journal);
    }

    /// The forward table, for snapshots.
    pub fn forward(&self) -> &[u32] {
        &self.forward
    }

    /// Checks the map; O(n). The pairs of both tables are compared by the sums of their hashes: to
    /// look each up in the other table would wait for memory at every step. Sums of different
    /// pairs are equal with a probability of 2^-64.
    ///
    /// # Panics
    /// If the map is not a partial injection, or if its inverse or its bits disagree with it.
    pub fn audit(&self) {
        let (mut mapped, mut forward) = (0_u64, 0_u64);
        for (logical, &physical) in (0..).zip(&self.forward) {
            let is_mapped = u64::from(physical != UNMAPPED);
            mapped += is_mapped;
            forward = forward.wrapping_add(hash(logical, physical) & is_mapped.wrapping_neg());
        }
        let (mut valid, mut reverse) = (0_u64, 0_u64);
        for ((first, &bits), owners) in
            (0..).step_by(64).zip(&self.valid).zip(self.reverse.chunks(64))
        {
            for (unit, &logical) in (0..).zip(owners) {
                let is_valid = bits >> unit & 1;
                valid += is_valid;
                let pair = hash(logical, first + unit);
                reverse = reverse.wrapping_add(pair & is_valid.wrapping_neg());
            }
        }
        if (mapped, forward) != (valid, reverse) || mapped != u64::from(self.mapped) {
            self.find_fault();
        }
    }

    /// Names what [`Map::audit`] has found.
    #[cold]
    fn find_fault(&self) -> ! {
        for (logical, &physical) in self.forward.iter().enumerate() {
            if physical != UNMAPPED {
                assert_eq!(self.reverse[physical as usize] as usize, logical, "not an injection");
                assert!(self.is_valid(physical), "a mapped unit must be valid");
            }
        }
        let valid: u32 = self.valid.iter().map(|w| w.count_ones()).sum();
        panic!("{} units are counted as mapped, {valid} are valid", self.mapped);
    }
}

/// A hash of a pair of the map (two rounds of multiplication, as in `SplitMix64`).
#[inline]
fn hash(logical: u32, physical: u32) -> u64 {
    let pair = u64::from(logical) << 32 | u64::from(physical);
    let mixed = pair.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A map of 200 units on 300, written in an odd order, a part of it twice.
    fn written() -> Map {
        let mut map = Map::new(200, 10, 300);
        for (physical, logical) in (0..).zip((0..150).chain(20..80).chain(200..205)) {
            map.set(logical * 7 % 205, physical);
        }
        map.clear(3);
        map
    }

    #[test]
    fn a_whole_map_passes() {
        written().audit();
        Map::new(200, 0, 300).audit();
    }

    #[test]
    fn each_kind_of_fault_is_found() {
        let faults: [fn(&mut Map); 6] = [
            |map| map.mapped += 1,
            |map| map.valid[0] ^= 1,
            |map| map.valid[1] ^= 1 << 40,
            |map| map.reverse.swap(150, 151),
            |map| map.forward.swap(10, 11),
            |map| map.forward[10] = map.forward[11],
        ];
        for (number, fault) in faults.into_iter().enumerate() {
            let mut map = written();
            fault(&mut map);
            let audited = std::panic::catch_unwind(|| map.audit());
            assert!(audited.is_err(), "fault {number} is let pass");
        }
    }
}
