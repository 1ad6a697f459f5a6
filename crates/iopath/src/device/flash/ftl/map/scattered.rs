//! Data that random writes have left over full groups: a bit for each unit says whether it is
//! valid, and which logical unit a valid one holds follows from a random order, so that no table
//! needs to say it.

use super::run_order::RunOrder;
use crate::device::flash::geometry::Layout;
use crate::device::flash::prefetch::line_of;
use engine::{Divisor, low32, narrow};

/// Words of bits in a line: with the counts of ones as many as fit.
const WORDS: usize = 6;
/// Valid units between two whose line is noted.
const STEP: u32 = 256;
/// Lines that a processor's second cache holds beside all else, 512 KiB: 3.1 million units.
const NEAR: usize = 1 << 13;

/// The validity of some units, and how many valid ones are before them: what a look needs is in one
/// line of the processor's cache.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct Line {
    /// Valid units before this line.
    before: u32,
    /// Those before each word of it, in the line.
    ones: [u16; WORDS],
    valid: [u64; WORDS],
}

impl Line {
    /// Counts the ones, `before` of which are in lines before it. Returns how many there are then.
    fn count(&mut self, before: u32) -> u32 {
        let mut sum = 0;
        for (ones, word) in self.ones.iter_mut().zip(&self.valid) {
            *ones = sum;
            sum += narrow::<u16>(word.count_ones());
        }
        self.before = before;
        before + u32::from(sum)
    }
}

/// Groups that hold logical units of a class in random order.
pub struct Scattered {
    /// Which logical unit comes at which number.
    order: RunOrder,
    units: u32,
    lines: Vec<Line>,
    /// The line of every valid unit whose number in physical order is a multiple of [`STEP`].
    noted: Vec<u32>,
    /// `None` if units are numbered in physical order.
    filled: Option<Filled>,
}

/// The order in which groups were filled.
struct Filled {
    by_group: Divisor,
    /// The groups in that order, side by side with what a look needs of them.
    groups: Vec<FilledGroup>,
    /// The place in that order of the group of every unit whose number is a multiple of [`STEP`].
    noted: Vec<u32>,
    /// The shift of each group by its number.
    shifts: Vec<u32>,
}

/// A group that was filled.
#[derive(Clone, Copy)]
struct FilledGroup {
    /// The number of its first unit.
    first: u32,
    /// What makes the number of one of its units of that unit's number in physical order.
    shift: u32,
}

/// Groups that are being filled.
pub struct Scatter {
    lines: Vec<Line>,
    group_units: u32,
    all_groups: u32,
    groups: Vec<u32>,
    firsts: Vec<u32>,
    units: u32,
}

impl Scatter {
    /// No groups yet.
    pub fn new(layout: &Layout) -> Self {
        let words = (layout.groups * layout.group_units).div_ceil(64) as usize;
        Scatter {
            lines: vec![Line::default(); words.div_ceil(WORDS)],
            group_units: layout.group_units,
            all_groups: layout.groups,
            groups: Vec::new(),
            firsts: Vec::new(),
            units: 0,
        }
    }

    /// The next group is filled.
    pub fn open(&mut self, group: u32) {
        self.groups.push(group);
        self.firsts.push(self.units);
    }

    /// A unit of that group, behind those before it, holds the next data.
    #[inline]
    pub fn add(&mut self, unit: u32) {
        let (line, word, bit) = split(unit);
        self.lines[line].valid[word] |= 1 << bit;
        self.units += 1;
    }

    /// Of the up to 64 units from `first` on, all behind those before them, those whose bits are
    /// set hold the next data.
    #[inline]
    pub fn add_all(&mut self, first: u32, bits: u64) {
        let (line, word, bit) = split(first);
        self.lines[line].valid[word] |= bits << bit;
        let beyond = if bit == 0 { 0 } else { bits >> (64 - bit) };
        if beyond != 0 {
            let (line, word, _) = split(first - bit + 64);
            self.lines[line].valid[word] |= beyond;
        }
        self.units += bits.count_ones();
    }

    /// Gives the units logical ones in this order.
    ///
    /// # Panics
    /// If there are more units than the order has.
    pub fn in_order(mut self, order: RunOrder) -> Scattered {
        assert!(u64::from(self.units) <= order.count(), "more units than logical ones");
        let (mut noted, mut sum) = (Vec::new(), 0);
        for (number, line) in (0..).zip(&mut self.lines) {
            sum = line.count(sum);
            noted.resize(sum.div_ceil(STEP) as usize, number);
        }
        let filled = None;
        let scattered = Scattered { order, units: self.units, lines: self.lines, noted, filled };
        if self.groups.is_sorted() {
            return scattered;
        }
        let mut shifts = vec![0; self.all_groups as usize];
        let mut noted = Vec::new();
        let ends = self.firsts.iter().skip(1).chain([&self.units]);
        let opened = self.groups.iter().zip(&self.firsts).zip(ends);
        let mut groups = Vec::with_capacity(self.groups.len());
        for (at, ((group, &first), end)) in (0..).zip(opened) {
            let shift = first.wrapping_sub(scattered.rank(group * self.group_units));
            shifts[*group as usize] = shift;
            groups.push(FilledGroup { first, shift });
            noted.resize(end.div_ceil(STEP) as usize, at);
        }
        let by_group = Divisor::new(self.group_units);
        let filled = Some(Filled { by_group, groups, noted, shifts });
        Scattered { filled, ..scattered }
    }
}

