//! An array as resolved numbers: its level and shape, what its driver or controller spends on it,
//! and how it behaves when something fails.

use engine::{Bandwidth, Duration};

/// Most members of an array: a set of members is one word.
pub const MOST_MEMBERS: u32 = 64;

/// Rows of a stripe are counted in pages of this many bytes, the smallest chunk.
pub const PAGE: u32 = 4096;

/// How data is spread and protected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// Striped, no redundancy.
    Raid0,
    /// The same on every member.
    Raid1,
    /// Striped, one parity chunk in each stripe.
    Raid5,
    /// Striped, two parity chunks in each stripe.
    Raid6,
    /// Striped over pairs of mirrors, the copies next to each other ("near 2").
    Raid10,
}

impl Level {
    /// The fewest members that make sense.
    pub fn least_members(self) -> u32 {
        match self {
            Level::Raid0 | Level::Raid1 => 2,
            Level::Raid5 => 3,
            Level::Raid6 | Level::Raid10 => 4,
        }
    }

    /// Chunks of parity in a stripe.
    pub fn parities(self) -> u32 {
        match self {
            Level::Raid0 | Level::Raid1 | Level::Raid10 => 0,
            Level::Raid5 => 1,
            Level::Raid6 => 2,
        }
    }
}

/// Where the parity of a stripe is, by the names of Linux' md. The two words are independent: the
/// direction in which parity walks from stripe to stripe, and whether data begins behind it
/// (symmetric) or at member 0 (asymmetric).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ParityLayout {
    /// Parity walks from the last member to the first; data begins behind it. The default of md.
    #[default]
    LeftSymmetric,
    /// Parity walks from the last member to the first; data begins at member 0.
    LeftAsymmetric,
    /// Parity walks from the first member to the last; data begins behind it.
    RightSymmetric,
    /// Parity walks from the first member to the last; data begins at member 0.
    RightAsymmetric,
}

/// How the parity of a stripe is brought up to date when only part of it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Modify {
    /// Whichever method needs fewer reads; reconstruct-write if they are equal.
    #[default]
    Fewest,
    /// Read what is overwritten and the parity (read-modify-write) wherever that is possible.
    OldData,
    /// Read what is not overwritten (reconstruct-write) wherever that is possible.
    Rest,
}

/// How much of a stripe is locked while a part of it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Lock {
    /// The rows that are written: other rows of the same stripe continue.
    #[default]
    Rows,
    /// The whole stripe, for the whole cycle of reads and writes.
    Stripe,
}

/// Which copy of a mirror is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ReadBalance {
    /// That of the member with the fewest commands in flight.
    #[default]
    LeastOutstanding,
    /// That of the member whose last command ended nearest: for hard disks.
    NearestHead,
    /// Copies take turns from region to region of the volume, whatever is in flight.
    Region {
        /// Bytes of the volume in a region.
        bytes: u64,
    },
    /// Always the first.
    First,
}

/// Which processors do the work of the array, and its cost.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct StripeEngine {
    /// Threads of the array's own that handle commands and stripes; 0 if the work costs nothing,
    /// or if `pool` does it.
    pub threads: u32,
    /// A pool in [`crate::kernel::shared::Shared`] that does the work instead: the cores of a host.
    pub pool: Option<usize>,
    /// Time for each command from above, on one thread.
    pub command: Duration,
    /// Time for each row of [`PAGE`] bytes of a stripe that is written, rebuilt or reconstructed,
    /// on one thread.
    pub row: Duration,
    /// Time for each command to a member that belongs to a stripe, on one thread.
    pub member: Duration,
    /// Bytes that go into an exclusive or (RAID 5, and P of RAID 6), for each thread.
    pub xor: Option<Bandwidth>,
    /// Bytes that go into the second syndrome (Q of RAID 6), for each thread.
    pub syndrome: Option<Bandwidth>,
    /// A pool in [`crate::kernel::shared::Shared`] of one server, and its rate: the memory of a
    /// controller through which every byte to and from a member moves, and every byte in and out of
    /// a parity calculation.
    pub memory: Option<(usize, Bandwidth)>,
}

