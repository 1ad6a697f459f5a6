//! Division of 32-bit numbers by a divisor that is fixed when a machine is built.

use crate::narrow::low32;

/// Divides by a fixed number with a multiplication and a shift.
///
/// With m = floor(2^64 / d) + 1 the quotient floor(m n / 2^64) is exact for all n, d below 2^32
/// (Granlund and Montgomery 1994, theorem 4.2 with 32 extra bits).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Divisor {
    divisor: u32,
    multiplier: u64,
}

impl Divisor {
    /// # Panics
    /// If `divisor` is zero.
    pub fn new(divisor: u32) -> Self {
        assert!(divisor > 0, "division by zero");
        // For 1 the multiplier would be 2^64; `div_rem` treats it apart.
        let multiplier = if divisor == 1 { 0 } else { u64::MAX / divisor as u64 + 1 };
        Divisor { divisor, multiplier }
    }

    /// The number divided by.
    #[inline]
    pub fn get(self) -> u32 {
        self.divisor
    }

    /// Quotient and remainder of `n`.
    #[inline]
    pub fn div_rem(self, n: u32) -> (u32, u32) {
        if self.divisor == 1 {
            return (n, 0);
        }
        let quotient = low32(((self.multiplier as u128 * n as u128) >> 64) as u64);
        (quotient, n - quotient * self.divisor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn agrees_with_the_processor(n: u32, d in 1u32..) {
            proptest::prop_assert_eq!(Divisor::new(d).div_rem(n), (n / d, n % d));
        }
    }

    #[test]
    fn agrees_at_the_edges() {
        for d in [1, 2, 3, 5, 7, 96, 6144, u32::MAX - 1, u32::MAX] {
            for n in [0, 1, d - 1, d, d.wrapping_add(1), u32::MAX - 1, u32::MAX] {
                assert_eq!(Divisor::new(d).div_rem(n), (n / d, n % d), "{n} / {d}");
            }
        }
    }
}
