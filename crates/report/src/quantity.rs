//! Base units of Records in the units that people read, as one scale for all values of an axis.

use metric::{Digits, Dimension, parse_quantity};

/// A unit for people, and how many of it one base unit is.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// The unit; empty if there is none.
    pub unit: String,
    /// What a value in the base unit is multiplied with.
    pub factor: f64,
    digits: Digits,
}

impl Shown {
    /// The unit in which values up to `largest` are read; `name` is the metric, of which some have
    /// a unit of their own. The units are those of [`metric::Shown`]; a `share` is shown in per
    /// cent, and what has no dimension (`cycles`) in itself.
    pub fn of(base: &str, name: &str, largest: f64) -> Self {
        let largest = if largest.is_finite() { largest } else { 0.0 };
        match (base, Dimension::of_base(base)) {
            (_, Some(dimension)) => {
                let shown = metric::Shown::of_metric(name, dimension, largest);
                let (unit, factor) = (shown.unit.to_owned(), 1.0 / shown.scale);
                Self { unit, factor, digits: shown.digits }
            }
            ("share", None) => Self { factor: 100.0, ..Self::itself("%") },
            (other, None) => Self::itself(other),
        }
    }

    /// A unit that is shown as it is.
    pub fn itself(unit: &str) -> Self {
        Self { unit: unit.to_owned(), factor: 1.0, digits: Digits::Four }
    }

    /// The value in its unit, without it.
    pub fn number(&self, value: f64) -> String {
        self.digits.text(value * self.factor)
    }

    /// The value with its unit.
    pub fn text(&self, value: f64) -> String {
        let number = self.number(value);
        match (self.unit.as_str(), value.is_finite()) {
            ("", _) | (_, false) => number,
            (unit, true) => format!("{number} {unit}"),
        }
    }
}

/// A value in a base unit as people read it.
pub fn text(base: &str, name: &str, value: f64) -> String {
    Shown::of(base, name, value).text(value)
}

/// A value of a parameter in its base unit, and that unit: `16 KiB` is 16384 `B`, `350 MB/s` is
/// 3.5e8 `B/s`, `10 %` is a `share` of 0.1, and `2` is a number, `1`.
pub fn parse(text: &str) -> Option<(f64, &'static str)> {
    let (number, unit) = parse_quantity(text)?;
    let Some(unit) = unit else { return Some((number, "1")) };
    let base = match (unit.dimension, unit.symbol) {
        (Dimension::Number, "%") => "share",
        (Dimension::Number, "1" | "x") => "1",
        // What is counted: cycles, drives.
        (Dimension::Number, counted) => counted,
        (dimension, _) => dimension.base(),
    };
    Some((unit.to_base(number), base))
}

/// A number kept short: five significant digits are more than any screen can show.
pub fn short(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    format!("{value:.5e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_metrics_have_a_unit_of_their_own() {
        let rate = 880e9 / 86_400.0;
        assert_eq!(text("B/s", "gb_per_day", rate), "880 GB/day");
        assert_eq!(text("1/s", "tps", 500.0), "500 tx/s");
        assert_eq!(text("B/s", "bandwidth", 2e9), "2 GB/s");
    }

    #[test]
    fn units_follow_the_size_as_everywhere() {
        assert_eq!(text("s", "read_lat_mean", 103e-6), "103 us");
        assert_eq!(text("1/s", "iops", 964_000.0), "964 kIOPS");
        assert_eq!(text("B/s", "bandwidth", 7.411e9), "7.41 GB/s");
        assert_eq!(text("1", "write_amplification", 3.95), "3.950");
        assert_eq!(text("C", "temperature", 70.0), "70 C");
        assert_eq!(text("s", "lat", f64::NAN), "-");
    }

    /// The largest value decides: an axis has one unit.
    #[test]
    fn all_values_of_an_axis_are_in_one_unit() {
        let axis = Shown::of("B/s", "bandwidth", 2.5e9);
        assert_eq!((axis.unit.as_str(), axis.text(1e8)), ("GB/s", "0.10 GB/s".to_owned()));
        assert_eq!(Shown::of("share", "mapped share", 0.5).text(0.48), "48 %");
        assert_eq!(Shown::of("cycles", "pe", 3000.0).text(3000.0), "3000 cycles");
    }

    #[test]
    fn values_of_parameters_are_numbers_with_a_unit() {
        assert_eq!(parse("16 KiB"), Some((16_384.0, "B")));
        assert_eq!(parse("350 MB/s"), Some((3.5e8, "B/s")));
        assert_eq!(parse("10 %"), Some((0.1, "share")));
        assert_eq!(parse("3000 cycles"), Some((3000.0, "cycles")));
        assert_eq!(parse("32"), Some((32.0, "1")));
        assert_eq!(parse("1/64"), None);
        assert_eq!(parse("rand"), None);
        assert_eq!(parse(""), None);
    }

    #[test]
    fn short_numbers_keep_what_can_be_seen() {
        assert_eq!(short(2284062.0398193267), 2284060.0);
        assert!(short(f64::NAN).is_nan());
        assert_eq!(short(0.0), 0.0);
    }
}
