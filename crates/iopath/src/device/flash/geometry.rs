//! The shape of the flash behind a controller.
//!
//! # Glossary
//! Every size is named by the act that it is the unit of:
//! - *mapping unit* (indirection unit, IU): what the FTL maps, 4 KiB to 64 KiB;
//! - *page*: what one plane senses at once;
//! - *program unit* (word line): what one die programs at once, `planes x pages_per_wl` pages;
//! - *erase block*: what one plane erases;
//! - *group*: the unit of collection, either one erase block or a superblock over all dies;
//! - *stripe*: one group from each lane, opened and filled together by a write stream;
//! - *die* (LUN): what works on its own; *channel*: the bus that several dies share;
//! - *raw capacity*: what the data blocks hold; *user capacity*: what the host sees;
//! - *alpha* = raw/user. Over-provisioning is stated as alpha here, never as a bare percentage.

use engine::Divisor;
use std::ops::Range;

/// What is collected and erased as one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GroupSpan {
    /// One block of every plane of every die.
    Superblock,
    /// One block of one plane.
    Block,
}

/// Counts that describe the flash of one drive, at the scale at which it is simulated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Geometry {
    /// Channels between controller and flash.
    pub channels: u32,
    /// Dies over all channels; die `d` hangs on channel `d % channels`.
    pub dies: u32,
    /// Planes of a die.
    pub planes: u32,
    /// Bytes of a page.
    pub page_bytes: u32,
    /// Pages of a plane that one program writes (3 for one-shot TLC, 4 for QLC).
    pub pages_per_wl: u32,
    /// Pages of a plane's block, at the simulated scale; a multiple of `pages_per_wl`.
    pub rows: u32,
    /// Bytes of a mapping unit.
    pub unit_bytes: u32,
    /// What is collected as one.
    pub span: GroupSpan,
    /// Groups of each lane.
    pub groups_per_lane: u32,
    /// One die in this many holds parity inside a superblock; 0 for none.
    pub parity_period: u32,
}

impl Geometry {
    /// Programs that fill a block of one plane.
    pub fn programs(&self) -> u32 {
        self.rows / self.pages_per_wl.max(1)
    }

    /// Dies that hold parity in a stripe: one in each whole period.
    pub fn parity_dies(&self) -> u32 {
        match (self.span, self.parity_period) {
            (GroupSpan::Block, _) | (_, 0) => 0,
            (GroupSpan::Superblock, period) => self.dies / period,
        }
    }
}

/// Where a physical unit is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The die.
    pub die: u32,
    /// First plane of the unit.
    pub plane: u32,
    /// Page number inside the block.
    pub row: u32,
}

/// Arithmetic between physical unit numbers and places. Units are numbered group by group and,
/// inside a group, page after page over planes and then dies, so that consecutive units are on one
/// page, then on the planes of one die, then on the next die.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The counts this layout was made from.
    pub geometry: Geometry,
    /// Units of a page (1 if a unit spans planes).
    pub slots: u32,
    /// Planes that one unit spans (1 unless a unit is larger than a page).
    pub unit_planes: u32,
    /// Plane positions of a die: planes / unit_planes.
    pub plane_slots: u32,
    /// Lanes: 1 for superblocks, one for each die and plane for blocks.
    pub lanes: u32,
    /// Units of a group, parity included.
    pub group_units: u32,
    /// Units of a group that can hold data.
    pub group_data_units: u32,
    /// Groups in all.
    pub groups: u32,
    by_group: Divisor,
    by_slot: Divisor,
    by_plane: Divisor,
    by_die: Divisor,
    by_lane: Divisor,
    by_plane_slots: Divisor,
    by_data_die: Divisor,
}

impl Layout {
    /// # Panics
    /// If the counts do not fit each other; models are validated before they come here.
    pub fn new(geometry: Geometry) -> Self {
        let g = geometry;
        let slots = (g.page_bytes / g.unit_bytes).max(1);
        let unit_planes = (g.unit_bytes / g.page_bytes).max(1);
        assert!(g.planes.is_multiple_of(unit_planes) && g.rows.is_multiple_of(g.pages_per_wl));
        let plane_slots = g.planes / unit_planes;
        let page_units = g.rows * slots;
        let (lanes, dies, planes) = match g.span {
            GroupSpan::Superblock => (1, g.dies, plane_slots),
            GroupSpan::Block => (g.dies * plane_slots, 1, 1),
        };
        let group_units = page_units * dies * planes;
        let parity_dies = g.parity_dies();
        let group_data_units = group_units - parity_dies * planes * page_units;
        let groups = lanes * g.groups_per_lane;
        // Two numbers are kept for what is mapped nowhere.
        assert!((groups as u64) * (group_units as u64) < u32::MAX as u64 - 1, "32-bit map entries");
        Layout {
            geometry,
            slots,
            unit_planes,
            plane_slots,
            lanes,
            group_units,
            group_data_units,
            groups,
            by_group: Divisor::new(group_units),
            by_slot: Divisor::new(slots),
            by_plane: Divisor::new(planes),
            by_die: Divisor::new(dies),
            by_lane: Divisor::new(g.groups_per_lane),
            by_plane_slots: Divisor::new(plane_slots),
            by_data_die: Divisor::new((g.dies - parity_dies).max(1)),
        }
    }

