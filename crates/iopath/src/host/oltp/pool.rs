//! The buffer pool: which pages are in memory, which of them are dirty, and which goes next. It
//! uses only the time that it is given.
//!
//! As in InnoDB 5.5 (`buf0lru.c`, `buf0buf.ic`): one list of pages, whose last part is "old". A
//! page that is read enters at the head of that part. A use moves a page to the front of the list,
//! unless it was moved there so lately that less than a quarter of the young part has passed since
//! (which saves the list from most moves), or is old and was first used less than `old_time` ago.
//! Pages leave at the tail, where the last clean one is taken.

use super::config::PoolConfig;
use engine::{Instant, narrow};

/// No frame, no page.
const NONE: u32 = u32::MAX;
/// The midpoint may be off by this many pages before it is moved.
const TOLERANCE: u32 = 20;
/// A search for a clean page looks at this many, and at a tenth of the list beside.
const SEARCH: u32 = 100;

/// What a frame holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FrameState {
    /// Nothing.
    Free,
    /// A page that is being read.
    Reading,
    /// A page as on the disk.
    Clean,
    /// A page that was changed.
    Dirty,
    /// A page that is being written.
    Writing,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    page: u32,
    newer: u32,
    older: u32,
    dirtied_after: u32,
    dirtied_before: u32,
    state: FrameState,
    old: bool,
    /// Changed while it was being written.
    again: bool,
    used: bool,
    /// Pages that had left the pool when this one was moved to the front.
    moved_at: u64,
    first_used: Instant,
    /// Log position of the first change that is not on the disk.
    oldest: u64,
}

const EMPTY: Frame = Frame {
    page: NONE,
    newer: NONE,
    older: NONE,
    dirtied_after: NONE,
    dirtied_before: NONE,
    state: FrameState::Free,
    old: false,
    again: false,
    used: false,
    moved_at: 0,
    first_used: Instant::ZERO,
    oldest: 0,
};

/// The pool.
#[derive(Clone, Debug)]
pub struct Pool {
    config: PoolConfig,
    frames: Vec<Frame>,
    free: Vec<u32>,
    /// The frame of each page.
    table: Vec<u32>,
    front: u32,
    tail: u32,
    len: u32,
    /// The first old page, once there are enough pages for a midpoint.
    old_front: u32,
    old_len: u32,
    /// Pages that have left so far.
    gone: u64,
    /// Dirty pages in the order of their first change, the oldest last.
    dirty_newest: u32,
    dirty_oldest: u32,
    dirty: u32,
}

impl Pool {
    /// An empty pool for `pages` different pages.
    pub fn new(config: PoolConfig, pages: u32) -> Self {
        Pool {
            config,
            frames: vec![EMPTY; config.frames as usize],
            free: (0..config.frames).rev().collect(),
            table: vec![NONE; pages as usize],
            front: NONE,
            tail: NONE,
            len: 0,
            old_front: NONE,
            old_len: 0,
            gone: 0,
            dirty_newest: NONE,
            dirty_oldest: NONE,
            dirty: 0,
        }
    }

    /// The frame of a page and what it holds, if the page is here.
    #[inline]
    pub fn find(&self, page: u32) -> Option<(u32, FrameState)> {
        let frame = self.table[page as usize];
        (frame != NONE).then(|| (frame, self.frames[frame as usize].state))
    }

    /// The page in a frame.
    #[inline]
    pub fn page(&self, frame: u32) -> u32 {
        self.frames[frame as usize].page
    }

    /// Pages that have left so far.
    pub fn gone(&self) -> u64 {
        self.gone
    }

    /// Pages that are here.
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Whether no page is here.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Pages that are dirty or being written.
    pub fn dirty(&self) -> u32 {
        self.dirty
    }

    /// Log position of the oldest change that is not on the disk.
    pub fn oldest_change(&self) -> Option<u64> {
        (self.dirty_oldest != NONE).then(|| self.frames[self.dirty_oldest as usize].oldest)
    }

    /// Takes a frame for a page that is to be read, or `None` if no clean one is near the tail.
    pub fn take(&mut self, page: u32) -> Option<u32> {
        self.take_within(page, SEARCH + self.len / 10)
    }

    /// The same with a clean one from anywhere, for when nothing is dirty either.
    pub fn take_any(&mut self, page: u32) -> Option<u32> {
        self.take_within(page, self.len)
    }

    fn take_within(&mut self, page: u32, search: u32) -> Option<u32> {
        let frame = match self.free.pop() {
            Some(frame) => frame,
            None => self.evict(search)?,
        };
        self.frames[frame as usize] = Frame { page, state: FrameState::Reading, ..EMPTY };
        self.table[page as usize] = frame;
        self.insert(frame);
        Some(frame)
    }

