//! A client over any stream, for tests and tools. It waits for the server and has no threads.

mod answer;
mod error;
mod negotiate;

pub use error::ClientError;

use crate::extent::Extent;
use crate::request::{Op, Request};
use crate::wire::{self, cmd, put_u16, put_u32, put_u64, transmission};
use answer::{Pending, ReplyHead};
use negotiate::Offer;
use std::collections::{BTreeMap, VecDeque};
use std::io::{Read, Write};

/// The whole answer to a request: what was read, or the number of an error.
///
/// After [`Op::BlockStatus`] the bytes are descriptors of eight bytes: length and flags.
pub type Reply = Result<Vec<u8>, u32>;

/// A connection to an export.
#[derive(Debug)]
pub struct Client<S> {
    stream: S,
    offer: Offer,
    next_cookie: u64,
    pending: BTreeMap<u64, Pending>,
    /// Answers that came while another was waited for.
    arrived: VecDeque<(u64, Reply)>,
}

impl<S: Read + Write> Client<S> {
    /// Chooses the export of this name; the empty name is the server's default.
    ///
    /// # Errors
    /// If the stream fails, or the server refuses or breaks the protocol.
    pub fn connect(mut stream: S, name: &str) -> Result<Client<S>, ClientError> {
        negotiate::greet(&mut stream)?;
        let offer = negotiate::go(&mut stream, name)?;
        let (pending, arrived) = (BTreeMap::new(), VecDeque::new());
        Ok(Client { stream, offer, next_cookie: 1 << 63, pending, arrived })
    }

    /// Names and descriptions of all exports of a server.
    ///
    /// # Errors
    /// If the stream fails, or the server refuses or breaks the protocol.
    pub fn list(mut stream: S) -> Result<Vec<(String, String)>, ClientError> {
        negotiate::greet(&mut stream)?;
        negotiate::list(&mut stream)
    }

    /// Size of the export.
    pub fn bytes(&self) -> u64 {
        self.offer.bytes
    }

    /// Ranges begin and end at a multiple of this.
    pub fn minimum_block(&self) -> u32 {
        self.offer.minimum_block
    }

    /// Ranges of this alignment are fast.
    pub fn preferred_block(&self) -> u32 {
        self.offer.preferred_block
    }

    /// The longest read or write.
    pub fn maximum_block(&self) -> u32 {
        self.offer.maximum_block
    }

    /// Whether writes are refused.
    pub fn read_only(&self) -> bool {
        self.flags() & transmission::READ_ONLY != 0
    }

    /// The transmission flags of the export.
    pub fn flags(&self) -> u16 {
        self.offer.flags
    }

    /// Sends a request and does not wait.
    ///
    /// # Errors
    /// If the stream fails, or a request with this cookie has no answer yet.
    ///
    /// # Panics
    /// If the data of a write has another length than its range: the server would take what follows
    /// for data.
    pub fn send(&mut self, request: &Request) -> Result<(), ClientError> {
        let due = if request.op == Op::Write { request.len } else { 0 };
        assert_eq!(wire::len32(request.data.len()), due, "the data of {:?}", request.op);
        if self.pending.contains_key(&request.cookie) {
            return Err(ClientError::CookieInUse(request.cookie));
        }
        self.stream.write_all(&encode(request))?;
        self.pending.insert(request.cookie, Pending::new(request));
        Ok(())
    }

    /// Waits for the next answer: its cookie, and how the request ended.
    ///
    /// # Errors
    /// If the stream fails, or the server breaks the protocol.
    pub fn receive(&mut self) -> Result<(u64, Reply), ClientError> {
        match self.arrived.pop_front() {
            Some(answer) => Ok(answer),
            None => self.wait(),
        }
    }

    fn wait(&mut self) -> Result<(u64, Reply), ClientError> {
        loop {
            let head = ReplyHead::read(&mut self.stream)?;
            let cookie = head.cookie();
            let pending = self.pending.get_mut(&cookie);
            let pending = pending.ok_or(ClientError::Malformed("nobody asked for an answer"))?;
            if pending.take(head, self.offer.structured, &mut self.stream)?
                && let Some(whole) = self.pending.remove(&cookie)
            {
                return Ok((cookie, whole.result()));
            }
        }
    }

