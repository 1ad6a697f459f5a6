//! Units of published numbers and their conversion to one base unit a dimension.

use super::spelling;

/// What a number measures. A unit converts only within its dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dimension {
    /// Events a second: base 1/s (I/O operations or transactions).
    Rate,
    /// Bytes over time: base B/s.
    Bandwidth,
    /// Time: base s.
    Time,
    /// Power: base W.
    Power,
    /// Energy: base J.
    Energy,
    /// Amount of data: base B.
    Bytes,
    /// A count, a ratio or a share: base 1.
    Number,
    /// Degrees Celsius, which have no conversion.
    Temperature,
    /// Money, alone or for an amount of data; no conversion between currencies.
    Money,
    /// Points of a benchmark, comparable only with themselves.
    Score,
}

impl Dimension {
    /// The unit in which a [`Measurement`](super::Measurement) states values of this dimension.
    pub fn base(self) -> &'static str {
        match self {
            Dimension::Rate => "1/s",
            Dimension::Bandwidth => "B/s",
            Dimension::Time => "s",
            Dimension::Power => "W",
            Dimension::Energy => "J",
            Dimension::Bytes => "B",
            Dimension::Number => "1",
            Dimension::Temperature => "C",
            Dimension::Money => "USD",
            Dimension::Score => "points",
        }
    }

    /// The dimension of a base unit, as saved results name it.
    pub fn of_base(unit: &str) -> Option<Self> {
        const ALL: [Dimension; 10] = [
            Dimension::Rate,
            Dimension::Bandwidth,
            Dimension::Time,
            Dimension::Power,
            Dimension::Energy,
            Dimension::Bytes,
            Dimension::Number,
            Dimension::Temperature,
            Dimension::Money,
            Dimension::Score,
        ];
        ALL.into_iter().find(|dimension| dimension.base() == unit)
    }
}

/// A unit as a reviews file writes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    /// How it is written.
    pub symbol: &'static str,
    /// What it measures.
    pub dimension: Dimension,
    /// How many base units one of it is.
    pub factor: f64,
}

const DAY: f64 = 86_400.0;
/// Seconds of a year of 365 days, as guarantees count it.
pub const YEAR_S: f64 = 365.0 * DAY;
const KIB: f64 = 1024.0;

macro_rules! units {
    ($($symbol:literal $dimension:ident $factor:expr;)*) => {
        /// Every unit, in the order of the documentation.
        pub const UNITS: &[Unit] = &[$(
            Unit { symbol: $symbol, dimension: Dimension::$dimension, factor: $factor },
        )*];
    };
}

units! {
    "IOPS" Rate 1.0;
    "kIOPS" Rate 1e3;
    "MIOPS" Rate 1e6;
    "tx/s" Rate 1.0;
    "B/s" Bandwidth 1.0;
    "kB/s" Bandwidth 1e3;
    "MB/s" Bandwidth 1e6;
    "GB/s" Bandwidth 1e9;
    "KiB/s" Bandwidth KIB;
    "MiB/s" Bandwidth KIB * KIB;
    "GiB/s" Bandwidth KIB * KIB * KIB;
    "GB/day" Bandwidth 1e9 / DAY;
    "TB/day" Bandwidth 1e12 / DAY;
    "ns" Time 1e-9;
    "us" Time 1e-6;
    "ms" Time 1e-3;
    "s" Time 1.0;
    "min" Time 60.0;
    "h" Time 3600.0;
    "days" Time DAY;
    "months" Time YEAR_S / 12.0;
    "years" Time YEAR_S;
    "mW" Power 1e-3;
    "W" Power 1.0;
    "nJ" Energy 1e-9;
    "uJ" Energy 1e-6;
    "mJ" Energy 1e-3;
    "J" Energy 1.0;
    "B" Bytes 1.0;
    "kB" Bytes 1e3;
    "MB" Bytes 1e6;
    "GB" Bytes 1e9;
    "TB" Bytes 1e12;
    "PB" Bytes 1e15;
    "KiB" Bytes KIB;
    "MiB" Bytes KIB * KIB;
    "GiB" Bytes KIB * KIB * KIB;
    "TiB" Bytes KIB * KIB * KIB * KIB;
    "1" Number 1.0;
    "x" Number 1.0;
    "%" Number 0.01;
    "die" Number 1.0;
    "drive" Number 1.0;
    "channel" Number 1.0;
    "package" Number 1.0;
    "bit" Number 1.0;
    "cycles" Number 1.0;
    "VM" Number 1.0;
    "C" Temperature 1.0;
    "USD" Money 1.0;
    "USD/GB" Money 1.0;
    "points" Score 1.0;
}

