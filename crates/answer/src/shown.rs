//! The answers of `drivelab show` for what is no file of values: a review, and the facts of models.

use crate::pairs::Pairs;
use crate::reproduction::Basis;
use schemars::JsonSchema;
use serde::Serialize;

/// A review.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ShownReview {
    /// Its name.
    pub review: String,
    /// Its figures.
    pub figures: Vec<ShownFigure>,
    /// Its claims by name.
    pub claims: Pairs<String>,
}

/// A figure of a review.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ShownFigure {
    /// Its name.
    pub id: String,
    /// The drive as the review names it.
    pub drive: String,
    /// The runs behind it, in words.
    pub run: String,
    /// The metric as written.
    pub metric: String,
    /// The published number; of a range its lower end.
    pub published: f64,
    /// The upper end of a published range.
    pub published_to: Option<f64>,
    /// Their unit.
    pub unit: &'static str,
    /// How the model relates to it, as its row says.
    pub basis: Basis,
}

/// Which values of a model carry the uncertainty of a number.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ShownUncertainty {
    /// The model.
    pub target: String,
    /// The run, in words.
    pub run: String,
    /// The metric.
    pub metric: String,
    /// The number, in the base unit of the metric.
    pub value: f64,
    /// Where it lies with a probability of 90 % by what is not known of the values.
    pub interval90: (f64, f64),
    /// What each value carries, the most first.
    pub carries: Vec<Carries>,
    /// Values without which no model could be built.
    pub unmoved: Vec<String>,
}

/// What a value carries of the uncertainty of a number.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Carries {
    /// Its path.
    pub value: String,
    /// What the file says.
    pub now: String,
    /// The least and the largest that it may be.
    pub may_be: (String, String),
    /// What its source begins with.
    pub source: String,
    /// What the number is then.
    pub becomes: (f64, f64),
    /// Its share of the variance of the number.
    pub share: f64,
}

/// The facts that models contain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ShownFacts {
    /// The method that gives them.
    pub method: &'static str,
    /// What each is, by metric.
    pub metrics: Pairs<String>,
}