impl Scattered {
    /// How many units there are.
    pub fn units(&self) -> u32 {
        self.units
    }

    /// Which units are valid, a bit for each physical one, in words.
    pub fn valid(&self) -> impl Iterator<Item = u64> {
        self.lines.iter().flat_map(|line| line.valid)
    }

    /// Bytes of memory that it takes, but for what is counted in groups.
    pub fn bytes(&self) -> usize {
        size_of::<Line>() * self.lines.len() + size_of::<u32>() * self.noted.len()
    }

    /// Where a logical unit is, if it is one of these.
    pub fn place(&self, logical: u32) -> Option<u32> {
        self.rank_of(logical).map(|rank| self.select(rank))
    }

    /// Asks the processor to fetch what [`Scattered::place`] will look at. It computes most of it a
    /// second time, which takes less than to wait for memory.
    pub fn prefetch_place(&self, logical: u32) {
        if self.is_far()
            && let Some(rank) = self.rank_of(logical)
        {
            let at = self.noted[(rank / STEP) as usize] as usize;
            line_of(&self.lines, at);
            line_of(&self.lines, at + 1);
        }
    }

    /// Asks the processor to fetch what [`Scattered::owner`] will look at.
    pub fn prefetch_owner(&self, unit: u32) {
        if self.is_far() {
            line_of(&self.lines, split(unit).0);
        }
    }

    /// True if it is too large for the processor's nearer caches.
    #[inline]
    pub fn is_far(&self) -> bool {
        self.lines.len() > NEAR
    }

    /// The number in physical order of the valid unit that holds a logical one, if one does.
    #[inline]
    fn rank_of(&self, logical: u32) -> Option<u32> {
        let turn = self.order.turn(u64::from(logical))?;
        let number = u32::try_from(turn).ok().filter(|number| *number < self.units)?;
        Some(self.filled.as_ref().map_or(number, |filled| filled.rank(number)))
    }

    /// The logical unit that a physical one holds, if it is one of these.
    pub fn owner(&self, unit: u32) -> Option<u32> {
        let (line, word, bit) = split(unit);
        if self.lines[line].valid[word] >> bit & 1 == 0 {
            return None;
        }
        let rank = self.rank(unit);
        let number = match &self.filled {
            None => rank,
            Some(filled) => filled.number(unit, rank),
        };
        Some(narrow(self.order.at(u64::from(number))))
    }

    /// The physical units that hold one of them, in order.
    pub fn held(&self) -> impl Iterator<Item = u32> {
        (0..).zip(self.valid()).flat_map(|(word, bits): (u32, u64)| {
            let some = |bits: u64| (bits != 0).then_some(bits);
            let left = std::iter::successors(some(bits), move |bits| some(bits & (bits - 1)));
            left.map(move |bits| 64 * word + bits.trailing_zeros())
        })
    }

    /// Valid units before a physical one.
    #[inline]
    fn rank(&self, unit: u32) -> u32 {
        let (line, word, bit) = split(unit);
        let line = &self.lines[line];
        let in_word = (line.valid[word] & ((1 << bit) - 1)).count_ones();
        line.before + u32::from(line.ones[word]) + in_word
    }

    /// The valid unit with so many valid ones before it.
    #[inline]
    fn select(&self, rank: u32) -> u32 {
        let mut at = self.noted[(rank / STEP) as usize] as usize;
        while self.lines.get(at + 1).is_some_and(|next| next.before <= rank) {
            at += 1;
        }
        let line = &self.lines[at];
        let in_line = rank - line.before;
        // The last word that begins with no more.
        let word = (1..WORDS).filter(|word| u32::from(line.ones[*word]) <= in_line).count();
        let bit = nth_one(line.valid[word], in_line - u32::from(line.ones[word]));
        narrow::<u32>(at * WORDS + word) * 64 + bit
    }
}

impl Filled {
    /// The number in physical order of the unit of a number.
    fn rank(&self, number: u32) -> u32 {
        // Groups without valid units begin with the same number as the next one.
        let mut at = self.noted[(number / STEP) as usize] as usize;
        while self.groups.get(at + 1).is_some_and(|next| next.first <= number) {
            at += 1;
        }
        number.wrapping_sub(self.groups[at].shift)
    }

