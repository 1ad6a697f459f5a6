//! The drive's own time, and the counters that it saves every minute of it.

use super::Skipped;
use engine::{Instant, whole};
use iopath::device::flash::drive::Drive;
use iopath::device::health::{Reading, TimedWorkload, Wear};

/// Picoseconds of a minute.
const MINUTE_PS: f64 = 60e12;

/// Power-on time of the real drive, and its timed workload if it has been reset.
#[derive(Clone, Debug)]
pub struct Clock {
    scale: f64,
    /// What was not simulated.
    skipped: Skipped,
    timed: Option<(TimedWorkload, f64)>,
}

impl Clock {
    /// A drive that has just come on, simulated at this scale (above 0, at most 1).
    pub fn new(scale: f64) -> Self {
        Clock { scale, skipped: Skipped::default(), timed: None }
    }

    /// Real picoseconds since the drive came on.
    fn real_ps(&self, now: Instant) -> f64 {
        now.ps() as f64 / self.scale + self.skipped.seconds * 1e12
    }

    /// Real seconds since the drive came on.
    pub fn power_on_s(&self, now: Instant) -> f64 {
        self.real_ps(now) / 1e12
    }

    /// Simulated over real capacity.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// The drive does this without being simulated.
    pub(crate) fn skip(&mut self, work: &Skipped) {
        self.skipped = self.skipped.plus(work);
    }

    /// What the drive has done without being simulated.
    pub fn skipped(&self) -> &Skipped {
        &self.skipped
    }

    /// The host resets the timed workload counters.
    pub(crate) fn reset_timed(&mut self, drive: &Drive<()>, now: Instant) {
        self.timed = Some((TimedWorkload::reset(reading(drive)), self.real_ps(now)));
    }

    /// The timed workload, if it was ever reset.
    pub fn timed(&self) -> Option<&TimedWorkload> {
        self.timed.as_ref().map(|(timed, _)| timed)
    }

    /// When the next minute of the workload timer is full, in simulated time; `None` if the timer
    /// does not run.
    pub(crate) fn next_minute(&self) -> Option<Instant> {
        let (timed, began) = self.timed.as_ref()?;
        let full = began + (timed.minutes() + 1) as f64 * MINUTE_PS;
        let simulated = ((full - self.skipped.seconds * 1e12) * self.scale).ceil();
        Some(Instant::from_ps(whole(simulated.clamp(0.0, 9e18))))
    }

    /// The next minute is full: saves the counters.
    pub(crate) fn minute(&mut self, drive: &Drive<()>) {
        if let Some((timed, _)) = &mut self.timed {
            timed.advance(timed.minutes() + 1, reading(drive));
        }
    }

    /// Saves what is to be saved by now; minutes that passed unseen take the counters of now.
    pub(crate) fn catch_up(&mut self, drive: &Drive<()>, now: Instant) {
        let real = self.real_ps(now);
        if let Some((timed, began)) = &mut self.timed {
            timed.advance(whole(((real - *began) / MINUTE_PS).max(0.0)), reading(drive));
        }
    }
}

fn reading(drive: &Drive<()>) -> Reading {
    let health = drive.health();
    Reading {
        erases: Wear::of(drive.ftl().pool().erases()).total,
        reads: health.read_commands,
        commands: health.read_commands + health.write_commands,
    }
}