/// How writes go through an array with parity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WritePolicy {
    /// How partial stripes are written.
    pub modify: Modify,
    /// What is locked meanwhile.
    pub lock: Lock,
    /// Writes that wait for a stripe become one write of it. False: one after the other.
    pub merge: bool,
    /// How long a partial stripe waits for more of it before it is begun.
    pub gather: Duration,
    /// While this many partial stripes are being read, further ones wait and gather; when fewer
    /// are, all that wait are begun (md: 1). `None`: they never wait.
    pub read_first: Option<u32>,
    /// The largest write that is treated at once; a larger one is split at its multiples.
    pub request: Option<u32>,
    /// Pages of [`PAGE`] bytes for each member in the stripe cache: rows in flight at once (md:
    /// `stripe_cache_size`, 256).
    pub cache_rows: u32,
}

impl Default for WritePolicy {
    fn default() -> Self {
        WritePolicy {
            modify: Modify::Fewest,
            lock: Lock::Rows,
            merge: true,
            gather: Duration::ZERO,
            read_first: None,
            request: None,
            cache_rows: 1 << 20,
        }
    }
}

/// The pace of a rebuild or a resync.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyncPolicy {
    /// Bytes of each member in a second that are promised while commands come from above (md:
    /// `sync_speed_min`).
    pub min: Bandwidth,
    /// Bytes of each member in a second at most (md: `sync_speed_max`).
    pub max: Bandwidth,
    /// Bytes of each member that are done at once: whole chunks, or a whole part of one.
    pub window: u32,
    /// Windows in progress at once, while no commands come from above or the lower limit is not
    /// kept.
    pub windows: u32,
    /// Windows in progress at once while commands come from above and the lower limit is kept. With
    /// none the rebuild runs at its lower limit.
    pub beside: u32,
}

impl SyncPolicy {
    /// md's own for chunks of some bytes: the largest window up to its 128 KiB that is whole chunks
    /// or a whole part of one.
    pub fn of_chunks(chunk: u32) -> Self {
        let most = SyncPolicy::default().window;
        let window = match chunk {
            0 => most,
            _ if chunk <= most => most / chunk * chunk,
            _ if chunk.is_multiple_of(most) => most,
            _ => chunk,
        };
        SyncPolicy { window, ..SyncPolicy::default() }
    }
}

impl Default for SyncPolicy {
    /// Those of Linux md since version 4.1 (`md_do_sync` in drivers/md/md.c): 1000 and 200,000
    /// KiB/s, and after each 128 KiB a look at whether others use the members; if so, the next
    /// begin when these are done. The 2 MiB in progress without a load are those of a mirror
    /// (`RESYNC_DEPTH` of 32 blocks of 64 KiB).
    fn default() -> Self {
        SyncPolicy {
            min: Bandwidth::from_base(1_024_000),
            max: Bandwidth::from_base(204_800_000),
            window: 128 << 10,
            windows: 16,
            beside: 1,
        }
    }
}

/// What is kept of a write of a stripe until data and parity are both on the members.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum WriteLog {
    /// Nothing: after a power cut data and parity may disagree (the write hole).
    #[default]
    None,
    /// Partial parity, the exclusive or of what the write leaves alone, written to the metadata of
    /// the parity's member first (md: PPL; RAID 5 only).
    PartialParity,
    /// Data and parity in non-volatile memory; they are written again.
    Protected,
}

/// Which regions may differ between members after an unclean stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bitmap {
    /// Bytes of each member in a region.
    pub region: u64,
    /// A region that was not written for so long is marked clean again.
    pub clean_after: Duration,
}

