//! The answer of `drivelab check`: a list with one entry a file.

use schemars::JsonSchema;
use serde::Serialize;

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Checked {
    /// A job file.
    Jobs {
        /// Its name.
        file: String,
        /// `fio jobs`.
        kind: &'static str,
        /// Names of its jobs.
        jobs: Vec<String>,
        /// What would be ignored.
        warnings: Vec<Placed>,
    },
    /// A model, a method, a workload or a review.
    Other {
        /// Its name.
        file: String,
        /// What it is.
        kind: String,
        /// What it is about.
        about: String,
        /// What a user of it must know.
        warnings: Vec<Note>,
    },
    /// A file that cannot be used.
    Refused {
        /// Its name.
        file: String,
        /// Why.
        refused: Refused,
    },
}

/// A warning with its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Placed {
    /// The file, which may be included by another.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// What is said.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

/// A warning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Note {
    /// What is said.
    pub message: String,
}

/// Why a file was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Refused {
    /// What is wrong.
    pub message: String,
    /// Where: `FILE:LINE:COLUMN`.
    pub place: Option<String>,
    /// What to do.
    pub help: Option<String>,
    /// What else is wrong in it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Refused>,
}
