//! Tencent 2018: `time (s),sector,sectors,0 read or 1 write,volume`.

use super::fields::Fields;
use super::{Extent, Line, TextFormat, request};
use crate::device::Devices;
use crate::error::Wrong;
use crate::format::Format;

/// See [`Format::Tencent`].
pub(super) struct Tencent;

impl TextFormat for Tencent {
    fn line(&mut self, line: &str, devices: &mut Devices) -> Result<Line, Wrong> {
        let fields = Fields::of(line).at_least(5, Format::Tencent.columns())?;
        let at_ns = fields.time(0, 1_000_000_000)?;
        let extent = Extent::sectors(fields.whole(1, "sector")?, fields.whole(2, "size")?)?;
        let op = fields.op_digit(3, "0", "1")?;
        request(at_ns, devices.number(fields.text(4))?, op, extent, None)
    }
}
