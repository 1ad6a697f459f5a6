//! A thread that looks for the greatest queue depth at which its latency stays within a limit, as
//! fio's `latency_target` does: it doubles the depth until one fails, then halves the gap.

use crate::kernel::probe::Found;
use engine::{Duration, Instant};

/// What is looked for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Search {
    /// The limit, from issue to completion.
    pub target: Duration,
    /// How long a depth is tried.
    pub window: Duration,
    /// Share of the I/Os that must stay within it, percent. At 100 the first that does not ends the
    /// try.
    pub percent: f64,
    /// The thread goes on and adjusts its depth after it was found.
    pub goes_on: bool,
}

/// How far it has come.
pub(super) struct Searcher {
    asked: Search,
    /// The depth that the thread may reach.
    most: u32,
    depth: u32,
    /// Greatest depth that has passed, and least that has failed.
    low: u32,
    high: u32,
    began: Instant,
    ios: u64,
    late: u64,
    passed: u32,
    /// I/Os of a depth that failed are on their way.
    drains: bool,
    /// The depth is found and measured.
    last: bool,
    over: bool,
}

impl Searcher {
    pub(super) fn new(asked: Search, most: u32) -> Self {
        Searcher {
            asked,
            most,
            depth: 1,
            low: 1,
            high: most,
            began: Instant::ZERO,
            ios: 0,
            late: 0,
            passed: 0,
            drains: false,
            last: false,
            over: false,
        }
    }

    /// A try begins.
    pub(super) fn begin(&mut self, now: Instant) {
        (self.began, self.ios, self.late) = (now, 0, 0);
    }

    /// I/Os that may be in flight.
    pub(super) fn depth(&self) -> u32 {
        if self.drains { 0 } else { self.depth }
    }

    /// True if the thread has done what it was to do.
    pub(super) fn over(&self) -> bool {
        self.over
    }

    /// An I/O took so long, and so many are still in flight.
    pub(super) fn completed(
        &mut self,
        latency: Duration,
        now: Instant,
        in_flight: u32,
    ) -> Option<Found> {
        if self.over {
            return None;
        }
        if self.drains {
            self.drained(now, in_flight);
            return None;
        }
        self.ios += 1;
        if latency > self.asked.target {
            self.late += 1;
            if self.asked.percent >= 100.0 {
                return self.failed(now, in_flight);
            }
        }
        if now.since(self.began) < self.asked.window {
            return None;
        }
        let share = 100.0 * (self.ios - self.late) as f64 / self.ios as f64;
        match share >= self.asked.percent {
            true => self.succeeded(now),
            false => self.failed(now, in_flight),
        }
    }

    fn drained(&mut self, now: Instant, in_flight: u32) {
        if in_flight == 0 {
            self.drains = false;
            self.begin(now);
        }
    }

    fn failed(&mut self, now: Instant, in_flight: u32) -> Option<Found> {
        if self.depth == 1 {
            // Where a share may be late, the job goes on in the hope of better windows.
            self.over = self.asked.percent >= 100.0;
            self.begin(now);
            return self.over.then_some(Found::Nothing);
        }
        self.high = self.depth;
        if self.depth == self.low {
            self.low -= 1;
        }
        self.depth = u32::midpoint(self.depth, self.low).max(1);
        self.passed = 0;
        self.drains = true;
        self.drained(now, in_flight);
        Some(Found::Next(self.depth))
    }

    fn succeeded(&mut self, now: Instant) -> Option<Found> {
        let tried = self.depth;
        self.low = tried;
        if tried + 1 == self.high {
            // Halving the gap stays where it is; three windows in a row allow one more.
            self.passed += 1;
            if self.passed == 3 {
                (self.high, self.passed) = (self.high + 1, 0);
            }
        }
        self.depth = match self.high == self.most {
            true => self.depth.saturating_mul(2),
            false => u32::midpoint(self.depth, self.high),
        };
        self.depth = self.depth.min(self.most);
        self.begin(now);
        if self.depth != tried {
            return Some(Found::Next(self.depth));
        }
        if self.asked.goes_on {
            return None;
        }
        self.over = self.last;
        self.last = true;
        (!self.over).then_some(Found::Greatest(tried))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TARGET: Duration = Duration::from_us(100);

    /// Searches on a drive whose latency is that many microseconds for each I/O in flight.
    fn search(each_us: u64, most: u32, percent: f64) -> (Vec<Found>, u32) {
        let window = Duration::from_us(1000);
        let asked = Search { target: TARGET, window, percent, goes_on: false };
        let mut searcher = Searcher::new(asked, most);
        let (mut found, mut now) = (Vec::new(), Instant::ZERO);
        searcher.begin(now);
        for _ in 0..10_000 {
            let latency = Duration::from_us(each_us * u64::from(searcher.depth.max(1)));
            now += Duration::from_us(each_us);
            found.extend(searcher.completed(latency, now, 0));
            if searcher.over() {
                break;
            }
        }
        (found, searcher.depth)
    }

    #[test]
    fn the_depth_is_doubled_until_it_fails_and_then_the_gap_is_halved() {
        let (found, depth) = search(10, 64, 100.0);
        let tried = [2, 4, 8, 16, 12, 10, 11].map(Found::Next);
        assert_eq!(found[..7], tried, "{found:?}");
        assert_eq!((found.last(), depth), (Some(&Found::Greatest(10)), 10));
    }

    #[test]
    fn it_ends_at_the_depth_of_the_job() {
        let (found, depth) = search(1, 64, 100.0);
        assert_eq!((found.last(), depth), (Some(&Found::Greatest(64)), 64));
        assert_eq!(search(10, 1, 99.0).0, [Found::Greatest(1)]);
    }

    #[test]
    fn a_limit_that_one_io_misses_is_not_searched_on() {
        assert_eq!(search(101, 64, 100.0).0, [Found::Nothing]);
        // With a share that may be late the job goes on for as long as it has time.
        assert_eq!(search(101, 64, 99.0).0, []);
    }

    /// It tries one more now and then, and goes back.
    #[test]
    fn a_search_that_goes_on_stays_near_the_greatest_depth() {
        let window = Duration::from_us(1000);
        let asked = Search { target: TARGET, window, percent: 99.0, goes_on: true };
        let mut searcher = Searcher::new(asked, 64);
        let (mut now, mut tried) = (Instant::ZERO, [0; 65]);
        searcher.begin(now);
        for _ in 0..100_000 {
            now += Duration::from_us(10);
            let latency = Duration::from_us(10 * u64::from(searcher.depth));
            searcher.completed(latency, now, 0);
            tried[searcher.depth as usize] += 1;
        }
        assert!(!searcher.over() && tried[10] > 60_000, "{tried:?}");
        assert!(tried[11] > 10_000 && tried[12] < 5_000, "{tried:?}");
    }

    #[test]
    fn what_was_in_flight_at_a_failed_depth_is_waited_for_and_not_judged() {
        let window = Duration::from_us(1000);
        let asked = Search { target: TARGET, window, percent: 100.0, goes_on: false };
        let mut searcher = Searcher::new(asked, 8);
        (searcher.depth, searcher.low) = (8, 4);
        let late = Duration::from_us(101);
        assert_eq!(searcher.completed(late, Instant::ZERO, 2), Some(Found::Next(6)));
        assert_eq!(searcher.depth(), 0);
        assert_eq!(searcher.completed(late, Instant::ZERO, 1), None);
        assert_eq!(searcher.completed(late, Instant::ZERO, 0), None);
        assert_eq!(searcher.depth(), 6);
    }
}
