//! How fast the times pass that a drive has of its own, whatever its capacity: those of heat, and
//! the wait before idle work.

use super::Drive;
use crate::kernel::payload::Payload;
use engine::{Duration, Instant, whole};

/// Seconds of such a time in a simulated second; above 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnTime(pub f64);

impl OwnTime {
    /// As simulated.
    pub const ONE: OwnTime = OwnTime(1.0);

    /// What is simulated of a time of the drive's own.
    pub fn simulated(self, time: Duration) -> Duration {
        match self.0 {
            1.0 => time,
            pace => Duration::from_ps(whole(time.as_s() / pace * 1e12).max(1)),
        }
    }
}

impl<P: Payload> Drive<P> {
    /// From now on so many seconds of heat and of waiting for idle work pass in a simulated
    /// second: as many as of the real drive, where a run on a part of it stands for a longer one.
    pub fn set_pace(&mut self, pace: f64, now: Instant) {
        self.look(now);
        self.own_time = OwnTime(pace);
        self.look(now);
    }
}
