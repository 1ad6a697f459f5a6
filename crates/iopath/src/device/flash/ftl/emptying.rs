//! Emptying victims: which group is taken, which of its pages is read next, where its units go, and
//! when it is free.

use super::compression::Sizes;
use super::policies::Padding;
use super::pool::GroupState;
use super::stream::Source;
use super::victim::{Circumstances, VictimPolicy};
use super::{Ftl, Victim, draws};
use crate::kernel::payload::Payload;

/// Units of a victim whose owners are asked for before their page is read: two lines of the
/// reverse map.
const AHEAD: u32 = 32;

impl Victim {
    /// The part of so many units that it has come to.
    fn share(&self, of: u64) -> i64 {
        (of * u64::from(self.processed) / u64::from(self.valid_at_start)) as i64
    }
}

impl<P: Payload> Ftl<P> {
    /// Takes the next group to collect, for the reserve and `goal` units more; false if there is
    /// nothing to gain.
    pub fn start_victim(&mut self, goal: i64) -> bool {
        // At the end of its life a drive only makes room for what it has accepted.
        if self.is_read_only() && self.has_place() {
            return false;
        }
        // What fades cannot wait; what it frees is space as well.
        let fading = self.refresh.next(&self.pool);
        let chosen = fading.or_else(|| self.choose_victim(goal));
        let Some(mut group) = chosen else { return false };
        let mut valid = self.pool.valid(group);
        // What is begun must be sure to end: all that is still to be moved needs a place.
        let moving = self.moving();
        let places = self.room_for_copies()
            + self.pool.free_stripes() as u64 * self.layout.stripe_data_units() as u64;
        let places = self.without_gaps(places);
        // What levelling moves goes to a stripe of its own, which may have to be opened.
        let levels = self.levelling.as_ref().is_some_and(|l| l.group.is_some());
        let apart = if levels { self.layout.stripe_data_units() as u64 } else { 0 };
        if moving + valid as u64 + apart > places {
            if let Some(levelling) = &mut self.levelling
                && levelling.group == Some(group)
            {
                // It has to wait; what gains space must not wait with it.
                (levelling.last, levelling.group) = (self.released, None);
                return self.start_victim(goal);
            }
            // There is no room for the chosen one: the one that needs least may still fit.
            let least = (0..self.layout.lanes)
                .filter_map(|lane| VictimPolicy::Greedy.choose(&self.pool, lane, self.about(lane)))
                .min_by_key(|&group| self.pool.valid(group));
            let Some(other) = least else { return false };
            let fewest = self.pool.valid(other);
            if fewest >= self.layout.group_data_units || moving + fewest as u64 + apart > places {
                return false;
            }
            (group, valid) = (other, fewest);
        }
        self.take_victim(group, valid, 0);
        if valid == 0 {
            self.finish_victims();
        }
        true
    }

    /// A group is a victim from now on; so many of the units that were valid at first are done.
    fn take_victim(&mut self, group: u32, valid_at_start: u32, processed: u32) {
        self.pool.take_victim(group);
        self.refresh.taken(group);
        if let Some(slc) = &mut self.slc {
            slc.taken(group);
        }
        let first = group * self.layout.group_units;
        self.victims.push(Victim {
            group,
            cursor: first,
            end: first + self.layout.group_units,
            valid_at_start,
            processed,
            credit: 0,
            slc_credit: 0,
            outstanding: 0,
        });
    }

    /// Adds what a victim's progress has gained to the space.
    #[inline]
    fn count_progress(&mut self, at: usize) {
        let victim = &mut self.victims[at];
        let credit = victim.share(self.layout.group_data_units.into());
        self.credit += credit - victim.credit;
        victim.credit = credit;
        if let Some(slc) = &mut self.slc
            && slc.flags[victim.group as usize]
        {
            let credit = victim.share(slc.group_units());
            slc.credit += credit - victim.slc_credit;
            victim.slc_credit = credit;
        }
    }

    /// A group whose collection had begun in an earlier life goes on as a victim: so many units of
    /// it are done. False if it cannot be one.
    pub(super) fn resume_victim(&mut self, group: u32, valid_at_start: u32, done: u32) -> bool {
        let left = valid_at_start.checked_sub(done);
        let is_closed = group < self.layout.groups && self.pool.state(group) == GroupState::Closed;
        if valid_at_start == 0
            || !is_closed
            || left.is_none_or(|left| self.pool.valid(group) > left)
        {
            return false;
        }
        self.take_victim(group, valid_at_start, done);
        self.count_progress(self.victims.len() - 1);
        true
    }