    /// A page has been read.
    pub fn has_read(&mut self, frame: u32) {
        let frame = &mut self.frames[frame as usize];
        debug_assert_eq!(frame.state, FrameState::Reading);
        frame.state = FrameState::Clean;
    }

    fn evict(&mut self, search: u32) -> Option<u32> {
        let mut frame = self.tail;
        for _ in 0..search {
            if frame == NONE {
                return None;
            }
            if self.frames[frame as usize].state == FrameState::Clean {
                self.table[self.frames[frame as usize].page as usize] = NONE;
                self.remove(frame);
                self.gone += 1;
                return Some(frame);
            }
            frame = self.frames[frame as usize].newer;
        }
        None
    }

    /// A page is used.
    #[inline]
    pub fn touch(&mut self, frame: u32, now: Instant) {
        let young_1024 = 1024 - u64::from(self.config.old_1024);
        let quarter = u64::from(self.len) * young_1024 / (4 * 1024);
        let held = self.config.old_time.ps() > 0;
        let it = &mut self.frames[frame as usize];
        let first = !std::mem::replace(&mut it.used, true);
        if first {
            it.first_used = now;
        }
        let too_old = if held && it.old {
            !first && now.since(it.first_used) >= self.config.old_time
        } else {
            it.old || self.gone >= it.moved_at + quarter
        };
        if too_old && self.front != frame {
            self.remove(frame);
            self.push_front(frame);
            self.settle();
        }
    }

    /// A page is changed at this log position.
    #[inline]
    pub fn change(&mut self, frame: u32, log: u64) {
        let it = &mut self.frames[frame as usize];
        match it.state {
            FrameState::Clean => {
                it.state = FrameState::Dirty;
                it.oldest = log;
                self.dirty += 1;
                self.add_dirty(frame);
            }
            FrameState::Writing => it.again = true,
            FrameState::Dirty => {}
            FrameState::Free | FrameState::Reading => unreachable!("a page is read before"),
        }
    }

    /// How many pages a batch should write so that enough at the tail can be replaced; 0 if enough
    /// can (`buf_flush_LRU_recommendation`).
    pub fn shortage(&self, search: u32, margin: u32, extra: u32) -> u32 {
        let mut clean: u32 = narrow(self.free.len());
        let mut frame = self.tail;
        for _ in 0..search {
            if frame == NONE || clean >= margin {
                break;
            }
            let it = &self.frames[frame as usize];
            clean += u32::from(it.state == FrameState::Clean);
            frame = it.newer;
        }
        if clean >= margin { 0 } else { margin + extra - clean }
    }

    /// Begins to write up to `count` dirty pages from the tail on.
    pub fn write_from_tail(&mut self, count: u32, batch: &mut Vec<u32>) {
        let mut frame = self.tail;
        while frame != NONE && batch.len() < count as usize {
            let it = &mut self.frames[frame as usize];
            if it.state == FrameState::Dirty {
                it.state = FrameState::Writing;
                batch.push(frame);
            }
            frame = it.newer;
        }
    }

    /// Begins to write up to `count` pages that were changed first.
    pub fn write_oldest(&mut self, count: u32, batch: &mut Vec<u32>) {
        let mut frame = self.dirty_oldest;
        while frame != NONE && batch.len() < count as usize {
            let it = &mut self.frames[frame as usize];
            if it.state == FrameState::Dirty {
                it.state = FrameState::Writing;
                batch.push(frame);
            }
            frame = it.dirtied_after;
        }
    }

    /// A page is on the disk as it was when its writing began; a change since then counts from
    /// `log` on. One that was written to be replaced goes to the tail.
    pub fn has_written(&mut self, frame: u32, log: u64, to_tail: bool) {
        debug_assert_eq!(self.frames[frame as usize].state, FrameState::Writing);
        self.remove_dirty(frame);
        let it = &mut self.frames[frame as usize];
        if std::mem::replace(&mut it.again, false) {
            it.state = FrameState::Dirty;
            it.oldest = log;
            self.add_dirty(frame);
            return;
        }
        it.state = FrameState::Clean;
        self.dirty -= 1;
        if to_tail && self.frames[frame as usize].old && self.tail != frame {
            self.remove(frame);
            self.push_tail(frame);
            self.settle();
        }
    }

    fn add_dirty(&mut self, frame: u32) {
        let newest = self.dirty_newest;
        self.frames[frame as usize].dirtied_before = newest;
        self.frames[frame as usize].dirtied_after = NONE;
        match newest {
            NONE => self.dirty_oldest = frame,
            _ => self.frames[newest as usize].dirtied_after = frame,
        }
        self.dirty_newest = frame;
    }

