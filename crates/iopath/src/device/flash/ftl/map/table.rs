//! A table of numbers that are absent until they are put in. What was never touched takes no
//! memory: the system gives it zeroed, and zero is absent. A table into which nothing was put has
//! none at all, so that a drive whose state is put in as a whole is not made twice. A number takes
//! the bits that it needs: 27 where there are 64 million units with their spare area.

use crate::device::flash::prefetch::line_of;
use engine::{low32, narrow};

/// Entries that share a note of whether any of them is there: at most a page of the system's
/// memory, so that a few writes all over a drive take little.
const CHUNK: usize = 1 << 10;

/// Words of 32 bits that a chunk takes for each bit of its entries.
const CHUNK_WORDS: usize = CHUNK / 32;

/// What [`Table::each_touched`] gives for a place without a number.
pub(super) const ABSENT: u32 = u32::MAX - 1;

/// Numbers by their place, each in as few bits as the greatest one needs.
pub(super) struct Table {
    /// Number of places.
    len: u32,
    /// Bits of an entry: 2 to 32.
    bits: u32,
    /// The entries one behind the other: each number plus two, so that [`UNMAPPED`] becomes one,
    /// and zero where there is none. A word more than they need, so that each of them is in two
    /// words that are there. Empty until one is put in.
    ///
    /// [`UNMAPPED`]: super::UNMAPPED
    words: Vec<u32>,
    /// Chunks into which a number was put, a bit for each.
    touched: Vec<u64>,
}

impl Table {
    /// A table of so many places, all empty, for numbers below `below` and [`UNMAPPED`].
    ///
    /// [`UNMAPPED`]: super::UNMAPPED
    pub(super) fn new(len: u32, below: u32) -> Self {
        debug_assert!(below < ABSENT - 1, "numbers that an entry of 32 bits cannot hold");
        let touched = vec![0; (len as usize).div_ceil(64 * CHUNK)];
        let bits = u32::BITS - (below + 1).leading_zeros();
        Table { len, bits: bits.max(2), words: Vec::new(), touched }
    }

    /// Number of places.
    pub(super) fn len(&self) -> u32 {
        self.len
    }

    /// Bytes of memory that it takes.
    pub(super) fn bytes(&self) -> usize {
        let touched: u32 = self.touched.iter().map(|word| word.count_ones()).sum();
        let words = (touched as usize * self.chunk_words()).min(self.all_words());
        size_of::<u64>() * self.touched.len() + size_of::<u32>() * words
    }

    /// Words of a chunk.
    fn chunk_words(&self) -> usize {
        CHUNK_WORDS * self.bits as usize
    }

    /// Words of all entries.
    fn all_words(&self) -> usize {
        (self.len as usize * self.bits as usize).div_ceil(32) + 1
    }

    /// True if no number was ever put in.
    pub(super) fn is_untouched(&self) -> bool {
        self.touched.iter().all(|word| *word == 0)
    }

    /// True if a number was put into the chunk of a place.
    #[inline]
    fn is_touched(&self, place: usize) -> bool {
        self.touched[place / CHUNK / 64] >> (place / CHUNK % 64) & 1 == 1
    }

    /// The word in which the entry of a place begins, and its first bit there.
    #[inline]
    fn split(&self, place: usize) -> (usize, u32) {
        let bit = place * self.bits as usize;
        (bit / 32, low32(bit as u64) % 32)
    }

    /// The ones of an entry.
    #[inline]
    fn mask(&self) -> u64 {
        u64::MAX >> (64 - self.bits)
    }

    /// What the entry of a place holds.
    #[inline]
    fn entry(&self, place: usize) -> u32 {
        let (word, bit) = self.split(place);
        low32(pair(&self.words[word..word + 2]) >> bit & self.mask())
    }

    /// The number at a place.
    #[inline]
    pub(super) fn get(&self, place: u32) -> Option<u32> {
        let place = place as usize;
        if self.is_touched(place) { present(self.entry(place)) } else { None }
    }

    /// Puts a number at a place. Returns what was there.
    #[inline]
    pub(super) fn put(&mut self, place: u32, number: u32) -> Option<u32> {
        let place = place as usize;
        if !self.is_touched(place) {
            self.touch(place / CHUNK);
        }
        let (word, bit) = self.split(place);
        let mask = self.mask();
        let entry = u64::from(number.wrapping_add(2));
        debug_assert!(0 < entry && entry <= mask, "a number beyond those of the table");
        let words = &mut self.words[word..word + 2];
        let both = pair(words);
        let old = both >> bit & mask;
        let new = both ^ (old ^ entry) << bit;
        (words[0], words[1]) = (low32(new), low32(new >> 32));
        present(low32(old))
    }

    /// Writes a chunk, as zero as it is. What was only read is a page of zeros that everything
    /// shares: to write there later takes two faults, and stops all threads.
    #[cold]
    fn touch(&mut self, chunk: usize) {
        self.make();
        self.touched[chunk / 64] |= 1 << (chunk % 64);
        let words = self.chunk_words();
        let end = self.words.len().min((chunk + 1) * words);
        self.words[chunk * words..end].fill(0);
    }

    /// Gives the table its memory, if it has none.
    fn make(&mut self) {
        if self.words.is_empty() {
            self.words = vec![0; self.all_words()];
        }
    }

    /// Asks the processor to fetch a place; does nothing outside the table. What was never touched
    /// has no memory: to look for its page takes the processor as long as a miss.
    #[inline]
    pub(super) fn prefetch(&self, place: u32) {
        if place < self.len && self.is_touched(place as usize) {
            line_of(&self.words, self.split(place as usize).0);
        }
    }

