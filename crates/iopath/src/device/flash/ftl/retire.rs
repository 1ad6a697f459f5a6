//! Bad blocks: those of the factory, those that fail at an erase, and what replaces them.
//!
//! A block may fail each time it is erased. The share of blocks that have failed after n erases
//! follows Weibull's law, F(n) = 1 - exp(-H(n)), H(n) = -ln(1 - F_rated) (n / rated)^shape, so that
//! a block that has survived n - 1 erases fails at the next with 1 - exp(H(n-1) - H(n)). A failed
//! block is replaced from a reserve. When the reserve is used up, its whole group is retired, and
//! the spare falls. When so few groups are left that collection could not continue with all logical
//! units in use, the drive takes no more writes.
//!
//! What is simplified: a block that takes the place of another counts as being erased as often as
//! its group, and at the same place in the geometry, so that superblocks keep their shape. The
//! reserve is outside the groups. Failures are found when a group is freed; nothing is lost,
//! because nothing was in it.

use super::{Ftl, draws};
use crate::device::flash::geometry::{GroupSpan, Layout};
use crate::kernel::payload::Payload;
use engine::{Stream, narrow, whole};

/// How blocks fail, and the reserve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BadBlocks {
    /// Share of all blocks that are bad from the factory, 0 to 1; they are replaced before the
    /// drive is sold.
    pub factory: f64,
    /// Blocks beyond those of the groups, as a share of those, 0 to 1.
    pub reserve: f64,
    /// Erases that the flash is rated for.
    pub rated: u32,
    /// Share of blocks that have failed after as many erases, 0 to below 1.
    pub failed_at_rated: f64,
    /// Weibull's shape; 1 is a constant hazard, above it the hazard rises with wear.
    pub shape: f64,
}

impl BadBlocks {
    /// Probability that a block fails at its `n`th erase, having survived those before.
    pub fn hazard(&self, n: u32) -> f64 {
        let rated = self.rated.max(1) as f64;
        let scale = -libm::log1p(-self.failed_at_rated);
        let until = |n: f64| scale * libm::pow(n / rated, self.shape);
        -libm::expm1(until(n as f64 - 1.0) - until(n as f64))
    }
}

/// What has become of the blocks of a drive, for its health pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockCounts {
    /// Blocks that were bad from the factory.
    pub factory: u32,
    /// Blocks that have failed since.
    pub grown: u32,
    /// Blocks of the reserve when the drive was new, net of what the factory's bad blocks took.
    pub spare_at_start: u32,
    /// Blocks of the reserve now.
    pub spare_left: u32,
    /// Groups that are no longer used.
    pub retired_groups: u32,
    /// The drive takes no more writes.
    pub read_only: bool,
}

impl BlockCounts {
    /// Percent of the reserve that is left.
    pub fn spare_percent(&self) -> u8 {
        let left = u64::from(self.spare_left) * 100 / u64::from(self.spare_at_start.max(1));
        narrow(left.min(100))
    }
}

/// The bad blocks of one drive.
#[derive(Clone, Debug)]
pub(super) struct Retirement {
    policy: BadBlocks,
    /// Blocks of a group: one failure takes one of them.
    blocks: u32,
    /// Groups of a lane that collection cannot do without.
    least_groups: u32,
    pub(super) counts: BlockCounts,
}

impl Retirement {
    /// A new drive whose logical units take so many `physical` ones at most; `None` if its blocks
    /// never fail. `spare` are the stripes that its policies need beside the user's.
    pub(super) fn new(
        policy: Option<BadBlocks>,
        spare: u32,
        layout: &Layout,
        physical: u64,
    ) -> Option<Self> {
        let policy = policy?;
        let user: u32 = narrow(physical.div_ceil(layout.stripe_data_units() as u64));
        let least_groups = user + spare;
        let blocks = match layout.geometry.span {
            GroupSpan::Superblock => layout.geometry.dies * layout.geometry.planes,
            GroupSpan::Block => layout.unit_planes,
        };
        let all = layout.groups as f64 * blocks as f64;
        let blocks_of = |share: f64| narrow::<u32>(whole(all * share));
        let factory = blocks_of(policy.factory);
        let spare = blocks_of(policy.reserve).saturating_sub(factory);
        let counts = BlockCounts {
            factory,
            spare_at_start: spare,
            spare_left: spare,
            ..BlockCounts::default()
        };
        Some(Retirement { policy, blocks, least_groups, counts })
    }

    /// A group that was erased `erases` times is erased again: replaces the blocks that fail.
    /// Returns false if one of them could not be replaced.
    fn erase(&mut self, group: u32, erases: u32, seed: u64) -> bool {
        // What is left at the end is kept in service to move the last data.
        if self.counts.read_only {
            return true;
        }
        let hazard = self.policy.hazard(erases.max(1));
        if hazard <= 0.0 {
            return true;
        }
        let draws = draws::seed_of(seed, &[group as u64, erases as u64]);
        let failed = failures(self.blocks, hazard, &mut Stream::new(draws, "ftl/retire"));
        self.counts.grown += failed;
        let replaced = failed.min(self.counts.spare_left);
        self.counts.spare_left -= replaced;
        replaced == failed
    }
}

impl<P: Payload> Ftl<P> {
    /// What has become of the blocks; `None` if the drive does not count them.
    pub fn block_counts(&self) -> Option<BlockCounts> {
        self.retirement.as_ref().map(|retirement| retirement.counts)
    }

    /// True if the drive takes no more writes, because too few groups are left.
    #[inline]
    pub fn is_read_only(&self) -> bool {
        self.retirement.as_ref().is_some_and(|retirement| retirement.counts.read_only)
    }

    /// Erases a group that was collected: retires it and returns false if it can be used no more.
    #[cold]
    pub(super) fn survives_erase(&mut self, group: u32) -> bool {
        let erases = self.pool.erases()[group as usize];
        let Some(retirement) = &mut self.retirement else { return true };
        if retirement.erase(group, erases, self.seed) {
            return true;
        }
        let left = self.pool.retire(group);
        retirement.counts.retired_groups += 1;
        retirement.counts.read_only |= left < retirement.least_groups;
        false
    }
}

/// How many of `n` fail, each with probability `p`: skips from failure to failure, whose distances
/// are geometric (Devroye 1986, X.2).
fn failures(n: u32, p: f64, stream: &mut Stream) -> u32 {
    let survive = libm::log1p(-p.min(1.0 - 1e-12));
    let (mut at, mut failed) = (0.0, 0);
    loop {
        at += libm::floor(libm::log1p(-stream.unit()) / survive) + 1.0;
        if at > n as f64 {
            return failed;
        }
        failed += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLASH: BadBlocks =
        BadBlocks { factory: 0.01, reserve: 0.03, rated: 100, failed_at_rated: 0.5, shape: 3.0 };

    #[test]
    fn hazards_multiply_to_weibulls_law() {
        let surviving: f64 = (1..=100).map(|n| 1.0 - FLASH.hazard(n)).product();
        assert!((surviving - 0.5).abs() < 1e-12, "{surviving}");
        assert!(FLASH.hazard(100) > 2.0 * FLASH.hazard(50), "the hazard rises with wear");
    }

    /// 200,000 blocks of 0.3 % each: the mean within four standard deviations.
    #[test]
    fn failures_are_binomial() {
        let mut stream = Stream::new(3, "test");
        let failed: u32 = (0..1000).map(|_| failures(200, 0.003, &mut stream)).sum();
        assert!((failed as f64 - 600.0).abs() < 4.0 * 24.5, "{failed}");
        assert_eq!(failures(200, 1.0, &mut stream), 200);
    }
}
