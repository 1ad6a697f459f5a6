//! Counts and errors, fitted and predicted figures apart.

use super::Basis;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The figures of one basis. Only fitted and predicted figures that are not limits have errors.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct BasisSummary {
    /// Figures of this basis, bounds included.
    pub count: usize,
    /// Numbers that those of them state which were judged: what is one number counts once.
    pub independent: usize,
    /// Median of the sizes of the errors, those of open figures too, as a fraction; of inputs how
    /// far those are off that differ.
    pub median_error: Option<f64>,
    /// Largest error as a fraction.
    pub worst_error: Option<f64>,
    /// Figures that were called hit or miss.
    pub compared: usize,
    /// Of these, figures within the aim.
    pub hits: usize,
    /// Bounds and ranges that are kept.
    pub bounds_held: usize,
    /// Bounds and ranges that are broken.
    pub bounds_failed: usize,
    /// Inputs that come out otherwise than published: the number is in the model, and something
    /// else is too.
    pub differ: usize,
    /// Figures whose limit is within the interval of the simulated value.
    pub open: usize,
    /// Figures that their own review refutes.
    pub refuted: usize,
}

/// Predictions that test the model: none that says little, and what is one number once.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Informative {
    /// Numbers of which every row is right.
    pub right: usize,
    /// Numbers of which a row is wrong.
    pub wrong: usize,
    /// Numbers that are neither: a row is open.
    pub open: usize,
}

/// The sums over a reproduction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Summary {
    /// Figures with which a parameter was chosen.
    pub fitted: BasisSummary,
    /// Figures with which none was.
    pub predicted: BasisSummary,
    /// Values that the model contains.
    pub input: BasisSummary,
    /// Values that the model says nothing about.
    pub not_modelled: BasisSummary,
    /// The predictions that test the model.
    pub informative: Informative,
    /// Claims that hold.
    pub claims_held: usize,
    /// Claims that do not.
    pub claims_failed: usize,
    /// Claims that the runs leave open.
    pub claims_open: usize,
    /// Claims that cannot be checked.
    pub claims_unchecked: usize,
    /// Figures that could not be run.
    pub figures_not_run: usize,
}

impl Summary {
    /// The summary of one basis.
    pub fn basis(&self, basis: Basis) -> &BasisSummary {
        match basis {
            Basis::Fitted => &self.fitted,
            Basis::Predicted => &self.predicted,
            Basis::Input => &self.input,
            Basis::NotModelled => &self.not_modelled,
        }
    }
}
