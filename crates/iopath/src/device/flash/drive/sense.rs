//! Reads of the flash: units that one sense serves are read together.

use super::Drive;
use crate::device::flash::config::DriveConfig;
use crate::device::flash::nand::{Fate, PageRead, ReadOwner};
use crate::kernel::Context;
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use engine::narrow;

/// The page type of each row, which fixes its sense time; SLC blocks have the one after the last.
pub(super) struct PageTypes {
    of_row: Box<[u8]>,
    slc: u8,
}

impl PageTypes {
    /// The page types of this flash, which follow each other from row to row.
    pub(super) fn new(config: &DriveConfig) -> Self {
        let types: u32 = narrow(config.nand.sense.len());
        let slc = config.policies.slc.as_ref().map_or(0, |_| narrow(types));
        PageTypes {
            of_row: (0..config.geometry.rows).map(|row| narrow(row % types)).collect(),
            slc,
        }
    }
}

/// A read that is being put together, and what says whether one sense can serve a unit more.
pub(super) struct Pending {
    pub(super) read: PageRead,
    group: u32,
    row: u32,
}

impl Pending {
    /// True if one sense can serve both: same page, or same row of a die whose planes sense
    /// together.
    #[inline]
    fn serves(&self, other: &Pending, together: bool) -> bool {
        self.read.die == other.read.die
            && self.read.page_type == other.read.page_type
            && (self.group, self.row) == (other.group, other.row)
            && (together || self.read.plane == other.read.plane)
    }
}

impl<P: Payload> Drive<P> {
    /// Adds `bytes` from `offset` inside `unit` to the read being put together, or issues that one
    /// and begins another. Returns how many were issued.
    #[inline]
    pub(super) fn ask<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        owner: ReadOwner,
        unit: u32,
        offset: u64,
        bytes: u64,
        pending: &mut Option<Pending>,
    ) -> u32 {
        if self.ftl.layout().unit_planes == 1 {
            let next = self.part(owner, unit, 0, bytes);
            return self.join(context, next, pending);
        }
        let page = u64::from(self.ftl.layout().geometry.page_bytes);
        let (mut offset, mut left, mut issued) = (offset, bytes, 0);
        while left > 0 {
            let take = left.min(page - offset % page);
            let next = self.part(owner, unit, narrow(offset / page), take);
            issued += self.join(context, next, pending);
            offset += take;
            left -= take;
        }
        issued
    }

    /// A read of `bytes` of a unit on one plane, the first of the unit's planes or a later one.
    #[inline(always)]
    pub(super) fn part(&self, owner: ReadOwner, unit: u32, plane: u32, bytes: u64) -> Pending {
        let (group, place) = self.ftl.layout().locate(unit);
        let read = PageRead {
            owner,
            unit,
            bytes: narrow(bytes),
            die: narrow(place.die),
            plane: narrow(place.plane + plane),
            page_type: self.page_type(group, place.row),
            retries: 0,
            fate: Fate::Whole,
        };
        Pending { read, group, row: place.row }
    }

    /// Joins a part with the read being put together, or issues that one and begins another.
    /// Returns how many were issued.
    #[inline]
    fn join<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        next: Pending,
        pending: &mut Option<Pending>,
    ) -> u32 {
        let together = !self.config.nand.independent_planes;
        match pending {
            Some(p) if p.serves(&next, together) => p.read.bytes += next.read.bytes,
            _ => {
                if let Some(full) = pending.replace(next) {
                    self.issue(context, full.read);
                    return 1;
                }
            }
        }
        0
    }

    /// The page type of a row of a group's blocks.
    #[inline]
    pub(super) fn page_type(&self, group: u32, row: u32) -> u8 {
        if self.ftl.is_slc(group) {
            return self.page_types.slc;
        }
        self.page_types.of_row[row as usize]
    }

    /// Has a page read from the flash.
    #[inline(always)]
    pub(super) fn issue<O: Probe<P>>(&mut self, context: &mut Context<P, O>, read: PageRead) {
        if self.cells.is_some() {
            return self.issue_judged(context, read);
        }
        let now = context.queue.now();
        self.nand.read(&mut context.queue, now, read);
    }

    /// The same with cells that make errors.
    #[inline(never)]
    fn issue_judged<O: Probe<P>>(&mut self, context: &mut Context<P, O>, mut read: PageRead) {
        let now = context.queue.now();
        self.judge(&mut read, now);
        self.nand.read(&mut context.queue, now, read);
    }
}
