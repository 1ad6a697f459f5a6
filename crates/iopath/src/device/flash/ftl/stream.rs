//! A write stream: fills one stripe after another, page by page over planes and dies, so that all
//! dies work at once. A word line of a die is ready to program when its last page is full.

use super::pool::Pool;
use super::wear::OpenFirst;
use crate::device::flash::geometry::Layout;

/// A word line of one die that is full and waits to be programmed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReadyWordLine {
    /// The die.
    pub die: u32,
    /// First page row of the word line.
    pub row: u32,
    /// A group of the stripe, which identifies it.
    pub group: u32,
    /// Units of the host's data in it.
    pub host_units: u32,
    /// Units of copies in it; what is neither is padding or parity.
    pub copy_units: u32,
    /// True if the word line holds parity.
    pub parity: bool,
    /// True if its cells hold one bit each.
    pub slc: bool,
}

/// How a stream uses the blocks it fills.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lines {
    /// Pages of a plane that one program writes.
    pub pages: u32,
    /// Page rows of a block.
    pub rows: u32,
    /// One bit a cell.
    pub slc: bool,
}

impl Lines {
    /// Blocks as the flash is made for.
    pub fn native(layout: &Layout) -> Self {
        Lines { pages: layout.geometry.pages_per_wl, rows: layout.geometry.rows, slc: false }
    }

    /// Blocks whose cells hold one bit: one page a word line, and `rows` of them.
    pub fn slc(rows: u32) -> Self {
        Lines { pages: 1, rows, slc: true }
    }

    /// Units of data of a stripe that is filled so.
    pub fn stripe_units(&self, layout: &Layout) -> u32 {
        layout.stripe_data_units() / layout.geometry.rows * self.rows
    }
}

/// Where a unit comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// A command of the host.
    Host,
    /// A page that collection has read.
    Copy,
}

/// Index of the padding units, after the sources.
const PADDING: usize = 2;

/// Fills stripes in order.
#[derive(Clone, Debug)]
pub struct WriteStream {
    pub(super) lines: Lines,
    /// Which free groups it opens.
    pub(super) first: OpenFirst,
    pub(super) groups: Vec<u32>,
    pub(super) open: bool,
    pub(super) die: u32,
    pub(super) plane: u32,
    pub(super) row: u32,
    pub(super) slot: u32,
    pub(super) next: u32,
    /// Host units, copies and padding in each die's unfinished word line.
    pub(super) fill: Vec<[u32; 3]>,
    /// Dies whose unfinished word line was closed early with padding.
    pub(super) padded: Vec<bool>,
}

impl WriteStream {
    /// A stream without a stripe.
    pub fn new(layout: &Layout, lines: Lines) -> Self {
        let dies = layout.geometry.dies as usize;
        WriteStream {
            lines,
            first: OpenFirst::Oldest,
            groups: Vec::with_capacity(layout.lanes as usize),
            open: false,
            die: 0,
            plane: 0,
            row: 0,
            slot: 0,
            next: 0,
            fill: vec![[0; 3]; dies],
            padded: vec![false; dies],
        }
    }

    /// The same stream, opening other free groups first.
    pub fn opening(self, first: OpenFirst) -> Self {
        WriteStream { first, ..self }
    }

    /// True if a unit can be placed without opening a stripe.
    #[inline]
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// The groups of the open stripe.
    pub fn groups(&self) -> &[u32] {
        &self.groups
    }

    /// Units of data that still fit into the open stripe (padding not yet written counts).
    pub fn room(&self, layout: &Layout) -> u32 {
        if !self.open {
            return 0;
        }
        let per_die_row = layout.plane_slots * layout.slots;
        let first = self.groups[0];
        let dies = layout.geometry.dies;
        let data_dies =
            |from: u32| layout.data_number(first, dies) - layout.data_number(first, from);
        let rows_after = self.lines.rows - self.row - 1;
        let in_die = per_die_row - self.plane * layout.slots - self.slot;
        rows_after * data_dies(0) * per_die_row + data_dies(self.die + 1) * per_die_row + in_die
    }

