//! An initiator over any stream, for tests and tools. It waits for the target and has no threads.

mod admin;
mod data;
mod error;

pub use admin::LogPart;
pub use error::InitiatorError;

use crate::command::{SGL_IN_CAPSULE, SGL_TRANSPORT, SQE_LEN, Sqe, fabrics};
use crate::completion::{CQE_LEN, Completion};
use crate::status::Status;
use crate::tcp::{COMMON_LEN, Digests, Head, IN_CAPSULE, Kind, LAST, build};
use crate::wire::{len32, put, size, u16_at, u32_at};
use std::collections::{BTreeMap, VecDeque};
use std::io::{Read, Write};

/// What the commands of an initiator come to.
pub type Result<T> = std::result::Result<T, InitiatorError>;

/// What a connection is made with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Headers have digests.
    pub header_digests: bool,
    /// Data has digests.
    pub data_digests: bool,
    /// Data of the target begins at multiples of four bytes times one more than this, up to 31.
    pub alignment: u8,
}

/// How a connection becomes a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connection<'a> {
    /// The queue; 0 is that of the administrator.
    pub qid: u16,
    /// Entries of the queue.
    pub entries: u16,
    /// The controller; `None` for a new one.
    pub controller: Option<u16>,
    /// Name of the subsystem.
    pub subsystem: &'a str,
    /// Name of the host.
    pub host: &'a str,
    /// Milliseconds after which the target may give up a silent host; 0 is never.
    pub keep_alive_ms: u32,
}

/// A command that has no answer yet.
#[derive(Debug)]
struct Pending {
    write: Vec<u8>,
    read: Vec<u8>,
    /// Bytes of an answer that there is room for.
    room: usize,
}

/// One connection, which is one queue.
#[derive(Debug)]
pub struct Queue<S> {
    stream: S,
    digests: Digests,
    /// The most data in one PDU to the target.
    longest: u32,
    next_cid: u16,
    pending: BTreeMap<u16, Pending>,
    /// Answers that came while another was waited for.
    arrived: VecDeque<(u16, Completion)>,
}

impl<S: Read + Write> Queue<S> {
    /// Agrees with the target on what the connection is like.
    ///
    /// # Errors
    /// If the stream fails, or the target refuses or breaks the protocol.
    pub fn open(mut stream: S, options: Options) -> Result<Queue<S>> {
        let digests = u8::from(options.header_digests) | u8::from(options.data_digests) << 1;
        let mut bytes = Vec::new();
        let header = [0, 0, options.alignment, digests];
        let plain = (Digests::default(), 1);
        build(&mut bytes, (Kind::ConnectionRequest, 0), &header, &[], plain);
        stream.write_all(&bytes)?;
        let mut queue = Queue {
            stream,
            digests: Digests::default(),
            longest: 4096,
            next_cid: 0,
            pending: BTreeMap::new(),
            arrived: VecDeque::new(),
        };
        let (head, pdu) = queue.pdu()?;
        if head.kind != Kind::ConnectionResponse || u16_at(&pdu, 8) != 0 || pdu[10] != 0 {
            return Err(InitiatorError::Malformed("no answer to the handshake"));
        }
        queue.digests = Digests { header: pdu[11] & 1 != 0, data: pdu[11] & 2 != 0 };
        queue.longest = u32_at(&pdu, 12).max(4096);
        Ok(queue)
    }

    /// Makes the connection a queue; returns the controller.
    ///
    /// # Errors
    /// If the target refuses, the stream fails, or the target breaks the protocol.
    pub fn connect(&mut self, connection: &Connection) -> Result<u16> {
        let mut sqe = Sqe::new(fabrics::OPCODE, fabrics::CONNECT.into());
        put(&mut sqe.0, 42, &connection.qid.to_le_bytes());
        put(&mut sqe.0, 44, &connection.entries.wrapping_sub(1).to_le_bytes());
        put(&mut sqe.0, 48, &connection.keep_alive_ms.to_le_bytes());
        let mut data = vec![0; 1024];
        put(&mut data, 16, &connection.controller.unwrap_or(u16::MAX).to_le_bytes());
        put(&mut data[..511], 256, connection.subsystem.as_bytes());
        put(&mut data[..767], 512, connection.host.as_bytes());
        let result = self.call(sqe, &data, 0)?.result;
        Ok(u16::try_from(result & 0xffff).unwrap_or(0))
    }

    /// The stream.
    pub fn stream(&mut self) -> &mut S {
        &mut self.stream
    }

    /// Sends a command and does not wait; returns its name. The host has room for `room` bytes of
    /// an answer.
    ///
    /// # Errors
    /// If the stream fails.
    pub fn send(&mut self, mut sqe: Sqe, data: &[u8], room: u32) -> Result<u16> {
        while self.pending.contains_key(&self.next_cid) {
            self.next_cid = self.next_cid.wrapping_add(1);
        }
        let cid = self.next_cid;
        self.next_cid = self.next_cid.wrapping_add(1);
        sqe.set_cid(cid);
        let with_it = data.len() <= size(IN_CAPSULE);
        if with_it && !data.is_empty() {
            sqe.set_sgl(len32(data.len()), SGL_IN_CAPSULE);
        } else {
            sqe.set_sgl(len32(data.len()).max(room), SGL_TRANSPORT);
        }
        let (now, later) = if with_it { (data, &[][..]) } else { (&[][..], data) };
        let mut bytes = Vec::with_capacity(SQE_LEN + now.len());
        build(&mut bytes, (Kind::Command, 0), &sqe.0, now, (self.digests, 1));
        self.stream.write_all(&bytes)?;
        self.pending
            .insert(cid, Pending { write: later.to_vec(), read: Vec::new(), room: size(room) });
        Ok(cid)
    }

