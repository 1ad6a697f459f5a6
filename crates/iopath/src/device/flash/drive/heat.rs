//! The temperature of a drive: looked at when commands arrive, and whenever it is read.
//!
//! There is no timer. Between two looks the mean power is the energy used over the time, and the
//! temperature follows in closed form, so that an idle drive costs nothing and events come at the
//! same times as without heat until a limit is reached.

use super::Drive;
use crate::device::heat::{Heat, HeatConfig};
use crate::kernel::Device;
use crate::kernel::payload::Payload;
use engine::{Duration, Instant, whole};

/// What is known of a drive's heat, and when it was looked at.
pub(super) struct DriveHeat {
    heat: Heat,
    looked: Instant,
    energy_pj: u128,
    next_look: Instant,
    held: bool,
    /// Seconds of heat in a simulated second.
    pace: f64,
}

impl DriveHeat {
    pub(super) fn new(config: HeatConfig) -> Self {
        DriveHeat {
            heat: Heat::new(config),
            looked: Instant::ZERO,
            energy_pj: 0,
            next_look: Instant::ZERO,
            held: false,
            pace: 1.0,
        }
    }

    /// The heat at a later time, by which the drive has used this energy in all.
    fn at(&self, now: Instant, energy_pj: u128) -> Heat {
        let mut heat = self.heat.clone();
        let seconds = now.since(self.looked).as_s();
        if seconds > 0.0 && !self.held {
            let watts = (energy_pj - self.energy_pj) as f64 / 1e12 / seconds;
            heat.advance(watts, seconds * self.pace);
        }
        heat
    }

    /// Simulated time between two readings of the sensor.
    fn sample(&self) -> Duration {
        let sample = self.heat.config().sample.as_s() / self.pace;
        Duration::from_ps(whole(sample * 1e12).max(1))
    }
}

impl<P: Payload> Drive<P> {
    /// Temperature, throttling and their counters now; `None` if the model has no temperature.
    pub fn heat(&self, now: Instant) -> Option<Heat> {
        self.heat.as_ref().map(|heat| heat.at(now, self.energy_pj(now)))
    }

    /// Replaces temperature, cooling and counters.
    pub fn set_heat(&mut self, heat: Option<Heat>, now: Instant) {
        let energy_pj = self.energy_pj(now);
        let pace = self.heat.as_ref().map_or(1.0, |known| known.pace);
        self.heat = heat.map(|heat| {
            let next_look = Instant::ZERO;
            let mut new = DriveHeat { heat, looked: now, energy_pj, next_look, held: false, pace };
            new.next_look = now + new.sample();
            Box::new(new)
        });
        self.watched = self.config.collection.background.is_some() || self.heat.is_some();
        self.apply_caps();
    }

    /// From now on so many seconds of heat pass in a simulated second: as many as of the real
    /// drive, where a run on a part of it stands for a longer one.
    pub fn set_heat_pace(&mut self, pace: f64, now: Instant) {
        self.look(now);
        if let Some(known) = &mut self.heat {
            known.pace = pace;
            if !known.held {
                known.next_look = now + known.sample();
            }
        }
    }

    /// Keeps temperature and throttling as they are now until they are set again.
    pub fn hold_heat(&mut self, now: Instant) {
        self.look(now);
        if let Some(heat) = &mut self.heat {
            heat.held = true;
            heat.next_look = Instant::NEVER;
        }
    }

    /// A command has come: the firmware reads its sensor if it is time to.
    #[inline]
    pub(super) fn feel(&mut self, now: Instant) {
        if self.heat.as_ref().is_some_and(|heat| now >= heat.next_look) {
            self.look(now);
        }
    }

    /// Brings temperature and throttling up to date.
    #[cold]
    pub(super) fn look(&mut self, now: Instant) {
        let energy_pj = self.energy_pj(now);
        let Some(known) = &mut self.heat else { return };
        let before = known.heat.level();
        known.heat = known.at(now, energy_pj);
        (known.looked, known.energy_pj) = (now, energy_pj);
        known.next_look = now + known.sample();
        if known.heat.level() != before {
            self.apply_caps();
        }
    }

    /// One gate serves power states and heat: the lower limit counts.
    pub(super) fn apply_caps(&mut self) {
        let heat = self.heat.as_ref().and_then(|known| known.heat.cap(known.heat.level()));
        let cap = match (self.config.power.cap, heat) {
            (Some(state), Some(heat)) => Some(state.min(heat)),
            (state, heat) => state.or(heat),
        };
        self.nand.set_cap(cap);
    }
}
