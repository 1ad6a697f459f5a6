//! What is wrong with a trace, where, and how to fix it.

use std::fmt;

/// Why a trace cannot be read on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceError {
    /// The file, as the user named it.
    pub file: String,
    /// Line of a text, counted from 1; of a binary trace the record.
    pub line: Option<u64>,
    /// Column in bytes, counted from 1, if a part of the line is wrong.
    pub column: Option<u64>,
    /// What is wrong, in one sentence without a final stop.
    pub message: String,
    /// How to fix it, if that is known.
    pub help: Option<String>,
}

impl TraceError {
    /// An error about a whole file.
    pub(crate) fn about(file: &str, message: impl Into<String>) -> Self {
        let (file, message) = (file.to_owned(), message.into());
        TraceError { file, line: None, column: None, message, help: None }
    }

    /// The same with a sentence that says how to fix it.
    #[must_use]
    pub(crate) fn with_help(self, help: impl Into<String>) -> Self {
        TraceError { help: Some(help.into()), ..self }
    }

    /// The same at a line or record.
    #[must_use]
    pub(crate) fn at(self, line: u64) -> Self {
        TraceError { line: Some(line), ..self }
    }

    /// `file:line:column`, as far as it is known.
    pub fn place(&self) -> String {
        match (self.line, self.column) {
            (Some(line), Some(column)) => format!("{}:{line}:{column}", self.file),
            (Some(line), None) => format!("{}:{line}", self.file),
            _ => self.file.clone(),
        }
    }
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place(), self.message)?;
        match &self.help {
            Some(help) => write!(f, "\n  help: {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for TraceError {}

/// What is wrong with a line, before it is known which line it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wrong {
    /// Column in bytes from 1, 0 for the whole line.
    pub column: u64,
    pub message: String,
    pub help: Option<String>,
}

impl Wrong {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Wrong { column: 0, message: message.into(), help: None }
    }

    #[must_use]
    pub(crate) fn with_help(self, help: impl Into<String>) -> Self {
        Wrong { help: Some(help.into()), ..self }
    }

    pub(crate) fn in_file(self, file: &str, line: u64) -> TraceError {
        let column = (self.column > 0).then_some(self.column);
        TraceError { line: Some(line), column, ..self.about(file) }
    }

    /// The same of a whole file.
    pub(crate) fn about(self, file: &str) -> TraceError {
        TraceError { help: self.help, ..TraceError::about(file, self.message) }
    }
}
