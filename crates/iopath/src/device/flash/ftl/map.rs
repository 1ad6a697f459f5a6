//! The page map and its mirror: about eight bytes for each mapped unit that was written by itself.

mod computed;
mod implied;
mod journal;
mod laid;
mod places;
mod run_order;
mod scattered;
mod table;

use crate::device::flash::prefetch::line_of;
use computed::Computed;
use engine::{low32, narrow};
pub use implied::Implied;
use journal::Journal;
pub use laid::Laid;
pub use places::Places;
pub use run_order::RunOrder;
pub use scattered::{Scatter, Scattered};
use std::sync::Arc;
use table::{ABSENT, Table};

/// Marks a logical unit that holds nothing.
pub const UNMAPPED: u32 = u32::MAX;

/// Logical to physical, physical to logical, and one validity bit for each physical unit.
///
/// Invariant: the map is a partial injection, `reverse` is its inverse on valid units, and the
/// bits say which physical units are valid. What a table does not say is where it was put at first.
#[derive(Clone)]
pub struct Map {
    forward: Table,
    reverse: Table,
    valid: Vec<u64>,
    /// What was there before all that the tables say. Copies of the map share it.
    implied: Option<Arc<Implied>>,
    /// What the rule was asked for a moment ago.
    computed: Computed,
    mapped: u32,
    /// Units of the host; what is behind them is the drive's own.
    host_units: u32,
    own_mapped: u32,
    /// What changed since the last mark, if there is one.
    journal: Option<Box<Journal>>,
}

impl Map {
    /// An empty map of `logical` units of the host, and `own` of the drive itself behind them, onto
    /// `physical` ones.
    pub fn new(logical: u32, own: u32, physical: u32) -> Self {
        Map {
            forward: Table::new(logical + own, physical),
            reverse: Table::new(physical, logical + own),
            valid: vec![0; physical.div_ceil(64) as usize],
            implied: None,
            computed: Computed::default(),
            mapped: 0,
            host_units: logical,
            own_mapped: 0,
            journal: None,
        }
    }

    /// Bytes of memory that it takes.
    pub fn bytes(&self) -> usize {
        let implied = self.implied.as_ref().map_or(0, |implied| implied.bytes());
        self.forward.bytes() + self.reverse.bytes() + 8 * self.valid.len() + implied
    }

    /// Number of logical units of the host.
    pub fn logical_units(&self) -> u32 {
        self.host_units
    }

    /// Number of units of the drive itself.
    pub fn own_units(&self) -> u32 {
        self.forward.len() - self.host_units
    }

