//! The SLC cache: host data goes into blocks whose cells hold one bit each, which is fast, and is
//! moved into native blocks later (folding).
//!
//! An SLC block holds one bit of each cell, so a block of n-bit cells stores one n-th of what it
//! stores natively. The cache takes its blocks from the same free list as everything else. What is
//! set aside for it always ([`SlcPolicy::static_units`]) is outside the spare area; what it may
//! take in addition shrinks as the drive fills up, because data in SLC must fit natively in the
//! end: with `f` units free, `s` units of cache cost `s (bits - 1)` more than native blocks would.

use super::Ftl;
use super::pool::GroupState;
use super::stream::{Lines, WriteStream};
use super::wear::OpenFirst;
use crate::device::flash::geometry::Layout;
use crate::kernel::payload::Payload;
use std::collections::VecDeque;

/// How a drive uses cells with one bit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlcPolicy {
    /// Bits of a native cell.
    pub bits: u32,
    /// Page rows of a block in SLC mode.
    pub rows: u32,
    /// Units of the cache that are there however full the drive is.
    pub static_units: u64,
    /// Units that may be added while the drive is empty enough.
    pub dynamic_units: u64,
    /// What happens to host writes when the cache is full.
    pub when_full: WhenFull,
}

impl SlcPolicy {
    /// Stripes that the static part takes out of the spare area.
    pub fn set_aside(&self, layout: &Layout) -> u32 {
        let stripe = Lines::slc(self.rows).stripe_units(layout) as u64;
        u32::try_from(self.static_units.div_ceil(stripe)).unwrap_or(u32::MAX)
    }

    /// Stripes that the cache keeps however full the drive is: the one that is being filled, and
    /// with [`WhenFull::Fold`] one that is being folded.
    pub fn kept(&self, layout: &Layout) -> u32 {
        let open = match self.when_full {
            WhenFull::Direct => 1,
            WhenFull::Fold => 2,
        };
        self.set_aside(layout).max(open)
    }
}

/// What happens to host writes when the cache is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenFull {
    /// They go to native blocks until folding has made room.
    Direct,
    /// They continue into the cache at the pace at which it is folded.
    Fold,
}

/// The cache of one drive.
#[derive(Clone)]
pub(super) struct SlcCache {
    policy: SlcPolicy,
    pub(super) stream: WriteStream,
    /// Closed groups of the cache, oldest first.
    pub(super) closed: VecDeque<u32>,
    /// Whether a group is in SLC mode.
    pub(super) flags: Vec<bool>,
    /// Groups in SLC mode.
    groups: u64,
    /// Units of a group in SLC mode.
    group_units: u64,
    /// Share of groups being folded that counts as free already, in units of the cache.
    pub(super) credit: i64,
    /// Groups that are being folded or collected.
    folding: u32,
    /// The drive is idle: fold what there is.
    idle: bool,
    /// Units that the cache holds room for beyond its policy.
    lent: u64,
}

impl SlcCache {
    pub(super) fn new(policy: SlcPolicy, layout: &Layout, first: OpenFirst) -> Self {
        let lines = Lines::slc(policy.rows);
        SlcCache {
            stream: WriteStream::new(layout, lines).opening(first),
            closed: VecDeque::new(),
            flags: vec![false; layout.groups as usize],
            groups: 0,
            group_units: (lines.stripe_units(layout) / layout.lanes) as u64,
            credit: 0,
            folding: 0,
            idle: false,
            lent: 0,
            policy,
        }
    }

    /// Units that a stripe stores less than a native one.
    pub(super) fn stripe_loss(&self, layout: &Layout) -> i64 {
        (layout.stripe_data_units() - self.stream.lines().stripe_units(layout)) as i64
    }

    /// Takes over which groups are in SLC mode.
    pub(super) fn restore_flags(&mut self, flags: Vec<bool>) {
        self.groups = flags.iter().filter(|&&flag| flag).count() as u64;
        self.flags = flags;
    }

