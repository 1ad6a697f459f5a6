//! Binary traces: records of one size, each of which a payload may follow.

mod blktrace;
mod vscsi;

use crate::device::Devices;
use crate::error::{TraceError, Wrong};
use crate::format::Format;
use crate::text::Line;
use blktrace::Blktrace;
use std::io::{BufRead, ErrorKind, Read as _};
use vscsi::VscsiRecords;

/// What the records of a format say.
trait RecordFormat: Send {
    /// Bytes of a record.
    fn size(&self) -> usize;

    /// Bytes that follow a record and are passed over.
    fn payload(&self, _record: &[u8]) -> u64 {
        0
    }

    /// A record as a line; `number` counts from 1.
    fn record(&mut self, number: u64, record: &[u8], devices: &mut Devices) -> Result<Line, Wrong>;
}

/// Which binary format a file has that begins like this; `None` if it has none that is known.
pub(crate) fn format(start: &[u8]) -> Option<Format> {
    if blktrace::is_big_endian(start).is_some() {
        return Some(Format::Blktrace);
    }
    vscsi::version(start).map(|_| Format::VscsiRecords)
}

/// Records of a binary trace.
pub(crate) struct Records<R> {
    from: R,
    format: Box<dyn RecordFormat>,
    record: Vec<u8>,
    /// Records so far.
    number: u64,
    /// Bytes so far.
    pub(crate) bytes: u64,
    /// The file ends within a record.
    pub(crate) cut: bool,
}

impl<R: BufRead> Records<R> {
    /// Of a file that begins like this.
    ///
    /// # Errors
    /// If it does not begin as files of the format do: what is wrong, and a help.
    pub(crate) fn new(from: R, format: Format, start: &[u8]) -> Result<Self, Wrong> {
        let format: Box<dyn RecordFormat> = match format {
            Format::VscsiRecords => {
                Box::new(VscsiRecords::new(vscsi::version(start).ok_or_else(|| {
                    Wrong::new("the file does not begin with records of a virtual disk")
                        .with_help("for lines of text, say --format vscsi")
                })?))
            }
            _ => Box::new(Blktrace::new(blktrace::is_big_endian(start).ok_or_else(|| {
                Wrong::new("the file does not begin with the magic number of blktrace")
                    .with_help("for what blkparse prints, say --format blkparse")
            })?)),
        };
        let record = vec![0; format.size()];
        Ok(Records { from, format, record, number: 0, bytes: 0, cut: false })
    }

    /// The next record as a line; `None` at the end.
    pub(crate) fn next(
        &mut self,
        file: &str,
        devices: &mut Devices,
    ) -> Result<Option<Line>, TraceError> {
        let unreadable = |e| TraceError::about(file, format!("cannot be read: {e}"));
        let read = fill(&mut self.from, &mut self.record).map_err(unreadable)?;
        if read < self.record.len() {
            self.cut = read > 0;
            return Ok(None);
        }
        self.number += 1;
        let wanted = self.format.payload(&self.record);
        let passed = std::io::copy(&mut (&mut self.from).take(wanted), &mut std::io::sink());
        let passed = passed.map_err(unreadable)?;
        self.cut |= passed < wanted;
        self.bytes += read as u64 + passed;
        let line = self.format.record(self.number, &self.record, devices);
        line.map(Some).map_err(|wrong| wrong.in_file(file, self.number))
    }
}

/// The numbers of a record, by the byte at which each begins.
struct Fields<'r> {
    record: &'r [u8],
    big: bool,
}

impl Fields<'_> {
    fn u16(&self, at: usize) -> u16 {
        let bytes = [self.record[at], self.record[at + 1]];
        if self.big { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) }
    }

    fn u32(&self, at: usize) -> u32 {
        let (a, b) = (u32::from(self.u16(at)), u32::from(self.u16(at + 2)));
        if self.big { a << 16 | b } else { b << 16 | a }
    }

    fn u64(&self, at: usize) -> u64 {
        let (a, b) = (u64::from(self.u32(at)), u64::from(self.u32(at + 4)));
        if self.big { a << 32 | b } else { b << 32 | a }
    }
}

/// Fills a buffer as far as the source goes.
fn fill(from: &mut impl BufRead, into: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < into.len() {
        match from.read(&mut into[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