    /// Number of physical units.
    pub fn physical_units(&self) -> u32 {
        self.reverse.len()
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

    /// True if nothing was ever mapped.
    pub fn is_untouched(&self) -> bool {
        self.implied.is_none() && self.forward.is_untouched()
    }

    /// Where a logical unit is, or [`UNMAPPED`].
    #[inline]
    pub fn get(&self, logical: u32) -> u32 {
        match self.forward.get(logical) {
            Some(physical) => physical,
            None => self.implied_place(logical),
        }
    }

    #[inline(never)]
    fn implied_place(&self, logical: u32) -> u32 {
        self.implied.as_ref().and_then(|implied| implied.place(logical)).unwrap_or(UNMAPPED)
    }

    /// Asks the processor to fetch what says where a logical unit is.
    #[inline]
    pub fn prefetch(&self, logical: u32) {
        self.forward.prefetch(logical);
        if let Some(implied) = &self.implied {
            implied.prefetch_place(logical);
        }
    }

    /// Asks the processor to fetch the entry of the logical unit that the valid unit `physical`
    /// holds. What a far rule says of it takes long to compute, and is kept for
    /// [`Map::relocate`].
    #[inline]
    pub fn prefetch_owner(&mut self, physical: u32) {
        if physical >= self.reverse.len() {
            return;
        }
        if let Some(logical) = self.reverse.get(physical) {
            return self.forward.prefetch(logical);
        }
        let far_owner = |implied: &Arc<Implied>| implied.far_owner(physical);
        if let Some(logical) = self.implied.as_ref().and_then(far_owner) {
            self.computed.put(physical, logical);
            self.forward.prefetch(logical);
        }
    }

    /// Asks the processor to fetch what [`Map::set`] changes of a physical unit.
    #[inline]
    pub(super) fn prefetch_set(&self, physical: u32) {
        self.reverse.prefetch(physical);
        line_of(&self.valid, physical as usize / 64);
    }

    /// Asks the processor to fetch which logical unit `physical` holds.
    #[inline]
    pub fn prefetch_reverse(&self, physical: u32) {
        self.reverse.prefetch(physical);
        if let Some(implied) = &self.implied {
            implied.prefetch_owner(physical);
        }
    }

    /// Which logical unit a valid physical unit holds.
    #[inline]
    pub fn owner(&self, physical: u32) -> u32 {
        match self.reverse.get(physical) {
            Some(logical) => logical,
            None => self.implied_owner(physical),
        }
    }

    #[inline(never)]
    fn implied_owner(&self, physical: u32) -> u32 {
        self.implied.as_ref().and_then(|implied| implied.owner(physical)).unwrap_or(UNMAPPED)
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

    /// Maps all units of a rule at once. Nothing was mapped before.
    ///
    /// # Panics
    /// If something was.
    pub fn imply(&mut self, implied: Implied) {
        assert!(self.is_untouched(), "a rule is about an empty map");
        debug_assert!(implied.agrees(), "places and owners of a rule disagree");
        implied.mark(&mut self.valid);
        self.mapped = implied.units();
        self.implied = Some(Arc::new(implied));
        self.computed = Computed::default();
    }

    #[inline]
    fn validate(&mut self, physical: u32) {
        self.valid[physical as usize / 64] |= 1 << (physical % 64);
    }

    #[inline]
    fn invalidate(&mut self, physical: u32) {
        self.valid[physical as usize / 64] &= !(1 << (physical % 64));
    }

    /// Points `logical` at `physical` and returns where it was before, or [`UNMAPPED`].
    #[inline(always)]
    pub fn set(&mut self, logical: u32, physical: u32) -> u32 {
        let old = match self.forward.put(logical, physical) {
            Some(old) => old,
            None => self.implied_place(logical),
        };
        self.reverse.put(physical, logical);
        debug_assert!(!self.is_valid(physical), "a physical unit is written once");
        self.validate(physical);
        if old == UNMAPPED {
            self.mapped += 1;
            self.own_mapped += u32::from(logical >= self.host_units);
        } else {
            self.invalidate(old);
        }
        if self.journal.is_some() {
            self.note(logical, old);
        }
        old
    }

    /// Points the logical unit that the valid unit `old` holds at `physical`.
    #[inline(always)]
    pub fn relocate(&mut self, old: u32, physical: u32) {
        let known = self.reverse.get(old).or_else(|| self.computed.get(old));
        let logical = known.unwrap_or_else(|| self.implied_owner(old));
        debug_assert!(self.get(logical) == old && !self.is_valid(physical), "a copy of valid data");
        self.forward.put(logical, physical);
        self.reverse.put(physical, logical);
        self.invalidate(old);
        self.validate(physical);
        if self.journal.is_some() {
            self.note(logical, old);
        }
    }

    /// Forgets `logical` and returns where it was, or [`UNMAPPED`].
    #[inline]
    pub fn clear(&mut self, logical: u32) -> u32 {
        let old = self.get(logical);
        if old != UNMAPPED {
            self.forward.put(logical, UNMAPPED);
            self.mapped -= 1;
            self.own_mapped -= u32::from(logical >= self.host_units);
            self.invalidate(old);
            if self.journal.is_some() {
                self.note(logical, old);
            }
        }
        old
    }

    /// Where each logical unit is, in their order.
    pub fn places(&self) -> impl Iterator<Item = u32> {
        (0..self.forward.len()).map(|logical| self.get(logical))
    }

    /// The same as a table. It is made from the physical side, of which neighbours are side by side
    /// in memory, so that less is waited for.
    pub(super) fn all_places(&self) -> Vec<u32> {
        let mut places = vec![UNMAPPED; self.forward.len() as usize];
        for (first, &word) in (0..).step_by(64).zip(&self.valid) {
            let mut left = word;
            while left != 0 {
                let unit = first + left.trailing_zeros();
                places[self.owner(unit) as usize] = unit;
                left &= left - 1;
            }
        }
        places
    }

    /// Checks the map; O(n) in what was written by itself. The pairs of both tables are compared by
    /// the sums of their hashes: to look each up in the other table would wait for memory at every
    /// step. Sums of different pairs are equal with a probability of 2^-64. What follows from a
    /// rule agrees with itself; that as many units are valid as mapped says that all of it is
    /// there.
    ///
    /// # Panics
    /// If the map is not a partial injection, or if its inverse or its bits disagree with it.
    pub fn audit(&self) {
        let (mut forward, mut reverse) = ((0_u64, 0_u64), (0_u64, 0_u64));
        let add = |sum: &mut (u64, u64), is_one: bool, pair: u64| {
            sum.0 += u64::from(is_one);
            sum.1 = sum.1.wrapping_add(pair & u64::from(is_one).wrapping_neg());
        };
        self.forward.each_touched(|logical, physical| {
            add(&mut forward, physical < ABSENT, hash(logical, physical));
        });
        self.reverse.each_touched(|physical, logical| {
            let is_valid = logical < ABSENT && self.is_valid(physical);
            add(&mut reverse, is_valid, hash(logical, physical));
        });
        let valid: u64 = self.valid.iter().map(|word| u64::from(word.count_ones())).sum();
        let is_whole = forward == reverse && valid == u64::from(self.mapped);
        if !is_whole || cfg!(debug_assertions) && !self.implied_is_whole(forward.0) {
            self.find_fault();
        }
    }

    /// Whether what was put by a rule and was not written since is where the bits say. As many
    /// units of the rule are left in the one direction as in the other, since the tables name as
    /// many (`named`) and as many are valid as mapped: it is enough that no logical unit that was
    /// written has left its old place valid, or that each place left valid is that of one that was
    /// not. The fewer of both are looked at.
    fn implied_is_whole(&self, named: u64) -> bool {
        let Some(implied) = &self.implied else { return true };
        let is_left = |unit: u32| self.is_valid(unit) && self.reverse.get(unit).is_none();
        let is_there = |unit, owner| self.forward.get(owner).is_none_or(|at| at == unit);
        if 2 * named > u64::from(implied.units()) {
            return implied.is_whole(is_left, is_there);
        }
        let mut is_whole = true;
        self.forward.each_touched(|logical, at| {
            let is_left_behind = |unit| unit != at && is_left(unit);
            is_whole &= at == ABSENT || !implied.place(logical).is_some_and(is_left_behind);
        });
        is_whole
    }

    /// Names what [`Map::audit`] has found.
    #[cold]
    fn find_fault(&self) -> ! {
        for (logical, physical) in (0..).zip(self.places()) {
            if physical != UNMAPPED {
                assert_eq!(self.owner(physical), logical, "not an injection");
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
    use crate::device::flash::geometry::{Geometry, GroupSpan, Layout};

    /// A map of 200 units on 300, written in an odd order, a part of it twice.
    fn written() -> Map {
        let mut map = Map::new(200, 10, 300);
        for (physical, logical) in (0..).zip((0..150).chain(20..80).chain(200..205)) {
            map.set(logical * 7 % 205, physical);
        }
        map.clear(3);
        map
    }

    /// The same on two stripes of a small drive.
    fn laid_and_written() -> Map {
        let mut map = Map::new(200, 10, 300);
        map.imply(Implied::Laid(Box::new(Laid::new(&layout(), 0, vec![2, 0]))));
        for (physical, logical) in (192..).zip((0..30).chain(150..160).chain(200..205)) {
            map.set(logical, physical);
        }
        map.clear(3);
        map.clear(50);
        map
    }

    /// Four groups of 64 units, of which 48 are data.
    fn layout() -> Layout {
        Layout::new(Geometry {
            channels: 1,
            dies: 4,
            planes: 2,
            page_bytes: 8192,
            pages_per_wl: 1,
            rows: 4,
            unit_bytes: 4096,
            span: GroupSpan::Superblock,
            groups_per_lane: 4,
            parity_period: 4,
        })
    }

    #[test]
    fn what_is_laid_is_there_until_it_is_written_or_forgotten() {
        let map = laid_and_written();
        assert_eq!(map.mapped(), 96 + 10 - 2);
        assert_eq!((map.get(0), map.get(3), map.get(50)), (192, UNMAPPED, UNMAPPED));
        let laid = Laid::new(&layout(), 0, vec![2, 0]);
        for logical in (30..96).filter(|logical| *logical != 50) {
            let unit = map.get(logical);
            assert_eq!(Some(unit), laid.place(logical));
            assert_eq!(layout().group_of(unit), if logical < 48 { 2 } else { 0 });
            assert!(map.is_valid(unit) && map.owner(unit) == logical);
        }
        assert_eq!(map.get(96), UNMAPPED, "the stripes end there");
        map.audit();
    }

    #[test]
    fn all_places_are_those_of_each() {
        for map in [written(), laid_and_written(), Map::new(70, 0, 90)] {
            assert!(map.places().eq(map.all_places()));
        }
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
            |map| {
                map.reverse.put(200, 51);
            },
            |map| {
                map.forward.put(151, 193);
            },
            |map| {
                map.forward.put(151, map.get(152));
            },
        ];
        for (number, fault) in faults.into_iter().enumerate() {
            for mut map in [written(), laid_and_written()] {
                fault(&mut map);
                let audited = std::panic::catch_unwind(|| map.audit());
                assert!(audited.is_err(), "fault {number} is let pass");
            }
        }
    }

    /// A unit that was laid, is gone, and is still called valid in another one's place.
    #[test]
    fn faults_of_what_is_laid_are_found() {
        let mut map = laid_and_written();
        let (here, gone) = (map.get(60), Laid::new(&layout(), 0, vec![2, 0]).place(0));
        map.valid[here as usize / 64] ^= 1 << (here % 64);
        let gone = gone.expect("it was laid");
        map.valid[gone as usize / 64] ^= 1 << (gone % 64);
        assert!(std::panic::catch_unwind(|| map.audit()).is_err());
    }
}
