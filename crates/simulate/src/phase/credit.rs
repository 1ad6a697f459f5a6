//! What drives take before they do the work for it.

use engine::{Instant, whole};
use iopath::device::flash::drive::Drive;

/// Of what hosts write, the part that drives may take without work, or do work for that they took
/// before, where they keep up with the load: one in so many.
const PART: u64 = 10;
/// And of all I/Os: where few of them write, what is taken without work matters little.
const PART_OF_IOS: u64 = 100;
/// And of what the flash can program meanwhile: where it has much more time than its work takes, it
/// is hardly busier when it does it. With five copies for each unit of the host that is a hundredth
/// of the time of each die.
const PART_OF_FLASH: u64 = 500;

/// What drives have taken without work on their flash, so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Credit {
    /// Units without work.
    units: i64,
    /// Units that hosts have written.
    accepted: u64,
    /// I/Os of all kinds.
    ios: u64,
    /// Units that the flash could have programmed, if it had done nothing else.
    programmable: u64,
}

impl Credit {
    /// That of some drives, after so many I/Os, now.
    pub(super) fn of<'a>(
        drives: impl Iterator<Item = &'a Drive<()>>,
        ios: u64,
        now: Instant,
    ) -> Self {
        let none = Self { units: 0, accepted: 0, ios, programmable: 0 };
        drives.fold(none, |sum, drive| Self {
            units: sum.units + drive.on_credit(),
            accepted: sum.accepted + drive.ftl().ledger().accepted,
            ios,
            programmable: sum.programmable + programmable(drive, now),
        })
    }

    /// Whether much of what was written since then was taken without work.
    pub(super) fn has_grown_since(&self, before: &Self) -> bool {
        self.units > before.units && self.has_moved_since(before)
    }

    /// Whether that is so, or much of the work was for what was written before.
    pub(super) fn has_moved_since(&self, before: &Self) -> bool {
        let (written, ios) = (self.accepted - before.accepted, self.ios - before.ios);
        let flash = self.programmable - before.programmable;
        let parts = [written / PART, ios / PART_OF_IOS, flash / PART_OF_FLASH];
        (self.units - before.units).unsigned_abs() > parts.into_iter().max().unwrap_or(0)
    }
}

/// Units that the flash of a drive could have programmed by now.
fn programmable(drive: &Drive<()>, now: Instant) -> u64 {
    let (config, layout) = (drive.config(), drive.ftl().layout());
    let times = &config.nand.program;
    let sum: u64 = times.iter().map(|time| time.ps()).sum();
    let program_ps = sum as f64 / times.len().max(1) as f64;
    let line = f64::from(config.geometry.dies) * f64::from(layout.wl_units());
    whole(line * now.ps() as f64 / program_ps.max(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenth_of_what_is_written_may_be_without_work() {
        let before = Credit { units: 50, accepted: 1000, ios: 0, programmable: 7 };
        let after = |units| Credit { units, accepted: 2000, ios: 10_000, programmable: 7 };
        assert!(!after(150).has_grown_since(&before) && after(151).has_grown_since(&before));
        assert!(!after(-50).has_moved_since(&before) && after(-51).has_moved_since(&before));
        assert!(!after(-51).has_grown_since(&before), "it works for what it took before");
        let among_reads = Credit { ios: 20_000, ..after(250) };
        assert!(!among_reads.has_grown_since(&before), "a hundredth of all I/Os");
        assert!(Credit { units: 251, ..among_reads }.has_grown_since(&before));
        let idle = Credit { programmable: 7 + 500 * 150, ..after(200) };
        assert!(!idle.has_grown_since(&before), "a five-hundredth of what the flash can do");
        assert!(Credit { units: 201, ..idle }.has_grown_since(&before));
    }
}
