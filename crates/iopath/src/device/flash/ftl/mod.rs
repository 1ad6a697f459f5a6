//! The flash translation layer: where each logical unit is, where the next one goes, and which
//! group is emptied to make room.
//!
//! The FTL has no notion of time. A drive drives it step by step as its flash gets things done
//! ([`Ftl::start_victim`], [`Ftl::next_page`], [`Ftl::move_unit`]); the fast path ([`Ftl::write`])
//! does the same steps at once, so that both end in the same state.

mod ageing;
pub mod compression;
mod draws;
mod emptying;
mod ledger;
mod loss;
pub mod map;
pub mod map_cache;
mod mark;
mod order;
mod padding;
pub mod policies;
pub mod pool;
mod refresh;
pub mod retire;
pub mod separation;
pub mod slc;
pub mod snapshot;
pub mod steady;
pub mod stream;
pub mod undo;
mod untimed;
pub mod victim;
pub mod wear;

use crate::device::flash::geometry::Layout;
use crate::kernel::payload::Payload;
use compression::Sizes;
pub use ledger::UnitLedger;
use map::{Map, UNMAPPED};
use map_cache::MapCache;
pub use mark::Mark;
use order::Order;
use policies::{FtlPolicies, WritePoints};
use pool::Pool;
use refresh::Refresh;
use retire::Retirement;
use separation::Separated;
use slc::SlcCache;
use stream::{Lines, Ready, Source, WriteStream};
use undo::UndoLog;
use wear::StaticState;

/// Free stripes at which collection begins. Four leave one for each write stream while one victim
/// is half done; they are physical reserve outside alpha.
pub const RESERVE_STRIPES: u32 = 4;

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
    /// The same in units of the SLC cache, if it is part of that.
    slc_credit: i64,
    /// Units handed out by `next_page` that have not come back.
    outstanding: u32,
}

