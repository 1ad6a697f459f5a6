//! One connection of a target.

use super::fault::Fault;
use super::pdu::{self, COMMON_LEN, Digests, Head, Kind};
use super::transfer::Transfers;
use super::{IN_CAPSULE, LONGEST_DATA_PDU, LONGEST_TRANSFER, build};
use crate::command::{Direction, SGL_IN_CAPSULE, SGL_TRANSPORT, Sqe};
use crate::completion::Completion;
use crate::status::Status;
use crate::wire::{put, size, u16_at, u32_at};

/// What a session hands to its server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A command whose data is whole. It is answered with [`Session::complete`].
    Command {
        /// The command.
        sqe: Sqe,
        /// What the host sent with it.
        data: Vec<u8>,
    },
}

/// One connection of a target, which is one queue: bytes in, answers and events out.
#[derive(Debug)]
pub struct Session {
    pdu: Vec<u8>,
    ready: bool,
    digests: Digests,
    align: usize,
    transfers: Transfers,
    event: Option<Event>,
    /// Entries of the queue.
    entries: u16,
    /// Where the next command is read from the queue.
    head: u16,
    fault: Option<Fault>,
}

/// The most data that a PDU of a kind carries. The reason of a termination is data too.
fn longest(kind: Kind) -> u32 {
    match kind {
        Kind::Command => IN_CAPSULE,
        Kind::HostData => LONGEST_DATA_PDU,
        Kind::HostTerminates => 128,
        _ => 0,
    }
}

impl Default for Session {
    fn default() -> Self {
        Session::new()
    }
}

impl Session {
    /// A connection that has just been made.
    pub fn new() -> Session {
        Session {
            pdu: Vec::new(),
            ready: false,
            digests: Digests::default(),
            align: 1,
            transfers: Transfers::default(),
            event: None,
            entries: 1,
            head: 0,
            fault: None,
        }
    }

    /// Takes bytes from the host, until there are no more or a command waits in
    /// [`Session::next_event`], since what it does may change what the next bytes mean. Answers of
    /// the transport are added to `out`.
    ///
    /// # Errors
    /// If the host must be dropped, once `out` has been sent. Every later call fails in the same
    /// way.
    pub fn receive(&mut self, bytes: &mut &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
        loop {
            if let Some(fault) = self.fault {
                return Err(fault);
            }
            if self.event.is_some() {
                return Ok(());
            }
            match self.step(bytes, out) {
                Ok(true) => {}
                Ok(false) => return Ok(()),
                Err(fault) => self.stop(fault, out),
            }
        }
    }

    /// The next command.
    pub fn next_event(&mut self) -> Option<Event> {
        self.event.take()
    }

    /// The queue has so many entries from now on: so many commands may be under way.
    pub fn set_entries(&mut self, entries: u16) {
        self.entries = entries.max(1);
        self.head = 1 % self.entries;
    }

    /// Answers a command: data that the host reads, then the response. False if no such command is
    /// under way.
    pub fn complete(&mut self, out: &mut Vec<u8>, cid: u16, completion: &Completion) -> bool {
        if !self.transfers.close(cid) {
            return false;
        }
        if completion.status == Status::SUCCESS && !completion.data.is_empty() {
            self.send_data(out, cid, &completion.data);
        }
        let entry = completion.entry(self.head, cid);
        self.send(out, Kind::Response, &entry);
        true
    }

    /// Bytes that were received and are not handed out.
    pub fn buffered(&self) -> usize {
        let waiting = self.event.as_ref().map_or(0, |Event::Command { data, .. }| 64 + data.len());
        self.pdu.len() + self.transfers.buffered() + waiting
    }

    fn send_data(&mut self, out: &mut Vec<u8>, cid: u16, data: &[u8]) {
        let mut header = [0; 16];
        put(&mut header, 0, &cid.to_le_bytes());
        put(&mut header, 8, &crate::wire::len32(data.len()).to_le_bytes());
        let form = (Kind::TargetData, pdu::LAST);
        build(out, form, &header, data, (self.digests, self.align));
    }

