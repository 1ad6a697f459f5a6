//! A gate that lets units of something (energy, bytes, heat) through at a mean rate.

use crate::narrow::saturated;
use crate::time::{Duration, Instant, PS_PER_SECOND};

/// Admits requests in order so that over any time `t` at most `rate * t + burst` units pass.
///
/// This is the virtual-scheduling form of the generic cell rate algorithm (ITU-T I.371): the gate
/// keeps the time at which its debt is paid, and a request waits until the debt is below the
/// burst.
#[derive(Clone, Debug)]
pub struct RateGate {
    rate: u64,
    burst: Duration,
    paid_at: Instant,
}

impl RateGate {
    /// `rate` in units a second; `burst` is how long the gate may run ahead of its rate.
    ///
    /// # Panics
    /// If the rate is zero.
    pub fn new(rate: u64, burst: Duration) -> Self {
        assert!(rate > 0, "a gate with no rate never opens");
        RateGate { rate, burst, paid_at: Instant::ZERO }
    }

    /// When a request that asks `now` may pass; nothing is taken yet.
    #[inline]
    pub fn opens_at(&self, now: Instant) -> Instant {
        let open = self.paid_at.ps().saturating_sub(self.burst.ps());
        now.max(Instant::from_ps(open))
    }

    /// Takes `units` for a request that passes `at`.
    #[inline]
    pub fn take(&mut self, at: Instant, units: u64) {
        let ps = (units as u128 * PS_PER_SECOND as u128).div_ceil(self.rate as u128);
        self.paid_at = at.max(self.paid_at) + Duration::from_ps(saturated(ps));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_rate_is_held_and_the_burst_is_given() {
        let mut gate = RateGate::new(1_000_000, Duration::from_us(10));
        let mut now = Instant::ZERO;
        let mut immediately = 0;
        for _ in 0..1000 {
            let at = gate.opens_at(now);
            immediately += u32::from(at == Instant::ZERO);
            gate.take(at, 1);
            now = at;
        }
        assert_eq!(immediately, 11, "ten microseconds ahead, and the one that asks");
        assert_eq!(now, Instant::ZERO + Duration::from_us(1000 - 11));
    }

    #[test]
    fn a_debt_beyond_the_range_is_never_paid() {
        let mut gate = RateGate::new(1, Duration::ZERO);
        gate.take(Instant::ZERO, 1 << 52);
        assert_eq!(gate.opens_at(Instant::ZERO), Instant::NEVER);
    }
}
