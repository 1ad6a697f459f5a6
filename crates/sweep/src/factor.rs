//! A factor of a sweep: a name, and the values that it takes.

use metric::{Unit, parse_quantity, split_quantity};

/// Values of a range in a grid where the plan does not say how many.
const LEVELS: u32 = 5;
/// Most values of one factor in a grid.
const LEVELS_MAX: u32 = 10_000;
/// Steps into which a range is resolved: five digits.
const STEPS: f64 = 1e5;

/// How a range is written, for messages.
pub const GRAMMAR: &str = "values are a list (`p4510,pm9a3`) or a range: `0..25%`, \
                                  `1..256 log2` (doubling), `50..800 us log`, `32..64 dies whole`; \
                                  ` in 6` behind a range says how many values a grid takes";

/// What is varied.
#[derive(Clone, Debug, PartialEq)]
pub struct Factor {
    /// Its name: `drive`, `give_up`, a parameter of the method or a value of the model.
    pub name: String,
    /// The values that it takes.
    pub values: Values,
}

/// The values of a factor.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// These.
    List(Vec<String>),
    /// Those from one to another.
    Range(Range),
}

/// A range with its unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    low: f64,
    high: f64,
    unit: String,
    spacing: Spacing,
    whole: bool,
    levels: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spacing {
    /// Equal differences.
    Linear,
    /// Equal ratios.
    Log,
    /// From each to its double.
    Doubling,
}

impl Factor {
    /// Reads the values of a factor: a list separated by commas, or a range.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn parse(name: &str, text: &str) -> Result<Self, String> {
        let values = match range(text)? {
            Some(range) => Values::Range(range),
            None => listed(text.split(',').map(|part| part.trim().to_owned()).collect())?,
        };
        Ok(Self { name: name.to_owned(), values })
    }

    /// A factor of these values as they are.
    ///
    /// # Errors
    /// If there is none, or one twice.
    pub fn list(name: &str, values: Vec<String>) -> Result<Self, String> {
        Ok(Self { name: name.to_owned(), values: listed(values)? })
    }

    /// The value at a place from 0 to below 1.
    pub fn at(&self, place: f64) -> String {
        match &self.values {
            Values::List(list) => list[slot(place, list.len())].clone(),
            Values::Range(range) => range.at(place),
        }
    }

    /// The values of a grid.
    ///
    /// # Errors
    /// If there are too many.
    pub fn levels(&self) -> Result<Vec<String>, String> {
        match &self.values {
            Values::List(list) => Ok(list.clone()),
            Values::Range(range) => range.all(),
        }
    }

    /// Whether it has few values by itself, so that a grid needs no choice of them.
    pub fn is_listed(&self) -> bool {
        match &self.values {
            Values::List(_) => true,
            Values::Range(range) => range.levels.is_some() || range.spacing == Spacing::Doubling,
        }
    }
}

/// A list of values that differ.
fn listed(values: Vec<String>) -> Result<Values, String> {
    if values.iter().all(String::is_empty) {
        return Err("it has no values".to_owned());
    }
    if values.iter().any(String::is_empty) {
        return Err("one of its values is empty".to_owned());
    }
    let twice = (0..values.len()).find(|i| values[..*i].contains(&values[*i]));
    match twice {
        Some(i) => Err(format!("`{}` is listed twice", values[i])),
        None => Ok(Values::List(values)),
    }
}

/// Which of `count` equal parts holds a place from 0 to below 1.
fn slot(place: f64, count: usize) -> usize {
    let at = engine::index(engine::whole((place * count as f64).max(0.0)));
    at.min(count - 1)
}

/// Reads a range; `None` if the text is none.
fn range(text: &str) -> Result<Option<Range>, String> {
    let Some((low, rest)) = text.split_once("..") else { return Ok(None) };
    let mut words: Vec<&str> = rest.split_whitespace().collect();
    let (mut spacing, mut whole, mut levels) = (Spacing::Linear, false, None);
    loop {
        match words.as_slice() {
            [.., "log2"] => spacing = Spacing::Doubling,
            [.., "log"] => spacing = Spacing::Log,
            [.., "whole"] => whole = true,
            [.., "in", count] => {
                let count: u32 = count.parse().map_err(|_| format!("`{count}` is no number"))?;
                levels = Some(count);
                words.pop();
            }
            _ => break,
        }
        words.pop();
    }
    let high = words.join(" ");
    let wrong = |end: &str| format!("`{end}` is no number with a unit");
    let (high_number, high_unit) = split_quantity(&high).ok_or_else(|| wrong(&high))?;
    let (low_number, low_unit) = split_quantity(low).ok_or_else(|| wrong(low))?;
    let (low_unit, high_unit) = match (low_unit, high_unit) {
        ("", unit) => (unit, unit),
        (unit, "") => return Err(format!("the end `{high}` lacks the unit `{unit}`")),
        both => both,
    };
    let high_number = match low_unit == high_unit {
        true => high_number,
        false => converted(&high, low_unit).ok_or_else(|| {
            format!("`{low_unit}` and `{high_unit}` are no units of the same thing")
        })?,
    };
    let counted = matches!(low_unit, "" | "die" | "dies" | "drive" | "drives" | "cycles");
    let whole = whole || counted && low_number.fract() == 0.0 && high_number.fract() == 0.0;
    let (low, high, unit) = (low_number, high_number, low_unit.to_owned());
    let range = Range { low, high, unit, spacing, whole, levels };
    range.check().map(Some)
}

