//! Camelab: `time (s) R or W sector sectors`, one device.

use super::fields::Fields;
use super::{Extent, Line, TextFormat, request};
use crate::device::Devices;
use crate::error::Wrong;
use crate::format::Format;

/// See [`Format::Camelab`].
pub(super) struct Camelab;

impl TextFormat for Camelab {
    fn line(&mut self, line: &str, devices: &mut Devices) -> Result<Line, Wrong> {
        let fields = Fields::of(line).at_least(4, Format::Camelab.columns())?;
        let at_ns = fields.time(0, 1_000_000_000)?;
        let op = fields.op(1)?;
        let extent = Extent::sectors(fields.whole(2, "sector")?, fields.whole(3, "size")?)?;
        request(at_ns, devices.number("0")?, op, extent, None)
    }
}
