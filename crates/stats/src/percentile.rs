//! How far a percentile can be trusted.
//!
//! The interval of a quantile needs no assumption about the distribution: how many of n independent
//! samples are below the true p-quantile is binomial (n, p), so two order statistics enclose it
//! with a known probability (the standard order-statistic interval, e.g. David and Nagaraja, *Order
//! Statistics*, section 7.1). Latencies of one drive are correlated in time (a collection delays
//! many commands in a row), so the true interval is wider: the one here is a lower bound of the
//! uncertainty.

use crate::histogram::{self, Histogram};
use crate::moments::Moments;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Samples that must be beyond a percentile for it to be more than the luck of a few.
pub const BEYOND_LEAST: f64 = 10.0;

/// Probability left on each side of the 95 % interval.
const TAIL: f64 = 0.025;
/// The 97.5 % quantile of the normal distribution.
pub const NORMAL_975: f64 = 1.959_963_984_540_054;
/// Variance from which the binomial is taken as normal: the ranks are then within one of exact.
const NORMAL_FROM: f64 = 10_000.0;

/// Expected number of `n` samples on the thinner side of the percentile (0 to 100).
pub fn samples_beyond(percent: f64, n: u64) -> f64 {
    let percent = clip(percent);
    n as f64 * percent.min(100.0 - percent) / 100.0
}

/// Whether at least ten of `n` samples are expected beyond the percentile: 1000 for 99 %, ten
/// million for 99.9999 %. Never for 100 %, which is the maximum of the run and nothing else.
pub fn enough_samples(percent: f64, n: u64) -> bool {
    // 100 - 99.9 is a little less than 0.1: forgive the rounding of the subtraction.
    samples_beyond(percent, n) >= BEYOND_LEAST * (1.0 - 1e-9)
}

/// Least number of samples with which [`enough_samples`] is content; `None` for 0 and 100 %.
pub fn samples_for(percent: f64) -> Option<u64> {
    let percent = clip(percent);
    let share = percent.min(100.0 - percent) / 100.0;
    (share > 0.0).then(|| libm::ceil(BEYOND_LEAST * (1.0 - 1e-9) / share) as u64)
}

/// A percentile with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PercentileEstimate {
    /// Which, percent.
    pub percent: f64,
    /// Its value, ns, as fio computes it.
    pub value_ns: u64,
    /// Lower end of the 95 % interval, ns; `None` if there are too few samples for one.
    pub low_ns: Option<u64>,
    /// Upper end of the 95 % interval, ns; `None` if there are too few samples for one.
    pub high_ns: Option<u64>,
    /// Number of samples.
    pub n: u64,
    /// See [`enough_samples`].
    pub enough: bool,
}

impl PercentileEstimate {
    /// The percentile (0 < `percent` <= 100) of a histogram, `None` if it is empty.
    ///
    /// The ends of the interval are the outer ends of their buckets, so that the width of the
    /// buckets is part of the doubt; `moments` of the same samples, where given, clip them to
    /// what really occurred.
    pub fn new(histogram: &Histogram, moments: Option<&Moments>, percent: f64) -> Option<Self> {
        let n = histogram.count();
        let value_ns = histogram.percentile_ns(percent)?;
        let (low, high) = interval_ranks(percent, n);
        let (least, greatest) = moments
            .filter(|moments| moments.n == n)
            .map_or((0, u64::MAX), |moments| (moments.least(), moments.max));
        let low_bucket = low.and_then(|rank| bucket_of_rank(histogram, rank));
        let high_bucket = high.and_then(|rank| bucket_of_rank(histogram, rank));
        let end = |index| match index {
            // What is in the last bucket may be longer than any bucket.
            _ if index + 1 == histogram::BUCKETS => greatest,
            _ => (histogram::upper_ns(index) - 1).min(greatest),
        };
        Some(Self {
            percent,
            value_ns,
            // The value is that of a bucket, which what occurred in it may not reach.
            low_ns: low_bucket.map(|index| histogram::lower_ns(index).max(least).min(value_ns)),
            high_ns: high_bucket.map(|index| end(index).max(value_ns)),
            n,
            enough: enough_samples(percent, n),
        })
    }
}

/// Ranks (from 1) of the order statistics that enclose the percentile with at least 95 %
/// probability, each side missing with at most 2.5 %; `None` where no sample is extreme enough.
pub fn interval_ranks(percent: f64, n: u64) -> (Option<u64>, Option<u64>) {
    let percent = clip(percent);
    // Count on the thinner side: there the terms are few, whatever n is.
    let mirrored = percent > 50.0;
    let share = if mirrored { (100.0 - percent) / 100.0 } else { percent / 100.0 };
    if n == 0 || share <= 0.0 {
        return (None, None);
    }
    let (low, high) = binomial_ranks(share, n);
    if mirrored {
        // The k-th smallest is the (n + 1 - k)-th largest.
        (high.map(|rank| n + 1 - rank), low.map(|rank| n + 1 - rank))
    } else {
        (low, high)
    }
}

