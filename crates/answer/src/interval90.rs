//! Where the answer of a real drive lies, as far as its model is known.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The interval in which the number of the real drive lies with a probability of 90 %, by what is
/// not known of its model; the noise of the run is no part of it. In the unit of the number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval90 {
    /// Its lower end.
    pub low: f64,
    /// The median of the draws.
    pub median: f64,
    /// Its upper end.
    pub high: f64,
    /// Models that were drawn.
    pub draws: u16,
    /// The interval by the values of the model alone.
    pub by_values: (f64, f64),
    /// What the model lacks: the factor by which predictions of the same kind were off.
    pub by_model: f64,
}

impl Interval90 {
    /// Whether a number lies in it.
    pub fn holds(&self, number: f64) -> bool {
        self.low <= number && number <= self.high
    }

    /// Half its width, over the median.
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0 / self.median
    }
}
