//! A fast device before a slow one, as written in a system file.

use super::super::nand_file::YesNo;
use super::super::sourced::Sourced;
use super::names::Names;
use engine::{Bytes, Count, Duration, Ratio, whole};
use fio::Diagnostic;
use iopath::volume::tier::config::{
    AdmissionConfig, DestageConfig, EvictionConfig, Mode, TierConfig, WriteAdmission,
};
use schemars::JsonSchema;
use serde::Deserialize;

/// `[volume.tier]`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TierFile {
    /// What happens to the data of a write.
    pub mode: Sourced<ModeWord>,
    /// Bytes of a cache block.
    pub block: Sourced<Bytes>,
    /// Which blocks may enter.
    pub admission: AdmissionFile,
    /// Which writes may enter; default all.
    pub writes: Option<Sourced<WritesWord>>,
    /// Which block leaves; default the least recently used one.
    pub eviction: Option<EvictionFile>,
    /// Share of the cache device that holds blocks; default all.
    pub share: Option<Sourced<Ratio>>,
    /// Unit of validity; default 512 B.
    pub sector: Option<Sourced<Bytes>>,
    /// Streams of at least this many bytes bypass the cache; default none.
    pub bypass_after: Option<Sourced<Bytes>>,
    /// Fills in flight at once.
    pub fill_commands: Option<Sourced<Count>>,
    /// How dirty data leaves.
    pub destage: DestageFile,
    /// Time that the tier adds to each command; default none.
    pub overhead: Option<Sourced<Duration>>,
    /// Whether its directory survives a restart.
    pub persistent: Sourced<YesNo>,
}

/// `[volume.tier.admission]`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AdmissionFile {
    /// The policy.
    pub policy: Sourced<AdmissionWord>,
    /// Blocks that `second-touch` remembers.
    pub ghosts: Option<Sourced<Count>>,
    /// Bytes that `hot` counts together: a region represents a file.
    pub region: Option<Sourced<Bytes>>,
    /// Touches that make a region hot.
    pub touches: Option<Sourced<Count>>,
    /// Counts are halved after this many touches.
    pub halve_after: Option<Sourced<Count>>,
}

/// `[volume.tier.eviction]`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EvictionFile {
    /// The policy.
    pub policy: Sourced<EvictionWord>,
    /// Share of the slots for new blocks (`two-queue`).
    pub recent: Option<Sourced<Ratio>>,
    /// Blocks remembered after they left, as a share of the slots (`two-queue`).
    pub ghosts: Option<Sourced<Ratio>>,
}

/// `[volume.tier.destage]`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DestageFile {
    /// Share of the slots that may be dirty.
    pub dirty_limit: Sourced<Ratio>,
    /// Share down to which destaging then continues.
    pub dirty_goal: Sourced<Ratio>,
    /// Quiet time after which dirty data is written back; default never.
    pub idle_after: Option<Sourced<Duration>>,
    /// Writes in flight at once.
    pub commands: Sourced<Count>,
    /// The longest of them.
    pub request: Sourced<Bytes>,
}

/// What happens to the data of a write.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
pub enum ModeWord {
    /// To the cache only.
    #[serde(rename = "write-back")]
    Back,
    /// To both.
    #[serde(rename = "write-through")]
    Through,
    /// To the slow device only.
    #[serde(rename = "write-around")]
    Around,
}

/// Which blocks may enter.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AdmissionWord {
    /// All.
    Always,
    /// Those that come again.
    SecondTouch,
    /// Those of regions that are used often.
    Hot,
}

/// Which writes may enter.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WritesWord {
    /// All.
    Always,
    /// Those that would as reads.
    AsReads,
}

/// Which block leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EvictionWord {
    /// Least recently used.
    Lru,
    /// The clock.
    Clock,
    /// 2Q.
    TwoQueue,
}

