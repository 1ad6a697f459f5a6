//! The answer of `drivelab sweep`.

use crate::budget::Budget;
use crate::comparison::Tendency;
use crate::pairs::Pairs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the points of a sweep come to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sweep {
    /// [`Sweep::SCHEMA`].
    pub schema: String,
    /// The load in words.
    pub load: String,
    /// Its method.
    pub method: String,
    /// The parameters that all points share.
    pub params: Pairs<String>,
    /// The factors in the order of the points' values.
    pub factors: Vec<String>,
    /// How points were chosen.
    pub sampler: String,
    /// Points of the plan, each combination of values once.
    pub points: usize,
    /// How many points were measured with how much work; one entry without halving.
    pub rungs: Vec<Rung>,
    /// Runs of the last rung together, where it was a race: points that others surely beat have
    /// fewer than there are seeds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs: Option<usize>,
    /// Points of the last rung of which a run failed.
    pub failed: usize,
    /// Seeds of the runs of every point.
    pub seeds: Vec<u64>,
    /// The work of one run.
    pub budget: Budget,
    /// What is sought, the first before all.
    pub objectives: Vec<Sought>,
    /// What every point has to keep.
    pub requirements: Vec<Required>,
    /// The currency of costs.
    pub currency: Option<String>,
    /// The point that is best in the first objective of those that surely keep the requirements, or
    /// if there is none of those that fail none; `null` if all fail, and where the load is varied.
    pub best: Option<SweepPoint>,
    /// Where the load is varied: the same for each load, in the order of their values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub best_by_load: Vec<SweepPoint>,
    /// The points that no other of the same load is surely better than, load by load, the best in
    /// the first objective first.
    pub pareto: Vec<SweepPoint>,
    /// The points of the last rung that were measured, in the order of the plan; of more than
    /// [`Sweep::ALL`] the Pareto set and evenly chosen others.
    #[serde(default)]
    pub all: Vec<SweepPoint>,
    /// What each factor does by itself.
    pub effects: Vec<FactorEffect>,
    /// Points of which a run failed, the first of each reason.
    pub failures: Vec<FailedPoint>,
    /// What a reader must know.
    pub warnings: Vec<String>,
}

/// What became of a part of a sweep: `sweep run --shard 1/4 --json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SweepPart {
    /// [`SweepPart::SCHEMA`].
    pub schema: String,
    /// The number of the part, from 1.
    pub part: u32,
    /// How many parts there are.
    pub of: u32,
    /// The stage that it worked on last, in words: a rung, a generation or a round of a race.
    pub stage: String,
    /// Runs of that stage that other parts have not made yet.
    pub missing: usize,
    /// Whether nothing is left for this part: the stage is the last one. Otherwise the same part
    /// goes on once the others have made what is missing.
    pub done: bool,
}

impl SweepPart {
    /// Name and version of the form.
    pub const SCHEMA: &str = "drivelab/sweep-part/1";
}

impl Sweep {
    /// Name and version of the form.
    pub const SCHEMA: &str = "drivelab/sweep/1";
    /// About how many points [`Sweep::all`] has at most: as many lines as can be looked at.
    pub const ALL: usize = 2000;

    /// The best points: one, or one a load where that is varied.
    pub fn bests(&self) -> impl Iterator<Item = &SweepPoint> {
        self.best.iter().chain(&self.best_by_load)
    }
}

/// A rung of successive halving.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rung {
    /// I/Os that a run measures.
    pub ios: u64,
    /// Points that were measured so.
    pub points: usize,
}

/// A value that is to be small or large.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sought {
    /// The metric, `cost` or `usable_capacity`.
    pub metric: String,
    /// Its base unit; of a cost the user's currency.
    pub unit: String,
    /// Which values are better.
    pub better: Tendency,
}

/// A requirement over all points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Required {
    /// As it was written.
    pub text: String,
    /// Points that fail it for sure.
    pub failed: usize,
    /// Points that fail it and no other.
    pub failed_alone: usize,
    /// Points of which it cannot be said: the limit is within their interval.
    pub open: usize,
    /// How far the best point is from the limit, as a share of it.
    pub margin: Option<f64>,
}

/// A point with its values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SweepPoint {
    /// Ids of its runs in the journal and the table.
    pub ids: Vec<String>,
    /// The value of every factor.
    pub at: Pairs<String>,
    /// Whether it keeps all requirements.
    pub verdict: Kept,
    /// What is sought and required of it, by metric.
    pub values: Pairs<SweepValue>,
    /// What limits the drive.
    pub limited_by: Vec<String>,
}

/// Whether a point keeps the requirements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kept {
    /// All of them, with their whole intervals.
    Met,
    /// It cannot be said of at least one.
    Open,
    /// It surely misses at least one.
    Failed,
}

/// A value with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SweepValue {
    /// In the base unit.
    pub value: f64,
    /// Lower end; `null` where no interval is known.
    pub low95: Option<f64>,
    /// Upper end.
    pub high95: Option<f64>,
    /// Samples that it rests on, where they are counted.
    pub samples: Option<u64>,
}

/// The main effect of a factor on a metric.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FactorEffect {
    /// The factor.
    pub factor: String,
    /// The metric.
    pub metric: String,
    /// The value, or class of values, with the lowest mean over all points.
    pub lowest_at: String,
    /// That mean, in the base unit.
    pub lowest: f64,
    /// The same for the highest mean.
    pub highest_at: String,
    /// That mean.
    pub highest: f64,
    /// Share of the metric's variance that the factor alone explains, 0 to 1.
    pub share: f64,
}

/// A point that could not be measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FailedPoint {
    /// The value of every factor.
    pub at: Pairs<String>,
    /// Why.
    pub message: String,
    /// Points that failed so.
    pub points: usize,
}
