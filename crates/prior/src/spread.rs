//! How far a value may be from what its file says.

use super::value::Value;
use fit::{Quantity, significant};
use library::SizeMix;

/// How far off a value may be, as factors: half of what is possible lies below the value of the
/// file and half above, on each side evenly over the logarithm.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Prior {
    /// The least, over the value: at most 1.
    low: f64,
    /// The largest, over the value: at least 1.
    high: f64,
}

impl Prior {
    /// The logarithm of the factor at a place of a range; the file's value is in the middle.
    fn logarithm(&self, place: f64) -> f64 {
        match place < 0.5 {
            true => libm::log(self.low) * (1.0 - 2.0 * place),
            false => libm::log(self.high) * (2.0 * place - 1.0),
        }
    }
}

/// By what factor a value may be off, to either side, by the first word of its source. What is read
/// from a data sheet is taken as it stands. Sense and program times that are published of one
/// generation of flash lie some 10 % around their middle (`docs/decisions/0046`); what is assumed
/// of them is stated as a middle with a quarter to each side; a fit of scattered figures leaves
/// about 10 %. A `range` in the file counts before these.
const FACTORS: [(&str, f64); 5] =
    [("data sheet", 1.0), ("published", 1.1), ("derived", 1.1), ("fitted", 1.1), ("assumed", 1.25)];

impl Value {
    /// The value as a file writes it at a place of what is possible, 0 to 1; that of the file is in
    /// the middle. `None` if it is taken as known.
    pub fn at(&self, place: f64) -> Option<String> {
        if let Ok(mix) = self.text.parse::<SizeMix>() {
            let (low, high) = self.range.as_ref()?;
            let (end, part) = match place < 0.5 {
                true => (low, 1.0 - 2.0 * place),
                false => (high, 2.0 * place - 1.0),
            };
            return Some(mix.toward(&end.parse().ok()?, part).to_string());
        }
        self.off_by(libm::exp(self.prior()?.logarithm(place)))
    }

    /// How far off it may be. `None` if it is taken as known: by its source, or as a word, a count
    /// or a size, of which another one would be another drive, unless a range is stated.
    fn prior(&self) -> Option<Prior> {
        let value = self.parts()?.into_iter().next().filter(|first| first.number > 0.0)?;
        let prior = match &self.range {
            Some((low, high)) => {
                let over = |end: &str| Some(excess(&Quantity::parse(end)?) / excess(&value));
                Prior { low: over(low)?, high: over(high)? }
            }
            None if value.is_count() || value.is_data() => return None,
            None => {
                let (_, factor) = FACTORS.iter().find(|(word, _)| *word == self.source)?;
                Prior { low: 1.0 / factor, high: *factor }
            }
        };
        (prior.low > 0.0 && prior.low < prior.high).then_some(prior)
    }

    /// The value as a file writes it if it is off by a factor. All entries of a list are.
    fn off_by(&self, factor: f64) -> Option<String> {
        let parts = self.parts()?;
        let text = |part: &Quantity| {
            let moved = part.number - excess(part) + excess(part) * factor;
            match part.is_count() || part.unit == "B" || self.whole {
                true => format!("{} {}", moved.round().max(1.0), part.unit),
                false => format!("{} {}", significant(moved), part.unit),
            }
        };
        Some(parts.iter().map(text).collect::<Vec<_>>().join(", "))
    }

    fn parts(&self) -> Option<Vec<Quantity>> {
        self.text.split(", ").map(Quantity::parse).collect()
    }
}

