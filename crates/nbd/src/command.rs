//! The head of a request, judged: what it asks for, or why it is refused.

use crate::errno::Errno;
use crate::export::Export;
use crate::fault::Fault;
use crate::handshake::Terms;
use crate::request::{Op, Request};
use crate::wire::{self, Fields, cmd};

/// What becomes of a request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is whole as soon as `payload` bytes of data have followed.
    Taken { request: Request, payload: u32 },
    /// It is answered with an error as soon as `payload` bytes of data have followed.
    Refused { refusal: Refusal, payload: u32 },
    /// The client is done.
    Disconnect,
}

/// The answer to a request that is not handed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub cookie: u64,
    pub errno: Errno,
    pub why: &'static str,
}

/// The head of a request as it is on the wire.
#[derive(Clone, Copy, Debug)]
struct Head {
    flags: u16,
    kind: u16,
    cookie: u64,
    start: u64,
    len: u32,
}

/// An error, and what a person is told.
type Why = (Errno, &'static str);

impl Head {
    fn parse(bytes: &[u8]) -> Result<Head, Fault> {
        Head::fields(bytes).unwrap_or_else(|| unreachable!("the head of a request is whole"))
    }

    fn fields(bytes: &[u8]) -> Option<Result<Head, Fault>> {
        let mut fields = Fields(bytes);
        let magic = fields.u32()?;
        let (flags, kind) = (fields.u16()?, fields.u16()?);
        let (cookie, start, len) = (fields.u64()?, fields.u64()?, fields.u32()?);
        Some(match magic {
            wire::REQUEST_MAGIC => Ok(Head { flags, kind, cookie, start, len }),
            _ => Err(Fault::RequestMagic(magic)),
        })
    }

    /// What is asked for, if the flags are those of the command.
    fn op(self, terms: Terms) -> Result<Op, Why> {
        let (op, known) = match self.kind {
            cmd::READ if terms.structured => (Op::Read, cmd::FLAG_DF),
            cmd::READ => (Op::Read, 0),
            cmd::WRITE => (Op::Write, 0),
            cmd::FLUSH => (Op::Flush, 0),
            cmd::TRIM => (Op::Trim, 0),
            cmd::CACHE => (Op::Cache, 0),
            cmd::WRITE_ZEROES => {
                let may_hole = self.flags & cmd::FLAG_NO_HOLE == 0;
                (Op::WriteZeroes { may_hole }, cmd::FLAG_NO_HOLE | cmd::FLAG_FAST_ZERO)
            }
            cmd::BLOCK_STATUS if terms.status => {
                (Op::BlockStatus { one: self.flags & cmd::FLAG_REQ_ONE != 0 }, cmd::FLAG_REQ_ONE)
            }
            cmd::BLOCK_STATUS => return Err((Errno::Invalid, "no metadata context is selected")),
            _ => return Err((Errno::Invalid, "this command is unknown")),
        };
        // Clients may set FUA on every command.
        if self.flags & !(known | cmd::FLAG_FUA) != 0 {
            return Err((Errno::Invalid, "a flag does not fit the command"));
        }
        Ok(op)
    }

    /// Whether the export can do this.
    fn check(self, op: Op, export: &Export) -> Result<(), Why> {
        if op.writes() && export.read_only {
            return Err((Errno::NotPermitted, "the export is read-only"));
        }
        if self.flags & cmd::FLAG_FAST_ZERO != 0 {
            return Err((Errno::NotSupported, "whether zeroes are fast is not known"));
        }
        if op == Op::Flush {
            let plain = self.start == 0 && self.len == 0;
            return if plain { Ok(()) } else { Err((Errno::Invalid, "a flush has no range")) };
        }
        self.check_range(op, export)
    }

    /// Only what moves data has a longest length. The other commands cost nothing by their length,
    /// and the client of Linux does not keep to it for zeroes.
    fn check_range(self, op: Op, export: &Export) -> Result<(), Why> {
        if self.len == 0 {
            return Err((Errno::Invalid, "the range is empty"));
        }
        let block = export.minimum_block;
        if !self.start.is_multiple_of(block.into()) || !self.len.is_multiple_of(block) {
            return Err((Errno::Invalid, "the range does not keep to the minimum block"));
        }
        let end = self.start.checked_add(self.len.into());
        if end.is_none_or(|end| end > export.bytes) {
            let space = matches!(op, Op::Write | Op::WriteZeroes { .. });
            let errno = if space { Errno::NoSpace } else { Errno::Invalid };
            return Err((errno, "the range ends beyond the end of the export"));
        }
        if matches!(op, Op::Read | Op::Write) && self.len > export.longest() {
            let whole = self.flags & cmd::FLAG_DF != 0;
            let errno = if whole { Errno::Overflow } else { Errno::Invalid };
            return Err((errno, "the range is longer than the maximum block"));
        }
        Ok(())
    }
}

/// Judges the head of a request.
///
/// # Errors
/// If it does not begin as requests do, or announces more data than any client sends.
///
/// # Panics
/// If `bytes` has another length than such a head.
pub(crate) fn judge(bytes: &[u8], export: &Export, terms: Terms) -> Result<Verdict, Fault> {
    let head = Head::parse(bytes)?;
    let payload = if head.kind == cmd::WRITE { head.len } else { 0 };
    if payload > wire::PAYLOAD_LIMIT {
        return Err(Fault::PayloadTooLong { len: payload, limit: wire::PAYLOAD_LIMIT });
    }
    if head.kind == cmd::DISC {
        return Ok(Verdict::Disconnect);
    }
    let Head { cookie, start, len, .. } = head;
    Ok(match head.op(terms).and_then(|op| head.check(op, export).map(|()| op)) {
        Ok(op) => {
            let fua = head.flags & cmd::FLAG_FUA != 0;
            let request = Request { cookie, op, start, len, fua, data: Vec::new() };
            Verdict::Taken { request, payload }
        }
        Err((errno, why)) => Verdict::Refused { refusal: Refusal { cookie, errno, why }, payload },
    })
}
