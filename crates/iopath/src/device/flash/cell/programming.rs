//! Incremental step pulse programming (ISPP): how exactly a state is placed, and what a longer
//! program buys.
//!
//! Each pulse raises the threshold by one step; a cell stops after the pulse that takes it past
//! the verify level. So it ends anywhere within one step above that level, with equal chance (Suh,
//! JSSC 1995). The number of pulses is the voltage to be covered over the step, so a program that
//! takes `f` times as long has steps of `1/f` and leaves more room between the states (Pan, HPCA
//! 2012).

use super::normal;

/// The step in millivolts of a program that takes `factor` times as long as one of `step` mV.
pub fn step(step: f64, factor: f64) -> f64 {
    step / factor
}

/// The margin in millivolts on either side of a read reference that is midway between two
/// neighbouring states whose means are `separation` apart.
pub fn margin(separation: f64, step: f64) -> f64 {
    (separation - step) / 2.0
}

/// Share of the cells of a state that are beyond a reference: the cells are spread evenly over one
/// `step`, whose near edge is `margin` from the reference, and blurred by a Gaussian of `sigma`
/// (all in millivolts).
///
/// This is the mean of Q over the step, which has a closed form: the integral of Q from z up is
/// `phi(z) - z Q(z)`.
pub fn overlap(margin: f64, step: f64, sigma: f64) -> f64 {
    if step <= sigma * 1e-3 {
        return normal::above((margin + step / 2.0) / sigma);
    }
    let area = |z: f64| normal::density(z) - z * normal::above(z);
    let mean = (area(margin / sigma) - area((margin + step) / sigma)) * sigma / step;
    mean.clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vanishing_step_leaves_the_gaussian_alone() {
        for margin in [-100.0, 0.0, 50.0, 200.0, 400.0] {
            let gaussian = normal::above(margin / 80.0);
            let narrow = overlap(margin, 0.5, 80.0);
            assert!((narrow / gaussian - 1.0).abs() < 0.02, "{margin} mV: {narrow} {gaussian}");
        }
    }

    #[test]
    fn the_closed_form_is_the_sum_over_the_step() {
        let (margin, step, sigma) = (320.0, 400.0, 80.0);
        let parts = 20_000;
        let at = |i| margin + step * (i as f64 + 0.5) / parts as f64;
        let sum: f64 = (0..parts).map(|i| normal::above(at(i) / sigma)).sum();
        let closed = overlap(margin, step, sigma);
        assert!((closed / (sum / parts as f64) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn half_the_step_takes_twice_the_time_and_widens_the_margin_by_a_quarter_of_the_step() {
        let widened = margin(1040.0, step(400.0, 2.0)) - margin(1040.0, 400.0);
        assert_eq!(widened, 100.0, "half of the step between two states, a quarter on each side");
    }
}
