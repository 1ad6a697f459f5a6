//! The event queue: one for each simulation, with a total order (time, priority, sequence).
//!
//! It is a calendar. Events of the next two milliseconds wait in buckets of equal width, in no
//! order; a bucket is sorted when its time comes, so that an event costs the same however many
//! wait. What is further away waits in a four-ary heap until its bucket's time comes.

use crate::narrow::index;
use crate::time::Instant;

/// Order among events at the same instant; lower goes first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Priority {
    /// Completions, before anything that could use what they free.
    Completion = 0,
    /// Everything else.
    Normal = 1,
    /// Timers that look at the state after all else has happened.
    Timer = 2,
}

/// What happens when an event's time has come: which node, what kind, and one argument whose
/// meaning belongs to the kind (an index, or an index with a generation that makes it stale).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    /// The node that gets the event.
    pub node: u16,
    /// The node's own code for what happened.
    pub kind: u16,
    /// An index into the node's state, often with a generation in its upper bits.
    pub argument: u32,
}

#[derive(Clone, Copy)]
struct Entry {
    time: u64,
    /// Priority in the top byte, sequence number below.
    order: u64,
    event: Event,
}

impl Entry {
    /// Time and order as one number, which compares without a branch.
    #[inline]
    fn key(&self) -> u128 {
        u128::from(self.time) << 64 | u128::from(self.order)
    }

    #[inline]
    fn before(&self, other: &Entry) -> bool {
        self.key() < other.key()
    }

    /// The number of the bucket that its time belongs to.
    #[inline]
    fn bucket(&self) -> u64 {
        bucket_of(self.time)
    }
}

/// What [`EventQueue::pop_until`] finds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// An event and its time.
    Event(Instant, Event),
    /// The next event is beyond the given time.
    Later,
    /// Nothing waits.
    Nothing,
}

/// A bucket is 2^20 ps wide, 1.05 us. Transfers over a flash channel take a few of these: a busy
/// drive has a handful of events in a bucket.
const WIDTH_BITS: u32 = 20;
/// Buckets of the calendar, 2.1 ms: reads and most programs are nearer.
const BUCKETS: usize = 1 << 11;
const WORDS: usize = BUCKETS / 64;
/// Events that are sorted by insertion: they are nearly in order, as they were pushed.
const FEW: usize = 8;
/// The end of a list of slots.
const NONE: u32 = u32::MAX;

/// An event in a bucket, and the slot of another one.
#[derive(Clone, Copy)]
struct Slot {
    entry: Entry,
    next: u32,
}

/// A queue of events in the total order (time, priority, sequence).
pub struct EventQueue {
    /// What is left of the bucket at hand, the next event at the end.
    at_hand: Vec<Entry>,
    /// The number of that bucket. Those of the calendar are the ones after it.
    bucket: u64,
    /// The first slot of each bucket of the calendar; bucket `n` is at `n % BUCKETS`.
    first: Box<[u32; BUCKETS]>,
    /// A bit for each bucket that holds something.
    filled: [u64; WORDS],
    slots: Vec<Slot>,
    /// The first free slot.
    free: u32,
    /// Events beyond the calendar when they were pushed: a heap.
    far: Vec<Entry>,
    sequence: u64,
    now: u64,
    popped: u64,
}

impl Default for EventQueue {
    fn default() -> Self {
        Self {
            at_hand: Vec::new(),
            bucket: 0,
            first: Box::new([NONE; BUCKETS]),
            filled: [0; WORDS],
            slots: Vec::new(),
            free: NONE,
            far: Vec::new(),
            sequence: 0,
            now: 0,
            popped: 0,
        }
    }
}

impl EventQueue {
    /// An empty queue at time zero.
    pub fn new() -> Self {
        Self::default()
    }

    /// The time of the last event taken out.
    #[inline]
    pub fn now(&self) -> Instant {
        Instant::from_ps(self.now)
    }

