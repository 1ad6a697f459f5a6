//! The arithmetic between bytes of the tier, blocks and sectors, and bytes of the fast device.

use super::masks;
use engine::narrow;

/// Sizes of blocks and sectors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    pub(super) block: u64,
    pub(super) sector: u64,
}

/// A range of bytes in consecutive blocks that are in consecutive slots.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    /// The slot of its first block.
    pub(super) slot: u32,
    /// First byte of the tier.
    pub(super) start: u64,
    /// Bytes.
    pub(super) len: u32,
}

impl Run {
    pub(super) fn end(&self) -> u64 {
        self.start + self.len as u64
    }
}

impl Grid {
    /// The block of a byte.
    #[inline]
    pub(super) fn block_of(self, at: u64) -> u32 {
        narrow(at / self.block)
    }

    /// The first byte after the block of a byte.
    #[inline]
    pub(super) fn block_end(self, at: u64) -> u64 {
        (at / self.block + 1) * self.block
    }

    /// Blocks that a range touches, from the first to after the last.
    pub(super) fn blocks(self, start: u64, end: u64) -> std::ops::Range<u32> {
        self.block_of(start)..narrow(end.div_ceil(self.block))
    }

    /// Sectors of a block that a range touches.
    #[inline]
    pub(super) fn touched(self, block: u32, start: u64, end: u64) -> u64 {
        let first = block as u64 * self.block;
        let from = start.saturating_sub(first) / self.sector;
        let to = end.saturating_sub(first).min(self.block).div_ceil(self.sector);
        masks::span(narrow(from), narrow(to))
    }

    /// Sectors of a block that are wholly inside a range.
    pub(super) fn covered(self, block: u32, start: u64, end: u64) -> u64 {
        let first = block as u64 * self.block;
        let from = start.saturating_sub(first).div_ceil(self.sector);
        let to = end.saturating_sub(first).min(self.block) / self.sector;
        if from < to { masks::span(narrow(from), narrow(to)) } else { 0 }
    }

    /// The first byte of a run on the fast device.
    pub(super) fn on_cache(self, run: Run) -> u64 {
        run.slot as u64 * self.block + run.start % self.block
    }

    /// The slots of a run with the sectors of each.
    pub(super) fn slots(self, run: Run) -> impl Iterator<Item = (u32, u64)> {
        let first = self.block_of(run.start);
        self.blocks(run.start, run.end()).map(move |block| {
            (run.slot + (block - first), self.touched(block, run.start, run.end()))
        })
    }
}
