//! FIU: `time (ns) pid process sector sectors R or W major minor digest`.

use super::fields::Fields;
use super::{Extent, Line, TextFormat, request};
use crate::device::Devices;
use crate::error::Wrong;
use crate::format::Format;

/// See [`Format::Fiu`].
pub(super) struct Fiu;

impl TextFormat for Fiu {
    fn line(&mut self, line: &str, devices: &mut Devices) -> Result<Line, Wrong> {
        let fields = Fields::of(line);
        // A process name may hold blanks: the fields behind it are found from the operation.
        let op_at =
            (5..fields.count()).find(|&at| matches!(fields.text(at), "R" | "W" | "r" | "w"));
        let Some(at) = op_at.filter(|at| at + 2 < fields.count()) else {
            let columns = Format::Fiu.columns();
            return Err(Wrong::new("the line has no R or W followed by a device")
                .with_help(format!("the columns are: {columns}")));
        };
        let at_ns = fields.whole(0, "time")?;
        fields.whole(1, "process number")?;
        let extent =
            Extent::sectors(fields.whole(at - 2, "sector")?, fields.whole(at - 1, "size")?)?;
        let (major, minor) = (fields.whole(at + 1, "major")?, fields.whole(at + 2, "minor")?);
        let device = devices.number(&format!("{major},{minor}"))?;
        request(at_ns, device, fields.op(at)?, extent, None)
    }
}
