//! A system file: drives, how they are attached, and volumes on top.

use super::super::division::Division;
use super::super::jitter::Jitter;
use super::super::sourced::Sourced;
use super::cache_file::CacheFile;
use super::ports::{Ports, Upstream};
use super::raid_file::RaidFile;
use super::tier_file::TierFile;
use engine::{Bytes, Count, Duration};
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

/// One system, as written in its file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SystemFile {
    /// Its full name.
    pub name: String,
    /// Other names by which it can be called.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// What one should know about this system.
    #[serde(default)]
    pub note: String,
    /// Cost of the host's software; default that of a current Linux server.
    pub host: Option<HostFile>,
    /// Where drives can be attached.
    #[serde(default, rename = "attachment")]
    pub attachments: Vec<Attachment>,
    /// Processors that volumes and drivers use.
    #[serde(default, rename = "processor")]
    pub processors: Vec<Processor>,
    /// The drives.
    #[serde(rename = "drive")]
    pub drives: Vec<DriveEntry>,
    /// Volumes, those below before those above. What workloads see are the volumes and drives that
    /// are part of no volume, in the order of the file.
    #[serde(default, rename = "volume")]
    pub volumes: Vec<Volume>,
}

/// What the host's software costs for each I/O.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostFile {
    /// Processor time of the thread that issues it.
    pub submit: Sourced<Duration>,
    /// Time from completion to the thread that waits, in the mean.
    pub complete: Sourced<Duration>,
    /// How that varies: shares of the completions with the delay, beyond the least, that so many
    /// of them exceed, or `none`; by default as measured on Linux servers.
    pub jitter: Option<Sourced<Jitter>>,
}

/// Where drives can be attached: the processor's own lanes, a chipset, a card.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attachment {
    /// Its name in this file.
    #[schemars(with = "String")]
    pub name: Spanned<String>,
    /// Kind and speed of its ports.
    pub ports: Sourced<Ports>,
    /// PCIe lanes, or SATA ports.
    pub lanes: Sourced<Count>,
    /// The link that all of them share on the path to the processor; none for its own lanes.
    pub upstream: Option<Sourced<Upstream>>,
    /// Another attachment whose link to the processor it shares, as the SATA ports of a chipset do.
    #[schemars(with = "Option<String>")]
    pub shares: Option<Spanned<String>>,
    /// Payload of a packet on that link; default 256 B.
    pub payload: Option<Sourced<Bytes>>,
}

/// Cores that drivers and volumes use.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Processor {
    /// Its name in this file.
    #[schemars(with = "String")]
    pub name: Spanned<String>,
    /// Cores that serve commands at the same time.
    pub cores: Sourced<Count>,
}

/// Equal drives.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DriveEntry {
    /// Their name in this file.
    #[schemars(with = "String")]
    pub name: Spanned<String>,
    /// The model: a name of the library, or a file beside this one.
    #[schemars(with = "String")]
    pub model: Spanned<String>,
    /// How many; default one.
    pub count: Option<Sourced<Count>>,
    /// The attachment; without it a link of each drive's own to the processor.
    #[schemars(with = "Option<String>")]
    pub at: Option<Spanned<String>>,
    /// Lanes of the slot of each; default those of the drive. A SATA drive takes a port.
    pub lanes: Option<Sourced<Count>>,
    /// What each command passes on its path to a drive.
    pub path: Option<PathFile>,
    /// Namespaces that each of them is divided into, in this order; the whole drive without any.
    #[serde(default, rename = "namespace")]
    pub namespaces: Vec<NamespaceEntry>,
}

/// Equal namespaces of a drive.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NamespaceEntry {
    /// Bytes of each; cut to whole mapping units.
    pub size: Sourced<Bytes>,
    /// How many; default one.
    pub count: Option<Sourced<Count>>,
}

impl DriveEntry {
    /// The namespaces that it lists.
    pub(super) fn division(&self) -> Option<Division> {
        let count = |entry: &NamespaceEntry| entry.count.as_ref().map_or(1, |c| c.get().number);
        let sizes = self.namespaces.iter().map(|entry| (count(entry), *entry.size.get()));
        (!self.namespaces.is_empty()).then(|| Division::Sizes(sizes.collect()))
    }
}

/// The driver's part of an I/O.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PathFile {
    /// Time before the node below receives a command; default none.
    pub submit: Option<Sourced<Duration>>,
    /// Time from its completion to the node above; default none.
    pub complete: Option<Sourced<Duration>>,
    /// Processor time of each command; default none.
    pub cost: Option<Sourced<Duration>>,
    /// The processor that spends it.
    #[schemars(with = "Option<String>")]
    pub processor: Option<Spanned<String>>,
}

/// A volume over drives or other volumes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Volume {
    /// Its name in this file.
    #[schemars(with = "String")]
    pub name: Spanned<String>,
    /// The drives and volumes that it is made of: members first and then spares; of a tier the
    /// cache and then the device behind it.
    #[schemars(with = "Vec<String>")]
    pub of: Vec<Spanned<String>>,
    /// The attachment whose link to the processor its data crosses: that of a card that makes the
    /// volume. Its drives are then attached behind the card.
    #[schemars(with = "Option<String>")]
    pub at: Option<Spanned<String>>,
    /// What each command passes on its path to the volume.
    pub path: Option<PathFile>,
    /// It is an array.
    pub raid: Option<RaidFile>,
    /// It is a write-back cache in memory.
    pub cache: Option<CacheFile>,
    /// It is a fast device before a slow one.
    pub tier: Option<TierFile>,
}
