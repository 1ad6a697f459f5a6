//! What was written to the flash, by cause.

use std::iter::Sum;

/// Units written by cause, since the start.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct UnitLedger {
    /// Units that the host's commands placed.
    pub host: u64,
    /// Units that they would have taken without compression; the same in a drive that does not.
    pub accepted: u64,
    /// Units that collection moved.
    pub copies: u64,
    /// Units of parity.
    pub parity: u64,
    /// Units padded when a page or a word line was closed early.
    pub padding: u64,
    /// Units that collection moved out of the SLC cache.
    pub folding: u64,
    /// Units that static wear levelling moved.
    pub levelling: u64,
    /// Units of the map that were written.
    pub metadata: u64,
    /// Units that were moved because their cells were fading.
    pub refresh: u64,
}

impl UnitLedger {
    /// All units that went to the flash.
    pub fn total(&self) -> u64 {
        let moved = self.copies + self.folding + self.levelling + self.refresh;
        self.host + self.parity + self.padding + self.metadata + moved
    }
}

impl Sum for UnitLedger {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |a, b| UnitLedger {
            host: a.host + b.host,
            accepted: a.accepted + b.accepted,
            copies: a.copies + b.copies,
            parity: a.parity + b.parity,
            padding: a.padding + b.padding,
            folding: a.folding + b.folding,
            levelling: a.levelling + b.levelling,
            metadata: a.metadata + b.metadata,
            refresh: a.refresh + b.refresh,
        })
    }
}
