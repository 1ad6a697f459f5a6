//! The value of a parameter: read from any spelling of its kind, and written in one.

use super::param_table::{ParamKind, ParamSpec};
use super::unit::{Dimension, Unit, parse_quantity};
use std::fmt;

/// A parameter's value. Whole numbers throughout: equal values compare and hash as equal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ParamValue {
    /// Bytes.
    Bytes(u64),
    /// Nanoseconds.
    Nanos(u64),
    /// Bytes a second.
    BytesPerSecond(u64),
    /// Parts per million.
    Ppm(u32),
    /// A whole number.
    Count(u64),
    /// A word or a text.
    Text(String),
    /// A truth value.
    Flag(bool),
}

/// A value as it is written, before its parameter's kind is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Raw<'a> {
    /// A number; the unit, if any, is in the parameter's name.
    Number(f64),
    /// A text, which may be a number with unit.
    Text(&'a str),
    /// `true` or `false`.
    Flag(bool),
}

impl ParamValue {
    /// A number in its base unit: bytes, seconds, bytes a second, 1.
    pub fn base(&self) -> Option<f64> {
        match self {
            ParamValue::Bytes(n) | ParamValue::BytesPerSecond(n) | ParamValue::Count(n) => {
                Some(*n as f64)
            }
            ParamValue::Nanos(n) => Some(*n as f64 / 1e9),
            ParamValue::Ppm(n) => Some(f64::from(*n) / 1e6),
            ParamValue::Text(_) | ParamValue::Flag(_) => None,
        }
    }

    /// So many times as much, as near as the kind allows; what counts things is never 0, and a
    /// share never more than all. `None` of a word.
    #[must_use]
    pub fn times(&self, factor: f64) -> Option<Self> {
        let of = |n: u64| ((n as f64 * factor.max(0.0)).round() as u64).max(1);
        match self {
            ParamValue::Bytes(n) => Some(ParamValue::Bytes(of(*n))),
            ParamValue::Nanos(n) => Some(ParamValue::Nanos(of(*n))),
            ParamValue::BytesPerSecond(n) => Some(ParamValue::BytesPerSecond(of(*n))),
            ParamValue::Count(n) => Some(ParamValue::Count(of(*n))),
            ParamValue::Ppm(n) => Some(ParamValue::Ppm(of(u64::from(*n)).min(1_000_000) as u32)),
            ParamValue::Text(_) | ParamValue::Flag(_) => None,
        }
    }

    /// Whether it is a number and that is 0.
    pub fn is_zero(&self) -> bool {
        match self {
            ParamValue::Bytes(n)
            | ParamValue::Nanos(n)
            | ParamValue::BytesPerSecond(n)
            | ParamValue::Count(n) => *n == 0,
            ParamValue::Ppm(n) => *n == 0,
            ParamValue::Text(_) | ParamValue::Flag(_) => false,
        }
    }

    /// A value as the kind of its parameter wants it; `unit` is that in the name under which it is
    /// given. The error says how it is written.
    pub(super) fn read(spec: &ParamSpec, unit: Option<&str>, raw: Raw<'_>) -> Result<Self, String> {
        match (spec.kind, raw) {
            (ParamKind::Flag, Raw::Flag(flag)) => Ok(ParamValue::Flag(flag)),
            (ParamKind::Flag, _) => Err("write true or false".to_owned()),
            (ParamKind::Text, Raw::Text(text)) => Ok(ParamValue::Text(text.trim().to_owned())),
            (ParamKind::Text, Raw::Number(n)) => Ok(ParamValue::Text(n.to_string())),
            (ParamKind::Word(words), Raw::Text(text)) => word(words, text),
            (ParamKind::Word(words), _) => Err(format!("write one of: {}", words.join(", "))),
            (_, Raw::Flag(_)) => Err("write a number".to_owned()),
            (kind, Raw::Number(n)) => number(kind, n, unit.and_then(Unit::parse)),
            (kind, Raw::Text(text)) => {
                let (n, given) = parse_quantity(text)
                    .ok_or_else(|| format!("`{text}` is not a number with a known unit"))?;
                number(kind, n, given.or(unit.and_then(Unit::parse)))
            }
        }
    }
}

impl fmt::Display for ParamValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The largest unit that leaves a whole number is what a reader would have written.
        let scaled = |f: &mut fmt::Formatter<'_>, value: u64, units: &[(u64, &str)]| {
            let fits = |(size, _): &&(u64, &str)| value != 0 && value.is_multiple_of(*size);
            match units.iter().find(fits).or(units.last()) {
                Some((size, unit)) => write!(f, "{} {unit}", value / size),
                None => write!(f, "{value}"),
            }
        };
        match self {
            ParamValue::Bytes(n) => scaled(f, *n, BYTE_UNITS),
            ParamValue::Nanos(n) => scaled(f, *n, TIME_UNITS),
            ParamValue::BytesPerSecond(n) => scaled(f, *n, RATE_UNITS),
            ParamValue::Ppm(n) => write!(f, "{} %", f64::from(*n) / 1e4),
            ParamValue::Count(n) => write!(f, "{n}"),
            ParamValue::Text(text) => write!(f, "{text}"),
            ParamValue::Flag(flag) => write!(f, "{flag}"),
        }
    }
}

