//! Quantities of a plan: a number with a unit, and how it differs from drive to drive.

use ::fleet::{Spread, YEAR};
use metric::{Dimension, parse_quantity, split_quantity};
use sweep::Words;

/// Seconds of a day.
const DAY: f64 = 86_400.0;

/// What a quantity is, and how it is written.
#[derive(Clone, Copy)]
pub struct Kind {
    read: fn(&str) -> Option<f64>,
    example: &'static str,
}

fn of(text: &str, dimension: Dimension, is_unit: fn(&str) -> bool) -> Option<f64> {
    let (number, unit) = parse_quantity(text)?;
    let unit = unit.filter(|unit| unit.dimension == dimension && is_unit(unit.symbol))?;
    Some(unit.to_base(number))
}

/// A time, s.
pub const TIME: Kind =
    Kind { read: |text| of(text, Dimension::Time, |_| true), example: "30 days" };
/// A share, 0 to 1.
pub const SHARE: Kind =
    Kind { read: |text| of(text, Dimension::Number, |unit| unit == "%"), example: "80 %" };
/// A multiple.
pub const TIMES: Kind =
    Kind { read: |text| of(text, Dimension::Number, |unit| unit == "x"), example: "1.5 x" };
/// A temperature, degrees Celsius.
pub const CELSIUS: Kind =
    Kind { read: |text| of(text, Dimension::Temperature, |_| true), example: "40 C" };
/// A number of drives.
pub const DRIVES: Kind = Kind {
    read: |text| of(text, Dimension::Number, |unit| unit == "drive"),
    example: "100 drives",
};
/// Bytes.
pub const BYTES: Kind =
    Kind { read: |text| of(text, Dimension::Bytes, |_| true), example: "4 KiB" };
/// An energy, eV.
pub const ELECTRON_VOLTS: Kind = Kind {
    read: |text| split_quantity(text).filter(|(_, unit)| *unit == "eV").map(|(number, _)| number),
    example: "0.7 eV",
};
/// A rate of failures, per second of a drive.
pub const FAILURES: Kind = Kind {
    read: |text| Some((SHARE.read)(text.trim().strip_suffix("/year")?)? / YEAR),
    example: "0.9 %/year",
};

impl Kind {
    /// Reads one.
    ///
    /// # Errors
    /// How it is written.
    pub fn number(self, text: &str) -> Result<f64, String> {
        (self.read)(text).ok_or_else(|| format!("`{text}` is not written as `{}` is", self.example))
    }

    /// A number if it is within bounds, which are written as it is.
    ///
    /// # Errors
    /// What the bounds are.
    pub fn within(self, number: f64, text: &str, [low, high]: [&str; 2]) -> Result<f64, String> {
        match self.number(low)? <= number && number <= self.number(high)? {
            true => Ok(number),
            false => Err(format!("`{text}` is out of range: it is from {low} to {high}")),
        }
    }

    /// Reads how it is spread over drives.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn spread(self, words: &Words) -> Result<Spread, String> {
        spread(words, |text| self.number(text))
    }
}

/// Reads what a drive writes, B/s, of a drive with so much usable capacity.
///
/// # Errors
/// What is wrong with it.
pub fn writes(words: &Words, capacity: f64) -> Result<Spread, String> {
    spread(words, |text| write_rate(text, capacity))
}

/// The same of one drive.
///
/// # Errors
/// How it is written.
pub fn write_rate(text: &str, capacity: f64) -> Result<f64, String> {
    let of_capacity = || Some((TIMES.read)(text.trim().strip_suffix("/day")?)? * capacity / DAY);
    let absolute = || of(text, Dimension::Bandwidth, |_| true);
    absolute().or_else(of_capacity).ok_or_else(|| {
        format!("`{text}` is not written as `2 TB/day` or `0.5 x/day` of the capacity is")
    })
}

fn spread(words: &Words, read: impl Fn(&str) -> Result<f64, String>) -> Result<Spread, String> {
    let text = match words {
        Words::One(text) => text,
        Words::List(list) => {
            let list: Result<Vec<f64>, String> =
                list.iter().map(|word| read(&word.text())).collect();
            let mut list = list?;
            if list.is_empty() {
                return Err("the list is empty".to_owned());
            }
            list.sort_by(f64::total_cmp);
            return Ok(Spread::Listed(list));
        }
    };
    if let Some((low, high)) = text.split_once("..") {
        let (low, high) = (read(low)?, read(high)?);
        return match low <= high {
            true => Ok(Spread::Even { low, high }),
            false => Err(format!("`{text}` ends below its beginning")),
        };
    }
    if let Some((median, upper)) = text.split_once(',') {
        let upper = upper.trim().strip_prefix("p95").ok_or_else(|| {
            format!("`{text}`: behind the median comes `p95` and what 95 % of drives are below")
        })?;
        let (median, p95) = (read(median)?, read(upper)?);
        return match 0.0 < median && median <= p95 {
            true => Ok(Spread::log_normal(median, p95)),
            false => Err(format!("`{text}`: the median is above 0, and p95 not below it")),
        };
    }
    read(text).map(Spread::Fixed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Words {
        Words::One(text.to_owned())
    }

    #[test]
    fn a_quantity_has_its_unit() {
        assert_eq!(TIME.number("7 years"), Ok(7.0 * YEAR));
        assert_eq!(SHARE.number("12.5%"), Ok(0.125));
        assert_eq!(DRIVES.number("1000 drives"), Ok(1000.0));
        assert_eq!(ELECTRON_VOLTS.number("0.7 eV"), Ok(0.7));
        assert_eq!(FAILURES.number("2 %/year").map(|rate| (rate * YEAR * 1e9).round()), Ok(2e7));
        for (kind, text) in [(TIME, "7"), (TIME, "7 TB"), (SHARE, "0.5 x"), (FAILURES, "2 %")] {
            assert!(kind.number(text).unwrap_err().contains(kind.example), "{text}");
        }
    }

    #[test]
    fn what_is_written_is_bytes_or_a_part_of_the_capacity() {
        let rate = |text| writes(&one(text), 8.64e12).map(|spread| spread.at(0.5).round());
        assert_eq!(rate("86.4 GB/day"), Ok(1e6));
        assert_eq!(rate("0.5 x/day"), Ok(5e7));
        assert!(rate("0.5 x").unwrap_err().contains("TB/day"));
    }

    #[test]
    fn a_spread_is_even_or_logarithmic_or_a_list() {
        let even = Spread::Even { low: 0.4, high: 0.9 };
        assert_eq!(SHARE.spread(&one("40 % .. 90 %")), Ok(even));
        let log = SHARE.spread(&one("40 %, p95 90 %")).unwrap();
        assert!((log.at(0.95) - 0.9).abs() < 1e-9);
        let list =
            Words::List(vec![sweep::Word::Text("90 %".into()), sweep::Word::Text("40 %".into())]);
        assert_eq!(SHARE.spread(&list), Ok(Spread::Listed(vec![0.4, 0.9])));
        for text in ["90 % .. 40 %", "40 %, 90 %", "40 %, p95 20 %", "0 %, p95 20 %", "40 % ..", ""]
        {
            assert!(SHARE.spread(&one(text)).is_err(), "{text}");
        }
    }
}
