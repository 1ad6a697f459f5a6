//! SPC: `unit,sector,bytes,R or W,time (s)`, from financial and search servers (UMass).

use super::fields::Fields;
use super::{Extent, Line, TextFormat, request};
use crate::device::Devices;
use crate::error::Wrong;
use crate::format::Format;

/// See [`Format::Spc`].
pub(super) struct Spc;

impl TextFormat for Spc {
    fn line(&mut self, line: &str, devices: &mut Devices) -> Result<Line, Wrong> {
        let fields = Fields::of(line).at_least(5, Format::Spc.columns())?;
        let at_ns = fields.time(4, 1_000_000_000)?;
        let op = fields.op(3)?;
        let extent = Extent::mixed(fields.whole(1, "sector")?, fields.whole(2, "size")?)?;
        fields.whole(0, "unit")?;
        request(at_ns, devices.number(fields.text(0))?, op, extent, None)
    }
}
