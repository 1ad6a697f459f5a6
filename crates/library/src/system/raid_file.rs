//! An array, as written in a system file.

use super::super::nand_file::YesNo;
use super::super::sourced::Sourced;
use super::names::Names;
use engine::{Bandwidth, Bytes, Count, Duration};
use fio::Diagnostic;
use iopath::volume::raid::{
    Bitmap, Level, Lock, Modify, ParityLayout, RaidConfig, ReadBalance, StripeEngine, SyncPolicy,
    WriteLog, WritePolicy,
};
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

/// `[volume.raid]`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RaidFile {
    /// Level.
    pub level: Sourced<LevelWord>,
    /// Bytes on one member before the next is used.
    pub chunk: Sourced<Bytes>,
    /// Of the parts, how many are spares; default none.
    pub spares: Option<Sourced<Count>>,
    /// Where parity is; default left-symmetric.
    pub layout: Option<Sourced<LayoutWord>>,
    /// Sector of the volume; default 512 B.
    pub sector: Option<Sourced<Bytes>>,
    /// Bytes of each member that the array keeps for itself; default none.
    pub metadata: Option<Sourced<Bytes>>,
    /// Which copy of a mirror is read; default that of the member with the fewest commands.
    pub reads: Option<Sourced<ReadsWord>>,
    /// Protection against the write hole; default none.
    pub log: Option<Sourced<LogWord>>,
    /// Time without writes after which the array is marked clean.
    pub clean_after: Option<Sourced<Duration>>,
    /// Cost of the array's own work; default none.
    pub engine: Option<EngineFile>,
    /// How writes go through an array with parity.
    pub writes: Option<WritesFile>,
    /// The pace of a rebuild and a resync.
    pub sync: Option<SyncFile>,
    /// Which regions a resync may skip; default none.
    pub bitmap: Option<BitmapFile>,
}

/// `[volume.raid.engine]`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EngineFile {
    /// The array's own threads that do the work.
    pub threads: Option<Sourced<Count>>,
    /// A `[[processor]]` that does the work instead.
    #[schemars(with = "Option<String>")]
    pub processor: Option<Spanned<String>>,
    /// Time for each command from above.
    pub command: Option<Sourced<Duration>>,
    /// Time for each row of 4 KiB of a stripe that is written or rebuilt.
    pub row: Option<Sourced<Duration>>,
    /// Time for each command to a member that belongs to a stripe.
    pub member: Option<Sourced<Duration>>,
    /// Rate of the exclusive or, for each thread; by default it is free.
    pub xor: Option<Sourced<Bandwidth>>,
    /// Rate of RAID 6's second syndrome, for each thread.
    pub syndrome: Option<Sourced<Bandwidth>>,
    /// Rate of the memory that every byte moves through.
    pub memory: Option<Sourced<Bandwidth>>,
    /// The `[[processor]]` of one core that models this memory.
    #[schemars(with = "Option<String>")]
    pub memory_of: Option<Spanned<String>>,
}

/// `[volume.raid.writes]`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WritesFile {
    /// How partial stripes are written.
    pub modify: Option<Sourced<ModifyWord>>,
    /// What is locked meanwhile.
    pub lock: Option<Sourced<LockWord>>,
    /// Writes that wait for a stripe become one write of it.
    pub merge: Option<Sourced<YesNo>>,
    /// How long a partial stripe waits for more of it.
    pub gather: Option<Sourced<Duration>>,
    /// Partial stripes that may be read at once before further ones wait and gather.
    pub read_first: Option<Sourced<Count>>,
    /// The largest write that is treated at once.
    pub request: Option<Sourced<Bytes>>,
    /// Rows of 4 KiB in flight at once.
    pub cache_rows: Option<Sourced<Count>>,
}

