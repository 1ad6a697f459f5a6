//! Reads: from the map to the flash or the buffer, and back over the link.

use super::Drive;
use super::read_ahead::Ahead;
use super::sense::Pending;
use crate::device::flash::ftl::map::UNMAPPED;
use crate::device::flash::nand::{PageRead, ReadOwner};
use crate::kernel::Context;
use crate::kernel::command::CommandId;
use crate::kernel::data::UNIT;
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use engine::narrow;

/// A part of a command that is in one unit.
struct Wanted {
    id: CommandId,
    logical: u32,
    /// Where it begins on the drive, bytes.
    at: u64,
    bytes: u64,
    /// Where it begins in the command, bytes.
    place: u64,
    /// It is all of the command.
    alone: bool,
}

/// Where the parts of a command were found.
#[derive(Default)]
struct Found {
    /// Bytes in the buffer, or on no flash at all.
    buffered: u64,
    /// Bytes that were read ahead.
    ahead: u64,
    /// Units that are being read ahead.
    coming: u32,
    /// Flash reads that were issued.
    parts: u32,
    /// The flash read that is being put together.
    pending: Option<Pending>,
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
        let command = context.commands.get(id);
        let (start, len) = (self.on_drive(command), u64::from(command.len));
        let end = start + len;
        self.health.host_read_bytes += len;
        self.health.read_commands += 1;
        let followed = self.follow(start, end);
        let mut found = Found::default();
        let mut at = start;
        let mut logical: u32 = narrow(at / self.unit_bytes);
        while at < end {
            let unit_end = ((logical as u64 + 1) * self.unit_bytes).min(end);
            self.prefetch_ahead(unit_end, end);
            let (bytes, place) = (unit_end - at, at - start);
            let wanted = Wanted { id, logical, at, bytes, place, alone: bytes == len };
            self.find(context, &wanted, followed, &mut found);
            at = unit_end;
            logical += 1;
        }
        if let Some(last) = found.pending.take() {
            self.issue(context, last.read);
            found.parts += 1;
        }
        self.begin_answer(context, id, &found);
        if followed {
            self.read_on(context, end);
        }
    }

    /// Finds a unit of a read: nowhere, in the buffer, among what was read ahead, or on the flash,
    /// which is asked for it.
    #[inline]
    fn find<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        wanted: &Wanted,
        followed: bool,
        found: &mut Found,
    ) {
        let (id, logical, bytes) = (wanted.id, wanted.logical, wanted.bytes);
        let unit = self.ftl.map().get(logical);
        let buffered = unit == UNMAPPED || self.stripes.in_buffer(self.ftl.layout(), unit);
        let modified = self.modifies.payload(logical);
        let payload = match modified {
            Some(payload) => payload,
            None if unit == UNMAPPED => P::default(),
            None => self.ftl.tag(unit),
        };
        context.data.put(id, wanted.place / UNIT, payload);
        context.probe.unit_read(logical as u64, payload);
        if buffered {
            found.buffered += bytes;
            return;
        }
        let ahead = match followed && modified.is_none() {
            true => self.find_ahead(id, logical, unit, bytes),
            false => Ahead::Missing,
        };
        match ahead {
            Ahead::Here => found.ahead += bytes,
            Ahead::Coming => found.coming += 1,
            Ahead::Missing => {
                // A part of a compressed unit needs the whole of it.
                let (offset, bytes) = match self.config.compression {
                    Some(_) => (0, self.stored_bytes(unit)),
                    None => (wanted.at - logical as u64 * self.unit_bytes, bytes),
                };
                let owner = ReadOwner::Host(id);
                if wanted.alone && self.ftl.layout().unit_planes == 1 {
                    // Nothing can be joined with it.
                    let part = self.part(owner, unit, 0, bytes);
                    self.issue(context, part.read);
                    found.parts = 1;
                } else {
                    let pending = &mut found.pending;
                    found.parts += self.ask(context, owner, unit, offset, bytes, pending);
                }
            }
        }
    }

    /// All of a read has been found: what memory has goes to the host, alone if it is all.
    #[inline]
    fn begin_answer<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        id: CommandId,
        found: &Found,
    ) {
        let now = context.queue.now();
        let (buffered, mut ahead, parts) = (found.buffered, found.ahead, found.parts);
        let command = context.commands.get_mut(id);
        if buffered > 0 {
            self.nand.count_read_bytes(buffered);
        }
        // It has paid for pages in order; units that are not adjacent need more.
        if parts > 1 {
            let paid = u64::from(command.len).div_ceil(self.page_bytes());
            self.nand.pay_senses(now, u64::from(parts).saturating_sub(paid));
        }
        let from_flash = parts + found.coming > 0;
        if ahead > 0 && from_flash && !self.sends_whole() {
            // What was read ahead comes first, and is on its way while the flash works.
            self.link.send(now, ahead);
            ahead = 0;
        }
        (command.remaining, command.progress) = (parts + found.coming, narrow(buffered + ahead));
        if !from_flash {
            // Nothing on the flash: the data comes from memory, or there is none to fetch.
            let sent = self.link.send(now, buffered + ahead);
            self.finish(context, id, sent + self.config.controller.buffer_read);
        }
    }

    /// Whether the data of a read goes to the host at its end: the drive waits for all of it, or
    /// compresses it, and then what the flash gives says nothing about what the host gets.
    #[inline]
    fn sends_whole(&self) -> bool {
        self.config.controller.whole_reads || self.config.compression.is_some()
    }

    /// A part of what a command reads is in the controller.
    #[inline]
    pub(super) fn delivered<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        id: CommandId,
        mut bytes: u32,
    ) {
        let now = context.queue.now();
        let command = context.commands.get_mut(id);
        command.remaining -= 1;
        // What memory gave goes with the last page.
        let last = command.remaining == 0;
        bytes += if last { command.progress } else { 0 };
        let len = command.len;
        if self.sends_whole() {
            bytes = if last { len } else { 0 };
        }
        let sent = self.link.send(now, bytes as u64);
        if last {
            self.finish(context, id, sent + self.config.nand.ecc);
        }
    }

    /// The data of a page has come over the channel.
    #[inline]
    pub(super) fn arrived<O: Probe<P>>(&mut self, context: &mut Context<P, O>, read: PageRead) {
        match read.owner {
            ReadOwner::Host(id) => {
                let mut bytes = read.bytes;
                if self.cells.is_some() {
                    bytes = self.settle_fate(context, id, &read);
                }
                self.delivered(context, id, bytes);
            }
            ReadOwner::Ahead(slot) => self.arrived_ahead(context, slot, &read),
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
