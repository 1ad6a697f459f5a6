//! How fast the times pass that a drive has of its own, whatever its capacity: those of heat, and
//! the wait before idle work.

use super::Drive;
use crate::kernel::payload::Payload;
use engine::{Duration, Instant, whole};

/// What a simulated second stands for on a part of a drive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OwnTime {
    /// Itself.
    Same,
    /// So many seconds of load, above 0: the drive gets as warm. Gaps between commands are those of
    /// the host and stay, so waits for idle work do.
    Load(f64),
    /// So many seconds without commands, above 0: the drive cools down and waits as long.
    Pause(f64),
}

impl OwnTime {
    /// Seconds of heat in a simulated second.
    pub(super) fn heat(self) -> f64 {
        match self {
            OwnTime::Same => 1.0,
            OwnTime::Load(pace) | OwnTime::Pause(pace) => pace,
        }
    }

    /// What is simulated of a time of heat.
    pub(super) fn of_heat(self, time: Duration) -> Duration {
        simulated(time, self.heat())
    }

    /// What is simulated of a wait before idle work.
    pub(super) fn of_waiting(self, time: Duration) -> Duration {
        match self {
            OwnTime::Pause(pace) => simulated(time, pace),
            OwnTime::Same | OwnTime::Load(_) => time,
        }
    }
}

fn simulated(time: Duration, pace: f64) -> Duration {
    match pace {
        1.0 => time,
        pace => Duration::from_ps(whole(time.as_s() / pace * 1e12).max(1)),
    }
}

impl<P: Payload> Drive<P> {
    /// From now on a simulated second stands for this.
    pub fn set_own_time(&mut self, own_time: OwnTime, now: Instant) {
        self.look(now);
        self.own_time = own_time;
        self.look(now);
    }
}
