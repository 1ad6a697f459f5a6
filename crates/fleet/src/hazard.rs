//! Why drives fail: rates and shapes that the user gives, since no model of a drive knows them.

use crate::spread::Spread;
use engine::Stream;

/// Boltzmann's constant, eV/K.
const BOLTZMANN: f64 = 8.617_333e-5;
/// Kelvin of 0 degrees Celsius.
const ZERO_CELSIUS: f64 = 273.15;

/// What can end a drive.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hazards {
    /// Failures that come at any time, per second of a drive; 0 for none.
    pub random: f64,
    /// Weak drives, which fail early.
    pub infant: Option<Infant>,
    /// Flash that gives out.
    pub wear_out: Option<WearOut>,
    /// How temperature changes the rates of failures but for wear-out.
    pub thermal: Option<Thermal>,
    /// What drives of one batch share.
    pub batch: Option<Frailty>,
    /// What drives in one rack share.
    pub rack: Option<Frailty>,
}

/// A share of all drives is weak and fails by a Weibull distribution of its age.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Infant {
    /// The share, 0 to 1.
    pub share: f64,
    /// The age at which 63 % of the weak ones have failed, s.
    pub time: f64,
    /// The shape: below 1 most fail at once.
    pub shape: f64,
}

/// Flash fails by a Weibull distribution of the cycles that were used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WearOut {
    /// Used cycles over the rated ones at which 63 % have failed.
    pub life: f64,
    /// The shape: the greater, the more alike drives are.
    pub shape: f64,
}

/// Arrhenius' law: the rate at a temperature over that at another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thermal {
    /// The temperature for which the rate is given, degrees Celsius.
    pub at: f64,
    /// Activation energy, eV.
    pub energy: f64,
}

impl Thermal {
    /// The rate at a temperature over that which is given.
    pub fn factor(&self, celsius: f64) -> f64 {
        let kelvin = |celsius: f64| (celsius + ZERO_CELSIUS).max(1.0);
        let apart = 1.0 / kelvin(self.at) - 1.0 / kelvin(celsius);
        libm::exp(self.energy / BOLTZMANN * apart)
    }
}

/// A factor on the rates of failures that some drives share; its mean is 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frailty {
    /// Drives that share it, 1 at least.
    pub drives: u32,
    /// Standard deviation of its natural logarithm.
    pub deviation: f64,
}

impl Frailty {
    /// The factor of the drives of a number.
    pub fn factor(&self, seed: u64, what: &str, number: u32) -> f64 {
        let mut stream = Stream::new(seed, &format!("{what}/{number}"));
        // The mean of a log-normal factor is one if its median is below by half the variance.
        let median = libm::exp(-self.deviation * self.deviation / 2.0);
        Spread::LogNormal { median, deviation: self.deviation }.draw(&mut stream)
    }
}

/// When a Weibull life ends, by an exponential draw of mean 1.
pub(crate) fn weibull(scale: f64, shape: f64, exponential: f64) -> f64 {
    scale * libm::pow(exponential, 1.0 / shape)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weibull_life_has_its_share_of_failures_at_its_scale() {
        let mut stream = Stream::new(1, "weibull");
        for shape in [0.5, 3.0] {
            let ends = (0..40_000).map(|_| weibull(5.0, shape, stream.exponential()));
            let after = ends.filter(|end| *end > 5.0).count() as f64 / 40_000.0;
            assert!((after - libm::exp(-1.0)).abs() < 0.01, "{shape}: {after}");
        }
    }

    #[test]
    fn warm_drives_fail_sooner() {
        let thermal = Thermal { at: 40.0, energy: 0.7 };
        assert_eq!(thermal.factor(40.0), 1.0);
        let ten = thermal.factor(50.0);
        assert!((ten - 2.23).abs() < 0.01, "{ten}");
        assert!(thermal.factor(30.0) < 0.5);
    }

    #[test]
    fn factors_have_a_mean_of_one_and_belong_to_a_number() {
        let frailty = Frailty { drives: 10, deviation: 0.8 };
        let all: Vec<f64> = (0..20_000).map(|n| frailty.factor(7, "batch", n)).collect();
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        assert!((mean - 1.0).abs() < 0.03, "{mean}");
        assert_eq!(frailty.factor(7, "batch", 4), all[4]);
    }
}
