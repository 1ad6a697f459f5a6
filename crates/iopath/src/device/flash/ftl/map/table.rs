//! A table of numbers that are absent until they are put in. What was never touched takes no
//! memory: the system gives it zeroed, and zero is absent. A table into which nothing was put has
//! none at all, so that a drive whose state is put in as a whole is not made twice.

use crate::device::flash::prefetch::line_of;
use engine::narrow;

/// Entries that share a note of whether any of them is there: a page of the system's memory, so
/// that a few writes all over a drive take little.
const CHUNK: usize = 1 << 10;

/// Numbers below `u32::MAX` by their place.
pub(super) struct Table {
    /// Number of places.
    len: u32,
    /// The complement of each number; zero where there is none. Empty until one is put in.
    entries: Vec<u32>,
    /// Chunks into which a number was put, a bit for each.
    touched: Vec<u64>,
}

impl Table {
    /// A table of so many places, all empty.
    pub(super) fn new(len: u32) -> Self {
        let touched = vec![0; (len as usize).div_ceil(64 * CHUNK)];
        Table { len, entries: Vec::new(), touched }
    }

    /// Number of places.
    pub(super) fn len(&self) -> u32 {
        self.len
    }

    /// Bytes of memory that it takes.
    pub(super) fn bytes(&self) -> usize {
        let touched: u32 = self.touched.iter().map(|word| word.count_ones()).sum();
        let entries = (touched as usize * CHUNK).min(self.len as usize);
        size_of::<u64>() * self.touched.len() + size_of::<u32>() * entries
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

    /// The number at a place.
    #[inline]
    pub(super) fn get(&self, place: u32) -> Option<u32> {
        let place = place as usize;
        if self.is_touched(place) { present(self.entries[place]) } else { None }
    }

    /// Puts a number below `u32::MAX` at a place. Returns what was there.
    #[inline]
    pub(super) fn put(&mut self, place: u32, number: u32) -> Option<u32> {
        debug_assert!(number < u32::MAX, "the greatest number stands for none");
        let place = place as usize;
        if !self.is_touched(place) {
            self.touch(place / CHUNK);
        }
        present(std::mem::replace(&mut self.entries[place], !number))
    }

    /// Writes a chunk, as zero as it is. What was only read is a page of zeros that everything
    /// shares: to write there later takes two faults, and stops all threads.
    #[cold]
    fn touch(&mut self, chunk: usize) {
        self.make();
        self.touched[chunk / 64] |= 1 << (chunk % 64);
        let end = self.entries.len().min((chunk + 1) * CHUNK);
        self.entries[chunk * CHUNK..end].fill(0);
    }

    /// Gives the table its memory, if it has none.
    fn make(&mut self) {
        if self.entries.is_empty() {
            self.entries = vec![0; self.len as usize];
        }
    }

    /// Asks the processor to fetch a place; does nothing outside the table. What was never touched
    /// has no memory: to look for its page takes the processor as long as a miss.
    #[inline]
    pub(super) fn prefetch(&self, place: u32) {
        let place = place as usize;
        if place < self.entries.len() && self.is_touched(place) {
            line_of(&self.entries, place);
        }
    }

    /// All places of the chunks into which a number was put, with `u32::MAX` where there is none.
    #[inline]
    pub(super) fn each_touched(&self, mut take: impl FnMut(u32, u32)) {
        let chunks = self.entries.chunks(CHUNK).enumerate();
        for (chunk, entries) in chunks.filter(|(chunk, _)| self.is_touched(chunk * CHUNK)) {
            for (place, entry) in (narrow::<u32>(chunk * CHUNK)..).zip(entries) {
                take(place, !entry);
            }
        }
    }
}

/// The number that an entry stands for, if it stands for one.
#[inline]
fn present(entry: u32) -> Option<u32> {
    (entry != 0).then_some(!entry)
}

impl Clone for Table {
    /// Only what was touched is copied.
    fn clone(&self) -> Self {
        let mut copy = Table::new(self.len);
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, other: &Self) {
        if self.len != other.len {
            *self = Table::new(other.len);
        }
        if !other.is_untouched() {
            self.make();
        }
        let before = std::mem::take(&mut self.touched);
        let was = |chunk: usize| before[chunk / 64] >> (chunk % 64) & 1 == 1;
        for (chunk, own) in self.entries.chunks_mut(CHUNK).enumerate() {
            let start = chunk * CHUNK;
            match (was(chunk), other.is_touched(start)) {
                (_, true) => own.copy_from_slice(&other.entries[start..start + own.len()]),
                (true, false) => own.fill(0),
                (false, false) => {}
            }
        }
        self.touched.clone_from(&other.touched);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    const PLACES: u32 = 70 * 1024 + 100;

    fn all(table: &Table) -> BTreeMap<u32, u32> {
        let mut all = BTreeMap::new();
        table.each_touched(|place, number| {
            if number < u32::MAX {
                all.insert(place, number);
            }
        });
        all
    }

    fn put() -> impl Strategy<Value = Vec<(u32, u32)>> {
        prop::collection::vec((0..PLACES, 0..u32::MAX), 0..40)
    }

    proptest! {
        #[test]
        fn it_is_a_map(puts in put(), looked in prop::collection::vec(0..PLACES, 20)) {
            let (mut table, mut model) = (Table::new(PLACES), BTreeMap::new());
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
        fn a_copy_is_the_same_whatever_was_there(one in put(), other in put()) {
            let made = |puts: &[(u32, u32)]| {
                let mut table = Table::new(PLACES);
                for (place, number) in puts {
                    table.put(*place, *number);
                }
                table
            };
            let (mut copy, from) = (made(&one), made(&other));
            copy.clone_from(&from);
            prop_assert_eq!(all(&copy), all(&from));
            prop_assert_eq!(all(&from.clone()), all(&from));
            prop_assert_eq!(copy.bytes(), from.bytes());
        }
    }

    #[test]
    fn only_touched_chunks_take_memory() {
        let mut table = Table::new(PLACES);
        let notes = 16;
        assert_eq!(table.bytes(), notes);
        table.put(0, 7);
        table.put(1023, 7);
        assert_eq!(table.bytes(), notes + 4 * 1024);
        table.put(1024, 7);
        assert_eq!(table.bytes(), notes + 8 * 1024);
    }
}
