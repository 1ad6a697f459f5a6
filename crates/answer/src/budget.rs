//! How much work each measurement is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The work of one measurement, and at which scale.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Budget {
    /// Processor time of one measurement, about, s.
    pub seconds_each: f64,
    /// The I/Os that fit into it.
    pub ios_each: u64,
    /// The scale of the drives, as `--scale` writes it.
    pub scale: String,
    /// Seeds of each measurement, where it is made with several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seeds: Option<u16>,
    /// The precision to which seeds were added: half the width of a 95 % interval, as a fraction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precision: Option<f64>,
}
