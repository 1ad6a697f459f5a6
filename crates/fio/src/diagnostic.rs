//! What went wrong, where, and how to fix it.

use std::fmt;
use std::sync::Arc;

/// A position in a job file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file's name as the user gave it, or as an `include` line resolved it.
    pub file: Arc<str>,
    /// Line, counted from 1.
    pub line: u32,
    /// Column in characters, counted from 1.
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// An error or a warning about a job file. The message names the option or the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The file it is about.
    pub file: Arc<str>,
    /// Line, counted from 1.
    pub line: u32,
    /// Column in characters, counted from 1.
    pub column: u32,
    /// What is wrong, in one sentence without a final stop.
    pub message: String,
    /// What to write instead, if that is known.
    pub help: Option<String>,
    /// Other mistakes that were found with this one.
    pub others: Vec<Diagnostic>,
}

impl Diagnostic {
    /// A diagnostic without help.
    pub fn new(place: &Place, message: impl Into<String>) -> Self {
        Self {
            file: place.file.clone(),
            line: place.line,
            column: place.column,
            message: message.into(),
            help: None,
            others: Vec::new(),
        }
    }

    /// Several mistakes as one: the first of the file with the others behind it. `None` if there
    /// are none.
    pub fn several(list: impl IntoIterator<Item = Diagnostic>) -> Option<Self> {
        let mut all: Vec<Diagnostic> = list.into_iter().flat_map(Self::alone).collect();
        all.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
        let mut all = all.into_iter();
        let first = all.next()?;
        Some(Self { others: all.collect(), ..first })
    }

    /// Each of the mistakes by itself.
    pub fn alone(mut self) -> impl Iterator<Item = Diagnostic> {
        let others = std::mem::take(&mut self.others);
        std::iter::once(self).chain(others)
    }

    /// The same with a sentence that says how to fix it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.message)?;
        if let Some(help) = &self.help {
            write!(f, "\n  help: {help}")?;
        }
        self.others.iter().try_for_each(|other| write!(f, "\n{other}"))
    }
}

impl std::error::Error for Diagnostic {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_mistakes_stand_in_the_order_of_the_file() {
        let at = |line| Diagnostic::new(&Place { file: "a".into(), line, column: 1 }, "wrong");
        let both = Diagnostic::several([at(7), at(2)]).unwrap();
        let all = Diagnostic::several([at(5).with_help("right"), both]).unwrap();
        assert_eq!(all.to_string(), "a:2:1: wrong\na:5:1: wrong\n  help: right\na:7:1: wrong");
        assert_eq!(Diagnostic::several([]), None);
    }
}
