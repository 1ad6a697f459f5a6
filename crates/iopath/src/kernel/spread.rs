//! How random writes to a volume come down to one of its members.

/// A member of an array with parity is written unevenly: its parity as often as all the data of a
/// stripe together, a log at one place.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    /// Bytes of a window: a chunk.
    pub window: u64,
    /// Windows of a period; the periods go over the member from its first byte.
    pub period: u32,
    /// The set of windows of a period that are written more often: parity.
    pub warm: u64,
    /// Bytes that the periods go over.
    pub bytes: u64,
    /// What is overwritten again and again: first byte and bytes.
    pub log: Option<(u64, u64)>,
    /// Bytes that the other windows, the warm windows, and the log take of what is written.
    pub written: [u64; 3],
}

impl Spread {
    /// Shares (0 to 1) of the writes that go to other windows, warm windows and the log.
    pub fn shares(&self) -> [f64; 3] {
        let total = self.written.iter().sum::<u64>().max(1) as f64;
        self.written.map(|bytes| bytes as f64 / total)
    }
}
