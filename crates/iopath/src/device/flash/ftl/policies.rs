//! Policies of the translation layer: the part of a drive's configuration that the FTL itself
//! needs.

use super::map_cache::MapCachePolicy;
use super::retire::BadBlocks;
use super::separation::Separation;
use super::slc::SlcPolicy;
use super::victim::VictimPolicy;
use super::wear::WearLevelling;
use crate::device::flash::geometry::Layout;

/// The choices of one FTL. The default is what most drives do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FtlPolicies {
    /// Which group is collected next.
    pub victim: VictimPolicy,
    /// Where host data and copies go.
    pub write_points: WritePoints,
    /// What becomes of the rest of a page when a command of the host ends inside it.
    pub padding: Padding,
    /// Writing into cells that hold one bit each; `None` if the drive does not.
    pub slc: Option<SlcPolicy>,
    /// How host writes are separated, so that each kind fills groups of its own.
    pub separation: Separation,
    /// How the erase counts of groups are kept together.
    pub wear: WearLevelling,
    /// Blocks that fail, and their reserve; `None` if all are good forever.
    pub bad_blocks: Option<BadBlocks>,
    /// The part of the map that is in memory; `None` if all of it is.
    pub map_cache: Option<MapCachePolicy>,
    /// Grains of a mapping unit in a drive that compresses ([`super::compression`]); `None` if a
    /// mapping unit is one physical unit.
    pub grains: Option<u8>,
}

/// Where host data and copies go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WritePoints {
    /// Each has a stripe of its own, so that old and new data do not mix.
    #[default]
    Separate,
    /// Both fill the same stripe.
    Shared,
    /// What the host writes in order has a stripe of its own; the rest of it and copies fill the
    /// same one.
    Ordered {
        /// Units in order after which what follows goes there.
        after: u32,
    },
}

/// What becomes of the rest of a page when a command of the host ends inside it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Padding {
    /// The next command goes on there: the buffer gathers whole pages.
    #[default]
    None,
    /// It is given up: the drive keeps no user data in memory and programs what it has.
    Page,
}

impl FtlPolicies {
    /// Logical units that the drive uses itself: the translation pages of a partial map.
    pub fn own_units(&self, layout: &Layout, logical: u32) -> u32 {
        self.map_cache.map_or(0, |policy| policy.pages(&layout.geometry, logical))
    }

    /// Write streams of the host beyond the first.
    pub fn extra_host_streams(&self) -> u32 {
        self.separation.streams() - 1
    }

    /// Write streams that hold host data.
    pub fn host_streams(&self) -> u32 {
        let ordered = matches!(self.write_points, WritePoints::Ordered { .. });
        1 + u32::from(ordered) + self.extra_host_streams()
    }

    /// Write streams of copies beyond the first.
    pub fn extra_copy_streams(&self) -> u32 {
        u32::from(matches!(self.wear, WearLevelling::Static(_)))
    }

    fn extra_streams(&self) -> u32 {
        self.extra_host_streams() + self.extra_copy_streams()
    }

    /// Free stripes at which collection begins: what the SLC cache sets aside, and one more for
    /// each write stream more.
    pub fn reserve_stripes(&self, layout: &Layout) -> u32 {
        let set_aside = self.slc.as_ref().map_or(0, |slc| slc.set_aside(layout));
        super::RESERVE_STRIPES + set_aside + self.extra_streams()
    }

    /// Stripes that must stay beside the user's data: the reserve, one open stripe of each write
    /// stream, which may hold nothing valid, and those of the SLC cache that nothing is set aside
    /// for.
    pub fn least_spare_stripes(&self, layout: &Layout) -> u32 {
        let cache = self.slc.as_ref().map_or(0, |slc| slc.kept(layout) - slc.set_aside(layout));
        self.reserve_stripes(layout) + 2 + self.extra_streams() + cache
    }

    /// Stripes outside alpha for write streams: the reserve, and half an open stripe of each.
    pub fn stripes_outside_alpha(&self) -> u32 {
        super::RESERVE_STRIPES + self.extra_streams() + (2 + self.extra_streams()).div_ceil(2)
    }
}

impl From<VictimPolicy> for FtlPolicies {
    fn from(victim: VictimPolicy) -> Self {
        FtlPolicies { victim, ..FtlPolicies::default() }
    }
}
