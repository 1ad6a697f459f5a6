//! The file of a sweep.

use crate::cost::CostTable;
use crate::sampler::Sampler;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A sweep as its file has it. What the command line says too counts before it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanFile {
    /// The method that is measured at every point, with parameters behind an `@`:
    /// `mixed@read=70%,qd=16`. Several, as a list, are a factor.
    pub load: Option<Words>,
    /// The drive or system, if it is not varied.
    pub on: Option<String>,
    /// What is varied: `drive`, `system` or `target`, `give_up`, parameters of the method, values
    /// of the model such as `flash.dies`. Values are a list or the text of a range.
    #[serde(default)]
    pub vary: BTreeMap<String, Words>,
    /// How points are chosen; a grid if all factors are lists, else `sobol`.
    pub sampler: Option<Sampler>,
    /// How many points are taken; of no meaning for a grid.
    #[schemars(range(min = 1, max = 100_000))]
    pub points: Option<u32>,
    /// Runs of every point, each with a seed of its own; all points have the same seeds.
    #[schemars(range(min = 1, max = 100))]
    pub repeats: Option<u16>,
    /// Successive halving on so many rungs: all points with a part of the budget, of each rung the
    /// better third with three times as much.
    #[schemars(range(min = 2, max = 6))]
    pub halving: Option<u32>,
    /// A race: `repeats` is the most, and points that others surely beat get no more runs.
    pub race: Option<bool>,
    /// A search: so many generations of as many points each after the first, bred from the best.
    #[schemars(range(min = 1, max = 1000))]
    pub generations: Option<u32>,
    /// First seed, also that of the sampler.
    pub seed: Option<u64>,
    /// Work of one run, as `--budget`.
    pub budget: Option<String>,
    /// How much of a drive is simulated, as `--scale`.
    pub scale: Option<String>,
    /// What a point has to keep: `read_lat_p99.9 < 1 ms`.
    #[serde(default)]
    pub require: Vec<String>,
    /// What is to be small: metrics, `cost`.
    #[serde(default)]
    pub minimise: Vec<String>,
    /// What is to be large: metrics, `usable_capacity`.
    #[serde(default)]
    pub maximise: Vec<String>,
    /// What the host writes in a day over what it sees: points have a `lifetime` then.
    pub dwpd: Option<f64>,
    /// Prices.
    pub cost: Option<CostTable>,
}

/// Values of a factor in a file.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected a text such as \"10 %\", or a list of texts")]
pub enum Words {
    /// A range, or a list separated by commas.
    One(String),
    /// A list.
    List(Vec<Word>),
}

/// A value in a list.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Word {
    /// As text.
    Text(String),
    /// A whole number.
    Number(i64),
}

impl Word {
    /// As text.
    pub fn text(&self) -> String {
        match self {
            Word::Text(text) => text.clone(),
            Word::Number(number) => number.to_string(),
        }
    }
}
