//! When a figure counts as reproduced.

use super::spread::Spread;
use answer::reproduction::{Basis, Verdict};
use metric::Bound;

/// Largest error of a fitted figure that still hits.
pub const FITTED_WITHIN: f64 = 0.05;

/// Largest error of a predicted figure that still hits.
pub const PREDICTED_WITHIN: f64 = 0.15;

/// A bound that is kept by more than this factor says little about the model.
pub const BOUND_FAR: f64 = 1.5;

/// Room for the rounding of floating point, so that exactly 5 % is within 5 %.
const SLACK: f64 = 1e-9;

/// The published side of a comparison; all in one unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Published {
    /// The number, or the lower end of a range.
    pub value: f64,
    /// The upper end of a range.
    pub high: Option<f64>,
    /// Whether the number is a limit.
    pub bound: Option<Bound>,
    /// Half of the last digit published.
    pub rounding: f64,
    /// Of a ratio: what one side being as large as the other is.
    pub one: Option<f64>,
}

impl Published {
    /// The verdict on a simulated value.
    pub fn verdict(&self, basis: Basis, simulated: Spread) -> Verdict {
        let room = SLACK * self.value.abs();
        let kept = |within: Option<bool>| match within {
            Some(true) => Verdict::Held,
            Some(false) => Verdict::Failed,
            None => Verdict::Open,
        };
        match (basis, self.bound, self.high) {
            (Basis::NotModelled, ..) => Verdict::NotModelled,
            (_, _, Some(high)) => {
                kept(simulated.within(self.value - room, high + SLACK * high.abs()))
            }
            (_, Some(Bound::Min), _) => kept(simulated.within(self.value - room, f64::INFINITY)),
            (_, Some(Bound::Max), _) => {
                kept(simulated.within(f64::NEG_INFINITY, self.value + room))
            }
            (Basis::Input, ..) => {
                let room = self.rounding + room;
                match simulated.within(self.value - room, self.value + room) {
                    Some(false) => Verdict::Differs,
                    Some(true) | None => Verdict::Input,
                }
            }
            (Basis::Fitted, ..) => self.hit(FITTED_WITHIN, simulated),
            (Basis::Predicted, ..) => self.hit(PREDICTED_WITHIN, simulated),
        }
    }

    fn hit(&self, aim: f64, simulated: Spread) -> Verdict {
        let Some(whole) = self.whole() else { return Verdict::Miss };
        // The distance of a ratio from 1 may be less than the digits that were published.
        let least = self.one.map_or(0.0, |_| self.rounding);
        let room = ((aim + SLACK) * whole).max(least) + SLACK * self.value.abs();
        match simulated.within(self.value - room, self.value + room) {
            Some(true) => Verdict::Hit,
            Some(false) => Verdict::Miss,
            None => Verdict::Open,
        }
    }

    /// The error of a simulated value as a fraction, with its sign; a limit has none.
    pub fn error(&self, simulated: f64) -> Option<f64> {
        if self.bound.is_some() || self.high.is_some() {
            return None;
        }
        let error = (simulated - self.value) / self.whole()?;
        error.is_finite().then_some(error)
    }

    /// What errors are fractions of: the published number, and of a ratio its distance from 1 if
    /// that is less. A model that knows no difference has an error of 100 % then, however near to
    /// 1 the ratio is. A published ratio of 1 is a number like others.
    fn whole(&self) -> Option<f64> {
        let size = self.value.abs();
        let distance = self.one.map(|one| (self.value - one).abs()).filter(|away| *away > 0.0);
        Some(distance.map_or(size, |away| away.min(size))).filter(|whole| *whole > 0.0)
    }

    /// What to say of a bound that is kept so easily that it tests nothing.
    pub fn far(&self, simulated: f64) -> Option<String> {
        let ratio = ratio(self.value, simulated)?;
        let (far, side) = match self.bound? {
            Bound::Min => (ratio > BOUND_FAR, "above"),
            Bound::Max => (ratio < 1.0 / BOUND_FAR, "below"),
        };
        far.then(|| format!("the bound says little: the simulated value lies far {side} it"))
    }
}

