//! A write-back cache in memory, as written in a system file.

use super::super::nand_file::YesNo;
use super::super::sourced::Sourced;
use super::names::Names;
use engine::{Bandwidth, Bytes, Count, Duration, Ratio};
use fio::Diagnostic;
use iopath::volume::cache::{CacheConfig, DestageOrder, Retention};
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

/// `[volume.cache]`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CacheFile {
    /// Bytes of data that it holds.
    pub size: Sourced<Bytes>,
    /// What a power cut leaves.
    pub retention: Sourced<RetentionWord>,
    /// Whether flushes and durable writes empty it first.
    pub honours_flush: Sourced<YesNo>,
    /// Unit of bookkeeping; default 4 KiB.
    pub line: Option<Sourced<Bytes>>,
    /// Its own cores for copies and bookkeeping.
    pub threads: Option<Sourced<Count>>,
    /// A `[[processor]]` that does the work instead.
    #[schemars(with = "Option<String>")]
    pub processor: Option<Spanned<String>>,
    /// Rate at which one core copies data; by default copies are free.
    pub copy: Option<Sourced<Bandwidth>>,
    /// Rate of the memory that every byte moves through.
    pub memory: Option<Sourced<Bandwidth>>,
    /// The `[[processor]]` of one core that models this memory.
    #[schemars(with = "Option<String>")]
    pub memory_of: Option<Spanned<String>>,
    /// Time under the lock of the cache for each command.
    pub command: Option<Sourced<Duration>>,
    /// Time under that lock for each line.
    pub per_line: Option<Sourced<Duration>>,
    /// Dirty share above which lines are written; default half.
    pub dirty_low: Option<Sourced<Ratio>>,
    /// Dirty share at which writes wait; default all.
    pub dirty_high: Option<Sourced<Ratio>>,
    /// Quiet time after which dirty lines are written; default one second.
    pub idle_after: Option<Sourced<Duration>>,
    /// Order of writing; default sorted.
    pub order: Option<Sourced<OrderWord>>,
    /// Writes of lines in flight at once; default 32.
    pub depth: Option<Sourced<Count>>,
    /// The largest of them; default 1 MiB.
    pub request: Option<Sourced<Bytes>>,
}

/// What a power cut leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RetentionWord {
    /// Nothing.
    Volatile,
    /// Everything.
    Protected,
}

/// In which order lines are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OrderWord {
    /// By address.
    Sorted,
    /// Oldest first.
    Oldest,
}

impl CacheFile {
    /// The cache.
    pub(super) fn config(&self, names: &Names<'_>, name: &str) -> Result<CacheConfig, Diagnostic> {
        let mut config = CacheConfig::new(self.size.get().base());
        name.clone_into(&mut config.name);
        config.retention = match self.retention.get() {
            RetentionWord::Volatile => Retention::Volatile,
            RetentionWord::Protected => Retention::Protected,
        };
        config.honours_flush = self.honours_flush.get().is_yes();
        if let Some(line) = &self.line {
            config.line = names.small(line, "a line")?;
        }
        config.threads = self.threads.as_ref().map_or(0, |threads| threads.get().number);
        config.pool = self.processor.as_ref().map(|name| names.pool(name)).transpose()?;
        config.copy = self.copy.as_ref().map(|rate| *rate.get());
        config.memory = match (&self.memory, &self.memory_of) {
            (Some(rate), Some(name)) => Some((names.pool(name)?, *rate.get())),
            (None, None) => None,
            _ => {
                let at = self.size.at();
                let help = "give both memory and memory_of, or none";
                return Err(names.source.wrong(at, "a memory that is half described", help));
            }
        };
        if let Some(command) = &self.command {
            config.command = *command.get();
        }
        if let Some(line) = &self.per_line {
            config.per_line = *line.get();
        }
        if let Some(low) = &self.dirty_low {
            config.dirty_low = *low.get();
        }
        if let Some(high) = &self.dirty_high {
            config.dirty_high = *high.get();
        }
        if let Some(after) = &self.idle_after {
            config.idle_after = *after.get();
        }
        config.order = match self.order.as_ref().map(|word| word.get()) {
            Some(OrderWord::Oldest) => DestageOrder::Oldest,
            Some(OrderWord::Sorted) | None => DestageOrder::Sorted,
        };
        if let Some(depth) = &self.depth {
            config.depth = depth.get().number;
        }
        if let Some(request) = &self.request {
            config.request = names.small(request, "a request")?;
        }
        Ok(config)
    }
}
