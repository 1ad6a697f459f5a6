//! One figure after its runs: published against simulated.

use super::{Basis, Carrier, Verdict};
use crate::Interval90;
use metric::Bound;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A figure of a reproduction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Figure {
    /// Name of the figure.
    pub id: String,
    /// The drive: a slug or a path, or the published name if none is modelled.
    #[serde(default)]
    pub target: String,
    /// The method.
    #[serde(default)]
    pub method: String,
    /// The metric as written.
    pub metric: String,
    /// Unit of `published` and `simulated`.
    #[serde(default)]
    pub unit: String,
    /// The published number; of a range its lower end.
    pub published: f64,
    /// The upper end of a published range.
    pub published_to: Option<f64>,
    /// The number of the model, mean over the seeds; `null` if there is none.
    pub simulated: Option<f64>,
    /// Half the width of its 95 % interval.
    pub half_width: Option<f64>,
    /// Where that of the real drive lies, with `--interval`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval90: Option<Interval90>,
    /// Seeds of which it is the mean.
    pub seeds: Option<u16>,
    /// Simulated over published.
    pub ratio: Option<f64>,
    /// Error as a fraction; of a ratio a fraction of its distance from 1. `null` of a limit.
    pub error: Option<f64>,
    /// How the model relates to the number.
    pub basis: Basis,
    /// `min` or `max` if the number is a limit.
    pub bound: Option<Bound>,
    /// What became of it.
    pub verdict: Verdict,
    /// Whether it is a prediction that tests the model.
    #[serde(default)]
    pub informative: bool,
    /// Id of the first figure that states the same number: its own if there is none before it.
    #[serde(default)]
    pub number: String,
    /// What a reader must know.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// The method's parameters, completed with the defaults.
    #[serde(default)]
    pub params: BTreeMap<String, String>,
    /// Parameters of the model that were chosen with it.
    #[serde(default)]
    pub fitted_parameters: Vec<String>,
    /// The value of the model that carries it, if it is an input for that.
    pub carried_by: Option<Carrier>,
    /// Why it has this basis, or why it misses.
    pub why: Option<String>,
    /// The review.
    #[serde(default)]
    pub review: String,
}

impl Figure {
    /// The interval of the real drive, if the figure is a number that was compared with it.
    pub fn compared_interval(&self) -> Option<&Interval90> {
        let compared = matches!(self.verdict, Verdict::Hit | Verdict::Miss | Verdict::Open);
        self.interval90.as_ref().filter(|_| compared)
    }

    /// The error that is shown. A limit has none, an input agrees or not, and what is refuted is
    /// not compared; results of earlier versions have the ratio only.
    pub fn shown_error(&self) -> Option<f64> {
        match self.verdict {
            Verdict::Open => self.error,
            Verdict::Hit | Verdict::Miss => self.error.or(self.ratio.map(|ratio| ratio - 1.0)),
            _ => None,
        }
    }
}