    /// Waits for the next answer: the command, and how it ended.
    ///
    /// # Errors
    /// If the stream fails, or the target breaks the protocol.
    pub fn receive(&mut self) -> Result<(u16, Completion)> {
        match self.arrived.pop_front() {
            Some(answer) => Ok(answer),
            None => self.wait(),
        }
    }

    /// Sends a command and waits for its answer; others that come are kept for
    /// [`Queue::receive`].
    ///
    /// # Errors
    /// If the command or the stream fails, or the target breaks the protocol.
    pub fn call(&mut self, sqe: Sqe, data: &[u8], room: u32) -> Result<Completion> {
        let cid = self.send(sqe, data, room)?;
        loop {
            let (of, completion) = self.wait()?;
            if of != cid {
                self.arrived.push_back((of, completion));
            } else if completion.status == Status::SUCCESS {
                return Ok(completion);
            } else {
                return Err(InitiatorError::Status(completion.status));
            }
        }
    }

    fn wait(&mut self) -> Result<(u16, Completion)> {
        loop {
            let (head, pdu) = self.pdu()?;
            match head.kind {
                Kind::Response => {
                    let entry = &pdu[COMMON_LEN..COMMON_LEN + CQE_LEN];
                    let (cid, mut completion) = Completion::parse(entry);
                    let pending = self.pending.remove(&cid);
                    let pending = pending.ok_or(InitiatorError::Malformed("a strange answer"))?;
                    completion.data = pending.read;
                    return Ok((cid, completion));
                }
                Kind::TargetData => self.take_data(head, &pdu)?,
                Kind::ReadyToTransfer => self.transfer(&pdu)?,
                _ => return Err(InitiatorError::Malformed("a PDU that does not belong here")),
            }
        }
    }

    fn take_data(&mut self, head: Head, pdu: &[u8]) -> Result<()> {
        let data = head.data(pdu);
        if !head.data_is_whole(pdu) || size(u32_at(pdu, 16)) != data.len() {
            return Err(InitiatorError::Malformed("damaged data"));
        }
        let pending = self.pending.get_mut(&u16_at(pdu, 8));
        let pending = pending.ok_or(InitiatorError::Malformed("data that nobody asked for"))?;
        if size(u32_at(pdu, 12)) != pending.read.len() {
            return Err(InitiatorError::Malformed("data out of order"));
        }
        if pending.read.len() + data.len() > pending.room {
            return Err(InitiatorError::Malformed("more data than there is room for"));
        }
        pending.read.extend_from_slice(data);
        Ok(())
    }

    /// Sends the data that the target asks for.
    fn transfer(&mut self, pdu: &[u8]) -> Result<()> {
        let (cid, tag) = (u16_at(pdu, 8), u16_at(pdu, 10));
        let (start, len) = (size(u32_at(pdu, 12)), size(u32_at(pdu, 16)));
        let pending = self.pending.get(&cid);
        let wanted = pending.and_then(|one| one.write.get(start..start.saturating_add(len)));
        let wanted = wanted.ok_or(InitiatorError::Malformed("no such data to send"))?;
        let (mut bytes, mut offset) = (Vec::new(), start);
        let longest = size(self.longest);
        for (place, part) in wanted.chunks(longest).enumerate() {
            let mut header = [0; 16];
            put(&mut header, 0, &cid.to_le_bytes());
            put(&mut header, 2, &tag.to_le_bytes());
            put(&mut header, 4, &len32(offset).to_le_bytes());
            put(&mut header, 8, &len32(part.len()).to_le_bytes());
            let last = if (place + 1) * longest >= len { LAST } else { 0 };
            build(&mut bytes, (Kind::HostData, last), &header, part, (self.digests, 1));
            offset += part.len();
        }
        Ok(self.stream.write_all(&bytes)?)
    }

    /// Reads one PDU.
    fn pdu(&mut self) -> Result<(Head, Vec<u8>)> {
        let broken = |_| InitiatorError::Malformed("a header that makes no sense");
        let mut pdu = vec![0; COMMON_LEN];
        self.stream.read_exact(&mut pdu)?;
        let longest = |kind| if kind == Kind::TargetData { 64 << 20 } else { 128 };
        let head = Head::parse(&pdu, self.digests, longest).map_err(broken)?;
        // A length costs no memory before its bytes come.
        let rest = head.len - COMMON_LEN;
        let mut stream = Read::by_ref(&mut self.stream).take(len32(rest).into());
        if stream.read_to_end(&mut pdu)? < rest {
            return Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof).into());
        }
        head.check_header(&pdu).map_err(broken)?;
        match head.kind {
            Kind::TargetTerminates => Err(InitiatorError::Terminated(u16_at(&pdu, 8))),
            _ => Ok((head, pdu)),
        }
    }
}
