//! What a stripe must read and write for what is asked of it. Pure: sets of columns and slots in,
//! sets of slots out.

use super::config::Modify;
use super::layout::Layout;

/// What the members of a stripe can do at present, as sets of slots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reach {
    /// Slots whose member is gone, or not yet rebuilt at these rows: they cannot be read.
    pub unreadable: u64,
    /// Slots that have no member to write to.
    pub unwritable: u64,
    /// The parity of these rows is not known to be right: it is recomputed where possible.
    pub stale: bool,
}

/// How the new parity is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// All columns are known: from the writer, or read (reconstruct-write; a full stripe reads
    /// nothing).
    Encode,
    /// From the old parity and what changes (read-modify-write).
    Modify,
    /// Everything that can be read is read, what is missing is found, and the parity is encoded.
    Restore,
    /// No parity is to be written.
    Plain,
}

/// What a stripe does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// How parity is computed.
    pub method: Method,
    /// Slots that are read first.
    pub reads: u64,
    /// Slots that are written then.
    pub writes: u64,
}

impl Plan {
    /// A write of some columns of a stripe with parity. `None` if too much is missing.
    pub fn write(
        layout: &Layout,
        stripe: u64,
        columns: u64,
        reach: Reach,
        modify: Modify,
    ) -> Option<Plan> {
        let written = layout.slots(stripe, columns);
        let rest = layout.slots(stripe, layout.all_columns() & !columns);
        let parity = layout.parity_slots(stripe);
        let writes = (written | parity) & !reach.unwritable;
        if parity & !reach.unwritable == 0 {
            return Some(Plan { method: Method::Plain, reads: 0, writes });
        }
        // A parity chunk that is written must be read for read-modify-write.
        let old = written | parity & !reach.unwritable;
        let by_old = (old & reach.unreadable == 0 && !reach.stale).then_some(old);
        let by_rest = (rest & reach.unreadable == 0).then_some(rest);
        let encode = |reads| Plan { method: Method::Encode, reads, writes };
        let change = |reads| Plan { method: Method::Modify, reads, writes };
        match (by_old, by_rest) {
            (_, Some(0)) => Some(encode(0)),
            (Some(old), Some(rest)) => Some(match modify {
                Modify::OldData => change(old),
                Modify::Rest => encode(rest),
                Modify::Fewest if old.count_ones() < rest.count_ones() => change(old),
                Modify::Fewest => encode(rest),
            }),
            (Some(old), None) => Some(change(old)),
            (None, Some(rest)) => Some(encode(rest)),
            (None, None) => {
                let reads = Plan::everything(layout, stripe, reach)?;
                Some(Plan { method: Method::Restore, reads, writes })
            }
        }
    }

    /// Reads of columns of which some cannot be read: those that can, and what else is needed to
    /// find the others. `None` if too much is missing.
    pub fn reconstruct(layout: &Layout, stripe: u64, columns: u64, reach: Reach) -> Option<u64> {
        let wanted = layout.slots(stripe, columns);
        if wanted & reach.unreadable == 0 {
            return Some(wanted);
        }
        let data = layout.slots(stripe, layout.all_columns());
        let missing = data & reach.unreadable;
        let parity = layout.parity_slots(stripe) & !reach.unreadable;
        let need = missing.count_ones();
        if parity.count_ones() < need {
            return None;
        }
        // P before Q: it is cheaper to calculate with.
        let p = 1u64 << layout.parity(stripe);
        let chosen = match need {
            1 if parity & p != 0 => p,
            _ => parity,
        };
        Some(data & !reach.unreadable | chosen)
    }

    /// Everything of a stripe that can be read, if that is enough to know all of it.
    pub fn everything(layout: &Layout, stripe: u64, reach: Reach) -> Option<u64> {
        let all = u64::MAX >> (64 - layout.members());
        let data = layout.slots(stripe, layout.all_columns());
        let missing = (data & reach.unreadable).count_ones();
        let parity = (layout.parity_slots(stripe) & !reach.unreadable).count_ones();
        (missing <= parity).then_some(all & !reach.unreadable)
    }
}

#[cfg(test)]
mod tests {
    use super::super::config::{Level, RaidConfig};
    use super::*;

