//! Reads: from the map to the flash or the buffer, and back over the link.

use super::Drive;
use crate::device::flash::config::DriveConfig;
use crate::device::flash::ftl::map::UNMAPPED;
use crate::device::flash::nand::{Fate, PageRead, ReadOwner};
use crate::kernel::Context;
use crate::kernel::command::CommandId;
use crate::kernel::data::UNIT;
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
    /// The controller knows what to read: find it and request it. Units that are on one page, or on
    /// pages that one sense serves, are read together.
    #[inline]
    pub(super) fn dispatch_read<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        id: CommandId,
    ) {
        let now = context.queue.now();
        let command = context.commands.get(id);
        let (start, len) = (self.on_drive(command), u64::from(command.len));
        let end = start + len;
        self.health.host_read_bytes += len;
        self.health.read_commands += 1;
        let (mut at, mut buffered) = (start, 0u64);
        let mut pending: Option<Pending> = None;
        let mut parts = 0;
        let mut logical: u32 = narrow(at / self.unit_bytes);
        while at < end {
            let unit_end = (logical as u64 + 1) * self.unit_bytes;
            let bytes = unit_end.min(end) - at;
            let unit = self.ftl.map().get(logical);
            if unit == UNMAPPED || self.stripes.in_buffer(self.ftl.layout(), unit) {
                let payload = match self.modifies.payload(logical) {
                    Some(payload) => payload,
                    None if unit == UNMAPPED => P::default(),
                    None => self.ftl.tag(unit),
                };
                context.data.put(id, (at - start) / UNIT, payload);
                context.probe.unit_read(logical as u64, payload);
                buffered += bytes;
            } else {
                let offset = at - logical as u64 * self.unit_bytes;
                let modified = self.modifies.payload(logical);
                let payload = modified.unwrap_or_else(|| self.ftl.tag(unit));
                context.data.put(id, (at - start) / UNIT, payload);
                context.probe.unit_read(logical as u64, payload);
                // A part of a compressed unit needs the whole of it.
                let compressed = self.config.compression.is_some();
                let (offset, bytes) =
                    if compressed { (0, self.stored_bytes(unit)) } else { (offset, bytes) };
                parts += self.ask(context, ReadOwner::Host(id), unit, offset, bytes, &mut pending);
            }
            at += bytes;
            logical += 1;
        }
        if let Some(last) = pending {
            self.issue(context, last.read);
            parts += 1;
        }
        if buffered > 0 {
            self.nand.count_read_bytes(buffered);
        }
        // It has paid for pages in order; units that are not adjacent need more.
        if parts > 1 {
            let paid = len.div_ceil(self.page_bytes());
            self.nand.pay_senses(now, u64::from(parts).saturating_sub(paid));
        }
        let command = context.commands.get_mut(id);
        (command.remaining, command.progress) = (parts, narrow(buffered));
        if parts == 0 {
            // Nothing on the flash: the data comes from memory, or there is none to fetch.
            let sent = self.link.send(now, buffered);
            self.finish(context, id, sent + self.config.controller.buffer_read);
        }
    }

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

    /// The data of a page has come over the channel.
    #[inline]
    pub(super) fn arrived<O: Probe<P>>(&mut self, context: &mut Context<P, O>, read: PageRead) {
        match read.owner {
            ReadOwner::Host(id) => {
                let now = context.queue.now();
                let mut bytes = read.bytes;
                if self.cells.is_some() {
                    bytes = self.settle_fate(context, id, &read);
                }
                let command = context.commands.get_mut(id);
                command.remaining -= 1;
                // What the buffer gave goes with the last page.
                let last = command.remaining == 0;
                bytes += if last { command.progress } else { 0 };
                if self.config.compression.is_some() {
                    // What the flash gave says nothing about what the host gets: all goes at the
                    // end.
                    bytes = if last { command.len } else { 0 };
                }
                let sent = self.link.send(now, bytes as u64);
                if last {
                    self.finish(context, id, sent + self.config.nand.ecc);
                }
            }
            ReadOwner::Copy(bits) => self.copied(context, read.unit, bits),
            ReadOwner::Modify(logical) => self.modified(context, logical),
            ReadOwner::Map(page) => self.translated(context, page),
        }
        if self.refresh_due {
            self.refresh_due = false;
            self.go_on(context);
        }
    }
}
