//! Quantities with their units in the type. Configuration text must carry the unit (`"4 KiB"`,
//! `"80 us"`); a bare number is refused. Only `KiB/MiB/GiB/TiB` (powers of two) and
//! `kB/MB/GB/TB` (powers of ten) are known, never `K`.

use crate::narrow::{saturated, whole};
use crate::time::{Duration, PS_PER_SECOND};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::fmt;
use std::str::FromStr;

/// Why a text is not a quantity of the wanted kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnitError {
    /// A number without a unit.
    #[error("`{text}` has no unit; write for example `{example}`")]
    NoUnit {
        /// What was written.
        text: String,
        /// A correct spelling.
        example: &'static str,
    },
    /// The unit is not one of this kind of quantity.
    #[error("`{unit}` is not a unit of {kind}; use one of {known}")]
    UnknownUnit {
        /// The unit as written.
        unit: String,
        /// What the quantity is.
        kind: &'static str,
        /// The units that would do.
        known: String,
    },
    /// The part before the unit is not a number, or is negative, or too large.
    #[error("`{text}` does not begin with a number from 0 to the limit of {kind}")]
    BadNumber {
        /// What was written.
        text: String,
        /// What the quantity is.
        kind: &'static str,
    },
    /// A time that no simulated clock reaches.
    #[error("`{text}` is longer than a simulated clock runs (100 days); write a shorter time")]
    TooLong {
        /// What was written.
        text: String,
    },
}

/// How a quantity is written, for code that explains or checks a text without reading it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spelling {
    /// What the quantity is.
    pub kind: &'static str,
    /// A correct spelling.
    pub example: &'static str,
    /// The units that will do; any word will if there are none.
    pub units: Vec<&'static str>,
    /// Whether it can be below zero.
    pub signed: bool,
}

impl Spelling {
    /// A regular expression for all that is read. Numbers that are too large match it too.
    pub fn pattern(&self) -> String {
        if self.units.is_empty() {
            return r"^\s*\+?[0-9]+\s+\S.*$".to_owned();
        }
        let sign = if self.signed { "[+-]?" } else { r"\+?" };
        let number = r"([0-9][0-9_]*(\.[0-9_]*)?|\.[0-9][0-9_]*)";
        format!(r"^\s*{sign}{number}\s*({})\s*$", self.units.join("|"))
    }
}

/// A type whose values are texts with a unit.
pub trait Quantity: FromStr<Err = UnitError> {
    /// How its values are written.
    fn spelling() -> Spelling;
}

/// The names of a table of units.
pub(crate) fn names(units: Units) -> Vec<&'static str> {
    units.iter().map(|(name, _)| *name).collect()
}

/// A table of units of one kind: name and factor to the base unit.
pub(crate) type Units = &'static [(&'static str, f64)];

pub(crate) fn parse_quantity(
    text: &str,
    kind: &'static str,
    example: &'static str,
    units: Units,
) -> Result<u64, UnitError> {
    let trimmed = text.trim();
    let split = trimmed
        .find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_' || c == '-' || c == '+'))
        .unwrap_or(trimmed.len());
    let (number, unit) = (trimmed[..split].replace('_', ""), trimmed[split..].trim());
    if unit.is_empty() {
        return Err(UnitError::NoUnit { text: trimmed.to_owned(), example });
    }
    let Some(&(_, factor)) = units.iter().find(|(name, _)| *name == unit) else {
        let known = units.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        return Err(UnitError::UnknownUnit { unit: unit.to_owned(), kind, known });
    };
    let bad = || UnitError::BadNumber { text: trimmed.to_owned(), kind };
    let value: f64 = number.parse().map_err(|_| bad())?;
    let base = libm::round(value * factor);
    if !(0.0..9.2e18).contains(&base) {
        return Err(bad());
    }
    Ok(whole(base))
}

macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident, $kind:literal, $example:literal, $units:expr, $print:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
        pub struct $name(u64);

        impl $name {
            /// From the base unit of the type.
            pub const fn from_base(value: u64) -> Self {
                $name(value)
            }

            /// The value in the base unit of the type.
            pub const fn base(self) -> u64 {
                self.0
            }
        }

        impl FromStr for $name {
            type Err = UnitError;
            fn from_str(text: &str) -> Result<Self, UnitError> {
                $crate::units::parse_quantity(text, $kind, $example, $units).map($name)
            }
        }

        impl $crate::units::Quantity for $name {
            fn spelling() -> $crate::units::Spelling {
                let units = $crate::units::names($units);
                $crate::units::Spelling { kind: $kind, example: $example, units, signed: false }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let print: fn(u64) -> (f64, &'static str) = $print;
                let (value, unit) = print(self.0);
                write!(f, "{value} {unit}")
            }
        }

        text_serde!($name);
    };
}

macro_rules! text_serde {
    ($name:ident) => {
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                let text = $crate::units::TextOrNumber::deserialize(d)?.text();
                text.parse().map_err(D::Error::custom)
            }
        }
    };
}

