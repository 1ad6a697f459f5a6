//! Parameters of a method in one canonical form, so that two spellings of one run share it.

use std::collections::BTreeMap;
use std::fmt;

use super::param_table::{PARAMS, ParamKind, ParamSpec, lookup};
use super::spelling;
use super::unit::{Dimension, Unit, parse_quantity};

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

/// Order of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Uniformly random.
    Random,
    /// Ascending.
    Sequential,
}

/// What a drive has been through before a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Formatted, nothing mapped.
    Fresh,
    /// Written once in sequence.
    Filled,
    /// Written until the rate is steady; for pure reads the same as filled.
    Steady,
}

/// Method parameters, ordered by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Params {
    values: BTreeMap<&'static str, ParamValue>,
}

impl Params {
    /// Parameters from names and values as a reviews file writes them: `("block", "4 KiB")`.
    pub fn from_pairs<'a>(
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, String> {
        let mut params = Self::default();
        for (name, value) in pairs {
            params.insert(name, spelled(name, value))?;
        }
        Ok(params)
    }

    /// Adds a parameter in any accepted spelling. The error says what is wrong and how to mend
    /// it, and that a parameter was given twice under two names.
    pub fn insert(&mut self, written: &str, raw: Raw<'_>) -> Result<(), String> {
        let (spec, value) = match (written, raw) {
            ("op", _) => operation(raw)?,
            _ => {
                let (spec, unit) = lookup(written).ok_or_else(|| unknown(written))?;
                let value = convert(spec, unit, raw);
                (spec, value.map_err(|why| format!("parameter `{written}`: {why}"))?)
            }
        };
        match self.values.insert(spec.name, value) {
            Some(_) => Err(format!("parameter `{}` is given twice (as `{written}`)", spec.name)),
            None => Ok(()),
        }
    }

    /// Sets a parameter by its canonical name to a value written as text. The error says what is
    /// wrong.
    pub fn give(&mut self, name: &str, value: &str) -> Result<(), String> {
        let mut one = Self::default();
        one.insert(name, spelled(name, value))?;
        self.values.append(&mut one.values);
        Ok(())
    }

    /// These parameters, and where they are silent those of `defaults`.
    #[must_use]
    pub fn over(&self, defaults: &Params) -> Params {
        let mut merged = defaults.clone();
        for (name, value) in &self.values {
            merged.values.insert(name, value.clone());
        }
        merged
    }

    /// These parameters without those that `other` has with the same value.
    #[must_use]
    pub fn less(&self, other: &Params) -> Params {
        let mut left = self.clone();
        left.values.retain(|name, value| other.values.get(name) != Some(value));
        left
    }

    /// Takes a parameter out.
    pub fn remove(&mut self, name: &str) -> Option<ParamValue> {
        self.values.remove(name)
    }

    /// A value by canonical name.
    pub fn get(&self, name: &str) -> Option<&ParamValue> {
        self.values.get(name)
    }