    /// Units of the victims that still need a place.
    pub(super) fn moving(&self) -> u64 {
        self.victims.iter().map(|v| u64::from(self.pool.valid(v.group))).sum()
    }

    /// Units of the open stripe that copies find free whatever the host does: what they share with
    /// it may lose a line of each die when a command has to be on the flash.
    pub(super) fn room_for_copies(&self) -> u64 {
        let layout = &self.layout;
        if !self.is_shared() {
            return u64::from(self.copies.room(layout));
        }
        let lines = layout.geometry.dies * layout.wl_units();
        u64::from(self.host.room(layout).saturating_sub(lines))
    }

    /// Units that certainly fit into so many places: units of different length leave gaps at the
    /// ends of pages, each shorter than a unit.
    pub(super) fn without_gaps(&self, places: u64) -> u64 {
        let (slots, full) = (u64::from(self.layout.slots), u64::from(self.full_size()));
        places * (slots - full + 1) / slots
    }

    /// The next victim: in the lane with the fewest groups free or about to be.
    fn choose_victim(&mut self, goal: i64) -> Option<u32> {
        if self.slc.is_some() {
            let short = self.is_short(goal);
            if self.wants_fold() || short && self.wants_lent() {
                let group = self.choose_fold();
                if group.is_some() || !short {
                    return group;
                }
            }
        }
        if let Some(levelling) = &mut self.levelling {
            levelling.group = levelling.group.or(levelling.choose(&self.pool, self.released));
            if let Some(group) = levelling.group
                && self.pool.is_candidate(group)
            {
                return Some(group);
            }
        }
        let lane = self.pool.neediest_lane();
        if let Some(group) = self.ask_policy(lane) {
            // A full group gains nothing. A policy that sees all has nothing better then; an order
            // by age has, and must pass this group to get there.
            let full = self.pool.valid(group) >= self.layout.group_data_units;
            if !full || !self.policies.victim.sees_all() {
                return Some(group);
            }
            // But if other lanes have more room, moving it there evens the lanes out: writes that
            // always miss this lane would otherwise never get another stripe.
            if self.pool.supply(lane) + 2 <= self.pool.most_supply() {
                return Some(group);
            }
        }
        (0..self.layout.lanes).filter(|&other| other != lane).find_map(|other| {
            let group = self.ask_policy(other)?;
            (self.pool.valid(group) < self.layout.group_data_units).then_some(group)
        })
    }

    fn ask_policy(&self, lane: u32) -> Option<u32> {
        self.policies.victim.choose(&self.pool, lane, self.about(lane))
    }

    fn about(&self, lane: u32) -> Circumstances {
        // The draws of a choice follow from the state of the drive, so that a loaded state
        // continues like the saved one without a generator's state in the file.
        let stand = [self.pool.closings(), self.released, self.victims.len() as u64, lane as u64];
        let full = self.layout.group_data_units;
        Circumstances { full, seed: draws::seed_of(self.seed, &stand) }
    }

    /// Number of groups being collected.
    pub fn victims(&self) -> usize {
        self.victims.len()
    }

    /// The next page of a victim that still holds valid units: its first unit and their bits.
    /// `None` when all pages of all victims have been handed out.
    pub fn next_page(&mut self) -> Option<(u32, u32)> {
        for v in &mut self.victims {
            let slots = self.layout.slots;
            if let Some(unit) = self.map.next_valid(v.cursor, v.end) {
                let first = unit - (unit - v.group * self.layout.group_units) % slots;
                v.cursor = first + slots;
                self.map.prefetch_reverse(v.cursor + AHEAD);
                let bits = self.map.valid_bits(first, slots);
                v.outstanding += units_in(self.sizes.as_ref(), first, bits);
                return Some((first, bits));
            }
            v.cursor = v.end;
        }
        // The host may have overwritten the rest of a victim meanwhile: nothing will come back.
        if self.victims.iter().any(|v| v.outstanding == 0) {
            self.finish_victims();
        }
        None
    }

    /// True if [`Ftl::next_page`] has a page left.
    pub fn has_page(&self) -> bool {
        self.victims.iter().any(|v| self.map.next_valid(v.cursor, v.end).is_some())
    }

    /// Physical units of the units of a page whose bits are set.
    #[inline]
    pub fn units_in(&self, first: u32, bits: u32) -> u32 {
        units_in(self.sizes.as_ref(), first, bits)
    }

    /// Asks the processor to fetch what [`Ftl::move_unit`] will need.
    #[inline]
    pub fn prefetch_move(&mut self, unit: u32) {
        self.map.prefetch_owner(unit);
    }