    fn send(&self, out: &mut Vec<u8>, kind: Kind, header: &[u8]) {
        build(out, (kind, 0), header, &[], (self.digests, 1));
    }

    /// Tells the host why, and takes nothing more.
    fn stop(&mut self, fault: Fault, out: &mut Vec<u8>) {
        if let Some((status, information)) = fault.status() {
            let mut header = [0; 16];
            put(&mut header, 0, &status.to_le_bytes());
            put(&mut header, 2, &information.to_le_bytes());
            let shown = self.pdu.get(2).copied().map_or(0, usize::from).max(COMMON_LEN);
            let shown = &self.pdu[..shown.min(self.pdu.len()).min(128)];
            build(out, (Kind::TargetTerminates, 0), &header, shown, (Digests::default(), 1));
        }
        self.pdu = Vec::new();
        self.event = None;
        self.transfers = Transfers::default();
        self.fault = Some(fault);
    }

    /// Takes bytes up to `len` in all. True if they are there.
    fn fill(&mut self, bytes: &mut &[u8], len: usize) -> bool {
        let (now, rest) = bytes.split_at(bytes.len().min(len.saturating_sub(self.pdu.len())));
        self.pdu.extend_from_slice(now);
        *bytes = rest;
        self.pdu.len() >= len
    }

    /// Takes one PDU. False if it is not whole.
    fn step(&mut self, bytes: &mut &[u8], out: &mut Vec<u8>) -> Result<bool, Fault> {
        if !self.fill(bytes, COMMON_LEN) {
            return Ok(false);
        }
        let head = Head::parse(&self.pdu, self.digests, longest)?;
        self.check_place(head.kind)?;
        if !self.fill(bytes, head.len) {
            return Ok(false);
        }
        head.check_header(&self.pdu)?;
        match head.kind {
            Kind::ConnectionRequest => self.open(out)?,
            Kind::Command => self.command(head, out)?,
            Kind::HostData => self.data(head, out)?,
            _ => return Err(Fault::Terminated(u16_at(&self.pdu, 8))),
        }
        self.pdu.clear();
        Ok(true)
    }

    /// Whether a PDU of this kind may come now.
    fn check_place(&self, kind: Kind) -> Result<(), Fault> {
        match kind {
            Kind::HostTerminates => Ok(()),
            Kind::ConnectionRequest if self.ready => Err(Fault::Sequence("a second handshake")),
            Kind::ConnectionRequest => Ok(()),
            Kind::Command | Kind::HostData if !self.ready => {
                Err(Fault::Sequence("no handshake came first"))
            }
            Kind::Command | Kind::HostData => Ok(()),
            other => Err(Fault::Kind(other as u8)),
        }
    }

    /// Answers the request for a connection.
    fn open(&mut self, out: &mut Vec<u8>) -> Result<(), Fault> {
        let (version, align) = (u16_at(&self.pdu, 8), self.pdu[10]);
        let wanted = self.pdu[11];
        if version != 0 {
            return Err(Fault::Parameter(8));
        }
        if align > 31 {
            return Err(Fault::Header { offset: 10, why: "the alignment is beyond 128 bytes" });
        }
        let mut header = [0; 8];
        header[3] = wanted & 3;
        put(&mut header, 4, &LONGEST_DATA_PDU.to_le_bytes());
        self.send(out, Kind::ConnectionResponse, &header);
        self.digests = Digests { header: wanted & 1 != 0, data: wanted & 2 != 0 };
        self.align = (usize::from(align) + 1) * 4;
        self.ready = true;
        Ok(())
    }