impl TierFile {
    /// The tier over a cache and a slow device of this size.
    pub(super) fn config(
        &self,
        names: &Names<'_>,
        name: &str,
        cache: u64,
        backing: u64,
    ) -> Result<TierConfig, Diagnostic> {
        let block = self.block.get().base();
        let share = self.share.as_ref().map_or(1.0, |share| share.get().fraction());
        let cache_bytes = whole(cache as f64 * share) / block.max(1) * block;
        let mut config = TierConfig::new(name, cache_bytes, backing);
        config.mode = match self.mode.get() {
            ModeWord::Back => Mode::WriteBack,
            ModeWord::Through => Mode::WriteThrough,
            ModeWord::Around => Mode::WriteAround,
        };
        config.block = block;
        if let Some(sector) = &self.sector {
            config.sector = sector.get().base();
        }
        config.admission = self.admission.resolve(names)?;
        if let Some(writes) = &self.writes {
            config.write_admission = match writes.get() {
                WritesWord::Always => WriteAdmission::Always,
                WritesWord::AsReads => WriteAdmission::AsReads,
            };
        }
        if let Some(eviction) = &self.eviction {
            config.eviction = eviction.resolve(names)?;
        }
        config.bypass_after = self.bypass_after.as_ref().map(|bytes| bytes.get().base());
        if let Some(commands) = &self.fill_commands {
            config.fill_commands = commands.get().number;
        }
        config.destage = DestageConfig {
            limit: *self.destage.dirty_limit.get(),
            goal: *self.destage.dirty_goal.get(),
            idle_after: self.destage.idle_after.as_ref().map(|after| *after.get()),
            commands: self.destage.commands.get().number,
            command_bytes: self.destage.request.get().base(),
        };
        if let Some(overhead) = &self.overhead {
            config.overhead = *overhead.get();
        }
        config.persistent = self.persistent.get().is_yes();
        Ok(config)
    }
}

impl AdmissionFile {
    fn resolve(&self, names: &Names<'_>) -> Result<AdmissionConfig, Diagnostic> {
        let missing = |what: &str| {
            let message = format!("this admission needs `{what}`");
            names.source.wrong(self.policy.at(), message, "add it beside `policy`")
        };
        Ok(match self.policy.get() {
            AdmissionWord::Always => AdmissionConfig::Always,
            AdmissionWord::SecondTouch => {
                let ghosts = self.ghosts.as_ref().ok_or_else(|| missing("ghosts"))?;
                AdmissionConfig::SecondTouch { ghosts: ghosts.get().number }
            }
            AdmissionWord::Hot => {
                let region = self.region.as_ref().ok_or_else(|| missing("region"))?;
                let touches = self.touches.as_ref().ok_or_else(|| missing("touches"))?;
                let halve = self.halve_after.as_ref().ok_or_else(|| missing("halve_after"))?;
                let wrong = |_| {
                    let help = "give 1 to 255 touches";
                    names.source.wrong(touches.at(), "so many touches are not counted", help)
                };
                AdmissionConfig::Hot {
                    region: region.get().base(),
                    touches: u8::try_from(touches.get().number).map_err(wrong)?,
                    halve_after: u64::from(halve.get().number),
                }
            }
        })
    }
}

impl EvictionFile {
    fn resolve(&self, names: &Names<'_>) -> Result<EvictionConfig, Diagnostic> {
        Ok(match self.policy.get() {
            EvictionWord::Lru => EvictionConfig::Lru,
            EvictionWord::Clock => EvictionConfig::Clock,
            EvictionWord::TwoQueue => match (&self.recent, &self.ghosts) {
                (Some(recent), Some(ghosts)) => {
                    EvictionConfig::TwoQueue { recent: *recent.get(), ghosts: *ghosts.get() }
                }
                _ => {
                    let help = "give recent = { value = \"25 %\", .. } and ghosts = { value = \
                                \"50 %\", .. }";
                    let message = "two queues need `recent` and `ghosts`";
                    return Err(names.source.wrong(self.policy.at(), message, help));
                }
            },
        })
    }
}
