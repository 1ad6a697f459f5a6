//! A partial map in memory, for drives without DRAM: the map is in translation pages on the flash,
//! of which a cache holds some (the clock algorithm, Corbato 1968; demand paging of flash maps,
//! Gupta, Kim and Urgaonkar 2009).
//!
//! A translation page is a mapping unit of its own, behind those of the host, with four bytes for
//! each unit that it maps: 1024 of them in 4 KiB. It is among the data, so collection moves it like
//! data. A miss costs the read of a page before the command continues; a page that was changed is
//! written when it leaves the cache.
//!
//! What is simplified: the place of each translation page is always known (the table is a
//! thousandth of the map). Changes that collection and trims make are noted beside the data and
//! merged when the page is written for another reason, so they cost nothing. After a power loss the
//! changes are found again from the notes beside the data, in no time. Commands in flight hold the
//! entries that they have waited for, so that they never wait twice. A drive that takes no more
//! writes keeps its changes in memory.

use super::Ftl;
use super::map::UNMAPPED;
use crate::device::flash::geometry::Geometry;
use crate::kernel::payload::Payload;
use engine::{index, narrow};
use std::collections::VecDeque;

const NONE: u32 = u32::MAX;

/// How much of the map is in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapCachePolicy {
    /// Bytes of the cache; one page at least.
    pub bytes: u64,
    /// Bytes of the entry of one unit: 4. More of them make many pages of a small drive.
    pub entry_bytes: u32,
}

impl MapCachePolicy {
    /// Units that a translation page maps.
    fn entries(&self, geometry: &Geometry) -> u32 {
        (geometry.unit_bytes / self.entry_bytes.max(1)).max(1)
    }

    /// Translation pages for `logical` units.
    pub fn pages(&self, geometry: &Geometry, logical: u32) -> u32 {
        logical.div_ceil(self.entries(geometry))
    }
}

/// What the cache has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MapCacheCounts {
    /// Look-ups that found their page.
    pub hits: u64,
    /// Look-ups that did not.
    pub misses: u64,
}

/// The cached part of the map.
#[derive(Clone)]
pub(super) struct MapCache {
    /// Units that a translation page maps.
    entries: u32,
    /// Which page each frame holds, or NONE.
    pub(super) frames: Vec<u32>,
    /// Whether a frame was used since the hand passed it.
    pub(super) used: Vec<bool>,
    /// Which frame holds a page, or NONE.
    frame_of: Vec<u32>,
    /// Pages that differ from what is on the flash.
    pub(super) dirty: Vec<bool>,
    pub(super) hand: u32,
    /// Pages that have left the cache and are to be written.
    pub(super) leaving: VecDeque<u32>,
    pub(super) counts: MapCacheCounts,
}

impl MapCache {
    /// An empty cache.
    pub(super) fn new(policy: MapCachePolicy, geometry: &Geometry, logical: u32) -> Box<Self> {
        let pages = policy.pages(geometry, logical);
        let frames =
            index((policy.bytes / geometry.unit_bytes as u64).clamp(1, pages.max(1) as u64));
        Box::new(MapCache {
            entries: policy.entries(geometry),
            frames: vec![NONE; frames],
            used: vec![false; frames],
            frame_of: vec![NONE; pages as usize],
            dirty: vec![false; pages as usize],
            hand: 0,
            leaving: VecDeque::new(),
            counts: MapCacheCounts::default(),
        })
    }

    fn page_of(&self, logical: u32) -> u32 {
        logical / self.entries
    }

    fn is_there(&mut self, page: u32) -> bool {
        let frame = self.frame_of[page as usize];
        if frame != NONE {
            self.used[frame as usize] = true;
        }
        frame != NONE
    }

    /// Brings a page in; another one leaves for it.
    fn insert(&mut self, page: u32) {
        if self.is_there(page) {
            return;
        }
        while std::mem::take(&mut self.used[self.hand as usize]) {
            self.hand = (self.hand + 1) % narrow::<u32>(self.frames.len());
        }
        let frame = self.hand;
        self.hand = (self.hand + 1) % narrow::<u32>(self.frames.len());
        let old = std::mem::replace(&mut self.frames[frame as usize], page);
        if old != NONE {
            self.frame_of[old as usize] = NONE;
            if std::mem::take(&mut self.dirty[old as usize]) {
                self.leaving.push_back(old);
            }
        }
        self.frame_of[page as usize] = frame;
        self.used[frame as usize] = true;
    }

    /// An entry has changed: its page is in memory and will have to be written.
    pub(super) fn changed(&mut self, logical: u32) {
        let page = self.page_of(logical);
        self.insert(page);
        self.dirty[page as usize] = true;
    }

