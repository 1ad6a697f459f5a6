//! What drives take before they do the work for it.

use iopath::device::flash::drive::Drive;

/// Of what hosts write, the part that drives may take without work, or do work for that they took
/// before, where they keep up with the load: one in so many.
const PART: u64 = 10;
/// And of all I/Os: where few of them write, what is taken without work matters little.
const PART_OF_IOS: u64 = 100;

/// What drives have taken without work on their flash, so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Credit {
    /// Units without work.
    units: i64,
    /// Units that hosts have written.
    accepted: u64,
    /// I/Os of all kinds.
    ios: u64,
}

impl Credit {
    /// That of some drives, after so many I/Os.
    pub(super) fn of<'a>(drives: impl Iterator<Item = &'a Drive<()>>, ios: u64) -> Self {
        let none = Self { units: 0, accepted: 0, ios };
        drives.fold(none, |sum, drive| Self {
            units: sum.units + drive.on_credit(),
            accepted: sum.accepted + drive.ftl().ledger().accepted,
            ios,
        })
    }

    /// Whether much of what was written since then was taken without work.
    pub(super) fn has_grown_since(&self, before: &Self) -> bool {
        self.units > before.units && self.has_moved_since(before)
    }

    /// Whether that is so, or much of the work was for what was written before.
    pub(super) fn has_moved_since(&self, before: &Self) -> bool {
        let (written, ios) = (self.accepted - before.accepted, self.ios - before.ios);
        (self.units - before.units).unsigned_abs() > (written / PART).max(ios / PART_OF_IOS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenth_of_what_is_written_may_be_without_work() {
        let before = Credit { units: 50, accepted: 1000, ios: 0 };
        let after = |units| Credit { units, accepted: 2000, ios: 10_000 };
        assert!(!after(150).has_grown_since(&before) && after(151).has_grown_since(&before));
        assert!(!after(-50).has_moved_since(&before) && after(-51).has_moved_since(&before));
        assert!(!after(-51).has_grown_since(&before), "it works for what it took before");
        let among_reads = Credit { ios: 20_000, ..after(250) };
        assert!(!among_reads.has_grown_since(&before), "a hundredth of all I/Os");
        assert!(Credit { units: 251, ..among_reads }.has_grown_since(&before));
    }
}
