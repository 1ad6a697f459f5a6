//! Reading ahead: what follows reads in order is read before the host asks for it.
//!
//! A stream is a row of reads each of which begins where the last one ended. The controller follows
//! so many at a time, the one that has been quiet for longest is forgotten first. When enough reads
//! have followed each other it reads on, always half of what it keeps at once, so that pages are
//! read whole. A command finds its units there, or waits for those that are on their way. What
//! nobody asks for has been read in vain.

use super::Drive;
use super::sense::Pending;
use crate::device::flash::config::ReadAheadConfig;
use crate::device::flash::ftl::map::UNMAPPED;
use crate::device::flash::nand::{Fate, PageRead, ReadOwner};
use crate::kernel::Context;
use crate::kernel::command::CommandId;
use crate::kernel::payload::Payload;
use crate::kernel::probe::Probe;
use engine::narrow;
use std::collections::VecDeque;

/// The streams of a drive, and what has been read ahead of them.
pub(super) struct ReadAhead {
    config: ReadAheadConfig,
    /// The one that was read last is the last.
    streams: Vec<Stream>,
    parts: Vec<Part>,
    free: Vec<u32>,
    /// Streams so far.
    serial: u64,
}

/// Reads that follow each other.
struct Stream {
    serial: u64,
    /// Where the next read of the stream begins, bytes.
    next: u64,
    /// Reads so far.
    reads: u32,
    /// Logical unit of the first that is kept.
    first: u32,
    kept: VecDeque<Kept>,
}

/// A unit that was read ahead.
struct Kept {
    /// Where it was read; what has moved since is not found.
    unit: u32,
    here: bool,
    /// Commands that wait for it, and the bytes that each wants.
    waiting: Vec<(CommandId, u32)>,
}

impl Kept {
    /// A place of a unit that is not kept.
    fn nothing() -> Self {
        Kept { unit: UNMAPPED, here: true, waiting: Vec::new() }
    }
}

/// Units that arrive together; those between them that are kept for nothing count as well.
#[derive(Clone, Copy)]
struct Part {
    stream: u64,
    first: u32,
    last: u32,
    /// Flash reads under way.
    reads: u32,
    lost: bool,
}

impl ReadAhead {
    pub(super) fn new(config: ReadAheadConfig) -> Self {
        let (streams, parts, free) = (Vec::new(), Vec::new(), Vec::new());
        ReadAhead { config, streams, parts, free, serial: 0 }
    }

    /// Nothing is kept any more; what is under way arrives in vain.
    pub(super) fn forget(&mut self) {
        self.streams.clear();
    }

    /// A read of these bytes: its stream becomes the last one. False if it has none because
    /// commands wait for what was read ahead of every other.
    fn follow(&mut self, start: u64, end: u64) -> bool {
        let quiet = |stream: &Stream| stream.kept.iter().all(|kept| kept.waiting.is_empty());
        let mut stream = match self.streams.iter().rposition(|stream| stream.next == start) {
            Some(at) => self.streams.remove(at),
            None => {
                if self.streams.len() >= self.config.streams as usize {
                    let Some(oldest) = self.streams.iter().position(quiet) else { return false };
                    self.streams.remove(oldest);
                }
                self.serial += 1;
                Stream {
                    serial: self.serial,
                    next: start,
                    reads: 0,
                    first: 0,
                    kept: VecDeque::new(),
                }
            }
        };
        (stream.next, stream.reads) = (end, stream.reads.saturating_add(1));
        self.streams.push(stream);
        true
    }

    /// A unit that the last stream keeps, if it is still where it was read.
    fn find(&mut self, logical: u32, unit: u32) -> Option<&mut Kept> {
        let stream = self.streams.last_mut()?;
        let kept = stream.kept.get_mut(logical.checked_sub(stream.first)? as usize)?;
        (kept.unit == unit).then_some(kept)
    }

    /// Forgets what the last stream has passed, and says which units to read on, if it is time to.
    fn reach(&mut self, end: u32, logical_units: u32) -> Option<(u32, u32)> {
        let config = self.config;
        let stream = self.streams.last_mut()?;
        while stream.first < end && stream.kept.front().is_some_and(|kept| kept.here) {
            stream.kept.pop_front();
            stream.first += 1;
        }
        if stream.kept.is_empty() {
            stream.first = end;
        }
        let kept = (end.saturating_sub(stream.first) as usize).max(stream.kept.len());
        stream.kept.resize_with(kept, Kept::nothing);
        let from = stream.first + narrow::<u32>(kept);
        let half = (config.units / 2).max(1);
        let to = (end.saturating_add(config.units) / half * half).min(logical_units);
        let due = stream.reads >= config.after && from.saturating_sub(end) <= half;
        (due && from < to).then_some((from, to))
    }

    /// A part of nothing yet, of the last stream.
    fn begin_part(&mut self, first: u32) -> u32 {
        let stream = self.streams.last().map_or(0, |stream| stream.serial);
        let part = Part { stream, first, last: first, reads: 0, lost: false };
        match self.free.pop() {
            Some(slot) => {
                self.parts[slot as usize] = part;
                slot
            }
            None => {
                self.parts.push(part);
                narrow(self.parts.len() - 1)
            }
        }
    }

