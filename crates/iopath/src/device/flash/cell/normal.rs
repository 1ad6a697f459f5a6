//! The standard normal distribution.

use std::f64::consts::{FRAC_1_SQRT_2, TAU};

/// Density at `z`.
pub fn density(z: f64) -> f64 {
    libm::exp(-z * z / 2.0) / libm::sqrt(TAU)
}

/// Probability of more than `z` (the Q function).
pub fn above(z: f64) -> f64 {
    0.5 * libm::erfc(z * FRAC_1_SQRT_2)
}

#[cfg(test)]
mod tests {
    #[test]
    fn one_in_forty_four_is_two_sigma_above() {
        assert!((super::above(2.0) - 0.022_750_131_948_179_2).abs() < 1e-15);
        assert!((super::density(0.0) - 0.398_942_280_401_432_7).abs() < 1e-15);
    }
}
