//! What a tier counts, as a caching driver does.

/// Counters since the tier was made. Blocks are counted each time a command touches one; bytes
/// are those of commands to the devices.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TierCounters {
    /// Blocks of reads whose wanted sectors were all valid in the cache.
    pub read_hits: u64,
    /// Blocks of reads of which something was not.
    pub read_misses: u64,
    /// Blocks of writes that were in the cache.
    pub write_hits: u64,
    /// Blocks of writes that were not.
    pub write_misses: u64,
    /// Bytes that clients read.
    pub read_bytes: u64,
    /// Of these: from the cache.
    pub read_hit_bytes: u64,
    /// Bytes that clients wrote.
    pub written_bytes: u64,
    /// Bytes of client writes sent to the cache.
    pub cache_written_bytes: u64,
    /// Bytes of client writes sent to the slow device.
    pub passed_bytes: u64,
    /// Bytes that filled the cache with what was read.
    pub fill_bytes: u64,
    /// Blocks admitted that were not filled: too many fills in flight, or no slot was free.
    pub fills_skipped: u64,
    /// Bytes of dirty data read from the cache to be destaged.
    pub destage_read_bytes: u64,
    /// Bytes of dirty data written to the slow device.
    pub destaged_bytes: u64,
    /// Bytes of reads and writes that passed as parts of long streams.
    pub bypassed_bytes: u64,
    /// Changed bytes that were lost with the cache or its directory.
    pub lost_bytes: u64,
    /// Bytes in the cache now that the slow device does not have.
    pub dirty_bytes: u64,
}

impl TierCounters {
    /// Share of the blocks read that were in the cache, 0 to 1; 0 before the first.
    pub fn read_hit_ratio(&self) -> f64 {
        let all = self.read_hits + self.read_misses;
        if all == 0 { 0.0 } else { self.read_hits as f64 / all as f64 }
    }
}
