//! Alibaba 2020: `volume,R or W,byte,bytes,time (us)`.

use super::fields::Fields;
use super::{Extent, Line, TextFormat, request};
use crate::device::Devices;
use crate::error::Wrong;
use crate::format::Format;

/// See [`Format::Alibaba`].
pub(super) struct Alibaba;

impl TextFormat for Alibaba {
    fn line(&mut self, line: &str, devices: &mut Devices) -> Result<Line, Wrong> {
        let fields = Fields::of(line).at_least(5, Format::Alibaba.columns())?;
        let op = fields.op(1)?;
        let extent = Extent::bytes(fields.whole(2, "offset")?, fields.whole(3, "length")?);
        let at_ns = fields.time(4, 1000)?;
        request(at_ns, devices.number(fields.text(0))?, op, extent, None)
    }
}
