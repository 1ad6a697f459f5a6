//! The flash translation layer: where each logical unit lies, where the next one goes, and which
//! group is emptied to make room.
//!
//! The FTL knows no time. A drive drives it step by step as its flash gets things done
//! ([`Ftl::start_victim`], [`Ftl::next_page`], [`Ftl::move_unit`]); the fast path
//! ([`Ftl::write`]) does the same steps at once, so that both end in the same state.

pub mod map;
pub mod pool;
pub mod snapshot;
pub mod steady;
pub mod stream;
pub mod undo;
pub mod victim;

use crate::geometry::Layout;
use crate::payload::Payload;
use map::{Map, UNMAPPED};
use pool::{GroupState, Pool};
use stream::{Ready, WriteStream};
use undo::{Undo, UndoLog};
use victim::VictimPolicy;

/// Free stripes at which collection begins. Four leave one for each write stream while one victim
/// is half done; they are physical reserve outside alpha.
pub const RESERVE_STRIPES: u32 = 4;

/// Units written by cause, since the start.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct UnitLedger {
    /// Units that the host's commands placed.
    pub host: u64,
    /// Units that collection moved.
    pub copies: u64,
    /// Units of parity.
    pub parity: u64,
    /// Units given up when a word line was closed early.
    pub padding: u64,
}

impl UnitLedger {
    /// All units that went to the flash.
    pub fn total(&self) -> u64 {
        self.host + self.copies + self.parity + self.padding
    }
}

/// A group that is being emptied.
#[derive(Clone, Debug)]
pub struct Victim {
    group: u32,
    /// Next unit to look at, and the end of the group.
    cursor: u32,
    end: u32,
    /// Valid units when it was taken.
    valid_at_start: u32,
    /// Units read out so far, moved or found to be overwritten since.
    processed: u32,
    /// What its progress adds to the space, until it is freed.
    credit: i64,
    /// Units handed out by `next_page` that have not come back.
    outstanding: u32,
}

/// The flash translation layer of one drive.
#[derive(Clone)]
pub struct Ftl<P: Payload> {
    layout: Layout,
    map: Map,
    pool: Pool,
    host: WriteStream,
    copies: WriteStream,
    policy: VictimPolicy,
    tags: Vec<P>,
    ready: Ready,
    /// Stripes opened since they were last taken.
    opened: Vec<Vec<u32>>,
    victims: Vec<Victim>,
    undo: Option<UndoLog>,
    /// Units that can be written before something must be collected: free groups and the room of
    /// both open stripes.
    space: i64,
    /// Share of the victims' space that counts as freed already.
    credit: i64,
    threshold: i64,
    /// Groups freed since the start.
    released: u64,
    ledger: UnitLedger,
}

impl<P: Payload> Ftl<P> {
    /// An empty FTL of `logical` units; `keep_undo` for drives whose buffer is volatile.
    pub fn new(layout: Layout, logical: u32, policy: VictimPolicy, keep_undo: bool) -> Self {
        let physical = layout.groups * layout.group_units;
        let space = layout.groups as i64 * layout.group_data_units as i64;
        let threshold = RESERVE_STRIPES as i64 * layout.stripe_data_units() as i64;
        Ftl {
            map: Map::new(logical, physical),
            pool: Pool::new(&layout),
            host: WriteStream::new(&layout, true),
            copies: WriteStream::new(&layout, false),
            policy,
            tags: vec![P::default(); physical as usize],
            ready: Ready::new(),
            opened: Vec::new(),
            victims: Vec::new(),
            undo: keep_undo.then(UndoLog::default),
            space,
            credit: 0,
            threshold,
            released: 0,
            ledger: UnitLedger::default(),
            layout,
        }
    }

    /// Shape of the flash.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The map, to read.
    pub fn map(&self) -> &Map {
        &self.map
    }

    /// The groups, to read.
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Units written by cause.
    pub fn ledger(&self) -> UnitLedger {
        self.ledger
    }

