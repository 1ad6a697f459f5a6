//! Weights of draws, and what the draws say with them.

use nalgebra::{DMatrix, DVector};

/// The share of each draw in all of them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Weighted {
    shares: Vec<f64>,
}

/// Halvings that find how flat likelihoods must be.
const HALVINGS: usize = 30;

impl Weighted {
    /// From the logarithm of each weight; a draw without one counts nothing. `None` if none counts.
    pub(super) fn of_logarithms(logarithms: impl Iterator<Item = Option<f64>>) -> Option<Self> {
        let each: Vec<f64> = logarithms.map(|one| one.unwrap_or(f64::NEG_INFINITY)).collect();
        let most = each.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if !most.is_finite() {
            return None;
        }
        let weights: Vec<f64> = each.iter().map(|one| libm::exp(one - most)).collect();
        let sum: f64 = weights.iter().sum();
        Some(Weighted { shares: weights.iter().map(|weight| weight / sum).collect() })
    }

    /// The shares, which sum to one.
    pub(super) fn shares(&self) -> &[f64] {
        &self.shares
    }

    /// Draws of equal weight that would say as much (Kish, Survey Sampling, 1965).
    pub(super) fn effective(&self) -> f64 {
        1.0 / self.shares.iter().map(|share| share * share).sum::<f64>()
    }

    /// Mean and variance; that of the draws is smaller by what their own mean takes up.
    pub(super) fn of(&self, values: &[f64]) -> (f64, f64) {
        let mean: f64 = self.shares.iter().zip(values).map(|(share, value)| share * value).sum();
        let square = |(share, value): (&f64, &f64)| share * (value - mean) * (value - mean);
        let square: f64 = self.shares.iter().zip(values).map(square).sum();
        (mean, square * self.unbiased())
    }

    /// Mean and covariance.
    pub(super) fn of_vectors(&self, vectors: &[&DVector<f64>]) -> (DVector<f64>, DMatrix<f64>) {
        let count = vectors.first().map_or(0, |vector| vector.len());
        let mut mean = DVector::zeros(count);
        for (share, vector) in self.shares.iter().zip(vectors) {
            mean += *vector * *share;
        }
        let mut covariance = DMatrix::zeros(count, count);
        for (share, vector) in self.shares.iter().zip(vectors) {
            let off = *vector - &mean;
            covariance += &off * off.transpose() * *share;
        }
        (mean, covariance * self.unbiased())
    }

    /// Bessel's factor for weights.
    fn unbiased(&self) -> f64 {
        let effective = self.effective();
        if effective > 1.0 { effective / (effective - 1.0) } else { 1.0 }
    }
}

/// Weights of which at least so many draws count: the likelihoods to the power of the largest
/// share, up to one, that leaves so many. `None` if even without likelihoods fewer count.
pub(super) fn tempered(least: f64, weigh: impl Fn(f64) -> Option<Weighted>) -> Option<Weighted> {
    let enough = |share: f64| weigh(share).filter(|weighted| weighted.effective() >= least);
    if let Some(whole) = enough(1.0) {
        return Some(whole);
    }
    let mut best = weigh(0.0)?;
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        match enough(middle) {
            Some(weighted) => (best, low) = (weighted, middle),
            None => high = middle,
        }
    }
    Some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weighted(weights: &[f64]) -> Weighted {
        let logarithms = weights.iter().map(|weight| Some(libm::log(*weight)));
        Weighted::of_logarithms(logarithms).unwrap()
    }

    #[test]
    fn equal_weights_are_the_textbook() {
        let (mean, variance) = weighted(&[2.0; 4]).of(&[1.0, 2.0, 3.0, 4.0]);
        assert!((mean - 2.5).abs() < 1e-12 && (variance - 5.0 / 3.0).abs() < 1e-12);
        assert!((weighted(&[2.0; 4]).effective() - 4.0).abs() < 1e-12);
    }

    #[test]
    fn a_draw_that_counts_twice_is_two_draws() {
        let (mean, _) = weighted(&[2.0, 1.0]).of(&[1.0, 4.0]);
        assert!((mean - 2.0).abs() < 1e-12);
        // 3^2 / (2^2 + 1).
        assert!((weighted(&[2.0, 1.0]).effective() - 1.8).abs() < 1e-12);
        let places = [DVector::from_vec(vec![1.0, 0.0]), DVector::from_vec(vec![4.0, 3.0])];
        let (mean, covariance) = weighted(&[2.0, 1.0]).of_vectors(&[&places[0], &places[1]]);
        assert!((mean[0] - 2.0).abs() < 1e-12 && (mean[1] - 1.0).abs() < 1e-12);
        assert!((covariance[(0, 1)] / covariance[(0, 0)] - 1.0).abs() < 1e-12);
    }

    #[test]
    fn what_cannot_be_built_counts_nothing() {
        let some = Weighted::of_logarithms([Some(-3000.0), None].into_iter()).unwrap();
        assert_eq!(some.shares(), [1.0, 0.0]);
        assert_eq!(Weighted::of_logarithms([None, None].into_iter()), None);
    }

    #[test]
    fn likelihoods_are_flattened_until_enough_draws_count() {
        let fits: Vec<f64> = (0..10).map(|i| -10.0 * f64::from(i)).collect();
        let weigh = |share: f64| Weighted::of_logarithms(fits.iter().map(|f| Some(f * share)));
        assert!(weigh(1.0).unwrap().effective() < 1.01);
        let flat = tempered(5.0, weigh).unwrap();
        assert!((flat.effective() - 5.0).abs() < 1e-3, "{}", flat.effective());
        assert_eq!(tempered(1.0, weigh), weigh(1.0), "no flatter than asked");
    }
}