    fn command(&mut self, head: Head, out: &mut Vec<u8>) -> Result<(), Fault> {
        let sqe = Sqe::of_bytes(&self.pdu[COMMON_LEN..]);
        if self.transfers.len() >= usize::from(self.entries) {
            return Err(Fault::Sequence("more commands than the queue has entries"));
        }
        self.head = (self.head + 1) % self.entries;
        if self.transfers.contains(sqe.cid()) {
            let conflict = Completion::from(Status::COMMAND_ID_CONFLICT);
            self.send(out, Kind::Response, &conflict.entry(self.head, sqe.cid()));
            return Ok(());
        }
        let verdict = place_of_data(&sqe, head.data.1);
        if verdict == Ok(Source::Transfer) {
            self.transfers.ask(sqe);
            self.grant(out);
            return Ok(());
        }
        self.transfers.open(sqe.cid());
        let verdict = verdict.and_then(|_| {
            let whole = head.data_is_whole(&self.pdu);
            if whole { Ok(()) } else { Err(Status::TRANSIENT_TRANSPORT) }
        });
        match verdict {
            Ok(()) => {
                let data = head.data(&self.pdu).to_vec();
                self.event = Some(Event::Command { sqe, data });
            }
            Err(status) => {
                self.complete(out, sqe.cid(), &status.into());
            }
        }
        Ok(())
    }

    fn data(&mut self, head: Head, out: &mut Vec<u8>) -> Result<(), Fault> {
        let pdu = &self.pdu;
        let data = head.data(pdu);
        if size(u32_at(pdu, 16)) != data.len() {
            return Err(Fault::Header { offset: 16, why: "the length is not that of the data" });
        }
        if data.is_empty() {
            return Err(Fault::Header { offset: 16, why: "no data" });
        }
        let place = (u16_at(pdu, 8), u16_at(pdu, 10), u32_at(pdu, 12));
        let part = (data, head.flags & pdu::LAST != 0, head.data_is_whole(pdu));
        if let Some((sqe, data, whole)) = self.transfers.take(place, part)? {
            if whole {
                self.event = Some(Event::Command { sqe, data });
            } else {
                self.complete(out, sqe.cid(), &Status::TRANSIENT_TRANSPORT.into());
            }
            self.grant(out);
        }
        Ok(())
    }

    /// Lets the host send what there is room for.
    fn grant(&mut self, out: &mut Vec<u8>) {
        while let Some((cid, tag, len)) = self.transfers.grant() {
            let mut header = [0; 16];
            put(&mut header, 0, &cid.to_le_bytes());
            put(&mut header, 2, &tag.to_le_bytes());
            put(&mut header, 8, &len.to_le_bytes());
            self.send(out, Kind::ReadyToTransfer, &header);
        }
    }
}

/// Where the data of a command is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// With the command, or there is none, or it goes to the host.
    Here,
    /// It has to be asked for.
    Transfer,
}

fn place_of_data(sqe: &Sqe, with_it: usize) -> Result<Source, Status> {
    let (len, direction) = (sqe.sgl_len(), sqe.direction());
    if !sqe.uses_sgl() || sqe.is_fused() {
        return Err(Status::INVALID_FIELD);
    }
    match sqe.sgl_kind() {
        _ if direction == Direction::None && with_it == 0 => Ok(Source::Here),
        SGL_IN_CAPSULE if sqe.sgl_address() != 0 => Err(Status::SGL_OFFSET),
        SGL_IN_CAPSULE if direction != Direction::FromHost => Err(Status::SGL_TYPE),
        SGL_IN_CAPSULE if size(len) != with_it => Err(Status::DATA_LENGTH),
        SGL_IN_CAPSULE => Ok(Source::Here),
        SGL_TRANSPORT if with_it != 0 => Err(Status::DATA_LENGTH),
        SGL_TRANSPORT if len > LONGEST_TRANSFER => Err(Status::INVALID_FIELD),
        SGL_TRANSPORT if direction == Direction::FromHost && len > 0 => Ok(Source::Transfer),
        SGL_TRANSPORT => Ok(Source::Here),
        // A command whose data is of no bytes may have no descriptor at all.
        0 if len == 0 && with_it == 0 => Ok(Source::Here),
        _ => Err(Status::SGL_TYPE),
    }
}