    /// Names and values, ordered by name, as text: `("block", "4 KiB")`.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, String)> + '_ {
        self.values.iter().map(|(name, value)| (*name, value.to_string()))
    }

    /// Order of addresses.
    pub fn pattern(&self) -> Option<Pattern> {
        Some(pattern(self.word("pattern")?))
    }

    /// Share of operations that read, from 0 to 1.
    pub fn read_share(&self) -> Option<f64> {
        self.share("read")
    }

    /// Transfer size in bytes.
    pub fn block(&self) -> Option<u64> {
        self.bytes("block")
    }

    /// Commands outstanding in all.
    pub fn queue_depth(&self) -> Option<u64> {
        self.count("qd")
    }

    /// Workers that share the queue depth.
    pub fn jobs(&self) -> Option<u64> {
        self.count("jobs")
    }

    /// Share of the user capacity given up, from 0 to 1.
    pub fn give_up(&self) -> f64 {
        self.share("give_up").unwrap_or(0.0)
    }

    /// State of the drive before the run.
    pub fn state(&self) -> Option<State> {
        self.word("state").map(|word| match word {
            "fresh" => State::Fresh,
            "filled" => State::Filled,
            _ => State::Steady,
        })
    }

    /// Time written before the measured time, in nanoseconds.
    pub fn prewrite_ns(&self) -> Option<u64> {
        self.nanos("prewrite")
    }

    /// Order of addresses of the pre-writing; silent means the run's own.
    pub fn prewrite_pattern(&self) -> Option<Pattern> {
        self.word("prewrite_pattern").map(pattern).or_else(|| self.pattern())
    }

    /// Transfer size of the pre-writing; silent means the run's own.
    pub fn prewrite_block(&self) -> Option<u64> {
        self.bytes("prewrite_block").or_else(|| self.block())
    }

    /// Measured time in nanoseconds.
    pub fn duration_ns(&self) -> Option<u64> {
        self.nanos("duration")
    }

    /// NVMe power state.
    pub fn power_state(&self) -> u32 {
        self.count("power_state").and_then(|n| u32::try_from(n).ok()).unwrap_or(0)
    }

    /// A count by canonical name.
    pub fn count(&self, name: &str) -> Option<u64> {
        match self.get(name)? {
            ParamValue::Count(n) => Some(*n),
            _ => None,
        }
    }

    /// An amount of data by canonical name, in bytes.
    pub fn bytes(&self, name: &str) -> Option<u64> {
        match self.get(name)? {
            ParamValue::Bytes(n) => Some(*n),
            _ => None,
        }
    }

    /// A rate by canonical name, in bytes a second.
    pub fn bandwidth(&self, name: &str) -> Option<u64> {
        match self.get(name)? {
            ParamValue::BytesPerSecond(n) => Some(*n),
            _ => None,
        }
    }

    /// A time by canonical name, in nanoseconds.
    pub fn time(&self, name: &str) -> Option<u64> {
        self.nanos(name)
    }

    /// A share by canonical name, from 0 to 1.
    pub fn share(&self, name: &str) -> Option<f64> {
        match self.get(name)? {
            ParamValue::Ppm(n) => Some(f64::from(*n) / 1e6),
            _ => None,
        }
    }

    /// A truth value by canonical name.
    pub fn flag(&self, name: &str) -> Option<bool> {
        match self.get(name)? {
            ParamValue::Flag(flag) => Some(*flag),
            _ => None,
        }
    }

    fn nanos(&self, name: &str) -> Option<u64> {
        match self.get(name)? {
            ParamValue::Nanos(n) => Some(*n),
            _ => None,
        }
    }

    fn word(&self, name: &str) -> Option<&str> {
        match self.get(name)? {
            ParamValue::Text(word) => Some(word),
            _ => None,
        }
    }
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
}

/// A text as its parameter's kind wants it: truth values are words on a command line.
fn spelled<'a>(name: &str, text: &'a str) -> Raw<'a> {
    let is_flag = lookup(name).is_some_and(|(spec, _)| spec.kind == ParamKind::Flag);
    match text.trim() {
        "true" if is_flag => Raw::Flag(true),
        "false" if is_flag => Raw::Flag(false),
        _ => Raw::Text(text),
    }
}

impl fmt::Display for Params {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (name, value)) in self.values.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{name}={value}")?;
        }
        Ok(())
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

fn pattern(word: &str) -> Pattern {
    if word == "seq" { Pattern::Sequential } else { Pattern::Random }
}

fn unknown(written: &str) -> String {
    let known = PARAMS.iter().map(|spec| spec.name);
    let hint = spelling::hint("parameters", written, known);
    format!("unknown parameter `{written}`; {hint}")
}

/// `op = "read"` and `"write"` are shares of reads; a percentage here was meant for `give_up`.
fn operation(raw: Raw<'_>) -> Result<(&'static ParamSpec, ParamValue), String> {
    let spec = lookup("read").map(|(spec, _)| spec).ok_or("no parameter `read`")?;
    match raw {
        Raw::Text("read") => Ok((spec, ParamValue::Ppm(1_000_000))),
        Raw::Text("write") => Ok((spec, ParamValue::Ppm(0))),
        _ => Err("parameter `op` is \"read\" or \"write\"; a mix is read = \"70 %\", spare area \
                  is give_up = \"10 %\""
            .to_owned()),
    }
}