    /// Takes over a saved state; false if it contradicts itself.
    pub(super) fn restore(&mut self) -> bool {
        for (frame, &page) in self.frames.iter().enumerate() {
            if page != NONE {
                match self.frame_of.get_mut(page as usize) {
                    Some(of) if *of == NONE => *of = narrow(frame),
                    _ => return false,
                }
            }
        }
        let known = self.leaving.iter().all(|&page| (page as usize) < self.frame_of.len());
        known && (self.hand as usize) < self.frames.len()
    }
}

impl<P: Payload> Ftl<P> {
    /// What the cache of the map has done; `None` if the whole map is in memory.
    pub fn map_cache_counts(&self) -> Option<MapCacheCounts> {
        self.map_cache.as_ref().map(|cache| cache.counts)
    }

    /// The translation pages of the logical units `first..end`.
    pub fn translation_pages(&self, first: u32, end: u32) -> std::ops::Range<u32> {
        match &self.map_cache {
            Some(cache) if first < end => cache.page_of(first)..cache.page_of(end - 1) + 1,
            _ => 0..0,
        }
    }

    /// Looks a translation page up: true if it is in memory.
    pub fn look_up_page(&mut self, page: u32) -> bool {
        let Some(cache) = &mut self.map_cache else { return true };
        let hit = cache.is_there(page);
        cache.counts.hits += u64::from(hit);
        cache.counts.misses += u64::from(!hit);
        hit
    }

    /// Where a translation page has to be read from: its physical unit, or `None` if it was never
    /// written or waits to be.
    pub fn page_on_flash(&self, page: u32) -> Option<u32> {
        let cache = self.map_cache.as_ref()?;
        let unit = self.map.get(self.map.logical_units() + page);
        (unit != UNMAPPED && !cache.leaving.contains(&page)).then_some(unit)
    }

    /// A translation page has been read.
    pub fn insert_page(&mut self, page: u32) {
        if let Some(cache) = &mut self.map_cache {
            cache.insert(page);
        }
    }

    /// True if a translation page that has left the cache is still to be written.
    pub fn has_leaving_page(&self) -> bool {
        self.map_cache.as_ref().is_some_and(|cache| !cache.leaving.is_empty())
    }

    /// Writes the next translation page that has left the cache; the caller has checked
    /// [`Ftl::can_place_host`].
    pub fn place_leaving_page(&mut self) {
        let page = self.map_cache.as_mut().and_then(|cache| cache.leaving.pop_front());
        if let Some(page) = page {
            self.set_hint(0);
            // A page of the map is in no order, and does not end that of the host.
            let in_order = self.set_in_order(false);
            let size = self.full_size();
            self.set_stored(size);
            self.place_host(self.map.logical_units() + page, P::default());
            self.ledger.host -= size as u64;
            self.ledger.accepted -= size as u64;
            self.ledger.metadata += size as u64;
            self.set_in_order(in_order);
        }
    }

    /// Without time: looks up the page of a unit that is written, and writes what leaves for it.
    pub(super) fn map_untimed(&mut self, logical: u32) {
        let Some(cache) = &self.map_cache else { return };
        let page = cache.page_of(logical);
        if !self.look_up_page(page) {
            self.insert_page(page);
        }
        while self.has_leaving_page() {
            self.make_room();
            self.place_leaving_page();
        }
    }

    /// Writes the whole map, as a drive has it that was filled long ago, and empties the cache.
    pub fn write_map(&mut self) {
        self.forget_map(true);
        let Some(cache) = &self.map_cache else { return };
        let (entries, pages) = (cache.entries, narrow::<u32>(cache.dirty.len()));
        let logical = self.map.logical_units();
        for page in 0..pages {
            let end = (page + 1).saturating_mul(entries).min(logical);
            if (page * entries..end).any(|unit| self.map.get(unit) != UNMAPPED) {
                if let Some(cache) = &mut self.map_cache {
                    cache.leaving.push_back(page);
                }
                self.make_room();
                self.place_leaving_page();
                self.forget_untimed();
            }
        }
    }

    /// Power has failed, or nothing can be written any more: what was to be written is known from
    /// elsewhere. `all` empties the cache too.
    pub fn forget_map(&mut self, all: bool) {
        if let Some(cache) = &mut self.map_cache {
            cache.leaving.clear();
            if all {
                cache.frames.fill(NONE);
                cache.used.fill(false);
                cache.frame_of.fill(NONE);
                cache.dirty.fill(false);
            }
        }
    }
}
