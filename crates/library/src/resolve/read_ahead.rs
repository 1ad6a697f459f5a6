//! From the section on reading ahead to what the drive does.

use super::Complaint;
use crate::read_ahead_file::ReadAheadFile;
use iopath::device::flash::config::ReadAheadConfig;

/// Most bytes that are kept ahead of a stream.
const MOST_BYTES: u64 = 16 << 20;
/// Most streams that are followed.
const MOST_STREAMS: u32 = 256;

impl ReadAheadFile {
    /// What a drive of mapping units of `unit` bytes reads ahead.
    ///
    /// # Errors
    /// Sizes and numbers of streams that no controller has.
    pub(super) fn resolve(&self, unit: u64) -> Result<ReadAheadConfig, Complaint> {
        let bytes = self.size.get().base();
        if !(2 * unit..=MOST_BYTES).contains(&bytes) {
            let message = format!("{bytes} B cannot be read ahead in mapping units of {unit} B");
            return Err((self.size.at(), message, format!("give {} B to 16 MiB", 2 * unit)));
        }
        let streams = self.streams.get().number;
        if !(1..=MOST_STREAMS).contains(&streams) {
            let message = format!("{streams} streams cannot be followed");
            return Err((self.streams.at(), message, format!("give 1 to {MOST_STREAMS}")));
        }
        let units = u32::try_from(bytes / unit).unwrap_or(u32::MAX);
        Ok(ReadAheadConfig { units, streams, after: self.after.get().number })
    }
}
