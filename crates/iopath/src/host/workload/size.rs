//! Block sizes: one, a range, or a weighted list.

use engine::{Stream, narrow};

/// How large I/Os are, in bytes.
#[derive(Clone, PartialEq, Debug)]
pub enum BlockSizes {
    /// Always the same.
    Fixed(u32),
    /// Multiples of the smaller up to the larger, all equally likely.
    Range(u32, u32),
    /// Sizes with weights; the weights are cumulated, the last is the total.
    Split(Vec<(u32, u32)>),
}

impl BlockSizes {
    /// A weighted list; entries of no weight never occur.
    ///
    /// # Panics
    /// If the weights add up to nothing.
    pub fn split(sizes: &[(u32, u32)]) -> Self {
        let mut total = 0;
        let cumulated = sizes
            .iter()
            .filter(|&&(_, weight)| weight > 0)
            .map(|&(size, weight)| {
                total += weight;
                (size, total)
            })
            .collect();
        assert!(total > 0, "a split needs a weight");
        BlockSizes::Split(cumulated)
    }

    /// The smallest size that can occur.
    pub fn smallest(&self) -> u32 {
        match self {
            BlockSizes::Fixed(size) | BlockSizes::Range(size, _) => *size,
            BlockSizes::Split(sizes) => sizes.iter().map(|&(size, _)| size).min().unwrap_or(512),
        }
    }

    /// The largest size that can occur.
    pub fn largest(&self) -> u32 {
        match self {
            BlockSizes::Fixed(size) | BlockSizes::Range(_, size) => *size,
            BlockSizes::Split(sizes) => sizes.iter().map(|&(size, _)| size).max().unwrap_or(512),
        }
    }

    /// The next size.
    #[inline]
    pub fn draw(&self, stream: &mut Stream) -> u32 {
        match self {
            BlockSizes::Fixed(size) => *size,
            mixed => mixed.draw_mixed(stream),
        }
    }

    /// The next of several sizes. Apart, so that one size costs no call.
    #[inline(never)]
    fn draw_mixed(&self, stream: &mut Stream) -> u32 {
        match self {
            BlockSizes::Fixed(size) => *size,
            BlockSizes::Range(low, high) => {
                let steps = (high / low).max(1) as u64;
                low * (narrow::<u32>(stream.below(steps)) + 1)
            }
            BlockSizes::Split(sizes) => {
                let total = sizes[sizes.len() - 1].1 as u64;
                let draw: u32 = narrow(stream.below(total));
                sizes.iter().find(|&&(_, upto)| draw < upto).map_or(sizes[0].0, |&(size, _)| size)
            }
        }
    }
}
