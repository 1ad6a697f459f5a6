//! What the kernel's blktrace writes: records of 48 bytes and a payload, in either byte order.
//!
//! A request passes through several stages, a record each; the one that counts is its queueing, as
//! in fio. Numbers of actions and categories are those of the kernel's `blktrace_api.h`.

use crate::device::Devices;
use crate::error::{TraceError, Wrong};
use crate::request::Op;
use crate::text::{Extent, Line, request};
use std::io::{BufRead, ErrorKind, Read as _};

/// Upper 24 bits of the magic; the lowest 8 are the version.
const MAGIC: u32 = 0x6561_7400;
const RECORD: usize = 48;
/// The action of a request that is queued.
const QUEUE: u32 = 1;

// Categories, in the upper half of the action.
const WRITE: u32 = 1 << 1;
const FLUSH: u32 = 1 << 2;
const PC: u32 = 1 << 9;
const NOTIFY: u32 = 1 << 10;
const DISCARD: u32 = 1 << 13;

/// The byte order that a magic number gives, if it is one.
pub(crate) fn is_big_endian(start: &[u8]) -> Option<bool> {
    let magic: [u8; 4] = start.get(..4)?.try_into().ok()?;
    if u32::from_le_bytes(magic) & 0xffff_ff00 == MAGIC {
        Some(false)
    } else if u32::from_be_bytes(magic) & 0xffff_ff00 == MAGIC {
        Some(true)
    } else {
        None
    }
}

/// Records of a binary trace.
pub(crate) struct Records<R> {
    from: R,
    big: bool,
    name: String,
    /// Records so far.
    pub(crate) number: u64,
    /// Bytes so far.
    pub(crate) bytes: u64,
    /// The file ends within a record.
    pub(crate) cut: bool,
}

impl<R: BufRead> Records<R> {
    pub(crate) fn new(from: R, big: bool) -> Self {
        Records { from, big, name: String::new(), number: 0, bytes: 0, cut: false }
    }

    /// The next record as a line; `None` at the end.
    pub(crate) fn next(
        &mut self,
        file: &str,
        devices: &mut Devices,
    ) -> Result<Option<Line>, TraceError> {
        let mut record = [0; RECORD];
        let read = fill(&mut self.from, &mut record);
        let read = read.map_err(|e| TraceError::about(file, format!("cannot be read: {e}")))?;
        if read < RECORD {
            self.cut = read > 0;
            return Ok(None);
        }
        self.number += 1;
        let payload = self.u16(&record, 46);
        let wanted = u64::from(payload);
        let passed = std::io::copy(&mut (&mut self.from).take(wanted), &mut std::io::sink());
        let passed = passed.map_err(|e| TraceError::about(file, format!("cannot be read: {e}")))?;
        self.cut |= passed < wanted;
        self.bytes += RECORD as u64 + passed;
        self.record(&record, devices).map(Some).map_err(|wrong| wrong.in_file(file, self.number))
    }

    fn record(&mut self, record: &[u8; RECORD], devices: &mut Devices) -> Result<Line, Wrong> {
        if self.u32(record, 0) & 0xffff_ff00 != MAGIC {
            let message = format!("record {} does not begin with the magic number", self.number);
            return Err(Wrong::new(message)
                .with_help("the file is damaged; recreate it with `blkparse -i FILE -d OUT`"));
        }
        let action = self.u32(record, 28);
        let category = action >> 16;
        if category & (NOTIFY | PC) != 0 || action & 0xffff != QUEUE {
            return Ok(Line::Other);
        }
        let (at_ns, sector) = (self.u64(record, 8), self.u64(record, 16));
        let (bytes, device) = (self.u32(record, 24), self.u32(record, 36));
        let op = match category {
            c if c & DISCARD != 0 => Op::Trim,
            c if c & FLUSH != 0 && bytes == 0 => Op::Flush,
            c if c & WRITE != 0 && bytes == 0 => Op::Flush,
            c if c & WRITE != 0 => Op::Write,
            _ => Op::Read,
        };
        self.name.clear();
        // 12 bits of major number, 20 of minor.
        self.name.push_str(&format!("{},{}", device >> 20, device & 0xf_ffff));
        let extent = Extent::mixed(sector, u64::from(bytes));
        let extent = if op == Op::Flush { Extent::bytes(0, 0) } else { extent? };
        request(at_ns, devices.number(&self.name)?, op, extent, None)
    }

    fn u16(&self, record: &[u8], at: usize) -> u16 {
        let bytes = [record[at], record[at + 1]];
        if self.big { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) }
    }

    fn u32(&self, record: &[u8], at: usize) -> u32 {
        let (a, b) = (u32::from(self.u16(record, at)), u32::from(self.u16(record, at + 2)));
        if self.big { a << 16 | b } else { b << 16 | a }
    }

    fn u64(&self, record: &[u8], at: usize) -> u64 {
        let (a, b) = (u64::from(self.u32(record, at)), u64::from(self.u32(record, at + 4)));
        if self.big { a << 32 | b } else { b << 32 | a }
    }
}

/// Fills a buffer as far as the source goes.
fn fill(from: &mut impl BufRead, into: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < into.len() {
        match from.read(&mut into[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
