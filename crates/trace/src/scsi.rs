//! Commands of SCSI by their codes.

use crate::request::Op;

/// What a command does: reads and writes of 6 to 16 bytes, and flushes; `None` for others. Where an
/// unmap applies stands in its data, which traces do not hold.
pub(crate) fn op(code: u64) -> Option<Op> {
    match code {
        0x08 | 0x28 | 0x88 | 0xa8 => Some(Op::Read),
        0x0a | 0x2a | 0x8a | 0xaa | 0x2e | 0x8e => Some(Op::Write),
        0x35 | 0x91 => Some(Op::Flush),
        _ => None,
    }
}
