//! The version of each block, and whether the host holds data there.

use engine::index;

/// Tables over all blocks of a device. Untouched parts take no memory.
pub(super) struct Versions {
    versions: Vec<u32>,
    held: Vec<u64>,
}

impl Versions {
    /// Nothing is held, all versions are 0.
    pub(super) fn new(blocks: u64) -> Self {
        let words = index(blocks.div_ceil(64));
        Versions { versions: vec![0; index(blocks)], held: vec![0; words] }
    }

    /// The version of a block.
    pub(super) fn get(&self, block: u64) -> u32 {
        self.versions[index(block)]
    }

    /// Whether a block holds data.
    pub(super) fn is_held(&self, block: u64) -> bool {
        self.held[index(block / 64)] >> (block % 64) & 1 == 1
    }

    /// A block has this version, and holds data.
    pub(super) fn set(&mut self, block: u64, version: u32) {
        self.versions[index(block)] = version;
        self.held[index(block / 64)] |= 1 << (block % 64);
    }

    /// Blocks hold data of an earlier run, of which the model knows nothing.
    pub(super) fn hold(&mut self, first: u64, end: u64) {
        for block in first..end {
            self.held[index(block / 64)] |= 1 << (block % 64);
        }
    }

    /// Blocks hold nothing.
    pub(super) fn give_up(&mut self, first: u64, end: u64) {
        let mut at = first;
        while at < end {
            if at.is_multiple_of(64) && end - at >= 64 && self.held[index(at / 64)] == 0 {
                at += 64;
                continue;
            }
            self.held[index(at / 64)] &= !(1 << (at % 64));
            self.versions[index(at)] = 0;
            at += 1;
        }
    }

    /// Whether the block at `first` is held, and where that changes, at most at `end`.
    pub(super) fn run(&self, first: u64, end: u64) -> (bool, u64) {
        let held = self.is_held(first);
        let alike = if held { u64::MAX } else { 0 };
        let mut at = first + 1;
        while at < end {
            if at.is_multiple_of(64) && end - at >= 64 && self.held[index(at / 64)] == alike {
                at += 64;
            } else if self.is_held(at) == held {
                at += 1;
            } else {
                break;
            }
        }
        (held, at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn runs_are_those_of_single_blocks(
            steps in prop::collection::vec((0..300_u64, 0..200_u64, any::<bool>()), 0..8)
        ) {
            let (mut versions, mut model) = (Versions::new(300), [false; 300]);
            for (first, len, hold) in steps {
                let end = (first + len).min(300);
                for block in first..end {
                    model[index(block)] = hold;
                }
                if hold {
                    (first..end).for_each(|block| versions.set(block, 7));
                } else {
                    versions.give_up(first, end);
                }
            }
            let mut at = 0;
            while at < 300 {
                let (held, until) = versions.run(at, 300);
                let run = &model[index(at)..index(until)];
                prop_assert!(until > at && run.iter().all(|of| *of == held));
                prop_assert!(until == 300 || model[index(until)] != held);
                prop_assert!(held || (at..until).all(|block| versions.get(block) == 0));
                at = until;
            }
        }
    }
}
