//! What came of the cuts.

use schemars::JsonSchema;
use serde::Serialize;

/// One power cut and its check.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CutResult {
    /// Its number, from 1.
    pub number: u32,
    /// Writes that the drive acknowledged from the start of the program to the cut.
    pub writes: u64,
    /// Acknowledged bytes that the drive lost, as it may.
    pub lost_bytes: u64,
    /// Blocks that went back to what they were before.
    pub blocks_taken_back: u64,
    /// Blocks whose earlier content was no longer known: the result of this cut says little.
    pub blocks_unknown: u64,
    /// Whether the check was content.
    pub passed: bool,
    /// The last lines of a check that was not.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub said: String,
}

/// All cuts of a crash test.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CrashTest {
    /// The drive.
    pub target: String,
    /// What it does when it is asked to flush: `honoured` or `ignored`.
    pub flush: String,
    /// How the program reached it: `nbd`, `file`, `ext4` or `xfs`.
    pub attach: String,
    /// Seed of the places of the cuts.
    pub seed: u64,
    /// Cuts that were asked for.
    pub asked: u32,
    /// Checks that passed.
    pub passed: usize,
    /// Checks that failed.
    pub failed: usize,
    /// Each cut, in order.
    pub cuts: Vec<CutResult>,
}