    /// The group that holds physical unit `unit`.
    #[inline]
    pub fn group_of(&self, unit: u32) -> u32 {
        self.by_group.div_rem(unit).0
    }

    /// The lane that group `group` belongs to.
    #[inline]
    pub fn lane_of(&self, group: u32) -> u32 {
        self.by_lane.div_rem(group).0
    }

    /// Where physical unit `unit` is.
    #[inline]
    pub fn place(&self, unit: u32) -> Place {
        self.locate(unit).1
    }

    /// The group that holds physical unit `unit`, and where it is.
    #[inline]
    pub fn locate(&self, unit: u32) -> (u32, Place) {
        let (group, offset) = self.by_group.div_rem(unit);
        let (page, _) = self.by_slot.div_rem(offset);
        let (rest, plane) = self.by_plane.div_rem(page);
        let (row, die) = self.by_die.div_rem(rest);
        let (die, plane) = match self.geometry.span {
            GroupSpan::Superblock => (die, plane),
            GroupSpan::Block => self.by_plane_slots.div_rem(self.lane_of(group)),
        };
        (group, Place { die, plane: plane * self.unit_planes, row })
    }

    /// First unit of the page at `row` of (`die`, `plane_slot`) in the stripe of `groups`.
    #[inline]
    pub fn page_unit(&self, groups: &[u32], die: u32, plane_slot: u32, row: u32) -> u32 {
        match self.geometry.span {
            GroupSpan::Superblock => {
                groups[0] * self.group_units
                    + ((row * self.geometry.dies + die) * self.plane_slots + plane_slot)
                        * self.slots
            }
            GroupSpan::Block => {
                let group = groups[(die * self.plane_slots + plane_slot) as usize];
                group * self.group_units + row * self.slots
            }
        }
    }

    /// The unit at an offset in the data of the stripe of `groups`, in the order in which a stripe
    /// is filled: page after page over planes and then dies, row after row, parity left out.
    pub fn data_unit(&self, groups: &[u32], offset: u32) -> u32 {
        let (page, slot) = self.by_slot.div_rem(offset);
        let (rest, plane_slot) = self.by_plane_slots.div_rem(page);
        let (row, number) = self.by_data_die.div_rem(rest);
        self.page_unit(groups, self.data_die(groups[0], number), plane_slot, row) + slot
    }

    /// The offset of a unit that holds data in its stripe, of which `group` is one of the groups.
    pub fn data_offset(&self, group: u32, place: Place, slot: u32) -> u32 {
        let number = self.data_number(group, place.die);
        let rest = place.row * self.by_data_die.get() + number;
        (rest * self.plane_slots + place.plane / self.unit_planes) * self.slots + slot
    }

    /// The units of a group that hold data, in runs of consecutive ones.
    pub fn data_runs(&self, group: u32) -> impl Iterator<Item = Range<u32>> {
        let first = group * self.group_units;
        let whole = self.geometry.parity_dies() == 0;
        let dies = if whole { 1 } else { self.geometry.rows * self.geometry.dies };
        let units = self.group_units / dies;
        let holds = move |n: &u32| whole || !self.is_parity(n % self.geometry.dies, group);
        (0..dies).filter(holds).map(move |n| first + n * units..first + (n + 1) * units)
    }

    /// The die of a number among those that hold data beside `group`.
    fn data_die(&self, group: u32, number: u32) -> u32 {
        let (parity, period) = (self.geometry.parity_dies(), self.geometry.parity_period);
        if number >= parity * period.saturating_sub(1) {
            return number + parity;
        }
        let (block, at) = (number / (period - 1), number % (period - 1));
        block * period + at + u32::from(at >= group % period)
    }

