//! A value of a model file as a number and a unit, so that a fit can move the number.

use engine::{Bandwidth, Bytes, Count, Duration, Energy, Power, Ratio, Voltage};

/// A number and its unit, as a model file writes them.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// The number.
    pub number: f64,
    /// The unit, or what is counted.
    pub unit: String,
}

/// What can be measured in a unit, with the factor to the base unit.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Kind {
    name: &'static str,
    factor: f64,
}

impl Quantity {
    /// Reads `470 us`; `None` if the text does not begin with a number or has no unit.
    pub fn parse(text: &str) -> Option<Self> {
        let (number, unit) = metric::split_quantity(text)?;
        let quantity = Quantity { number, unit: unit.to_owned() };
        (!unit.is_empty() && quantity.kind().is_some()).then_some(quantity)
    }

    /// Whether it counts things, so that only whole numbers are possible.
    pub fn is_count(&self) -> bool {
        self.kind().is_some_and(|kind| kind.name == "count")
    }

    /// Whether it is an amount of data.
    pub fn is_data(&self) -> bool {
        self.kind().is_some_and(|kind| kind.name == "data")
    }

    /// Whether it is a time.
    pub fn is_time(&self) -> bool {
        self.kind().is_some_and(|kind| kind.name == "time")
    }

    /// Whether it is a share of a whole, in per cent or parts per million.
    pub fn is_share(&self) -> bool {
        self.unit == "%" || self.unit == "ppm"
    }

    /// The number in another unit of the same kind.
    pub fn in_unit_of(&self, other: &Quantity) -> Option<f64> {
        let (mine, theirs) = (self.kind()?, other.kind()?);
        (mine.name == theirs.name).then(|| self.number * mine.factor / theirs.factor)
    }

    /// The number in a unit of the same kind, as [`Quantity::in_unit_of`].
    pub fn in_unit(&self, unit: &str) -> Option<f64> {
        self.in_unit_of(&Quantity { number: 1.0, unit: unit.to_owned() })
    }

    /// What the unit measures. A model file has units that no figure has (`ppm`, `mV`, `nJ/B`, and
    /// counts of things by their noun), so that the types of the model decide and not
    /// [`metric::Unit`].
    fn kind(&self) -> Option<Kind> {
        let one = format!("1 {}", self.unit);
        let known = |name, base: Option<u64>| base.map(|base| Kind { name, factor: base as f64 });
        known("time", one.parse().ok().map(Duration::ps))
            .or_else(|| known("bandwidth", one.parse().ok().map(Bandwidth::base)))
            .or_else(|| known("data", one.parse().ok().map(Bytes::base)))
            .or_else(|| known("power", one.parse().ok().map(Power::base)))
            .or_else(|| known("energy", one.parse().ok().map(Energy::base)))
            .or_else(|| known("ratio", one.parse().ok().map(Ratio::base)))
            .or_else(|| known("voltage", one.parse().ok().map(Voltage::base)))
            .or_else(|| {
                let noun = self.unit.chars().all(|c| c.is_ascii_lowercase());
                let count = noun && one.parse::<Count>().is_ok();
                known("count", count.then_some(1))
            })
    }
}

/// Significant digits of a value: more than any figure constrains, few enough to be read.
const DIGITS: usize = 5;

/// A number with as many digits as a model file writes of what was fitted or drawn.
pub fn significant(number: f64) -> f64 {
    format!("{number:.*e}", DIGITS - 1).parse().unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Quantity {
        Quantity::parse(text).unwrap()
    }

    #[test]
    fn units_of_one_kind_convert_and_others_do_not() {
        let ours = read("470 us");
        assert_eq!(read("0.2 ms").in_unit_of(&ours), Some(200.0));
        assert_eq!(read("1 GB/s").in_unit_of(&read("1200 MT/s")), Some(1000.0));
        assert_eq!(read("4 GiB").in_unit("MiB"), Some(4096.0));
        assert_eq!(read("3 times").in_unit_of(&ours), None);
        assert_eq!(read("10 %").in_unit_of(&read("1 ppm")), Some(1e5));
    }

    #[test]
    fn words_bare_numbers_and_upper_case_nouns_are_no_quantities() {
        for text in ["yes", "12", "", "us", "PCIe 4.0 x4", "4 Foo", "- us"] {
            assert_eq!(Quantity::parse(text), None, "{text}");
        }
        assert!(read("50 times").is_count() && !read("50 us").is_count());
    }
}
