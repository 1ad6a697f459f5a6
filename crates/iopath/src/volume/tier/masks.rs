//! One bit for each sector of each slot, packed: four bytes for a block of 8 KiB, valid and
//! changed together.

/// Bit masks of up to 64 sectors a slot. It grows as slots are used.
#[derive(Clone, Debug)]
pub struct Masks {
    /// Bits of a slot, a power of two.
    width: u32,
    words: Vec<u64>,
}

impl Masks {
    /// For blocks of this many sectors, from 1 to 64.
    pub fn new(sectors: u32) -> Masks {
        Masks { width: sectors.next_power_of_two(), words: Vec::new() }
    }

    #[inline]
    fn place(&self, slot: u32) -> (usize, u32) {
        let bit = slot as u64 * self.width as u64;
        ((bit / 64) as usize, (bit % 64) as u32)
    }

    /// The mask of a slot.
    #[inline]
    pub fn get(&self, slot: u32) -> u64 {
        let (word, shift) = self.place(slot);
        self.words.get(word).map_or(0, |bits| bits >> shift & full(self.width))
    }

    /// Sets the mask of a slot.
    #[inline]
    pub fn set(&mut self, slot: u32, mask: u64) {
        let (word, shift) = self.place(slot);
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let bits = &mut self.words[word];
        *bits = *bits & !(full(self.width) << shift) | mask << shift;
    }

    /// Clears all masks.
    pub fn clear(&mut self) {
        self.words.clear();
    }
}

/// The mask of this many sectors from the first.
#[inline]
pub fn full(sectors: u32) -> u64 {
    if sectors >= 64 { u64::MAX } else { (1 << sectors) - 1 }
}

/// The mask of the sectors `from..to`.
#[inline]
pub fn span(from: u32, to: u32) -> u64 {
    full(to) & !full(from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_do_not_touch_each_other() {
        for sectors in [1, 2, 3, 8, 16, 33, 64] {
            let mut masks = Masks::new(sectors);
            let of = |slot: u32| (0x9E37_79B9_7F4A_7C15u64).wrapping_mul(slot as u64 + 1);
            for slot in (0..200).rev() {
                masks.set(slot, of(slot) & full(sectors));
            }
            for slot in 0..200 {
                assert_eq!(masks.get(slot), of(slot) & full(sectors), "{sectors} {slot}");
            }
        }
    }

    #[test]
    fn spans_have_the_bits_from_the_first_to_before_the_last() {
        assert_eq!(span(0, 64), u64::MAX);
        assert_eq!(span(63, 64), 1 << 63);
        assert_eq!(span(3, 6), 0b111000);
        assert_eq!(span(5, 5), 0);
    }
}
