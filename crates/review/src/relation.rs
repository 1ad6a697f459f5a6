//! Numbers as several seeds give them, and whether one is above or below another.

use super::claim::Op;
use super::spread::Spread;

/// Least difference that is one for `<` and `>`, as a share of the limit: that a RAID 10 reads
/// 0.001 % slower than a RAID 0 says that it does not.
const LEAST_DIFFERENCE: f64 = 0.005;

/// A number under each seed, and half the width of the 95 % interval that its run knows it by.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sample {
    values: Vec<f64>,
    own: Vec<f64>,
}

impl FromIterator<(f64, f64)> for Sample {
    fn from_iter<I: IntoIterator<Item = (f64, f64)>>(pairs: I) -> Self {
        let (values, own) = pairs.into_iter().unzip();
        Sample { values, own }
    }
}

impl Sample {
    /// A number that every seed has.
    pub fn exact(value: f64, seeds: usize) -> Self {
        Sample { values: vec![value; seeds], own: vec![0.0; seeds] }
    }

    /// How many seeds there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Mean and interval over the seeds.
    pub fn spread(&self) -> Spread {
        Spread::of(&self.values).of_runs(&self.own)
    }

    /// What the seeds scatter alone: that is what more of them improve.
    pub fn scatter(&self) -> Spread {
        Spread::of(&self.values)
    }

    /// The same in another unit, by a linear function without an offset.
    pub fn map(&self, unit: impl Fn(f64) -> f64) -> Self {
        let each = |values: &[f64]| values.iter().map(|&value| unit(value)).collect();
        Sample { values: each(&self.values), own: each(&self.own) }
    }

    /// So many times as much.
    pub fn times(&self, factor: f64) -> Self {
        self.map(|value| factor * value)
    }

    /// The quotient under each seed.
    pub fn over(&self, divisors: &Sample) -> Self {
        self.pairs(divisors).map(|(one, other)| quotient(one, other)).collect()
    }

    fn minus(&self, other: &Sample) -> Self {
        let less = |(a, b): ((f64, f64), (f64, f64))| (a.0 - b.0, a.1.hypot(b.1));
        self.pairs(other).map(less).collect()
    }

    fn pairs<'a>(
        &'a self,
        other: &'a Sample,
    ) -> impl Iterator<Item = ((f64, f64), (f64, f64))> + 'a {
        let each =
            |sample: &'a Sample| sample.values.iter().copied().zip(sample.own.iter().copied());
        each(self).zip(each(other))
    }
}

/// A quotient, and how well it is known.
pub(super) fn quotient((a, wide_a): (f64, f64), (b, wide_b): (f64, f64)) -> (f64, f64) {
    let value = a / b;
    let share = (wide_a / a).hypot(wide_b / b);
    (value, if share.is_finite() { (value * share).abs() } else { 0.0 })
}

/// Whether a relation holds beyond what the seeds scatter: of the differences of the two sides, and
/// of their quotients where they are to be about equal. What is to be less or greater is so by the
/// least difference.
pub(super) fn relation(op: Op, left: &Sample, limits: &Sample, tolerance: f64) -> Option<bool> {
    let (less, more) = (left.minus(limits).spread(), limits.minus(left).spread());
    let least = LEAST_DIFFERENCE * limits.spread().mean.abs();
    match op {
        Op::Less => less.below(-least),
        Op::Greater => more.below(-least),
        Op::AtMost => less.within(f64::NEG_INFINITY, 0.0),
        Op::AtLeast => more.within(f64::NEG_INFINITY, 0.0),
        Op::About if limits.values.contains(&0.0) => less.within(0.0, 0.0),
        Op::About => left.over(limits).spread().within(1.0 - tolerance, 1.0 + tolerance),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(values: &[f64]) -> Sample {
        values.iter().map(|&value| (value, 0.0)).collect()
    }

    #[test]
    fn a_difference_that_is_none_is_neither_less_nor_greater() {
        let (one, other) = (sample(&[14187.51; 3]), sample(&[14187.62; 3]));
        assert_eq!(relation(Op::Less, &one, &other, 0.0), Some(false));
        assert_eq!(relation(Op::Greater, &other, &one, 0.0), Some(false));
        assert_eq!(relation(Op::AtMost, &one, &other, 0.0), Some(true));
        assert_eq!(relation(Op::Less, &sample(&[99.4; 3]), &sample(&[100.0; 3]), 0.0), Some(true));
        assert_eq!(relation(Op::Less, &sample(&[99.6; 3]), &sample(&[100.0; 3]), 0.0), Some(false));
    }

    /// Percentiles of one class of a histogram do not scatter, and are known no better than it is
    /// wide.
    #[test]
    fn what_a_run_knows_of_itself_counts() {
        let wide = |value: f64| -> Sample { [(value, 3.0); 3].into_iter().collect() };
        assert_eq!(relation(Op::Less, &wide(97.0), &wide(99.0), 0.0), None);
        assert_eq!(relation(Op::Less, &wide(90.0), &wide(99.0), 0.0), Some(true));
        let ratio = wide(90.0).over(&wide(99.0)).spread();
        assert!((ratio.half_width - 0.0244).abs() < 1e-3, "{ratio:?}");
    }

    #[test]
    fn the_sides_of_a_seed_belong_together() {
        let (left, right) = (sample(&[10.0, 20.0, 30.0]), sample(&[11.0, 21.0, 31.0]));
        assert_eq!(relation(Op::Less, &left, &right, 0.0), Some(true));
        assert_eq!(relation(Op::About, &left, &right.times(1.0), 0.2), Some(true));
    }
}