/// A quantity as a number of another unit.
fn converted(text: &str, unit: &str) -> Option<f64> {
    let (number, from) = parse_quantity(text)?;
    let (from, to) = (from?, Unit::parse(unit)?);
    (from.dimension == to.dimension).then(|| to.from_base(from.to_base(number)))
}

impl Range {
    fn check(self) -> Result<Self, String> {
        if self.high <= self.low {
            return Err("the range is empty: it ends where it begins, or before".to_owned());
        }
        if self.spacing != Spacing::Linear && self.low <= 0.0 {
            return Err("a logarithmic range begins above 0".to_owned());
        }
        if self.levels.is_some_and(|levels| !(2..=LEVELS_MAX).contains(&levels)) {
            return Err(format!("a range is cut into 2 to {LEVELS_MAX} values"));
        }
        if self.whole && (self.low.fract() != 0.0 || self.high.fract() != 0.0) {
            return Err("a range of whole numbers begins and ends at one".to_owned());
        }
        Ok(self)
    }

    /// How often the low end can be doubled.
    fn doublings(&self) -> u32 {
        let count = libm::log2(self.high / self.low) + 1e-9;
        engine::narrow(engine::whole(count.clamp(0.0, 1000.0)))
    }

    fn doubled(&self, times: u32) -> String {
        self.text(self.low * libm::exp2(f64::from(times)))
    }

    /// The value at a place from 0 to below 1.
    fn at(&self, place: f64) -> String {
        // Of whole numbers each has a part of the same size, the last one too.
        let beyond = if self.whole { 1.0 } else { 0.0 };
        let end = self.high + beyond;
        let value = match self.spacing {
            Spacing::Doubling => {
                let times = slot(place, self.doublings() as usize + 1);
                return self.doubled(engine::narrow(times));
            }
            Spacing::Linear => self.low + (end - self.low) * place,
            Spacing::Log => self.low * libm::exp(libm::log(end / self.low) * place),
        };
        match self.whole {
            true => self.text((value + 1e-9).floor().clamp(self.low, self.high)),
            false => self.text(value),
        }
    }

    /// All values of a grid, both ends among them.
    fn all(&self) -> Result<Vec<String>, String> {
        if self.spacing == Spacing::Doubling {
            return Ok((0..=self.doublings()).map(|times| self.doubled(times)).collect());
        }
        let levels = self.levels.unwrap_or(LEVELS);
        let share = |i: u32| f64::from(i) / f64::from(levels - 1);
        let value = |i: u32| match self.spacing {
            Spacing::Log => self.low * libm::exp(libm::log(self.high / self.low) * share(i)),
            _ => self.low + (self.high - self.low) * share(i),
        };
        let mut all: Vec<String> = (0..levels)
            .map(|i| self.text(if self.whole { value(i).round() } else { value(i) }))
            .collect();
        all.dedup();
        Ok(all)
    }

    /// A value as it is written, and meant: what is measured is the text.
    fn text(&self, value: f64) -> String {
        let width = match self.spacing {
            Spacing::Linear => self.high - self.low,
            _ => value,
        };
        let digits = libm::log10(STEPS) - 1.0 - libm::floor(libm::log10(width));
        let decimals: usize = engine::index(engine::whole(digits.clamp(0.0, 12.0)));
        let number = format!("{value:.decimals$}");
        let number = match number.contains('.') {
            true => number.trim_end_matches('0').trim_end_matches('.'),
            false => &number,
        };
        match self.unit.as_str() {
            "" => number.to_owned(),
            unit => format!("{number} {unit}"),
        }
    }
}