/// What of a quantity is uncertain: of a multiple a little above 1 its distance from 1, as of flash
/// over capacity the spare area, else all of it.
fn excess(quantity: &Quantity) -> f64 {
    match quantity.unit == "x" && quantity.number > 1.0 && quantity.number < 2.0 {
        true => quantity.number - 1.0,
        false => quantity.number,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str, source: &str) -> Value {
        Value {
            key: "k".into(),
            text: text.into(),
            source: source.into(),
            range: None,
            of: "d: k".into(),
            correlated: None,
            whole: false,
        }
    }

    fn ranged(text: &str, low: &str, high: &str) -> Value {
        Value { range: Some((low.into(), high.into())), ..value(text, "assumed") }
    }

    #[test]
    fn half_of_what_is_possible_lies_on_each_side() {
        let at = |place: f64| ranged("100 us", "50 us", "120 us").at(place).unwrap();
        assert_eq!((at(0.5), at(0.0), at(1.0)), ("100 us".into(), "50 us".into(), "120 us".into()));
        assert_eq!(at(0.25), "70.711 us", "even over the logarithm");
        assert_eq!(value("60 us", "data sheet").at(0.7), None);
    }

    #[test]
    fn shares_of_a_workload_are_whole_percents() {
        let read = Value { whole: true, ..ranged("75 %", "60 %", "80 %") };
        assert_eq!(read.at(0.3).unwrap(), "69 %");
        assert_eq!(Value { whole: false, ..read }.at(0.3).unwrap(), "68.596 %");
    }

    #[test]
    fn a_mix_of_sizes_lies_between_two_mixes() {
        let sizes = ranged("8 KiB 90 %, 64 KiB 10 %", "8 KiB 100 %", "8 KiB 70 %, 64 KiB 30 %");
        assert_eq!(sizes.at(0.5).unwrap(), sizes.text);
        assert_eq!(sizes.at(0.25).unwrap(), "8 KiB 95 %, 64 KiB 5 %");
        assert_eq!(sizes.at(1.0).unwrap(), "8 KiB 70 %, 64 KiB 30 %");
        assert_eq!(Value { range: None, ..sizes }.at(0.2), None);
    }

    #[test]
    fn a_sheet_is_exact_and_an_assumption_is_not() {
        assert_eq!(value("60 us", "data sheet").prior(), None);
        assert_eq!(value("60 us", "assumed").prior(), Some(Prior { low: 0.8, high: 1.25 }));
        assert!(value("60 us", "published").prior().unwrap().high < 1.25);
        assert_eq!(value("60 us", "guessed").prior(), None, "no source, no prior");
    }

    #[test]
    fn a_stated_range_counts_before_the_word() {
        let prior = ranged("60 us", "45 us", "75 us").prior().unwrap();
        assert_eq!(prior, Prior { low: 0.75, high: 1.25 });
        let dies = ranged("128 dies", "64 dies", "256 dies").prior().unwrap();
        assert_eq!(dies, Prior { low: 0.5, high: 2.0 });
        assert_eq!(ranged("60 us", "60 us", "60 us").prior(), None, "no room");
    }

    #[test]
    fn another_count_or_size_would_be_another_drive() {
        for text in ["128 dies", "16 KiB", "yes", "PCIe 4.0 x4", "0 us"] {
            assert_eq!(value(text, "assumed").prior(), None, "{text}");
        }
    }

    #[test]
    fn of_a_multiple_above_one_the_excess_is_off() {
        assert_eq!(value("1.2 x", "derived").off_by(1.1).unwrap(), "1.22 x");
        assert_eq!(value("0.4 x", "derived").off_by(1.1).unwrap(), "0.44 x");
        let prior = ranged("1.1 x", "1.05 x", "1.2 x").prior().unwrap();
        assert!((prior.low - 0.5).abs() < 1e-9 && (prior.high - 2.0).abs() < 1e-9, "{prior:?}");
    }

    #[test]
    fn a_list_moves_together_and_counts_stay_whole() {
        assert_eq!(value("38 us, 59 us", "assumed").off_by(1.5).unwrap(), "57 us, 88.5 us");
        assert_eq!(value("3 dies", "assumed").off_by(1.25).unwrap(), "4 dies");
        assert_eq!(value("1 dies", "assumed").off_by(0.1).unwrap(), "1 dies");
    }
}
