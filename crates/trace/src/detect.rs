//! Which format a file has, from its beginning.

use crate::binary;
use crate::device::Devices;
use crate::error::TraceError;
use crate::format::Format;
use crate::lines::is_comment;
use crate::text::{self, Line};

/// Bytes that are looked at.
pub(crate) const LOOK: usize = 1 << 16;
/// Lines that are looked at.
const LINES: usize = 200;
/// Lines at the top that may say something else.
pub(crate) const HEADING: usize = 16;

/// The format of a file that begins like this.
pub(crate) fn format(file: &str, start: &[u8]) -> Result<Format, TraceError> {
    refuse_packed(file, start)?;
    if let Some(format) = binary::format(start) {
        return Ok(format);
    }
    let names = Format::names();
    let unknown = |message: &str| {
        let help = format!("name it with --format, if it is one of {names}");
        Err(TraceError::about(file, message).with_help(help))
    };
    if start.is_empty() {
        return unknown("the trace is empty");
    }
    if start.contains(&0) {
        return unknown("the file is binary and of no format that is known");
    }
    match of_text(start) {
        Some(format) => Ok(format),
        None => unknown("the format of the trace is not recognised"),
    }
}

/// Whether a file that begins like this is a block trace, and not a job file or anything else.
pub fn looks_like_a_trace(start: &[u8]) -> bool {
    let start = &start[..start.len().min(LOOK)];
    binary::format(start).is_some() || (!start.contains(&0) && of_text(start).is_some())
}

/// Refuses packed files by name.
fn refuse_packed(file: &str, start: &[u8]) -> Result<(), TraceError> {
    let packers: [(&[u8], &str, &str); 5] = [
        (b"\x1f\x8b", "gzip", "gunzip"),
        (b"\xfd7zXZ", "xz", "unxz"),
        (b"\x28\xb5\x2f\xfd", "zstd", "unzstd"),
        (b"BZh", "bzip2", "bunzip2"),
        (b"PK\x03\x04", "zip", "unzip"),
    ];
    match packers.iter().find(|(magic, ..)| start.starts_with(magic)) {
        None => Ok(()),
        Some((_, name, tool)) => {
            let message = format!("the trace is packed with {name}");
            Err(TraceError::about(file, message).with_help(format!("unpack it first with {tool}")))
        }
    }
}

/// The format that reads most lines, if it reads at least half of them.
fn of_text(start: &[u8]) -> Option<Format> {
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    let sample = String::from_utf8_lossy(start);
    let mut lines: Vec<&str> = sample.lines().map(str::trim).collect();
    // The last line may be cut off by the end of what is looked at.
    if start.len() >= LOOK {
        lines.pop();
    }
    let said: Vec<&str> = lines.into_iter().filter(|line| !is_comment(line)).take(LINES).collect();
    match said.first() {
        Some(line) if line.starts_with("fio version") => return Some(Format::Iolog),
        Some(&"BeginHeader") => return Some(Format::Etw),
        _ => {}
    }
    // Of equals `max_by_key` takes the last: the list is walked backwards.
    let scores = Format::ALL.iter().copied().rev().map(|format| (score(format, &said), format));
    let known = scores.filter_map(|(score, format)| Some((score?, format)));
    known.max_by_key(|(score, _)| *score).map(|(_, format)| format)
}

/// Lines that a format reads; `None` if there is no request, or if it fails on most of them.
fn score(format: Format, lines: &[&str]) -> Option<usize> {
    let mut reader = text::reader(format)?;
    let mut devices = Devices::default();
    let (mut good, mut requests) = (0, 0);
    for line in lines.iter().filter(|line| could_be(format, line)) {
        match reader.line(line, &mut devices) {
            Ok(Line::Request(_) | Line::Empty) => (good, requests) = (good + 1, requests + 1),
            Ok(Line::Other) => good += 1,
            Err(_) => {}
        }
    }
    let others = lines.len() - good;
    (requests > 0 && good >= others.saturating_sub(1)).then_some(good)
}

/// What distinguishes formats whose columns look alike.
fn could_be(format: Format, line: &str) -> bool {
    let commas = line.contains(',') || line.contains(';');
    match format {
        // The host has a name, or the time counts from 1601.
        Format::Msr => {
            let mut fields = line.split([',', ';']);
            let long = fields.next().is_some_and(|time| time.trim().len() > 16);
            let named = |host: &str| host.trim().starts_with(|c: char| c.is_ascii_alphabetic());
            commas && (long || fields.next().is_some_and(named))
        }
        Format::Spc | Format::Systor | Format::Alibaba | Format::Tencent => commas,
        Format::K5cloud | Format::Vscsi => commas,
        Format::Mqsim | Format::Fiu | Format::Camelab | Format::Jesd219 => !commas,
        Format::Iolog | Format::Blktrace | Format::Blkparse | Format::Etw => true,
        Format::VscsiRecords => false,
    }
}
