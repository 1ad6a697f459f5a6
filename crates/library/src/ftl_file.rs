//! What a model file says about the translation layer.

use super::modes_file::PaddingWord;
use super::policy_file::BadBlocksFile;
use super::policy_words::{SeparationWord, VictimWord, WearWord, WritePointsWord};
use super::sourced::Sourced;
use engine::{Bytes, Count, Ratio};
use iopath::device::flash::ftl::policies::FtlPolicies;
use schemars::JsonSchema;
use serde::Deserialize;

/// Unit of collection.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    /// A block of every plane of every die.
    Superblock,
    /// A block of one plane.
    Block,
}

/// The translation layer.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FtlFile {
    /// Mapping unit.
    pub unit: Sourced<Bytes>,
    /// Bytes in data blocks over user bytes, net of bad blocks, parity and reserve.
    pub alpha: Sourced<Ratio>,
    /// Unit of collection.
    pub group: Sourced<Group>,
    /// Choice of victims.
    pub victim: Sourced<VictimWord>,
    /// One die in this many holds parity inside a superblock; `"0 dies"` for none.
    pub parity_period: Sourced<Count>,
    /// Where host data and copies go; default `separate`.
    pub write_points: Option<Sourced<WritePointsWord>>,
    /// Treatment of the rest of a page when a command ends inside it; default none.
    pub padding: Option<Sourced<PaddingWord>>,
    /// How host writes are separated; default not at all.
    pub separation: Option<Sourced<SeparationWord>>,
    /// Wear levelling; by default groups are used in the order of freeing.
    pub wear_levelling: Option<Sourced<WearWord>>,
    /// How blocks fail; default never.
    pub bad_blocks: Option<BadBlocksFile>,
}

impl FtlFile {
    /// What the translation layer decides by.
    pub(super) fn policies(&self) -> FtlPolicies {
        FtlPolicies {
            victim: self.victim.get().0,
            separation: self.separation.as_ref().map(|word| word.get().0).unwrap_or_default(),
            wear: self.wear_levelling.as_ref().map(|word| word.get().0).unwrap_or_default(),
            bad_blocks: self.bad_blocks.as_ref().map(BadBlocksFile::resolve),
            ..FtlPolicies::default()
        }
    }
}
