//! What a disk holds, in tests: on the platters, in the write cache, and on the way between. With
//! the payload `()` all of this is empty.

use crate::kernel::data::{Contents, UNIT};
use crate::kernel::payload::Payload;
use std::collections::BTreeMap;

/// Tags of units of 4 KiB.
#[derive(Clone, Debug, Default)]
pub(super) struct Tags<P: Payload> {
    platters: Contents<P>,
    cached: BTreeMap<u64, P>,
    leaving: Vec<(u64, P)>,
}

/// The units that a range of bytes touches.
fn units(start: u64, end: u64) -> std::ops::Range<u64> {
    start / UNIT..end.div_ceil(UNIT)
}

impl<P: Payload> Tags<P> {
    /// The newest tag of a unit.
    pub(super) fn newest(&self, unit: u64) -> P {
        let leaving = || self.leaving.iter().rev().find(|(u, _)| *u == unit).map(|(_, tag)| *tag);
        let cached = self.cached.get(&unit).copied().or_else(leaving);
        cached.unwrap_or_else(|| self.platters.get(unit))
    }

    /// A unit is in the write cache.
    pub(super) fn cache(&mut self, unit: u64, tag: P) {
        if P::CARRIED {
            self.cached.insert(unit, tag);
        }
    }

    /// A unit is on the platters, past the cache.
    pub(super) fn store(&mut self, unit: u64, tag: P) {
        if P::CARRIED {
            self.cached.remove(&unit);
            self.platters.set(unit, tag);
        }
    }

    /// A range leaves the cache.
    pub(super) fn leave(&mut self, start: u64, end: u64) {
        if P::CARRIED {
            for unit in units(start, end) {
                let tag = self.cached.remove(&unit);
                self.leaving.extend(tag.map(|tag| (unit, tag)));
            }
        }
    }

    /// What was leaving is on the platters.
    pub(super) fn arrive(&mut self) {
        for (unit, tag) in self.leaving.drain(..) {
            self.platters.set(unit, tag);
        }
    }

    /// Power is gone: only the platters are left.
    pub(super) fn cut(&mut self) {
        self.cached.clear();
        self.leaving.clear();
    }
}
