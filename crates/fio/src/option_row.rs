//! What a row of the table of options says.

use crate::arithmetic;
use crate::number::Suffix;

/// The unit of a time without a suffix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    /// Microseconds.
    Microseconds,
    /// Milliseconds.
    Milliseconds,
    /// Seconds.
    Seconds,
}

impl TimeUnit {
    /// Microseconds in one.
    pub fn microseconds(self) -> u64 {
        match self {
            Self::Microseconds => 1,
            Self::Milliseconds => 1_000,
            Self::Seconds => 1_000_000,
        }
    }
}

/// What may follow the `=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing (on), `0` or `1`.
    Flag,
    /// `0` or `1`.
    Bool,
    /// An integer between two bounds, both included; suffixes k, m, g, ... are understood.
    Int(u64, u64),
    /// An integer or up to three, for reads, writes and trims, between two bounds.
    IntByDirection(u64, u64),
    /// Bytes, with the suffixes k, m, g, t, p.
    Bytes,
    /// Bytes for reads, writes and trims.
    BytesByDirection,
    /// Bytes, or a percentage of the file or device.
    Span,
    /// A time with the suffixes us, ms, s, m, h, d.
    Time(TimeUnit),
    /// One of these words.
    Words(&'static [&'static str]),
    /// A text that may not be empty.
    Text,
    /// A text, or nothing.
    TextOrNothing,
    /// A form of its own, described here.
    Form(&'static str),
}

/// What becomes of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// It has the meaning it has in fio.
    Honoured,
    /// It has no meaning on a model: one warning a file, with this reason.
    Ignored(&'static str),
    /// A job that needs it cannot run on a model, for this reason.
    Refused(&'static str),
}

/// One option.
#[derive(Clone, Copy, Debug)]
pub struct OptionRow {
    /// The name under which it is echoed in reports.
    pub name: &'static str,
    /// Other names for it.
    pub aliases: &'static [&'static str],
    /// What it takes.
    pub kind: Kind,
    /// What becomes of it.
    pub class: Class,
    /// What it does, in a line.
    pub help: &'static str,
}

impl OptionRow {
    /// Microseconds in one time such as `30`, `30s` or `(1m+5s)`; a bare number counts the unit of
    /// the option. `None` for anything else.
    pub fn microseconds(&self, text: &str) -> Option<u64> {
        arithmetic::parse(text, Suffix::Time { default_us: self.bare_us() }).ok()
    }

    /// Microseconds that a time without a suffix counts.
    pub(crate) fn bare_us(&self) -> u64 {
        match self.kind {
            Kind::Time(unit) => unit.microseconds(),
            // Forms that hold times, such as `startdelay`.
            _ => TimeUnit::Seconds.microseconds(),
        }
    }
}
