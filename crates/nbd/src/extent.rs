//! What is known of a stretch of an export.

/// A stretch of an export whose bytes are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Bytes.
    pub len: u32,
    /// Nothing is allocated for it.
    pub hole: bool,
    /// It reads as zeroes.
    pub zero: bool,
}

const HOLE: u32 = 1;
const ZERO: u32 = 2;

impl Extent {
    /// The flags of `base:allocation`.
    pub(crate) fn flags(self) -> u32 {
        u32::from(self.hole) * HOLE + u32::from(self.zero) * ZERO
    }

    /// The extent that a descriptor means. Flags that are not known are ignored.
    pub(crate) fn of_flags(len: u32, flags: u32) -> Self {
        Extent { len, hole: flags & HOLE != 0, zero: flags & ZERO != 0 }
    }
}