    fn remove_dirty(&mut self, frame: u32) {
        let Frame { dirtied_after: after, dirtied_before: before, .. } =
            self.frames[frame as usize];
        match after {
            NONE => self.dirty_newest = before,
            _ => self.frames[after as usize].dirtied_before = before,
        }
        match before {
            NONE => self.dirty_oldest = after,
            _ => self.frames[before as usize].dirtied_after = after,
        }
    }

    /// Puts a page that was read at the midpoint.
    fn insert(&mut self, frame: u32) {
        if self.old_front == NONE {
            self.push_front(frame);
        } else {
            let newer = self.frames[self.old_front as usize].newer;
            self.link(frame, newer, self.old_front);
            self.frames[frame as usize].old = true;
            self.old_front = frame;
            self.old_len += 1;
        }
        self.settle();
    }

    fn push_front(&mut self, frame: u32) {
        self.link(frame, NONE, self.front);
        self.frames[frame as usize].old = false;
        self.frames[frame as usize].moved_at = self.gone;
    }

    /// Puts a page last; only where there are old ones.
    fn push_tail(&mut self, frame: u32) {
        self.link(frame, self.tail, NONE);
        self.frames[frame as usize].old = true;
        self.old_len += 1;
        if self.old_front == NONE {
            self.old_front = frame;
        }
    }

    fn link(&mut self, frame: u32, newer: u32, older: u32) {
        self.frames[frame as usize].newer = newer;
        self.frames[frame as usize].older = older;
        match newer {
            NONE => self.front = frame,
            _ => self.frames[newer as usize].older = frame,
        }
        match older {
            NONE => self.tail = frame,
            _ => self.frames[older as usize].newer = frame,
        }
        self.len += 1;
    }

    fn remove(&mut self, frame: u32) {
        let Frame { newer, older, old, .. } = self.frames[frame as usize];
        if self.old_front == frame {
            self.old_front = older;
        }
        self.old_len -= u32::from(old);
        match newer {
            NONE => self.front = older,
            _ => self.frames[newer as usize].older = older,
        }
        match older {
            NONE => self.tail = newer,
            _ => self.frames[older as usize].newer = newer,
        }
        self.len -= 1;
    }

    /// Moves the midpoint where it belongs, within the tolerance.
    #[inline]
    fn settle(&mut self) {
        let wanted: u32 = narrow(u64::from(self.len) * u64::from(self.config.old_1024) / 1024);
        while self.old_len > wanted + TOLERANCE {
            let frame = self.old_front;
            self.frames[frame as usize].old = false;
            self.old_front = self.frames[frame as usize].older;
            self.old_len -= 1;
        }
        while self.old_len + TOLERANCE < wanted {
            let frame = match self.old_front {
                NONE => self.tail,
                first => self.frames[first as usize].newer,
            };
            self.frames[frame as usize].old = true;
            self.old_front = frame;
            self.old_len += 1;
        }
    }

    /// Pages from the front to the tail, each with whether it is old.
    pub fn list(&self) -> Vec<(u32, bool)> {
        let mut list = Vec::with_capacity(self.len as usize);
        let mut frame = self.front;
        while frame != NONE {
            let it = &self.frames[frame as usize];
            list.push((it.page, it.old));
            frame = it.older;
        }
        list
    }

    /// Checks the bookkeeping; O(n).
    ///
    /// # Panics
    /// If a list disagrees with a count.
    pub fn audit(&self) {
        let list = self.list();
        assert_eq!(list.len(), self.len as usize, "pages in the list");
        assert_eq!(list.len() + self.free.len(), self.frames.len(), "frames");
        let first_old = list.iter().position(|(_, old)| *old).unwrap_or(list.len());
        assert!(list[first_old..].iter().all(|(_, old)| *old), "old pages are the last");
        assert_eq!(list.len() - first_old, self.old_len as usize, "old pages");
        for (page, _) in &list {
            let frame = self.table[*page as usize];
            assert_eq!(self.frames[frame as usize].page, *page, "page table");
        }
        let known = self.table.iter().filter(|frame| **frame != NONE).count();
        assert_eq!(known, list.len(), "pages in the table");
        let (mut frame, mut dirty, mut last) = (self.dirty_oldest, 0, 0);
        while frame != NONE {
            let it = &self.frames[frame as usize];
            assert!(matches!(it.state, FrameState::Dirty | FrameState::Writing), "dirty list");
            assert!(it.oldest >= last, "dirty pages in the order of their first change");
            (dirty, last, frame) = (dirty + 1, it.oldest, it.dirtied_after);
        }
        assert_eq!(dirty, self.dirty, "dirty pages");
    }
}