    /// How many events have been taken out since the start; the deterministic measure of work.
    #[inline]
    pub fn events_done(&self) -> u64 {
        self.popped
    }

    /// True if nothing waits.
    pub fn is_empty(&self) -> bool {
        self.sequence == self.popped
    }

    /// Schedules an event at any time from now on.
    ///
    /// # Panics
    /// If `time` is before the present.
    #[inline]
    pub fn push(&mut self, time: Instant, priority: Priority, event: Event) {
        assert!(time.ps() >= self.now, "an event cannot happen before the present");
        let order = (priority as u64) << 56 | self.sequence;
        self.sequence += 1;
        let time = time.ps();
        let bucket = bucket_of(time);
        // The bucket at hand and earlier ones wrap around: one comparison tells all that is apart.
        let apart = bucket.wrapping_sub(self.bucket + 1) >= BUCKETS as u64 - 1;
        if apart || self.free == NONE {
            // A call at the end needs no registers saved on the way that most events go.
            return self.push_apart(time, order, event);
        }
        self.push_near(time, order, event);
    }

    /// An event in the bucket at hand, one beyond the calendar, or the first that needs a slot.
    #[inline(never)]
    fn push_apart(&mut self, time: u64, order: u64, event: Event) {
        let bucket = bucket_of(time);
        if bucket <= self.bucket {
            self.push_at_hand(Entry { time, order, event });
        } else if bucket - self.bucket < BUCKETS as u64 {
            self.grow();
            self.push_near(time, order, event);
        } else {
            self.push_far(Entry { time, order, event });
        }
    }

    /// Keeps the order of the bucket at hand.
    fn push_at_hand(&mut self, entry: Entry) {
        let at = self.at_hand.iter().rposition(|other| entry.before(other)).map_or(0, |at| at + 1);
        self.at_hand.insert(at, entry);
    }

    /// An event in a bucket of the calendar, for which there is a free slot.
    #[inline]
    fn push_near(&mut self, time: u64, order: u64, event: Event) {
        let place = place(bucket_of(time));
        let taken = self.free;
        let slot = &mut self.slots[taken as usize];
        self.free = slot.next;
        slot.next = std::mem::replace(&mut self.first[place], taken);
        self.filled[place / 64] |= 1 << (place % 64);
        // It is written where it stays: a copy would wait for its parts.
        slot.entry = Entry { time, order, event };
    }

    /// A free slot more. Apart, since it happens once for each of the most events that wait.
    #[cold]
    fn grow(&mut self) {
        self.free = u32::try_from(self.slots.len()).expect("fewer events than memory");
        let event = Event { node: 0, kind: 0, argument: 0 };
        self.slots.push(Slot { entry: Entry { time: 0, order: 0, event }, next: NONE });
    }

    fn push_far(&mut self, entry: Entry) {
        let mut i = self.far.len();
        self.far.push(entry);
        while i > 0 {
            let parent = (i - 1) / 4;
            if !entry.before(&self.far[parent]) {
                break;
            }
            self.far[i] = self.far[parent];
            i = parent;
        }
        self.far[i] = entry;
    }

    /// The time of the next event, or `None` if nothing waits.
    pub fn peek(&self) -> Option<Instant> {
        let near = self.next_filled().map(place);
        let in_bucket = near.into_iter().flat_map(|place| self.bucket_slots(place));
        let ends = [self.at_hand.last(), self.far.first()].into_iter().flatten();
        let times = ends.map(|entry| entry.time).chain(in_bucket.map(|slot| slot.entry.time));
        times.min().map(Instant::from_ps)
    }

    fn bucket_slots(&self, place: usize) -> impl Iterator<Item = &Slot> {
        let slot = |number: u32| self.slots.get(number as usize);
        std::iter::successors(slot(self.first[place]), move |before| slot(before.next))
    }

    /// Takes out the next event and moves the present to its time.
    #[inline]
    pub fn pop(&mut self) -> Option<(Instant, Event)> {
        match self.pop_until(Instant::NEVER) {
            Next::Event(time, event) => Some((time, event)),
            Next::Nothing | Next::Later => None,
        }
    }

