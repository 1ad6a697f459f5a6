//! Systor '17: `time (s),response (s),type,unit,byte,bytes`; the response may be empty.

use super::fields::Fields;
use super::{Extent, Line, TextFormat, request};
use crate::device::Devices;
use crate::error::Wrong;
use crate::format::Format;

/// See [`Format::Systor`].
pub(super) struct Systor;

impl TextFormat for Systor {
    fn line(&mut self, line: &str, devices: &mut Devices) -> Result<Line, Wrong> {
        let fields = Fields::of(line).at_least(6, Format::Systor.columns())?;
        let at_ns = fields.time(0, 1_000_000_000)?;
        let response_ns = fields.maybe_time(1, 1_000_000_000)?;
        let op = fields.op(2)?;
        let extent = Extent::bytes(fields.whole(4, "offset")?, fields.whole(5, "size")?);
        request(at_ns, devices.number(fields.text(3))?, op, extent, response_ns)
    }
}
