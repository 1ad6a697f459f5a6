//! Wear: program and erase cycles trap charge in the oxide, and the states become wider.

/// Width of a state in millivolts after `worn` cycles, counted in reference cycles: a power law
/// with an offset, as fitted to measured chips (Luo, JSAC 2016); the exponent is 0.3 to 0.6.
pub fn sigma(noise: f64, growth: f64, exponent: f64, worn: f64) -> f64 {
    noise + growth * libm::pow(worn, exponent)
}

/// What a gain of margin beyond what the ECC needs buys in cycles, if the width grows with
/// `exponent`: the cycles at which `growth * n^exponent` has used the margin up.
pub fn endurance_gain(margin_gain: f64, exponent: f64) -> f64 {
    libm::pow(margin_gain, 1.0 / exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_as_much_margin_again_buys_2_8_times_the_cycles() {
        // The two to three times that vendors name for longer programming.
        assert!((endurance_gain(1.5, 0.4) - 2.76).abs() < 0.01);
    }

    #[test]
    fn the_gain_is_the_ratio_of_cycles_at_which_the_width_is_the_same() {
        let (growth, exponent) = (30.0, 0.4);
        let worn_for = |extra: f64| libm::pow(extra / growth, 1.0 / exponent);
        let gain = worn_for(45.0) / worn_for(30.0);
        assert!((gain - endurance_gain(1.5, exponent)).abs() < 1e-12);
        assert!((sigma(80.0, growth, exponent, worn_for(30.0)) - 110.0).abs() < 1e-9);
    }
}
