//! The fast path: host writes and collection in zero time, by the same steps as the timed path.

use super::Ftl;
use super::map::{Implied, Laid, UNMAPPED};
use super::order;
use super::policies::Padding;
use super::stream::Source;
use crate::kernel::payload::Payload;

impl<P: Payload> Ftl<P> {
    /// Forgets what the untimed path left for the timed one: in zero time nothing waits.
    pub fn forget_untimed(&mut self) {
        self.ledger.parity += self.ready_parity();
        self.ready.clear();
        self.opened.clear();
        if self.pool.settle_all() && self.slc.is_some() {
            self.hide_cache();
        }
        if let Some(undo) = &mut self.undo {
            undo.clear();
        }
    }

    /// Parity units in the word lines that wait to be taken.
    fn ready_parity(&self) -> u64 {
        let parity = self.ready.iter().filter(|line| line.parity);
        parity.map(|line| self.line_units(line.slc) as u64).sum()
    }

    /// Fast path: one unit of a host write in zero time; collects first if space is short. After
    /// the last unit of a command comes [`Ftl::end_command`]. A drive that takes no more writes
    /// ignores it.
    #[inline]
    pub fn write(&mut self, logical: u32, tag: P) {
        self.note_order(logical, 1);
        self.write_noted(logical, tag);
    }

    /// The same for a write that was accepted before.
    #[inline]
    pub fn write_accepted(&mut self, logical: u32, tag: P) {
        self.note_order(logical, 1);
        self.write_now(logical, tag);
    }

    /// A write of which it is decided already whether it is in order.
    #[inline]
    fn write_noted(&mut self, logical: u32, tag: P) {
        if !self.is_read_only() {
            self.write_now(logical, tag);
        }
    }

    #[inline]
    fn write_now(&mut self, logical: u32, tag: P) {
        if self.map_cache.is_some() {
            self.map_untimed(logical);
        }
        self.make_room();
        self.place_host(logical, tag);
        // Without time nothing waits in a buffer: what is ready counts as programmed.
        if !self.ready.is_empty() {
            self.forget_untimed();
        }
    }

    /// The same for `units` units in their order, a page at a time where nothing else is asked of
    /// the drive. After the last one comes [`Ftl::end_command`].
    pub fn write_in_order(&mut self, first: u32, units: u32, tag: P) {
        let alone = units.min(self.units_before_order(first));
        let (mut at, end) = (first + alone, first + units);
        (first..at).for_each(|unit| self.write(unit, tag));
        self.note_order(at, end - at);
        at += self.lay_stripes(at, end - at, tag);
        while at < end {
            let run = self.plain_run(end - at);
            if run == 0 {
                self.write_noted(at, tag);
                at += 1;
            } else {
                self.place_run(at, run, tag);
                at += run;
            }
        }
    }

    /// Writes as many whole stripes of the next `units` units as an empty drive takes before it
    /// collects, without an entry of the map for each unit. Returns the number of units.
    fn lay_stripes(&mut self, first: u32, units: u32, tag: P) -> u32 {
        let is_empty = self.map.is_untouched() && self.streams().all(|stream| !stream.is_open());
        if !is_empty || !self.is_plain() || self.slc.is_some() || self.refresh.is_wanted() {
            return 0;
        }
        let stripe = self.layout.stripe_data_units();
        let mut groups = Vec::new();
        let mut left = units;
        while left >= stripe && self.has_room_for(stripe) {
            let stream = order::stream(&self.order, &mut self.host, &mut self.copies);
            stream.lay_stripe(&self.layout, &mut self.pool);
            groups.extend_from_slice(stream.groups());
            self.space -= i64::from(stripe);
            left -= stripe;
        }
        if groups.is_empty() {
            return 0;
        }
        let group_units = self.layout.group_units as usize;
        for group in &groups {
            self.tags[*group as usize * group_units..][..group_units].fill(tag);
        }
        let parity = (group_units - self.layout.group_data_units as usize) * groups.len();
        self.ledger.parity += parity as u64;
        self.ledger.host += u64::from(units - left);
        self.ledger.accepted += u64::from(units - left);
        let laid = Laid::new(&self.layout, first, groups);
        self.map.imply(Implied::Laid(Box::new(laid)));
        self.forget_untimed();
        units - left
    }

    /// True if nothing is collected before so many units more are written, nor after.
    fn has_room_for(&self, stripe: u32) -> bool {
        stripe > 0
            && self.debt() + i64::from(stripe) <= 0
            && self.pool.least_supply() > 2
            && self.pool.free_stripes() > 2
    }

