//! Writes that were acknowledged and are not on the platters: runs of bytes, joined where they
//! touch.

use engine::Instant;
use std::collections::BTreeMap;

/// A run of bytes that is not on the platters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Run {
    /// First byte.
    pub start: u64,
    /// The byte after the last.
    pub end: u64,
    /// When the oldest part of it came.
    pub since: Instant,
    /// Number of the oldest write that it holds.
    pub order: u64,
}

/// All runs.
#[derive(Clone, Debug)]
pub struct WriteCache {
    runs: BTreeMap<u64, Run>,
    bytes: u64,
    /// Bytes on their way to the platters, which still take room.
    leaving: u64,
    most_bytes: u64,
    most_runs: usize,
    order: u64,
}

impl WriteCache {
    /// Capacity in bytes and in runs.
    pub fn new(most_bytes: u64, most_runs: u32) -> Self {
        let most_runs = most_runs as usize;
        WriteCache { runs: BTreeMap::new(), bytes: 0, leaving: 0, most_bytes, most_runs, order: 0 }
    }

    /// Runs that a range touches or overlaps, as their first bytes.
    fn touched(&self, start: u64, end: u64) -> Vec<u64> {
        let before = self.runs.range(..start).next_back().filter(|(_, run)| run.end >= start);
        let inside = self.runs.range(start..=end);
        before.into_iter().chain(inside).map(|(first, _)| *first).collect()
    }

    /// Takes a write in if there is room for it. A write larger than the whole cache is admitted
    /// when nothing else is in it.
    pub fn insert(&mut self, start: u64, end: u64, now: Instant) -> bool {
        let touched = self.touched(start, end);
        let known: u64 = touched
            .iter()
            .map(|first| {
                let run = &self.runs[first];
                run.end.min(end).saturating_sub(run.start.max(start))
            })
            .sum();
        let more = end - start - known;
        let empty = self.bytes + self.leaving == 0;
        let fits = self.bytes + self.leaving + more <= self.most_bytes || empty;
        let count = self.runs.len() + 1 - touched.len();
        if !fits || count > self.most_runs && touched.is_empty() {
            return false;
        }
        let mut run = Run { start, end, since: now, order: self.order };
        self.order += 1;
        for first in touched {
            if let Some(old) = self.runs.remove(&first) {
                run.start = run.start.min(old.start);
                run.end = run.end.max(old.end);
                run.since = if old.since < run.since { old.since } else { run.since };
                run.order = run.order.min(old.order);
            }
        }
        self.bytes += more;
        self.runs.insert(run.start, run);
        true
    }

    /// Takes out the first bytes of the run that begins at `start`, up to `end`; they take room
    /// until [`WriteCache::gone`].
    pub fn take(&mut self, start: u64, end: u64) -> Option<Run> {
        let run = self.runs.remove(&start)?;
        let end = end.min(run.end);
        if end < run.end {
            self.runs.insert(end, Run { start: end, ..run });
        }
        self.bytes -= end - start;
        self.leaving += end - start;
        Some(Run { end, ..run })
    }

    /// Bytes that were taken out are on the platters.
    pub fn gone(&mut self, bytes: u64) {
        self.leaving -= bytes;
    }

    /// Drops what is in a range: something newer is on the platters.
    pub fn cut(&mut self, start: u64, end: u64) {
        for first in self.touched(start, end) {
            let Some(run) = self.runs.remove(&first) else { continue };
            let (low, high) = (run.start.max(start), run.end.min(end));
            self.bytes -= high.saturating_sub(low);
            if low >= high {
                self.runs.insert(first, run);
                continue;
            }
            if run.start < low {
                self.runs.insert(run.start, Run { end: low, ..run });
            }
            if high < run.end {
                self.runs.insert(high, Run { start: high, ..run });
            }
        }
    }

    /// Whether a range is wholly inside one run.
    pub fn holds(&self, start: u64, end: u64) -> bool {
        let before = self.runs.range(..=start).next_back();
        before.is_some_and(|(_, run)| end <= run.end)
    }

    /// All runs, by place.
    pub fn runs(&self) -> impl Iterator<Item = &Run> {
        self.runs.values()
    }

    /// True if no run is left; what is leaving does not count.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Acknowledged bytes that are not on the platters.
    pub fn unsafe_bytes(&self) -> u64 {
        self.bytes + self.leaving
    }

    /// Whether more than half of its room is taken.
    pub fn is_pressed(&self) -> bool {
        2 * (self.bytes + self.leaving) > self.most_bytes || 2 * self.runs.len() > self.most_runs
    }

    /// The number that the next write gets.
    pub fn next_order(&self) -> u64 {
        self.order
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.runs.clear();
        (self.bytes, self.leaving) = (0, 0);
    }

    /// Checks the bookkeeping.
    ///
    /// # Panics
    /// If the byte count is wrong or runs overlap.
    pub fn audit(&self) {
        let sum: u64 = self.runs.values().map(|run| run.end - run.start).sum();
        assert_eq!(sum, self.bytes, "the write cache counts wrongly");
        let apart = self.runs.values().zip(self.runs.values().skip(1));
        assert!(apart.into_iter().all(|(a, b)| a.end <= b.start), "runs overlap");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Stream;

    /// Against one flag a byte.
    #[test]
    fn it_is_a_set_of_bytes() {
        let mut stream = Stream::new(1, "write cache");
        for _ in 0..200 {
            let mut cache = WriteCache::new(u64::MAX, u32::MAX);
            let mut plain = [false; 64];
            for _ in 0..30 {
                let start = stream.below(60);
                let end = start + 1 + stream.below(64 - start);
                let bytes = start as usize..end as usize;
                match stream.below(4) {
                    0 => {
                        cache.cut(start, end);
                        plain[bytes].fill(false);
                    }
                    1 => {
                        let first = cache.runs().next().copied();
                        if let Some(run) = first {
                            let half = run.start + (run.end - run.start).div_ceil(2);
                            cache.take(run.start, half).unwrap();
                            plain[run.start as usize..half as usize].fill(false);
                            cache.gone(half - run.start);
                        }
                    }
                    _ => {
                        assert!(cache.insert(start, end, Instant::ZERO));
                        plain[bytes].fill(true);
                    }
                }
                cache.audit();
                let held = plain.iter().filter(|held| **held).count() as u64;
                assert_eq!(cache.unsafe_bytes(), held);
                let (start, end) = (stream.below(32), 32 + stream.below(32));
                let all = plain[start as usize..end as usize].iter().all(|held| *held);
                // Runs that were split by `take` touch without being joined.
                assert!(!cache.holds(start, end) || all);
            }
        }
    }

    #[test]
    fn room_is_counted_to_the_byte_and_to_the_run() {
        let mut cache = WriteCache::new(100, 2);
        let now = Instant::ZERO;
        assert!(cache.insert(0, 50, now) && cache.insert(200, 250, now));
        assert!(!cache.insert(50, 51, now), "no byte is left");
        assert!(cache.insert(10, 40, now), "what is written again takes no more room");
        cache.take(0, 30).unwrap();
        assert!(!cache.insert(250, 260, now), "what is leaving takes room");
        cache.gone(30);
        assert!(cache.insert(250, 280, now));
        cache.take(200, 220).unwrap();
        cache.gone(20);
        assert!(!cache.insert(300, 310, now), "two runs at most");
        assert!(cache.insert(280, 290, now), "one that joins is no further run");
    }
}
