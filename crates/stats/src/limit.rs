//! What limited a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a run waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LimitedBy {
    /// The interface, or the controller's data path behind it.
    Link,
    /// The controller's cores.
    Cores,
    /// The channels between the controller and the dies.
    Channels,
    /// The dies or their planes.
    Dies,
    /// The number of dies that may program at once.
    Programs,
    /// The arm of a disk, or the dies of a module that is written in place.
    Media,
    /// A limit on the mean power.
    Power,
    /// Room in the write buffer, or what collection gains.
    Buffer,
    /// What the system has besides its drives: shared links, processors, the array's own threads.
    System,
    /// Not the target: the source of the I/Os.
    Host,
}

impl LimitedBy {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            LimitedBy::Link => "link",
            LimitedBy::Cores => "cores",
            LimitedBy::Channels => "channels",
            LimitedBy::Dies => "dies",
            LimitedBy::Programs => "programs",
            LimitedBy::Media => "media",
            LimitedBy::Power => "power",
            LimitedBy::Buffer => "buffer",
            LimitedBy::System => "system",
            LimitedBy::Host => "host",
        }
    }
}

/// What limits a part of a run, by what is most in use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Limit {
    /// The part: its sections, or the step of a method.
    pub of: String,
    /// What it is.
    pub by: LimitedBy,
    /// Share of the measured time, or of what it can do, that is used.
    pub share: f64,
    /// The same with its values.
    pub detail: String,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.by.word(), self.detail)
    }
}

/// Parts one after the other that the same thing limits: their name, of the first and the last if
/// there are several, and the limit of the last.
pub fn stretches(limits: &[Limit]) -> impl Iterator<Item = (String, &Limit)> {
    limits.chunk_by(|a, b| a.by == b.by).filter_map(|same| {
        let (first, last) = (same.first()?, same.last()?);
        let part = match first.of == last.of {
            true => last.of.clone(),
            false => format!("{} to {}", first.of, last.of),
        };
        Some((part, last))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretch_is_named_by_its_first_and_last_part() {
        let limit = |of: &str, by: LimitedBy, share: f64| {
            let (of, detail) = (of.to_owned(), share.to_string());
            Limit { of, by, share, detail }
        };
        let limits = [
            limit("qd=1", LimitedBy::Host, 0.1),
            limit("qd=1", LimitedBy::Host, 0.2),
            limit("qd=8", LimitedBy::Dies, 0.3),
            limit("qd=16", LimitedBy::Dies, 0.4),
        ];
        let parts: Vec<String> = stretches(&limits).map(|(part, _)| part).collect();
        assert_eq!(parts, ["qd=1", "qd=8 to qd=16"]);
    }
}