const BYTE_UNITS: &[(u64, &str)] = &[
    (1 << 40, "TiB"),
    (1_000_000_000_000, "TB"),
    (1 << 30, "GiB"),
    (1_000_000_000, "GB"),
    (1 << 20, "MiB"),
    (1 << 10, "KiB"),
    (1, "B"),
];
const TIME_UNITS: &[(u64, &str)] = &[
    (3_600_000_000_000, "h"),
    (60_000_000_000, "min"),
    (1_000_000_000, "s"),
    (1_000_000, "ms"),
    (1_000, "us"),
    (1, "ns"),
];
const RATE_UNITS: &[(u64, &str)] = &[(1_000_000_000, "GB/s"), (1_000_000, "MB/s"), (1, "B/s")];

fn word(words: &'static [&'static str], text: &str) -> Result<ParamValue, String> {
    let text = match text.trim() {
        // Reads and sequential writes find a filled drive then; random writes, of which reviews
        // that say "full" do not say how long they lasted, the state that they lead to.
        "full" => "steady",
        "random" => "rand",
        "sequential" => "seq",
        other => other,
    };
    match words.iter().find(|word| **word == text) {
        Some(word) => Ok(ParamValue::Text((*word).to_owned())),
        None => Err(format!("`{text}` is none of: {}", words.join(", "))),
    }
}

/// Largest number that is still exact as a float; far beyond any drive or test.
const LIMIT: f64 = 9e15;
/// The same of amounts of data: the rated writes of a large drive are tens of PB.
const LIMIT_BYTES: f64 = 9e18;

/// The longest time, ns.
const LONGEST_NS: f64 = engine::Duration::LONGEST.ns() as f64;

fn number(kind: ParamKind, n: f64, unit: Option<Unit>) -> Result<ParamValue, String> {
    if let ParamKind::Count(low, high) = kind {
        let whole = unit.is_none() && n.fract() == 0.0 && (low as f64..=high as f64).contains(&n);
        return match whole {
            true => Ok(ParamValue::Count(n as u64)),
            false => Err(format!("write a whole number from {low} to {high}, without unit")),
        };
    }
    let (dimension, scale, example) = match kind {
        ParamKind::Bytes => (Dimension::Bytes, 1.0, "\"4 KiB\""),
        ParamKind::Time => (Dimension::Time, 1e9, "\"10 min\""),
        ParamKind::Bandwidth => (Dimension::Bandwidth, 1.0, "\"350 MB/s\""),
        _ => (Dimension::Number, 1e6, "\"10 %\""),
    };
    let unit = unit
        .filter(|unit| unit.dimension == dimension)
        .filter(|unit| kind != ParamKind::Share || unit.symbol == "%")
        .ok_or_else(|| format!("a unit of the right kind is missing, as in {example}"))?;
    let base = (unit.to_base(n) * scale).round();
    let limit = if kind == ParamKind::Bytes { LIMIT_BYTES } else { LIMIT };
    match kind {
        ParamKind::Share if (0.0..=1e6).contains(&base) => Ok(ParamValue::Ppm(base as u32)),
        ParamKind::Share => Err("write a share from 0 % to 100 %".to_owned()),
        _ if !(1.0..limit).contains(&base) && base != 0.0 => {
            Err("the value is negative or out of range".to_owned())
        }
        ParamKind::Time if base > LONGEST_NS => {
            Err("a time is at most 100 days: a simulated clock runs no longer".to_owned())
        }
        ParamKind::Bytes if base == 0.0 => Err("a size must be above 0".to_owned()),
        ParamKind::Bytes => Ok(ParamValue::Bytes(base as u64)),
        ParamKind::Time => Ok(ParamValue::Nanos(base as u64)),
        _ => Ok(ParamValue::BytesPerSecond(base as u64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_multiple_stays_of_its_kind() {
        let times = |value: ParamValue, factor| value.times(factor).map(|value| value.to_string());
        assert_eq!(times(ParamValue::Count(8), 0.5).unwrap(), "4");
        assert_eq!(times(ParamValue::Count(2), 0.1).unwrap(), "1", "none in flight is no load");
        assert_eq!(times(ParamValue::Nanos(500_000), 1.5).unwrap(), "750 us");
        assert_eq!(times(ParamValue::Bytes(2 << 30), 0.25).unwrap(), "512 MiB");
        assert_eq!(times(ParamValue::BytesPerSecond(1_000_000), 2.0).unwrap(), "2 MB/s");
        assert_eq!(times(ParamValue::Ppm(700_000), 2.0).unwrap(), "100 %", "no more than all");
        assert_eq!(times(ParamValue::Text("steady".into()), 2.0), None);
        assert_eq!(times(ParamValue::Flag(true), 2.0), None);
    }
}
