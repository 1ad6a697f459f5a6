//! What the kernel's blktrace writes: records of 48 bytes and a payload, in either byte order.
//!
//! A request passes through several stages, a record each; the one that counts is its queueing, as
//! in fio. Numbers of actions and categories are those of the kernel's `blktrace_api.h`.

use super::{Fields, RecordFormat};
use crate::device::Devices;
use crate::error::Wrong;
use crate::request::Op;
use crate::text::{Extent, Line, request};

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

/// See [`crate::Format::Blktrace`].
pub(super) struct Blktrace {
    /// The byte order of the machine that recorded.
    pub(super) big: bool,
    name: String,
}

impl Blktrace {
    pub(super) fn new(big: bool) -> Self {
        Blktrace { big, name: String::new() }
    }
}

impl RecordFormat for Blktrace {
    fn size(&self) -> usize {
        RECORD
    }

    fn payload(&self, record: &[u8]) -> u64 {
        u64::from(self.fields(record).u16(46))
    }

    fn record(&mut self, number: u64, record: &[u8], devices: &mut Devices) -> Result<Line, Wrong> {
        let fields = self.fields(record);
        if fields.u32(0) & 0xffff_ff00 != MAGIC {
            let message = format!("record {number} does not begin with the magic number");
            return Err(Wrong::new(message)
                .with_help("the file is damaged; recreate it with `blkparse -i FILE -d OUT`"));
        }
        let action = fields.u32(28);
        let category = action >> 16;
        if category & (NOTIFY | PC) != 0 || action & 0xffff != QUEUE {
            return Ok(Line::Other);
        }
        let (at_ns, sector) = (fields.u64(8), fields.u64(16));
        let (bytes, device) = (fields.u32(24), fields.u32(36));
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
}

impl Blktrace {
    fn fields<'r>(&self, record: &'r [u8]) -> Fields<'r> {
        Fields { record, big: self.big }
    }
}
