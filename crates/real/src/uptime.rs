//! How long the machine has run, and how much of that it slept.

use rustix::time::{ClockId, Timespec, clock_gettime};
use std::time::Duration;

/// Time since the machine was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uptime {
    /// Without the time that it slept: the clock that fio measures by.
    awake: Duration,
    /// All of it.
    all: Duration,
}

impl Uptime {
    /// Until now.
    pub fn now() -> Self {
        let read = |clock| duration(clock_gettime(clock));
        Self { awake: read(ClockId::Monotonic), all: read(ClockId::Boottime) }
    }

    /// Seconds in which the machine was awake since an earlier time.
    pub fn awake_since(self, before: Self) -> f64 {
        self.awake.saturating_sub(before.awake).as_secs_f64()
    }

    /// Seconds that it slept since an earlier time. The clocks are read one after the other: a
    /// time far below a second says nothing.
    pub fn slept_since(self, before: Self) -> f64 {
        let all = self.all.saturating_sub(before.all);
        all.saturating_sub(self.awake.saturating_sub(before.awake)).as_secs_f64()
    }
}

fn duration(time: Timespec) -> Duration {
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_clock_of_the_processor_misses_was_sleep() {
        let at = |awake, all| Uptime {
            awake: Duration::from_secs(awake),
            all: Duration::from_secs(all),
        };
        let (before, after) = (at(100, 130), at(160, 3_790));
        assert_eq!((after.awake_since(before), after.slept_since(before)), (60.0, 3_600.0));
        assert_eq!(before.slept_since(after), 0.0, "a clock that went back");
    }

    #[test]
    fn a_machine_that_works_does_not_sleep() {
        let before = Uptime::now();
        std::thread::sleep(Duration::from_millis(20));
        let now = Uptime::now();
        assert!(now.awake_since(before) >= 0.02);
        assert!(now.slept_since(before) < 0.02);
    }
}
