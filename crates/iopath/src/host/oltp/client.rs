//! One client: a connection with a transaction in progress.

use super::plan::Step;
use crate::kernel::probe::{Part, Parts};
use engine::{Duration, Instant};

/// A client.
#[derive(Debug, Default)]
pub(super) struct Client {
    /// The steps of its transaction.
    pub steps: Vec<Step>,
    /// The one that is due.
    pub at: usize,
    /// When the transaction began.
    pub began: Instant,
    /// The page of the present step was read for it, which counts as a miss and not as a hit too.
    pub fetched: bool,
    /// The frame that it reads into.
    pub frame: u32,
    /// What the transaction has waited for.
    pub parts: Parts,
    waits: Option<(Part, Instant)>,
}

impl Client {
    /// It waits from now on.
    #[inline]
    pub(super) fn wait(&mut self, part: Part, now: Instant) {
        self.waits = Some((part, now));
    }

    /// It continues.
    #[inline]
    pub(super) fn go_on(&mut self, now: Instant) {
        if let Some((part, since)) = self.waits.take() {
            self.parts[part as usize] += now.since(since);
        }
    }

    /// A transaction begins.
    pub(super) fn begin(&mut self, now: Instant) {
        self.at = 0;
        self.began = now;
        self.fetched = false;
        self.parts = [Duration::ZERO; Part::COUNT];
        self.waits = None;
    }
}
