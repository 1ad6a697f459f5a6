//! A recorded stream of I/Os in place of a pattern: what arrives, and when it may be issued.

use super::next::{Drawn, Next};
use crate::kernel::command::Op;
use engine::{Duration, Instant};
use std::fmt::Debug;
use std::sync::Arc;

/// One recorded I/O, at its place on the target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// When it arrives, since the start of the recording; never less than that of the one before.
    pub at: Duration,
    /// Time between the end of the one before and this one, as far as it is known.
    pub think: Duration,
    /// What it is.
    pub op: Op,
    /// First byte on the target.
    pub start: u64,
    /// Bytes; 0 for a flush.
    pub len: u32,
}

/// A recording, which can be played any number of times.
pub trait Recording: Debug + Send + Sync {
    /// Plays it from its start.
    fn play(&self) -> Box<dyn Iterator<Item = Arrival> + Send>;

    /// What went wrong while it was played, if anything did.
    fn complaint(&self) -> Option<String> {
        None
    }
}

/// When recorded I/Os are issued.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pace {
    /// When they arrived, whatever became of those before (an open loop).
    Recorded,
    /// As soon as the depth allows.
    Fastest,
    /// One after the other, each its recorded pause after the one before has ended.
    Dependent,
}

/// What a thread replays.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The I/Os.
    pub recording: Arc<dyn Recording>,
    /// When they are issued.
    pub pace: Pace,
    /// From the first arrival to the last.
    pub length: Duration,
}

impl Replay {
    /// How long it lasts if the target keeps up and times are those recorded.
    pub fn expected(&self) -> Option<Duration> {
        (self.pace == Pace::Recorded).then_some(self.length)
    }
}

/// A replay in progress.
pub(super) struct Player {
    arrivals: Box<dyn Iterator<Item = Arrival> + Send>,
    next: Option<Arrival>,
    pace: Pace,
    /// When nothing was in flight any more; the pause of a dependent I/O counts from here.
    free_at: Option<Instant>,
}

impl Player {
    pub(super) fn new(replay: &Replay) -> Self {
        let mut arrivals = replay.recording.play();
        let next = arrivals.next();
        Player { arrivals, next, pace: replay.pace, free_at: None }
    }

    /// Whether nothing is left to issue.
    pub(super) fn is_over(&self) -> bool {
        self.next.is_none()
    }

    /// The next I/O if it may be issued now; `began` is the start of the replay.
    pub(super) fn next(&mut self, now: Instant, began: Instant, in_flight: u32) -> Next {
        let Some(arrival) = self.next else { return Next::WhenCompleted };
        let due = match self.pace {
            Pace::Fastest => now,
            Pace::Recorded => began + arrival.at,
            Pace::Dependent if in_flight > 0 => return Next::WhenCompleted,
            Pace::Dependent => *self.free_at.get_or_insert(now) + arrival.think,
        };
        if now < due {
            return Next::At(due);
        }
        self.free_at = None;
        self.next = self.arrivals.next();
        let Arrival { op, start, len, .. } = arrival;
        // What is recorded is placed on one device.
        Next::Issue(Drawn { op, region: 0, start, len })
    }
}
