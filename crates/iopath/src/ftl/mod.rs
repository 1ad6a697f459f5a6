//! The flash translation layer: where each logical unit lies, where the next one goes, and which
//! group is emptied to make room.
//!
//! The FTL knows no time. A drive drives it step by step as its flash gets things done
//! ([`Ftl::start_victim`], [`Ftl::next_page`], [`Ftl::move_unit`]); the fast path
//! ([`Ftl::write`]) does the same steps at once, so that both end in the same state.

mod draws;
mod emptying;
pub mod map;
pub mod policies;
pub mod pool;
pub mod snapshot;
pub mod steady;
pub mod stream;
pub mod undo;
pub mod victim;

use crate::geometry::Layout;
use crate::payload::Payload;
use map::{Map, UNMAPPED};
use policies::FtlPolicies;
use pool::{GroupState, Pool};
use stream::{Ready, WriteStream};
use undo::{Undo, UndoLog};

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
    policies: FtlPolicies,
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
    /// What the draws of the policies follow from; the rest of it is where the drive stands.
    seed: u64,
}

impl<P: Payload> Ftl<P> {
    /// An empty FTL of `logical` units; `keep_undo` for drives whose buffer is volatile.
    pub fn new(
        layout: Layout,
        logical: u32,
        policies: impl Into<FtlPolicies>,
        keep_undo: bool,
    ) -> Self {
        let physical = layout.groups * layout.group_units;
        let space = layout.groups as i64 * layout.group_data_units as i64;
        let threshold = RESERVE_STRIPES as i64 * layout.stripe_data_units() as i64;
        Ftl {
            map: Map::new(logical, physical),
            pool: Pool::new(&layout),
            host: WriteStream::new(&layout, true),
            copies: WriteStream::new(&layout, false),
            policies: policies.into(),
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
            seed: 0,
            layout,
        }
    }

    /// Sets what the random choices of the policies follow from; zero unless set.
    pub fn set_seed(&mut self, seed: u64) {
        self.seed = seed;
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
