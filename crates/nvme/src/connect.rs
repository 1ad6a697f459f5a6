//! The command that makes a connection a queue of a controller.

use crate::command::Sqe;
use crate::completion::Completion;
use crate::status::Status;
use crate::wire::{text, u16_at};

/// What a host asks for with a new connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Connect {
    pub qid: u16,
    /// Entries of the queue.
    pub entries: u16,
    /// Milliseconds after which a silent host is given up; 0 is never.
    pub keep_alive_ms: u32,
    pub cntlid: u16,
    pub subsystem: String,
    pub host: String,
}

/// Bytes of the data of the command.
const DATA_LEN: usize = 1024;
/// The host wants a controller of the target's choice.
pub(crate) const ANY: u16 = 0xffff;

/// Places of fields in the command and in its data.
pub(crate) const SQ_SIZE: u64 = 44;
pub(crate) const QUEUE: u64 = 42;
pub(crate) const CNTLID: u64 = IN_DATA | 16;
pub(crate) const SUBSYSTEM: u64 = IN_DATA | 256;
const HOST: u64 = IN_DATA | 512;
const IN_DATA: u64 = 1 << 16;

/// The answer to a field that makes no sense.
pub(crate) fn invalid(place: u64) -> Completion {
    Completion { status: Status::CONNECT_PARAMETERS, result: place, data: Vec::new() }
}

impl Connect {
    /// Checks the fields that need no knowledge of the subsystem.
    pub(crate) fn parse(sqe: &Sqe, data: &[u8]) -> Result<Connect, Completion> {
        if u16_at(&sqe.0, 40) != 0 {
            return Err(Status::CONNECT_FORMAT.into());
        }
        if data.len() != DATA_LEN {
            return Err(Status::DATA_LENGTH.into());
        }
        let (qid, last) = (u16_at(&sqe.0, 42), u16_at(&sqe.0, 44));
        if last == 0 || last >= crate::tcp::MOST_ENTRIES {
            return Err(invalid(SQ_SIZE));
        }
        let host = text(&data[512..768]);
        if !host.starts_with("nqn.") || host.len() > 223 {
            return Err(invalid(HOST));
        }
        Ok(Connect {
            qid,
            entries: last + 1,
            keep_alive_ms: sqe.dword(12),
            cntlid: u16_at(data, 16),
            subsystem: text(&data[256..512]),
            host,
        })
    }
}
