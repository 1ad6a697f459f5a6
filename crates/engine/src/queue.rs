//! The event queue: one for each simulation, with a total order (time, priority, sequence).
//!
//! Two entry points. [`EventQueue::push`] takes events in any order and keeps them in a four-ary
//! heap. [`EventQueue::push_lane`] takes events of a source whose times never decrease (a constant
//! delay after the present, or the end of a first-come-first-served service) and keeps them in a
//! ring, which costs a few nanoseconds and no sifting. Both share one sequence counter, so the
//! order does not depend on the entry point.

use crate::time::{Duration, Instant};
use std::collections::VecDeque;

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

/// Names a lane; get one from [`EventQueue::new_lane`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lane(u16);

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
    #[inline]
    fn key(&self) -> Key {
        Key::from(self.time) << 64 | Key::from(self.order)
    }

    #[inline]
    fn before(&self, other: &Entry) -> bool {
        self.key() < other.key()
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

/// Time and order of an entry as one number, which compares without a branch.
type Key = u128;

const EMPTY: Key = Key::MAX;

/// Lanes whose first entries are compared together. A machine of many drives has more than a
/// hundred lanes, and looking at all of them for each event would cost more than the event.
const GROUP: usize = 16;

/// A queue of events in the total order (time, priority, sequence).
#[derive(Default)]
pub struct EventQueue {
    heap: Vec<Entry>,
    lanes: Vec<VecDeque<Entry>>,
    /// Time and order of each lane's first entry, kept apart so that the scan stays in one line.
    heads: Vec<Key>,
    /// The least of the heads of each group of lanes, and which lane has it.
    groups: Vec<Key>,
    leaders: Vec<usize>,
    /// Lanes that sources of one kind and delay share.
    shared: Vec<(&'static str, Duration, Lane)>,
    sequence: u64,
    now: u64,
    popped: u64,
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
    pub fn events_done(&self) -> u64 {
        self.popped
    }

    /// How many events wait.
    pub fn len(&self) -> usize {
        self.heap.len() + self.lanes.iter().map(VecDeque::len).sum::<usize>()
    }

    /// True if nothing waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A new lane for events whose times never decrease.
    ///
    /// # Panics
    /// Beyond 65,536 lanes; lanes are made while a machine is built, a few for each drive.
    pub fn new_lane(&mut self) -> Lane {
        let lane = u16::try_from(self.lanes.len()).expect("too many lanes");
        self.lanes.push(VecDeque::with_capacity(64));
        self.heads.push(EMPTY);
        if self.heads.len().div_ceil(GROUP) > self.groups.len() {
            self.groups.push(EMPTY);
            self.leaders.push(lane.into());
        }
        Lane(lane)
    }

    /// The lane of all sources of a kind whose events come this long after the present. Events that
    /// always do are in order, whichever node pushes them. A kind with exceptions uses
    /// [`EventQueue::push_either`] throughout.
    pub fn shared_lane(&mut self, kind: &'static str, delay: Duration) -> Lane {
        let known = self.shared.iter().find(|(other, time, _)| *other == kind && *time == delay);
        if let Some((_, _, lane)) = known {
            return *lane;
        }
        let lane = self.new_lane();
        self.shared.push((kind, delay, lane));
        lane
    }

    /// Finds the least head of a group again.
    #[inline]
    fn regroup(&mut self, group: usize) {
        let first = group * GROUP;
        let end = (first + GROUP).min(self.heads.len());
        let (mut best, mut leader) = (EMPTY, first);
        for (i, &head) in self.heads[first..end].iter().enumerate() {
            if head < best {
                best = head;
                leader = first + i;
            }
        }
        self.groups[group] = best;
        self.leaders[group] = leader;
    }

    /// How many lanes there are.
    pub fn lanes(&self) -> usize {
        self.lanes.len()
    }

    /// Gives back the lanes made since there were `count`, unless something waits in one. Who made
    /// them must not push to them again. A machine that runs one workload after the other would
    /// run out of lanes otherwise, and look at more of them for each event.
    pub fn give_back_lanes(&mut self, count: usize) {
        if self.lanes.iter().skip(count).all(VecDeque::is_empty) {
            self.lanes.truncate(count);
            self.shared.retain(|(_, _, lane)| (lane.0 as usize) < count);
            self.heads.truncate(count);
            self.groups.truncate(count.div_ceil(GROUP));
            self.leaders.truncate(count.div_ceil(GROUP));
            if let Some(last) = self.groups.len().checked_sub(1) {
                self.regroup(last);
            }
        }
    }

    #[inline]
    fn entry(&mut self, time: Instant, priority: Priority, event: Event) -> Entry {
        assert!(time.ps() >= self.now, "an event cannot happen before the present");
        let order = (priority as u64) << 56 | self.sequence;
        self.sequence += 1;
        Entry { time: time.ps(), order, event }
    }

    /// Schedules an event at any time from now on.
    #[inline]
    pub fn push(&mut self, time: Instant, priority: Priority, event: Event) {
        let entry = self.entry(time, priority, event);
        let mut i = self.heap.len();
        self.heap.push(entry);
        while i > 0 {
            let parent = (i - 1) / 4;
            if !entry.before(&self.heap[parent]) {
                break;
            }
            self.heap[i] = self.heap[parent];
            i = parent;
        }
        self.heap[i] = entry;
    }

    /// Schedules an event not earlier than the last one of the same lane. The priority of all
    /// events of a lane is [`Priority::Normal`].
    ///
    /// # Panics
    /// If `time` is earlier than that of the last event in the lane.
    #[inline]
    pub fn push_lane(&mut self, lane: Lane, time: Instant, event: Event) {
        let entry = self.entry(time, Priority::Normal, event);
        let ring = &mut self.lanes[lane.0 as usize];
        match ring.back() {
            Some(last) => assert!(last.time <= entry.time, "a lane's times must not decrease"),
            None => {
                let head = entry.key();
                self.heads[lane.0 as usize] = head;
                let group = lane.0 as usize / GROUP;
                if head < self.groups[group] {
                    self.groups[group] = head;
                    self.leaders[group] = lane.0.into();
                }
            }
        }
        ring.push_back(entry);
    }

    /// Schedules on the lane if that keeps the lane's times in order, else in the heap.
    #[inline]
    pub fn push_either(&mut self, lane: Lane, time: Instant, event: Event) {
        match self.lanes[lane.0 as usize].back() {
            Some(last) if last.time > time.ps() => self.push(time, Priority::Normal, event),
            _ => self.push_lane(lane, time, event),
        }
    }

    /// The time of the next event, or `None` if nothing waits.
    #[inline]
    pub fn peek(&self) -> Option<Instant> {
        let mut best = self.heap.first().map_or(EMPTY, Entry::key);
        for &head in &self.groups {
            best = best.min(head);
        }
        (best != EMPTY).then(|| Instant::from_ps((best >> 64) as u64))
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
    #[expect(clippy::missing_panics_doc, reason = "the head of a lane is its first entry")]
    #[inline]
    pub fn pop_until(&mut self, until: Instant) -> Next {
        let mut best = self.heap.first().map_or(EMPTY, Entry::key);
        let mut from = usize::MAX;
        for (i, &head) in self.groups.iter().enumerate() {
            if head < best {
                best = head;
                from = i;
            }
        }
        if best == EMPTY {
            return Next::Nothing;
        }
        if (best >> 64) as u64 > until.ps() {
            return Next::Later;
        }
        let entry = if from == usize::MAX {
            self.pop_heap()
        } else {
            let leader = self.leaders[from];
            let ring = &mut self.lanes[leader];
            let entry = ring.pop_front().expect("a lane with a head has an entry");
            self.heads[leader] = ring.front().map_or(EMPTY, Entry::key);
            self.regroup(from);
            entry
        };
        self.now = entry.time;
        self.popped += 1;
        Next::Event(Instant::from_ps(entry.time), entry.event)
    }

    #[inline]
    fn pop_heap(&mut self) -> Entry {
        let top = self.heap[0];
        let last = self.heap.pop().expect("the heap has a top");
        let n = self.heap.len();
        if n == 0 {
            return top;
        }
        let mut i = 0;
        loop {
            let first = 4 * i + 1;
            if first >= n {
                break;
            }
            let mut child = first;
            for c in first + 1..(first + 4).min(n) {
                if self.heap[c].before(&self.heap[child]) {
                    child = c;
                }
            }
            if !self.heap[child].before(&last) {
                break;
            }
            self.heap[i] = self.heap[child];
            i = child;
        }
        self.heap[i] = last;
        top
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_of_equal_delay_share_a_lane_until_it_is_given_back() {
        let mut queue = EventQueue::new();
        let us = Duration::from_us;
        let first = queue.shared_lane("test", us(50));
        assert_eq!(queue.shared_lane("test", us(50)), first);
        let count = queue.lanes();
        assert_ne!(queue.shared_lane("test", us(60)), first);
        queue.give_back_lanes(count);
        assert_eq!(queue.lanes(), count);
        let again = queue.shared_lane("test", us(60));
        let event = Event { node: 0, kind: 0, argument: 7 };
        queue.push_lane(again, Instant::ZERO + us(60), event);
        let at = Instant::ZERO + us(60);
        assert_eq!(queue.pop_until(Instant::ZERO + us(59)), Next::Later);
        assert_eq!(queue.pop_until(at), Next::Event(at, event));
        assert_eq!(queue.pop_until(at), Next::Nothing);
    }

    fn event(argument: u32) -> Event {
        Event { node: 0, kind: 0, argument }
    }

    #[test]
    fn ties_go_by_priority_and_then_by_order_of_arrival() {
        let mut q = EventQueue::new();
        let lane = q.new_lane();
        let t = Instant::from_ps(5);
        q.push(t, Priority::Timer, event(3));
        q.push(t, Priority::Normal, event(1));
        q.push_lane(lane, t, event(2));
        q.push(t, Priority::Completion, event(0));
        let order: Vec<u32> = std::iter::from_fn(|| q.pop()).map(|(_, e)| e.argument).collect();
        assert_eq!(order, [0, 1, 2, 3]);
    }

    #[test]
    fn empty_lanes_are_given_back_and_full_ones_are_kept() {
        let mut q = EventQueue::new();
        q.new_lane();
        for _ in 0..1000 {
            let lane = q.new_lane();
            q.push_lane(lane, q.now(), event(0));
            q.give_back_lanes(1);
            assert_eq!(q.lanes(), 2, "something waits in it");
            q.pop();
            q.give_back_lanes(1);
            assert_eq!(q.lanes(), 1);
        }
    }

    #[test]
    #[should_panic(expected = "before the present")]
    fn the_past_is_closed() {
        let mut q = EventQueue::new();
        q.push(Instant::from_ps(9), Priority::Normal, event(0));
        q.pop();
        q.push(Instant::from_ps(8), Priority::Normal, event(1));
    }

    #[test]
    #[should_panic(expected = "must not decrease")]
    fn a_lane_refuses_to_be_overtaken() {
        let mut q = EventQueue::new();
        let lane = q.new_lane();
        q.push_lane(lane, Instant::from_ps(9), event(0));
        q.push_lane(lane, Instant::from_ps(8), event(1));
    }

    proptest::proptest! {
        #[test]
        fn the_queue_sorts_like_a_stable_sort(
            times in proptest::collection::vec(0u64..50, 1..300)
        ) {
            let mut q = EventQueue::new();
            // More lanes than are compared together.
            let lanes: Vec<Lane> = (0..2 * GROUP + 3).map(|_| q.new_lane()).collect();
            let mut latest = vec![0; lanes.len()];
            for (i, &t) in times.iter().enumerate() {
                // Most events that may do so take a lane: the order must not care.
                let lane = i * 7 % lanes.len();
                if i % 3 != 0 && t >= latest[lane] {
                    latest[lane] = t;
                    q.push_lane(lanes[lane], Instant::from_ps(t), event(i as u32));
                } else {
                    q.push(Instant::from_ps(t), Priority::Normal, event(i as u32));
                }
            }
            let mut expected: Vec<(u64, u32)> =
                times.iter().enumerate().map(|(i, &t)| (t, i as u32)).collect();
            expected.sort();
            let got: Vec<(u64, u32)> =
                std::iter::from_fn(|| q.pop()).map(|(t, e)| (t.ps(), e.argument)).collect();
            proptest::prop_assert_eq!(got, expected);
        }
    }
}