/// Simulated over published, unless that is not a number.
pub(super) fn ratio(published: f64, simulated: f64) -> Option<f64> {
    let ratio = simulated / published;
    ratio.is_finite().then_some(ratio)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Published =
        Published { value: 100.0, high: None, bound: None, rounding: 0.5, one: None };

    fn exact(value: f64) -> Spread {
        Spread { mean: value, half_width: 0.0 }
    }

    fn verdict(basis: Basis, bound: Option<Bound>, simulated: f64) -> Verdict {
        Published { bound, ..PLAIN }.verdict(basis, exact(simulated))
    }

    #[test]
    fn a_fitted_figure_hits_within_five_percent() {
        for (simulated, wanted) in [
            (95.0, Verdict::Hit),
            (105.0, Verdict::Hit),
            (94.99, Verdict::Miss),
            (105.01, Verdict::Miss),
        ] {
            assert_eq!(verdict(Basis::Fitted, None, simulated), wanted, "{simulated}");
        }
    }

    #[test]
    fn a_predicted_figure_hits_within_fifteen_percent() {
        for (simulated, wanted) in [
            (85.0, Verdict::Hit),
            (115.0, Verdict::Hit),
            (84.99, Verdict::Miss),
            (115.01, Verdict::Miss),
        ] {
            assert_eq!(verdict(Basis::Predicted, None, simulated), wanted, "{simulated}");
        }
    }

    #[test]
    fn a_bound_is_held_up_to_its_value_whatever_its_basis() {
        for basis in [Basis::Fitted, Basis::Predicted, Basis::Input] {
            assert_eq!(verdict(basis, Some(Bound::Min), 100.0), Verdict::Held);
            assert_eq!(verdict(basis, Some(Bound::Min), 99.9), Verdict::Failed);
            assert_eq!(verdict(basis, Some(Bound::Min), 1e9), Verdict::Held);
            assert_eq!(verdict(basis, Some(Bound::Max), 100.0), Verdict::Held);
            assert_eq!(verdict(basis, Some(Bound::Max), 100.1), Verdict::Failed);
        }
    }

    #[test]
    fn an_interval_across_the_limit_decides_nothing() {
        let with = |bound, high, mean| {
            let published = Published { bound, high, ..PLAIN };
            published.verdict(Basis::Predicted, Spread { mean, half_width: 2.0 })
        };
        for (mean, wanted) in [
            (100.0, Verdict::Hit),
            (113.0, Verdict::Hit),
            (114.0, Verdict::Open),
            (116.0, Verdict::Open),
            (117.1, Verdict::Miss),
            (82.0, Verdict::Miss),
        ] {
            assert_eq!(with(None, None, mean), wanted, "{mean}");
        }
        let min = Some(Bound::Min);
        assert_eq!(with(min, None, 102.0), Verdict::Held);
        assert_eq!((with(min, None, 101.0), with(min, None, 99.0)), (Verdict::Open, Verdict::Open));
        assert_eq!(with(min, None, 97.9), Verdict::Failed);
        assert_eq!(with(Some(Bound::Max), None, 98.0), Verdict::Held);
        let range = |mean| with(None, Some(120.0), mean);
        assert_eq!([range(110.0), range(119.0), range(123.0)], {
            [Verdict::Held, Verdict::Open, Verdict::Failed]
        });
        assert_eq!(range(97.0), Verdict::Failed);
    }

    /// A model that knows no difference between two drives must not hit what they differ by.
    #[test]
    fn a_ratio_is_judged_by_its_distance_from_one() {
        let of = |value: f64| Published { value, one: Some(1.0), rounding: 0.005, ..PLAIN };
        let hit =
            |value: f64, simulated: f64| of(value).verdict(Basis::Predicted, exact(simulated));
        assert_eq!(hit(1.15, 1.0), Verdict::Miss);
        assert_eq!(of(1.15).error(1.0).map(|error| (error * 1e6).round() / 1e6), Some(-1.0));
        assert_eq!((hit(1.15, 1.172), hit(1.15, 1.173)), (Verdict::Hit, Verdict::Miss));
        assert_eq!((hit(17.0, 19.4), hit(17.0, 19.5)), (Verdict::Hit, Verdict::Miss));
        // Never gentler than for another number: twice a tenth is not a hit, although it is close
        // to 1.
        assert_eq!((hit(0.1, 0.2), hit(0.5, 0.56)), (Verdict::Miss, Verdict::Hit));
        // What was published as 1.02 may be 1.015.
        assert_eq!((hit(1.02, 1.015), hit(1.02, 1.01)), (Verdict::Hit, Verdict::Miss));
        assert_eq!((hit(1.0, 1.14), hit(1.0, 1.16)), (Verdict::Hit, Verdict::Miss));
        // In percent 1 is 100.
        let percent = Published { value: 115.0, one: Some(100.0), ..PLAIN };
        assert_eq!(percent.verdict(Basis::Predicted, exact(100.0)), Verdict::Miss);
    }

    #[test]
    fn an_input_agrees_to_the_last_published_digit() {
        assert_eq!(verdict(Basis::Input, None, 100.5), Verdict::Input);
        assert_eq!(verdict(Basis::Input, None, 100.6), Verdict::Differs);
        let about = |mean, half_width| PLAIN.verdict(Basis::Input, Spread { mean, half_width });
        assert_eq!([about(100.6, 0.09), about(100.6, 0.11)], [Verdict::Differs, Verdict::Input]);
    }

    #[test]
    fn a_bound_kept_by_half_as_much_again_says_little() {
        let far = |bound, value, simulated| {
            Published { bound: Some(bound), value, ..PLAIN }.far(simulated).is_some()
        };
        assert!(!far(Bound::Min, 100.0, 150.0) && far(Bound::Min, 100.0, 150.1));
        assert!(!far(Bound::Max, 150.0, 100.0) && far(Bound::Max, 150.0, 99.9));
        assert_eq!(PLAIN.far(1e9), None);
    }

    #[test]
    fn nothing_can_be_compared_with_zero() {
        assert_eq!(ratio(0.0, 5.0), None);
        let zero = Published { value: 0.0, ..PLAIN };
        assert_eq!(zero.verdict(Basis::Predicted, exact(5.0)), Verdict::Miss);
        assert_eq!(zero.error(5.0), None);
        assert_eq!(PLAIN.verdict(Basis::Predicted, exact(f64::NAN)), Verdict::Miss);
    }
}
