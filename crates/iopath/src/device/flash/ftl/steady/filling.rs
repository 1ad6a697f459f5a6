//! How a group is filled: with pages of copies, which are full, and pages of the host, which end
//! with padding where each of its commands begins a page.

use super::super::policies::{FtlPolicies, Padding, WritePoints};
use super::subset::Subset;
use crate::device::flash::geometry::Layout;
use engine::{Stream, narrow, whole};

/// What a group takes in until it is full. A run is what is written together and lies side by side
/// on a page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Filling {
    /// Pages of a group that can hold data; the rest is parity.
    pages: u32,
    /// Units of a run.
    pub run: u32,
    /// Runs of a full page, and of a page that the host has written.
    full: u32,
    host: u32,
    /// Pages of a group that are full because they are copies, where those of the host are not.
    copies: u32,
}

impl Filling {
    /// How writes of `run` units each fill groups, of which so many lie side by side on a page.
    /// `None` if it is not known: units of several lengths, copies in groups of their own beside
    /// groups with padding, commands that leave pages of several kinds, a padded SLC cache, pages
    /// of more units than a word has bits.
    pub fn of(policies: &FtlPolicies, layout: &Layout, run: u32, side: u32) -> Option<Self> {
        if policies.grains.is_some() || layout.slots > u64::BITS {
            return None;
        }
        let (full, pages) = (layout.slots / side, layout.group_data_units / layout.slots);
        let filled = Filling { pages, run: side, full, host: full, copies: 0 };
        if policies.padding == Padding::None || run.is_multiple_of(layout.slots) {
            return Some(filled);
        }
        let is_known = policies.write_points != WritePoints::Separate
            && policies.slc.is_none()
            && layout.slots.is_multiple_of(run);
        is_known.then_some(Filling { host: 1, ..filled })
    }

    /// True if pages of the host end with padding.
    #[inline]
    pub fn is_padded(&self) -> bool {
        self.host < self.full
    }

    /// Units of data in a group that is just full, if victims hold `valid` units: their copies are
    /// on full pages.
    pub fn first(&self, valid: f64) -> f64 {
        let host = f64::from(self.pages * self.host * self.run);
        host + valid * (1.0 - f64::from(self.host) / f64::from(self.full))
    }

    /// The same groups, of which the victims hold `valid` units. Whole pages are never so few that
    /// a group that is just full would hold less than `mean` units.
    pub fn with_victims(self, valid: f64, mean: u32) -> Self {
        let more = (self.full - self.host) * self.run;
        let least = mean.saturating_sub(self.pages * self.host * self.run).div_ceil(more.max(1));
        let copies = valid / f64::from(self.full * self.run);
        let copies = narrow::<u32>(whole(libm::round(copies))).max(least);
        Filling { copies: copies.min(self.pages), ..self }
    }

    /// Units of data in a group that is just full.
    pub fn units(&self) -> u32 {
        self.runs() * self.run
    }

    /// Runs in a group that is just full.
    fn runs(&self) -> u32 {
        self.pages * self.host + self.copies * (self.full - self.host)
    }

    /// Units of the next page if both kinds of pages take turns, and whether it is one of copies.
    pub fn next_page(&self, owed: &mut u32) -> (u32, bool) {
        *owed += self.copies;
        if *owed < self.pages {
            return (self.host * self.run, false);
        }
        *owed -= self.pages;
        (self.full * self.run, true)
    }

    /// Chooses so many random runs of a group, and which of its pages are copies.
    pub fn choose(&self, runs: u32, chosen: &mut Chosen, stream: &mut Stream) {
        chosen.runs.draw(runs, self.runs(), stream);
        if self.is_padded() {
            chosen.copies.draw(self.copies, self.pages, stream);
        }
    }

    /// Passes the units of a group that are valid, up to 64 at a time: the first of them, and a bit
    /// for each. Pages of copies are full and lie at random between those of the host, which hold
    /// what one of its commands wrote; where all pages are alike, runs follow each other.
    #[inline]
    pub fn each_piece(
        &self,
        layout: &Layout,
        group: u32,
        chosen: &Chosen,
        mut take: impl FnMut(u32, u64),
    ) {
        let mut number = 0;
        let mut piece = |first: u32, runs: u32| {
            take(first, self.units_of(chosen.runs.bits(number, runs)));
            number += runs;
        };
        if self.is_padded() {
            let slots = layout.slots as usize;
            let pages = layout.data_runs(group).flat_map(|units| units.step_by(slots));
            for (page, first) in (0..).zip(pages) {
                piece(first, if chosen.copies.has(page) { self.full } else { self.host });
            }
            return;
        }
        let most = u64::BITS / self.run * self.run;
        for units in layout.data_runs(group) {
            let mut first = units.start;
            while first < units.end {
                let end = units.end.min(first + most);
                piece(first, (end - first) / self.run);
                first = end;
            }
        }
    }

    /// The units of some runs, a bit for each.
    #[inline]
    fn units_of(&self, mut runs: u64) -> u64 {
        if self.run == 1 {
            return runs;
        }
        let (mut units, run) = (0, u64::MAX >> (u64::BITS - self.run));
        while runs != 0 {
            units |= run << (runs.trailing_zeros() * self.run);
            runs &= runs - 1;
        }
        units
    }
}