/// Greatest `l` with P(B < l) <= 2.5 % and least `u` with P(B >= u) <= 2.5 %, for B binomial
/// (`n`, `share`) with `share` <= 0.5; `None` outside 1 to n.
fn binomial_ranks(share: f64, n: u64) -> (Option<u64>, Option<u64>) {
    let mean = n as f64 * share;
    let variance = mean * (1.0 - share);
    let inside = |rank: f64| (rank >= 1.0 && rank <= n as f64).then_some(rank as u64);
    if variance >= NORMAL_FROM {
        let reach = NORMAL_975 * libm::sqrt(variance);
        return (inside(libm::floor(mean - reach + 0.5)), inside(libm::ceil(mean + reach + 0.5)));
    }
    let odds = share / (1.0 - share);
    let mode = (libm::floor((n as f64 + 1.0) * share) as u64).min(n);
    // Terms relative to the greatest one, outwards until they vanish; nothing under- or overflows.
    let mut below = Vec::new();
    let (mut k, mut term) = (mode, 1.0_f64);
    while k > 0 && term > 1e-18 {
        term *= k as f64 / ((n - k + 1) as f64 * odds);
        k -= 1;
        below.push(term);
    }
    let first = k;
    let mut terms: Vec<f64> = below.into_iter().rev().collect();
    terms.push(1.0);
    let (mut k, mut term) = (mode, 1.0_f64);
    while k < n && term > 1e-18 {
        term *= (n - k) as f64 * odds / (k + 1) as f64;
        k += 1;
        terms.push(term);
    }
    let allowed = TAIL * terms.iter().sum::<f64>();
    let low = first + tail_terms(terms.iter(), allowed);
    let high = first + terms.len() as u64 - tail_terms(terms.iter().rev(), allowed);
    (inside(low as f64), inside(high as f64))
}

/// How many terms, from the outside, may be left out before their sum exceeds `allowed`.
fn tail_terms<'a>(terms: impl Iterator<Item = &'a f64>, allowed: f64) -> u64 {
    let mut sum = 0.0;
    terms
        .take_while(|term| {
            sum += **term;
            sum <= allowed
        })
        .count() as u64
}

/// The bucket of the `rank`-th smallest sample (from 1).
fn bucket_of_rank(histogram: &Histogram, rank: u64) -> Option<usize> {
    let mut sum = 0_u64;
    histogram.sparse().find_map(|(index, count)| {
        sum = sum.saturating_add(count);
        (sum >= rank).then_some(index)
    })
}

/// A percentage within 0 to 100; not-a-number means 100.
fn clip(percent: f64) -> f64 {
    if percent.is_nan() { 100.0 } else { percent.clamp(0.0, 100.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Also where all samples lie on one side of what their bucket is called.
    #[test]
    fn an_interval_holds_its_value() {
        for start in [17_700, 18_053, 18_100] {
            let mut histogram = Histogram::default();
            let mut moments = Moments::default();
            for latency in (0..2000).map(|n| start + n % 90) {
                histogram.record(latency);
                moments.record(latency);
            }
            for percent in [0.5, 50.0, 99.9, 99.999] {
                let of = PercentileEstimate::new(&histogram, Some(&moments), percent).unwrap();
                assert!(of.low_ns.is_none_or(|low| low <= of.value_ns), "{of:?}");
                assert!(of.high_ns.is_none_or(|high| high >= of.value_ns), "{of:?}");
            }
        }
    }

    #[test]
    fn ranks_of_published_tables() {
        // Binomial (10, 1/2): P(B < 2) = 1.07 %, P(B < 3) = 5.5 %: the 2nd and the 9th.
        assert_eq!(interval_ranks(50.0, 10), (Some(2), Some(9)));
        // Five samples say nothing about their median with 95 %: 2 / 2^5 = 6.25 %; six do.
        assert_eq!(interval_ranks(50.0, 5), (None, None));
        assert_eq!(interval_ranks(50.0, 6), (Some(1), Some(6)));
        // Nothing above the 99 % quantile among 100: P(B = 0) = 0.99^100 = 37 %.
        assert_eq!(interval_ranks(99.0, 100).1, None);
    }

    #[test]
    fn the_normal_case_meets_the_exact_one() {
        // Just below and above the limit the ranks, relative to the mean, agree within two.
        let offset = |n: u64| {
            let (low, high) = interval_ranks(50.0, n);
            let mean = n as f64 / 2.0;
            (low.map_or(0.0, |l| mean - l as f64), high.map_or(0.0, |h| h as f64 - mean))
        };
        let (exact, normal) = (offset(39_996), offset(40_004));
        assert!((exact.0 - normal.0).abs() <= 2.0, "{exact:?} {normal:?}");
        assert!((exact.1 - normal.1).abs() <= 2.0, "{exact:?} {normal:?}");
    }

    #[test]
    fn six_nines_want_ten_million() {
        assert!(!enough_samples(99.9999, 9_990_000));
        assert!(enough_samples(99.9999, 10_000_001));
        assert!(enough_samples(99.0, 1_000) && !enough_samples(99.0, 999));
        assert!(!enough_samples(100.0, u64::MAX));
        assert_eq!((samples_for(99.9), samples_for(100.0)), (Some(10_000), None));
        for p in [f64::NAN, -5.0, 200.0] {
            assert!(!enough_samples(p, 10));
            let _ = interval_ranks(p, u64::MAX);
        }
    }

    proptest! {
        #[test]
        fn the_value_is_in_its_interval(
            values in prop::collection::vec(0_u64..1 << 36, 1..400), percent in 0.01_f64..100.0,
        ) {
            let (mut h, mut m) = (Histogram::new(), Moments::new());
            values.iter().for_each(|v| { h.record(*v); m.record(*v); });
            let e = PercentileEstimate::new(&h, Some(&m), percent).expect("not empty");
            let bucket = histogram::index(e.value_ns);
            if let Some(low) = e.low_ns {
                prop_assert!(histogram::index(low) <= bucket);
            }
            if let Some(high) = e.high_ns {
                prop_assert!(histogram::index(high) >= bucket);
            }
        }

        #[test]
        fn ranks_are_ordered_and_inside(percent in 0.0_f64..=100.0, n in 0_u64..1 << 50) {
            let (low, high) = interval_ranks(percent, n);
            if let (Some(low), Some(high)) = (low, high) {
                prop_assert!(1 <= low && low < high && high <= n);
            }
        }
    }
}
