//! Where data is that no table names: it follows from how it was written.

use super::laid::Laid;
use super::scattered::Scattered;

/// Data whose places follow from a rule.
pub enum Implied {
    /// Written once, in order.
    Laid(Box<Laid>),
    /// Left over by random writes, class by class of units that are written alike.
    Scattered(Vec<Scattered>),
}

impl Implied {
    /// How many units there are.
    pub fn units(&self) -> u32 {
        match self {
            Implied::Laid(laid) => laid.units(),
            Implied::Scattered(classes) => classes.iter().map(Scattered::units).sum(),
        }
    }

    /// Bytes of memory that it takes, but for what is counted in groups.
    pub fn bytes(&self) -> usize {
        match self {
            Implied::Laid(_) => 0,
            Implied::Scattered(classes) => classes.iter().map(Scattered::bytes).sum(),
        }
    }

    /// Where a logical unit is, if it is one of these.
    #[inline]
    pub fn place(&self, logical: u32) -> Option<u32> {
        match self {
            Implied::Laid(laid) => laid.place(logical),
            Implied::Scattered(classes) => classes.iter().find_map(|class| class.place(logical)),
        }
    }

    /// The logical unit at a physical one that holds data, if it is one of these.
    #[inline]
    pub fn owner(&self, unit: u32) -> Option<u32> {
        match self {
            Implied::Laid(laid) => laid.owner(unit),
            Implied::Scattered(classes) => classes.iter().find_map(|class| class.owner(unit)),
        }
    }

    /// Asks the processor to fetch what [`Implied::place`] will look at.
    #[inline]
    pub(super) fn prefetch_place(&self, logical: u32) {
        if let Implied::Scattered(classes) = self {
            classes.iter().for_each(|class| class.prefetch_place(logical));
        }
    }

    /// [`Implied::owner`], if to look it up waits for memory.
    #[inline]
    pub(super) fn far_owner(&self, unit: u32) -> Option<u32> {
        if self.is_far() { self.owner(unit) } else { None }
    }

    /// True if to look something up waits for memory.
    fn is_far(&self) -> bool {
        matches!(self, Implied::Scattered(classes) if classes.iter().any(Scattered::is_far))
    }

    /// Asks the processor to fetch what [`Implied::owner`] will look at.
    #[inline]
    pub(super) fn prefetch_owner(&self, unit: u32) {
        if let Implied::Scattered(classes) = self {
            classes.iter().for_each(|class| class.prefetch_owner(unit));
        }
    }

    /// Marks the units that hold data, a bit each; none is marked before.
    pub(super) fn mark(&self, valid: &mut [u64]) {
        match self {
            Implied::Laid(laid) => laid.runs().for_each(|run| set_ones(valid, run)),
            Implied::Scattered(classes) => {
                for class in classes {
                    valid.iter_mut().zip(class.valid()).for_each(|(word, ones)| *word |= ones);
                }
            }
        }
    }

    /// Whether all units that are left where they were put are the owner's: `is_there` tells that
    /// of a physical and a logical unit.
    pub(super) fn is_whole(
        &self,
        is_left: impl Fn(u32) -> bool,
        is_there: impl Fn(u32, u32) -> bool,
    ) -> bool {
        match self {
            Implied::Laid(laid) => laid.pages().all(|(first, units)| {
                laid.owner(first).is_some_and(|owner| {
                    let mut left = (0..units).filter(|at| is_left(first + at));
                    left.all(|at| is_there(first + at, owner + at))
                })
            }),
            Implied::Scattered(classes) => classes.iter().all(|class| {
                let mut left = class.held().filter(|unit| is_left(*unit));
                left.all(|unit| class.owner(unit).is_some_and(|owner| is_there(unit, owner)))
            }),
        }
    }

    /// Whether places and owners of what is laid agree, on each page. Looking up what is scattered
    /// takes too long to be done for each unit of a drive that is made.
    pub(super) fn agrees(&self) -> bool {
        let Implied::Laid(laid) = self else { return true };
        let is_there = |first| laid.owner(first).and_then(|owner| laid.place(owner)) == Some(first);
        laid.pages().all(|(first, _)| is_there(first))
    }
}

/// Sets the bits of a range.
fn set_ones(bits: &mut [u64], range: std::ops::Range<u32>) {
    let (mut at, end) = (range.start, range.end);
    while at < end {
        let next = end.min((at / 64 + 1) * 64);
        let ones = u64::MAX >> (64 - (next - at));
        bits[at as usize / 64] |= ones << (at % 64);
        at = next;
    }
}