    /// The number of a unit of a number in physical order.
    fn number(&self, unit: u32, rank: u32) -> u32 {
        let (group, _) = self.by_group.div_rem(unit);
        rank.wrapping_add(self.shifts[group as usize])
    }
}

/// The line of a unit, its word there, and its bit.
#[inline]
fn split(unit: u32) -> (usize, usize, u32) {
    let word = unit as usize / 64;
    (word / WORDS, word % WORDS, unit % 64)
}

/// The place of the one in a word with `below` ones below it (Vigna 2008, broadword selection).
#[inline]
fn nth_one(word: u64, below: u32) -> u32 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = 0x8080_8080_8080_8080;
    let pairs = word - (word >> 1 & 0x5555_5555_5555_5555);
    let nibbles = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    let bytes = (nibbles + (nibbles >> 4)) & 0x0f0f_0f0f_0f0f_0f0f;
    // In each byte the ones up to its end; those with no more than are wanted come before.
    let sums = bytes.wrapping_mul(ONES);
    let before = (((u64::from(below) * ONES) | TOPS) - sums) & TOPS;
    let byte = ((before >> 7).wrapping_mul(ONES) >> 56) * 8;
    let left = u64::from(below) - ((sums << 8) >> byte & 0xff);
    let mut bits = word >> byte & 0xff;
    for _ in 0..left {
        bits &= bits - 1;
    }
    low32(byte) + bits.trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::super::places::Places;
    use super::*;
    use crate::device::flash::geometry::{Geometry, GroupSpan};
    use engine::{Stream, index};
    use proptest::prelude::*;

    /// Eight groups of some hundred units.
    fn layout(span: GroupSpan) -> Layout {
        Layout::new(Geometry {
            channels: 1,
            dies: 2,
            planes: 2,
            page_bytes: 8192,
            pages_per_wl: 1,
            rows: 37,
            unit_bytes: 4096,
            span,
            groups_per_lane: if span == GroupSpan::Block { 2 } else { 8 },
            parity_period: 0,
        })
    }

    #[test]
    fn the_nth_one_has_n_ones_below_it() {
        for word in [1, 1 << 63, u64::MAX, 0x8421_0f0f_8000_0001] {
            for n in 0..u64::count_ones(word) {
                let at = nth_one(word, n);
                assert_eq!((word >> at & 1, (word & ((1 << at) - 1)).count_ones()), (1, n));
            }
        }
    }

    proptest! {
        /// Units are numbered as they were added, group after group in any order.
        #[test]
        fn places_and_owners_are_those_of_a_list(
            (blocks, by_words) in any::<(bool, bool)>(),
            groups in prop_oneof![
                Just((0..8_u32).collect::<Vec<_>>()),
                Just((0..8).collect::<Vec<_>>()).prop_shuffle(),
            ],
            filled in 0..9_usize,
            (density, run, seed) in (0..101_u64, 1..4_u32, any::<u64>()),
        ) {
            let layout = layout(if blocks { GroupSpan::Block } else { GroupSpan::Superblock });
            let mut stream = Stream::new(seed, "scattered");
            let (mut scatter, mut list) = (Scatter::new(&layout), Vec::new());
            for group in groups.iter().take(filled) {
                scatter.open(*group);
                let (first, before) = (group * layout.group_units, list.len());
                let units = first..first + layout.group_units;
                list.extend(units.clone().filter(|_| stream.below(100) < density));
                let added = &list[before..];
                if !by_words {
                    added.iter().for_each(|unit| scatter.add(*unit));
                    continue;
                }
                let mut at = first;
                while at < units.end {
                    let count = (units.end - at).min(stream.below(64) as u32 + 1);
                    let here = added.iter().filter(|unit| (at..at + count).contains(unit));
                    scatter.add_all(at, here.fold(0, |bits, unit| bits | 1 << (unit - at)));
                    at += count;
                }
            }
            let places = Places::all(list.len() as u64 + 5);
            let order = RunOrder::new(places, run, &mut stream);
            let scattered = scatter.in_order(order.clone());
            prop_assert_eq!(index(u64::from(scattered.units())), list.len());
            prop_assert_eq!(scattered.held().count(), list.len());
            for (number, unit) in (0..).zip(&list) {
                let logical = narrow(order.at(number));
                prop_assert_eq!(scattered.owner(*unit), Some(logical));
                prop_assert_eq!(scattered.place(logical), Some(*unit));
            }
            for number in list.len() as u64..order.count() {
                prop_assert_eq!(scattered.place(narrow(order.at(number))), None);
            }
            prop_assert_eq!(scattered.place(narrow(order.count())), None);
        }
    }
}
