//! A seeded permutation of 0..n that needs no table.

/// Maps 0..n onto itself, one to one, in an order fixed by the seed.
///
/// A Feistel network of four rounds permutes the next power of two above `n`, its two halves as
/// equal as the number of bits allows; a result outside the range goes through again until it
/// falls inside (cycle walking, Black and Rogaway 2002), which keeps the map a bijection and takes
/// less than two passes on average.
#[derive(Clone, Copy, Debug)]
pub struct Permutation {
    n: u64,
    /// Bits of the lower half; the upper half has as many or one less.
    low_bits: u32,
    low_mask: u64,
    high_mask: u64,
    keys: [u64; 4],
}

impl Permutation {
    /// # Panics
    /// If `n` is zero or above 2^62.
    pub fn new(n: u64, seed: u64) -> Self {
        assert!(n > 0 && n <= 1 << 62, "a permutation needs 1 to 2^62 elements");
        let bits = u64::BITS - (n - 1).leading_zeros();
        let low_bits = bits.div_ceil(2);
        let mut state = seed;
        let keys = std::array::from_fn(|_| {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            mix(state)
        });
        Permutation {
            n,
            low_bits,
            low_mask: (1 << low_bits) - 1,
            high_mask: (1 << (bits - low_bits)) - 1,
            keys,
        }
    }

    /// How many elements are permuted.
    pub fn len(&self) -> u64 {
        self.n
    }

    /// Never true; a permutation has at least one element.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Where `rank` goes.
    ///
    /// # Panics
    /// If `rank` is not below `n`.
    #[inline]
    pub fn map(&self, rank: u64) -> u64 {
        assert!(rank < self.n, "rank {rank} is outside 0..{}", self.n);
        self.walk(rank, |high, low| {
            *high ^= scramble(*low ^ self.keys[0]) & self.high_mask;
            *low ^= scramble(*high ^ self.keys[1]) & self.low_mask;
            *high ^= scramble(*low ^ self.keys[2]) & self.high_mask;
            *low ^= scramble(*high ^ self.keys[3]) & self.low_mask;
        })
    }

    /// What goes to `place`: the inverse of [`Permutation::map`].
    ///
    /// # Panics
    /// If `place` is not below `n`.
    #[inline]
    pub fn rank(&self, place: u64) -> u64 {
        assert!(place < self.n, "place {place} is outside 0..{}", self.n);
        self.walk(place, |high, low| {
            *low ^= scramble(*high ^ self.keys[3]) & self.low_mask;
            *high ^= scramble(*low ^ self.keys[2]) & self.high_mask;
            *low ^= scramble(*high ^ self.keys[1]) & self.low_mask;
            *high ^= scramble(*low ^ self.keys[0]) & self.high_mask;
        })
    }

    /// Takes a number through the network, one way or the other, until it is inside the range.
    #[inline]
    fn walk(&self, from: u64, pass: impl Fn(&mut u64, &mut u64)) -> u64 {
        let (mut high, mut low) = (from >> self.low_bits, from & self.low_mask);
        loop {
            pass(&mut high, &mut low);
            let x = high << self.low_bits | low;
            if x < self.n {
                return x;
            }
        }
    }
}

/// A round function: one multiplication, of which the well-mixed upper half is used.
#[inline]
fn scramble(x: u64) -> u64 {
    x.wrapping_mul(0xd6e8_feb8_6659_fd93) >> 32
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood 2014): every bit depends on every other.
#[inline]
pub fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn every_element_is_hit_exactly_once(n in 1u64..3000, seed: u64) {
            let p = Permutation::new(n, seed);
            let mut seen = vec![false; n as usize];
            for rank in 0..n {
                let to = p.map(rank) as usize;
                proptest::prop_assert!(!seen[to]);
                proptest::prop_assert_eq!(p.rank(to as u64), rank);
                seen[to] = true;
            }
        }
    }
}
