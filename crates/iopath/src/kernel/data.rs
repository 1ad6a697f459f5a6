//! What commands carry and what media without a translation layer hold, in tests: one tag for each
//! 4 KiB. With the payload `()` all of this is empty and compiled to nothing.

use crate::kernel::command::CommandId;
use crate::kernel::payload::Payload;
use engine::index;
use rustc_hash::FxHashMap;

/// Bytes that one tag represents.
pub const UNIT: u64 = 4096;

/// The data of the commands in flight. Unit 0 of a command begins at its first byte.
#[derive(Clone, Debug, Default)]
pub struct Data<P: Payload> {
    commands: FxHashMap<u32, Vec<P>>,
}

impl<P: Payload> Data<P> {
    /// Sets unit `unit` of a command; units never set hold the default tag.
    #[inline]
    pub fn put(&mut self, id: CommandId, unit: u64, tag: P) {
        if !P::CARRIED {
            return;
        }
        let units = self.commands.entry(id.0).or_default();
        let unit = index(unit);
        if units.len() <= unit {
            units.resize(unit + 1, P::default());
        }
        units[unit] = tag;
    }

    /// Unit `unit` of a command, if anything was set for it: a write for which nothing was set
    /// carries its command's payload in every unit.
    #[inline]
    pub fn get(&self, id: CommandId, unit: u64) -> Option<P> {
        if !P::CARRIED {
            return None;
        }
        self.commands.get(&id.0).map(|units| units.get(index(unit)).copied().unwrap_or_default())
    }

    /// Sets all units of a command.
    #[inline]
    pub fn set(&mut self, id: CommandId, units: Vec<P>) {
        if P::CARRIED {
            self.commands.insert(id.0, units);
        }
    }

    /// Gives a command what another carried, as [`Data::take`] gave it: nothing stays nothing.
    #[inline]
    pub fn hand_on(&mut self, id: CommandId, units: Vec<P>) {
        if !units.is_empty() {
            self.set(id, units);
        }
    }

    /// Takes out what a command carries; empty if nothing was set. Whoever removes a command from
    /// the table of commands takes its data too.
    #[inline]
    pub fn take(&mut self, id: CommandId) -> Vec<P> {
        if !P::CARRIED {
            return Vec::new();
        }
        self.commands.remove(&id.0).unwrap_or_default()
    }
}

/// What a medium holds that overwrites in place.
#[derive(Clone, Debug, Default)]
pub struct Contents<P: Payload> {
    units: FxHashMap<u64, P>,
}

impl<P: Payload> Contents<P> {
    /// The tag of the unit that begins at `unit * UNIT`; the default if it was never written.
    #[inline]
    pub fn get(&self, unit: u64) -> P {
        if !P::CARRIED {
            return P::default();
        }
        self.units.get(&unit).copied().unwrap_or_default()
    }

    /// Sets a unit; returns what was there.
    #[inline]
    pub fn set(&mut self, unit: u64, tag: P) -> P {
        if !P::CARRIED {
            return P::default();
        }
        self.units.insert(unit, tag).unwrap_or_default()
    }
}
