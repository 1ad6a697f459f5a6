//! CloudPhysics: `version,time (s),SCSI operation (hex),bytes,sector`, one device.

use super::fields::Fields;
use super::{Extent, Line, TextFormat, request};
use crate::device::Devices;
use crate::error::Wrong;
use crate::format::Format;
use crate::number::hexadecimal;
use crate::request::Op;
use crate::scsi;

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
        let op = operation(&fields)?;
        let extent = Extent::mixed(fields.whole(4, "sector")?, fields.whole(3, "size")?)?;
        match op {
            Some(op) => request(at_ns, devices.number("0")?, op, extent, None),
            None => Ok(Line::Other),
        }
    }
}

/// The operation of a SCSI command, if it is one that counts.
fn operation(fields: &Fields<'_>) -> Result<Option<Op>, Wrong> {
    let text = fields.text(2);
    let digits = text.strip_prefix("0x").unwrap_or(text);
    match hexadecimal(digits).ok().filter(|code| *code < 256) {
        Some(code) => Ok(scsi::op(code)),
        None => {
            let shown: String = text.chars().take(40).collect();
            Err(fields
                .wrong(2, format!("`{shown}` is not a SCSI operation"))
                .with_help("write it in hexadecimal: 28 reads, 2a writes"))
        }
    }
}
