//! Formats of text: one line, one request.

mod alibaba;
mod blkparse;
mod camelab;
mod etw;
mod fields;
mod fiu;
mod iolog;
mod jesd219;
mod k5cloud;
mod mqsim;
mod msr;
mod spc;
mod systor;
mod tencent;
mod vscsi;

use crate::device::Devices;
use crate::error::Wrong;
use crate::format::Format;
use crate::request::{Op, Request};

/// What a line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A request; its time counts from any origin that is the same for the whole file.
    Request(Request),
    /// A request of no bytes.
    Empty,
    /// Something else that the format has.
    Other,
}

/// Reads the lines of one format.
pub(crate) trait TextFormat: Send {
    /// Reads a line that is neither blank nor a comment.
    fn line(&mut self, line: &str, devices: &mut Devices) -> Result<Line, Wrong>;

    /// Whether a line that cannot be read, before the first request, may be a heading.
    fn may_have_heading(&self) -> bool {
        true
    }
}

/// The reader of a text format; binary ones have none here.
pub(crate) fn reader(format: Format) -> Option<Box<dyn TextFormat>> {
    Some(match format {
        Format::Iolog => Box::new(iolog::Iolog::default()),
        Format::Blkparse => Box::new(blkparse::Blkparse),
        Format::Msr => Box::new(msr::Msr::default()),
        Format::Spc => Box::new(spc::Spc),
        Format::Systor => Box::new(systor::Systor),
        Format::Alibaba => Box::new(alibaba::Alibaba),
        Format::Tencent => Box::new(tencent::Tencent),
        Format::Mqsim => Box::new(mqsim::Mqsim),
        Format::Etw => Box::new(etw::Etw),
        Format::Vscsi => Box::new(vscsi::Vscsi),
        Format::Fiu => Box::new(fiu::Fiu),
        Format::K5cloud => Box::new(k5cloud::K5cloud),
        Format::Jesd219 => Box::new(jesd219::Jesd219),
        Format::Camelab => Box::new(camelab::Camelab),
        Format::Blktrace | Format::VscsiRecords => return None,
    })
}

/// Bytes of a sector in formats that count sectors.
pub(crate) const SECTOR: u64 = 512;

/// Where a request is, as recorded.
pub(crate) struct Extent {
    pub offset: u64,
    pub len: u64,
}

impl Extent {
    /// From bytes.
    pub(crate) fn bytes(offset: u64, len: u64) -> Extent {
        Extent { offset, len }
    }

    /// From sectors.
    pub(crate) fn sectors(start: u64, count: u64) -> Result<Extent, Wrong> {
        Extent::mixed(start, count.checked_mul(SECTOR).ok_or_else(too_far)?)
    }

    /// From a sector and bytes.
    pub(crate) fn mixed(start: u64, len: u64) -> Result<Extent, Wrong> {
        Ok(Extent { offset: start.checked_mul(SECTOR).ok_or_else(too_far)?, len })
    }
}

fn too_far() -> Wrong {
    Wrong::new("the request is beyond 2^64 bytes")
        .with_help("no drive is that large: name the right format")
}

/// A request from what a line said; checks that it is possible.
pub(crate) fn request(
    at_ns: u64,
    device: u32,
    op: Op,
    extent: Extent,
    response_ns: Option<u64>,
) -> Result<Line, Wrong> {
    let Extent { offset, len } = extent;
    if op == Op::Flush {
        let request = Request { at_ns, device, op, offset: 0, len: 0, response_ns };
        return Ok(Line::Request(request));
    }
    if len == 0 {
        return Ok(Line::Empty);
    }
    offset.checked_add(len).ok_or_else(too_far)?;
    if op != Op::Trim && len > u64::from(u32::MAX) {
        let message = format!("a {} of {len} bytes is more than one command can move", op.name());
        return Err(Wrong::new(message).with_help("name the right format"));
    }
    Ok(Line::Request(Request { at_ns, device, op, offset, len, response_ns }))
}