    /// Units from a source in word lines that are not full yet.
    pub fn unfinished_units(&self, source: Source) -> u32 {
        self.fill.iter().map(|units| units[source as usize]).sum()
    }

    /// Units of any kind in word lines that are not full yet.
    pub fn unfinished(&self) -> u32 {
        self.fill.as_flattened().iter().sum()
    }

    /// How its blocks are used.
    pub fn lines(&self) -> Lines {
        self.lines
    }

    /// True if the next unit is the first of its page.
    #[inline]
    pub fn at_page_start(&self) -> bool {
        self.slot == 0
    }

    /// First row of `die` that no finished word line covers, in the open stripe.
    pub fn finished_rows(&self, die: u32) -> u32 {
        let ppw = self.lines.pages;
        // Dies before the cursor have filled this row, so they may have finished one line more.
        let rows = if die < self.die { self.row + 1 } else { self.row };
        if self.padded[die as usize] { rows.div_ceil(ppw) * ppw } else { rows / ppw * ppw }
    }

    /// Opens the next stripe. Returns word lines that parity alone makes ready at its start.
    pub fn open_stripe(&mut self, layout: &Layout, pool: &mut Pool, ready: &mut Ready) {
        debug_assert!(!self.open);
        pool.open_stripe(&mut self.groups, self.first);
        self.open = true;
        (self.die, self.plane, self.row, self.slot) = (0, 0, 0, 0);
        self.settle(layout, pool, ready);
    }

    /// Opens the next stripe and fills it with valid units at once.
    pub fn lay_stripe(&mut self, layout: &Layout, pool: &mut Pool) {
        debug_assert!(!self.open && self.unfinished() == 0);
        pool.open_stripe(&mut self.groups, self.first);
        for &group in &self.groups {
            pool.add_valid(group, layout.group_data_units);
            pool.close(group);
        }
        (self.die, self.plane, self.row, self.slot) = (0, 0, self.lines.rows, 0);
    }

    /// Makes room for the next `size` units of data: pads the rest of a page into which they do not
    /// fit, and opens a stripe if none is open, which is noted in `opened`. Returns how many units
    /// were padded.
    #[inline]
    pub fn make_ready(
        &mut self,
        size: u32,
        layout: &Layout,
        pool: &mut Pool,
        ready: &mut Ready,
        opened: &mut Vec<(Vec<u32>, Lines)>,
    ) -> u32 {
        let lost = if self.fits(layout, size) { 0 } else { self.pad_page(layout, pool, ready) };
        if !self.open {
            self.open_stripe(layout, pool, ready);
            opened.push((self.groups.clone(), self.lines));
        }
        lost
    }

    /// True if `size` units fit into what is left of the page.
    #[inline]
    pub fn fits(&self, layout: &Layout, size: u32) -> bool {
        self.slot + size <= layout.slots
    }

    /// Units that still fit into the page.
    #[inline]
    pub fn left_on_page(&self, layout: &Layout) -> u32 {
        layout.slots - self.slot
    }

    /// True if `size` units can be placed without opening a stripe. In the last page of a stripe a
    /// unit of several grains may find less room than it needs, and the stripe ends with it.
    #[inline]
    pub fn takes(&self, layout: &Layout, size: u32) -> bool {
        self.open
            && (self.fits(layout, size)
                || self.room_with_padding(layout) > layout.slots - self.slot)
    }

    /// The physical unit for the next `size` units of data, which must fit into the page; the
    /// caller maps it.
    #[inline]
    pub fn place(
        &mut self,
        source: Source,
        size: u32,
        layout: &Layout,
        pool: &mut Pool,
        ready: &mut Ready,
    ) -> u32 {
        debug_assert!(self.open);
        let unit = self.next;
        self.fill[self.die as usize][source as usize] += size;
        self.slot += size;
        self.next += size;
        if self.slot == layout.slots {
            self.next_page(layout, pool, ready);
        }
        unit
    }

    /// Pads the rest of a page that has been begun. Returns the number of padded units.
    pub fn pad_page(&mut self, layout: &Layout, pool: &mut Pool, ready: &mut Ready) -> u32 {
        if !self.open || self.slot == 0 {
            return 0;
        }
        let lost = layout.slots - self.slot;
        self.fill[self.die as usize][PADDING] += lost;
        self.next_page(layout, pool, ready);
        lost
    }

