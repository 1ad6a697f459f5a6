//! The state of one die: what its planes sense, what its array programs or erases.

use engine::{Duration, Instant};
use std::collections::VecDeque;

/// The two long operations of the array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ArrayKind {
    Program,
    Erase,
}

/// What the array does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Array {
    Idle,
    /// Works until the given time, unless it is suspended.
    Running {
        kind: ArrayKind,
        since: Instant,
        until: Instant,
    },
    /// Has been asked to suspend and works on until its next safe point.
    Suspending {
        kind: ArrayKind,
        remaining: Duration,
    },
    /// Stands still so that planes can sense.
    Suspended {
        kind: ArrayKind,
        remaining: Duration,
    },
    /// Waits until the power budget allows it.
    AwaitingEnergy,
    /// May begin as soon as the planes are free.
    Granted,
}

/// One die.
pub(super) struct Die {
    pub(super) channel: u32,
    /// Planes that sense or hold data for the channel, one bit each.
    pub(super) busy_planes: u8,
    /// Planes for which reads of the host wait, and those for which copies do.
    pub(super) host_waiting: u8,
    pub(super) copies_waiting: u8,
    pub(super) array: Array,
    /// Makes pending array events stale.
    pub(super) generation: u16,
    pub(super) suspends: u32,
    pub(super) may_suspend: bool,
    /// Since when an array operation could begin or resume but for reads.
    pub(super) wants_array_since: Option<Instant>,
    /// Word lines that wait for this die, in order.
    pub(super) lines: VecDeque<u32>,
    /// The word line being programmed.
    pub(super) current: u32,
    /// Bytes of the next word line still to come over the channel.
    pub(super) loading: u64,
    /// The next word line's data is in the page registers.
    pub(super) loaded: bool,
    /// Waits for the limit on programs.
    pub(super) held: bool,
    /// Bytes opened since the last erase that was charged.
    pub(super) erase_debt: u64,
}

impl Die {
    pub(super) fn new(channel: u32, erase_debt: u64) -> Self {
        Die {
            channel,
            busy_planes: 0,
            host_waiting: 0,
            copies_waiting: 0,
            array: Array::Idle,
            generation: 0,
            suspends: 0,
            may_suspend: true,
            wants_array_since: None,
            lines: VecDeque::new(),
            current: 0,
            loading: 0,
            loaded: false,
            held: false,
            erase_debt,
        }
    }

    /// Free planes for which reads wait that may begin now, one bit each. Copies are not worth a
    /// suspended program's time.
    #[inline]
    pub(super) fn senses_now(&self) -> u8 {
        let suspended = matches!(self.array, Array::Suspended { .. });
        let copies = if suspended { 0 } else { self.copies_waiting };
        (self.host_waiting | copies) & !self.busy_planes
    }

    /// True if reads wait for one of its planes.
    #[inline]
    fn reads_wait(&self) -> bool {
        self.host_waiting | self.copies_waiting != 0
    }

    /// True if the array is idle and nothing waits for the die: neither a read nor a word line.
    #[inline]
    pub(super) fn has_nothing_to_do(&self) -> bool {
        !self.reads_wait() && matches!(self.array, Array::Idle) && self.lines.is_empty()
    }
}