    /// The tag of a physical unit.
    pub fn tag(&self, physical: u32) -> P {
        self.tags[physical as usize]
    }

    /// Takes the word lines that have become ready, oldest first.
    pub fn take_ready(&mut self, into: &mut Ready) {
        into.append(&mut self.ready);
    }

    /// True if word lines wait to be taken.
    #[inline]
    pub fn has_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// True if a stream has opened a stripe that was not taken yet.
    #[inline]
    pub fn has_opened(&self) -> bool {
        !self.opened.is_empty()
    }

    /// Takes the groups of a stripe that a stream has opened.
    pub fn take_opened(&mut self) -> Option<Vec<u32>> {
        self.opened.pop()
    }

    /// Forgets what the untimed path left for the timed one: without time nothing waits.
    pub fn forget_untimed(&mut self) {
        self.ledger.parity += self.ready_parity();
        self.ready.clear();
        self.opened.clear();
        self.pool.settle_all();
        if let Some(undo) = &mut self.undo {
            undo.clear();
        }
    }

    /// Parity units in the word lines that wait to be taken.
    fn ready_parity(&self) -> u64 {
        let lines = self.ready.iter().filter(|line| line.parity).count() as u64;
        lines * self.layout.wl_units() as u64
    }

    /// All word lines of a stripe have been programmed: its groups may be collected from now on.
    pub fn settle_stripe(&mut self, groups: &[u32]) {
        for &group in groups {
            self.pool.settle(group);
        }
    }

    /// Gives up collections under way; their groups can be chosen again.
    pub fn abandon_victims(&mut self) {
        for v in std::mem::take(&mut self.victims) {
            self.pool.put_back(v.group);
        }
        self.credit = 0;
    }

    /// The stream of host data.
    pub fn host_stream(&self) -> &WriteStream {
        &self.host
    }

    /// The stream of copies.
    pub fn copy_stream(&self) -> &WriteStream {
        &self.copies
    }

    /// How many units collection is behind; above zero it should run. Work on a victim counts in
    /// proportion, so that the debt falls evenly while a victim is emptied.
    #[inline]
    pub fn debt(&self) -> i64 {
        self.threshold - self.space - self.credit
    }

    /// True if collection should run: units are short, or groups of some lane are.
    #[inline]
    pub fn wants_collection(&self) -> bool {
        self.debt() > 0 || self.pool.least_supply() < 2 || !self.can_place_host()
    }

    /// Groups freed since the start.
    #[inline]
    pub fn released(&self) -> u64 {
        self.released
    }

    /// True if a host unit can be placed now without endangering collection.
    #[inline]
    pub fn can_place_host(&self) -> bool {
        self.host.is_open() || self.pool.free_stripes() >= 2
    }

    /// Places one unit of host data in time order; the caller has checked
    /// [`Ftl::can_place_host`]. Returns its physical unit.
    #[inline]
    pub fn place_host(&mut self, logical: u32, tag: P) -> u32 {
        if !self.host.is_open() {
            self.host.open_stripe(&self.layout, &mut self.pool, &mut self.ready);
            self.opened.push(self.host.groups().to_vec());
        }
        let unit = self.host.place(&self.layout, &mut self.pool, &mut self.ready);
        self.ledger.host += 1;
        let old = self.bind(logical, unit, tag);
        if let Some(undo) = &mut self.undo {
            let erases = match old {
                UNMAPPED => 0,
                _ => self.pool.erases()[self.layout.group_of(old) as usize],
            };
            undo.note(Undo { logical, old, erases, new: unit });
        }
        unit
    }

    #[inline]
    fn bind(&mut self, logical: u32, unit: u32, tag: P) -> u32 {
        self.space -= 1;
        let old = self.map.set(logical, unit);
        self.tags[unit as usize] = tag;
        self.pool.add_valid(self.layout.group_of(unit));
        if old != UNMAPPED {
            self.pool.drop_valid(self.layout.group_of(old));
        }
        old
    }