    /// Sends a request and waits for its answer; others that come are kept for
    /// [`Client::receive`].
    fn call(&mut self, mut request: Request) -> Result<Vec<u8>, ClientError> {
        while self.pending.contains_key(&self.next_cookie) {
            self.next_cookie = self.next_cookie.wrapping_add(1);
        }
        request.cookie = self.next_cookie;
        self.next_cookie = self.next_cookie.wrapping_add(1);
        self.send(&request)?;
        loop {
            let (cookie, reply) = self.wait()?;
            if cookie == request.cookie {
                return reply.map_err(ClientError::Request);
            }
            self.arrived.push_back((cookie, reply));
        }
    }

    /// Reads a range.
    ///
    /// # Errors
    /// If the server refuses, the stream fails, or the server breaks the protocol.
    pub fn read(&mut self, start: u64, len: u32) -> Result<Vec<u8>, ClientError> {
        self.call(range(Op::Read, start, len))
    }

    /// Writes at `start`; with `fua` the data is durable when it returns.
    ///
    /// # Errors
    /// As [`Client::read`].
    ///
    /// # Panics
    /// If `data` is 4 GiB or more.
    pub fn write(&mut self, start: u64, data: &[u8], fua: bool) -> Result<(), ClientError> {
        let plain = range(Op::Write, start, wire::len32(data.len()));
        self.call(Request { fua, data: data.to_vec(), ..plain }).map(drop)
    }

    /// Makes all writes durable that were answered before.
    ///
    /// # Errors
    /// As [`Client::read`].
    pub fn flush(&mut self) -> Result<(), ClientError> {
        self.call(range(Op::Flush, 0, 0)).map(drop)
    }

    /// Tells that the data of a range is no longer needed.
    ///
    /// # Errors
    /// As [`Client::read`].
    pub fn trim(&mut self, start: u64, len: u32) -> Result<(), ClientError> {
        self.call(range(Op::Trim, start, len)).map(drop)
    }

    /// Zeroes a range, which may become a hole.
    ///
    /// # Errors
    /// As [`Client::read`].
    pub fn write_zeroes(&mut self, start: u64, len: u32) -> Result<(), ClientError> {
        self.call(range(Op::WriteZeroes { may_hole: true }, start, len)).map(drop)
    }

    /// Which parts of a range are allocated; perhaps only of its first part.
    ///
    /// # Errors
    /// As [`Client::read`].
    pub fn status(&mut self, start: u64, len: u32) -> Result<Vec<Extent>, ClientError> {
        let descriptors = self.call(range(Op::BlockStatus { one: false }, start, len))?;
        Ok(answer::extents(&descriptors))
    }

    /// Ends the session in good order. Answers that are under way are lost.
    ///
    /// # Errors
    /// If the stream fails.
    pub fn disconnect(mut self) -> Result<(), ClientError> {
        self.stream.write_all(&head(cmd::DISC, 0, 0, 0, 0))?;
        Ok(self.stream.flush()?)
    }
}

fn range(op: Op, start: u64, len: u32) -> Request {
    Request { cookie: 0, op, start, len, fua: false, data: Vec::new() }
}

fn head(kind: u16, flags: u16, cookie: u64, start: u64, len: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    put_u32(&mut bytes, wire::REQUEST_MAGIC);
    put_u16(&mut bytes, flags);
    put_u16(&mut bytes, kind);
    put_u64(&mut bytes, cookie);
    put_u64(&mut bytes, start);
    put_u32(&mut bytes, len);
    bytes
}

/// A request as it is sent.
fn encode(request: &Request) -> Vec<u8> {
    let (kind, flags) = match request.op {
        Op::Read => (cmd::READ, 0),
        Op::Write => (cmd::WRITE, 0),
        Op::Flush => (cmd::FLUSH, 0),
        Op::Trim => (cmd::TRIM, 0),
        Op::Cache => (cmd::CACHE, 0),
        Op::WriteZeroes { may_hole: true } => (cmd::WRITE_ZEROES, 0),
        Op::WriteZeroes { may_hole: false } => (cmd::WRITE_ZEROES, cmd::FLAG_NO_HOLE),
        Op::BlockStatus { one: false } => (cmd::BLOCK_STATUS, 0),
        Op::BlockStatus { one: true } => (cmd::BLOCK_STATUS, cmd::FLAG_REQ_ONE),
    };
    let flags = if request.fua { flags | cmd::FLAG_FUA } else { flags };
    let mut bytes = head(kind, flags, request.cookie, request.start, request.len);
    bytes.extend_from_slice(&request.data);
    bytes
}