/// What is chosen of a group: runs, and pages that are copies.
#[derive(Default)]
pub(super) struct Chosen {
    runs: Subset,
    copies: Subset,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::flash::geometry::{Geometry, GroupSpan};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// Two dies, one of which holds parity, and four planes; eight rows of pages of four units.
    fn layout(period: u32) -> Layout {
        Layout::new(Geometry {
            channels: 1,
            dies: 2,
            planes: 4,
            page_bytes: 16384,
            pages_per_wl: 1,
            rows: 8,
            unit_bytes: 4096,
            span: GroupSpan::Superblock,
            groups_per_lane: 4,
            parity_period: period,
        })
    }

    fn padded() -> FtlPolicies {
        FtlPolicies {
            padding: Padding::Page,
            write_points: WritePoints::Shared,
            ..FtlPolicies::default()
        }
    }

    #[test]
    fn writes_that_divide_a_page_or_fill_pages_have_a_law() {
        let of = |run, side| Filling::of(&padded(), &layout(0), run, side);
        let padding = |run, side| of(run, side).map(|filling| filling.is_padded());
        assert_eq!([padding(1, 1), padding(2, 2)], [Some(true); 2]);
        assert_eq!([padding(4, 4), padding(8, 4)], [Some(false); 2]);
        assert_eq!([padding(3, 2), padding(5, 4)], [None; 2]);
        let separate = FtlPolicies { write_points: WritePoints::Separate, ..padded() };
        assert!(Filling::of(&separate, &layout(0), 1, 1).is_none());
        assert!(Filling::of(&separate, &layout(0), 4, 4).is_some(), "nothing is padded");
    }

    /// 64 pages of four units, of which each write of the host takes one for a unit.
    #[test]
    fn what_victims_hold_fills_whole_pages() {
        let filling = Filling::of(&padded(), &layout(0), 1, 1).unwrap();
        assert_eq!([filling.first(0.0), filling.first(40.0)], [64.0, 94.0]);
        let with = filling.with_victims(40.0, 0);
        assert_eq!((with.copies, with.units()), (10, 10 * 4 + 54));
        let (mut owed, mut pages) = (0, [0, 0]);
        for _ in 0..64 {
            pages[usize::from(with.next_page(&mut owed).1)] += 1;
        }
        assert_eq!(pages, [54, 10]);
    }

    /// Groups that are just full hold all units together, however few pages they have: to share out
    /// more than fits never ended.
    #[test]
    fn full_groups_hold_all_units() {
        for (pages, full, groups) in [(1, 4, 3), (2, 8, 5), (3, 4, 7), (8, 2, 4)] {
            let filling = Filling { pages, run: 1, full, host: 1, copies: 0 };
            let size = pages * full;
            for total in 1..u64::from(groups * size) {
                let v = super::super::law::victims(groups, size, total, |v| filling.first(v));
                let mean = narrow(total.div_ceil(u64::from(groups)));
                let units = filling.with_victims(v, mean).units();
                assert!(u64::from(groups * units) >= total, "{total} units, {units} a group");
            }
        }
    }

    proptest! {
        /// Runs begin where a run may begin, each once, as many as are asked for; all of them are
        /// the copies' full pages and one run on each of the others.
        #[test]
        fn chosen_runs_are_places_of_data(
            (period, side) in (0..3_u32, prop_oneof![Just(1_u32), Just(2)]),
            (valid, part, seed) in (0..200_u32, 0..=100_u32, any::<u64>()),
        ) {
            let layout = layout(if period == 1 { 0 } else { period });
            let filling = Filling::of(&padded(), &layout, side, side).unwrap();
            let filling = filling.with_victims(f64::from(valid.min(layout.group_data_units)), 0);
            let runs = filling.runs() * part / 100;
            let (mut chosen, mut taken) = (Chosen::default(), Vec::new());
            filling.choose(runs, &mut chosen, &mut Stream::new(seed, "runs"));
            filling.each_piece(&layout, 2, &chosen, |first, units| {
                taken.extend((0..64).filter(|at| units >> at & 1 == 1).map(|at| first + at));
            });
            prop_assert!(taken.is_sorted_by(|a, b| a < b));
            prop_assert_eq!(taken.len(), (runs * side) as usize);
            let data: Vec<_> = layout.data_runs(2).collect();
            let mut pages: BTreeMap<u32, u32> = BTreeMap::new();
            for run in taken.chunks_exact(side as usize) {
                let first = run[0];
                prop_assert_eq!((first % side, run[run.len() - 1]), (0, first + side - 1));
                prop_assert!(data.iter().any(|units| units.contains(&first)));
                *pages.entry(first / layout.slots).or_default() += 1;
            }
            if part == 100 {
                let full = pages.values().filter(|runs| **runs == filling.full).count();
                prop_assert_eq!(full, filling.copies as usize);
                prop_assert_eq!(pages.len(), filling.pages as usize);
            }
        }
    }
}
