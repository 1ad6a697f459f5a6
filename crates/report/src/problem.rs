//! What a report could not use.

/// A file, or a part of one, that is not in the report.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// File name as the user wrote it.
    pub source: String,
    /// What is wrong and, where there is one, the way out: a sentence, without the file's name.
    pub message: String,
}

impl Problem {
    /// A problem of a file.
    pub fn new(source: impl Into<String>, message: impl Into<String>) -> Self {
        Self { source: source.into(), message: message.into() }
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.source, self.message)
    }
}