/// An array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RaidConfig {
    /// For messages.
    pub name: String,
    /// Level.
    pub level: Level,
    /// Members that hold data and redundancy.
    pub members: u32,
    /// Spares; they follow the members among the nodes below.
    pub spares: u32,
    /// Stripe unit: bytes on one member before the next is used.
    pub chunk: u32,
    /// Where parity is.
    pub layout: ParityLayout,
    /// Bytes of a sector of the volume.
    pub sector: u32,
    /// Bytes at the end of each member that the array keeps for itself. With 0 its metadata costs
    /// no I/O.
    pub metadata: u64,
    /// Which processors do the work.
    pub engine: StripeEngine,
    /// Writes to parity.
    pub writes: WritePolicy,
    /// Reads of mirrors.
    pub reads: ReadBalance,
    /// Rebuild and resync.
    pub sync: SyncPolicy,
    /// Protection against the write hole.
    pub log: WriteLog,
    /// What a resync may leave out. `None`: it goes over everything.
    pub bitmap: Option<Bitmap>,
    /// An array that was not written for so long is flushed and marked clean (md:
    /// `safe_mode_delay`, about 200 ms).
    pub clean_after: Duration,
}

/// Why an array cannot be built.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// What is wrong.
    pub message: String,
    /// How to fix it.
    pub help: String,
}

impl RaidConfig {
    /// An array whose own work costs nothing.
    pub fn new(level: Level, members: u32, chunk: u32) -> Self {
        RaidConfig {
            name: "array".to_owned(),
            level,
            members,
            spares: 0,
            chunk,
            layout: ParityLayout::default(),
            sector: 512,
            metadata: 0,
            engine: StripeEngine::default(),
            writes: WritePolicy::default(),
            reads: ReadBalance::default(),
            sync: SyncPolicy::of_chunks(chunk),
            log: WriteLog::default(),
            bitmap: None,
            clean_after: Duration::from_us(200_000),
        }
    }

    /// Checks the array against the capacities of the nodes below in bytes, members first and then
    /// spares. Returns warnings for the user.
    ///
    /// # Errors
    /// If the array cannot be built.
    pub fn check(&self, capacities: &[u64]) -> Result<Vec<String>, Fault> {
        let level = self.level;
        self.check_shape()?;
        let nodes = self.members as usize + self.spares as usize;
        require(
            capacities.len() == nodes,
            || format!("{nodes} members and spares, but {} drives", capacities.len()),
            "name one drive for each member and each spare",
        )?;
        self.check_policies()?;
        let least = capacities.iter().copied().min().unwrap_or(0);
        require(
            least >= self.metadata + self.chunk as u64,
            || format!("the smallest member ({least} bytes) has no room for one chunk"),
            "use larger members, a smaller chunk or less metadata",
        )?;
        let most = capacities.iter().copied().max().unwrap_or(0);
        let mut warnings = Vec::new();
        if most != least {
            warnings.push(format!(
                "members are unequal ({least} to {most} bytes): each is used as the smallest"
            ));
        }
        if self.spares > 0 && level == Level::Raid0 {
            warnings.push("RAID 0 cannot be rebuilt: its spares are of no use".to_owned());
        }
        Ok(warnings)
    }

    fn check_shape(&self) -> Result<(), Fault> {
        let (level, members) = (self.level, self.members);
        let least = level.least_members();
        require(
            members >= least,
            || format!("{} needs at least {least} members, not {members}", name(level)),
            "add members, or choose a level that needs fewer",
        )?;
        require(
            members <= MOST_MEMBERS,
            || format!("{members} members; an array has at most {MOST_MEMBERS}"),
            "make several arrays",
        )?;
        require(
            level != Level::Raid10 || members.is_multiple_of(2),
            || format!("RAID 10 mirrors pairs, but {members} members is an odd number"),
            "add or remove one member",
        )?;
        require(
            self.sector >= 512 && self.sector.is_power_of_two() && self.sector <= PAGE,
            || format!("a sector of {} bytes", self.sector),
            "sectors have 512, 1024, 2048 or 4096 bytes",
        )?;
        require(
            self.chunk > 0 && self.chunk.is_multiple_of(self.sector),
            || {
                format!(
                    "a chunk of {} bytes is not a multiple of the sector of {}",
                    self.chunk, self.sector
                )
            },
            "choose a chunk of whole sectors, such as 64 KiB",
        )?;
        require(
            self.chunk.is_multiple_of(PAGE) && self.chunk <= 1 << 30,
            || format!("a chunk of {} bytes", self.chunk),
            "chunks are whole pages of 4 KiB, up to 1 GiB",
        )
    }

