//! How much of a system a kind of access takes to be as on the whole.

use std::fmt;

/// Accesses that a part of a system may be too small for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accesses {
    /// Reads and writes at random.
    Random,
    /// Writes at random.
    RandomWrites,
}

/// A part of a system that is too small for some accesses: they would give another number.
#[derive(Clone, Debug, PartialEq)]
pub struct Least {
    /// The accesses.
    pub accesses: Accesses,
    /// Share of the system that is enough, above 0 and at most 1.
    pub share: f64,
    /// The same of all its flash drives together, as `--scale` counts, bytes.
    pub bytes: f64,
    /// What differs on the part.
    pub why: String,
}

impl fmt::Display for Least {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let accesses = match self.accesses {
            Accesses::Random => "random accesses",
            Accesses::RandomWrites => "random writes",
        };
        write!(f, "{accesses} on so small a part are not those on the whole: {}", self.why)
    }
}
