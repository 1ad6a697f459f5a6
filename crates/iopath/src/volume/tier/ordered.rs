//! A set of block numbers in order of address, as bits in three levels: destaging in address order
//! takes the next one.

use engine::narrow;

/// A set of numbers below a limit. Every operation takes a few words, whatever the set holds.
#[derive(Clone, Debug)]
pub struct OrderedSet {
    /// Level 0: one bit a number. Each higher level: one bit for each word below that is not zero.
    levels: [Vec<u64>; 3],
    len: u32,
}

impl OrderedSet {
    /// An empty set of numbers below `limit`. Memory that is never touched is never used.
    pub fn new(limit: u32) -> OrderedSet {
        let words = |bits: usize| bits.div_ceil(64).max(1);
        let zero = words(limit as usize);
        let (one, two) = (words(zero), words(words(zero)));
        OrderedSet { levels: [vec![0; zero], vec![0; one], vec![0; two]], len: 0 }
    }

    /// How many numbers it holds.
    pub fn len(&self) -> u32 {
        self.len
    }

    /// True if it holds none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// True if `n` is in it.
    pub fn contains(&self, n: u32) -> bool {
        self.levels[0][n as usize / 64] >> (n % 64) & 1 == 1
    }

    /// Puts `n` in; returns whether it was not there.
    pub fn insert(&mut self, n: u32) -> bool {
        if self.contains(n) {
            return false;
        }
        let mut at = n as usize;
        for level in &mut self.levels {
            level[at / 64] |= 1 << (at % 64);
            at /= 64;
        }
        self.len += 1;
        true
    }

    /// Takes `n` out; returns whether it was there.
    pub fn remove(&mut self, n: u32) -> bool {
        if !self.contains(n) {
            return false;
        }
        let mut at = n as usize;
        for level in &mut self.levels {
            level[at / 64] &= !(1 << (at % 64));
            if level[at / 64] != 0 {
                break;
            }
            at /= 64;
        }
        self.len -= 1;
        true
    }

    /// The first number in the set that is not below `from`.
    pub fn next(&self, from: u32) -> Option<u32> {
        if self.len == 0 {
            return None;
        }
        let mut at = from as usize;
        for level in 0..self.levels.len() {
            if let Some(found) = Self::in_word(&self.levels[level], at) {
                return Some(self.descend(level, found));
            }
            at = at / 64 + 1;
        }
        // Above the highest level there are few words: 2^32 numbers make 16384.
        let top = self.levels.len() - 1;
        let words = self.levels[top].iter().enumerate().skip(at);
        let (word, bits) = words.into_iter().find(|(_, bits)| **bits != 0)?;
        Some(self.descend(top, word * 64 + bits.trailing_zeros() as usize))
    }

    /// The first bit set in the word of `at`, from `at` on.
    fn in_word(level: &[u64], at: usize) -> Option<usize> {
        let bits = *level.get(at / 64)? >> (at % 64);
        (bits != 0).then(|| at + bits.trailing_zeros() as usize)
    }

    /// From a bit of a level down to the lowest number under it.
    fn descend(&self, level: usize, mut at: usize) -> u32 {
        for lower in self.levels[..level].iter().rev() {
            at = at * 64 + lower[at].trailing_zeros() as usize;
        }
        narrow(at)
    }

    /// Clears the table.
    pub fn clear(&mut self) {
        let mut at = 0;
        while let Some(n) = self.next(at) {
            self.remove(n);
            at = n;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn agrees_with_a_plain_set(steps in proptest::collection::vec(
            (0..4u8, 0..3u32, any::<u32>()), 1..300), limit in 1..3_000_000u32) {
            let (mut set, mut plain) = (OrderedSet::new(limit), BTreeSet::new());
            for (what, spread, n) in steps {
                let n = n % limit.min([70, 5000, u32::MAX][spread as usize]);
                match what {
                    0 | 1 => prop_assert_eq!(set.insert(n), plain.insert(n)),
                    2 => prop_assert_eq!(set.remove(n), plain.remove(&n)),
                    _ => prop_assert_eq!(set.next(n), plain.range(n..).next().copied()),
                }
                prop_assert_eq!(set.len() as usize, plain.len());
            }
            set.clear();
            prop_assert_eq!((set.len(), set.next(0)), (0, None));
        }
    }
}
