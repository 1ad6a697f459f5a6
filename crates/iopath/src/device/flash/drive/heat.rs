//! The temperature of a drive: looked at when commands arrive, and whenever it is read.
//!
//! There is no timer. Between two looks the mean power is the energy used over the time, and the
//! temperature follows in closed form, so that an idle drive costs nothing and events come at the
//! same times as without heat until a limit is reached.

use super::Drive;
use super::own_time::OwnTime;
use crate::device::heat::{Heat, HeatConfig};
use crate::kernel::Device;
use crate::kernel::payload::Payload;
use engine::Instant;

/// What is known of a drive's heat, and when it was looked at.
pub(super) struct DriveHeat {
    heat: Heat,
    looked: Instant,
    energy_pj: u128,
    next_look: Instant,
    held: bool,
}

impl DriveHeat {
    pub(super) fn new(config: HeatConfig) -> Self {
        DriveHeat {
            heat: Heat::new(config),
            looked: Instant::ZERO,
            energy_pj: 0,
            next_look: Instant::ZERO,
            held: false,
        }
    }

    /// The heat at a later time, by which the drive has used this energy in all.
    fn at(&self, now: Instant, energy_pj: u128, own_time: OwnTime) -> Heat {
        let mut heat = self.heat.clone();
        let seconds = now.since(self.looked).as_s();
        if seconds > 0.0 && !self.held {
            let watts = (energy_pj - self.energy_pj) as f64 / 1e12 / seconds;
            heat.advance(watts, seconds * own_time.heat());
        }
        heat
    }
}

impl<P: Payload> Drive<P> {
    /// Temperature, throttling and their counters now; `None` if the model has no temperature.
    pub fn heat(&self, now: Instant) -> Option<Heat> {
        self.heat.as_ref().map(|heat| heat.at(now, self.energy_pj(now), self.own_time))
    }

    /// Replaces temperature, cooling and counters.
    pub fn set_heat(&mut self, heat: Option<Heat>, now: Instant) {
        let energy_pj = self.energy_pj(now);
        self.heat = heat.map(|heat| {
            let next_look = now + self.own_time.of_heat(heat.config().sample);
            Box::new(DriveHeat { heat, looked: now, energy_pj, next_look, held: false })
        });
        self.watched = self.config.collection.background.is_some() || self.heat.is_some();
        self.apply_caps();
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
        known.heat = known.at(now, energy_pj, self.own_time);
        (known.looked, known.energy_pj) = (now, energy_pj);
        if !known.held {
            known.next_look = now + self.own_time.of_heat(known.heat.config().sample);
        }
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