    /// Takes out the next event if it is not later than `until`.
    #[inline]
    pub fn pop_until(&mut self, until: Instant) -> Next {
        if self.at_hand.is_empty() {
            self.turn();
        }
        let Some(&entry) = self.at_hand.last() else { return Next::Nothing };
        if entry.time > until.ps() {
            return Next::Later;
        }
        self.at_hand.pop();
        self.now = entry.time;
        self.popped += 1;
        Next::Event(Instant::from_ps(entry.time), entry.event)
    }

    /// Turns to the bucket of the next event. What is nearest in the heap belongs to a later one
    /// afterwards, so that the next event is the last one at hand.
    fn turn(&mut self) {
        let near = self.next_filled();
        let far = self.far.first().map(Entry::bucket);
        let Some(bucket) = near.into_iter().chain(far).min() else { return };
        self.bucket = bucket;
        if near == Some(bucket) {
            self.take_near(place(bucket));
        }
        while self.far.first().is_some_and(|first| first.bucket() == bucket) {
            self.at_hand.push(self.far[0]);
            self.pop_far();
        }
        sort_descending(&mut self.at_hand);
    }

    /// Takes all out of a bucket of the calendar.
    #[inline]
    fn take_near(&mut self, place: usize) {
        let mut slot = std::mem::replace(&mut self.first[place], NONE);
        self.filled[place / 64] &= !(1 << (place % 64));
        while slot != NONE {
            let taken = &mut self.slots[slot as usize];
            self.at_hand.extend_from_slice(std::slice::from_ref(&taken.entry));
            let next = std::mem::replace(&mut taken.next, self.free);
            self.free = slot;
            slot = next;
        }
    }

    /// The first bucket of the calendar that holds something.
    #[inline]
    fn next_filled(&self) -> Option<u64> {
        let start = self.bucket + 1;
        let (word, bit) = (place(start) / 64, place(start) % 64);
        let rest = self.filled[word] >> bit;
        if rest != 0 {
            return Some(start + u64::from(rest.trailing_zeros()));
        }
        // The last word looked at is the first one again, for its bits before the start.
        let ahead = (1..=WORDS).find(|ahead| self.filled[(word + ahead) % WORDS] != 0)?;
        let found = self.filled[(word + ahead) % WORDS].trailing_zeros();
        Some(start - bit as u64 + 64 * ahead as u64 + u64::from(found))
    }

    fn pop_far(&mut self) {
        let Some(last) = self.far.pop() else { return };
        let n = self.far.len();
        if n == 0 {
            return;
        }
        let mut i = 0;
        loop {
            let first = 4 * i + 1;
            if first >= n {
                break;
            }
            let mut child = first;
            for c in first + 1..(first + 4).min(n) {
                if self.far[c].before(&self.far[child]) {
                    child = c;
                }
            }
            if !self.far[child].before(&last) {
                break;
            }
            self.far[i] = self.far[child];
            i = child;
        }
        self.far[i] = last;
    }
}

/// Sorts a bucket, the next event to the end. A bucket mostly holds a few.
#[inline]
fn sort_descending(entries: &mut [Entry]) {
    if entries.len() > FEW {
        entries.sort_unstable_by_key(|entry| std::cmp::Reverse(entry.key()));
        return;
    }
    for sorted in 1..entries.len() {
        let entry = entries[sorted];
        let mut at = sorted;
        while at > 0 && entries[at - 1].before(&entry) {
            entries[at] = entries[at - 1];
            at -= 1;
        }
        entries[at] = entry;
    }
}

/// The number of the bucket that a time belongs to.
#[inline]
fn bucket_of(time: u64) -> u64 {
    time >> WIDTH_BITS
}

