//! The answer of `drivelab compare`.

use crate::interval90::Interval90;
use crate::origin::Origin;
use crate::pairs::Pairs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stats::Limit;

/// Targets side by side, each against a baseline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// The name of the target to which differences are.
    pub baseline: String,
    /// Confidence of the intervals, and of all verdicts together.
    pub confidence: f64,
    /// Runs of each load on each target.
    pub repeats: u16,
    /// Differences that were judged together.
    pub comparisons: usize,
    /// The targets, in the order of the cells of each row.
    pub targets: Vec<Compared>,
    /// One for each load and metric.
    pub rows: Vec<Row>,
    /// What it comes to for each target but the baseline.
    pub summary: Vec<SummedUp>,
    /// What a reader must know.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// What limits each target under each load, as far as it is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<Limited>,
}

/// What limits a target under a load, in its first run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Limited {
    /// The load.
    pub load: String,
    /// The name of the target.
    pub target: String,
    /// What limits it: of a sweep, each point.
    pub limited_by: Vec<Limit>,
}

/// A target of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Compared {
    /// What it is called in the comparison.
    pub name: String,
    /// The drive, system, file or device.
    #[serde(default)]
    pub target: String,
    /// Values of the model that were set.
    #[serde(default)]
    pub set: Pairs<String>,
    /// Share of the capacity that is given up as spare.
    #[serde(default)]
    pub give_up: f64,
    /// Whether it is a real file or device; earlier versions did not say.
    pub real: Option<bool>,
    /// Seeds of its runs.
    #[serde(default)]
    pub seeds: Vec<u64>,
    /// How its runs belong to those of the baseline.
    #[serde(default)]
    pub pairing: Pairing,
}

impl Compared {
    /// Where its numbers come from; by its name where the comparison does not say.
    pub fn origin(&self) -> Origin {
        self.real.map_or_else(|| Origin::of_name(&self.name), Origin::of_real)
    }
}

/// How the runs of a target belong to those of the baseline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Pairing {
    /// It is the baseline.
    Baseline,
    /// Run by run with the same seed.
    Paired,
    /// They do not belong together.
    #[default]
    Independent,
}

/// One metric under one load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    /// The load in words.
    pub load: String,
    /// Its method.
    #[serde(default)]
    pub method: String,
    /// The parameters of the method.
    #[serde(default)]
    pub params: Pairs<String>,
    /// The metric.
    pub metric: String,
    /// Its base unit.
    pub unit: String,
    /// Which values of the metric are better; `null` if neither is by itself.
    pub better: Option<Tendency>,
    /// A unit in which people read it.
    pub shown_in: Option<ShownIn>,
    /// One for each target; `null` where it has no such metric.
    pub cells: Vec<Option<Cell>>,
}

/// Which values of a metric are better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Tendency {
    /// Higher ones.
    Higher,
    /// Lower ones.
    Lower,
}

/// A unit, and how many base units it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShownIn {
    /// Its symbol.
    pub unit: String,
    /// Base units in it.
    pub scale: f64,
}

/// One target's values of a metric under a load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cell {
    /// Mean over the runs.
    pub mean: f64,
    /// Half the width of the mean's interval.
    #[serde(default)]
    pub half_width: f64,
    /// The value of each run.
    #[serde(default)]
    pub values: Vec<f64>,
    /// Whether a percentile rests on too few samples.
    #[serde(default)]
    pub too_few_samples: bool,
    /// To the baseline; none of the baseline itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<Difference>,
    /// What the difference means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// Where the value of the real drive lies, with `--interval`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval90: Option<Interval90>,
    /// Where its ratio to the real baseline lies, with `--interval`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio90: Option<Interval90>,
}

/// How a target differs from the baseline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// The difference of the means.
    pub value: f64,
    /// Half the width of its interval.
    pub half_width: f64,
    /// The same over the mean of the baseline; `null` of a baseline at 0.
    pub relative: Option<f64>,
    /// Half the width of its interval, likewise.
    pub relative_half_width: Option<f64>,
    /// Degrees of freedom.
    #[serde(default)]
    pub degrees: f64,
    /// Probability of such a difference by chance.
    #[serde(default)]
    pub p: f64,
    /// The same corrected for all differences that were judged together (Holm).
    #[serde(default)]
    pub p_corrected: f64,
    /// Smaller differences cannot be seen in a percentile: the width of a bin.
    #[serde(default)]
    pub resolution: f64,
}

/// What a difference means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It may be chance, or is too small to be seen.
    #[serde(rename = "within noise")]
    WithinNoise,
    /// The target is better.
    Better,
    /// The target is worse.
    Worse,
    /// It is another, and neither is better by itself.
    Differs,
}

impl Verdict {
    /// The word in results.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::WithinNoise => "within noise",
            Verdict::Better => "better",
            Verdict::Worse => "worse",
            Verdict::Differs => "differs",
        }
    }
}

/// A target's differences by what they mean.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SummedUp {
    /// The name of the target.
    pub target: String,
    /// Where it is better.
    pub better: Vec<Spot>,
    /// Where it is worse.
    pub worse: Vec<Spot>,
    /// Where it differs.
    pub differs: Vec<Spot>,
    /// Where nothing can be said.
    pub within_noise: Vec<Spot>,
    /// Where the 90 % interval of the real drives' ratio leaves out 1, with `--interval`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub certain: Vec<Spot>,
}

/// A row of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Spot {
    /// Its load.
    pub load: String,
    /// Its metric.
    pub metric: String,
}
