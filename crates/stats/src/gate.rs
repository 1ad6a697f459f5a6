//! What a run on a real drive has to pass before its numbers are believed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A question that is asked of a run. The limits are those that testers of drives use; a run of
/// which something cannot be seen is not asked about it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Gate {
    /// Bytes that other programs moved on the drive, as a share of those of the test.
    OthersIo,
    /// The highest temperature of the drive, degrees Celsius: near its maker's limit it may
    /// throttle.
    Temperature,
    /// Whether its link changed: 1 if it did.
    Link,
    /// Errors that its health log counted meanwhile.
    Errors,
    /// By which share the test did less than the rate that it asked for.
    Rate,
    /// Standard deviation of the rate over five parts of the run, as a share of its mean.
    Steadiness,
    /// Seconds that the machine slept meanwhile.
    Sleep,
}

impl Gate {
    /// All of them.
    pub const ALL: [Gate; 7] = [
        Gate::OthersIo,
        Gate::Temperature,
        Gate::Link,
        Gate::Errors,
        Gate::Rate,
        Gate::Steadiness,
        Gate::Sleep,
    ];

    /// What is wrong with a run that does not pass.
    pub fn complaint(self) -> &'static str {
        match self {
            Gate::OthersIo => "other programs used it while it was measured",
            Gate::Temperature => "it was so near its limit of temperature that it may throttle",
            Gate::Link => "its link changed while it was measured",
            Gate::Errors => "its health log counted errors while it was measured",
            Gate::Rate => "it did not do the rate that the test asked for",
            Gate::Steadiness => "it was not steady where the test takes it to be",
            Gate::Sleep => "the machine slept while it was measured",
        }
    }
}

/// The answer for one run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Judged {
    /// What was asked.
    pub gate: Gate,
    /// What was found, in the unit of the gate.
    pub found: f64,
    /// The most that passes.
    pub limit: f64,
}

impl Judged {
    /// Whether the run passes.
    pub fn passes(&self) -> bool {
        self.found <= self.limit
    }
}

/// The answers for all runs of a test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GateTotal {
    /// What was asked.
    pub gate: Gate,
    /// Runs of which it could be told; of those that are missing nothing is known.
    pub runs: u64,
    /// Runs that did not pass.
    pub failed: u64,
    /// What was found in the worst run, in the unit of the gate; `None` of no run.
    pub worst: Option<f64>,
}

impl GateTotal {
    /// For each gate, in their order, over all answers of a test.
    pub fn of(answers: &[Judged]) -> Vec<Self> {
        let total = |gate| {
            let own = || answers.iter().filter(move |answer| answer.gate == gate);
            let worst = own().map(|answer| answer.found).reduce(f64::max);
            let failed = own().filter(|answer| !answer.passes()).count() as u64;
            Self { gate, runs: own().count() as u64, failed, worst }
        };
        Gate::ALL.map(total).to_vec()
    }

    /// Those that a Record keeps with a real target, in its configuration; `None` of a model.
    pub fn kept(configuration: &Value) -> Option<Vec<Self>> {
        Vec::deserialize(&configuration["gates"]).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_at_the_limit_passes() {
        let judged = |found| Judged { gate: Gate::Rate, found, limit: 0.03 };
        assert!(judged(0.03).passes() && !judged(0.031).passes());
        assert!(!judged(f64::NAN).passes(), "a doubt is a failure");
    }

    #[test]
    fn totals_count_runs_and_name_what_nobody_could_tell() {
        let judged = |gate, found| Judged { gate, found, limit: 1.0 };
        let answers = [judged(Gate::Rate, 0.5), judged(Gate::Rate, 2.0), judged(Gate::Sleep, 0.0)];
        let totals = GateTotal::of(&answers);
        assert_eq!(totals.len(), Gate::ALL.len());
        let of = |gate| totals.iter().find(|total| total.gate == gate).unwrap();
        let rate = of(Gate::Rate);
        assert_eq!((rate.runs, rate.failed, rate.worst), (2, 1, Some(2.0)));
        assert_eq!((of(Gate::Errors).runs, of(Gate::Errors).worst), (0, None));
    }
}
