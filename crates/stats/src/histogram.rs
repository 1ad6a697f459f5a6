//! A histogram of latencies with fio's own bucket layout.
//!
//! 29 groups of 64 buckets, 1856 in all. Values below 128 ns have a bucket each; from there on
//! every power of two is cut into 64 equal buckets, so that a bucket's middle is within 1/128 of
//! any value in it. The last bucket ends at 2^34 ns (17.2 s) and takes everything above it, too:
//! beyond that only the exact maximum (see [`crate::Moments`]) says how long it really was. The
//! layout is that of fio 3.x (`FIO_IO_U_PLAT_BITS` 6, `FIO_IO_U_PLAT_GROUP_NR` 29); with any
//! other, JSON+ could not be exact.

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Bits of a value that a bucket index keeps below the leading one.
const BITS: u32 = 6;
/// Buckets in a group.
const GROUP: usize = 1 << BITS;
/// Number of buckets: 29 groups of 64.
pub const BUCKETS: usize = 29 * GROUP;
/// How far a value may be from the middle of its bucket, over the value.
pub const HALF_BUCKET: f64 = 1.0 / 128.0;
/// First value (ns) that no longer is inside the last bucket: 2^34.
pub const RANGE_NS: u64 = 1 << 34;

/// The bucket of a latency of `ns`; all values from 2^34 ns up share the last one.
#[inline]
pub fn index(ns: u64) -> usize {
    // With bit 6 set the first two groups (one bucket a nanosecond) need no branch of their own.
    let shift = 63 - BITS - (ns | GROUP as u64).leading_zeros();
    let index = ((shift as usize) << BITS) + (ns >> shift) as usize;
    index.min(BUCKETS - 1)
}

/// Least value (ns) of bucket `index`; indices past the last mean the last.
pub fn lower_ns(index: usize) -> u64 {
    let index = index.min(BUCKETS - 1);
    if index < 2 * GROUP {
        return index as u64;
    }
    let shift = (index >> BITS) - 1;
    ((GROUP + index % GROUP) as u64) << shift
}

/// First value (ns) above bucket `index`. The last bucket also holds what is above its end.
pub fn upper_ns(index: usize) -> u64 {
    let index = index.min(BUCKETS - 1);
    lower_ns(index) + width_ns(index)
}

/// Middle (ns) of bucket `index`: the value fio prints for it.
pub fn mid_ns(index: usize) -> u64 {
    let index = index.min(BUCKETS - 1);
    lower_ns(index) + width_ns(index) / 2
}

/// Number of values that share bucket `index`.
fn width_ns(index: usize) -> u64 {
    1 << (index >> BITS).saturating_sub(1)
}

/// Counts of latencies by bucket.
///
/// In JSON it is a sparse list `[[bucket, count], ...]` in ascending order.
#[derive(Clone, PartialEq, Eq, JsonSchema)]
#[schemars(with = "Vec<(u64, u64)>")]
pub struct Histogram {
    counts: Box<[u64; BUCKETS]>,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { counts: Box::new([0; BUCKETS]) }
    }
}

impl std::fmt::Debug for Histogram {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_map().entries(self.bins()).finish()
    }
}

impl Histogram {
    /// An empty histogram.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts one latency.
    #[inline]
    pub fn record(&mut self, ns: u64) {
        let count = &mut self.counts[index(ns)];
        *count = count.wrapping_add(1);
    }

    /// Counts `count` latencies of `ns` each.
    pub fn record_n(&mut self, ns: u64, count: u64) {
        self.add(index(ns), count);
    }

    /// Adds `count` to bucket `index`; indices past the last mean the last.
    pub fn add(&mut self, index: usize, count: u64) {
        let bucket = &mut self.counts[index.min(BUCKETS - 1)];
        *bucket = bucket.saturating_add(count);
    }