/// Words behind a range that are no units.
const NO_UNITS: [&str; 4] = ["in", "log", "log2", "whole"];

/// The values of a factor in one spelling: without spaces before a unit and around commas and dots,
/// so that `0 %, 10 %` and `0%,10%` are the same plan.
pub fn one_spelling(text: &str) -> String {
    let mut all = String::new();
    for word in text.split_whitespace() {
        let (before, after) = (all.chars().last(), word.chars().next());
        let joins = |c: Option<char>| c.is_none_or(|c| c == ',' || c == '.');
        let bare = word.trim_end_matches(|c: char| !c.is_alphanumeric());
        let first = bare.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let is_unit = before.is_some_and(|c| c.is_ascii_digit())
            && after.is_some_and(|c| c.is_alphabetic() || c == '%')
            && !NO_UNITS.contains(&first);
        if !joins(before) && !joins(after) && !is_unit {
            all.push(' ');
        }
        all.push_str(word);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_has_one_spelling() {
        for (text, one) in [
            ("0 %, 10 %", "0%,10%"),
            ("0%,10%", "0%,10%"),
            ("0 % .. 25 % in 5", "0%..25% in 5"),
            ("50..800 us log", "50..800us log"),
            ("1..64  log2", "1..64 log2"),
            ("64 dies,128 dies", "64dies,128dies"),
            ("PCIe 3.0 x4, PCIe 4.0 x4", "PCIe 3.0x4,PCIe 4.0x4"),
            ("p4510,pm9a3", "p4510,pm9a3"),
        ] {
            assert_eq!(one_spelling(text), one);
        }
    }

    fn values(text: &str, places: &[f64]) -> Vec<String> {
        let factor = Factor::parse("x", text).unwrap();
        places.iter().map(|place| factor.at(*place)).collect()
    }

    #[test]
    fn a_place_becomes_a_value_with_its_unit() {
        let places = [0.0, 0.5, 0.999_999];
        assert_eq!(values("p4510,pm9a3", &places), ["p4510", "pm9a3", "pm9a3"]);
        assert_eq!(values("0..25%", &places), ["0 %", "12.5 %", "25 %"]);
        assert_eq!(values("1..256 log2", &places), ["1", "16", "256"]);
        assert_eq!(values("4 KiB..1 MiB log2", &places), ["4 KiB", "64 KiB", "1024 KiB"]);
        assert_eq!(values("10..1000 us log", &places), ["10 us", "100 us", "1000 us"]);
        assert_eq!(values("1..4", &places), ["1", "3", "4"], "whole numbers stay whole");
        assert_eq!(values("32..64 dies", &places), ["32 dies", "48 dies", "64 dies"]);
        assert_eq!(values("600..800 MT/s", &[0.123_456_7]), ["624.69 MT/s"]);
    }

    /// Each whole number has the same share of the places, the ends too.
    #[test]
    fn whole_numbers_are_equally_likely() {
        let factor = Factor::parse("x", "1..8").unwrap();
        let mut counts = [0; 9];
        (0..8000).for_each(|i| {
            let value: usize = factor.at(f64::from(i) / 8000.0).parse().unwrap();
            counts[value] += 1;
        });
        assert!(counts[1..].iter().all(|count| *count == 1000), "{counts:?}");
    }

    #[test]
    fn a_grid_has_both_ends() {
        let levels = |text: &str| Factor::parse("x", text).unwrap().levels().unwrap();
        assert_eq!(levels("0..25% in 6"), ["0 %", "5 %", "10 %", "15 %", "20 %", "25 %"]);
        assert_eq!(levels("1..8 log2"), ["1", "2", "4", "8"]);
        assert_eq!(levels("1..3"), ["1", "2", "3"]);
        assert_eq!(
            levels("1..10000 us log in 5"),
            ["1 us", "10 us", "100 us", "1000 us", "10000 us"]
        );
    }

    #[test]
    fn an_empty_or_senseless_range_is_refused() {
        let wrong = |text: &str| Factor::parse("x", text).unwrap_err();
        assert!(wrong("5..5").contains("empty"));
        assert!(wrong("25..0%").contains("empty"));
        assert!(wrong("0..8 log2").contains("above 0"));
        assert!(wrong("1 us..5").contains("lacks the unit"));
        assert!(wrong("1 us..5 KiB").contains("same thing"));
        assert!(wrong("a..b").contains("no number"));
        assert!(wrong("").contains("no values"));
        assert!(wrong("a,,b").contains("empty"));
        assert!(wrong("a,a").contains("twice"));
        assert!(wrong("1..9 in 1").contains("2 to"));
    }
}
