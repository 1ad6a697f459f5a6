//! How a measurement came to rest over the rounds of a test.

use crate::steady::{SniaCriterion, SniaVerdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Numbers round by round, of which some decide when the rounds end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Convergence {
    /// The step of the method, and the point of the sweeps around it, if there are any.
    pub name: String,
    /// What steady is.
    pub criterion: SniaCriterion,
    /// Number of the round, from 1, of each value that is judged.
    pub judged: Vec<u32>,
    /// The numbers that have to be steady.
    pub tracked: Vec<Tracked>,
    /// Others, a value a round.
    pub others: Vec<ByRound>,
}

/// A number that has to be steady.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tracked {
    /// Its value in all rounds.
    #[serde(flatten)]
    pub rounds: ByRound,
    /// What the criterion says of the last of those that are judged; rounds are counted among
    /// them. `null` if they are too few.
    pub verdict: Option<SniaVerdict>,
}

/// A number round by round, in its base unit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ByRound {
    /// Where it was measured: `STEP`, or the values of what was swept, as `read=0 % block=4 KiB`.
    pub at: String,
    /// The metric.
    pub metric: String,
    /// A value a round.
    pub values: Vec<f64>,
}

impl Convergence {
    /// Whether everything that is tracked is steady.
    pub fn steady(&self) -> bool {
        let steady = |one: &Tracked| one.verdict.is_some_and(|verdict| verdict.steady);
        !self.tracked.is_empty() && self.tracked.iter().all(steady)
    }
}
