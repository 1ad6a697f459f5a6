//! Page registers: what a plane sensed last stays there until its array works again, and a read of
//! the same page needs a transfer only.

use super::PageRead;
use super::read::Fate;
use crate::device::flash::geometry::Geometry;
use engine::Divisor;

/// The pages that a plane holds, by number; none if `end` is 0.
#[derive(Clone, Copy, Default, Debug)]
struct Held {
    first: u32,
    end: u32,
}

/// The registers of all planes that sense by themselves, die after die.
pub(super) struct Registers {
    held: Vec<Held>,
    /// Such planes of a die.
    planes: u32,
    /// Units of a page (1 if a unit spans pages).
    slots: Divisor,
    /// Pages of a unit (1 unless a unit is larger than a page).
    unit_pages: u32,
    unit_bytes: u32,
    page_bytes: u32,
}

impl Registers {
    /// Empty registers.
    pub(super) fn new(geometry: &Geometry, planes: u32) -> Self {
        Registers {
            held: vec![Held::default(); (geometry.dies * planes) as usize],
            planes,
            slots: Divisor::new((geometry.page_bytes / geometry.unit_bytes).max(1)),
            unit_pages: (geometry.unit_bytes / geometry.page_bytes).max(1),
            unit_bytes: geometry.unit_bytes,
            page_bytes: geometry.page_bytes,
        }
    }

    /// True if a plane still holds what a read wants; else it will hold that, since it senses.
    #[inline]
    pub(super) fn serve(&mut self, die: u32, plane: u32, read: &PageRead) -> bool {
        let wanted = self.pages(read);
        let held = &mut self.held[(die * self.planes + plane) as usize];
        let first_try = read.retries == 0 && read.fate == Fate::Whole;
        if first_try && held.first <= wanted.first && wanted.end <= held.end {
            return true;
        }
        *held = wanted;
        false
    }

    /// The array of a die works: its registers hold nothing any more.
    pub(super) fn clear(&mut self, die: u32) {
        let first = (die * self.planes) as usize;
        self.held[first..first + self.planes as usize].fill(Held::default());
    }

    /// The pages of a read. Planes that sense together may serve several with one sense.
    #[inline]
    fn pages(&self, read: &PageRead) -> Held {
        let (page, slot) = self.slots.div_rem(read.unit);
        let first = match self.unit_pages {
            1 => page,
            pages => page * pages + u32::from(read.plane) % pages,
        };
        let bytes = slot * self.unit_bytes + read.bytes;
        let more = if bytes <= self.page_bytes { 1 } else { bytes.div_ceil(self.page_bytes) };
        Held { first, end: first + more }
    }
}