/// Where a bucket is in the calendar.
#[inline]
fn place(bucket: u64) -> usize {
    index(bucket % BUCKETS as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn event(argument: u32) -> Event {
        Event { node: 0, kind: 0, argument }
    }

    fn order(queue: &mut EventQueue) -> Vec<u32> {
        std::iter::from_fn(|| queue.pop()).map(|(_, event)| event.argument).collect()
    }

    #[test]
    fn ties_go_by_priority_and_then_by_order_of_arrival() {
        for time in [5, 3 << WIDTH_BITS, (2 * BUCKETS as u64) << WIDTH_BITS] {
            let (mut q, t) = (EventQueue::new(), Instant::from_ps(time));
            q.push(t, Priority::Timer, event(3));
            q.push(t, Priority::Normal, event(1));
            q.push(t, Priority::Normal, event(2));
            q.push(t, Priority::Completion, event(0));
            assert_eq!(order(&mut q), [0, 1, 2, 3]);
        }
    }

    #[test]
    fn what_is_later_waits() {
        let (mut q, us) = (EventQueue::new(), |us: u64| Instant::from_ps(us * 1_000_000));
        q.push(us(60), Priority::Normal, event(7));
        assert_eq!(q.peek(), Some(us(60)));
        assert_eq!(q.pop_until(us(59)), Next::Later);
        // The queue has turned to a later bucket, and the present is still before it.
        q.push(us(1), Priority::Normal, event(1));
        assert_eq!((q.peek(), q.now()), (Some(us(1)), Instant::ZERO));
        assert_eq!(q.pop_until(us(1)), Next::Event(us(1), event(1)));
        assert_eq!(q.pop_until(us(60)), Next::Event(us(60), event(7)));
        assert_eq!(q.pop_until(us(60)), Next::Nothing);
        assert!(q.is_empty() && q.peek().is_none());
    }

    #[test]
    #[should_panic(expected = "before the present")]
    fn the_past_is_closed() {
        let mut q = EventQueue::new();
        q.push(Instant::from_ps(9), Priority::Normal, event(0));
        q.pop();
        q.push(Instant::from_ps(8), Priority::Normal, event(1));
    }

    /// Delays of all ranges: within a bucket, within the calendar, at its end, beyond it.
    fn delay() -> impl Strategy<Value = u64> {
        let bucket = 1_u64 << WIDTH_BITS;
        let round = BUCKETS as u64 * bucket;
        prop_oneof![
            0..3_u64,
            0..bucket,
            0..8 * bucket,
            0..round,
            round - 2 * bucket..round + 2 * bucket,
            0..20 * round,
        ]
    }

    proptest! {
        /// Pushes and pops in any order give what a sorted list gives.
        #[test]
        fn the_queue_is_a_sorted_list(
            steps in prop::collection::vec((delay(), 0..3_u8, 0..4_usize, any::<bool>()), 1..400)
        ) {
            let (mut q, mut list) = (EventQueue::new(), Vec::new());
            for (i, (delay, priority, pops, looks)) in steps.into_iter().enumerate() {
                let priority = match priority {
                    0 => Priority::Completion,
                    1 => Priority::Normal,
                    _ => Priority::Timer,
                };
                let time = q.now().ps() + delay;
                q.push(Instant::from_ps(time), priority, event(i as u32));
                list.push((time, priority as u8, i as u32));
                list.sort_unstable();
                if looks {
                    prop_assert_eq!(q.peek().map(Instant::ps), list.first().map(|first| first.0));
                    let before = Instant::from_ps(list[0].0.saturating_sub(1));
                    if before.ps() < list[0].0 && before >= q.now() {
                        prop_assert_eq!(q.pop_until(before), Next::Later);
                    }
                }
                for _ in 0..pops.min(list.len()) {
                    let (time, _, argument) = list.remove(0);
                    prop_assert_eq!(q.pop(), Some((Instant::from_ps(time), event(argument))));
                }
            }
            let left: Vec<u32> = list.into_iter().map(|(_, _, argument)| argument).collect();
            prop_assert_eq!(order(&mut q), left);
        }
    }
}
