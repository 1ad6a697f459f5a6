//! Answers to requests, put together from the chunks in which they come.

use crate::client::error::ClientError;
use crate::extent::Extent;
use crate::request::{Op, Request};
use crate::wire::{self, Fields, chunk};
use std::io::Read;

/// No chunk but read data needs to be longer: 64 Ki descriptors, or an error with its message.
const CHUNK_LIMIT: u32 = 1 << 20;

const WRONG: ClientError = ClientError::Malformed("a chunk does not fit its request");

/// The head of what the server sends next.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ReplyHead {
    Simple { cookie: u64, error: u32 },
    Chunk { cookie: u64, flags: u16, kind: u16, len: u32 },
}

impl ReplyHead {
    pub(crate) fn read(stream: &mut impl Read) -> Result<ReplyHead, ClientError> {
        let mut head = [0; 16];
        stream.read_exact(&mut head)?;
        ReplyHead::parse(&head, stream)
            .unwrap_or(Err(ClientError::Malformed("a reply begins with a wrong number")))
    }

    /// A chunk has four bytes more than a simple reply.
    fn parse(head: &[u8], stream: &mut impl Read) -> Option<Result<ReplyHead, ClientError>> {
        let mut fields = Fields(head);
        match fields.u32()? {
            wire::SIMPLE_REPLY_MAGIC => {
                let error = fields.u32()?;
                Some(Ok(ReplyHead::Simple { cookie: fields.u64()?, error }))
            }
            wire::STRUCTURED_REPLY_MAGIC => {
                let (flags, kind, cookie) = (fields.u16()?, fields.u16()?, fields.u64()?);
                let mut len = [0; 4];
                Some(match stream.read_exact(&mut len) {
                    Ok(()) => {
                        Ok(ReplyHead::Chunk { cookie, flags, kind, len: u32::from_be_bytes(len) })
                    }
                    Err(error) => Err(error.into()),
                })
            }
            _ => None,
        }
    }

    pub(crate) fn cookie(self) -> u64 {
        match self {
            ReplyHead::Simple { cookie, .. } | ReplyHead::Chunk { cookie, .. } => cookie,
        }
    }
}

/// A request without its answer, and what has come of the answer.
#[derive(Debug)]
pub(crate) struct Pending {
    op: Op,
    start: u64,
    len: u32,
    data: Vec<u8>,
    /// Bytes of a read that have come.
    filled: u64,
    error: Option<u32>,
}

impl Pending {
    pub(crate) fn new(request: &Request) -> Self {
        let Request { op, start, len, .. } = *request;
        Pending { op, start, len, data: Vec::new(), filled: 0, error: None }
    }

    /// Takes what follows the head. True if the answer is whole.
    pub(crate) fn take(
        &mut self,
        head: ReplyHead,
        structured: bool,
        stream: &mut impl Read,
    ) -> Result<bool, ClientError> {
        match head {
            ReplyHead::Simple { error: 0, .. } => self.simple(structured, stream)?,
            ReplyHead::Simple { error, .. } => self.error = Some(error),
            ReplyHead::Chunk { kind, len, flags, .. } => {
                self.chunk(kind, len, stream)?;
                if flags & chunk::FLAG_DONE == 0 {
                    return Ok(false);
                }
            }
        }
        let short = match self.op {
            Op::Read => self.filled < self.len.into(),
            Op::BlockStatus { .. } => self.data.is_empty(),
            _ => false,
        };
        if short && self.error.is_none() {
            return Err(ClientError::Malformed("an answer ends too early"));
        }
        Ok(true)
    }

    /// What the whole answer says.
    pub(crate) fn result(self) -> Result<Vec<u8>, u32> {
        self.error.map_or(Ok(self.data), Err)
    }

    fn simple(&mut self, structured: bool, stream: &mut impl Read) -> Result<(), ClientError> {
        match self.op {
            Op::Read if structured => Err(ClientError::Malformed("a read has a simple reply")),
            Op::Read => self.place(self.start, self.len, Some(stream)),
            _ => Ok(()),
        }
    }

    /// Puts read data in its place; without a stream it is zeroes.
    fn place(
        &mut self,
        offset: u64,
        len: u32,
        stream: Option<&mut dyn Read>,
    ) -> Result<(), ClientError> {
        let from = offset.checked_sub(self.start).ok_or(WRONG)?;
        let to = from.checked_add(len.into()).filter(|to| *to <= self.len.into()).ok_or(WRONG)?;
        self.filled += u64::from(len);
        if self.op != Op::Read || self.filled > self.len.into() {
            return Err(WRONG);
        }
        let index = |at: u64| usize::try_from(at).map_err(|_| WRONG);
        self.data.resize(index(self.len.into())?, 0);
        let target = &mut self.data[index(from)?..index(to)?];
        match stream {
            Some(stream) => stream.read_exact(target)?,
            None => target.fill(0),
        }
        Ok(())
    }

    fn chunk(&mut self, kind: u16, len: u32, stream: &mut impl Read) -> Result<(), ClientError> {
        if kind == chunk::OFFSET_DATA {
            let mut offset = [0; 8];
            let data = len.checked_sub(8).filter(|len| *len > 0).ok_or(WRONG)?;
            stream.read_exact(&mut offset)?;
            return self.place(u64::from_be_bytes(offset), data, Some(stream));
        }
        if len > CHUNK_LIMIT {
            return Err(ClientError::Malformed("a chunk is too long"));
        }
        let mut payload = vec![0; usize::try_from(len).expect("it is short")];
        stream.read_exact(&mut payload)?;
        let mut fields = Fields(&payload);
        match kind {
            chunk::NONE if len == 0 => Ok(()),
            chunk::OFFSET_HOLE if len == 12 => {
                let offset = fields.u64().ok_or(WRONG)?;
                self.place(offset, fields.u32().ok_or(WRONG)?, None)
            }
            chunk::BLOCK_STATUS => self.status(fields),
            kind if kind & chunk::ERR != 0 => {
                let error = fields.u32().filter(|error| *error != 0).ok_or(WRONG)?;
                let message = fields.u16().ok_or(WRONG)?;
                fields.bytes(message.into()).ok_or(WRONG)?;
                self.error.get_or_insert(error);
                Ok(())
            }
            _ => Err(WRONG),
        }
    }

    /// Keeps the descriptors as they are.
    fn status(&mut self, mut fields: Fields<'_>) -> Result<(), ClientError> {
        let asked = matches!(self.op, Op::BlockStatus { .. }) && self.data.is_empty();
        let context = fields.u32();
        let whole = !fields.is_empty() && fields.0.len().is_multiple_of(8);
        if !asked || context.is_none() || !whole {
            return Err(WRONG);
        }
        self.data = fields.0.to_vec();
        Ok(())
    }
}

/// The extents that the descriptors of a status mean.
pub(crate) fn extents(descriptors: &[u8]) -> Vec<Extent> {
    let mut fields = Fields(descriptors);
    std::iter::from_fn(|| Some(Extent::of_flags(fields.u32()?, fields.u32()?))).collect()
}
