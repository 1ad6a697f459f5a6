//! The lines of a cache: which are present, which are dirty, and what they hold in tests. Lines are
//! found in a table with linear probing, so that nothing is allocated for a command.

use super::config::DestageOrder;
use crate::kernel::payload::Payload;
use engine::{index, narrow};
use std::collections::{BTreeSet, VecDeque};

/// What a line is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// The place is empty.
    Free,
    /// The same is below.
    Clean,
    /// To be written below.
    Dirty,
    /// In flight to the node below.
    Destaging,
    /// In flight to the node below, and written again since.
    Redirtied,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    line: u64,
    state: State,
    /// Flushes that had come before it became dirty.
    epoch: u32,
    /// The same of the data in flight.
    moving: u32,
    /// Counts changes, so that old entries of lists are known as such.
    stamp: u32,
}

/// All lines of a cache.
pub struct Lines<P> {
    most: u64,
    /// Tags in a line.
    units: usize,
    table: Vec<u32>,
    slots: Vec<Slot>,
    free: Vec<u32>,
    clean: VecDeque<(u32, u32)>,
    /// Dirty lines that are not in flight, in order of place or of age.
    sorted: BTreeSet<u64>,
    oldest: VecDeque<(u32, u32)>,
    order: DestageOrder,
    /// Position of the elevator.
    place: u64,
    unsaved: u64,
    waiting: u64,
    tags: Vec<P>,
}

const EMPTY: u32 = u32::MAX;

impl<P: Payload> Lines<P> {
    /// `most` empty lines of `units` tags.
    pub fn new(most: u64, units: usize, order: DestageOrder) -> Self {
        let places = index((most * 2).next_power_of_two().max(16));
        Lines {
            most,
            units,
            table: vec![EMPTY; places],
            slots: Vec::new(),
            free: Vec::new(),
            clean: VecDeque::new(),
            sorted: BTreeSet::new(),
            oldest: VecDeque::new(),
            order,
            place: 0,
            unsaved: 0,
            waiting: 0,
            tags: Vec::new(),
        }
    }

    /// Lines whose content is not below for certain.
    #[inline]
    pub fn unsaved(&self) -> u64 {
        self.unsaved
    }

    /// Dirty lines that are not in flight.
    #[inline]
    pub fn waiting(&self) -> u64 {
        self.waiting
    }

