//! One option with its value, and the typed readings of it.

use std::collections::BTreeSet;

use super::LoadOptions;
use crate::arithmetic;
use crate::diagnostic::{Diagnostic, Place};
use crate::expand::{self, Expanded};
use crate::number::{self, Suffix, shown};
use crate::options::{self, Kind, OptionRow};
use crate::source::Item;
use crate::workload::{PerDirection, Size};

/// A line of a section after expansion, with its row of the option table.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) row: &'static OptionRow,
    /// The value; `None` if the line has no `=`.
    pub(super) text: Option<String>,
    pub(super) name_place: Place,
    pub(super) value_place: Place,
    /// Variables in the value that are not set.
    unset: Vec<String>,
}

impl Entry {
    /// Expands a line and looks its option up.
    pub(super) fn expand(item: Item, options: &LoadOptions) -> Result<Self, Diagnostic> {
        let name = expand::expand(&item.name, &options.env, &options.machine).text;
        let Some(row) = options::find(&name) else {
            let place = &item.name_place;
            let error = Diagnostic::new(place, format!("unknown option {}", shown(&name)));
            return Err(match options::nearest(&name) {
                Some(near) => error.with_help(format!("did you mean `{near}`?")),
                None => error.with_help("see the list of options that are understood"),
            });
        };
        let expanded = match &item.value {
            Some(value) => expand::expand(value, &options.env, &options.machine),
            None => Expanded::default(),
        };
        let mut text = item.value.map(|_| expanded.text);
        if !expanded.keywords.is_empty()
            && let Some(expression) = &text
            && let Ok(number) = arithmetic::evaluate(expression, Suffix::Bytes { kilo: 1024 })
        {
            // A value with keywords is an expression, and is echoed as its result.
            text = Some(number.to_string());
        }
        let (name_place, value_place) = (item.name_place, item.value_place);
        Ok(Self { row, text, name_place, value_place, unset: expanded.unset })
    }

    /// Name and value as reports show them.
    pub(super) fn echo(&self) -> (String, String) {
        (self.row.name.to_owned(), self.text.clone().unwrap_or_default())
    }
}

/// Warnings of a file: each reason once.
#[derive(Debug, Default)]
pub(super) struct Warnings {
    pub(super) list: Vec<Diagnostic>,
    seen: BTreeSet<String>,
}

impl Warnings {
    /// Adds a warning unless one with the same key was added before.
    pub(super) fn once(&mut self, key: impl Into<String>, warning: Diagnostic) {
        if self.seen.insert(key.into()) {
            self.list.push(warning);
        }
    }

    /// Warns of variables that are not set.
    pub(super) fn unset(&mut self, entry: &Entry) {
        for name in &entry.unset {
            let message = format!("`${{{name}}}` is not set and expands to nothing");
            let help = format!("set {name} in the environment");
            let warning = Diagnostic::new(&entry.value_place, message).with_help(help);
            self.once(format!("unset {name}"), warning);
        }
    }
}

/// An entry in a job whose `kb_base` is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value<'a> {
    pub(super) entry: &'a Entry,
    pub(super) kilo: u64,
}

