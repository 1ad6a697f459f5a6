//! A free parameter: its bounds, and the coordinate in which a fit moves it.

use super::quantity::{Quantity, significant};

/// The scale on which equal steps of a parameter matter equally.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// The logarithm: times, rates, sizes, whose errors are relative.
    Log,
    /// The value over the width of its bounds: shares, and what may be zero.
    Linear,
}

/// A free parameter of a model. Numbers are in the unit of the model file.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its path in the model file, as for `--set`.
    pub key: String,
    /// The value in the file, with its unit.
    pub start: Quantity,
    /// Least value.
    pub low: f64,
    /// Largest value.
    pub high: f64,
    /// Where the bounds come from.
    pub source: String,
}

/// A bound is as far as the logistic function is followed: nearer, its slope is nothing.
const EDGE: f64 = 0.002;

impl Parameter {
    /// The scale of its coordinate.
    pub fn axis(&self) -> Axis {
        match self.low > 0.0 && !self.start.is_share() {
            true => Axis::Log,
            false => Axis::Linear,
        }
    }

    /// The coordinate of a value: its logarithm, or its share of the width of the bounds.
    pub fn coordinate(&self, value: f64) -> f64 {
        match self.axis() {
            Axis::Log => libm::log(value),
            Axis::Linear => (value - self.low) / (self.high - self.low),
        }
    }

    /// The value at a coordinate.
    pub fn value(&self, coordinate: f64) -> f64 {
        match self.axis() {
            Axis::Log => libm::exp(coordinate),
            Axis::Linear => self.low + coordinate * (self.high - self.low),
        }
    }

    /// Width of the bounds in the coordinate.
    pub fn width(&self) -> f64 {
        self.coordinate(self.high) - self.coordinate(self.low)
    }

    /// The unbounded variable of the optimiser: the logit of the place between the bounds. Every
    /// number is a value within the bounds, so that no step can leave them.
    pub fn free(&self, value: f64) -> f64 {
        let place = (self.coordinate(value) - self.coordinate(self.low)) / self.width();
        let place = place.clamp(EDGE, 1.0 - EDGE);
        libm::log(place / (1.0 - place))
    }

    /// The value of an unbounded variable.
    pub fn bounded(&self, free: f64) -> f64 {
        let place = 1.0 / (1.0 + libm::exp(-free));
        let value = self.value(self.coordinate(self.low) + place * self.width());
        self.settle(value)
    }

    /// Change of the coordinate with the unbounded variable, at a value.
    pub fn slope(&self, value: f64) -> f64 {
        let place = (self.coordinate(value) - self.coordinate(self.low)) / self.width();
        let place = place.clamp(EDGE, 1.0 - EDGE);
        place * (1.0 - place) * self.width()
    }

    /// The value as a model file holds it: within the bounds, whole if it counts, and with this
    /// many digits that the file says exactly what was simulated.
    pub fn settle(&self, value: f64) -> f64 {
        let value = value.clamp(self.low, self.high);
        if self.start.is_count() {
            return value.round();
        }
        significant(value).clamp(self.low, self.high)
    }

    /// A value as the model file writes it.
    pub fn text(&self, value: f64) -> String {
        format!("{} {}", self.settle(value), self.start.unit)
    }

    /// The range of a value with this standard uncertainty of its coordinate, within bounds: the
    /// even distribution over it has that deviation, which is its width over the root of 12.
    pub fn range(&self, value: f64, sigma: f64) -> (f64, f64) {
        self.around(value, 3f64.sqrt() * sigma)
    }

    /// The values that are so far below and above a value in its coordinate, within bounds.
    pub fn around(&self, value: f64, half: f64) -> (f64, f64) {
        let at = self.coordinate(value);
        (self.settle(self.value(at - half)), self.settle(self.value(at + half)))
    }

    /// Whether a value is at a bound, within a hundredth of the width.
    pub fn at_bound(&self, value: f64) -> bool {
        let place = (self.coordinate(value) - self.coordinate(self.low)) / self.width();
        !(0.01..=0.99).contains(&place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parameter(text: &str, low: f64, high: f64) -> Parameter {
        let start = Quantity::parse(text).unwrap();
        Parameter { key: "a.b".into(), start, low, high, source: String::new() }
    }

    #[test]
    fn times_are_logarithmic_and_shares_linear() {
        assert_eq!(parameter("470 us", 10.0, 3000.0).axis(), Axis::Log);
        assert_eq!(parameter("2 %", 1.0, 20.0).axis(), Axis::Linear);
        assert_eq!(parameter("0 us", 0.0, 20.0).axis(), Axis::Linear);
    }

    #[test]
    fn the_slope_is_the_derivative_of_the_coordinate() {
        for p in [parameter("470 us", 10.0, 3000.0), parameter("2 %", 0.0, 20.0)] {
            let (u, h) = (p.free(p.start.number), 1e-3);
            let place = |u: f64| 1.0 / (1.0 + libm::exp(-u)) * p.width();
            let numeric = (place(u + h) - place(u - h)) / (2.0 * h);
            assert!((p.slope(p.start.number) / numeric - 1.0).abs() < 1e-5);
        }
    }

    #[test]
    fn what_is_written_is_what_was_simulated() {
        let p = parameter("470 us", 10.0, 3000.0);
        assert_eq!(p.text(471.234_56), "471.23 us");
        assert_eq!(p.text(1e9), "3000 us");
        assert_eq!(parameter("50 times", 1.0, 200.0).text(12.6), "13 times");
    }

    proptest! {
        #[test]
        fn no_step_of_the_optimiser_leaves_the_bounds(u in -1e3f64..1e3) {
            for p in [parameter("470 us", 10.0, 3000.0), parameter("2 %", 0.0, 20.0)] {
                let value = p.bounded(u);
                prop_assert!(p.low <= value && value <= p.high, "{value}");
            }
        }

        #[test]
        fn the_unbounded_variable_goes_there_and_back(value in 11.0f64..2900.0) {
            let p = parameter("470 us", 10.0, 3000.0);
            prop_assert!((p.bounded(p.free(value)) / value - 1.0).abs() < 1e-4);
        }
    }

    #[test]
    fn a_range_has_the_uncertainty_as_its_deviation_and_stays_within_the_bounds() {
        let time = Parameter {
            key: "k".into(),
            start: Quantity::parse("100 us").unwrap(),
            low: 50.0,
            high: 1000.0,
            source: String::new(),
        };
        let (low, high) = time.range(100.0, 0.1);
        // On a logarithm: 100 us times and over exp(0.1 x 1.732).
        assert!((low - 84.096).abs() < 0.01 && (high - 118.91).abs() < 0.01, "{low} {high}");
        assert_eq!(time.range(100.0, 2.0), (50.0, 1000.0));
    }
}