    fn home(&self, line: u64) -> usize {
        // Fibonacci hashing: the upper bits of a product with 2^64 over the golden ratio.
        let bits = self.table.len().trailing_zeros();
        index(line.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits))
    }

    /// The slot of a line.
    #[inline]
    pub fn find(&self, line: u64) -> Option<u32> {
        let mask = self.table.len() - 1;
        let mut at = self.home(line);
        loop {
            let slot = self.table[at];
            if slot == EMPTY {
                return None;
            }
            if self.slots[slot as usize].line == line {
                return Some(slot);
            }
            at = (at + 1) & mask;
        }
    }

    /// What a line is; free if it is not there.
    #[inline]
    pub fn state(&self, line: u64) -> State {
        self.find(line).map_or(State::Free, |slot| self.slots[slot as usize].state)
    }

    /// Takes a line out of the table and closes the gap.
    fn take_out(&mut self, line: u64) {
        let mask = self.table.len() - 1;
        let mut gap = self.home(line);
        while self.slots[self.table[gap] as usize].line != line {
            gap = (gap + 1) & mask;
        }
        let mut at = gap;
        loop {
            at = (at + 1) & mask;
            let slot = self.table[at];
            if slot == EMPTY {
                break;
            }
            // An entry may move up unless its home is between the gap and itself.
            let home = self.home(self.slots[slot as usize].line);
            if at.wrapping_sub(home) & mask >= at.wrapping_sub(gap) & mask {
                self.table[gap] = slot;
                gap = at;
            }
        }
        self.table[gap] = EMPTY;
    }

    fn put_in(&mut self, line: u64, slot: u32) {
        let mask = self.table.len() - 1;
        let mut at = self.home(line);
        while self.table[at] != EMPTY {
            at = (at + 1) & mask;
        }
        self.table[at] = slot;
    }

    /// An empty slot; the oldest clean line makes room if there is none.
    fn empty(&mut self) -> u32 {
        if let Some(slot) = self.free.pop() {
            return slot;
        }
        if (self.slots.len() as u64) < self.most {
            self.slots.push(Slot { line: 0, state: State::Free, epoch: 0, moving: 0, stamp: 0 });
            if P::CARRIED {
                self.tags.resize(self.slots.len() * self.units, P::default());
            }
            return narrow(self.slots.len() - 1);
        }
        while let Some((slot, stamp)) = self.clean.pop_front() {
            let old = self.slots[slot as usize];
            if old.stamp == stamp && old.state == State::Clean {
                self.take_out(old.line);
                self.slots[slot as usize].state = State::Free;
                return slot;
            }
        }
        unreachable!("the limit on dirty lines leaves room")
    }

    /// Makes a line dirty; it comes into the cache if it is not there. Returns its slot, and true
    /// if it was not waiting to be written, so that it counts for `epoch`.
    pub fn dirty(&mut self, line: u64, epoch: u32) -> (u32, bool) {
        let slot = self.find(line).unwrap_or_else(|| self.insert(line));
        let entry = &mut self.slots[slot as usize];
        let counts = match entry.state {
            State::Dirty | State::Redirtied => return (slot, false),
            State::Destaging => {
                entry.state = State::Redirtied;
                false
            }
            State::Free | State::Clean => {
                entry.state = State::Dirty;
                true
            }
        };
        entry.epoch = epoch;
        entry.stamp += 1;
        if counts {
            self.unsaved += 1;
            self.wait(slot);
        }
        (slot, true)
    }

    fn insert(&mut self, line: u64) -> u32 {
        let slot = self.empty();
        let entry = &mut self.slots[slot as usize];
        entry.line = line;
        entry.stamp += 1;
        self.put_in(line, slot);
        slot
    }

    /// A line that was read from below enters the cache, unless it is present.
    pub fn fill(&mut self, line: u64) -> Option<u32> {
        if self.find(line).is_some() {
            return None;
        }
        let slot = self.insert(line);
        self.cleaned(slot);
        Some(slot)
    }

    fn cleaned(&mut self, slot: u32) {
        let entry = &mut self.slots[slot as usize];
        entry.state = State::Clean;
        entry.stamp += 1;
        self.clean.push_back((slot, entry.stamp));
        // Entries of lines that became dirty again are left behind; now and then they are cleared.
        if self.clean.len() > 2 * self.slots.len() + 64 {
            let slots = &self.slots;
            self.clean.retain(|&(slot, stamp)| slots[slot as usize].stamp == stamp);
        }
    }

    fn wait(&mut self, slot: u32) {
        let entry = self.slots[slot as usize];
        self.waiting += 1;
        match self.order {
            DestageOrder::Sorted => {
                self.sorted.insert(entry.line);
            }
            DestageOrder::Oldest => self.oldest.push_back((slot, entry.stamp)),
        }
    }

    /// The next run of dirty lines to be written, of at most `most` lines: first line and number.
    /// They are in flight from now on.
    pub fn next_run(&mut self, most: u64) -> Option<(u64, u64)> {
        let first = match self.order {
            DestageOrder::Sorted => {
                let next = self.sorted.range(self.place..).next();
                *next.or_else(|| self.sorted.first())?
            }
            DestageOrder::Oldest => loop {
                let (slot, stamp) = self.oldest.pop_front()?;
                let entry = self.slots[slot as usize];
                if entry.state == State::Dirty && entry.stamp == stamp {
                    break entry.line;
                }
            },
        };
        let mut count = 0;
        while count < most {
            let line = first + count;
            match self.find(line) {
                Some(slot) if self.slots[slot as usize].state == State::Dirty => {
                    let entry = &mut self.slots[slot as usize];
                    entry.state = State::Destaging;
                    entry.moving = entry.epoch;
                    self.waiting -= 1;
                    if self.order == DestageOrder::Sorted {
                        self.sorted.remove(&line);
                    }
                    count += 1;
                }
                _ => break,
            }
        }
        self.place = first + count;
        Some((first, count))
    }

    /// A line has been written below; `epoch_of` gets the epoch in which it was counted.
    pub fn saved(&mut self, line: u64, mut epoch_of: impl FnMut(u32)) {
        let Some(slot) = self.find(line) else { return };
        let entry = self.slots[slot as usize];
        epoch_of(entry.moving);
        match entry.state {
            State::Redirtied => {
                self.slots[slot as usize].state = State::Dirty;
                self.wait(slot);
            }
            _ => {
                self.unsaved -= 1;
                self.cleaned(slot);
            }
        }
    }

    /// Drops a line that is not in flight. Returns its epoch if it was dirty.
    pub fn forget(&mut self, line: u64) -> Option<u32> {
        let slot = self.find(line)?;
        let entry = self.slots[slot as usize];
        let dirty = entry.state == State::Dirty;
        if dirty {
            self.unsaved -= 1;
            self.waiting -= 1;
            self.sorted.remove(&line);
        }
        self.take_out(line);
        let entry = &mut self.slots[slot as usize];
        entry.state = State::Free;
        entry.stamp += 1;
        self.free.push(slot);
        dirty.then_some(entry.epoch)
    }

    /// All lines that are present within a range, in the order of their slots.
    pub fn within(&self, first: u64, end: u64) -> Vec<u64> {
        if end - first < self.slots.len() as u64 {
            return (first..end).filter(|&line| self.find(line).is_some()).collect();
        }
        let there = self.slots.iter().filter(|slot| slot.state != State::Free);
        there.map(|slot| slot.line).filter(|line| (first..end).contains(line)).collect()
    }

    /// Data that was in flight is dirty again, since it is unknown whether it arrived.
    pub fn call_back(&mut self) {
        for slot in 0..narrow(self.slots.len()) {
            let entry = &mut self.slots[slot as usize];
            entry.epoch = 0;
            if matches!(entry.state, State::Destaging | State::Redirtied) {
                entry.state = State::Dirty;
                entry.stamp += 1;
                self.wait(slot);
            }
        }
    }

    /// Tag of a unit of a slot.
    #[inline]
    pub fn tag(&self, slot: u32, unit: usize) -> P {
        self.tags.get(slot as usize * self.units + unit).copied().unwrap_or_default()
    }

    /// Sets the tag of a unit of a slot.
    #[inline]
    pub fn set_tag(&mut self, slot: u32, unit: usize, tag: P) {
        if P::CARRIED {
            self.tags[slot as usize * self.units + unit] = tag;
        }
    }

    /// Panics unless table, slots and counts agree; O(n).
    pub fn audit(&self) {
        let count = |holds: fn(State) -> bool| {
            self.slots.iter().filter(|slot| holds(slot.state)).count() as u64
        };
        assert_eq!(self.waiting, count(|s| s == State::Dirty));
        assert_eq!(self.unsaved, count(|s| !matches!(s, State::Free | State::Clean)));
        if self.order == DestageOrder::Sorted {
            assert_eq!(self.sorted.len() as u64, self.waiting);
        }
        for (i, slot) in self.slots.iter().enumerate().filter(|(_, s)| s.state != State::Free) {
            assert_eq!(self.find(slot.line), Some(narrow(i)), "a line that cannot be found");
        }
    }
}