/// `[volume.raid.sync]`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SyncFile {
    /// Rate of each member that is kept while commands come from above.
    pub min: Sourced<Bandwidth>,
    /// Rate of each member that is never exceeded.
    pub max: Sourced<Bandwidth>,
    /// Bytes of each member that are done at once.
    pub window: Option<Sourced<Bytes>>,
    /// Windows in progress at once without a load.
    pub windows: Option<Sourced<Count>>,
    /// Windows in progress at once beside a load that lets the lower rate be kept; with none the
    /// rebuild runs at that rate.
    pub beside: Option<Sourced<Count>>,
}

/// `[volume.raid.bitmap]`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BitmapFile {
    /// Bytes of each member in a region.
    pub region: Sourced<Bytes>,
    /// Time without writes after which a region is clean again.
    pub clean_after: Sourced<Duration>,
}

/// Levels.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
pub enum LevelWord {
    /// Striped.
    #[serde(rename = "0")]
    Zero,
    /// Mirrored.
    #[serde(rename = "1")]
    One,
    /// One parity.
    #[serde(rename = "5")]
    Five,
    /// Two parities.
    #[serde(rename = "6")]
    Six,
    /// Striped mirrors.
    #[serde(rename = "10")]
    Ten,
}

/// Layouts of parity by md's names.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LayoutWord {
    /// Parity from the last member down, data behind it.
    LeftSymmetric,
    /// Parity from the last member down, data from member 0.
    LeftAsymmetric,
    /// Parity from member 0 up, data behind it.
    RightSymmetric,
    /// Parity from member 0 up, data from member 0.
    RightAsymmetric,
}

/// Which copy of a mirror is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReadsWord {
    /// Of the member with the fewest commands in flight.
    LeastBusy,
    /// Of the member whose head is nearest.
    NearestHead,
    /// By turns, a mebibyte each.
    ByTurns,
    /// The first.
    First,
}

/// Protection against the write hole.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LogWord {
    /// Nothing.
    None,
    /// Partial parity in the metadata.
    PartialParity,
    /// Data and parity in protected memory.
    Protected,
}

/// How partial stripes are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ModifyWord {
    /// The method with fewer reads.
    Fewest,
    /// Read-modify-write.
    OldData,
    /// Reconstruct-write.
    Rest,
}

/// What a partial write locks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LockWord {
    /// The rows that are written.
    Rows,
    /// The stripe.
    Stripe,
}

/// Bytes of the volume that one copy serves before the other has its turn.
const TURN: u64 = 1 << 20;

impl RaidFile {
    /// The array over `parts` members and spares.
    pub(super) fn config(
        &self,
        names: &Names<'_>,
        name: &str,
        parts: u32,
    ) -> Result<RaidConfig, Diagnostic> {
        let level = match self.level.get() {
            LevelWord::Zero => Level::Raid0,
            LevelWord::One => Level::Raid1,
            LevelWord::Five => Level::Raid5,
            LevelWord::Six => Level::Raid6,
            LevelWord::Ten => Level::Raid10,
        };
        let spares = self.spares.as_ref().map_or(0, |spares| spares.get().number);
        let chunk = names.small(&self.chunk, "a chunk")?;
        let mut config = RaidConfig::new(level, parts.saturating_sub(spares), chunk);
        name.clone_into(&mut config.name);
        config.spares = spares;
        if let Some(layout) = &self.layout {
            config.layout = match layout.get() {
                LayoutWord::LeftSymmetric => ParityLayout::LeftSymmetric,
                LayoutWord::LeftAsymmetric => ParityLayout::LeftAsymmetric,
                LayoutWord::RightSymmetric => ParityLayout::RightSymmetric,
                LayoutWord::RightAsymmetric => ParityLayout::RightAsymmetric,
            };
        }
        if let Some(sector) = &self.sector {
            config.sector = names.small(sector, "a sector")?;
        }
        config.metadata = self.metadata.as_ref().map_or(0, |bytes| bytes.get().base());
        if let Some(reads) = &self.reads {
            config.reads = match reads.get() {
                ReadsWord::LeastBusy => ReadBalance::LeastOutstanding,
                ReadsWord::NearestHead => ReadBalance::NearestHead,
                ReadsWord::ByTurns => ReadBalance::Region { bytes: TURN },
                ReadsWord::First => ReadBalance::First,
            };
        }
        if let Some(log) = &self.log {
            config.log = match log.get() {
                LogWord::None => WriteLog::None,
                LogWord::PartialParity => WriteLog::PartialParity,
                LogWord::Protected => WriteLog::Protected,
            };
        }
        if let Some(after) = &self.clean_after {
            config.clean_after = *after.get();
        }
        if let Some(engine) = &self.engine {
            config.engine = engine.resolve(names)?;
        }
        if let Some(writes) = &self.writes {
            config.writes = writes.resolve(names)?;
        }
        if let Some(sync) = &self.sync {
            config.sync = sync.resolve(chunk, names)?;
        }
        config.bitmap = self.bitmap.as_ref().map(|bitmap| Bitmap {
            region: bitmap.region.get().base(),
            clean_after: *bitmap.clean_after.get(),
        });
        Ok(config)
    }
}

