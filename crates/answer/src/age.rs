//! What a drive has been through before a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An age, as `--age` gives it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Age {
    /// Program and erase cycles, if they are counted.
    pub cycles: Option<f64>,
    /// The same as a share of what the cells are rated for.
    pub share_of_rated_cycles: Option<f64>,
    /// Time without power, h.
    pub shelf_hours: f64,
    /// Temperature over that time, C.
    pub celsius: f64,
    /// Reads of each page since it was programmed.
    pub reads: f64,
}