    fn check_policies(&self) -> Result<(), Fault> {
        let parity = self.level.parities() > 0;
        let sync = &self.sync;
        require(
            sync.min.base() > 0 && sync.max >= sync.min,
            || "the lowest speed of a rebuild is zero or above the highest".to_owned(),
            "give a lowest speed above zero and a highest not below it",
        )?;
        require(
            sync.window > 0 && sync.window.is_multiple_of(PAGE) && sync.windows > 0,
            || format!("a rebuild in {} windows of {} bytes", sync.windows, sync.window),
            "give at least one window, of whole pages of 4 KiB",
        )?;
        require(
            sync.window.is_multiple_of(self.chunk) || self.chunk.is_multiple_of(sync.window),
            || {
                let (window, chunk) = (sync.window, self.chunk);
                format!("a rebuild in windows of {window} bytes over chunks of {chunk}")
            },
            "give a window of whole chunks, or a whole part of a chunk",
        )?;
        require(
            sync.beside <= sync.windows,
            || format!("{} windows beside a load, {} without", sync.beside, sync.windows),
            "give as many windows without a load at least",
        )?;
        require(
            self.log != WriteLog::PartialParity
                || self.level == Level::Raid5 && self.metadata >= self.chunk as u64,
            || "a log of partial parity needs RAID 5 and a chunk of metadata".to_owned(),
            "use RAID 5 with metadata, or another log",
        )?;
        require(
            self.bitmap.is_none_or(|b| b.region >= self.chunk as u64),
            || "a region of the bitmap is smaller than a chunk".to_owned(),
            "regions have tens of MiB",
        )?;
        let writes = &self.writes;
        let request = writes.request.is_none_or(|r| r >= PAGE && r.is_multiple_of(PAGE));
        require(
            request && writes.cache_rows > 0 && writes.read_first != Some(0),
            || "a stripe cache without rows, or a limit on writes below a page".to_owned(),
            "give at least one row, one partial stripe, and requests of whole pages",
        )?;
        let engine = &self.engine;
        let rates = [engine.xor, engine.syndrome, engine.memory.map(|(_, rate)| rate)];
        require(
            rates.iter().flatten().all(|rate| rate.base() > 0),
            || "a rate of zero".to_owned(),
            "leave a rate out if the work costs nothing",
        )?;
        require(
            !matches!(self.reads, ReadBalance::Region { bytes: 0 }),
            || "mirrors that alternate after zero bytes".to_owned(),
            "give a region of at least one chunk",
        )?;
        let costs = [engine.command, engine.row, engine.member].iter().any(|d| d.ps() > 0);
        require(
            engine.threads <= 1024
                && (engine.threads > 0
                    || engine.pool.is_some()
                    || !costs && (!parity || engine.xor.is_none() && engine.syndrome.is_none())),
            || "work that costs time needs at least one thread, and at most 1024".to_owned(),
            "give a number of threads, or a processor pool",
        )
    }
}

fn require(holds: bool, message: impl FnOnce() -> String, help: &str) -> Result<(), Fault> {
    if holds { Ok(()) } else { Err(Fault { message: message(), help: help.to_owned() }) }
}

fn name(level: Level) -> &'static str {
    match level {
        Level::Raid0 => "RAID 0",
        Level::Raid1 => "RAID 1",
        Level::Raid5 => "RAID 5",
        Level::Raid6 => "RAID 6",
        Level::Raid10 => "RAID 10",
    }
}
