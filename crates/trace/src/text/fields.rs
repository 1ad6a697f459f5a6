//! A line as fields: at commas, or semicolons, or tabs and blanks.

use crate::error::Wrong;
use crate::number::{self, NoNumber};
use crate::request::Op;

/// Fields that are looked at; the fields behind them are skipped.
const MOST: usize = 16;

/// The fields of a line, without blanks and quotation marks around them.
pub(crate) struct Fields<'a> {
    line: &'a str,
    list: [&'a str; MOST],
    count: usize,
}

impl<'a> Fields<'a> {
    /// Splits at commas, or where there are none at semicolons, or else at blanks.
    pub(crate) fn of(line: &'a str) -> Self {
        if line.contains(',') {
            Self::from(line, line.split(','))
        } else if line.contains(';') {
            Self::from(line, line.split(';'))
        } else {
            Self::blanks(line)
        }
    }

    /// Splits at blanks.
    pub(crate) fn blanks(line: &'a str) -> Self {
        Self::from(line, line.split_ascii_whitespace())
    }

    fn from(line: &'a str, parts: impl Iterator<Item = &'a str>) -> Self {
        let mut fields = Fields { line, list: [""; MOST], count: 0 };
        for part in parts.take(MOST) {
            let part = part.trim();
            let quoted = part.strip_prefix('"').and_then(|p| p.strip_suffix('"'));
            fields.list[fields.count] = quoted.unwrap_or(part).trim();
            fields.count += 1;
        }
        fields
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The line has at least this many fields.
    pub(crate) fn at_least(self, count: usize, columns: &str) -> Result<Self, Wrong> {
        if self.count >= count {
            return Ok(self);
        }
        let message = format!("the line has {} fields, and {count} are needed", self.count);
        Err(Wrong::new(message).with_help(format!("the columns are: {columns}")))
    }

    /// The field at a position; empty if there is none.
    pub(crate) fn text(&self, at: usize) -> &'a str {
        if at < self.count { self.list[at] } else { "" }
    }

    /// An error at a field.
    pub(crate) fn wrong(&self, at: usize, message: impl Into<String>) -> Wrong {
        let field = self.text(at);
        let start = field.as_ptr() as usize;
        let line = self.line.as_ptr() as usize;
        let inside = start >= line && start <= line + self.line.len() && !field.is_empty();
        let column = if inside { (start - line) as u64 + 1 } else { 0 };
        Wrong { column, message: message.into(), help: None }
    }

    fn no_number(&self, at: usize, what: &str, why: NoNumber) -> Wrong {
        let field: String = self.text(at).chars().take(40).collect();
        match why {
            NoNumber::Empty => self.wrong(at, format!("the {what} is empty")),
            why => self.wrong(at, format!("the {what} `{field}` {}", why.words())),
        }
    }

    /// A whole number.
    pub(crate) fn whole(&self, at: usize, what: &str) -> Result<u64, Wrong> {
        number::whole(self.text(at)).map_err(|why| self.no_number(at, what, why))
    }

    /// A time in a unit of this many nanoseconds, as ns.
    pub(crate) fn time(&self, at: usize, unit_ns: u64) -> Result<u64, Wrong> {
        number::scaled(self.text(at), unit_ns).map_err(|why| self.no_number(at, "time", why))
    }

    /// A time in a unit of this many nanoseconds if the field says one: it may be empty, missing,
    /// or negative where the recorder did not know.
    pub(crate) fn maybe_time(&self, at: usize, unit_ns: u64) -> Result<Option<u64>, Wrong> {
        match number::scaled(self.text(at), unit_ns) {
            Ok(ns) => Ok(Some(ns)),
            Err(NoNumber::Empty | NoNumber::Negative) => Ok(None),
            Err(why) => Err(self.no_number(at, "response time", why)),
        }
    }

    /// An operation in letters.
    pub(crate) fn op(&self, at: usize) -> Result<Op, Wrong> {
        let text = self.text(at);
        op(text).ok_or_else(|| {
            let shown: String = text.chars().take(40).collect();
            self.wrong(at, format!("`{shown}` is neither a read nor a write"))
                .with_help("write R or Read, W or Write")
        })
    }

    /// An operation as a digit.
    pub(crate) fn op_digit(&self, at: usize, read: &str, write: &str) -> Result<Op, Wrong> {
        match self.text(at) {
            text if text == read => Ok(Op::Read),
            text if text == write => Ok(Op::Write),
            text => {
                let shown: String = text.chars().take(40).collect();
                Err(self
                    .wrong(at, format!("`{shown}` is neither {read} (read) nor {write} (write)")))
            }
        }
    }
}

/// An operation in letters, in the spellings that traces have.
fn op(text: &str) -> Option<Op> {
    let is = |words: &[&str]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    if is(&["r", "read", "rs", "reads"]) {
        Some(Op::Read)
    } else if is(&["w", "write", "ws", "writes"]) {
        Some(Op::Write)
    } else if is(&["t", "trim", "d", "discard", "unmap"]) {
        Some(Op::Trim)
    } else if is(&["f", "flush", "sync"]) {
        Some(Op::Flush)
    } else {
        None
    }
}
