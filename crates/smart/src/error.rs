//! What is wrong with a health log, or with a pair of them, and how to fix it.

use std::fmt;

/// Line and column of a place in a file, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Line.
    pub line: u32,
    /// Column in characters.
    pub column: u32,
}

impl Position {
    /// The position of a byte of a text.
    pub fn of(text: &str, byte: usize) -> Self {
        let mut end = byte.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &text[..end];
        let line = before.matches('\n').count() as u32 + 1;
        let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count()) as u32 + 1;
        Position { line, column }
    }
}

/// An error about a health log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct SmartError {
    /// The file as the user named it; empty if the error is about several files.
    pub file: String,
    /// Where in the file, if one place is to blame.
    pub position: Option<Position>,
    /// What is wrong, in one sentence without a final stop.
    pub message: String,
    /// How to fix it.
    pub help: Option<String>,
}

impl SmartError {
    /// An error about a file as a whole.
    pub fn new(file: &str, message: impl Into<String>) -> Self {
        SmartError { file: file.to_owned(), position: None, message: message.into(), help: None }
    }

    /// The same at a position.
    #[must_use]
    pub fn at(mut self, position: Position) -> Self {
        self.position = Some(position);
        self
    }

    /// The same with a sentence that says how to fix it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// File, line and column as far as they are known: `a.json:3:7`.
    pub fn place(&self) -> Option<String> {
        match (self.file.as_str(), self.position) {
            ("", _) => None,
            (file, Some(p)) => Some(format!("{file}:{}:{}", p.line, p.column)),
            (file, None) => Some(file.to_owned()),
        }
    }
}

impl fmt::Display for SmartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = self.place() {
            write!(f, "{place}: ")?;
        }
        write!(f, "{}", self.message)?;
        match &self.help {
            Some(help) => write!(f, "\n  help: {help}"),
            None => Ok(()),
        }
    }
}
