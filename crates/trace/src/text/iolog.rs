//! fio's iolog. Version 2: `file action [offset length]`, with `wait` for the time since the
//! `wait` before. Version 3: `time file action [offset length]`. Times are in us.

use super::fields::Fields;
use super::{Extent, Line, TextFormat, request};
use crate::device::Devices;
use crate::error::Wrong;
use crate::request::Op;

/// See [`crate::Format::Iolog`].
#[derive(Default)]
pub(super) struct Iolog {
    version: Option<u64>,
    /// Sum of all waits so far, ns.
    waited_ns: u64,
}

impl TextFormat for Iolog {
    fn line(&mut self, line: &str, devices: &mut Devices) -> Result<Line, Wrong> {
        let fields = Fields::blanks(line);
        let version = match self.version {
            Some(version) => version,
            None => {
                self.version = Some(version(&fields)?);
                return Ok(Line::Other);
            }
        };
        // The log of a job that ran several times starts again.
        if fields.text(0) == "fio" && fields.text(1) == "version" {
            return Ok(Line::Other);
        }
        let first = if version >= 3 { 1 } else { 0 };
        let columns = match version {
            2 => "file action [offset length]",
            _ => "time (us) file action [offset length]",
        };
        let fields = fields.at_least(first + 2, columns)?;
        let at_ns = match version {
            2 => self.waited_ns,
            _ => fields.time(0, 1000)?,
        };
        let (file, action) = (fields.text(first), fields.text(first + 1));
        let op = match action {
            "add" | "open" | "close" => {
                // Files count in the order in which they are named, used or not.
                devices.number(file)?;
                return Ok(Line::Other);
            }
            "wait" if version == 2 => {
                let us = fields.whole(first + 2, "wait")?;
                let waited = us.checked_mul(1000).and_then(|ns| self.waited_ns.checked_add(ns));
                let far = || fields.wrong(first + 2, "the waits add up to more than 2^64 ns");
                self.waited_ns = waited.ok_or_else(far)?;
                return Ok(Line::Other);
            }
            "read" => Op::Read,
            "write" => Op::Write,
            "trim" => Op::Trim,
            "sync" | "datasync" => Op::Flush,
            other => {
                let shown: String = other.chars().take(40).collect();
                let actions = "add, open, close, read, write, trim, sync, datasync";
                let more = if version == 2 { ", wait" } else { "" };
                return Err(fields
                    .wrong(first + 1, format!("`{shown}` is not an iolog action"))
                    .with_help(format!("version {version} has {actions}{more}")));
            }
        };
        let device = devices.number(file)?;
        if op == Op::Flush {
            return request(at_ns, device, op, Extent::bytes(0, 0), None);
        }
        let fields = fields.at_least(first + 4, columns)?;
        let offset = fields.whole(first + 2, "offset")?;
        let extent = Extent::bytes(offset, fields.whole(first + 3, "length")?);
        request(at_ns, device, op, extent, None)
    }

    fn may_have_heading(&self) -> bool {
        false
    }
}

/// The version in `fio version N iolog`.
fn version(fields: &Fields<'_>) -> Result<u64, Wrong> {
    if (fields.text(0), fields.text(1), fields.text(3)) != ("fio", "version", "iolog") {
        return Err(Wrong::new("the first line is not `fio version 2 iolog`")
            .with_help("begin the log with it, or with `fio version 3 iolog`"));
    }
    match fields.whole(2, "version")? {
        version @ (2 | 3) => Ok(version),
        version => Err(fields
            .wrong(2, format!("version {version} of fio's iolog is not known"))
            .with_help("versions 2 and 3 are")),
    }
}