    /// Forgets a logical unit. What lay there before cannot come back after a loss of power: the
    /// map no longer leads to any buffered version of it.
    pub fn trim(&mut self, logical: u32) {
        let old = self.map.clear(logical);
        if old != UNMAPPED {
            self.pool.drop_valid(self.layout.group_of(old));
        }
    }

    /// Closes the host's unfinished word lines with padding so that they can be programmed.
    pub fn pad_host(&mut self) {
        let lost = self.host.pad(&self.layout, &mut self.pool, &mut self.ready);
        self.space -= lost as i64;
        self.ledger.padding += lost as u64;
    }

    /// Takes the next group to collect; false if there is nothing to gain.
    pub fn start_victim(&mut self) -> bool {
        let Some(group) = self.choose_victim() else { return false };
        let valid = self.pool.valid(group);
        // What is begun must be sure to end: all that is still to be moved needs a place.
        let moving: u64 = self.victims.iter().map(|v| self.pool.valid(v.group) as u64).sum();
        let places = self.copies.room(&self.layout) as u64
            + self.pool.free_stripes() as u64 * self.layout.stripe_data_units() as u64;
        if moving + valid as u64 > places {
            return false;
        }
        self.pool.take_victim(group);
        let first = group * self.layout.group_units;
        let end = first + self.layout.group_units;
        self.victims.push(Victim {
            group,
            cursor: first,
            end,
            valid_at_start: valid,
            processed: 0,
            credit: 0,
            outstanding: 0,
        });
        if valid == 0 {
            self.finish_victims();
        }
        true
    }

