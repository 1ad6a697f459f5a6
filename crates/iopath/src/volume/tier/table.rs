//! A table from block numbers to indices, with open addressing: the one look-up of the hot path.

const EMPTY: u32 = u32::MAX;

/// Keys below `u32::MAX` to values, at most half full, linear probing, no tombstones. It grows as
/// it fills, so that a cache that is hardly used costs little memory.
#[derive(Clone, Debug)]
pub struct Table {
    /// Key and value side by side: one cache line a look-up.
    entries: Vec<(u32, u32)>,
    /// 32 less the binary logarithm of the number of entries.
    shift: u32,
    used: usize,
}

impl Default for Table {
    fn default() -> Self {
        Table { entries: vec![(EMPTY, 0); 16], shift: 28, used: 0 }
    }
}

impl Table {
    /// Where the search for a key begins: multiplication by 2^32 over the golden ratio (Knuth,
    /// volume 3, section 6.4).
    #[inline]
    fn home(&self, key: u32) -> usize {
        (key.wrapping_mul(0x9E37_79B9) >> self.shift) as usize
    }

    #[inline]
    fn position(&self, key: u32) -> usize {
        let mask = self.entries.len() - 1;
        let mut at = self.home(key);
        while self.entries[at].0 != key && self.entries[at].0 != EMPTY {
            at = (at + 1) & mask;
        }
        at
    }

    /// The value of a key.
    #[inline]
    pub fn get(&self, key: u32) -> Option<u32> {
        let (found, value) = self.entries[self.position(key)];
        (found == key && key != EMPTY).then_some(value)
    }

    /// Sets the value of a key; returns the one it had.
    pub fn insert(&mut self, key: u32, value: u32) -> Option<u32> {
        debug_assert!(key != EMPTY);
        if (self.used + 1) * 2 > self.entries.len() {
            self.grow();
        }
        let at = self.position(key);
        let before = std::mem::replace(&mut self.entries[at], (key, value));
        if before.0 == key {
            return Some(before.1);
        }
        self.used += 1;
        None
    }

    /// Takes a key out; returns its value.
    pub fn remove(&mut self, key: u32) -> Option<u32> {
        let mask = self.entries.len() - 1;
        let mut hole = self.position(key);
        let (found, value) = self.entries[hole];
        if found != key || key == EMPTY {
            return None;
        }
        // Later entries of the run move up if the hole is between their home and them.
        let mut at = hole;
        loop {
            at = (at + 1) & mask;
            let (other, _) = self.entries[at];
            if other == EMPTY {
                break;
            }
            let from_home = at.wrapping_sub(self.home(other)) & mask;
            let from_hole = at.wrapping_sub(hole) & mask;
            if from_home >= from_hole {
                self.entries[hole] = self.entries[at];
                hole = at;
            }
        }
        self.entries[hole] = (EMPTY, 0);
        self.used -= 1;
        Some(value)
    }

    /// Number of keys.
    pub fn len(&self) -> usize {
        self.used
    }

    /// True if it holds no key.
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// Clears the table.
    pub fn clear(&mut self) {
        *self = Table::default();
    }

    #[cold]
    fn grow(&mut self) {
        let doubled = vec![(EMPTY, 0); self.entries.len() * 2];
        let old = std::mem::replace(&mut self.entries, doubled);
        self.shift -= 1;
        for (key, value) in old {
            if key != EMPTY {
                let at = self.position(key);
                self.entries[at] = (key, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// Few keys that collide, and a map that cannot be wrong beside it.
        #[test]
        fn agrees_with_a_plain_map(steps in proptest::collection::vec(
            (0..3u8, 0..400u32, any::<u32>()), 1..600)) {
            let (mut table, mut plain) = (Table::default(), BTreeMap::new());
            for (what, key, value) in steps {
                let key = key * 0x1_0000 % 0xFFFF_0001;
                match what {
                    0 => prop_assert_eq!(table.insert(key, value), plain.insert(key, value)),
                    1 => prop_assert_eq!(table.remove(key), plain.remove(&key)),
                    _ => prop_assert_eq!(table.get(key), plain.get(&key).copied()),
                }
                prop_assert_eq!(table.len(), plain.len());
            }
            for (&key, &value) in &plain {
                prop_assert_eq!(table.get(key), Some(value));
            }
        }
    }
}