fn time(value: Option<&Sourced<Duration>>) -> Duration {
    value.map_or(Duration::ZERO, |value| *value.get())
}

impl EngineFile {
    fn resolve(&self, names: &Names<'_>) -> Result<StripeEngine, Diagnostic> {
        let rate = |value: &Option<Sourced<Bandwidth>>| value.as_ref().map(|rate| *rate.get());
        let memory = match (&self.memory, &self.memory_of) {
            (Some(rate), Some(name)) => Some((names.pool(name)?, *rate.get())),
            (None, None) => None,
            (Some(rate), None) => {
                return Err(names.source.wrong(
                    rate.at(),
                    "a memory without its processor",
                    "give memory_of = \"NAME\" of a [[processor]] with one core",
                ));
            }
            (None, Some(name)) => {
                let help = "give memory = { value = \"20 GB/s\", .. }";
                return Err(names.source.wrong(name.span().start, "a memory without a rate", help));
            }
        };
        Ok(StripeEngine {
            threads: self.threads.as_ref().map_or(0, |threads| threads.get().number),
            pool: self.processor.as_ref().map(|name| names.pool(name)).transpose()?,
            command: time(self.command.as_ref()),
            row: time(self.row.as_ref()),
            member: time(self.member.as_ref()),
            xor: rate(&self.xor),
            syndrome: rate(&self.syndrome),
            memory,
        })
    }
}

impl WritesFile {
    fn resolve(&self, names: &Names<'_>) -> Result<WritePolicy, Diagnostic> {
        let plain = WritePolicy::default();
        let request = match &self.request {
            Some(request) => Some(names.small(request, "a request")?),
            None => None,
        };
        Ok(WritePolicy {
            modify: self.modify.as_ref().map_or(plain.modify, |word| match word.get() {
                ModifyWord::Fewest => Modify::Fewest,
                ModifyWord::OldData => Modify::OldData,
                ModifyWord::Rest => Modify::Rest,
            }),
            lock: self.lock.as_ref().map_or(plain.lock, |word| match word.get() {
                LockWord::Rows => Lock::Rows,
                LockWord::Stripe => Lock::Stripe,
            }),
            merge: self.merge.as_ref().map_or(plain.merge, |word| word.get().is_yes()),
            gather: time(self.gather.as_ref()),
            read_first: self.read_first.as_ref().map(|count| count.get().number),
            request,
            cache_rows: self.cache_rows.as_ref().map_or(plain.cache_rows, |c| c.get().number),
        })
    }
}

impl SyncFile {
    fn resolve(&self, chunk: u32, names: &Names<'_>) -> Result<SyncPolicy, Diagnostic> {
        let plain = SyncPolicy::of_chunks(chunk);
        let number = |count: &Option<Sourced<Count>>, usual| {
            count.as_ref().map_or(usual, |count| count.get().number)
        };
        let window = match &self.window {
            Some(window) => names.small(window, "a window")?,
            None => plain.window,
        };
        Ok(SyncPolicy {
            min: *self.min.get(),
            max: *self.max.get(),
            window,
            windows: number(&self.windows, plain.windows),
            beside: number(&self.beside, plain.beside),
        })
    }
}
