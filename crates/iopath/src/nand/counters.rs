//! What the flash has done since the start.

/// Sums over all dies.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct NandCounters {
    /// Page senses begun.
    pub senses: u64,
    /// Of these, senses again with other references.
    pub retries: u64,
    /// Pages that could not be read.
    pub lost: u64,
    /// Word line programs begun.
    pub programs: u64,
    /// Block erases begun (each over the planes of a die).
    pub erases: u64,
    /// Suspensions.
    pub suspends: u64,
    /// Bytes moved from the flash.
    pub read_bytes: u64,
    /// Bytes programmed, parity and padding included.
    pub program_bytes: u64,
    /// Energy above idle, in picojoules.
    pub energy_pj: u64,
    /// Channel time used, summed over channels, in picoseconds.
    pub bus_busy_ps: u128,
}
