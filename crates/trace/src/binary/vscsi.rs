//! CloudPhysics' virtual disks as they were recorded: little-endian records of 32 bytes (version 1)
//! or 40 (version 2), one disk a file. Fields as in the readers of published cache simulators;
//! times are microseconds.

use super::{Fields, RecordFormat};
use crate::device::Devices;
use crate::error::Wrong;
use crate::request::Op;
use crate::scsi;
use crate::text::{Extent, Line, request};

/// Records at the beginning that must be of one version.
const TOLD_BY: usize = 8;

/// Where the fields of a version are, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Version {
    size: usize,
    /// The number of the version, above the lowest byte.
    number: u16,
    version: usize,
    command: usize,
    bytes: usize,
    sector: usize,
    time_us: usize,
}

const VERSIONS: [Version; 2] = [
    Version { size: 40, number: 2, version: 2, command: 0, bytes: 8, sector: 16, time_us: 24 },
    Version { size: 32, number: 1, version: 14, command: 12, bytes: 4, sector: 16, time_us: 24 },
];

/// The version of a file that begins like this; `None` if it is of none.
pub(super) fn version(start: &[u8]) -> Option<Version> {
    VERSIONS.into_iter().find(|version| {
        let mut records = start.chunks_exact(version.size).take(TOLD_BY).peekable();
        records.peek().is_some() && records.all(|record| version.is_of(record))
    })
}

impl Version {
    /// Whether a record is of this version, with a SCSI command in its place.
    fn is_of(&self, record: &[u8]) -> bool {
        let fields = Fields { record, big: false };
        fields.u16(self.version) >> 8 == self.number && fields.u16(self.command) < 256
    }
}

/// See [`crate::Format::VscsiRecords`].
pub(super) struct VscsiRecords {
    version: Version,
}

impl VscsiRecords {
    pub(super) fn new(version: Version) -> Self {
        VscsiRecords { version }
    }
}

impl RecordFormat for VscsiRecords {
    fn size(&self) -> usize {
        self.version.size
    }

    fn record(&mut self, number: u64, record: &[u8], devices: &mut Devices) -> Result<Line, Wrong> {
        let version = &self.version;
        if !version.is_of(record) {
            let message = format!("record {number} is not of version {}", version.number);
            return Err(Wrong::new(message).with_help("the file is damaged, or not one trace"));
        }
        let fields = Fields { record, big: false };
        let Some(op) = scsi::op(u64::from(fields.u16(version.command))) else {
            return Ok(Line::Other);
        };
        let time_us = fields.u64(version.time_us);
        let at_ns = time_us.checked_mul(1_000).ok_or_else(|| {
            Wrong::new(format!("{time_us} us of record {number} are too late"))
                .with_help("the file is damaged")
        })?;
        let bytes = u64::from(fields.u32(version.bytes));
        let extent = match op {
            Op::Flush => Extent::bytes(0, 0),
            Op::Read | Op::Write | Op::Trim => Extent::mixed(fields.u64(version.sector), bytes)?,
        };
        request(at_ns, devices.number("0")?, op, extent, None)
    }
}
