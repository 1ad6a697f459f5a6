//! Parameters of a method in one canonical form, so that two spellings of one run share it.

use std::collections::BTreeMap;
use std::fmt;

use super::param_table::{PARAMS, ParamKind, ParamSpec, lookup};
use super::param_value::{ParamValue, Raw};
use super::spelling;

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
    /// As it is: nothing is purged or written first.
    Kept,
}

impl State {
    /// Its word in parameters and over time.
    pub fn word(self) -> &'static str {
        match self {
            State::Fresh => "fresh",
            State::Filled => "filled",
            State::Steady => "steady",
            State::Kept => "kept",
        }
    }
}

/// Method parameters, ordered by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Params {
    values: BTreeMap<&'static str, ParamValue>,
}

impl Params {
    /// Parameters from names and values as a reviews file writes them: `("block", "4 KiB")`.
    ///
    /// # Errors
    /// As [`Params::insert`], for the first pair that is wrong.
    pub fn from_pairs<'a>(
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, String> {
        let mut params = Self::default();
        for (name, value) in pairs {
            params.insert(name, spelled(name, value))?;
        }
        Ok(params)
    }

    /// Adds a parameter in any accepted spelling.
    ///
    /// # Errors
    /// If the parameter is unknown, if its value cannot be read, or if it is given twice, also
    /// under two names. The message contains the fix.
    pub fn insert(&mut self, written: &str, raw: Raw<'_>) -> Result<(), String> {
        let (spec, value) = match (written, raw) {
            ("op", _) => operation(raw)?,
            _ => {
                let (spec, unit) = lookup(written).ok_or_else(|| unknown(written))?;
                let value = ParamValue::read(spec, unit, raw);
                (spec, value.map_err(|why| format!("parameter `{written}`: {why}"))?)
            }
        };
        match self.values.insert(spec.name, value) {
            Some(_) => Err(format!("parameter `{}` is given twice (as `{written}`)", spec.name)),
            None => Ok(()),
        }
    }

    /// Sets a parameter by its canonical name to a value written as text.
    ///
    /// # Errors
    /// If the parameter is unknown or its value cannot be read.
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

    /// Commands outstanding in all: those of each thread times the threads, where these are said.
    pub fn queue_depth(&self) -> Option<u64> {
        let threads = || self.count("threads").unwrap_or(1);
        let of_threads = self.count("thread_qd").map(|depth| depth.saturating_mul(threads()));
        of_threads.or_else(|| self.count("qd"))
    }

    /// Workers that share the queue depth.
    pub fn jobs(&self) -> Option<u64> {
        self.count("threads").or_else(|| self.count("jobs"))
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
            "kept" => State::Kept,
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