    /// The next victim: in the lane with the fewest groups free or about to be.
    fn choose_victim(&self) -> Option<u32> {
        let lane = self.pool.neediest_lane();
        if let Some(group) = self.policy.choose(&self.pool, lane) {
            // A full group gains nothing. The fewest-first choice then has nothing better; an
            // order by age has, and must pass this group to get there.
            let full = self.pool.valid(group) >= self.layout.group_data_units;
            if !full || self.policy != VictimPolicy::Greedy {
                return Some(group);
            }
            // But if other lanes have more room, moving it there evens the lanes out: writes that
            // always miss this lane would otherwise never get another stripe.
            if self.pool.supply(lane) + 2 <= self.pool.most_supply() {
                return Some(group);
            }
        }
        (0..self.layout.lanes).filter(|&other| other != lane).find_map(|other| {
            let group = self.policy.choose(&self.pool, other)?;
            (self.pool.valid(group) < self.layout.group_data_units).then_some(group)
        })
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
                let bits = self.map.valid_bits(first, slots);
                v.outstanding += bits.count_ones();
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

    /// Asks the processor to fetch what [`Ftl::move_unit`] will need.
    #[inline]
    pub fn prefetch_move(&self, unit: u32) {
        self.map.prefetch_owner(unit);
    }

    /// A unit handed out by [`Ftl::next_page`] has been read: moves it if it is still valid.
    /// Returns true if it was.
    #[inline]
    pub fn move_unit(&mut self, unit: u32) -> bool {
        let group = self.layout.group_of(unit);
        let valid = self.map.is_valid(unit);
        if valid {
            self.copy(unit);
        }
        for i in 0..self.victims.len() {
            if self.victims[i].group == group {
                let v = &mut self.victims[i];
                v.processed += 1;
                v.outstanding -= 1;
                let credit = self.layout.group_data_units as u64 * v.processed as u64
                    / v.valid_at_start as u64;
                self.credit += credit as i64 - v.credit;
                v.credit = credit as i64;
                if v.outstanding == 0 && self.map.next_valid(v.cursor, v.end).is_none() {
                    self.finish_victims();
                }
                break;
            }
        }
        valid
    }

    #[inline]
    fn copy(&mut self, unit: u32) {
        if !self.copies.is_open() {
            self.copies.open_stripe(&self.layout, &mut self.pool, &mut self.ready);
            self.opened.push(self.copies.groups().to_vec());
        }
        let to = self.copies.place(&self.layout, &mut self.pool, &mut self.ready);
        self.ledger.copies += 1;
        let logical = self.map.owner(unit);
        self.bind(logical, to, self.tags[unit as usize]);
    }

    /// Frees the victims that hold nothing any more.
    fn finish_victims(&mut self) {
        let mut i = 0;
        while i < self.victims.len() {
            let v = &self.victims[i];
            if v.outstanding == 0 && self.map.next_valid(v.cursor, v.end).is_none() {
                let group = v.group;
                self.released += 1;
                self.credit -= v.credit;
                self.victims.remove(i);
                self.pool.release(group);
                self.space += self.layout.group_data_units as i64;
            } else {
                i += 1;
            }
        }
    }

    /// Fast path: one host write without time; collects first if space is short.
    #[inline]
    pub fn write(&mut self, logical: u32, tag: P) {
        if self.wants_collection() {
            self.collect();
        }
        self.place_host(logical, tag);
        // Without time nothing waits in a buffer: what is ready counts as programmed.
        if !self.ready.is_empty() {
            self.forget_untimed();
        }
    }

    /// Fast path: collects whole groups until space is above the threshold or nothing is left to
    /// gain.
    #[cold]
    fn collect(&mut self) {
        while self.wants_collection() && self.start_victim() {
            let Some(v) = self.victims.last() else { continue };
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

    /// Counts parity units of a stripe when one of its word lines is ready.
    pub fn note_parity(&mut self, units: u32) {
        self.ledger.parity += units as u64;
    }

    /// Power has failed and the buffer with it: data whose word line was not programmed is gone,
    /// and the map points at what was there before. `programmed` tells whether a unit had been
    /// programmed. Returns how many units of host data were lost.
    ///
    /// A drive erases a group only when what replaced its data is on the flash. Here groups are
    /// freed at once, which is simpler and comes to the same until power fails; then a unit whose
    /// old place has been freed counts as programmed.
    ///
    /// # Panics
    /// If the drive was made without an undo log, that is with a protected buffer.
    pub fn lose_unprogrammed(&mut self, programmed: impl Fn(&Layout, u32) -> bool) -> u64 {
        let undo = self.undo.as_mut().expect("only a volatile buffer loses data");
        let mut lost = 0;
        for entry in undo.drain_newest_first() {
            if programmed(&self.layout, entry.new) || self.map.get(entry.logical) != entry.new {
                continue;
            }
            if entry.old != UNMAPPED {
                let group = self.layout.group_of(entry.old);
                let erased = self.pool.erases()[group as usize] != entry.erases;
                if erased || self.pool.state(group) == GroupState::Free {
                    continue;
                }
            }
            lost += 1;
            self.pool.drop_valid(self.layout.group_of(entry.new));
            self.map.clear(entry.logical);
            if entry.old != UNMAPPED {
                self.map.set(entry.logical, entry.old);
                self.pool.add_valid(self.layout.group_of(entry.old));
            }
        }
        lost
    }

    /// Tells the undo log that everything up to now is on the flash.
    pub fn settle_undo(&mut self, programmed: impl Fn(&Layout, u32) -> bool) {
        if let Some(undo) = &mut self.undo {
            undo.prune(|unit| programmed(&self.layout, unit));
        }
    }

    /// Panics unless all of the bookkeeping agrees (an O(n) check for phase ends and tests).
    pub fn audit(&self) {
        self.map.audit();
        assert_eq!(self.pool.total_valid(), self.map.mapped() as u64, "valid = mapped");
        let free = self.pool.free_groups() as i64 * self.layout.group_data_units as i64;
        let room = self.host.room_with_padding(&self.layout) as i64
            + self.copies.room_with_padding(&self.layout) as i64;
        assert_eq!(self.space, free + room, "space = free groups and open room");
    }
}