fn convert(spec: &ParamSpec, unit: Option<&str>, raw: Raw<'_>) -> Result<ParamValue, String> {
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
    match kind {
        ParamKind::Share if (0.0..=1e6).contains(&base) => Ok(ParamValue::Ppm(base as u32)),
        ParamKind::Share => Err("write a share from 0 % to 100 %".to_owned()),
        _ if !(1.0..LIMIT).contains(&base) && base != 0.0 => {
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

    fn one(name: &str, raw: Raw<'_>) -> Result<Params, String> {
        let mut params = Params::default();
        params.insert(name, raw).map(|()| params)
    }

    #[test]
    fn spellings_of_one_value_are_equal() {
        let same = [
            (("block_kib", Raw::Number(4.0)), ("block", Raw::Text("4 KiB"))),
            (("block", Raw::Text("4096 B")), ("block", Raw::Text("4 KiB"))),
            (("prewrite_h", Raw::Number(4.0)), ("prewrite", Raw::Text("240 min"))),
            (("duration_s", Raw::Number(600.0)), ("duration", Raw::Text("10 min"))),
            (("hours", Raw::Number(1.0)), ("duration", Raw::Text("1 h"))),
            (("op_pct", Raw::Number(10.0)), ("give_up", Raw::Text("10%"))),
            (("read_pct", Raw::Number(0.0)), ("op", Raw::Text("write"))),
            (("power_mode", Raw::Number(1.0)), ("power_state", Raw::Number(1.0))),
            (("state", Raw::Text("full")), ("state", Raw::Text("steady"))),
            (("rate_mb_s", Raw::Number(350.0)), ("rate", Raw::Text("350 MB/s"))),
        ];
        for ((a, x), (b, y)) in same {
            assert_eq!(one(a, x).unwrap(), one(b, y).unwrap(), "{a} {x:?} and {b} {y:?}");
        }
    }

    #[test]
    fn a_time_beyond_any_clock_is_refused() {
        assert!(one("duration", Raw::Text("2400 h")).is_ok());
        for text in ["2401 h", "100000 h"] {
            let why = one("duration", Raw::Text(text)).unwrap_err();
            assert!(why.contains("100 days") || why.contains("out of range"), "{text}: {why}");
        }
    }

    #[test]
    fn a_number_without_its_unit_is_refused() {
        for name in ["block", "prewrite", "read", "rate"] {
            let why = one(name, Raw::Number(4.0)).unwrap_err();
            assert!(why.contains("unit"), "{why}");
        }
        assert!(one("block", Raw::Text("4 h")).unwrap_err().contains("4 KiB"));
        assert!(one("read_pct", Raw::Number(130.0)).unwrap_err().contains("100 %"));
        assert!(one("qd", Raw::Number(0.0)).unwrap_err().contains("from 1"));
        assert!(one("qd", Raw::Number(1.5)).unwrap_err().contains("whole"));
        assert!(one("duration_s", Raw::Number(-1.0)).is_err());
        assert!(one("duration_s", Raw::Number(f64::NAN)).is_err());
        assert!(one("op", Raw::Text("10 %")).unwrap_err().contains("give_up"));
        assert!(one("queue", Raw::Number(1.0)).unwrap_err().contains("nearest parameters are "));
        assert!(one("blok", Raw::Text("4 KiB")).unwrap_err().contains("`block`"));
    }

    #[test]
    fn one_parameter_under_two_names_is_refused() {
        let both = Params::from_pairs([("block", "4 KiB"), ("block_kib", "4")]);
        assert!(both.unwrap_err().contains("twice"));
    }

    #[test]
    fn the_text_form_reads_back_to_the_same_value() {
        let params = Params::from_pairs([
            ("block", "128 KiB"),
            ("span", "16 GB"),
            ("prewrite", "4 h"),
            ("duration", "90 s"),
            ("read", "67.5 %"),
            ("qd", "32"),
            ("rate", "350 MB/s"),
        ])
        .unwrap();
        let text: Vec<(&str, String)> = params.iter().collect();
        let again =
            Params::from_pairs(text.iter().map(|(name, value)| (*name, value.as_str()))).unwrap();
        assert_eq!(again, params);
        assert_eq!(params.prewrite_ns(), Some(14_400_000_000_000));
        assert_eq!(params.read_share(), Some(0.675));
    }
}
