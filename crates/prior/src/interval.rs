//! What the answers of an ensemble span.

use stats::student::critical;

/// Share of what is possible that an interval holds.
pub const COVERS: f64 = 0.9;

/// Fewer draws say nothing about an interval.
pub const LEAST_DRAWS: usize = 8;

/// The interval of an answer, in its own unit, and the middle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// The median of the draws: the mean of their logarithms.
    pub median: f64,
    /// Its upper end.
    pub high: f64,
}

impl Interval {
    /// Of the answers of the draws: where another draw lies with a probability of [`COVERS`], by
    /// Student's prediction interval of their logarithms. `noise` is the standard deviation that a
    /// run has of itself, as a fraction, which is no uncertainty of the model and is taken off.
    /// `None` of fewer than [`LEAST_DRAWS`] answers, or if one is no positive number.
    pub fn of(answers: &[f64], noise: f64) -> Option<Self> {
        let known = answers.iter().all(|answer| *answer > 0.0 && answer.is_finite());
        if answers.len() < LEAST_DRAWS || !known {
            return None;
        }
        let logs: Vec<f64> = answers.iter().map(|answer| libm::log(*answer)).collect();
        let (mean, variance) = stats::difference::mean_and_variance(&logs)?;
        let own = (variance - noise * noise).max(0.0);
        let count = logs.len() as f64;
        let half = critical(1.0 - COVERS, count - 1.0) * libm::sqrt(own * (1.0 + 1.0 / count));
        let end = |off: f64| libm::exp(mean + off);
        Some(Interval { low: end(-half), median: end(0.0), high: end(half) })
    }

    /// The same where the model itself may be off by a factor besides, with the same probability:
    /// the two are independent, so that their squares add.
    #[must_use]
    pub fn and_off_by(self, factor: f64) -> Self {
        let besides = libm::log(factor.max(1.0));
        let end = |end: f64| libm::hypot(libm::log(end / self.median), besides);
        let (low, high) = (end(self.low), end(self.high));
        let at = |off: f64| self.median * libm::exp(off);
        Interval { low: at(-low), median: self.median, high: at(high) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Interval {
        fn holds(&self, number: f64) -> bool {
            self.low <= number && number <= self.high
        }

        fn half_width(&self) -> f64 {
            (self.high - self.low) / 2.0 / self.median
        }
    }

    #[test]
    fn of_a_normal_logarithm_it_holds_nine_of_ten() {
        // The quantiles of a normal distribution with a deviation of 0.1, as a Latin hypercube
        // gives them (Abramowitz and Stegun, table 26.1).
        let z: [f64; 8] = [-1.534, -0.887, -0.489, -0.157, 0.157, 0.489, 0.887, 1.534];
        let answers: Vec<f64> = z.iter().map(|z| 100.0 * libm::exp(0.1 * z)).collect();
        let interval = Interval::of(&answers, 0.0).unwrap();
        assert!((interval.median - 100.0).abs() < 1e-9);
        // t(0.95, 7) = 1.895, and one more draw scatters too: 1.895 x 0.1 x 1.0 x sqrt(9/8).
        assert!((libm::log(interval.high / 100.0) - 0.195).abs() < 0.015, "{interval:?}");
        assert!(interval.holds(115.0) && interval.holds(87.0) && !interval.holds(130.0));
    }

    #[test]
    fn the_noise_of_a_run_is_no_uncertainty_of_the_model() {
        let answers = [99.0, 101.0, 99.0, 101.0, 99.0, 101.0, 99.0, 101.0];
        assert!(Interval::of(&answers, 0.0).unwrap().half_width() > 0.015);
        assert!(Interval::of(&answers, 0.02).unwrap().half_width() < 1e-9);
    }

    #[test]
    fn few_draws_and_zeros_have_none() {
        assert_eq!(Interval::of(&[1.0; 7], 0.0), None);
        assert_eq!(Interval::of(&[1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0], 0.0), None);
        assert_eq!(Interval::of(&[f64::NAN; 9], 0.0), None);
    }

    #[test]
    fn what_the_model_lacks_is_added_in_squares() {
        let exact = Interval::of(&[50.0; 8], 0.0).unwrap();
        let wider = exact.and_off_by(1.2);
        assert!((wider.high - 60.0).abs() < 1e-9 && (wider.low - 50.0 / 1.2).abs() < 1e-9);
        let twice = wider.and_off_by(1.2);
        assert!((twice.high - 50.0 * libm::exp(2f64.sqrt() * libm::log(1.2))).abs() < 1e-9);
        assert_eq!(exact.and_off_by(0.5), exact.and_off_by(1.0));
    }
}
