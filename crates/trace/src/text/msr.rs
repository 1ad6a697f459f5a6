//! MSR Cambridge: `time (100 ns),host,disk,type,byte,bytes,response (100 ns)`, times since 1601.

use super::fields::Fields;
use super::{Extent, Line, TextFormat, request};
use crate::device::Devices;
use crate::error::Wrong;
use crate::format::Format;

/// A Windows file time counts units of this many ns.
const TICK_NS: u64 = 100;
/// Times since 1601 of this century, in ticks, do not leave room for ns in 64 bits with ease: they
/// count from the first.
const EPOCH: u64 = 100_000_000_000_000_000;

/// See [`Format::Msr`].
#[derive(Default)]
pub(super) struct Msr {
    /// Name of a device, rebuilt for each line.
    name: String,
}

impl TextFormat for Msr {
    fn line(&mut self, line: &str, devices: &mut Devices) -> Result<Line, Wrong> {
        let fields = Fields::of(line).at_least(6, Format::Msr.columns())?;
        let mut ticks = fields.whole(0, "time")?;
        // No trace mixes times since 1601 with others.
        if ticks >= EPOCH {
            ticks -= EPOCH;
        }
        let far = || fields.wrong(0, "the time is too large");
        let at_ns = ticks.checked_mul(TICK_NS).ok_or_else(far)?;
        fields.whole(2, "disk")?;
        self.name.clear();
        self.name.push_str(fields.text(1));
        self.name.push('.');
        self.name.push_str(fields.text(2));
        let op = fields.op(3)?;
        let extent = Extent::bytes(fields.whole(4, "offset")?, fields.whole(5, "size")?);
        let response_ns = fields.maybe_time(6, TICK_NS)?;
        request(at_ns, devices.number(&self.name)?, op, extent, response_ns)
    }
}
