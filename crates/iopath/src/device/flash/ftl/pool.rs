//! The groups of a drive: how many valid units each holds, which are free, which may be collected.

use super::wear::OpenFirst;
use crate::device::flash::geometry::Layout;
use engine::narrow;
use std::collections::VecDeque;

/// What a group is used for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum GroupState {
    /// Holds nothing; erased before it is written.
    Free,
    /// A write stream fills it.
    Open,
    /// Full; a candidate for collection.
    Closed,
    /// Being collected.
    Victim,
    /// Holds nothing and is never used again.
    Retired,
}

/// All groups of a drive.
#[derive(Clone)]
pub struct Pool {
    /// Valid units of each group, lane after lane.
    pub(super) valid: Vec<u32>,
    /// Valid units where a group may be collected, `u32::MAX` where not: the victim search is one
    /// linear pass over this.
    pub(super) candidates: Vec<u32>,
    pub(super) state: Vec<GroupState>,
    /// Order in which groups were closed.
    pub(super) closed_at: Vec<u64>,
    pub(super) erases: Vec<u32>,
    pub(super) free: Vec<VecDeque<u32>>,
    /// Free groups of the lane that has fewest.
    pub(super) least_free: u32,
    /// Groups of each lane that are free or being collected, and the least of them.
    pub(super) supply: Vec<u32>,
    pub(super) least_supply: u32,
    /// Groups that are closed but not yet wholly on the flash, in the order of closing.
    pub(super) unsettled: VecDeque<u32>,
    pub(super) groups_per_lane: u32,
    pub(super) closings: u64,
}

impl Pool {
    /// All groups free.
    pub fn new(layout: &Layout) -> Self {
        let n = layout.groups as usize;
        let per_lane = layout.geometry.groups_per_lane;
        Pool {
            valid: vec![0; n],
            candidates: vec![u32::MAX; n],
            state: vec![GroupState::Free; n],
            closed_at: vec![0; n],
            erases: vec![0; n],
            free: (0..layout.lanes)
                .map(|lane| (lane * per_lane..(lane + 1) * per_lane).collect())
                .collect(),
            least_free: per_lane,
            supply: vec![per_lane; layout.lanes as usize],
            least_supply: per_lane,
            unsettled: VecDeque::new(),
            groups_per_lane: per_lane,
            closings: 0,
        }
    }

    /// Free groups of the lane that has fewest.
    #[inline]
    pub fn free_stripes(&self) -> u32 {
        self.least_free
    }

    /// Free groups in all.
    pub fn free_groups(&self) -> u32 {
        narrow(self.free.iter().map(VecDeque::len).sum::<usize>())
    }

    /// Groups of a lane that are free or being collected.
    pub fn supply(&self, lane: u32) -> u32 {
        self.supply[lane as usize]
    }

    /// The supply of the lane that has least.
    #[inline]
    pub fn least_supply(&self) -> u32 {
        self.least_supply
    }

    /// The supply of the lane that has most.
    pub fn most_supply(&self) -> u32 {
        self.supply.iter().copied().max().unwrap_or(0)
    }

    /// The first lane with the least supply.
    pub fn neediest_lane(&self) -> u32 {
        narrow(self.supply.iter().position(|&n| n == self.least_supply).unwrap_or(0))
    }

    fn change_supply(&mut self, group: u32, by: i32) {
        let lane = (group / self.groups_per_lane) as usize;
        self.supply[lane] = self.supply[lane].wrapping_add_signed(by);
        self.least_supply = self.supply.iter().copied().min().unwrap_or(0);
    }

    /// State of a group.
    pub fn state(&self, group: u32) -> GroupState {
        self.state[group as usize]
    }

    /// Valid units of a group.
    #[inline]
    pub fn valid(&self, group: u32) -> u32 {
        self.valid[group as usize]
    }

    /// Times a group has been erased.
    pub fn erases(&self) -> &[u32] {
        &self.erases
    }

    /// Opens one free group of each lane into `groups`.
    ///
    /// # Panics
    /// If a lane has none: collection must have kept a reserve.
    pub fn open_stripe(&mut self, groups: &mut Vec<u32>, first: OpenFirst) {
        groups.clear();
        for lane in &mut self.free {
            let next = first.take(lane, &self.erases);
            let group = next.expect("collection keeps a reserve of free groups");
            self.state[group as usize] = GroupState::Open;
            self.erases[group as usize] += 1;
            groups.push(group);
        }
        self.supply.iter_mut().for_each(|n| *n -= 1);
        self.least_supply -= 1;
        self.least_free -= 1;
    }

