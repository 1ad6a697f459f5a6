//! The groups of a drive: how many valid units each holds, which are free, which may be collected.

use crate::geometry::Layout;
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
}

/// All groups of a drive.
#[derive(Clone)]
pub struct Pool {
    /// Valid units of each group, lane after lane.
    valid: Vec<u32>,
    /// Valid units where a group may be collected, `u32::MAX` where not: the victim search is one
    /// linear pass over this.
    candidates: Vec<u32>,
    state: Vec<GroupState>,
    /// Order in which groups were closed.
    closed_at: Vec<u64>,
    erases: Vec<u32>,
    free: Vec<VecDeque<u32>>,
    groups_per_lane: u32,
    closings: u64,
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
            groups_per_lane: per_lane,
            closings: 0,
        }
    }

    /// Free groups of the lane that has fewest.
    pub fn free_stripes(&self) -> u32 {
        self.free.iter().map(VecDeque::len).min().unwrap_or(0) as u32
    }

    /// Free groups in all.
    pub fn free_groups(&self) -> u32 {
        self.free.iter().map(VecDeque::len).sum::<usize>() as u32
    }

    /// Free groups of one lane.
    pub fn free_in(&self, lane: u32) -> usize {
        self.free[lane as usize].len()
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
    pub fn open_stripe(&mut self, groups: &mut Vec<u32>) {
        groups.clear();
        for lane in &mut self.free {
            let group = lane.pop_front().expect("collection keeps a reserve of free groups");
            self.state[group as usize] = GroupState::Open;
            self.erases[group as usize] += 1;
            groups.push(group);
        }
    }

    /// Makes a full group a candidate for collection.
    pub fn close(&mut self, group: u32) {
        let g = group as usize;
        debug_assert_eq!(self.state[g], GroupState::Open);
        self.state[g] = GroupState::Closed;
        self.candidates[g] = self.valid[g];
        self.closed_at[g] = self.closings;
        self.closings += 1;
    }

    /// A unit of the group became valid.
    #[inline]
    pub fn add_valid(&mut self, group: u32) {
        let g = group as usize;
        self.valid[g] += 1;
        // The unit that fills a group becomes valid just after the group was closed.
        if self.candidates[g] != u32::MAX {
            self.candidates[g] += 1;
        }
    }

    /// A unit of the group is no longer valid.
    #[inline]
    pub fn drop_valid(&mut self, group: u32) {
        let g = group as usize;
        self.valid[g] -= 1;
        // MAX marks groups that may not be collected and must stay.
        if self.candidates[g] != u32::MAX {
            self.candidates[g] -= 1;
        }
    }

    /// Takes a candidate for collection.
    pub fn take_victim(&mut self, group: u32) {
        let g = group as usize;
        debug_assert_eq!(self.state[g], GroupState::Closed);
        self.state[g] = GroupState::Victim;
        self.candidates[g] = u32::MAX;
    }

    /// Makes a victim whose collection was given up a candidate again.
    pub fn put_back(&mut self, group: u32) {
        let g = group as usize;
        debug_assert_eq!(self.state[g], GroupState::Victim);
        self.state[g] = GroupState::Closed;
        self.candidates[g] = self.valid[g];
    }

    /// Frees a collected group.
    pub fn release(&mut self, group: u32) {
        let g = group as usize;
        assert_eq!(self.valid[g], 0, "a freed group must hold nothing valid");
        self.state[g] = GroupState::Free;
        self.free[(group / self.groups_per_lane) as usize].push_back(group);
    }

    /// Candidates of one lane: first group number and their valid counts (MAX: not a candidate).
    pub fn candidates(&self, lane: u32) -> (u32, &[u32]) {
        let first = (lane * self.groups_per_lane) as usize;
        (first as u32, &self.candidates[first..first + self.groups_per_lane as usize])
    }

    /// When a group was closed, as a running number.
    pub fn closed_at(&self, group: u32) -> u64 {
        self.closed_at[group as usize]
    }

    /// Number of groups.
    pub fn groups(&self) -> u32 {
        self.state.len() as u32
    }

    /// Sum of valid units over all groups.
    pub fn total_valid(&self) -> u64 {
        self.valid.iter().map(|&v| v as u64).sum()
    }
}
