//! Error correction: the raw bit error rate that a code can correct.
//!
//! A codeword fails if more bits are wrong than the code corrects. Errors are independent, so the
//! number of wrong bits is binomial. The uncorrectable bit error rate (UBER) is the probability
//! that a codeword fails over its user bits (Mielke, IRPS 2008). LDPC codes are stated as the
//! correcting code of the same strength.

use engine::narrow;

/// A block code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ecc {
    /// Bit errors of a codeword that can be corrected.
    pub bits: u32,
    /// User data of a codeword, in bytes.
    pub data_bytes: u32,
}

impl Ecc {
    /// User bits of a codeword.
    pub fn user_bits(self) -> u32 {
        self.data_bytes * 8
    }

    /// Bits of a codeword with the parity of a binary BCH code: `m` bits for each bit to correct,
    /// where `2^m - 1` is at least the length.
    pub fn codeword_bits(self) -> u32 {
        let bits = |m: u32| self.user_bits() as u64 + m as u64 * self.bits as u64;
        let m = (4..40).find(|&m| bits(m) < 1 << m).unwrap_or(40);
        narrow(bits(m))
    }

    /// Probability that a codeword cannot be corrected at a raw bit error rate.
    pub fn failure(self, rber: f64) -> f64 {
        if rber <= 0.0 {
            return 0.0;
        }
        if rber >= 0.5 {
            return 1.0;
        }
        let n = self.codeword_bits();
        let (hit, miss) = (libm::log(rber), libm::log1p(-rber));
        let total = libm::lgamma(n as f64 + 1.0);
        let mean = n as f64 * rber;
        let mut sum = 0.0;
        for k in self.bits + 1..=n {
            let (wrong, right) = (k as f64, (n - k) as f64);
            let ways = total - libm::lgamma(wrong + 1.0) - libm::lgamma(right + 1.0);
            let term = libm::exp(ways + wrong * hit + right * miss);
            sum += term;
            // Beyond the mean the terms fall faster than a geometric series.
            if wrong > mean && term < sum * 1e-12 {
                break;
            }
        }
        sum.min(1.0)
    }

    /// Uncorrectable bit error rate at a raw bit error rate.
    pub fn uber(self, rber: f64) -> f64 {
        self.failure(rber) / self.user_bits() as f64
    }

    /// The highest raw bit error rate with at most `uber`, by bisection.
    pub fn limit(self, uber: f64) -> f64 {
        let (mut low, mut high) = (1e-12, 0.4);
        for _ in 0..100 {
            let middle = libm::sqrt(low * high);
            if self.uber(middle) <= uber { low = middle } else { high = middle }
        }
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_the_codes_in_use() {
        // Bits, user bytes, highest raw bit error rate for an UBER of 1e-15, 1e-16, 1e-17. The
        // 24-bit code of a 1080-byte sector holds 1 KiB of user data.
        let table: [(u32, u32, [f64; 3]); 9] = [
            (4, 512, [3.3e-6, 2.1e-6, 1.3e-6]),
            (8, 512, [5.5e-5, 4.2e-5, 3.3e-5]),
            (12, 512, [1.9e-4, 1.6e-4, 1.3e-4]),
            (24, 1024, [5.1e-4, 4.6e-4, 4.1e-4]),
            (55, 512, [4.0e-3, 3.7e-3, 3.5e-3]),
            (40, 1024, [1.3e-3, 1.2e-3, 1.1e-3]),
            (72, 1024, [3.2e-3, 3.0e-3, 2.9e-3]),
            (120, 1024, [6.2e-3, 6.0e-3, 5.8e-3]),
            (280, 2048, [9.0e-3, 8.7e-3, 8.6e-3]),
        ];
        for (bits, data_bytes, limits) in table {
            let ecc = Ecc { bits, data_bytes };
            for (limit, uber) in limits.into_iter().zip([1e-15, 1e-16, 1e-17]) {
                let found = ecc.limit(uber);
                // The table has two digits, some rounded from three.
                let digit = libm::pow(10.0, libm::floor(libm::log10(limit)) - 1.0);
                let far = (found - limit).abs() / digit;
                assert!(far <= 0.55, "{bits} bits over {data_bytes} B: {found:e} {limit:e}");
            }
        }
    }

    #[test]
    fn a_code_that_corrects_nothing_fails_with_one_wrong_bit() {
        let ecc = Ecc { bits: 0, data_bytes: 1 };
        let failure = ecc.failure(0.01);
        assert!((failure - (1.0 - libm::pow(0.99, 8.0))).abs() < 1e-12, "{failure}");
        assert_eq!((ecc.failure(0.0), ecc.failure(0.6)), (0.0, 1.0));
    }

    proptest::proptest! {
        #[test]
        fn more_errors_fail_more_and_more_bits_fail_less(
            bits in 1u32..100, rber in 1e-6f64..2e-2, worse in 1.0f64..3.0
        ) {
            let ecc = Ecc { bits, data_bytes: 1024 };
            let stronger = Ecc { bits: bits + 8, data_bytes: 1024 };
            proptest::prop_assert!(ecc.failure(rber) <= ecc.failure(rber * worse) + 1e-9);
            proptest::prop_assert!(stronger.failure(rber) <= ecc.failure(rber) + 1e-9);
        }
    }
}
