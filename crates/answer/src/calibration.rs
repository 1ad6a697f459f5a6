//! The answer of `drivelab calibrate`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How often intervals hold what was published.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Calibration {
    /// Kinds of metric, and all of them at the end.
    pub classes: Vec<Calibrated>,
    /// The predicted numbers, each judged by the others.
    pub figures: Vec<Judged>,
}

/// A kind of metric.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Calibrated {
    /// Its name; `all` of all together.
    pub class: String,
    /// Predicted numbers of it.
    pub figures: usize,
    /// What models lack: the factor by which nine of ten are off at most beside what their values
    /// explain.
    pub off_by: f64,
    /// Median of half the widths of the 90 % intervals, over the numbers.
    pub half_width: Option<f64>,
    /// For intervals of several probabilities, how many hold what was published.
    pub held: Vec<Held>,
}

/// How many intervals of a probability hold what was published.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Held {
    /// The probability.
    pub covers: f64,
    /// Numbers that are held.
    pub held: usize,
}

/// A predicted number and its 90 % interval by all the others.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Judged {
    /// Its id.
    pub id: String,
    /// Its kind of metric.
    pub class: String,
    /// What was published over the median of the draws.
    pub ratio: f64,
    /// The interval by the values of the model, over the median.
    pub by_values: (f64, f64),
    /// The whole interval, over the median.
    pub interval: (f64, f64),
    /// Whether it holds what was published.
    pub held: bool,
}
