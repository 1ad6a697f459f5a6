//! How a model relates to a published number.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the model relates to a published number.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// A parameter of the model was chosen with it.
    Fitted,
    /// No parameter was.
    Predicted,
    /// The model contains it.
    Input,
    /// The model says nothing about it.
    NotModelled,
}

impl Basis {
    /// The word in files and results.
    pub fn name(self) -> &'static str {
        match self {
            Basis::Fitted => "fitted",
            Basis::Predicted => "predicted",
            Basis::Input => "input",
            Basis::NotModelled => "not_modelled",
        }
    }

    /// The same for people.
    pub fn words(self) -> String {
        self.name().replace('_', " ")
    }

    /// All of them, in the order of the summary.
    pub const ALL: [Basis; 4] = [Basis::Fitted, Basis::Predicted, Basis::Input, Basis::NotModelled];
}

/// A value of a model that carries a figure, and how the figure moves with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Carrier {
    /// Its path, as for `--set`.
    pub value: String,
    /// The first words of its source: `data sheet`, `published` or `derived`.
    pub source: String,
    /// Change of the logarithm of the figure with that of the value.
    pub elasticity: f64,
}