    /// A unit handed out by [`Ftl::next_page`] has been read: moves it if it is still valid, or
    /// keeps it until a page of them is there. Returns how many units were found to be overwritten,
    /// so that they need no room in the buffer any more.
    #[inline]
    pub fn move_unit(&mut self, unit: u32) -> u32 {
        if self.is_shared() && self.policies.padding == Padding::Page {
            self.held.push(unit);
            if self.held_units() < self.layout.slots {
                return 0;
            }
            return self.release_held();
        }
        self.settle_unit(unit)
    }

    pub(super) fn held_units(&self) -> u32 {
        match &self.sizes {
            None => engine::narrow(self.held.len()),
            Some(sizes) => self.held.iter().map(|&unit| sizes.get(unit)).sum(),
        }
    }

    /// Moves the copies that wait for a page, however few they are. Returns how many of them were
    /// found to be overwritten.
    pub fn release_held(&mut self) -> u32 {
        let mut overwritten = 0;
        let mut held = std::mem::take(&mut self.held);
        for unit in held.drain(..) {
            overwritten += self.settle_unit(unit);
        }
        // Its memory serves the next page.
        self.held = held;
        self.pad_page();
        overwritten
    }

    /// True if copies wait for a page.
    pub fn holds_copies(&self) -> bool {
        !self.held.is_empty()
    }

    /// Moves a unit that has been read if it is still valid. Returns its size if it is not.
    #[inline]
    fn settle_unit(&mut self, unit: u32) -> u32 {
        let group = self.layout.group_of(unit);
        let size = self.size_of(unit);
        let valid = self.map.is_valid(unit);
        if valid {
            self.copy(unit);
        }
        for i in 0..self.victims.len() {
            if self.victims[i].group == group {
                let v = &mut self.victims[i];
                v.processed += size;
                v.outstanding -= size;
                self.count_progress(i);
                let v = &self.victims[i];
                if v.outstanding == 0 && self.map.next_valid(v.cursor, v.end).is_none() {
                    self.finish_victims();
                }
                break;
            }
        }
        if valid { 0 } else { size }
    }

    #[inline]
    pub(super) fn copy(&mut self, unit: u32) {
        let group = self.layout.group_of(unit);
        let shared = self.is_shared();
        let folds = self.slc.is_some() && self.is_slc(group);
        let (stream, count) = match &mut self.levelling {
            Some(levelling) if levelling.group == Some(group) => {
                (&mut levelling.stream, &mut self.ledger.levelling)
            }
            _ => {
                let count = if folds {
                    &mut self.ledger.folding
                } else if self.refresh.is_active(group) {
                    &mut self.ledger.refresh
                } else {
                    &mut self.ledger.copies
                };
                (if shared { &mut self.host } else { &mut self.copies }, count)
            }
        };
        let size = self.sizes.as_ref().map_or(1, |sizes| sizes.get(unit));
        *count += size as u64;
        let (pool, ready) = (&mut self.pool, &mut self.ready);
        let lost = stream.make_ready(size, &self.layout, pool, ready, &mut self.opened);
        self.space -= lost as i64;
        self.ledger.padding += lost as u64;
        let to = stream.place(Source::Copy, size, &self.layout, &mut self.pool, &mut self.ready);
        self.map.relocate(unit, to);
        self.bound(unit, to, size, self.tags[unit as usize]);
    }

    /// Frees the victims that hold nothing any more.
    pub(super) fn finish_victims(&mut self) {
        let mut i = 0;
        while i < self.victims.len() {
            let v = &self.victims[i];
            if v.outstanding == 0 && self.map.next_valid(v.cursor, v.end).is_none() {
                let group = v.group;
                self.released += 1;
                self.credit -= v.credit;
                if let Some(slc) = &mut self.slc {
                    slc.credit -= v.slc_credit;
                    slc.released(group);
                    self.set_aside_used = slc.set_aside_used(&self.layout);
                }
                self.victims.remove(i);
                self.refresh.released(group);
                if let Some(levelling) = &mut self.levelling
                    && levelling.group == Some(group)
                {
                    (levelling.last, levelling.group) = (self.released, None);
                }
                if self.retirement.is_none() || self.survives_erase(group) {
                    self.pool.release(group);
                    self.space += self.layout.group_data_units as i64;
                }
            } else {
                i += 1;
            }
        }
    }
}

#[inline]
fn units_in(sizes: Option<&Sizes>, first: u32, bits: u32) -> u32 {
    let Some(sizes) = sizes else { return bits.count_ones() };
    (0..32).filter(|slot| bits >> slot & 1 == 1).map(|slot| sizes.get(first + slot)).sum()
}