    /// A stripe was opened.
    pub(super) fn opened(&mut self) {
        for &group in self.stream.groups() {
            self.flags[group as usize] = true;
        }
        self.groups += self.stream.groups().len() as u64;
    }

    /// The open stripe is full.
    pub(super) fn filled(&mut self) {
        self.closed.extend(self.stream.groups());
    }

    /// A group is being collected, as part of folding or because free space was short.
    pub(super) fn taken(&mut self, group: u32) {
        self.closed.retain(|&g| g != group);
        self.folding += u32::from(self.flags[group as usize]);
    }

    /// A group whose collection was cancelled is part of the cache again.
    pub(super) fn put_back(&mut self, group: u32) {
        if self.flags[group as usize] {
            self.closed.push_front(group);
            self.folding -= 1;
        }
    }

    /// A group has been freed.
    pub(super) fn released(&mut self, group: u32) {
        if std::mem::take(&mut self.flags[group as usize]) {
            self.groups -= 1;
            self.folding -= 1;
        }
    }

    /// Native units of the groups that the cache has of what is set aside for it.
    pub(super) fn set_aside_used(&self, layout: &Layout) -> i64 {
        let aside = self.policy.set_aside(layout) as u64 * layout.lanes as u64;
        self.groups.min(aside) as i64 * layout.group_data_units as i64
    }

    /// Units of a group in SLC mode.
    pub(super) fn group_units(&self) -> u64 {
        self.group_units
    }

    fn used(&self) -> u64 {
        self.groups * self.group_units
    }

    /// Units that the cache may hold with `free` units of the drive not mapped.
    fn budget(&self, free: u64) -> u64 {
        let dynamic = self.policy.dynamic_units.min(free / (self.policy.bits as u64 - 1).max(1));
        self.policy.static_units + dynamic + self.lent
    }
}

impl<P: Payload> Ftl<P> {
    /// Units that the SLC cache holds room for, valid or not; 0 without one.
    pub fn slc_used(&self) -> u64 {
        self.slc.as_ref().map_or(0, SlcCache::used)
    }

    /// Units that the cache may grow to at the present filling of the drive.
    pub fn slc_budget(&self) -> u64 {
        self.slc.as_ref().map_or(0, |slc| slc.budget(self.free_logical()))
    }

    /// From now on the cache may hold so many units more: on a part of a drive, those of data that
    /// keep their size, beyond the part of them that is its own.
    pub fn lend_slc(&mut self, units: u64) {
        if let Some(slc) = &mut self.slc {
            slc.lent = units;
        }
    }

    fn free_logical(&self) -> u64 {
        (self.map.logical_units() - self.map.mapped()) as u64 * self.full_size() as u64
    }

    /// True if a group holds one bit a cell.
    #[inline]
    pub fn is_slc(&self, group: u32) -> bool {
        self.slc.as_ref().is_some_and(|slc| slc.flags[group as usize])
    }

    /// True if the next unit of host data goes into the cache.
    #[inline]
    pub fn slc_takes(&self) -> bool {
        let Some(slc) = &self.slc else { return false };
        if slc.stream.takes(&self.layout, self.stored) {
            return true;
        }
        // Two stripes stay for native streams, and what levelling is about to open.
        if self.pool.free_stripes() < 3 + self.stripes_to_level() {
            return false;
        }
        let stripe = slc.group_units * self.layout.lanes as u64;
        if slc.policy.when_full == WhenFull::Fold || slc.used() + stripe <= slc.policy.static_units
        {
            return true;
        }
        // What is dynamic must not be what makes space short.
        let native = self.layout.stripe_data_units() as i64;
        slc.used() + stripe <= slc.budget(self.free_logical()) && self.debt() + native <= 0
    }

