//! Virtual time in picoseconds. An [`Instant`] is a point, a [`Duration`] a distance; the two are
//! different types so that adding two instants does not compile.

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
    /// Later than every event; stands for "never".
    pub const NEVER: Instant = Instant(u64::MAX);

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

    /// `ps` picoseconds.
    pub const fn from_ps(ps: u64) -> Self {
        Duration(ps)
    }

    /// `ns` nanoseconds.
    pub const fn from_ns(ns: u64) -> Self {
        Duration(ns * 1_000)
    }

    /// `us` microseconds.
    pub const fn from_us(us: u64) -> Self {
        Duration(us * 1_000_000)
    }

    /// `ms` milliseconds.
    pub const fn from_ms(ms: u64) -> Self {
        Duration(ms * 1_000_000_000)
    }

    /// `s` seconds (at most 18 million).
    pub const fn from_s(s: u64) -> Self {
        Duration(s * PS_PER_SECOND)
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
        Duration((self.0 as u128 * numerator as u128 / denominator as u128) as u64)
    }
}

impl Add<Duration> for Instant {
    type Output = Instant;
    #[inline]
    fn add(self, d: Duration) -> Instant {
        Instant(self.0.checked_add(d.0).expect("virtual time overflows 213 days"))
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
        Duration(self.0.checked_add(d.0).expect("duration overflows 213 days"))
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
        Duration(self.0.checked_mul(n).expect("duration overflows 213 days"))
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
