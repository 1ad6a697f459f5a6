//! Windows event traces: `DiskRead, time (us), process, thread, irp, 0xbyte, 0xbytes, elapsed (us),
//! disk, ...`; the names of the columns are between `BeginHeader` and `EndHeader`.

use super::fields::Fields;
use super::{Extent, Line, TextFormat, request};
use crate::device::Devices;
use crate::error::Wrong;
use crate::format::Format;
use crate::request::Op;

/// See [`Format::Etw`].
#[derive(Default)]
pub(super) struct Etw;

impl TextFormat for Etw {
    fn line(&mut self, line: &str, devices: &mut Devices) -> Result<Line, Wrong> {
        let fields = Fields::of(line);
        let op = match fields.text(0) {
            "DiskRead" => Op::Read,
            "DiskWrite" => Op::Write,
            "DiskFlush" => Op::Flush,
            name if name.starts_with(|c: char| c.is_ascii_alphabetic()) => return Ok(Line::Other),
            _ => {
                return Err(fields
                    .wrong(0, "the line does not begin with the name of an event")
                    .with_help(format!("the columns are: {}", Format::Etw.columns())));
            }
        };
        // The heading describes the events in lines that begin with their names.
        if fields.text(1).starts_with(|c: char| c.is_ascii_alphabetic()) {
            return Ok(Line::Other);
        }
        let at_ns = fields.time(1, 1000)?;
        if op == Op::Flush {
            // Its columns have no place; the disk is one of the last.
            let disk = devices.number(fields.text(6))?;
            return request(at_ns, disk, op, Extent::bytes(0, 0), None);
        }
        let fields = fields.at_least(9, Format::Etw.columns())?;
        let extent = Extent::bytes(fields.whole(5, "offset")?, fields.whole(6, "size")?);
        let response_ns = fields.maybe_time(7, 1000)?;
        fields.whole(8, "disk")?;
        request(at_ns, devices.number(fields.text(8))?, op, extent, response_ns)
    }

    fn may_have_heading(&self) -> bool {
        false
    }
}