    /// Closes a full group. It can be collected when it is wholly on the flash
    /// ([`Pool::settle`]): before, it could be freed and filled again under its own programs.
    pub fn close(&mut self, group: u32) {
        let g = group as usize;
        debug_assert_eq!(self.state[g], GroupState::Open);
        self.state[g] = GroupState::Closed;
        self.unsettled.push_back(group);
        self.closed_at[g] = self.closings;
        self.closings += 1;
    }

    /// Makes a closed group a candidate for collection.
    pub fn settle(&mut self, group: u32) {
        if let Some(i) = self.unsettled.iter().position(|&g| g == group) {
            self.unsettled.remove(i);
            self.candidates[group as usize] = self.valid[group as usize];
        }
    }

    /// Makes all closed groups candidates. False if all were already.
    pub fn settle_all(&mut self) -> bool {
        let any = !self.unsettled.is_empty();
        for group in self.unsettled.drain(..) {
            self.candidates[group as usize] = self.valid[group as usize];
        }
        any
    }

    /// Units of the group became valid.
    #[inline]
    pub fn add_valid(&mut self, group: u32, units: u32) {
        let g = group as usize;
        self.valid[g] += units;
        // What a power loss brings back may be in a closed group. MAX marks groups that may not be
        // collected and stays.
        self.candidates[g] = self.candidates[g].saturating_add(units);
    }

    /// Units of the group are no longer valid.
    #[inline]
    pub fn drop_valid(&mut self, group: u32, units: u32) {
        let g = group as usize;
        self.valid[g] -= units;
        // MAX marks groups that may not be collected and must stay.
        if self.candidates[g] != u32::MAX {
            self.candidates[g] -= units;
        }
    }

    /// Takes a candidate for collection.
    pub fn take_victim(&mut self, group: u32) {
        let g = group as usize;
        debug_assert_eq!(self.state[g], GroupState::Closed);
        self.state[g] = GroupState::Victim;
        self.candidates[g] = u32::MAX;
        self.change_supply(group, 1);
    }

    /// Makes a victim whose collection was cancelled a candidate again.
    pub fn put_back(&mut self, group: u32) {
        let g = group as usize;
        debug_assert_eq!(self.state[g], GroupState::Victim);
        self.state[g] = GroupState::Closed;
        self.candidates[g] = self.valid[g];
        self.change_supply(group, -1);
    }

    /// Frees a collected group.
    ///
    /// # Panics
    /// If the group holds valid units.
    pub fn release(&mut self, group: u32) {
        let g = group as usize;
        assert_eq!(self.valid[g], 0, "a freed group must hold nothing valid");
        self.state[g] = GroupState::Free;
        self.free[(group / self.groups_per_lane) as usize].push_back(group);
        self.least_free = narrow(self.free.iter().map(VecDeque::len).min().unwrap_or(0));
    }

    /// Takes a collected group out of use. Returns how many groups its lane has left.
    ///
    /// # Panics
    /// If the group holds valid units.
    pub fn retire(&mut self, group: u32) -> u32 {
        let g = group as usize;
        assert_eq!(self.valid[g], 0, "a retired group must hold nothing valid");
        self.state[g] = GroupState::Retired;
        self.change_supply(group, -1);
        let first = (group / self.groups_per_lane * self.groups_per_lane) as usize;
        let lane = &self.state[first..first + self.groups_per_lane as usize];
        narrow(lane.iter().filter(|&&state| state != GroupState::Retired).count())
    }

    /// Candidates of one lane: first group number and their valid counts (MAX: not a candidate).
    pub fn candidates(&self, lane: u32) -> (u32, &[u32]) {
        let first = (lane * self.groups_per_lane) as usize;
        (narrow(first), &self.candidates[first..first + self.groups_per_lane as usize])
    }

    /// Takes a closed group out of the candidates: something else decides when it is emptied.
    pub fn hide(&mut self, group: u32) {
        self.candidates[group as usize] = u32::MAX;
    }

    /// True if a group may be collected.
    pub fn is_candidate(&self, group: u32) -> bool {
        self.candidates[group as usize] != u32::MAX
    }

    /// True if a group is closed and wholly on the flash.
    pub fn is_settled(&self, group: u32) -> bool {
        self.state[group as usize] == GroupState::Closed && !self.unsettled.contains(&group)
    }

    /// When a group was closed, as a running number.
    pub fn closed_at(&self, group: u32) -> u64 {
        self.closed_at[group as usize]
    }

    /// Groups closed since the start.
    pub fn closings(&self) -> u64 {
        self.closings
    }

    /// Number of groups.
    pub fn groups(&self) -> u32 {
        narrow(self.state.len())
    }

    /// Sum of valid units over all groups.
    pub fn total_valid(&self) -> u64 {
        self.valid.iter().map(|&v| v as u64).sum()
    }
}