/// Accepts a bare number only to refuse it with the message that names the missing unit.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum TextOrNumber {
    Text(String),
    Integer(i64),
    Float(f64),
}

impl TextOrNumber {
    pub(crate) fn text(self) -> String {
        match self {
            TextOrNumber::Text(text) => text,
            TextOrNumber::Integer(number) => number.to_string(),
            TextOrNumber::Float(number) => number.to_string(),
        }
    }
}

pub(crate) use {quantity, text_serde};

const BYTE_UNITS: Units = &[
    ("B", 1.0),
    ("KiB", 1024.0),
    ("MiB", 1048576.0),
    ("GiB", 1073741824.0),
    ("TiB", 1099511627776.0),
    ("kB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("TB", 1e12),
];

quantity!(
    /// An amount of data, in bytes.
    Bytes, "data", "4 KiB", BYTE_UNITS,
    |v| match v {
        _ if v >= 1 << 40 && v % (1 << 30) == 0 => (v as f64 / (1u64 << 40) as f64, "TiB"),
        _ if v >= 1 << 30 && v % (1 << 20) == 0 => (v as f64 / (1 << 30) as f64, "GiB"),
        _ if v >= 1 << 20 && v % (1 << 10) == 0 => (v as f64 / (1 << 20) as f64, "MiB"),
        _ if v >= 1 << 10 && v % 1024 == 0 => (v as f64 / 1024.0, "KiB"),
        _ if v >= 1_000_000_000 && v % 1_000_000 == 0 => (v as f64 / 1e9, "GB"),
        _ => (v as f64, "B"),
    }
);

quantity!(
    /// A rate of data, in bytes a second. `MT/s` counts transfers of one byte on an 8-bit bus.
    Bandwidth, "bandwidth", "1200 MB/s",
    &[
        ("B/s", 1.0),
        ("kB/s", 1e3),
        ("MB/s", 1e6),
        ("GB/s", 1e9),
        ("KiB/s", 1024.0),
        ("MiB/s", 1048576.0),
        ("GiB/s", 1073741824.0),
        ("MT/s", 1e6),
    ],
    |v| (v as f64 / 1e6, "MB/s")
);

quantity!(
    /// Power, in microwatts.
    Power, "power", "5 W", &[("uW", 1.0), ("mW", 1e3), ("W", 1e6)],
    |v| (v as f64 / 1e6, "W")
);

quantity!(
    /// Energy, in picojoules. `nJ/B` is energy for each byte moved.
    Energy, "energy", "9.8 uJ",
    &[
        ("pJ", 1.0),
        ("nJ", 1e3),
        ("uJ", 1e6),
        ("mJ", 1e9),
        ("J", 1e12),
        ("pJ/B", 1.0),
        ("nJ/B", 1e3),
    ],
    |v| match v {
        0..1_000_000 => (v as f64 / 1e3, "nJ"),
        _ => (v as f64 / 1e6, "uJ"),
    }
);

quantity!(
    /// A share of a whole, in parts per million; `"40 %"` or `"1.145 x"` (a multiple).
    Ratio, "ratio", "12.5 %", &[("%", 1e4), ("ppm", 1.0), ("x", 1e6)],
    |v| (v as f64 / 1e4, "%")
);

quantity!(
    /// A voltage, in microvolts.
    Voltage, "voltage", "25 mV", &[("uV", 1.0), ("mV", 1e3), ("V", 1e6)],
    |v| (v as f64 / 1e3, "mV")
);

impl Voltage {
    /// In millivolts.
    pub fn millivolts(self) -> f64 {
        self.0 as f64 / 1e3
    }
}

impl Bytes {
    /// `n` KiB.
    pub const fn kib(n: u64) -> Bytes {
        Bytes(n << 10)
    }

    /// `n` MiB.
    pub const fn mib(n: u64) -> Bytes {
        Bytes(n << 20)
    }

    /// `n` GiB.
    pub const fn gib(n: u64) -> Bytes {
        Bytes(n << 30)
    }
}

impl Bandwidth {
    /// Time to move `bytes`, rounded up once.
    ///
    /// # Panics
    /// If the bandwidth is zero: validated models never hold one.
    #[inline]
    pub fn time_for(self, bytes: u64) -> Duration {
        // What is moved at once is rarely beyond 18 MB, and a wide division is slow.
        if let Some(ps) = bytes.checked_mul(PS_PER_SECOND) {
            return Duration::from_ps(ps.div_ceil(self.0));
        }
        let ps = (bytes as u128 * PS_PER_SECOND as u128).div_ceil(self.0 as u128);
        Duration::from_ps(saturated(ps))
    }
}

impl Ratio {
    /// The ratio as a fraction (1.0 is the whole).
    pub fn fraction(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// `n` percent.
    pub const fn percent(n: u64) -> Ratio {
        Ratio(n * 10_000)
    }

    /// The share of `amount`, rounded down; beyond the range it is the most that the range has.
    pub fn of(self, amount: u64) -> u64 {
        saturated(amount as u128 * self.0 as u128 / 1_000_000)
    }
}

const TIME_UNITS: Units = &[
    ("ps", 1.0),
    ("ns", 1e3),
    ("us", 1e6),
    ("ms", 1e9),
    ("s", 1e12),
    ("min", 60e12),
    ("h", 3600e12),
];

impl FromStr for Duration {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let time = parse_quantity(text, "time", "80 us", TIME_UNITS).map(Duration::from_ps)?;
        if time > Duration::LONGEST {
            return Err(UnitError::TooLong { text: text.trim().to_owned() });
        }
        Ok(time)
    }
}

impl Quantity for Duration {
    fn spelling() -> Spelling {
        Spelling { kind: "time", example: "80 us", units: names(TIME_UNITS), signed: false }
    }
}

text_serde!(Duration);

/// A number of things with the thing named: `"96 dies"`, `"16 channels"`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Count {
    /// How many.
    pub number: u32,
    /// Of what, as written.
    pub noun: String,
}