    /// True if nothing has to be decided for each unit of the host.
    fn is_plain(&self) -> bool {
        self.separated.is_none()
            && self.sizes.is_none()
            && self.map_cache.is_none()
            && !self.is_read_only()
    }

    /// How many of the next `units` units of the host go side by side to the page at hand, without
    /// anything that has to be decided in between. Zero if that has to be found out one by one.
    fn plain_run(&self, units: u32) -> u32 {
        let stream = match &self.slc {
            Some(slc) if self.slc_takes() => &slc.stream,
            _ if self.is_in_order() => &self.copies,
            _ => &self.host,
        };
        if !self.is_plain() || !stream.is_open() || self.wants_collection(0) {
            return 0;
        }
        // The unit after the one that uses up the room waits for collection.
        let room = (1 - self.debt()).min(self.units_before_fold());
        let room = u32::try_from(room).unwrap_or(u32::MAX);
        units.min(room).min(stream.left_on_page(&self.layout))
    }

    /// Places so many units of the host as [`Ftl::plain_run`] has found. Nothing of them waits in a
    /// buffer that can lose it.
    fn place_run(&mut self, logical: u32, units: u32, tag: P) {
        let first = if self.slc_takes() {
            self.place_slc(units)
        } else {
            let stream = order::stream(&self.order, &mut self.host, &mut self.copies);
            let (pool, ready) = (&mut self.pool, &mut self.ready);
            stream.place(Source::Host, units, &self.layout, pool, ready)
        };
        self.ledger.host += u64::from(units);
        self.ledger.accepted += u64::from(units);
        self.space -= i64::from(units);
        self.tags[first as usize..][..units as usize].fill(tag);
        self.pool.add_valid(self.layout.group_of(first), units);
        for i in 0..units {
            let old = self.map.set(logical + i, first + i);
            if old != UNMAPPED {
                self.pool.drop_valid(self.layout.group_of(old), 1);
            }
        }
        if !self.ready.is_empty() {
            self.forget_untimed();
        }
    }

    #[inline]
    pub(super) fn make_room(&mut self) {
        if self.wants_collection(0) {
            self.collect();
        }
    }

    /// Fast path: collects whole groups until space is above the threshold or nothing is left to
    /// gain.
    #[cold]
    fn collect(&mut self) {
        while self.wants_collection(0) && self.start_victim(0) {
            self.empty_last_victim();
        }
        if self.is_shared() && self.policies.padding == Padding::Page {
            // The host's next page begins after the copies.
            self.pad_page();
        }
    }

    /// Collects in zero time until `goal` units more than the reserve are free, as a drive has that
    /// was under load just now: page by page, so that it ends where collection in time ends. What
    /// the SLC cache has to fold comes first, and takes its time. Counters stay as they are.
    pub fn collect_ahead(&mut self, goal: i64) {
        let ledger = self.ledger;
        while self.is_short(goal) && !self.is_read_only() && !self.wants_fold() {
            match self.next_page() {
                Some((first, bits)) => self.move_page(first, bits),
                None if self.start_victim(goal) => {}
                None => break,
            }
        }
        self.forget_untimed();
        self.ledger = ledger;
    }

    /// Moves the units of a page whose bits are set.
    fn move_page(&mut self, first: u32, mut bits: u32) {
        while bits != 0 {
            self.move_unit(first + bits.trailing_zeros());
            bits &= bits - 1;
        }
    }

    /// Folds what the SLC cache holds beyond its static part, as a drive does that was left alone
    /// after it was filled.
    pub fn return_lent(&mut self) {
        while self.wants_lent() && self.choose_fold().is_some() && self.start_victim(i64::MAX / 4) {
            self.empty_last_victim();
        }
    }

    /// Moves everything out of the victim that was taken last.
    fn empty_last_victim(&mut self) {
        let Some(v) = self.victims.last() else { return };
        let (mut at, end) = (v.cursor, v.end);
        let mut batch = [0u32; 64];
        loop {
            let mut n = 0;
            while n < batch.len() {
                let Some(unit) = self.map.next_valid(at, end) else { break };
                self.map.prefetch_owner(unit);
                batch[n] = unit;
                n += 1;
                at = unit + 1;
            }
            for &unit in &batch[..n] {
                self.copy(unit);
            }
            if n < batch.len() {
                break;
            }
        }
        if let Some(v) = self.victims.last_mut() {
            v.cursor = v.end;
        }
        self.finish_victims();
        self.forget_untimed();
    }
}