    #[inline]
    fn next_page(&mut self, layout: &Layout, pool: &mut Pool, ready: &mut Ready) {
        self.slot = 0;
        self.plane += 1;
        if self.plane == layout.plane_slots {
            self.plane = 0;
            self.end_of_die(false, ready);
            self.settle(layout, pool, ready);
        } else {
            self.next = layout.page_unit(&self.groups, self.die, self.plane, self.row);
        }
    }

    /// The cursor leaves a die's pages of this row: its word line may be full.
    fn end_of_die(&mut self, parity: bool, ready: &mut Ready) {
        let ppw = self.lines.pages;
        let d = self.die as usize;
        if (self.row + 1).is_multiple_of(ppw) {
            if !self.padded[d] {
                ready.push(ReadyWordLine {
                    die: self.die,
                    row: self.row + 1 - ppw,
                    group: self.groups[0],
                    host_units: self.fill[d][Source::Host as usize],
                    copy_units: self.fill[d][Source::Copy as usize],
                    parity,
                    slc: self.lines.slc,
                });
            }
            self.fill[d] = [0; 3];
            self.padded[d] = false;
        }
        self.die += 1;
    }

    /// Moves the cursor past parity dies, padded word lines and row ends to the next place for
    /// data, or closes the stripe.
    fn settle(&mut self, layout: &Layout, pool: &mut Pool, ready: &mut Ready) {
        loop {
            if self.die == layout.geometry.dies {
                self.die = 0;
                self.row += 1;
                if self.row == self.lines.rows {
                    self.open = false;
                    for &group in &self.groups {
                        pool.close(group);
                    }
                    return;
                }
            }
            if layout.is_parity(self.die, self.groups[0]) {
                self.end_of_die(true, ready);
            } else if self.padded[self.die as usize] {
                self.end_of_die(false, ready);
            } else {
                self.next = layout.page_unit(&self.groups, self.die, 0, self.row);
                return;
            }
        }
    }

    /// Closes every word line that holds data with padding, so that it can be programmed now.
    /// Returns how many units of the stripe were padded.
    pub fn pad(&mut self, layout: &Layout, pool: &mut Pool, ready: &mut Ready) -> u32 {
        if !self.open {
            return 0;
        }
        let room = self.room_with_padding(layout);
        let ppw = self.lines.pages;
        for die in 0..layout.geometry.dies {
            let d = die as usize;
            if self.fill[d] != [0; 3] && !self.padded[d] {
                ready.push(ReadyWordLine {
                    die,
                    // A die before the cursor cannot have passed its line's last row: its fill
                    // would be zero. So the line is the one that holds the cursor's row.
                    row: self.row / ppw * ppw,
                    group: self.groups[0],
                    host_units: self.fill[d][Source::Host as usize],
                    copy_units: self.fill[d][Source::Copy as usize],
                    parity: false,
                    slc: self.lines.slc,
                });
                self.fill[d] = [0; 3];
                self.padded[d] = true;
            }
        }
        if self.padded[self.die as usize] {
            (self.plane, self.slot) = (0, 0);
            self.end_of_die(false, ready);
            self.settle(layout, pool, ready);
        }
        room - self.room_with_padding(layout)
    }

    /// Room for data, without the padding of word lines.
    pub fn room_with_padding(&self, layout: &Layout) -> u32 {
        if !self.open {
            return 0;
        }
        let ppw = self.lines.pages;
        let per_die_row = layout.plane_slots * layout.slots;
        let line_end = (self.row / ppw + 1) * ppw;
        let lost: u32 = (0..layout.geometry.dies)
            .filter(|&d| self.padded[d as usize] && !layout.is_parity(d, self.groups[0]))
            .map(|d| {
                let from = if d < self.die { self.row + 1 } else { self.row };
                (line_end - from) * per_die_row
            })
            .sum();
        self.room(layout) - lost
    }
}

/// Word lines made ready since they were last taken; kept by the FTL.
pub type Ready = Vec<ReadyWordLine>;
