//! What is fitted to what: figures with their uncertainty, and what gives them at a point.

use super::parameter::Parameter;

/// A measured figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// Its name.
    pub id: String,
    /// The measured value, not zero; any unit, the same as that of what is seen.
    pub value: f64,
    /// Its relative standard uncertainty: rounding, buckets, samples.
    pub sigma: f64,
}

/// A figure as a model gives it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    /// The value.
    pub value: f64,
    /// Its relative standard uncertainty: samples, buckets. Zero if it is exact.
    pub noise: f64,
}

/// Of each point the figures under each seed; `None` where the model cannot be built.
pub type Repeated = Vec<Option<Vec<Vec<Seen>>>>;

/// What gives the figures at points: the simulation, or a stand-in in a test.
pub trait Simulate {
    /// Why a simulation went wrong.
    type Error;

    /// The figures at each point, in the order of [`Problem::figures`]; `None` where the model
    /// cannot be built. Points are values of the parameters, in their order, already settled
    /// ([`Parameter::settle`]). Equal points give equal figures.
    ///
    /// # Errors
    /// What ends the whole fit.
    fn simulate(&self, points: &[Vec<f64>]) -> Result<Vec<Option<Vec<Seen>>>, Self::Error>;

    /// The figures at each point under `repeats` seeds that [`Simulate::simulate`] does not use,
    /// the same ones at every point and in every call. What has no seeds gives the same each time.
    ///
    /// # Errors
    /// What ends the whole fit.
    fn repeat(&self, points: &[Vec<f64>], repeats: usize) -> Result<Repeated, Self::Error> {
        let seen = self.simulate(points)?.into_iter();
        Ok(seen.map(|seen| seen.map(|seen| vec![seen; repeats])).collect())
    }

    /// Hears what is done next.
    fn stage(&self, what: &str) {
        let _ = what;
    }
}

/// Free parameters and the figures that are to fix them.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// The figures.
    pub figures: Vec<Wanted>,
}

/// The furthest a figure is followed, as a natural logarithm: a model that misses by a factor of
/// twenty thousand is as wrong as one can be, and one that cannot be built is as wrong as that.
const FURTHEST: f64 = 10.0;

impl Problem {
    /// The values with which it begins.
    pub fn start(&self) -> Vec<f64> {
        self.parameters.iter().map(|p| p.settle(p.start.number)).collect()
    }

    /// Logarithm of simulated over measured, for each figure. Near zero it is the relative error;
    /// further away it is even for factors up and down, which a relative error is not.
    pub(super) fn misses(&self, seen: Option<&[Seen]>) -> Vec<f64> {
        let Some(seen) = seen else { return vec![FURTHEST; self.figures.len()] };
        self.figures.iter().zip(seen).map(|(wanted, seen)| miss(wanted.value, seen.value)).collect()
    }

    /// The misses, each over the uncertainty of its figure.
    pub(super) fn residuals(&self, seen: &[Seen], sigma: &[f64]) -> Vec<f64> {
        self.misses(Some(seen)).iter().zip(sigma).map(|(miss, sigma)| miss / sigma).collect()
    }

    /// The sum of their squares.
    pub(super) fn squares(&self, seen: &[Seen], sigma: &[f64]) -> f64 {
        self.residuals(seen, sigma).iter().map(|r| r * r).sum()
    }

    /// The same problem without some of its parameters.
    pub(super) fn only(&self, keep: &[usize]) -> Problem {
        let parameters = keep.iter().map(|j| self.parameters[*j].clone()).collect();
        Problem { parameters, figures: self.figures.clone() }
    }
}

fn miss(wanted: f64, seen: f64) -> f64 {
    let ratio = seen / wanted;
    match ratio > 0.0 {
        true => libm::log(ratio).clamp(-FURTHEST, FURTHEST),
        false => -FURTHEST,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_miss_is_the_relative_error_near_zero_and_even_for_factors() {
        assert!((miss(100.0, 101.0) - 0.00995).abs() < 1e-5);
        assert_eq!(miss(1.0, 4.0), -miss(4.0, 1.0));
        for impossible in [0.0, -1.0, f64::NAN] {
            assert_eq!(miss(1.0, impossible), -FURTHEST);
        }
    }
}
