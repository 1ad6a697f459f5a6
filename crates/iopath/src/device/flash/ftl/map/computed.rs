//! Owners that a rule was asked for ahead of their use. A rule gives the same answer for ever, so
//! that nothing here is ever out of date.

/// Units whose owners are kept at a time: more than are read for collection at once, in a part of
/// the processor's first cache.
const KEPT: usize = 1 << 11;

/// The last owner that was computed of the units with the same low bits.
#[derive(Clone, Default)]
pub(super) struct Computed {
    /// Unit and owner; empty until one is put in.
    kept: Vec<(u32, u32)>,
}

impl Computed {
    /// Keeps the owner of a unit.
    #[inline]
    pub(super) fn put(&mut self, unit: u32, owner: u32) {
        if self.kept.is_empty() {
            self.kept = vec![(u32::MAX, 0); KEPT];
        }
        self.kept[unit as usize % KEPT] = (unit, owner);
    }

    /// The owner of a unit, if it is still kept.
    #[inline]
    pub(super) fn get(&self, unit: u32) -> Option<u32> {
        let (kept, owner) = *self.kept.get(unit as usize % KEPT)?;
        (kept == unit).then_some(owner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_in_last_is_kept() {
        let mut computed = Computed::default();
        assert_eq!(computed.get(7), None);
        computed.put(7, 70);
        computed.put(8, 80);
        assert_eq!((computed.get(7), computed.get(8)), (Some(70), Some(80)));
        computed.put(7 + 2048, 90);
        assert_eq!((computed.get(7), computed.get(7 + 2048)), (None, Some(90)));
    }
}
