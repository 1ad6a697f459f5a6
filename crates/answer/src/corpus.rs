//! The answer of `drivelab corpus`.

use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// What became of every job file below a folder.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Corpus {
    /// The files, in order.
    pub files: Vec<CorpusFile>,
    /// Files that ran.
    pub ran: usize,
    /// Files that were refused.
    pub refused: usize,
    /// Files that drivelab failed on.
    pub broken: usize,
}

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CorpusFile {
    /// Its path.
    pub file: String,
    /// Values that were assumed for variables without one.
    pub assumed: BTreeMap<String, String>,
    /// What became of it.
    #[serde(flatten)]
    pub fate: Fate,
}

/// What became of a file, by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Fate {
    /// It ran.
    Ran(Ran),
    /// It was refused, and why.
    Refused(String),
    /// drivelab failed on it, and how.
    Broken(String),
}

/// A file that ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Ran {
    /// Its jobs.
    pub jobs: usize,
    /// I/Os that they did.
    pub ios: u64,
    /// Warnings.
    pub warnings: usize,
    /// Whether the budget ended it.
    pub ended_by_budget: bool,
}
