//! A database server under load as resolved numbers, and where its files are.

use super::schema::Schema;
pub use super::schema::{PAGE_BYTES, PAGE_LEN, Rows};
use engine::Duration;

/// Pages in one half of the doublewrite buffer, which is written at once: 1 MiB.
pub const DOUBLEWRITE_HALF: u32 = 64;
/// Bytes of a block of the redo log, and of the header and trailer in it.
pub const LOG_BLOCK: u64 = 512;

/// One server with its clients: a closed loop of transactions.
#[derive(Clone, Debug, PartialEq)]
pub struct OltpConfig {
    /// Path of its random streams, such as `vm0`.
    pub name: String,
    /// The node that takes its I/Os.
    pub target: u16,
    /// Namespace on that node.
    pub namespace: u16,
    /// First byte of its files there.
    pub base: u64,
    /// Clients, each with one transaction in progress at all times; at least 1.
    pub threads: u32,
    /// Processors; at least 1.
    pub cpus: u32,
    /// Processor time of a transaction, spread evenly over its statements.
    pub cpu: Duration,
    /// Most I/Os that its disk takes at once; the others wait in the guest. At least 1.
    pub queue_depth: u32,
    /// Tables and rows.
    pub schema: Schema,
    /// Statements of a transaction.
    pub mix: Mix,
    /// How rows are chosen.
    pub rows: Rows,
    /// Buffer pool.
    pub pool: PoolConfig,
    /// Redo log.
    pub redo: RedoConfig,
    /// Writing of dirty pages.
    pub flush: FlushConfig,
    /// Changes of pages of a secondary index that are not in the pool wait in the change buffer
    /// and cost no I/O.
    pub change_buffering: bool,
}

/// Statements of one transaction beside its begin and its commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mix {
    /// Selects of one row by its key.
    pub point_selects: u32,
    /// Selects of a run of rows by their key.
    pub range_selects: u32,
    /// Rows of each of these; at least 1.
    pub range_rows: u32,
    /// Updates of the indexed column.
    pub index_updates: u32,
    /// Updates of another column.
    pub other_updates: u32,
    /// Deletions, each followed by an insertion of the same key.
    pub delete_inserts: u32,
}

impl Mix {
    /// Sysbench's read-write transaction: 18 statements between `BEGIN` and `COMMIT`, as in its
    /// scripts `oltp.lua` (0.5) and `oltp_read_write.lua` (1.0).
    pub const READ_WRITE: Mix = Mix {
        point_selects: 10,
        range_selects: 4,
        range_rows: 100,
        index_updates: 1,
        other_updates: 1,
        delete_inserts: 1,
    };

    /// Statements, begin and commit included.
    pub fn statements(&self) -> u32 {
        let reads = self.point_selects + self.range_selects;
        reads + self.index_updates + self.other_updates + 2 * self.delete_inserts + 2
    }

    /// Changes of a page of a table or an index in a transaction.
    pub fn changes(&self) -> u32 {
        2 * self.index_updates + self.other_updates + 4 * self.delete_inserts
    }
}

/// The buffer pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolConfig {
    /// Frames for leaf pages; at least [`PoolConfig::LEAST`].
    pub frames: u32,
    /// Share of the list of pages behind the midpoint, in 1024ths (`innodb_old_blocks_pct` of 37
    /// is 378).
    pub old_1024: u32,
    /// Time after its first use before another use moves a page to the front
    /// (`innodb_old_blocks_time`); with zero the first use does.
    pub old_time: Duration,
}

impl PoolConfig {
    /// Fewest frames: the margins of the flusher are counted in pages and do not shrink.
    pub const LEAST: u32 = 1024;
}

/// The redo log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RedoConfig {
    /// Bytes of the ring.
    pub bytes: u64,
    /// Bytes that a transaction logs.
    pub per_transaction: u64,
    /// Writes begin and end at multiples of it: 512 B, or the page of the guest's cache.
    pub align: u64,
    /// Part of the ring, in 1024ths, from which on the oldest dirty pages are written.
    pub start_1024: u32,
    /// Part of the ring, in 1024ths, at which a client that wants to log more waits.
    pub stop_1024: u32,
}

/// Writing of dirty pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlushConfig {
    /// Whether pages go to the doublewrite buffer first.
    pub doublewrite: bool,
    /// Pages at the tail of the list that are looked at.
    pub search: u32,
    /// So many of them must be clean, or a batch is written.
    pub margin: u32,
    /// So many more are asked for.
    pub extra: u32,
    /// Most pages of a batch.
    pub batch: u32,
    /// Data files, which are flushed one after the other after a batch; a table's pages all are in
    /// one.
    pub files: u32,
}

impl FlushConfig {
    /// The margins of InnoDB 5.5 (`buf0flu.h`, `buf0lru.h`: a read-ahead area of 64 pages) with one
    /// file for each of `files` tables.
    pub fn innodb_5_5(files: u32) -> Self {
        FlushConfig { doublewrite: true, search: 133, margin: 69, extra: 117, batch: 128, files }
    }
}

impl OltpConfig {
    /// First byte of the doublewrite buffer, after the redo log.
    pub fn doublewrite_at(&self) -> u64 {
        self.base + self.redo.bytes
    }

    /// First byte of the tables.
    pub fn pages_at(&self) -> u64 {
        self.doublewrite_at() + 2 * u64::from(DOUBLEWRITE_HALF) * PAGE_BYTES
    }

    /// Bytes from its base to the end of its files.
    pub fn bytes(&self) -> u64 {
        self.pages_at() - self.base + u64::from(self.schema.pages()) * PAGE_BYTES
    }
}
