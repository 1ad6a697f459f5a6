//! Commands for data.

use crate::command::{Sqe, nvm};
use crate::status::Status;
use crate::wire::{size, u32_at, u64_at};

/// A command for data, checked: its range is inside an attached namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Io {
    /// What [`crate::Target::complete`] is told.
    pub ticket: u64,
    /// The queue, from 1.
    pub qid: u16,
    /// The host's name for the command.
    pub cid: u16,
    /// The namespace.
    pub nsid: u32,
    /// What to do.
    pub op: IoOp,
    /// First byte in the namespace.
    pub start: u64,
    /// Bytes.
    pub len: u64,
    /// What is written is durable before the command ends.
    pub fua: bool,
}

/// What a command does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IoOp {
    /// Reads the range.
    Read,
    /// Writes this, which is as long as the range.
    Write(Vec<u8>),
    /// Zeroes the range.
    WriteZeroes {
        /// The blocks may be given up instead.
        may_deallocate: bool,
    },
    /// Gives up these ranges. `start` and `len` are 0.
    Deallocate(Vec<Range>),
    /// Makes all durable that was acknowledged before. `start` and `len` are 0.
    Flush,
}

/// A range of a namespace, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// First byte.
    pub start: u64,
    /// Bytes.
    pub len: u64,
}

/// Why a command for data failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IoError {
    /// The medium cannot give the data back, or take it.
    Media,
    /// The drive takes no more writes.
    WriteProtected,
    /// The drive has no power, or has failed.
    Gone,
    /// No space is left.
    Full,
    /// The namespace is not ready.
    NotReady,
}

impl IoError {
    /// The status for a command of this kind.
    pub(crate) fn status(self, read: bool) -> Status {
        match self {
            IoError::Media if read => Status::READ_ERROR,
            IoError::Media => Status::WRITE_FAULT,
            IoError::WriteProtected => Status::WRITE_PROTECTED,
            IoError::Gone => Status::INTERNAL,
            IoError::Full => Status::CAPACITY,
            IoError::NotReady => Status::NOT_READY,
        }
    }
}

/// What a namespace is like for commands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub bytes: u64,
    pub block: u64,
}

impl Shape {
    /// The bytes of some blocks.
    fn range(self, lba: u64, blocks: u64) -> Result<Range, Status> {
        let end = lba.checked_add(blocks).ok_or(Status::LBA_RANGE)?;
        if end > self.bytes / self.block {
            return Err(Status::LBA_RANGE);
        }
        Ok(Range { start: lba * self.block, len: blocks * self.block })
    }
}

/// Force Unit Access and Deallocate in dword 12, and the bits for protection information.
const FUA: u32 = 1 << 30;
const DEALLOCATE: u32 = 1 << 25;
const PROTECTION: u32 = 0xf << 26;

/// Checks a command; `shape` is that of the namespace that it names.
pub(crate) fn parse(sqe: &Sqe, data: Vec<u8>, shape: Shape) -> Result<Io, Status> {
    let control = sqe.dword(12);
    let blocks = u64::from(control & 0xffff) + 1;
    let moves = matches!(sqe.opcode(), nvm::READ | nvm::WRITE | nvm::WRITE_ZEROES);
    if moves && control & PROTECTION != 0 {
        return Err(Status::INVALID_FIELD);
    }
    let mut range = Range { start: 0, len: 0 };
    if moves {
        range = shape.range(sqe.lba(), blocks)?;
    }
    let op = match sqe.opcode() {
        nvm::FLUSH => IoOp::Flush,
        nvm::WRITE_ZEROES => IoOp::WriteZeroes { may_deallocate: control & DEALLOCATE != 0 },
        nvm::READ | nvm::WRITE if range.len > crate::tcp::LONGEST_TRANSFER.into() => {
            return Err(Status::INVALID_FIELD);
        }
        nvm::READ | nvm::WRITE if u64::from(sqe.sgl_len()) != range.len => {
            return Err(Status::DATA_LENGTH);
        }
        nvm::READ => IoOp::Read,
        nvm::WRITE => IoOp::Write(data),
        nvm::DATASET_MANAGEMENT => IoOp::Deallocate(ranges(sqe, &data, shape)?),
        _ => return Err(Status::INVALID_OPCODE),
    };
    let fua = moves && sqe.opcode() != nvm::READ && control & FUA != 0;
    let Range { start, len } = range;
    Ok(Io { ticket: 0, qid: 0, cid: sqe.cid(), nsid: sqe.nsid(), op, start, len, fua })
}

/// The ranges to give up; none if the command is only a hint about them.
fn ranges(sqe: &Sqe, data: &[u8], shape: Shape) -> Result<Vec<Range>, Status> {
    const DEALLOCATE: u32 = 1 << 2;
    let count = size(sqe.dword(10) & 0xff) + 1;
    if data.len() < count * 16 {
        return Err(Status::DATA_LENGTH);
    }
    let entries = data.chunks_exact(16).take(count);
    let ranges = entries.map(|entry| shape.range(u64_at(entry, 8), u32_at(entry, 4).into()));
    let ranges = ranges.collect::<Result<Vec<_>, _>>()?;
    let wanted = sqe.dword(11) & DEALLOCATE != 0;
    Ok(ranges.into_iter().filter(|range| wanted && range.len > 0).collect())
}
