//! A cache tier as resolved numbers, and what would keep it from working.

use engine::{Duration, Ratio, narrow};

/// Sectors that one block can hold: the validity of a block is one machine word.
pub const MAX_SECTORS: u64 = 64;

/// What happens to the data of a write.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mode {
    /// To the cache only; the slow device gets it later (Intel calls it maximized).
    #[default]
    WriteBack,
    /// To both; done when both have it (Intel calls it enhanced).
    WriteThrough,
    /// To the slow device only; a cached copy of it is dropped.
    WriteAround,
}

/// Which blocks may enter the cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum AdmissionConfig {
    /// Every block that is touched.
    #[default]
    Always,
    /// A block that is touched again while it is among the last `ghosts` blocks refused.
    SecondTouch {
        /// Blocks that are remembered.
        ghosts: u32,
    },
    /// Blocks of regions that are touched often: a region represents a file.
    Hot {
        /// Bytes of a region, a multiple of the block.
        region: u64,
        /// Touches that make a region hot, from 1 to 255.
        touches: u8,
        /// All counts are halved after this many touches of absent blocks, so that the past fades.
        halve_after: u64,
    },
}

/// Which block leaves the cache when another wants its place.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum EvictionConfig {
    /// The one that was not used for the longest time.
    #[default]
    Lru,
    /// The first under a turning hand that was not used since the hand last passed (Corbato 1968).
    Clock,
    /// 2Q (Johnson and Shasha 1994): new blocks go through a queue; only those that come back
    /// after they left it are kept by recency.
    TwoQueue {
        /// Share of the slots that the queue of new blocks may hold.
        recent: Ratio,
        /// Blocks remembered after they left the queue, as a share of the slots.
        ghosts: Ratio,
    },
}

/// Which writes may enter a write-back cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum WriteAdmission {
    /// All of them.
    #[default]
    Always,
    /// Those of blocks that are cached or that [`AdmissionConfig`] admits.
    AsReads,
}

/// How dirty data goes to the slow device.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DestageConfig {
    /// Share of the slots that may hold dirty data; writes that would exceed it wait.
    pub limit: Ratio,
    /// Destaging that the limit began continues until the share is down to this.
    pub goal: Ratio,
    /// Quiet time after which dirty data is written back in address order; `None`: never.
    pub idle_after: Option<Duration>,
    /// Runs in progress at once.
    pub commands: u32,
    /// Longest run, in bytes.
    pub command_bytes: u64,
}

/// One cache tier.
#[derive(Clone, PartialEq, Debug)]
pub struct TierConfig {
    /// Name in messages.
    pub name: String,
    /// What happens to the data of a write.
    pub mode: Mode,
    /// Bytes of a cache block; at most 64 sectors.
    pub block: u64,
    /// Smallest piece whose validity is known, in bytes: the sector of the devices.
    pub sector: u64,
    /// Bytes of the fast device that hold blocks.
    pub cache_bytes: u64,
    /// Bytes of the slow device, which are those of the tier.
    pub backing_bytes: u64,
    /// Which blocks may enter.
    pub admission: AdmissionConfig,
    /// Whether that holds for writes too.
    pub write_admission: WriteAdmission,
    /// Which block leaves.
    pub eviction: EvictionConfig,
    /// Streams of at least this many bytes in a row go past the cache; `None`: none do.
    pub bypass_after: Option<u64>,
    /// Commands in flight that fill the cache with what was read; beyond it nothing is filled.
    pub fill_commands: u32,
    /// How dirty data leaves.
    pub destage: DestageConfig,
    /// Time that the tier adds before it looks at a command.
    pub overhead: Duration,
    /// The directory survives a restart and a power loss.
    pub persistent: bool,
}

/// What is wrong with a configuration, and how to fix it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TierFault {
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: String,
}

impl TierConfig {
    /// A write-back tier that admits everything, of 8 KiB blocks, to change field by field.
    pub fn new(name: &str, cache_bytes: u64, backing_bytes: u64) -> TierConfig {
        TierConfig {
            name: name.to_owned(),
            mode: Mode::WriteBack,
            block: 8192,
            sector: 512,
            cache_bytes,
            backing_bytes,
            admission: AdmissionConfig::Always,
            write_admission: WriteAdmission::Always,
            eviction: EvictionConfig::Lru,
            bypass_after: None,
            fill_commands: 32,
            destage: DestageConfig {
                limit: Ratio::percent(80),
                goal: Ratio::percent(70),
                idle_after: Some(Duration::from_us(500_000)),
                commands: 8,
                command_bytes: 1 << 20,
            },
            overhead: Duration::ZERO,
            persistent: true,
        }
    }

    /// Blocks that the cache has room for.
    pub fn slots(&self) -> u32 {
        u32::try_from(self.cache_bytes / self.block.max(1)).unwrap_or(u32::MAX)
    }

