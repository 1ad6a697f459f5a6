//! What became of a claim.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What became of a claim, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Said {
    /// Every comparison holds.
    Held,
    /// One does not.
    Failed,
    /// None fails, and of one the limit is within the interval of the simulated value.
    Open,
    /// None fails, and one cannot be made.
    Unchecked,
}

impl Said {
    /// The word in results.
    pub fn name(self) -> &'static str {
        match self {
            Said::Held => "held",
            Said::Failed => "failed",
            Said::Open => "open",
            Said::Unchecked => "unchecked",
        }
    }

    /// The same for people.
    pub fn words(self) -> &'static str {
        match self {
            Said::Unchecked => "not checkable",
            other => other.name(),
        }
    }
}

/// One claim after its checks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Claim {
    /// Name of the claim.
    pub id: String,
    /// `true` or `false`; `null` if it is open or cannot be checked.
    pub held: Option<bool>,
    /// The same in a word; earlier versions did not say it.
    pub verdict: Option<Said>,
    /// Both numbers of every check, or why there are none.
    #[serde(default)]
    pub evidence: String,
    /// What the review says.
    #[serde(default)]
    pub claim: String,
    /// The review.
    #[serde(default)]
    pub review: String,
}

impl Claim {
    /// What became of it.
    pub fn said(&self) -> Said {
        self.verdict.unwrap_or(match self.held {
            Some(true) => Said::Held,
            Some(false) => Said::Failed,
            None => Said::Unchecked,
        })
    }
}
