//! How much of a drive is simulated.

/// How much of a drive is simulated.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Scale {
    /// At most this many mapping units; the whole drive if it fits.
    Units(u64),
    /// This share of the capacity, 0 to 1; 1 is the whole drive.
    Share(f64),
    /// This much of the capacity of all flash drives together, bytes; the whole drive if it fits.
    Bytes(u64),
}

impl Default for Scale {
    /// At most 64 Mi mapping units.
    fn default() -> Self {
        Scale::Units(64 << 20)
    }
}
