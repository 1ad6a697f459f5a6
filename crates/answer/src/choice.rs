//! The answer of `drivelab choose`.

use crate::budget::Budget;
use crate::pairs::Pairs;
use crate::sweep::{Sought, SweepValue};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which of some drives and arrays to take for a load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Choice {
    /// [`Choice::SCHEMA`].
    pub schema: String,
    /// The load as it was named.
    pub load: String,
    /// Its method.
    pub method: String,
    /// The parameters of the method.
    pub params: Pairs<String>,
    /// I/Os a second that the load asks for; `null` where it takes what the target gives.
    pub offered_iops: Option<f64>,
    /// What the user writes and for how long, if that was asked.
    pub endurance: Option<Use>,
    /// Seeds of the runs.
    pub seeds: Vec<u64>,
    /// Models that were drawn of each candidate; `null` if intervals are those of the runs.
    pub draws: Option<u16>,
    /// Confidence of all intervals, 0 to 1: of the runs 0.95, of the real drives 0.9. The ends are
    /// named `low95` and `high95` in both.
    pub confidence: f64,
    /// The work of one run.
    pub budget: Budget,
    /// What decides between those that keep every limit.
    pub objective: Sought,
    /// The candidate to take: the best of those that surely keep every limit, or if there is none
    /// of those that fail none; `null` if all fail one.
    pub chosen: Option<String>,
    /// All candidates, the best first.
    pub candidates: Vec<Candidate>,
    /// What a reader must know.
    pub warnings: Vec<String>,
}

impl Choice {
    /// Name and version of the form.
    pub const SCHEMA: &str = "drivelab/choice/1";
}

/// What is written to a drive over its life.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Use {
    /// Usable capacities that the host writes a day.
    pub dwpd: f64,
    /// Years of it.
    pub years: f64,
}

/// A drive or array that could be taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Candidate {
    /// Its name, with what is changed about its model.
    pub name: String,
    /// Drives in it.
    pub drives: u32,
    /// Capacity that the host sees, bytes.
    pub usable_capacity: Option<f64>,
    /// Whether it keeps every limit in every condition.
    pub verdict: Verdict,
    /// What it is judged by among those that do.
    pub objective: Option<SweepValue>,
    /// Each condition: one for a drive, three for an array with redundancy.
    pub conditions: Vec<Condition>,
    /// Why it could not be measured.
    pub failure: Option<String>,
}

/// Whether a candidate keeps a limit, or all.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// With its whole interval.
    Keeps,
    /// The limit is within its interval.
    Open,
    /// Its whole interval does not, or there is no such value.
    Fails,
}

impl Verdict {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Keeps => "keeps",
            Self::Open => "open",
            Self::Fails => "fails",
        }
    }
}

/// A candidate in a condition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Condition {
    /// `healthy`, `degraded` (a drive has failed) or `rebuilding` (it was replaced).
    pub name: String,
    /// Each limit.
    pub limits: Vec<Limit>,
    /// What limits the target.
    pub limited_by: Vec<String>,
    /// Time of the whole rebuild beside the load, s.
    pub rebuild_time: Option<f64>,
}

/// A limit that a candidate has to keep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Limit {
    /// As it was written.
    pub text: String,
    /// What it is of.
    pub metric: String,
    /// The limit, in the base unit.
    pub limit: f64,
    /// The candidate's value; `null` if it has none.
    pub value: Option<SweepValue>,
    /// How far the value is from the limit, as a share of it; negative beyond.
    pub margin: Option<f64>,
    /// Whether it is kept.
    pub verdict: Verdict,
}

impl Limit {
    /// The name of the share of the asked rate that a candidate keeps.
    pub const RATE_KEPT: &str = "rate_kept";

    /// Whether it is that of the rate that the load asks for.
    pub fn is_rate(&self) -> bool {
        self.metric == Self::RATE_KEPT
    }
}

impl Candidate {
    /// The limit that it is nearest to, or the farthest beyond, and in which condition. A rate that
    /// is kept is kept: nothing is to spare of it.
    pub fn tightest(&self) -> Option<(&Condition, &Limit)> {
        let all = self.conditions.iter().flat_map(|one| one.limits.iter().map(move |l| (one, l)));
        let key = |limit: &Limit| {
            let margin = match limit.is_rate() && limit.verdict == Verdict::Keeps {
                true => f64::INFINITY,
                false => limit.margin.unwrap_or(f64::NEG_INFINITY),
            };
            (std::cmp::Reverse(limit.verdict), margin)
        };
        all.min_by(|(_, a), (_, b)| {
            let (a, b) = (key(a), key(b));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        })
    }
}
