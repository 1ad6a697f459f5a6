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
        let layout = self.ftl.layout();
        let (group, place) = layout.locate(unit);
        let page = layout.geometry.page_bytes as u64;
        let unit_planes = layout.unit_planes;
        let together = !self.config.nand.independent_planes;
        let page_type = self.page_type(group, place.row);
        let (mut offset, mut left, mut issued) = (offset, bytes, 0);
        while left > 0 {
            // A unit larger than a page is on several planes.
            let (plane, inside) =
                if unit_planes > 1 { (narrow(offset / page), offset % page) } else { (0, 0) };
            let take = if unit_planes > 1 { left.min(page - inside) } else { left };
            let read = PageRead {
                owner,
                unit,
                bytes: narrow(take),
                die: narrow(place.die),
                plane: narrow(place.plane + plane),
                page_type,
                retries: 0,
                fate: Fate::Whole,
            };
            let next = Pending { read, group, row: place.row };
            match pending {
                Some(p) if p.serves(&next, together) => p.read.bytes += next.read.bytes,
                _ => {
                    if let Some(full) = pending.replace(next) {
                        self.issue(context, full.read);
                        issued += 1;
                    }
                }
            }
            offset += take;
            left -= take;
        }
        issued
    }

    /// The page type of a row of a group's blocks.
    #[inline]
    pub(super) fn page_type(&self, group: u32, row: u32) -> u8 {
        if self.ftl.is_slc(group) {
            return self.page_types.slc;
        }
        self.page_types.of_row[row as usize]
    }

    #[inline]
    pub(super) fn issue<O: Probe<P>>(&mut self, context: &mut Context<P, O>, mut read: PageRead) {
        let now = context.queue.now();
        if self.cells.is_some() {
            self.judge(&mut read, now);
        }
        self.nand.read(&mut context.queue, now, read);
    }
}