/// The flash translation layer of one drive.
#[derive(Clone)]
pub struct Ftl<P: Payload> {
    layout: Layout,
    map: Map,
    pool: Pool,
    /// What the host writes, and copies if they share its stripe.
    host: WriteStream,
    /// Copies, or what the host writes in order.
    copies: WriteStream,
    order: Option<Box<Order>>,
    slc: Option<SlcCache>,
    policies: FtlPolicies,
    /// Write streams of the host beyond the first.
    separated: Option<Box<Separated>>,
    /// The stream hint of the host's next units.
    hint: u16,
    levelling: Option<Box<StaticState>>,
    /// The part of the map that is in memory, if not all of it is.
    map_cache: Option<Box<MapCache>>,
    retirement: Option<Retirement>,
    tags: Vec<P>,
    ready: Ready,
    /// Stripes opened since they were last taken.
    opened: Vec<(Vec<u32>, Lines)>,
    victims: Vec<Victim>,
    refresh: Refresh,
    /// Copies that wait until they fill a page (shared write points with padding only).
    held: Vec<u32>,
    /// Lengths of units, if the drive compresses.
    sizes: Option<Sizes>,
    /// Physical units that the next unit of the host takes.
    stored: u32,
    undo: Option<UndoLog>,
    /// Units that can be written before something must be collected: free groups and the room of
    /// both open stripes.
    space: i64,
    /// Share of the victims' space that counts as freed already.
    credit: i64,
    threshold: i64,
    /// Units of what is set aside for the SLC cache that it uses: they need not be free too.
    set_aside_used: i64,
    /// Groups freed since the start.
    released: u64,
    ledger: UnitLedger,
    /// The seed of the random draws of the policies; the rest is the state of the drive.
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
        let policies = policies.into();
        let physical = layout.groups * layout.group_units;
        let space = layout.groups as i64 * layout.group_data_units as i64;
        let threshold =
            policies.reserve_stripes(&layout) as i64 * layout.stripe_data_units() as i64;
        let stream = WriteStream::new(&layout, Lines::native(&layout));
        let first = policies.wear.open_first();
        let own = policies.own_units(&layout, logical);
        Ftl {
            map: Map::new(logical, own, physical),
            map_cache: policies
                .map_cache
                .map(|policy| MapCache::new(policy, &layout.geometry, logical)),
            pool: Pool::new(&layout),
            host: stream.clone().opening(first),
            copies: stream.clone().opening(first),
            order: match policies.write_points {
                WritePoints::Ordered { after } => Some(Box::new(Order::new(after))),
                WritePoints::Separate | WritePoints::Shared => None,
            },
            slc: policies.slc.clone().map(|slc| SlcCache::new(slc, &layout, first)),
            separated: Separated::new(policies.separation, logical, &stream.clone().opening(first)),
            hint: 0,
            levelling: StaticState::new(policies.wear, stream),
            retirement: Retirement::new(
                policies.bad_blocks,
                policies.least_spare_stripes(&layout),
                &layout,
                u64::from(logical + own) * u64::from(policies.grains.unwrap_or(1)),
            ),
            tags: vec![P::default(); physical as usize],
            ready: Ready::new(),
            opened: Vec::new(),
            victims: Vec::new(),
            refresh: Refresh::default(),
            held: Vec::new(),
            stored: policies.grains.unwrap_or(1) as u32,
            sizes: policies.grains.map(|full| Sizes::new(physical, full)),
            undo: keep_undo.then(UndoLog::default),
            space,
            credit: 0,
            threshold,
            set_aside_used: 0,
            released: 0,
            ledger: UnitLedger::default(),
            seed: 0,
            policies,
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

    /// Bytes of memory that it takes, but for what is counted in groups or less.
    pub fn bytes(&self) -> usize {
        self.map.bytes() + self.tags.len() * size_of::<P>()
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

    /// Takes the groups of a stripe that a stream has opened, and how it is filled.
    pub fn take_opened(&mut self) -> Option<(Vec<u32>, Lines)> {
        self.opened.pop()
    }

    /// Units that one program of a die writes.
    pub fn line_units(&self, slc: bool) -> u32 {
        let all = self.layout.wl_units();
        if slc { all / self.layout.geometry.pages_per_wl } else { all }
    }

    /// All word lines of a stripe have been programmed: its groups may be collected from now on.
    pub fn settle_stripe(&mut self, groups: &[u32]) {
        for &group in groups {
            self.pool.settle(group);
        }
        if self.slc.is_some() {
            self.hide_cache();
        }
    }

    /// Cancels collections in progress; their groups can be chosen again.
    pub fn abandon_victims(&mut self) {
        for v in std::mem::take(&mut self.victims).into_iter().rev() {
            self.pool.put_back(v.group);
            if let Some(slc) = &mut self.slc {
                slc.put_back(v.group);
            }
        }
        self.hide_cache();
        self.refresh.abandon();
        self.held.clear();
        if let Some(levelling) = &mut self.levelling {
            levelling.group = None;
        }
        self.credit = 0;
        if let Some(slc) = &mut self.slc {
            slc.credit = 0;
        }
    }

    /// The streams, open or not.
    pub fn streams(&self) -> impl Iterator<Item = &WriteStream> {
        [&self.host, &self.copies]
            .into_iter()
            .chain(self.slc.iter().map(|slc| &slc.stream))
            .chain(self.separated.iter().flat_map(|separated| &separated.streams))
            .chain(self.levelling.iter().map(|levelling| &levelling.stream))
    }

    /// Units from a source that are in word lines which are not full yet, or wait for a page.
    pub fn unfinished_units(&self, source: Source) -> u32 {
        let held = if source == Source::Copy { self.held_units() } else { 0 };
        held + self.streams().map(|stream| stream.unfinished_units(source)).sum::<u32>()
    }

    fn is_shared(&self) -> bool {
        self.policies.write_points != WritePoints::Separate
    }

    /// How many units collection is behind; above zero it should run. Work on a victim counts in
    /// proportion, so that the debt falls evenly while a victim is emptied.
    #[inline]
    pub fn debt(&self) -> i64 {
        self.threshold - self.space - self.credit - self.set_aside_used
    }

    /// True if collection should run: units are short, or groups of some lane are, or the SLC
    /// cache is to be folded. `goal` is how many units more than the reserve should be free.
    #[inline]
    pub fn wants_collection(&self, goal: i64) -> bool {
        self.is_short(goal) || self.slc.is_some() && self.wants_fold() || self.refresh.is_wanted()
    }

    /// True if free space is wanted, however it is gained.
    #[inline]
    pub(super) fn is_short(&self, goal: i64) -> bool {
        if self.is_read_only() {
            return !self.has_place() || !self.victims.is_empty();
        }
        self.debt() + goal > 0 || self.pool.least_supply() < 2 || !self.has_place()
    }

    /// Units that no data fills: what collection could free if it moved everything together.
    pub fn spare_units(&self) -> i64 {
        let all = self.layout.groups as i64 * self.layout.group_data_units as i64;
        all - self.threshold - self.pool.total_valid() as i64
    }

    /// Groups freed since the start.
    #[inline]
    pub fn released(&self) -> u64 {
        self.released
    }

    /// True if a host unit can be placed now without endangering collection.
    #[inline]
    pub fn can_place_host(&self) -> bool {
        // What a drive accepted before it took no more writes must not take the place of copies.
        self.has_place() && (self.victims.is_empty() || !self.is_read_only())
    }

    /// True if a unit of any length finds a place without taking those that copies need: the last
    /// free stripe, and the one that levelling is about to open.
    #[inline]
    pub(super) fn has_place(&self) -> bool {
        let free = self.pool.free_stripes();
        if free > 2 {
            return true;
        }
        let (layout, full, kept) = (&self.layout, self.full_size(), 1 + self.stripes_to_level());
        let open = self.host.takes(layout, full)
            && (self.order.is_none() || self.copies.takes(layout, full))
            && self.separated.as_ref().is_none_or(|s| s.all_take(layout, full));
        open && (free >= kept || !self.is_shared() || self.leaves_room())
            || free > kept
            || self.slc.as_ref().is_some_and(|slc| slc.stream.takes(layout, full))
    }

    /// Stripes that levelling has to open for the group that it moves.
    #[inline]
    pub(super) fn stripes_to_level(&self) -> u32 {
        self.levelling.as_ref().map_or(0, |levelling| {
            let room = levelling.stream.room(&self.layout);
            levelling.group.map_or(0, |group| u32::from(self.pool.valid(group) > room))
        })
    }

    /// True if all copies still find a place in the stripe that they share with the host when it
    /// has taken one more.
    fn leaves_room(&self) -> bool {
        let moving = self.moving();
        let room = self.without_gaps(self.room_for_copies());
        moving == 0 || moving + u64::from(self.full_size()) <= room
    }

    /// Places one unit of host data in time order; the caller has checked
    /// [`Ftl::can_place_host`]. Returns its physical unit.
    #[inline]
    pub fn place_host(&mut self, logical: u32, tag: P) -> u32 {
        let size = self.stored;
        let unit = if self.slc.is_some() && self.slc_takes() {
            self.place_slc(size)
        } else {
            let in_order = self.is_in_order();
            let first = order::stream(&self.order, &mut self.host, &mut self.copies);
            let stream = match &mut self.separated {
                Some(separated) if !in_order => separated.stream_for(logical, self.hint, first),
                _ => first,
            };
            let (pool, ready) = (&mut self.pool, &mut self.ready);
            let lost = stream.make_ready(size, &self.layout, pool, ready, &mut self.opened);
            self.space -= lost as i64;
            self.ledger.padding += lost as u64;
            stream.place(Source::Host, size, &self.layout, &mut self.pool, &mut self.ready)
        };
        self.ledger.host += size as u64;
        self.ledger.accepted += self.full_size() as u64;
        if let Some(cache) = &mut self.map_cache
            && logical < self.map.logical_units()
        {
            // Translation pages themselves are found by the table of them.
            cache.changed(logical);
        }
        let old = self.bind(logical, unit, size, tag);
        self.note_undo(logical, old, unit);
        unit
    }

    /// Places units of the host in the SLC cache.
    fn place_slc(&mut self, size: u32) -> u32 {
        let slc = self.slc.as_mut().expect("the caller has seen the cache");
        if !slc.stream.fits(&self.layout, size) {
            let lost = slc.stream.pad_page(&self.layout, &mut self.pool, &mut self.ready);
            self.space -= lost as i64;
            self.ledger.padding += lost as u64;
            if !slc.stream.is_open() {
                slc.filled();
            }
        }
        if !slc.stream.is_open() {
            slc.stream.open_stripe(&self.layout, &mut self.pool, &mut self.ready);
            slc.opened();
            self.space -= slc.stripe_loss(&self.layout);
            self.set_aside_used = slc.set_aside_used(&self.layout);
            self.opened.push((slc.stream.groups().to_vec(), slc.stream.lines()));
        }
        let unit =
            slc.stream.place(Source::Host, size, &self.layout, &mut self.pool, &mut self.ready);
        if !slc.stream.is_open() {
            slc.filled();
        }
        unit
    }

    #[inline]
    fn bind(&mut self, logical: u32, unit: u32, size: u32, tag: P) -> u32 {
        let old = self.map.set(logical, unit);
        self.bound(old, unit, size, tag);
        old
    }

    /// The map has `unit` in the place of `old`.
    #[inline]
    fn bound(&mut self, old: u32, unit: u32, size: u32, tag: P) {
        self.space -= size as i64;
        self.tags[unit as usize] = tag;
        self.pool.add_valid(self.layout.group_of(unit), size);
        if old != UNMAPPED {
            self.pool.drop_valid(self.layout.group_of(old), self.size_of(old));
        }
        if let Some(sizes) = &mut self.sizes {
            sizes.set(unit, size);
        }
    }

    /// Physical units that a stored unit takes; it may have been overwritten since.
    #[inline]
    pub fn size_of(&self, unit: u32) -> u32 {
        self.sizes.as_ref().map_or(1, |sizes| sizes.get(unit))
    }

    /// Physical units of a mapping unit that does not compress.
    pub fn full_size(&self) -> u32 {
        self.sizes.as_ref().map_or(1, Sizes::full)
    }

    /// Sets how many physical units the next units of the host take, from one to the full size.
    #[inline]
    pub fn set_stored(&mut self, size: u32) {
        debug_assert!((1..=self.full_size()).contains(&size));
        self.stored = size;
    }

    /// Forgets a logical unit. The data there before cannot come back after a power loss: the map
    /// no longer leads to any buffered version of it.
    pub fn trim(&mut self, logical: u32) {
        let old = self.map.clear(logical);
        if old != UNMAPPED {
            self.pool.drop_valid(self.layout.group_of(old), self.size_of(old));
        }
    }

    /// Counts parity units of a stripe when one of its word lines is ready.
    pub fn note_parity(&mut self, units: u32) {
        self.ledger.parity += units as u64;
    }

    /// Checks the bookkeeping, at the end of phases and in tests; O(n).
    ///
    /// # Panics
    /// If units, groups or free space disagree.
    pub fn audit(&self) {
        self.map.audit();
        let mapped = match &self.sizes {
            None => self.map.occupied() as u64,
            Some(sizes) => {
                let places = self.map.places().filter(|&unit| unit != UNMAPPED);
                places.map(|unit| sizes.get(unit) as u64).sum()
            }
        };
        assert_eq!(self.pool.total_valid(), mapped, "valid = mapped");
        let free = self.pool.free_groups() as i64 * self.layout.group_data_units as i64;
        let room: i64 = self.streams().map(|s| s.room_with_padding(&self.layout) as i64).sum();
        assert_eq!(self.space, free + room, "space = free groups and open room");
    }
}
