//! K5: `volume,time (s),R or W,byte,bytes`.

use super::fields::Fields;
use super::{Extent, Line, TextFormat, request};
use crate::device::Devices;
use crate::error::Wrong;
use crate::format::Format;

/// See [`Format::K5cloud`].
pub(super) struct K5cloud;

impl TextFormat for K5cloud {
    fn line(&mut self, line: &str, devices: &mut Devices) -> Result<Line, Wrong> {
        let fields = Fields::of(line).at_least(5, Format::K5cloud.columns())?;
        let at_ns = fields.time(1, 1_000_000_000)?;
        let op = fields.op(2)?;
        let extent = Extent::bytes(fields.whole(3, "offset")?, fields.whole(4, "size")?);
        request(at_ns, devices.number(fields.text(0))?, op, extent, None)
    }
}
