//! What became of a figure.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What became of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Fitted or predicted, within the aim.
    Hit,
    /// Fitted or predicted, outside the aim.
    Miss,
    /// A bound or a range that is kept.
    Held,
    /// A bound or a range that is broken.
    Failed,
    /// The limit is within the interval of the simulated value: more work may decide.
    Open,
    /// The model contains the published value, to its last digit.
    Input,
    /// The model contains another value.
    Differs,
    /// The review itself refutes the number.
    Refuted,
    /// The model says nothing about it.
    NotModelled,
    /// It could not be run, or its run went wrong.
    NotRun,
}

impl Verdict {
    /// The word in results.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Hit => "hit",
            Verdict::Miss => "miss",
            Verdict::Held => "held",
            Verdict::Failed => "failed",
            Verdict::Open => "open",
            Verdict::Input => "input",
            Verdict::Differs => "differs",
            Verdict::Refuted => "refuted",
            Verdict::NotModelled => "not_modelled",
            Verdict::NotRun => "not_run",
        }
    }

    /// The same for people.
    pub fn words(self) -> String {
        self.name().replace('_', " ")
    }

    /// Whether the figure was held against a number and counts as right, wrong or open.
    pub fn is_judged(self) -> bool {
        matches!(
            self,
            Verdict::Hit | Verdict::Miss | Verdict::Held | Verdict::Failed | Verdict::Open
        )
    }

    /// Whether it counts as right.
    pub fn is_right(self) -> bool {
        matches!(self, Verdict::Hit | Verdict::Held)
    }

    /// Whether it counts as wrong.
    pub fn is_wrong(self) -> bool {
        matches!(self, Verdict::Miss | Verdict::Failed)
    }
}