    /// A flash read of a part has arrived. Of the last one: the commands that waited, and whether
    /// the data can be read.
    fn arrived(&mut self, slot: u32, read: &PageRead) -> Option<(Vec<(CommandId, u32)>, bool)> {
        let part = &mut self.parts[slot as usize];
        part.reads -= 1;
        part.lost |= read.fate != Fate::Whole;
        if part.reads > 0 {
            return None;
        }
        let part = *part;
        self.free.push(slot);
        let stream = self.streams.iter_mut().find(|stream| stream.serial == part.stream)?;
        let mut waited = Vec::new();
        for logical in part.first..=part.last {
            let Some(at) = logical.checked_sub(stream.first) else { continue };
            let Some(kept) = stream.kept.get_mut(at as usize) else { continue };
            kept.here = true;
            waited.append(&mut kept.waiting);
            if part.lost {
                kept.unit = UNMAPPED;
            }
        }
        Some((waited, !part.lost))
    }
}

/// What reading ahead has of a unit.
pub(super) enum Ahead {
    /// It is in memory.
    Here,
    /// It is on its way, and the command waits for it.
    Coming,
    /// Nothing.
    Missing,
}

impl<P: Payload> Drive<P> {
    /// A read of these bytes is about to be dispatched. True if a stream of it is followed.
    #[inline]
    pub(super) fn follow(&mut self, start: u64, end: u64) -> bool {
        self.read_ahead.as_mut().is_some_and(|ahead| ahead.follow(start, end))
    }

    /// Looks for a unit of the stream that is followed; a command waits for what is on its way.
    pub(super) fn find_ahead(
        &mut self,
        id: CommandId,
        logical: u32,
        unit: u32,
        bytes: u64,
    ) -> Ahead {
        let found = self.read_ahead.as_mut().and_then(|ahead| ahead.find(logical, unit));
        match found {
            Some(kept) if kept.here => Ahead::Here,
            Some(kept) => {
                kept.waiting.push((id, narrow(bytes)));
                Ahead::Coming
            }
            None => Ahead::Missing,
        }
    }

    /// Reads on behind a command of the stream that is followed, which ends at this byte.
    pub(super) fn read_on<O: Probe<P>>(&mut self, context: &mut Context<P, O>, end: u64) {
        let end: u32 = narrow(end.div_ceil(self.unit_bytes));
        let logical_units = self.ftl.map().logical_units();
        let Some(mut ahead) = self.read_ahead.take() else { return };
        if let Some((from, to)) = ahead.reach(end, logical_units) {
            let mut pending = None;
            for logical in from..to {
                let kept = self.keep(context, &mut ahead, logical, &mut pending);
                ahead.streams.last_mut().expect("the stream that is followed").kept.push_back(kept);
            }
            if let Some(last) = pending {
                self.issue(context, last.read);
            }
        }
        self.read_ahead = Some(ahead);
    }

    /// Asks for a unit ahead of the last stream.
    fn keep<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        ahead: &mut ReadAhead,
        logical: u32,
        pending: &mut Option<Pending>,
    ) -> Kept {
        let unit = self.ftl.map().get(logical);
        let in_memory = unit == UNMAPPED || self.stripes.in_buffer(self.ftl.layout(), unit);
        if in_memory || self.modifies.payload(logical).is_some() {
            return Kept::nothing();
        }
        let bytes = match self.config.compression {
            Some(_) => self.stored_bytes(unit),
            None => self.unit_bytes,
        };
        let before = pending.is_some();
        let slot = ahead.begin_part(logical);
        let issued = self.ask(context, ReadOwner::Ahead(slot), unit, 0, bytes, pending);
        // One sense may serve what was asked for before.
        let served = match pending {
            Some(next) => next.read.owner,
            None => ReadOwner::Ahead(slot),
        };
        match served {
            ReadOwner::Ahead(at) if at != slot => {
                ahead.free.push(slot);
                ahead.parts[at as usize].last = logical;
            }
            _ => ahead.parts[slot as usize].reads = issued + 1 - u32::from(before),
        }
        Kept { unit, here: false, waiting: Vec::new() }
    }

    /// Data that was read ahead has come over the channel.
    pub(super) fn arrived_ahead<O: Probe<P>>(
        &mut self,
        context: &mut Context<P, O>,
        slot: u32,
        read: &PageRead,
    ) {
        let arrived = self.read_ahead.as_mut().and_then(|ahead| ahead.arrived(slot, read));
        let Some((waited, whole)) = arrived else { return };
        for (id, bytes) in waited {
            if whole {
                self.delivered(context, id, bytes);
            } else {
                // The command reads it for itself, with all that is done about errors.
                let owner = ReadOwner::Host(id);
                self.issue(context, PageRead { owner, bytes, fate: Fate::Whole, ..*read });
            }
        }
    }
}