    /// Dies before `die` that hold data beside `group`: the number of a die among these.
    pub(super) fn data_number(&self, group: u32, die: u32) -> u32 {
        let (parity, period) = (self.geometry.parity_dies(), self.geometry.parity_period);
        if die >= parity * period {
            return die - parity;
        }
        let (block, at) = (die / period, die % period);
        block * (period - 1) + at - u32::from(at > group % period)
    }

    /// Units of a stripe that can hold data.
    pub fn stripe_data_units(&self) -> u32 {
        self.group_data_units * self.lanes
    }

    /// Units that one program of one die writes.
    pub fn wl_units(&self) -> u32 {
        self.geometry.pages_per_wl * self.plane_slots * self.slots
    }

    /// True if `die` holds parity in the stripe whose first group is `group`; the parity rotates.
    #[inline]
    pub fn is_parity(&self, die: u32, group: u32) -> bool {
        let period = self.geometry.parity_period;
        period > 0
            && self.geometry.span == GroupSpan::Superblock
            && die / period < self.geometry.dies / period
            && die % period == group % period
    }

    /// Bytes of a block over all planes of one die, at the simulated scale.
    pub fn die_block_bytes(&self) -> u64 {
        let g = &self.geometry;
        g.rows as u64 * g.planes as u64 * g.page_bytes as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn geometry(span: GroupSpan, unit_bytes: u32) -> Geometry {
        Geometry {
            channels: 2,
            dies: 6,
            planes: 4,
            page_bytes: 16384,
            pages_per_wl: 4,
            rows: 8,
            unit_bytes,
            span,
            groups_per_lane: 5,
            parity_period: 0,
        }
    }

    #[test]
    fn consecutive_units_fill_a_page_then_the_planes_then_the_next_die() {
        let layout = Layout::new(geometry(GroupSpan::Superblock, 4096));
        let places: Vec<Place> = [0, 3, 4, 15, 16].map(|u| layout.place(u)).to_vec();
        let at = |die, plane, row| Place { die, plane, row };
        assert_eq!(places, [at(0, 0, 0), at(0, 0, 0), at(0, 1, 0), at(0, 3, 0), at(1, 0, 0)]);
        assert_eq!(layout.place(6 * 16), at(0, 0, 1));
    }

    #[test]
    fn a_unit_larger_than_a_page_spans_planes() {
        let layout = Layout::new(geometry(GroupSpan::Superblock, 65536));
        assert_eq!((layout.slots, layout.unit_planes, layout.plane_slots), (1, 4, 1));
        assert_eq!(layout.place(1), Place { die: 1, plane: 0, row: 0 });
    }

    /// Against the definition: all units of a stripe in the order of filling but for parity.
    #[test]
    fn data_of_a_stripe_are_numbered_in_the_order_of_filling() {
        let spans = [(GroupSpan::Superblock, 0), (GroupSpan::Superblock, 2)];
        let more = [(GroupSpan::Superblock, 4), (GroupSpan::Superblock, 6), (GroupSpan::Block, 0)];
        for (span, parity_period) in spans.into_iter().chain(more) {
            for (unit_bytes, group) in [(4096, 0), (4096, 3), (65536, 1), (16384, 4)] {
                let layout = Layout::new(Geometry { parity_period, ..geometry(span, unit_bytes) });
                let per_lane = layout.geometry.groups_per_lane;
                let groups: Vec<u32> =
                    (0..layout.lanes).map(|lane| lane * per_lane + group).collect();
                let mut offset = 0;
                for row in 0..8 {
                    for die in (0..6).filter(|die| !layout.is_parity(*die, groups[0])) {
                        for plane in 0..layout.plane_slots {
                            for slot in 0..layout.slots {
                                let unit = layout.page_unit(&groups, die, plane, row) + slot;
                                assert_eq!(layout.data_unit(&groups, offset), unit);
                                let (group, place) = layout.locate(unit);
                                assert_eq!(layout.data_offset(group, place, slot), offset);
                                offset += 1;
                            }
                        }
                    }
                }
                assert_eq!(offset, layout.stripe_data_units());
            }
        }
    }

    #[test]
    fn page_unit_is_the_inverse_of_place() {
        for span in [GroupSpan::Superblock, GroupSpan::Block] {
            let layout = Layout::new(geometry(span, 4096));
            let groups: Vec<u32> =
                (0..layout.lanes).map(|lane| lane * layout.geometry.groups_per_lane + 2).collect();
            for die in 0..6 {
                for plane in 0..4 {
                    for row in 0..8 {
                        let unit = layout.page_unit(&groups, die, plane, row);
                        assert_eq!(layout.place(unit), Place { die, plane, row });
                        assert!(groups.contains(&layout.group_of(unit)));
                    }
                }
            }
        }
    }
}
