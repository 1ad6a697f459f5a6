//! Admission by frequency over regions. A cache that knows files counts how often each is used; a
//! block device sees regions, and a file is a few of them.

/// Touches of each region.
#[derive(Clone, Debug)]
pub struct Hot {
    /// Blocks of a region.
    region: u32,
    touches: u8,
    halve_after: u64,
    seen: u64,
    counts: Vec<u8>,
}

impl Hot {
    pub(super) fn new(blocks: u32, region: u32, touches: u8, halve_after: u64) -> Hot {
        let counts = vec![0; blocks.div_ceil(region) as usize];
        Hot { region, touches, halve_after, seen: 0, counts }
    }

    pub(super) fn admits(&mut self, block: u32) -> bool {
        self.seen += 1;
        if self.seen > self.halve_after {
            self.seen = 1;
            self.counts.iter_mut().for_each(|count| *count /= 2);
        }
        let count = &mut self.counts[(block / self.region) as usize];
        *count = count.saturating_add(1);
        *count >= self.touches
    }

    pub(super) fn clear(&mut self) {
        self.seen = 0;
        self.counts.fill(0);
    }
}