/// Other spellings of symbols.
pub const OTHER_SYMBOLS: [(&str, &str); 5] =
    [("µs", "us"), ("μs", "us"), ("M IOPS", "MIOPS"), ("dies", "die"), ("drives", "drive")];

impl Unit {
    /// The unit of that symbol. Letters count: `mW` is not `MW`; `µs` is read as `us`, and
    /// `M IOPS`, as values are shown, as `MIOPS`.
    pub fn parse(symbol: &str) -> Option<Unit> {
        let symbol = symbol.trim();
        let other = OTHER_SYMBOLS.iter().find(|(other, _)| *other == symbol);
        let symbol = other.map_or(symbol, |(_, symbol)| symbol);
        UNITS.iter().copied().find(|unit| unit.symbol == symbol)
    }

    /// The unit of that symbol.
    ///
    /// # Errors
    /// If no unit has this symbol: a hint at the nearest symbols.
    pub fn parse_or_hint(symbol: &str) -> Result<Unit, String> {
        Unit::parse(symbol)
            .ok_or_else(|| spelling::hint("units", symbol, UNITS.iter().map(|unit| unit.symbol)))
    }

    /// A value of this unit in the base unit.
    pub fn to_base(self, value: f64) -> f64 {
        value * self.factor
    }

    /// A value of the base unit in this unit.
    pub fn from_base(self, value: f64) -> f64 {
        value / self.factor
    }
}

/// Splits `"4 KiB"` or `"10%"` into number and unit, which may be missing; nothing is said about
/// what the unit is. Digits may be grouped by `_`; there is no exponent.
pub fn split_quantity(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '_' | '+' | '-')))
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let number: f64 = number.replace('_', "").parse().ok()?;
    number.is_finite().then_some((number, unit.trim()))
}

/// Reads `"4 KiB"` or `"10%"` as a number and a known unit, which may be missing.
pub fn parse_quantity(text: &str) -> Option<(f64, Option<Unit>)> {
    match split_quantity(text)? {
        (number, "") => Some((number, None)),
        (number, unit) => Some((number, Some(Unit::parse(unit)?))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_and_decimal_units_differ() {
        let [mb, mib] = ["MB/s", "MiB/s"].map(|symbol| Unit::parse(symbol).unwrap());
        assert_eq!(mb.from_base(mib.to_base(144.67)), 144.67 * 1.048_576);
        assert_eq!(Unit::parse("µs"), Unit::parse("us"));
        assert_eq!(Unit::parse("mb/s"), None, "a wrong case is refused, not guessed");
        assert_eq!(Unit::parse_or_hint("mb/s").unwrap_err(), "did you mean `MB/s`?");
    }

    #[test]
    fn a_quantity_is_a_number_and_a_unit() {
        let read = |text| parse_quantity(text).map(|(n, u)| (n, u.map(|u| u.symbol)));
        assert_eq!(read("4 KiB"), Some((4.0, Some("KiB"))));
        assert_eq!(read("12.5%"), Some((12.5, Some("%"))));
        assert_eq!(read("64"), Some((64.0, None)));
        assert_eq!(read("4 lightyears"), None);
        assert_eq!(read("1.12 M IOPS"), Some((1.12, Some("MIOPS"))));
        assert_eq!(read("10_000 cycles"), Some((1e4, Some("cycles"))));
        assert_eq!(read("1e3 us"), None, "no exponent");
        let endless = "9".repeat(400);
        assert_eq!(parse_quantity(&endless), None, "beyond all numbers");
        assert_eq!(read("KiB"), None);
        assert_eq!(read(""), None);
    }

    #[test]
    fn a_split_knows_no_units() {
        assert_eq!(split_quantity(" 50 times "), Some((50.0, "times")));
        assert_eq!(split_quantity("1.145x"), Some((1.145, "x")));
        assert_eq!(split_quantity("12"), Some((12.0, "")));
        assert_eq!(split_quantity("- us"), None);
    }

    #[test]
    fn a_base_unit_names_its_dimension() {
        for unit in UNITS {
            assert_eq!(Dimension::of_base(unit.dimension.base()), Some(unit.dimension));
        }
        assert_eq!(Dimension::of_base("share"), None);
    }

    #[test]
    fn every_symbol_is_unique() {
        for (i, unit) in UNITS.iter().enumerate() {
            assert_eq!(UNITS.iter().position(|other| other.symbol == unit.symbol), Some(i));
        }
    }
}
