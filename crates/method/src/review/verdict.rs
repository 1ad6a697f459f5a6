//! When a figure counts as reproduced.

use serde::Serialize;

use super::figure::Basis;
use super::metric::Bound;

/// Largest relative error of a fitted figure that still hits.
pub const FITTED_WITHIN: f64 = 0.05;

/// Largest relative error of a predicted figure that still hits.
pub const PREDICTED_WITHIN: f64 = 0.15;

/// A bound that is kept by more than this factor says little about the model.
pub const BOUND_FAR: f64 = 1.5;

/// Room for the rounding of floating point, so that exactly 5 % is within 5 %.
const SLACK: f64 = 1e-9;

/// What became of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Fitted or predicted, within the aim.
    Hit,
    /// Fitted or predicted, outside the aim.
    Miss,
    /// A bound that is kept.
    Held,
    /// A bound that is broken.
    Failed,
    /// The model contains the published value, to its last digit.
    Input,
    /// The model contains another value.
    Differs,
    /// The model says nothing about it.
    NotModelled,
    /// It could not be run, or its run went wrong.
    NotRun,
}

impl Verdict {
    /// The verdict on a simulated value; both values in one unit, `rounding` half of the last
    /// digit published.
    pub fn of(
        basis: Basis,
        bound: Option<Bound>,
        published: f64,
        simulated: f64,
        rounding: f64,
    ) -> Self {
        let room = SLACK * published.abs();
        let hit = |within: f64| match relative_error(published, simulated) {
            Some(error) if error <= within + SLACK => Verdict::Hit,
            _ => Verdict::Miss,
        };
        match (basis, bound) {
            (Basis::NotModelled, _) => Verdict::NotModelled,
            (_, Some(Bound::Min)) if simulated >= published - room => Verdict::Held,
            (_, Some(Bound::Max)) if simulated <= published + room => Verdict::Held,
            (_, Some(_)) => Verdict::Failed,
            (Basis::Input, None) if (simulated - published).abs() <= rounding + room => {
                Verdict::Input
            }
            (Basis::Input, None) => Verdict::Differs,
            (Basis::Fitted, None) => hit(FITTED_WITHIN),
            (Basis::Predicted, None) => hit(PREDICTED_WITHIN),
        }
    }
}

/// Distance of the simulated from the published value as a fraction of the latter.
pub fn relative_error(published: f64, simulated: f64) -> Option<f64> {
    ratio(published, simulated).map(|ratio| (ratio - 1.0).abs())
}

/// Simulated over published, unless that is not a number.
pub fn ratio(published: f64, simulated: f64) -> Option<f64> {
    let ratio = simulated / published;
    ratio.is_finite().then_some(ratio)
}

/// What to say of a bound that is kept so easily that it tests nothing.
pub fn far_from_bound(bound: Bound, published: f64, simulated: f64) -> Option<String> {
    let ratio = ratio(published, simulated)?;
    let (far, side) = match bound {
        Bound::Min => (ratio > BOUND_FAR, "above"),
        Bound::Max => (ratio < 1.0 / BOUND_FAR, "below"),
    };
    far.then(|| format!("the bound says little: the simulated value lies far {side} it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(basis: Basis, bound: Option<Bound>, simulated: f64) -> Verdict {
        Verdict::of(basis, bound, 100.0, simulated, 0.5)
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
    fn an_input_agrees_to_the_last_published_digit() {
        assert_eq!(verdict(Basis::Input, None, 100.5), Verdict::Input);
        assert_eq!(verdict(Basis::Input, None, 100.6), Verdict::Differs);
    }

    #[test]
    fn a_bound_kept_by_half_as_much_again_says_little() {
        assert_eq!(far_from_bound(Bound::Min, 100.0, 150.0), None);
        assert!(far_from_bound(Bound::Min, 100.0, 150.1).is_some());
        assert_eq!(far_from_bound(Bound::Max, 150.0, 100.0), None);
        assert!(far_from_bound(Bound::Max, 150.0, 99.9).is_some());
    }

    #[test]
    fn nothing_can_be_compared_with_zero() {
        assert_eq!(ratio(0.0, 5.0), None);
        assert_eq!(Verdict::of(Basis::Predicted, None, 0.0, 5.0, 0.5), Verdict::Miss);
        assert_eq!(Verdict::of(Basis::Predicted, None, 1.0, f64::NAN, 0.5), Verdict::Miss);
    }
}
