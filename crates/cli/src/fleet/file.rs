//! The file of a fleet. Quantities are texts with units, which [`super::plan`] reads.

use answer::fleet::{Basis, Observed};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use sweep::Words;

/// A fleet as its file has it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FleetFile {
    /// How long the fleet is in use: `7 years`.
    pub time: String,
    /// Used cycles over the rated ones at which a drive is replaced: `100 %`. Without it drives are
    /// used until they fail.
    pub retire_at: Option<String>,
    /// What could be bought, by a name for each.
    pub purchase: BTreeMap<String, FilePurchase>,
    /// What drives are used for.
    #[serde(rename = "use")]
    pub usage: FileUse,
    /// Why drives fail.
    #[serde(default)]
    pub hazard: FileHazard,
    /// The arrays that drives are in.
    pub array: Option<FileArray>,
    /// How spares are ordered.
    #[serde(default)]
    pub spares: FileSpares,
    /// Numbers of field studies that the fleet is held against.
    #[serde(default)]
    pub published: Vec<FilePublished>,
}

/// A number of a field study.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FilePublished {
    /// Name of the purchase that it is held against.
    pub purchase: String,
    /// What it is about.
    pub what: Observed,
    /// The number: `82 %`.
    pub value: String,
    /// Whether the plan was made of it.
    pub basis: Basis,
    /// Where it is published.
    pub source: String,
    /// Why it is held against this fleet, or what parts them.
    pub why: Option<String>,
}

/// Drives that could be bought.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FilePurchase {
    /// A drive of the library or a model file, with changes behind an `@`.
    pub drive: String,
    /// How many: `1000 drives`.
    pub drives: String,
}

/// What drives are used for. A quantity that differs from drive to drive is written as `40 % ..
/// 90 %` (evenly), `0.3 x/day, p95 1.2 x/day` (normal in the logarithm: the median and what 95 %
/// are below), or as a list.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileUse {
    /// A table (CSV) of drives whose use is on record, as a path from the folder of the plan: a
    /// line for each drive, with columns of `writes`, `fill`, `temperature` and `age`. Each drive
    /// of the fleet is used as one of them; what is no column is drawn as is said here.
    pub records: Option<String>,
    /// What the host writes to a drive: `2 TB/day`, or of its usable capacity `0.5 x/day`.
    pub writes: Option<Words>,
    /// Share of the capacity that holds data; 80 % if it is not said.
    pub fill: Option<Words>,
    /// Size of random writes, or a list of which each drive has one; 4 KiB if it is not said.
    #[serde(default = "usual_block")]
    pub block: Words,
    /// Share of drives that are written in order; none if it is not said.
    pub in_order: Option<String>,
    /// Temperature of the drives; that for which the rates of failures hold if it is not said.
    pub temperature: Option<Words>,
    /// Age of the drives at the start; new if it is not said.
    pub age: Option<Words>,
}

/// Why drives fail. What is not there does not happen.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileHazard {
    /// Where the numbers come from, for people.
    pub source: Option<String>,
    /// Failures at any time: `0.9 %/year`.
    pub random: Option<String>,
    /// Weak drives, which fail early.
    pub early: Option<FileEarly>,
    /// Flash that gives out.
    pub wear_out: Option<FileWearOut>,
    /// How temperature changes the rate of failures.
    pub temperature: Option<FileThermal>,
    /// What drives that were made together share.
    pub batch: Option<FileFrailty>,
    /// What drives that stand together share.
    pub rack: Option<FileFrailty>,
}

/// A weak share of drives, whose lives follow a Weibull distribution.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileEarly {
    /// The share: `0.5 %`.
    pub share: String,
    /// The age at which 63 % of them have failed: `60 days`.
    pub time: String,
    /// The shape; `0.7 x` if it is not said.
    #[serde(default = "usual_shape")]
    pub shape: String,
}

/// The cycles that flash takes, by a Weibull distribution.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileWearOut {
    /// Used cycles over the rated ones at which 63 % have failed: `1.5 x`.
    pub life: String,
    /// The shape: `6 x`.
    pub shape: String,
}

/// Arrhenius' law.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileThermal {
    /// The temperature for which the rates hold: `40 C`.
    pub at: String,
    /// Activation energy: `0.7 eV`.
    pub energy: String,
}

/// A factor on the rates of failures that some drives share.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileFrailty {
    /// How many share it: `100 drives`.
    pub drives: String,
    /// Standard deviation of its logarithm: `50 %`.
    pub deviation: String,
}

/// An array.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileArray {
    /// Its drives.
    pub drives: String,
    /// How many may be missing: `2 drives`.
    pub spare: String,
    /// Time until a failed drive is replaced and filled: `20 h`.
    pub rebuild: String,
    /// How drives of a batch are put into arrays.
    #[serde(default)]
    pub batches: Batches,
}

/// How drives of a batch are put into arrays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Batches {
    /// One array after another is filled from a batch.
    #[default]
    Together,
    /// Each array has drives of all batches.
    Mixed,
}

/// How spares are ordered.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FileSpares {
    /// Time until an order is there; 30 days if it is not said.
    pub lead: String,
    /// How sure it is to be that they never run out in all the time; 95 % if it is not said.
    pub confidence: String,
}

impl Default for FileSpares {
    fn default() -> Self {
        Self { lead: "30 days".to_owned(), confidence: "95 %".to_owned() }
    }
}

fn usual_block() -> Words {
    Words::One("4 KiB".to_owned())
}

fn usual_shape() -> String {
    "0.7 x".to_owned()
}
