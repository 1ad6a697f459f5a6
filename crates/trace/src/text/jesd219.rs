//! JEDEC's client traces (JESD219A): `Write sector sectors`, `Trims sector sectors`, `Flush`.

use super::fields::Fields;
use super::{Extent, Line, TextFormat, request};
use crate::device::Devices;
use crate::error::Wrong;
use crate::format::Format;
use crate::request::Op;

/// See [`Format::Jesd219`]. It has no times: each request arrives at the beginning, and how many
/// are outstanding at once is the replay's to say.
pub(super) struct Jesd219;

/// Most sectors of a write; a longer one is a mistake in the text.
const LONGEST: u64 = 1 << 23;

impl TextFormat for Jesd219 {
    fn line(&mut self, line: &str, devices: &mut Devices) -> Result<Line, Wrong> {
        let fields = Fields::of(line);
        // The published files have a mark before each word.
        let word = fields.text(0).trim_start_matches(|c: char| !c.is_ascii_alphabetic());
        let word = word.to_ascii_lowercase();
        let (op, columns) = match word.as_str() {
            "write" | "writes" => (Op::Write, 3),
            "trim" | "trims" => (Op::Trim, 3),
            "flush" => (Op::Flush, 1),
            _ => {
                let columns = Format::Jesd219.columns();
                return Err(Wrong::new(format!("`{}` is no command", fields.text(0)))
                    .with_help(format!("a line is one of: {columns}")));
            }
        };
        if fields.count() != columns {
            let said = format!("a {} has {columns} columns, not {}", op.name(), fields.count());
            return Err(Wrong::new(said).with_help("the first sector and the sectors follow"));
        }
        let device = devices.number("0")?;
        if op == Op::Flush {
            return request(0, device, op, Extent::bytes(0, 0), None);
        }
        let sectors = fields.whole(2, "size")?;
        if op == Op::Write && sectors > LONGEST {
            return Err(Wrong::new(format!("a write of {sectors} sectors"))
                .with_help("the columns are the first sector and the number of sectors"));
        }
        request(0, device, op, Extent::sectors(fields.whole(1, "sector")?, sectors)?, None)
    }
}
