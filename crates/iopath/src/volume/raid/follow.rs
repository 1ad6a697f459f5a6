//! Progress and speed of a rebuild or resync.

use super::status::Recovery;
use ::engine::{Duration, Instant};

/// Follows how fast the present or last rebuild or resync is. A rest stops it: nothing is begun
/// then, however much time passes.
#[derive(Default)]
pub(super) struct Follow {
    /// When the stretch of work in progress began.
    since: Instant,
    /// Time of the stretches before.
    before: Duration,
    /// The last window of this stretch: when it ended, the rows that were done then, and whether
    /// commands came from above when it began.
    last: Option<(Instant, u64, bool)>,
    seen: Recovery,
}

impl Follow {
    /// Work that begins now.
    pub(super) fn begin(now: Instant) -> Self {
        Follow { since: now, ..Follow::default() }
    }

    /// Work continues after a rest.
    pub(super) fn resume(&mut self, now: Instant) {
        self.before = self.seen.time;
        self.since = now;
        self.last = None;
    }

    /// A window has ended, with which the rows below `done` are done.
    pub(super) fn done(&mut self, now: Instant, done: u64, busy: bool) {
        self.seen.done = done;
        self.seen.time = self.before + now.since(self.since);
        if let Some((then, was, same)) = self.last
            && same == busy
        {
            let pace = if busy { &mut self.seen.busy } else { &mut self.seen.idle };
            pace.bytes += done - was;
            pace.time += now.since(then);
        }
        self.last = Some((now, done, busy));
    }

    /// What was seen so far.
    pub(super) fn seen(&self) -> Recovery {
        self.seen
    }
}