    /// Slots that may hold dirty data; one at least.
    pub fn dirty_limit(&self) -> u32 {
        narrow(self.destage.limit.of(self.slots() as u64).max(1))
    }

    /// Dirty slots at which destaging that the limit began ends.
    pub fn dirty_goal(&self) -> u32 {
        narrow(self.destage.goal.of(self.slots() as u64))
    }

    /// What would keep a tier of this configuration from working over devices of these sizes:
    /// found before time 0, because inside the simulation there is no error path.
    ///
    /// # Errors
    /// If a size does not fit the two devices, or if policies contradict each other.
    pub fn check(&self, cache_device: u64, backing_device: u64) -> Result<(), TierFault> {
        let need = |holds: bool, message: String, help: &str| {
            if holds { Ok(()) } else { Err(TierFault { message, help: help.to_owned() }) }
        };
        self.check_sizes(&need, cache_device, backing_device)?;
        self.check_policies(&need)
    }

    fn check_sizes(
        &self,
        need: &Need<'_>,
        cache_device: u64,
        backing_device: u64,
    ) -> Result<(), TierFault> {
        let (block, sector) = (self.block, self.sector);
        need(
            sector >= 512 && sector.is_power_of_two(),
            format!("sectors of {sector} bytes are not supported"),
            "give `sector` the size of the devices' sectors: \"512 B\" or \"4 KiB\"",
        )?;
        need(
            block >= sector && block % sector == 0,
            format!("the cache block of {block} bytes is not a multiple of the sector, {sector}"),
            "give `block` as a multiple of the sector, for example \"8 KiB\"",
        )?;
        need(
            block / sector <= MAX_SECTORS,
            format!("a cache block of {block} bytes has more than {MAX_SECTORS} sectors"),
            "choose a smaller `block`, or a larger `sector`",
        )?;
        need(
            self.cache_bytes <= cache_device,
            format!(
                "the cache uses {} bytes of a device that has {cache_device}",
                self.cache_bytes
            ),
            "lower `cache`, or put a larger device in front",
        )?;
        need(
            self.backing_bytes <= backing_device,
            format!(
                "the tier has {} bytes over a device that has {backing_device}",
                self.backing_bytes
            ),
            "the tier is as large as the device behind it: lower its capacity",
        )?;
        need(
            self.cache_bytes <= self.backing_bytes,
            format!(
                "the cache of {} bytes is larger than the device behind it, {} bytes",
                self.cache_bytes, self.backing_bytes
            ),
            "swap `cache` and `backing`, or use less of the cache device",
        )?;
        need(
            self.cache_bytes / block >= 8,
            format!("a cache of {} bytes has fewer than 8 blocks of {block}", self.cache_bytes),
            "choose a smaller `block`, or use more of the cache device",
        )?;
        need(
            self.backing_bytes / block < u32::MAX as u64,
            format!("{} bytes have too many blocks of {block}", self.backing_bytes),
            "choose a larger `block`: at most 4294967294 fit behind a cache",
        )
    }

    fn check_policies(&self, need: &Need<'_>) -> Result<(), TierFault> {
        match self.admission {
            AdmissionConfig::Always => {}
            AdmissionConfig::SecondTouch { ghosts } => need(
                ghosts > 0,
                "admission at the second touch remembers no block, so nothing is ever cached"
                    .into(),
                "give `ghosts`: a number of blocks, for example as many as the cache holds",
            )?,
            AdmissionConfig::Hot { region, touches, halve_after } => {
                need(
                    region >= self.block && region % self.block == 0,
                    format!("a region of {region} bytes is not a multiple of the cache block"),
                    "give `region` as a multiple of `block`, for example \"1 MiB\"",
                )?;
                need(
                    touches > 0 && halve_after > 0,
                    "`touches` or `halve_after` is 0".into(),
                    "use admission `always`, or numbers from 1",
                )?;
            }
        }
        if let EvictionConfig::TwoQueue { recent, ghosts } = self.eviction {
            let whole = Ratio::percent(100);
            need(
                recent > Ratio::default() && recent < whole && ghosts > Ratio::default(),
                "the queue of new blocks takes nothing or everything".into(),
                "give `recent` between 0 % and 100 % (25 %), and `ghosts` above 0 % (50 %)",
            )?;
        }
        let d = &self.destage;
        need(
            d.goal <= d.limit && d.limit <= Ratio::percent(100) && d.limit > Ratio::default(),
            format!("a dirty limit of {} with a dirty goal of {}", d.limit, d.goal),
            "give 0 % < `dirty_limit` <= 100 %, and `dirty_goal` not above it",
        )?;
        need(
            d.commands > 0 && d.command_bytes >= self.block && d.command_bytes <= 1 << 30,
            "destaging has no command, or commands smaller than a block or above 1 GiB".into(),
            "give at least one command of at least one `block`",
        )
    }
}

/// A check with its message and help.
type Need<'a> = dyn Fn(bool, String, &str) -> Result<(), TierFault> + 'a;
