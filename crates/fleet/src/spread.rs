//! How a quantity differs from drive to drive.

use crate::normal::quantile;
use engine::{Stream, index, whole};

/// The share of drives below the upper of the two numbers that give a logarithmic spread.
const UPPER: f64 = 0.95;

/// A distribution.
#[derive(Clone, Debug, PartialEq)]
pub enum Spread {
    /// All alike.
    Fixed(f64),
    /// Evenly between two ends.
    Even {
        /// The lower end.
        low: f64,
        /// The upper end.
        high: f64,
    },
    /// Normal in the logarithm.
    LogNormal {
        /// Half of all are below it; above 0.
        median: f64,
        /// Standard deviation of the natural logarithm.
        deviation: f64,
    },
    /// One of these, in rising order, each as likely as any other.
    Listed(Vec<f64>),
}

impl Spread {
    /// Normal in the logarithm, by the median and the value that 95 % are below.
    pub fn log_normal(median: f64, p95: f64) -> Self {
        let deviation = libm::log(p95 / median) / quantile(UPPER);
        Self::LogNormal { median, deviation }
    }

    /// The value below which a share (above 0, below 1) of all lies.
    pub fn at(&self, share: f64) -> f64 {
        match self {
            Self::Fixed(value) => *value,
            Self::Even { low, high } => low + share * (high - low),
            Self::LogNormal { median, deviation } => {
                median * libm::exp(deviation * quantile(share))
            }
            Self::Listed(values) => {
                let place = index(whole(share * values.len() as f64));
                values.get(place).or(values.last()).copied().unwrap_or(0.0)
            }
        }
    }

    /// A value for one drive.
    pub fn draw(&self, stream: &mut Stream) -> f64 {
        match self {
            // Nothing is drawn where there is no choice.
            Self::Fixed(value) => *value,
            // Without the ends, where a spread may have no number.
            _ => self.at(stream.unit().max(f64::EPSILON / 4.0)),
        }
    }

    /// The least and the most of it; of a logarithmic spread what nine tenths are between.
    pub fn core(&self) -> (f64, f64) {
        match self {
            Self::LogNormal { .. } => (self.at(1.0 - UPPER), self.at(UPPER)),
            _ => self.ends(),
        }
    }

    /// The least and the most of it; of a logarithmic spread those of all but one in a thousand
    /// at either end.
    pub fn ends(&self) -> (f64, f64) {
        match self {
            Self::LogNormal { .. } => (self.at(0.001), self.at(0.999)),
            _ => (self.at(0.0), self.at(1.0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_all_lies_below_what_is_drawn() {
        let spreads = [
            Spread::Even { low: 2.0, high: 6.0 },
            Spread::log_normal(3.0, 9.0),
            Spread::Listed(vec![1.0, 2.0, 3.0, 10.0]),
        ];
        for spread in spreads {
            let mut stream = Stream::new(3, "spread");
            let mut drawn: Vec<f64> = (0..40_000).map(|_| spread.draw(&mut stream)).collect();
            drawn.sort_by(f64::total_cmp);
            for tenth in [1, 3, 6, 9] {
                let (found, wanted) = (drawn[4000 * tenth], spread.at(tenth as f64 / 10.0));
                assert!((found / wanted - 1.0).abs() < 0.03, "{spread:?}: {found} and {wanted}");
            }
        }
    }

    #[test]
    fn a_logarithmic_spread_is_given_by_two_of_its_shares() {
        let spread = Spread::log_normal(0.3, 1.2);
        assert!((spread.at(0.5) - 0.3).abs() < 1e-12);
        assert!((spread.at(0.95) - 1.2).abs() < 1e-9);
        assert_eq!(Spread::log_normal(2.0, 2.0).at(0.99), 2.0, "all alike");
        assert_eq!(Spread::Listed(vec![1.0, 5.0]).ends(), (1.0, 5.0));
    }
}
