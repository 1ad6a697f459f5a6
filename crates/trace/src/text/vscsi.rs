//! CloudPhysics: `version,time (s),SCSI operation (hex),bytes,sector`, one device.

use super::fields::Fields;
use super::{Extent, Line, TextFormat, request};
use crate::device::Devices;
use crate::error::Wrong;
use crate::format::Format;
use crate::number::hexadecimal;
use crate::request::Op;

/// See [`Format::Vscsi`].
pub(super) struct Vscsi;

impl TextFormat for Vscsi {
    fn line(&mut self, line: &str, devices: &mut Devices) -> Result<Line, Wrong> {
        let fields = Fields::of(line).at_least(5, Format::Vscsi.columns())?;
        let version = fields.whole(0, "version")?;
        if !(1..=2).contains(&version) {
            return Err(fields.wrong(0, format!("{version} is not a version of this format")));
        }
        let at_ns = fields.time(1, 1_000_000_000)?;
        let op = scsi(&fields)?;
        let extent = Extent::mixed(fields.whole(4, "sector")?, fields.whole(3, "size")?)?;
        match op {
            Some(op) => request(at_ns, devices.number("0")?, op, extent, None),
            None => Ok(Line::Other),
        }
    }
}

/// The operation of a SCSI command: reads, writes and unmaps of 6 to 16 bytes; `None` for others.
fn scsi(fields: &Fields<'_>) -> Result<Option<Op>, Wrong> {
    let text = fields.text(2);
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let code = hexadecimal(digits).ok().filter(|code| *code < 256);
    match code {
        Some(0x08 | 0x28 | 0x88 | 0xa8) => Ok(Some(Op::Read)),
        Some(0x0a | 0x2a | 0x8a | 0xaa | 0x2e | 0x8e) => Ok(Some(Op::Write)),
        Some(0x42) => Ok(Some(Op::Trim)),
        Some(0x35 | 0x91) => Ok(Some(Op::Flush)),
        Some(_) => Ok(None),
        None => {
            let shown: String = text.chars().take(40).collect();
            Err(fields
                .wrong(2, format!("`{shown}` is not a SCSI operation"))
                .with_help("write it in hexadecimal: 28 reads, 2a writes"))
        }
    }
}
