//! The answer of `capacity-check`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether a target has the capacity that it says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Capacity {
    /// What was checked.
    pub target: String,
    /// The capacity that it says, bytes.
    pub says_bytes: u64,
    /// Blocks that were written and read again.
    pub blocks: u64,
    /// Bytes of a block.
    pub block_bytes: u64,
    /// Whether every block was written.
    pub full: bool,
    /// Blocks that did not hold what was written; of very many those that fio told of.
    pub wrong: u64,
    /// The capacity that it seems to have, bytes; `None` if nothing is wrong, or nothing tells.
    pub real_bytes: Option<u64>,
    /// Probability that a drive of which 1 % is missing is found by so many blocks.
    pub finds_one_percent: f64,
}

impl Capacity {
    /// Whether all blocks held what was written.
    pub fn holds(&self) -> bool {
        self.wrong == 0
    }
}
