//! MQSim: `time (ns) device sector sectors 0 write or 1 read`.

use super::fields::Fields;
use super::{Extent, Line, TextFormat, request};
use crate::device::Devices;
use crate::error::Wrong;
use crate::format::Format;

/// See [`Format::Mqsim`].
pub(super) struct Mqsim;

impl TextFormat for Mqsim {
    fn line(&mut self, line: &str, devices: &mut Devices) -> Result<Line, Wrong> {
        let fields = Fields::of(line).at_least(5, Format::Mqsim.columns())?;
        let at_ns = fields.whole(0, "time")?;
        fields.whole(1, "device")?;
        let extent = Extent::sectors(fields.whole(2, "sector")?, fields.whole(3, "size")?)?;
        let op = fields.op_digit(4, "1", "0")?;
        request(at_ns, devices.number(fields.text(1))?, op, extent, None)
    }
}