impl<'a> Value<'a> {
    pub(super) fn name(&self) -> &'static str {
        self.entry.row.name
    }

    /// The value, empty if there is none.
    pub(super) fn text(&self) -> &'a str {
        self.entry.text.as_deref().unwrap_or("")
    }

    /// An error about the value.
    pub(super) fn error(&self, reason: impl AsRef<str>) -> Diagnostic {
        let message = format!("`{}`: {}", self.name(), reason.as_ref());
        let error = Diagnostic::new(&self.entry.value_place, message);
        match self.entry.unset.as_slice() {
            [] => error,
            [name, ..] => error.with_help(format!("set {name} in the environment")),
        }
    }

    /// The same with help, unless a variable that is not set explains the error better.
    pub(super) fn error_help(&self, reason: impl AsRef<str>, help: &str) -> Diagnostic {
        let mut error = self.error(reason);
        error.help.get_or_insert_with(|| help.to_owned());
        error
    }

    /// The value if it is not empty.
    pub(super) fn required(&self) -> Result<&'a str, Diagnostic> {
        match self.text() {
            "" => {
                let help = format!("write {}={}", self.name(), example(self.entry.row.kind));
                Err(self.error_help("the value is missing", &help))
            }
            text => Ok(text),
        }
    }

    /// Bytes, or plain numbers with the same suffixes.
    pub(super) fn bytes_of(&self, text: &str) -> Result<u64, Diagnostic> {
        arithmetic::parse(text, Suffix::Bytes { kilo: self.kilo }).map_err(|reason| {
            self.error_help(reason, "write an integer with an optional k, m, g, t or p, as in 4k")
        })
    }

    /// Bytes.
    pub(super) fn bytes(&self) -> Result<u64, Diagnostic> {
        self.bytes_of(self.required()?)
    }

    /// An integer between two bounds, both included.
    pub(super) fn int_of(&self, text: &str, min: u64, max: u64) -> Result<u64, Diagnostic> {
        let value = self.bytes_of(text)?;
        if value < min || value > max {
            let reason = format!("{} is out of range", shown(text));
            return Err(self.error_help(reason, &format!("write a number from {min} to {max}")));
        }
        Ok(value)
    }

    /// An integer within the bounds of the option's row.
    pub(super) fn int(&self) -> Result<u64, Diagnostic> {
        let (min, max) = match self.entry.row.kind {
            Kind::Int(min, max) | Kind::IntByDirection(min, max) => (min, max),
            _ => (0, i64::MAX as u64),
        };
        self.int_of(self.required()?, min, max)
    }

    /// An integer that the row bounds to 32 bits.
    pub(super) fn int32(&self) -> Result<u32, Diagnostic> {
        u32::try_from(self.int()?).map_err(|_| self.error("the number does not fit into 32 bits"))
    }

    /// The weight of a flow: negative ones are of old versions.
    pub(super) fn weight(&self) -> Result<i32, Diagnostic> {
        let text = self.required()?;
        let (sign, digits) = match text.strip_prefix('-') {
            Some(digits) => (-1, digits),
            None => (1, text),
        };
        let weight = i32::try_from(self.int_of(digits, 0, 1000)?).unwrap_or(0);
        Ok(sign * weight)
    }

    /// A flag: nothing, `0` or `1`.
    pub(super) fn flag(&self) -> Result<bool, Diagnostic> {
        match &self.entry.text {
            None => Ok(true),
            Some(_) => self.boolean(),
        }
    }

    /// `0` or `1`.
    pub(super) fn boolean(&self) -> Result<bool, Diagnostic> {
        match self.required()? {
            "0" => Ok(false),
            "1" => Ok(true),
            other => {
                let reason = format!("{} is neither 0 nor 1", shown(other));
                Err(self.error_help(reason, "write 1 for on, 0 for off"))
            }
        }
    }

    /// A time in microseconds.
    pub(super) fn time_of(&self, text: &str) -> Result<u64, Diagnostic> {
        self.time_in(text, self.entry.row.bare_us())
    }

    /// A time in microseconds, with the unit that a bare number counts.
    pub(super) fn time_in(&self, text: &str, default_us: u64) -> Result<u64, Diagnostic> {
        let time = arithmetic::parse(text, Suffix::Time { default_us }).map_err(|reason| {
            self.error_help(reason, "write an integer with an optional us, ms, s, m, h or d")
        })?;
        if time > crate::LONGEST_US {
            let reason =
                format!("{} is longer than a simulated clock runs (100 days)", shown(text));
            return Err(self.error_help(reason, "write a shorter time"));
        }
        Ok(time)
    }

    /// A time in microseconds.
    pub(super) fn time(&self) -> Result<u64, Diagnostic> {
        self.time_of(self.required()?)
    }

    /// Bytes or a percentage.
    pub(super) fn span(&self) -> Result<Size, Diagnostic> {
        let text = self.required()?;
        // fio allows a comma behind a percentage.
        let text = text.strip_suffix(',').unwrap_or(text);
        self.span_of(text)
    }

    /// Bytes or a percentage.
    pub(super) fn span_of(&self, text: &str) -> Result<Size, Diagnostic> {
        if let Some(percent) = number::percent(text) {
            return Ok(Size::Percent(percent));
        }
        if text.ends_with('%') {
            let reason = format!("{} is not a percentage", shown(text));
            return Err(self.error_help(reason, "write a whole number of percent, as in 50%"));
        }
        let in_zones = text.ends_with(['z', 'Z']) && text.starts_with(|c: char| c.is_ascii_digit());
        if in_zones {
            let reason =
                format!("{} counts zones, and zoned devices are not modelled", shown(text));
            return Err(self.error_help(reason, "write bytes or a percentage"));
        }
        self.bytes_of(text).map(Size::Bytes)
    }

    /// Up to three values: `4k` is for all directions, `4k,8k` for reads and for the rest, `,8k`
    /// for the rest only, `4k,` for reads only.
    pub(super) fn by_direction<T: Copy>(
        &self,
        read: impl Fn(&str) -> Result<T, Diagnostic>,
    ) -> Result<PerDirection<Option<T>>, Diagnostic> {
        let text = self.required()?;
        let mut result = [None; 3];
        for (slot, part) in result.iter_mut().zip(self.parts_by_direction(text)?) {
            *slot = part.map(&read).transpose()?;
        }
        Ok(result)
    }

    /// The texts of [`Value::by_direction`].
    pub(super) fn parts_by_direction<'t>(
        &self,
        text: &'t str,
    ) -> Result<PerDirection<Option<&'t str>>, Diagnostic> {
        let mut parts: Vec<&str> = text.split(',').map(str::trim).collect();
        let open_end = parts.len() > 1 && parts.last() == Some(&"");
        if open_end {
            parts.pop();
        }
        if parts.len() > 3 {
            let reason = format!("{} has {} values", shown(text), parts.len());
            return Err(self.error_help(reason, "write at most three: for reads, writes, trims"));
        }
        let mut result = [None; 3];
        for (index, slot) in result.iter_mut().enumerate() {
            let part = match parts.get(index) {
                Some(part) => Some(*part),
                None if open_end => None,
                None => parts.last().copied(),
            };
            *slot = part.filter(|part| !part.is_empty());
        }
        if result.iter().all(Option::is_none) {
            return Err(self.error(format!("{} has no value", shown(text))));
        }
        Ok(result)
    }

    /// One of the words of the option's row.
    pub(super) fn word(&self) -> Result<&'static str, Diagnostic> {
        let words = match self.entry.row.kind {
            Kind::Words(words) => words,
            _ => &[],
        };
        let text = self.required()?;
        match words.iter().find(|word| **word == text) {
            Some(word) => Ok(word),
            None => {
                let reason = format!("{} is unknown", shown(text));
                Err(self.error_help(reason, &format!("write one of {}", words.join(", "))))
            }
        }
    }

    /// A finite number that may have a fraction.
    pub(super) fn float_of(&self, text: &str) -> Result<f64, Diagnostic> {
        let plain = text.bytes().all(|byte| byte.is_ascii_digit() || b".+-eE".contains(&byte));
        match text.trim().parse::<f64>() {
            Ok(value) if plain && value.is_finite() => Ok(value),
            _ => {
                let reason = format!("{} is not a number", shown(text));
                Err(self.error_help(reason, "write a number, as in 99.9"))
            }
        }
    }

    /// Checks the value of an option that is ignored, as far as its kind allows.
    pub(super) fn check(&self) -> Result<(), Diagnostic> {
        match self.entry.row.kind {
            Kind::Flag => self.flag().map(drop),
            Kind::Bool => self.boolean().map(drop),
            Kind::Int(..) => self.int().map(drop),
            Kind::Bytes => self.bytes().map(drop),
            Kind::Span => self.span().map(drop),
            Kind::Time(_) => self.time().map(drop),
            Kind::Words(_) => self.word().map(drop),
            Kind::Text | Kind::Form(_) => self.required().map(drop),
            Kind::IntByDirection(min, max) => {
                self.by_direction(|text| self.int_of(text, min, max)).map(drop)
            }
            Kind::BytesByDirection => self.by_direction(|text| self.bytes_of(text)).map(drop),
            Kind::TextOrNothing => Ok(()),
        }
    }
}

fn example(kind: Kind) -> &'static str {
    match kind {
        Kind::Flag | Kind::Bool => "1",
        Kind::Int(..) | Kind::IntByDirection(..) => "NUMBER",
        Kind::Bytes | Kind::BytesByDirection | Kind::Span => "SIZE",
        Kind::Time(_) => "TIME",
        Kind::Words(words) => words.first().copied().unwrap_or("WORD"),
        Kind::Text | Kind::TextOrNothing => "TEXT",
        Kind::Form(form) => form,
    }
}
