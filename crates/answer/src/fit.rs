//! The answer of `drivelab fit`.

use crate::pairs::Pairs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A model fitted to figures.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fitted {
    /// The model.
    pub model: String,
    /// Where the new model was written.
    #[serde(default)]
    pub output: String,
    /// The figures, before and after.
    pub figures: Vec<FitFigure>,
    /// The parameters, before and after.
    pub parameters: Vec<FitParameter>,
    /// Parameters that could not be fitted.
    #[serde(default)]
    pub not_fitted: Vec<Dropped>,
    /// Sum of weighted squares before.
    pub chi_square_before: Option<f64>,
    /// The same of the fitted model.
    pub chi_square_fitted: Option<f64>,
    /// Figures less parameters.
    pub degrees_of_freedom: Option<usize>,
    /// Sum of weighted squares over degrees of freedom, if there are any.
    pub reduced_chi_square: Option<f64>,
    /// Steps that were taken.
    pub iterations: Option<usize>,
    /// Why the search ended: `converged`, `iterations`, `at_start` or `not_better`.
    #[serde(default)]
    pub ended: String,
    /// Runs with new seeds behind `before` and `fitted`.
    pub repeats: Option<usize>,
    /// Measurements that were made.
    pub measurements: Option<usize>,
    /// Models that were drawn with `--interval`.
    pub draws: Option<usize>,
    /// Draws of equal weight that would say as much; with fewer than 8 nothing is said.
    pub effective_draws: Option<f64>,
    /// What a reader must know.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// A figure of a fit, in the base unit of its metric.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FitFigure {
    /// Its name.
    #[serde(default)]
    pub id: String,
    /// The metric as written.
    pub metric: String,
    /// The base unit.
    #[serde(default)]
    pub unit: String,
    /// What was measured.
    pub measured: Option<f64>,
    /// Standard uncertainty of the comparison, as a fraction.
    pub sigma: Option<f64>,
    /// What the model gave before.
    pub before: Option<f64>,
    /// Its error, as a fraction.
    pub error_before: Option<f64>,
    /// What the fitted model gives.
    pub fitted: Option<f64>,
    /// Its error, as a fraction.
    pub error_fitted: Option<f64>,
    /// What a fit gives that did not have the figure; `null` where there is none.
    pub from_the_others: Option<f64>,
    /// Its error, as a fraction.
    pub error_from_the_others: Option<f64>,
    /// How much the fit is drawn to it, from 0 to 1.
    pub leverage: Option<f64>,
    /// Where the fitted model gives it with a probability of 90 %, by what the figures leave open
    /// of the values; `null` without draws.
    pub interval90: Option<(f64, f64)>,
    /// Where the other figures expect it with that probability, its own uncertainty included.
    pub expected90: Option<(f64, f64)>,
}

/// A parameter of a fit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FitParameter {
    /// Its path in the model, as for `--set`.
    pub key: String,
    /// The unit of its values.
    #[serde(default)]
    pub unit: String,
    /// Its value before.
    pub before: Option<f64>,
    /// Its value in the new model.
    pub fitted: Option<f64>,
    /// What the search found, which is not taken if it is no better.
    pub found: Option<f64>,
    /// Ids of the figures that move with it.
    #[serde(default)]
    pub fixed_by: Vec<String>,
    /// Standard uncertainty: by the draws if there are enough, else by the derivatives; `null` if
    /// unknown.
    pub uncertainty: Option<f64>,
    /// Standard uncertainty by the derivatives where the fit ended.
    pub by_derivatives: Option<f64>,
    /// Standard uncertainty by the draws.
    pub by_draws: Option<f64>,
    /// Lower end of its range.
    pub low: Option<f64>,
    /// Upper end of its range.
    pub high: Option<f64>,
    /// Where the range comes from.
    pub bounds: Option<String>,
    /// Whether it ended at an end of its range.
    #[serde(default)]
    pub at_bound: bool,
    /// Correlation with each parameter, in their order; `null` if unknown.
    pub correlation: Option<Vec<f64>>,
    /// Share of what is known of it that each figure holds; `null` if unknown.
    pub information: Option<Pairs<f64>>,
}

/// A parameter that could not be fitted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Dropped {
    /// Its path in the model.
    pub key: String,
    /// Why.
    pub why: String,
}