    /// Adds all counts of `other`.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.counts.iter_mut().zip(other.counts.iter()) {
            *mine = mine.saturating_add(*theirs);
        }
    }

    /// What was recorded since `earlier`, a former state of this histogram.
    pub fn since(&self, earlier: &Self) -> Self {
        let mut difference = self.clone();
        for (mine, theirs) in difference.counts.iter_mut().zip(earlier.counts.iter()) {
            *mine = mine.saturating_sub(*theirs);
        }
        difference
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.counts.fill(0);
    }

    /// Number of latencies counted.
    pub fn count(&self) -> u64 {
        self.counts.iter().fold(0, |sum, count| u64::saturating_add(sum, *count))
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.counts.iter().all(|count| *count == 0)
    }

    /// All 1856 counts, as fio's histogram logs list them.
    pub fn counts(&self) -> &[u64] {
        &self.counts[..]
    }

    /// The buckets that are not empty as `(middle_ns, count)`, ascending: fio's `bins`.
    pub fn bins(&self) -> impl Iterator<Item = (u64, u64)> {
        self.sparse().map(|(index, count)| (mid_ns(index), count))
    }

    /// The buckets that are not empty as `(index, count)`, ascending.
    pub fn sparse(&self) -> impl Iterator<Item = (usize, u64)> {
        self.counts.iter().copied().enumerate().filter(|(_, count)| *count != 0)
    }

    /// Index of the bucket that holds the percentile (0 < `percent` <= 100), `None` if empty.
    pub fn percentile_index(&self, percent: f64) -> Option<usize> {
        let need = samples_needed(percent, self.count());
        let mut sum = 0_u64;
        let mut last = None;
        for (index, count) in self.sparse() {
            sum = sum.saturating_add(count);
            last = Some(index);
            if sum >= need {
                break;
            }
        }
        last
    }

    /// The percentile (0 < `percent` <= 100) in ns as fio computes it: the middle of the first
    /// bucket up to which at least that share of the samples is. `None` if empty.
    ///
    /// Values outside the range of `percent` are clipped to it; not-a-number means 100.
    pub fn percentile_ns(&self, percent: f64) -> Option<u64> {
        self.percentile_index(percent).map(mid_ns)
    }

    /// The mean of the bucket middles (ns): within 1/128 of the exact one below 2^34 ns.
    pub fn approximate_mean_ns(&self) -> f64 {
        let (mut sum, mut n) = (0_u128, 0_u128);
        for (mid, count) in self.bins() {
            sum = sum.saturating_add(u128::from(mid) * u128::from(count));
            n += u128::from(count);
        }
        let whole = sum.checked_div(n).unwrap_or(0);
        whole as f64 + (sum - whole * n) as f64 / n.max(1) as f64
    }
}

impl Serialize for Histogram {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(self.sparse())
    }
}

impl<'de> Deserialize<'de> for Histogram {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let mut histogram = Self::new();
        for (index, count) in Vec::<(u64, u64)>::deserialize(input)? {
            if index >= BUCKETS as u64 {
                let what = format!("histogram bucket {index} of only {BUCKETS}");
                return Err(D::Error::custom(what));
            }
            histogram.add(index as usize, count);
        }
        Ok(histogram)
    }
}

/// Least number of samples that make up `percent` of `n`, with fio's own rounding.
///
/// fio tests `sum >= percent / 100 * n` in x87 long double (64-bit significand). At exact multiples
/// its roundings decide which bucket is named, so they are repeated here in integers.
pub fn samples_needed(percent: f64, n: u64) -> u64 {
    let percent = if percent > 0.0 && percent < 100.0 {
        percent
    } else if percent <= 0.0 {
        f64::MIN_POSITIVE
    } else {
        return n.max(1);
    };
    if percent < 1e-12 || n == 0 {
        // Less than one sample in 2^64 could matter; the division below would need more bits.
        return 1;
    }
    let bits = percent.to_bits();
    let significand = u128::from((bits & ((1 << 52) - 1)) | (1 << 52));
    let exponent = ((bits >> 52) & 0x7ff) as i32 - 1075;
    // percent / 100 to 64 bits: scaled by 2^74 the quotient has 120 or 121 bits, and the remainder
    // only has to be distinguished from zero.
    let scaled = significand << 74;
    let quotient = scaled / 100;
    let (ratio, ratio_exponent) = round_to_64(quotient, scaled % 100 != 0, exponent - 74);
    let (product, product_exponent) = round_to_64(ratio * u128::from(n), false, ratio_exponent);
    // The least integer that is not below product * 2^product_exponent.
    let whole = match product_exponent {
        0.. => product.checked_shl(product_exponent as u32).unwrap_or(u128::MAX),
        -127..=-1 => {
            let shift = product_exponent.unsigned_abs();
            let floor = product >> shift;
            floor + u128::from(floor << shift != product)
        }
        _ => 1,
    };
    u64::try_from(whole).unwrap_or(u64::MAX).clamp(1, n)
}

