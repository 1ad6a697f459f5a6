//! Answers of the transmission phase.

use crate::errno::Errno;
use crate::extent::Extent;
use crate::request::{Op, Request};
use crate::wire::{self, chunk, put_u16, put_u32, put_u64};

/// At most this many descriptors are in one answer; a server may always tell less.
const DESCRIPTORS: usize = 1 << 16;

/// A reply without a structure.
fn simple(out: &mut Vec<u8>, cookie: u64, error: u32) {
    put_u32(out, wire::SIMPLE_REPLY_MAGIC);
    put_u32(out, error);
    put_u64(out, cookie);
}

/// The head of a reply's only chunk.
fn chunk_head(out: &mut Vec<u8>, cookie: u64, kind: u16, len: usize) {
    put_u32(out, wire::STRUCTURED_REPLY_MAGIC);
    put_u16(out, chunk::FLAG_DONE);
    put_u16(out, kind);
    put_u64(out, cookie);
    put_u32(out, wire::len32(len));
}

/// A request that succeeded, and what a read read.
pub(crate) fn ok(out: &mut Vec<u8>, structured: bool, request: &Request, data: &[u8]) {
    if request.op == Op::Read && structured {
        chunk_head(out, request.cookie, chunk::OFFSET_DATA, 8 + data.len());
        put_u64(out, request.start);
    } else {
        // Without data a simple reply is allowed here too, and is shorter.
        simple(out, request.cookie, 0);
    }
    out.extend_from_slice(data);
}

/// A request that failed.
pub(crate) fn error(out: &mut Vec<u8>, structured: bool, cookie: u64, errno: Errno, why: &str) {
    if !structured {
        return simple(out, cookie, errno.code());
    }
    chunk_head(out, cookie, chunk::ERROR, 6 + why.len());
    put_u32(out, errno.code());
    put_u16(out, u16::try_from(why.len()).expect("a message is short"));
    out.extend_from_slice(why.as_bytes());
}

/// What is known of a range.
pub(crate) fn status(out: &mut Vec<u8>, request: &Request, extents: &[Extent]) {
    let list = descriptors(request, extents);
    chunk_head(out, request.cookie, chunk::BLOCK_STATUS, 4 + 8 * list.len());
    put_u32(out, wire::ALLOCATION_ID);
    for (len, flags) in list {
        put_u32(out, len);
        put_u32(out, flags);
    }
}

/// The extents as the protocol wants them: none is empty, neighbours differ, and together they are
/// not longer than what was asked for. If nothing is known, the range is plain data.
fn descriptors(request: &Request, extents: &[Extent]) -> Vec<(u32, u32)> {
    let most = if request.op == (Op::BlockStatus { one: true }) { 1 } else { DESCRIPTORS };
    let mut left = request.len;
    let mut list: Vec<(u32, u32)> = Vec::new();
    for extent in extents {
        let len = extent.len.min(left);
        if len == 0 {
            continue;
        }
        left -= len;
        let full = list.len() == most;
        match list.last_mut() {
            Some(last) if last.1 == extent.flags() => last.0 += len,
            _ if full => break,
            _ => list.push((len, extent.flags())),
        }
    }
    if list.is_empty() {
        list.push((request.len, 0));
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(len: u32, hole: bool) -> Extent {
        Extent { len, hole, zero: hole }
    }

    fn asked(one: bool, extents: &[Extent]) -> Vec<(u32, u32)> {
        let op = Op::BlockStatus { one };
        let request = Request { cookie: 1, op, start: 0, len: 100, fua: false, data: Vec::new() };
        descriptors(&request, extents)
    }

    #[test]
    fn neighbours_that_are_alike_become_one() {
        let extents = [extent(10, true), extent(0, false), extent(20, true), extent(30, false)];
        assert_eq!(asked(false, &extents), [(30, 3), (30, 0)]);
        assert_eq!(asked(true, &extents), [(30, 3)]);
    }

    #[test]
    fn no_more_is_told_than_was_asked_for() {
        assert_eq!(asked(false, &[extent(99, true), extent(2, false)]), [(99, 3), (1, 0)]);
        assert_eq!(asked(false, &[extent(100, true), extent(2, false)]), [(100, 3)]);
        assert_eq!(asked(true, &[extent(u32::MAX, true)]), [(100, 3)]);
    }

    #[test]
    fn what_is_not_known_is_data() {
        assert_eq!(asked(false, &[]), [(100, 0)]);
    }
}
