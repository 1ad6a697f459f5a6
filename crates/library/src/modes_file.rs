//! The optional sections of a drive file: when collection runs, an SLC cache, compression.

use super::nand_file::YesNo;
use super::sourced::Sourced;
use engine::{Bytes, Duration, Ratio};
use schemars::JsonSchema;
use serde::Deserialize;

/// When collection runs.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CollectionFile {
    /// Share of the spare area that foreground collection frees in one go while writes wait; by
    /// default each write pays for the space that it takes.
    pub burst: Option<Sourced<Ratio>>,
    /// Share of the spare area below which writes are slowed before the reserve is reached.
    pub slow_from: Option<Sourced<Ratio>>,
    /// Collection besides the foreground.
    pub background: Option<BackgroundFile>,
}

/// Collection while the host leaves the drive alone.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BackgroundFile {
    /// From the last command to the start of the work.
    pub after: Sourced<Duration>,
    /// Share of the spare area that is freed.
    pub target: Sourced<Ratio>,
    /// `"yes"` if reads do not keep it away.
    pub during_reads: Sourced<YesNo>,
}

/// An SLC cache.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlcFile {
    /// What it holds however full the drive is; is outside `ftl.alpha`.
    #[serde(rename = "static")]
    pub fixed: Sourced<Bytes>,
    /// What it may hold in addition while the drive is empty enough.
    pub dynamic: Sourced<Bytes>,
    /// What happens to writes when it is full.
    pub when_full: Sourced<WhenFullWord>,
}

/// Compression in the controller.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CompressionFile {
    /// What is stored of data that compresses to nothing.
    pub smallest: Sourced<Ratio>,
}

/// What happens to writes when the SLC cache is full.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WhenFullWord {
    /// They go to native blocks.
    Direct,
    /// They wait for folding.
    Fold,
}

/// Treatment of the rest of a page when a command ends inside it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PaddingWord {
    /// The next command goes on there.
    None,
    /// It is given up.
    Page,
}