/// Rounds `value * 2^exponent` to a 64-bit significand, half to even; `sticky` says that the
/// true value is a little more.
fn round_to_64(value: u128, sticky: bool, exponent: i32) -> (u128, i32) {
    let excess = (128 - value.leading_zeros()).saturating_sub(64);
    if excess == 0 {
        return (value, exponent);
    }
    let kept = value >> excess;
    let rest = value & ((1 << excess) - 1);
    let half = 1_u128 << (excess - 1);
    let up = rest > half || (rest == half && (sticky || kept & 1 == 1));
    (kept + u128::from(up), exponent + excess as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn buckets_tile_the_range() {
        assert_eq!(lower_ns(0), 0);
        for i in 1..BUCKETS {
            assert_eq!(upper_ns(i - 1), lower_ns(i), "bucket {i}");
            assert_eq!(index(lower_ns(i)), i);
            assert_eq!(index(lower_ns(i) - 1), i - 1);
            assert_eq!(index(mid_ns(i)), i);
        }
        assert_eq!(upper_ns(BUCKETS - 1), RANGE_NS);
        assert_eq!((index(RANGE_NS - 1), index(u64::MAX)), (BUCKETS - 1, BUCKETS - 1));
    }

    #[test]
    fn percentiles_of_one_to_a_hundred() {
        let mut h = Histogram::new();
        (1..=100).for_each(|v| h.record(v));
        for (p, v) in [(1.0, 1), (50.0, 50), (99.0, 99), (99.5, 100), (100.0, 100)] {
            assert_eq!(h.percentile_ns(p), Some(v), "{p} %");
        }
        assert_eq!(Histogram::new().percentile_ns(50.0), None);
        for p in [f64::NAN, -1.0, 0.0, 1e-300, f64::INFINITY] {
            assert!(h.percentile_ns(p).is_some());
        }
    }

    #[test]
    fn rounding_is_that_of_the_long_double() {
        // 99.9 as a double is a little more than 99.9, which 64 bits show and 53 do not.
        assert_eq!(samples_needed(99.9, 1000), 1000);
        assert_eq!(samples_needed(99.5, 1000), 995);
        assert_eq!(samples_needed(50.0, 1000), 500);
        assert_eq!(samples_needed(50.0, u64::MAX), 1 << 63);
    }

    proptest! {
        #[test]
        fn error_is_below_one_in_128(ns in 0_u64..RANGE_NS) {
            let i = index(ns);
            prop_assert!(lower_ns(i) <= ns && ns < upper_ns(i));
            prop_assert!(mid_ns(i).abs_diff(ns) * 128 <= ns);
        }

        #[test]
        fn anything_can_be_recorded(ns in any::<u64>()) {
            let mut h = Histogram::new();
            h.record(ns);
            prop_assert_eq!(h.count(), 1);
            prop_assert_eq!(h.percentile_ns(50.0), Some(mid_ns(index(ns))));
        }

        #[test]
        fn merging_is_recording_together(
            a in prop::collection::vec(0_u64..1 << 40, 0..200),
            b in prop::collection::vec(0_u64..1 << 40, 0..200),
        ) {
            let fill = |values: &[u64]| {
                let (mut h, mut m) = (Histogram::new(), crate::Moments::new());
                values.iter().for_each(|v| { h.record(*v); m.record(*v); });
                (h, m)
            };
            let both = fill(&[a.clone(), b.clone()].concat());
            let (mut h, mut m) = fill(&b);
            let (ha, ma) = fill(&a);
            h.merge(&ha);
            m.merge(&ma);
            prop_assert_eq!(&(h, m), &both);
            let text = serde_json::to_string(&both.0).expect("serialises");
            let back: Histogram = serde_json::from_str(&text).expect("parses");
            prop_assert_eq!(back, both.0);
        }

        #[test]
        fn percentiles_do_not_fall(
            values in prop::collection::vec(0_u64..1 << 40, 1..300),
            p in 0.001_f64..100.0, q in 0.001_f64..100.0,
        ) {
            let mut h = Histogram::new();
            values.iter().for_each(|v| h.record(*v));
            let (low, high) = (p.min(q), p.max(q));
            prop_assert!(h.percentile_ns(low) <= h.percentile_ns(high));
        }
    }
}