    /// All places of the chunks into which a number was put, with [`ABSENT`] where there is none.
    #[inline]
    pub(super) fn each_touched(&self, mut take: impl FnMut(u32, u32)) {
        let starts = (0..self.len).step_by(CHUNK);
        for start in starts.filter(|start| self.is_touched(*start as usize)) {
            let end = self.len.min(start + narrow::<u32>(CHUNK));
            (start..end).for_each(|place| take(place, number(self.entry(place as usize))));
        }
    }
}

/// Two words as one number.
#[inline]
fn pair(words: &[u32]) -> u64 {
    u64::from(words[1]) << 32 | u64::from(words[0])
}

/// The number that an entry stands for, [`ABSENT`] if it stands for none.
#[inline]
fn number(entry: u32) -> u32 {
    entry.wrapping_sub(2)
}

/// The number that an entry stands for, if it stands for one.
#[inline]
fn present(entry: u32) -> Option<u32> {
    (entry != 0).then(|| number(entry))
}

impl Clone for Table {
    /// Only what was touched is copied.
    fn clone(&self) -> Self {
        let mut copy = Table { words: Vec::new(), touched: vec![0; self.touched.len()], ..*self };
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, other: &Self) {
        if (self.len, self.bits) != (other.len, other.bits) {
            *self = other.clone();
            return;
        }
        if !other.is_untouched() {
            self.make();
        }
        let before = std::mem::take(&mut self.touched);
        let was = |chunk: usize| before[chunk / 64] >> (chunk % 64) & 1 == 1;
        let (words, chunks) = (self.chunk_words(), (self.len as usize).div_ceil(CHUNK));
        for (chunk, own) in self.words.chunks_mut(words).enumerate().take(chunks) {
            let start = chunk * words;
            match (was(chunk), other.is_touched(chunk * CHUNK)) {
                (_, true) => own.copy_from_slice(&other.words[start..start + own.len()]),
                (true, false) => own.fill(0),
                (false, false) => {}
            }
        }
        self.touched.clone_from(&other.touched);
    }
}

#[cfg(test)]
mod tests {
    use super::super::UNMAPPED;
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    const PLACES: u32 = 70 * 1024 + 100;

    fn all(table: &Table) -> BTreeMap<u32, u32> {
        let mut all = BTreeMap::new();
        table.each_touched(|place, number| {
            if number != ABSENT {
                all.insert(place, number);
            }
        });
        all
    }

    /// The greatest number of tables whose entries take 2, 7, 20, 27 and 32 bits, and places near
    /// each other as well as far apart.
    fn puts() -> impl Strategy<Value = (u32, Vec<(u32, u32)>)> {
        let below = prop_oneof![
            Just(2u32),
            Just(100),
            1u32 << 19..1 << 20,
            Just(100_000_000u32),
            1u32 << 31..u32::MAX - 3
        ];
        let place = prop_oneof![0..PLACES, 0..100_u32, PLACES - 100..PLACES];
        below.prop_flat_map(move |below| {
            let number = prop_oneof![9 => 0..below, 1 => Just(UNMAPPED)];
            (Just(below), prop::collection::vec((place.clone(), number), 0..60))
        })
    }

    fn made(below: u32, puts: &[(u32, u32)]) -> Table {
        let mut table = Table::new(PLACES, below);
        for (place, number) in puts {
            table.put(*place, *number);
        }
        table
    }

    proptest! {
        #[test]
        fn it_is_a_map((below, puts) in puts(), looked in prop::collection::vec(0..PLACES, 20)) {
            let (mut table, mut model) = (Table::new(PLACES, below), BTreeMap::new());
            prop_assert!(table.is_untouched());
            for (place, number) in puts {
                prop_assert_eq!(table.put(place, number), model.insert(place, number));
            }
            prop_assert_eq!(table.is_untouched(), model.is_empty());
            for place in looked.into_iter().chain(model.keys().copied().collect::<Vec<_>>()) {
                prop_assert_eq!(table.get(place), model.get(&place).copied());
            }
            prop_assert_eq!(all(&table), model);
        }

        #[test]
        fn a_copy_is_the_same_whatever_was_there(one in puts(), other in puts()) {
            let ((below, one), (other_below, other)) = (one, other);
            let from = made(other_below, &other);
            for mut copy in [made(below, &one), made(other_below, &other[..other.len() / 2])] {
                copy.clone_from(&from);
                prop_assert_eq!(all(&copy), all(&from));
                prop_assert_eq!(copy.bytes(), from.bytes());
            }
            prop_assert_eq!(all(&from.clone()), all(&from));
        }
    }

    #[test]
    fn only_touched_chunks_take_memory() {
        let mut table = Table::new(PLACES, 1 << 20);
        let (notes, chunk) = (16, 21 * 1024 / 8);
        assert_eq!(table.bytes(), notes);
        table.put(0, 7);
        table.put(1023, 7);
        assert_eq!(table.bytes(), notes + chunk);
        table.put(1024, 7);
        assert_eq!(table.bytes(), notes + 2 * chunk);
    }

    /// Each bit more holds twice the numbers: with two entries for none and for nothing.
    #[test]
    fn an_entry_has_the_bits_that_the_greatest_number_needs() {
        for (below, bits) in
            [(1, 2), (2, 2), (3, 3), (6, 3), (7, 4), ((1 << 27) - 2, 27), ((1 << 27) - 1, 28)]
        {
            let mut table = Table::new(10, below);
            table.put(9, below - 1);
            table.put(8, UNMAPPED);
            assert_eq!(
                (table.bits, table.get(9), table.get(8)),
                (bits, Some(below - 1), Some(UNMAPPED))
            );
            assert_eq!(table.get(7), None);
        }
    }
}
