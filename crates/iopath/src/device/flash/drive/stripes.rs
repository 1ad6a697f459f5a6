//! Which units are placed but not yet programmed. A unit is in the buffer until the word line that
//! holds it has been programmed; until then a read finds it there.

use crate::device::flash::ftl::stream::Lines;
use crate::device::flash::geometry::Layout;
use engine::narrow;

const SETTLED: u32 = u32::MAX;

/// A stripe with word lines that are not programmed.
struct Unsettled {
    groups: Vec<u32>,
    /// Rows of each die that have been programmed.
    rows: Vec<u32>,
    /// Page rows of one program.
    pages: u32,
    lines_left: u32,
}

/// Tracks the stripes that are not wholly on the flash.
pub(super) struct Stripes {
    /// Slot of each group's stripe, or SETTLED.
    slot: Vec<u32>,
    slots: Vec<Unsettled>,
    free: Vec<u32>,
    dies: u32,
}

impl Stripes {
    pub(super) fn new(layout: &Layout) -> Self {
        Stripes {
            slot: vec![SETTLED; layout.groups as usize],
            slots: Vec::new(),
            free: Vec::new(),
            dies: layout.geometry.dies,
        }
    }

    /// A stream has opened a stripe to fill it with `lines`; `rows` of each die are on the flash
    /// already.
    pub(super) fn open(&mut self, groups: &[u32], lines: Lines, rows: impl Iterator<Item = u32>) {
        let rows: Vec<u32> = rows.collect();
        let done: u32 = rows.iter().map(|r| r / lines.pages).sum();
        let lines_left = self.dies * (lines.rows / lines.pages) - done;
        let stripe = Unsettled { groups: groups.to_vec(), rows, pages: lines.pages, lines_left };
        let slot = match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = stripe;
                slot
            }
            None => {
                self.slots.push(stripe);
                narrow(self.slots.len() - 1)
            }
        };
        for &group in groups {
            self.slot[group as usize] = slot;
        }
    }

    /// A word line has been programmed. Returns the groups of its stripe if it was the last one.
    pub(super) fn programmed(&mut self, group: u32, die: u32, row: u32) -> Option<&[u32]> {
        let slot = self.slot[group as usize];
        assert_ne!(slot, SETTLED, "a settled stripe has nothing left to program");
        let stripe = &mut self.slots[slot as usize];
        assert_eq!(stripe.rows[die as usize], row, "a die programs its word lines in order");
        stripe.rows[die as usize] = row + stripe.pages;
        stripe.lines_left -= 1;
        if stripe.lines_left > 0 {
            return None;
        }
        for &group in &stripe.groups {
            self.slot[group as usize] = SETTLED;
        }
        self.free.push(slot);
        Some(&stripe.groups)
    }

    /// True if a placed unit has not been programmed yet.
    #[inline]
    pub(super) fn in_buffer(&self, layout: &Layout, unit: u32) -> bool {
        let slot = self.slot[layout.group_of(unit) as usize];
        if slot == SETTLED {
            return false;
        }
        let place = layout.place(unit);
        place.row >= self.slots[slot as usize].rows[place.die as usize]
    }
}
