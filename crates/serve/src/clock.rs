//! Model time beside the clock on the wall.

use engine::{Duration, Instant};
use std::num::NonZeroU32;

/// Says what the time is in the model. It runs with the clock, or a whole number of times slower.
#[derive(Clone, Debug)]
pub struct Clock {
    began: std::time::Instant,
    /// Model time when it began.
    origin: Instant,
    slower: NonZeroU32,
}

impl Clock {
    /// A clock that reads `origin` now. A second of the model takes `slower` seconds.
    pub fn new(origin: Instant, slower: NonZeroU32) -> Self {
        Clock { began: std::time::Instant::now(), origin, slower }
    }

    /// What the time is in the model.
    pub fn now(&self) -> Instant {
        self.origin + self.model(self.began.elapsed())
    }

    /// From now on the clock reads `origin`: the model was ahead, after a power cut.
    pub fn set(&mut self, origin: Instant) {
        *self = Clock::new(origin, self.slower);
    }

    /// How often slower than the clock on the wall the model runs.
    pub fn slower(&self) -> u32 {
        self.slower.get()
    }

    /// Time of the model that passes in a time on the wall.
    pub fn model(&self, wall: std::time::Duration) -> Duration {
        let ps = wall.as_nanos() * 1000 / u128::from(self.slower.get());
        // The horizon of a model is a hundred days.
        Duration::from_ps(u64::try_from(ps).unwrap_or(u64::MAX).min(Duration::LONGEST.ps()))
    }

    /// Time on the wall that passes in a time of the model.
    pub fn wall(&self, model: Duration) -> std::time::Duration {
        let ns = u128::from(model.ps()).div_ceil(1000) * u128::from(self.slower.get());
        std::time::Duration::from_nanos(u64::try_from(ns).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slower_clock_divides_and_multiplies() {
        let clock = Clock::new(Instant::ZERO, NonZeroU32::new(10).expect("not zero"));
        let wall = std::time::Duration::from_micros(500);
        assert_eq!(clock.model(wall), Duration::from_us(50));
        assert_eq!(clock.wall(Duration::from_us(50)), wall);
    }

    #[test]
    fn a_clock_that_is_set_goes_on_from_there() {
        let mut clock = Clock::new(Instant::ZERO, NonZeroU32::MIN);
        let later = Instant::ZERO + Duration::from_s(1000);
        clock.set(later);
        assert!(clock.now() >= later);
    }
}
