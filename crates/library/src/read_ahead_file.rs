//! The section of a drive file on reading ahead.

use super::sourced::Sourced;
use engine::{Bytes, Count};
use schemars::JsonSchema;
use serde::Deserialize;

/// Reading ahead of reads in order.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadAheadFile {
    /// What is kept ahead of each stream, two mapping units to 16 MiB; half of it is read at once.
    pub size: Sourced<Bytes>,
    /// Streams that are followed at a time, 1 to 256.
    pub streams: Sourced<Count>,
    /// Reads in order that make a stream.
    pub after: Sourced<Count>,
}
