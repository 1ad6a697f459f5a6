//! Retention: charge leaks, and the higher states sink.
//!
//! The loss grows with the logarithm of time (Luo, SIGMETRICS 2018), with the charge that there is
//! to lose, and with wear. Heat shortens time by Arrhenius' law with an activation energy of
//! 1.1 eV (JESD22-A117, JESD218).

/// Activation energy of the loss, in electron volts.
pub const ACTIVATION_EV: f64 = 1.1;

/// Boltzmann's constant, in electron volts a kelvin.
const BOLTZMANN_EV: f64 = 8.617_333e-5;

/// Zero Celsius in kelvin.
const ZERO_CELSIUS: f64 = 273.15;

/// The temperature in Celsius at which retention times are stated here.
pub const AT_CELSIUS: f64 = 30.0;

/// Hours of a year.
pub const YEAR_HOURS: f64 = 8760.0;

/// Hours after which the loss begins to follow the logarithm.
const FIRST_HOURS: f64 = 1.0;

/// How many times faster charge is lost at `hot` than at `cool` degrees Celsius.
pub fn acceleration(cool: f64, hot: f64) -> f64 {
    let inverse = |celsius: f64| 1.0 / (celsius + ZERO_CELSIUS);
    libm::exp(ACTIVATION_EV / BOLTZMANN_EV * (inverse(cool) - inverse(hot)))
}

/// The hours at 30 C that do as much as `hours` at `celsius`.
pub fn hours_at_30(hours: f64, celsius: f64) -> f64 {
    hours * acceleration(AT_CELSIUS, celsius)
}

/// How far the highest state has sunk, in millivolts, after `hours` at 30 C and `worn` reference
/// cycles; `year` is the loss of a year at the reference cycles. A new cell loses half as much;
/// the other half comes with wear, as the width does.
pub fn shift(year: f64, exponent: f64, worn: f64, hours: f64) -> f64 {
    let wear = 0.5 * (1.0 + libm::pow(worn, exponent));
    year * wear * libm::log1p(hours / FIRST_HOURS) / libm::log1p(YEAR_HOURS / FIRST_HOURS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acceleration_factors_are_those_of_the_standards() {
        let factors = [(30.0, 40.0, 3.84), (40.0, 55.0, 6.45), (25.0, 40.0, 7.8)];
        for (cool, hot, expected) in factors {
            let factor = acceleration(cool, hot);
            assert!((factor / expected - 1.0).abs() < 0.005, "{cool} to {hot} C: {factor}");
        }
        assert!((acceleration(40.0, 85.0) - 168.0).abs() < 1.0);
        assert!((acceleration(40.0, 30.0) * acceleration(30.0, 40.0) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_year_at_30_degrees_is_95_days_at_40() {
        let days = 365.0 / acceleration(30.0, 40.0);
        assert!((days - 95.0).abs() < 0.5, "{days}");
        // So the client's 12 months at 30 C and the enterprise's 3 months at 40 C are nearly the
        // same stress.
        let enterprise = hours_at_30(YEAR_HOURS / 4.0, 40.0);
        assert!((enterprise / YEAR_HOURS - 0.96).abs() < 0.005);
    }

    #[test]
    fn the_first_week_costs_more_than_half_of_a_year() {
        let week = shift(100.0, 0.4, 1.0, 168.0);
        let year = shift(100.0, 0.4, 1.0, YEAR_HOURS);
        assert!((year - 100.0).abs() < 1e-9 && week > 56.0 && week < 57.0, "{week} of {year}");
    }
}
