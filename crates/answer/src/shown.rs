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

/// The facts that models contain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ShownFacts {
    /// The method that gives them.
    pub method: &'static str,
    /// What each is, by metric.
    pub metrics: Pairs<String>,
}
