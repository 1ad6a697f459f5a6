//! Virtual time in picoseconds. An [`Instant`] is a point, a [`Duration`] a distance; the two are
//! different types so that adding two instants does not compile.
//!
//! Sums do not wrap: what is beyond the range is [`Instant::NEVER`]. The clock of a run ends at
//! [`Instant::HORIZON`], long before, and a run that gets there is refused.

use crate::narrow::saturated;
use std::fmt;
use std::ops::{Add, AddAssign, Mul, Sub};

/// Picoseconds in one second.
pub const PS_PER_SECOND: u64 = 1_000_000_000_000;

/// A point of virtual time, in picoseconds since the start of the simulation (range: 213 days).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Instant(u64);

/// A distance between two instants, in picoseconds; never negative.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Duration(u64);

impl Instant {
    /// The start of the simulation.
    pub const ZERO: Instant = Instant(0);
    /// Later than every event; means "never".
    pub const NEVER: Instant = Instant(u64::MAX);
    /// The end of every clock: less than half of the range, so that a time of a run and any time
    /// that a file may give still add up.
    pub const HORIZON: Instant = Instant(Duration::LONGEST.0);

    /// The instant `ps` picoseconds after the start.
    pub const fn from_ps(ps: u64) -> Self {
        Instant(ps)
    }

    /// Picoseconds since the start.
    pub const fn ps(self) -> u64 {
        self.0
    }

    /// Time passed since `earlier`.
    ///
    /// # Panics
    /// If `earlier` is later than `self`: only a bug can ask for that.
    #[inline]
    pub fn since(self, earlier: Instant) -> Duration {
        assert!(earlier.0 <= self.0, "time ran backwards: {} after {}", earlier.0, self.0);
        Duration(self.0 - earlier.0)
    }

    /// The later of two instants.
    #[inline]
    pub fn max(self, other: Instant) -> Instant {
        Instant(self.0.max(other.0))
    }
}

impl Duration {
    /// No time at all.
    pub const ZERO: Duration = Duration(0);
    /// The longest time that a file or an argument may give: 100 days.
    pub const LONGEST: Duration = Duration(100 * 86_400 * PS_PER_SECOND);

    /// `ps` picoseconds.
    pub const fn from_ps(ps: u64) -> Self {
        Duration(ps)
    }

    /// `ns` nanoseconds.
    pub const fn from_ns(ns: u64) -> Self {
        Duration(ns.saturating_mul(1_000))
    }

    /// `us` microseconds.
    pub const fn from_us(us: u64) -> Self {
        Duration(us.saturating_mul(1_000_000))
    }

    /// `ms` milliseconds.
    pub const fn from_ms(ms: u64) -> Self {
        Duration(ms.saturating_mul(1_000_000_000))
    }

    /// `s` seconds.
    pub const fn from_s(s: u64) -> Self {
        Duration(s.saturating_mul(PS_PER_SECOND))
    }

    /// Picoseconds.
    pub const fn ps(self) -> u64 {
        self.0
    }

    /// Whole nanoseconds, rounded down.
    pub const fn ns(self) -> u64 {
        self.0 / 1_000
    }

    /// Seconds, for printing and for rates.
    pub fn as_s(self) -> f64 {
        self.0 as f64 / PS_PER_SECOND as f64
    }

    /// The duration as a fraction `numerator / denominator` of itself, rounded down.
    ///
    /// # Panics
    /// If `denominator` is zero.
    pub fn scaled(self, numerator: u64, denominator: u64) -> Duration {
        let scaled = self.0 as u128 * numerator as u128 / denominator as u128;
        Duration(saturated(scaled))
    }
}

/// Beyond the range it is never.
impl Add<Duration> for Instant {
    type Output = Instant;
    #[inline]
    fn add(self, d: Duration) -> Instant {
        Instant(self.0.saturating_add(d.0))
    }
}

impl AddAssign<Duration> for Instant {
    #[inline]
    fn add_assign(&mut self, d: Duration) {
        *self = *self + d;
    }
}

impl Add for Duration {
    type Output = Duration;
    #[inline]
    fn add(self, d: Duration) -> Duration {
        Duration(self.0.saturating_add(d.0))
    }
}

impl AddAssign for Duration {
    #[inline]
    fn add_assign(&mut self, d: Duration) {
        *self = *self + d;
    }
}

impl Sub for Duration {
    type Output = Duration;
    #[inline]
    fn sub(self, d: Duration) -> Duration {
        Duration(self.0.checked_sub(d.0).expect("negative duration"))
    }
}

impl Mul<u64> for Duration {
    type Output = Duration;
    #[inline]
    fn mul(self, n: u64) -> Duration {
        Duration(self.0.saturating_mul(n))
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scale, unit) = match self.0 {
            0..1_000 => (1.0, "ps"),
            1_000..1_000_000 => (1e3, "ns"),
            1_000_000..1_000_000_000 => (1e6, "us"),
            1_000_000_000..PS_PER_SECOND => (1e9, "ms"),
            _ => (1e12, "s"),
        };
        write!(f, "{} {unit}", self.0 as f64 / scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_beyond_the_range_is_never_and_does_not_wrap() {
        let most = Duration::from_ps(u64::MAX);
        assert_eq!(Instant::HORIZON + most, Instant::NEVER);
        assert_eq!(Instant::NEVER + Duration::from_ps(1), Instant::NEVER);
        for sum in [most + most, most * 3, most.scaled(3, 2)] {
            assert_eq!(sum, most);
        }
        for huge in [Duration::from_ns, Duration::from_us, Duration::from_ms, Duration::from_s] {
            assert_eq!(huge(u64::MAX), most);
        }
    }

    #[test]
    fn a_time_of_a_run_and_the_longest_of_a_file_add_up() {
        let sum = Instant::HORIZON + Duration::LONGEST;
        assert_eq!(sum.since(Instant::HORIZON), Duration::LONGEST);
        assert!(sum < Instant::NEVER);
    }
}
