//! The random map of I/Os of several sizes: which blocks of a region a pass has touched.

/// Blocks of a region, each touched once in a pass. An I/O takes what is free from its place on and
/// ends before a block that was touched, as fio's do.
pub(super) struct Cover {
    /// Bytes of a block.
    block: u64,
    blocks: u64,
    /// Blocks of this pass that are not touched yet.
    free: u64,
    /// One bit a block.
    touched: Vec<u64>,
}

impl Cover {
    /// A map of the whole blocks in `span` bytes; none if there is not one.
    pub(super) fn new(block: u64, span: u64) -> Option<Cover> {
        let blocks = span / block.max(1);
        let words = usize::try_from(blocks.div_ceil(64)).ok()?;
        (blocks > 0).then(|| Cover { block, blocks, free: blocks, touched: vec![0; words] })
    }

    /// True if the block at this byte is still to be touched. Where all were, a new pass begins.
    #[inline]
    pub(super) fn is_free(&mut self, at: u64) -> bool {
        if self.free == 0 {
            self.free = self.blocks;
            self.touched.fill(0);
        }
        let number = at / self.block;
        number < self.blocks && !self.is_touched(number)
    }

    /// Touches the blocks from byte `at` up to `len` bytes and gives how many bytes of them were
    /// free.
    pub(super) fn take(&mut self, at: u64, len: u64) -> u64 {
        let first = at / self.block;
        let end = (first + len.div_ceil(self.block)).min(self.blocks);
        let mut number = first;
        while number < end && !self.is_touched(number) {
            self.touched[(number / 64) as usize] |= 1 << (number % 64);
            number += 1;
        }
        self.free -= number - first;
        len.min((number - first) * self.block)
    }

    /// The first block at this byte or behind it that is still to be touched, or the first of all.
    /// One must be.
    pub(super) fn next_free(&self, at: u64) -> u64 {
        let first = (at / self.block).min(self.blocks);
        let mut numbers = (first..self.blocks).chain(0..first);
        numbers.find(|number| !self.is_touched(*number)).unwrap_or(0) * self.block
    }

    /// Bytes of a block.
    pub(super) fn block(&self) -> u64 {
        self.block
    }

    fn is_touched(&self, number: u64) -> bool {
        self.touched[(number / 64) as usize] >> (number % 64) & 1 == 1
    }
}
