//! Writes on their way to the slow device without the cache: what they touch must not be filled
//! with what a read found there before, nor be overtaken by a write to the cache.

/// Ranges in flight, and how far they are known to be durable.
#[derive(Clone, Debug, Default)]
pub(super) struct Passing {
    ranges: Vec<(u64, u64)>,
    /// Writes that ever passed, and those of them that a flush has made durable.
    passed: u64,
    durable: u64,
}

impl Passing {
    pub(super) fn begin(&mut self, start: u64, end: u64) {
        self.ranges.push((start, end));
        self.passed += 1;
    }

    pub(super) fn end(&mut self, start: u64, end: u64) {
        if let Some(place) = self.ranges.iter().position(|&range| range == (start, end)) {
            self.ranges.swap_remove(place);
        }
    }

    /// True if something in flight touches the range.
    #[inline]
    pub(super) fn touches(&self, start: u64, end: u64) -> bool {
        self.ranges.iter().any(|&(from, to)| from < end && start < to)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Number of the last write that is certainly done, to be given when a flush is done.
    pub(super) fn done_so_far(&self) -> u64 {
        // What is in flight may end after the flush has begun, so nothing is known of it.
        if self.ranges.is_empty() { self.passed } else { self.durable }
    }

    pub(super) fn flushed(&mut self, passed: u64) {
        self.durable = self.durable.max(passed);
    }

    /// True if the slow device may hold writes that it would lose with its power.
    pub(super) fn is_unsettled(&self) -> bool {
        self.durable < self.passed
    }

    /// The power was cut: nothing is in flight, and what was not durable is lost or is not.
    pub(super) fn cut(&mut self) {
        self.ranges.clear();
        self.durable = self.passed;
    }
}