impl FromStr for Count {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let trimmed = text.trim();
        let mut parts = trimmed.splitn(2, char::is_whitespace);
        let bad = || UnitError::BadNumber { text: trimmed.to_owned(), kind: "a count" };
        let number = parts.next().and_then(|n| n.parse().ok()).ok_or_else(bad)?;
        let noun = parts.next().map(str::trim).unwrap_or_default();
        if noun.is_empty() {
            return Err(UnitError::NoUnit { text: trimmed.to_owned(), example: "96 dies" });
        }
        Ok(Count { number, noun: noun.to_owned() })
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.number, self.noun)
    }
}

impl Quantity for Count {
    fn spelling() -> Spelling {
        Spelling { kind: "a count", example: "96 dies", units: Vec::new(), signed: false }
    }
}

text_serde!(Count);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_number_is_refused_with_an_example() {
        let error = "4".parse::<Bytes>().unwrap_err();
        assert_eq!(error.to_string(), "`4` has no unit; write for example `4 KiB`");
        assert!("4 K".parse::<Bytes>().is_err(), "K is ambiguous");
        assert!("-1 us".parse::<Duration>().is_err());
    }

    #[test]
    fn a_time_beyond_the_clock_is_refused() {
        assert_eq!("2400 h".parse::<Duration>(), Ok(Duration::LONGEST));
        let error = "2401 h".parse::<Duration>().unwrap_err();
        assert!(error.to_string().contains("100 days"), "{error}");
    }

    #[test]
    fn units_convert_exactly() {
        assert_eq!("15.36 TB".parse::<Bytes>().unwrap().base(), 15_360_000_000_000);
        assert_eq!("8.2 ms".parse::<Duration>().unwrap(), Duration::from_us(8_200));
        assert_eq!("1.145 x".parse::<Ratio>().unwrap().base(), 1_145_000);
        assert_eq!("96 dies".parse::<Count>().unwrap().number, 96);
        assert_eq!("29.5 mV".parse::<Voltage>().unwrap().millivolts(), 29.5);
    }

    #[test]
    fn a_share_beyond_the_range_is_the_most() {
        assert_eq!(Ratio::percent(150).of(1000), 1500);
        assert_eq!(Ratio::percent(300).of(u64::MAX), u64::MAX);
    }

    #[test]
    fn a_page_over_a_fast_bus_takes_time() {
        // 1200 MT/s: a whole-nanosecond clock would round this to nothing.
        let bus = "1200 MT/s".parse::<Bandwidth>().unwrap();
        assert_eq!(bus.time_for(1).ps(), 834);
        assert_eq!(bus.time_for(4096).ps(), 3_413_334);
    }

    #[test]
    fn a_spelling_is_one_that_is_read() {
        fn check<Q: Quantity>() {
            let spelling = Q::spelling();
            assert!(spelling.example.parse::<Q>().is_ok(), "{spelling:?}");
            for unit in &spelling.units {
                assert!(format!("1.5 {unit}").parse::<Q>().is_ok(), "{unit}");
                assert!(spelling.pattern().contains(unit));
            }
        }
        check::<Bytes>();
        check::<Bandwidth>();
        check::<Duration>();
        check::<Ratio>();
        check::<Count>();
        check::<crate::Temperature>();
    }

    proptest::proptest! {
        #[test]
        fn n_transfers_cost_one_large_one_within_a_picosecond_each(
            page in 1u64..1 << 20, n in 1u64..1000, rate in 1_000_000u64..20_000_000_000
        ) {
            let rate = Bandwidth::from_base(rate);
            let apart = rate.time_for(page).ps() * n;
            let whole = rate.time_for(page * n).ps();
            proptest::prop_assert!(apart >= whole && apart - whole <= n);
        }

        #[test]
        fn any_text_parses_or_is_refused(text in ".{0,20}") {
            let _ = text.parse::<Bytes>();
            let _ = text.parse::<Duration>();
            let _ = text.parse::<Count>();
        }
    }
}
