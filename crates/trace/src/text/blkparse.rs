//! blkparse's text: `major,minor cpu sequence time (s) pid action rwbs sector + sectors [name]`.
//!
//! A request passes through several stages, a line each; the one that counts is `Q`, the time of
//! the request, as in fio.

use super::fields::Fields;
use super::{Extent, Line, TextFormat, request};
use crate::device::Devices;
use crate::error::Wrong;
use crate::format::Format;
use crate::request::Op;

/// See [`Format::Blkparse`].
pub(super) struct Blkparse;

impl TextFormat for Blkparse {
    fn line(&mut self, line: &str, devices: &mut Devices) -> Result<Line, Wrong> {
        let fields = Fields::blanks(line);
        if !is_device(fields.text(0)) {
            // The sums at the end: `CPU0 (sda):`, ` Reads Queued: ...`, `Total (sda):`.
            let sums = line.starts_with(|c: char| c.is_ascii_alphabetic());
            return match sums {
                true => Ok(Line::Other),
                false => Err(fields
                    .wrong(0, "the line does not begin with a device such as 8,0")
                    .with_help(format!("the columns are: {}", Format::Blkparse.columns()))),
            };
        }
        let fields = fields.at_least(6, Format::Blkparse.columns())?;
        fields.whole(1, "processor")?;
        let at_ns = fields.time(3, 1_000_000_000)?;
        if fields.text(5) != "Q" {
            return Ok(Line::Other);
        }
        let fields = fields.at_least(7, Format::Blkparse.columns())?;
        let kind = fields.text(6);
        let Some(op) = op_of(kind) else { return Ok(Line::Other) };
        let device = devices.number(fields.text(0))?;
        if fields.text(8) != "+" {
            // A flush has no place; a command of another kind has its bytes only.
            return match op {
                Op::Flush => request(at_ns, device, op, Extent::bytes(0, 0), None),
                _ => Ok(Line::Other),
            };
        }
        let extent = Extent::sectors(fields.whole(7, "sector")?, fields.whole(9, "size")?)?;
        let op = if op == Op::Write && extent.len == 0 { Op::Flush } else { op };
        request(at_ns, device, op, extent, None)
    }
}

fn is_device(text: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    text.split_once(',').is_some_and(|(major, minor)| digits(major) && digits(minor))
}

/// The letters of rwbs: `F` before another is a flush that goes ahead of it.
fn op_of(kind: &str) -> Option<Op> {
    if kind.contains('D') {
        return Some(Op::Trim);
    }
    if kind.contains('W') {
        return Some(Op::Write);
    }
    if kind.contains('R') {
        return Some(Op::Read);
    }
    kind.starts_with('F').then_some(Op::Flush)
}
