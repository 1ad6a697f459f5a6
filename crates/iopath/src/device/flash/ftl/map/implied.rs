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

    /// [`Implied::owner`], if to know it before it is needed is worth to compute it twice.
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

    /// Whether all units that are still where they were put are the owner's: `is_owned` tells that
    /// of a physical and a logical unit. Places and owners have to agree too, on each page.
    pub(super) fn is_whole(&self, is_owned: impl Fn(u32, u32) -> bool) -> bool {
        match self {
            Implied::Laid(laid) => laid.pages().all(|(first, units)| {
                laid.owner(first).is_some_and(|owner| {
                    laid.place(owner) == Some(first)
                        && (0..units).all(|at| is_owned(first + at, owner + at))
                })
            }),
            Implied::Scattered(classes) => {
                classes.iter().flat_map(Scattered::pairs).all(|(unit, owner)| is_owned(unit, owner))
            }
        }
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