    /// True if a group of the cache should be emptied because space is short: all that goes beyond
    /// the static part is lent.
    #[inline]
    pub(super) fn wants_lent(&self) -> bool {
        self.slc.as_ref().is_some_and(|slc| {
            slc.used() > slc.policy.static_units.max(slc.group_units * self.layout.lanes as u64)
        })
    }

    /// Current units that the cache holds after long random writes over `live` units. Where writes
    /// wait for folding, all of them pass through it; where they go past a full cache, what it
    /// holds has been overwritten in native blocks since, until the drive is idle.
    pub(super) fn cached_when_steady(&self, live: u32) -> u64 {
        let Some(slc) = &self.slc else { return 0 };
        let free = u64::from(self.map.logical_units() - live);
        match slc.policy.when_full {
            WhenFull::Direct => 0,
            WhenFull::Fold => slc.budget(free),
        }
    }

    /// Fills a cache that writes go past with units that were overwritten since. What is valid
    /// stays where it is.
    pub(super) fn fill_stale_cache(&mut self) {
        if self.slc.as_ref().is_none_or(|slc| slc.policy.when_full == WhenFull::Fold) {
            return;
        }
        let size = self.full_size();
        while self.slc_takes() {
            self.place_slc(size);
            self.space -= i64::from(size);
        }
        self.forget_untimed();
    }

    /// The groups of the cache are not candidates of the victim policy.
    pub(super) fn hide_cache(&mut self) {
        let Some(slc) = &self.slc else { return };
        for &group in &slc.closed {
            self.pool.hide(group);
        }
    }

    /// How many units folding is behind, in a drive whose writes wait for it.
    #[inline]
    pub fn fold_debt(&self) -> i64 {
        let Some(slc) = &self.slc else { return i64::MIN };
        if slc.policy.when_full == WhenFull::Direct {
            return i64::MIN;
        }
        let stripe = slc.group_units * self.layout.lanes as u64;
        // The open stripe and one that is being folded are there in any case.
        let budget = slc.budget(self.free_logical()).max(2 * stripe);
        let room = slc.stream.room_with_padding(&self.layout) as i64;
        slc.used() as i64 - room - slc.credit + stripe as i64 - budget as i64
    }

    /// Units of the host that can be placed on a page of the cache, the last one included, before
    /// it may want to fold. Each takes a place of the cache, and the cache may be one smaller for
    /// the space that the unit takes.
    pub(super) fn units_before_fold(&self) -> i64 {
        match &self.slc {
            Some(slc) if slc.folding > 0 || !slc.closed.is_empty() => 1 - self.fold_debt() / 2,
            _ => i64::MAX,
        }
    }

    /// True if a group of the cache should be folded now.
    #[inline]
    pub(super) fn wants_fold(&self) -> bool {
        let Some(slc) = &self.slc else { return false };
        (slc.folding > 0 || !slc.closed.is_empty()) && (slc.idle || self.fold_debt() > 0)
    }

    /// Tells the cache that the drive is idle, or no longer.
    pub fn set_idle(&mut self, idle: bool) {
        if let Some(slc) = &mut self.slc {
            slc.idle = idle;
        }
    }

    /// Puts the closed groups of the cache in the order in which they were closed.
    pub(super) fn restore_fold_order(&mut self) {
        let Some(slc) = &mut self.slc else { return };
        self.set_aside_used = slc.set_aside_used(&self.layout);
        let closed = |&group: &u32| self.pool.state(group) == GroupState::Closed;
        let mut groups: Vec<u32> =
            (0..self.layout.groups).filter(|&g| slc.flags[g as usize]).collect();
        groups.retain(closed);
        groups.sort_by_key(|&group| self.pool.closed_at(group));
        slc.closed = groups.into();
        self.hide_cache();
    }

    /// The next group to fold: the oldest that is wholly on the flash.
    pub(super) fn choose_fold(&self) -> Option<u32> {
        let slc = self.slc.as_ref()?;
        slc.closed.iter().copied().find(|&group| self.pool.is_settled(group))
    }
}