    const HEALTHY: Reach = Reach { unreadable: 0, unwritable: 0, stale: false };

    fn layout(level: Level, members: u32) -> Layout {
        Layout::new(&RaidConfig::new(level, members, 65536), 1 << 30)
    }

    fn counts(layout: &Layout, columns: u64, reach: Reach) -> (Method, u32, u32) {
        let plan = Plan::write(layout, 0, columns, reach, Modify::Fewest).unwrap();
        (plan.method, plan.reads.count_ones(), plan.writes.count_ones())
    }

    /// One column of n: read-modify-write reads 1 + parities, reconstruct-write the n - 1 others.
    #[test]
    fn a_write_takes_the_way_with_fewer_reads() {
        let five = layout(Level::Raid5, 6);
        assert_eq!(counts(&five, 0b1, HEALTHY), (Method::Modify, 2, 2));
        assert_eq!(counts(&five, 0b11, HEALTHY), (Method::Encode, 3, 3), "equal: reconstruct");
        assert_eq!(counts(&five, 0b111, HEALTHY), (Method::Encode, 2, 4));
        assert_eq!(counts(&five, 0b11111, HEALTHY), (Method::Encode, 0, 6));
        let three = layout(Level::Raid5, 3);
        assert_eq!(counts(&three, 0b1, HEALTHY), (Method::Encode, 1, 2));
        let six = layout(Level::Raid6, 10);
        assert_eq!(counts(&six, 0b1, HEALTHY), (Method::Modify, 3, 3), "six I/Os");
        assert_eq!(counts(&six, 0b1111, HEALTHY), (Method::Encode, 4, 6));
    }

    #[test]
    fn a_degraded_stripe_reads_around_what_is_missing() {
        let five = layout(Level::Raid5, 6);
        let lost = |columns| {
            let slots = five.slots(0, columns);
            Reach { unreadable: slots, unwritable: slots, stale: false }
        };
        // The lost column itself is written: only the parity can carry it, from all others.
        assert_eq!(counts(&five, 0b1, lost(0b1)), (Method::Encode, 4, 1));
        // Another is written: its old data and the parity, even where the rest would be fewer.
        assert_eq!(counts(&five, 0b111, lost(0b1000)), (Method::Modify, 4, 4));
        // The lost one and one more, with one left: that is read.
        assert_eq!(counts(&five, 0b1111, lost(0b1)), (Method::Encode, 1, 4));
        // Without parity there is nothing to keep up.
        let p = five.parity_slots(0);
        let reach = Reach { unreadable: p, unwritable: p, stale: false };
        assert_eq!(counts(&five, 0b1, reach), (Method::Plain, 0, 1));
        // Two columns of RAID 6 are lost, one of them is written: everything left is read.
        let six = layout(Level::Raid6, 6);
        let slots = six.slots(0, 0b11);
        let reach = Reach { unreadable: slots, unwritable: slots, stale: false };
        assert_eq!(counts(&six, 0b1, reach), (Method::Restore, 4, 2));
        assert_eq!(Plan::write(&five, 0, 1, lost(0b11), Modify::Fewest).map(|p| p.writes), {
            // The other lost column rules out both methods.
            None
        });
    }

    #[test]
    fn a_read_of_what_is_missing_needs_as_much_parity_as_is_missing() {
        let six = layout(Level::Raid6, 8);
        let reach = |slots| Reach { unreadable: slots, unwritable: slots, stale: false };
        let reads = |columns, lost| Plan::reconstruct(&six, 0, columns, reach(lost));
        assert_eq!(reads(0b10, six.slots(0, 1)).unwrap().count_ones(), 1, "not touched");
        assert_eq!(reads(0b1, six.slots(0, 1)).unwrap().count_ones(), 6, "five data and P");
        let p = six.parity_slots(0) & 1 << six.parity(0);
        assert_eq!(reads(0b1, six.slots(0, 1) | p).unwrap().count_ones(), 6, "five data and Q");
        assert_eq!(reads(0b1, six.slots(0, 0b11)).unwrap().count_ones(), 6, "four data, P and Q");
        assert_eq!(reads(0b1, six.slots(0, 0b111)), None);
    }
}
