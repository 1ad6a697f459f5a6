//! A trace as a stream of requests in order of time.

use crate::binary::Records;
use crate::detect::{self, HEADING};
use crate::device::Devices;
use crate::error::TraceError;
use crate::format::Format;
use crate::lines::{Lines, is_comment};
use crate::notes::Notes;
use crate::order::Order;
use crate::request::Request;
use crate::text::{self, Line, SECTOR, TextFormat};
use std::fs::File;
use std::io::{BufReader, Cursor, Read};
use std::path::Path;

/// Bytes read at once.
const BUFFER: usize = 1 << 18;

type Source = BufReader<Box<dyn Read + Send>>;

/// The requests of a trace, in order of time. After an error there are no more.
pub struct Reader {
    file: String,
    format: Format,
    source: Kind,
    devices: Devices,
    notes: Notes,
    order: Order,
    requests: u64,
    ended: bool,
}

enum Kind {
    Text(Box<TextSource>),
    Binary(Records<Source>),
}

struct TextSource {
    lines: Lines<Source>,
    format: Box<dyn TextFormat>,
    /// The first line, if it was a heading: the same line may occur between parts of a trace that
    /// were joined.
    heading: Option<String>,
    /// Lines at the top that are not requests.
    skipped: usize,
}

/// Opens a trace; without a format it is found out.
///
/// # Errors
/// If the file cannot be read, is packed, or has no format that is known.
pub fn open(path: &Path, format: Option<Format>) -> Result<Reader, TraceError> {
    let name = path.display().to_string();
    let unreadable = |why: String| TraceError::about(&name, why).with_help("name a block trace");
    if path.is_dir() {
        return Err(unreadable("the trace is a directory".to_owned()));
    }
    let file =
        File::open(path).map_err(|e| unreadable(format!("the trace cannot be read: {e}")))?;
    read(&name, Box::new(file), format)
}

/// Reads a trace from anywhere; messages call it `name`.
///
/// # Errors
/// If nothing can be read, or it has no format that is known.
pub fn read(
    name: &str,
    mut from: Box<dyn Read + Send>,
    format: Option<Format>,
) -> Result<Reader, TraceError> {
    let mut start = Vec::new();
    (&mut from)
        .take(detect::LOOK as u64)
        .read_to_end(&mut start)
        .map_err(|e| TraceError::about(name, format!("the trace cannot be read: {e}")))?;
    let format = match format {
        Some(format) => format,
        None => detect::format(name, &start)?,
    };
    let whole: Box<dyn Read + Send> = Box::new(Cursor::new(start.clone()).chain(from));
    let source = BufReader::with_capacity(BUFFER, whole);
    let source = match text::reader(format) {
        Some(format) => {
            let lines = Lines::new(source);
            Kind::Text(Box::new(TextSource { lines, format, heading: None, skipped: 0 }))
        }
        None => {
            let records = Records::new(source, format, &start);
            Kind::Binary(records.map_err(|wrong| wrong.about(name))?)
        }
    };
    let (devices, notes, order) = (Devices::default(), Notes::default(), Order::default());
    let file = name.to_owned();
    Ok(Reader { file, format, source, devices, notes, order, requests: 0, ended: false })
}

impl Reader {
    /// The format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The devices that have occurred so far.
    pub fn devices(&self) -> &Devices {
        &self.devices
    }

    /// Irregularities so far.
    pub fn notes(&self) -> &Notes {
        &self.notes
    }

    /// Bytes of the file that have been read.
    pub fn bytes(&self) -> u64 {
        match &self.source {
            Kind::Text(source) => source.lines.bytes,
            Kind::Binary(records) => records.bytes,
        }
    }

    /// The next line or record; `None` at the end.
    fn line(&mut self) -> Result<Option<Line>, TraceError> {
        match &mut self.source {
            Kind::Text(source) => source.next(&self.file, &mut self.devices, self.requests > 0),
            Kind::Binary(records) => {
                let line = records.next(&self.file, &mut self.devices)?;
                self.notes.cut = u64::from(records.cut);
                Ok(line)
            }
        }
    }

    fn pull(&mut self) -> Result<Option<Request>, TraceError> {
        while !self.ended && !self.order.is_full() {
            match self.line()? {
                None => self.ended = true,
                Some(Line::Other) => self.notes.others += 1,
                Some(Line::Empty) => {
                    self.requests += 1;
                    self.notes.empty += 1;
                }
                Some(Line::Request(request)) => {
                    self.requests += 1;
                    let odd = (request.offset | request.len) % SECTOR != 0;
                    self.notes.unaligned += u64::from(odd);
                    self.order.push(request, &mut self.notes);
                }
            }
        }
        if self.ended && self.requests == 0 {
            let message = format!("there is no request in the trace, read as `{}`", self.format);
            return Err(TraceError::about(&self.file, message)
                .with_help(format!("its columns are: {}", self.format.columns())));
        }
        Ok(self.order.pop())
    }
}

impl TextSource {
    fn next(
        &mut self,
        file: &str,
        devices: &mut Devices,
        begun: bool,
    ) -> Result<Option<Line>, TraceError> {
        loop {
            let Some(line) = self.lines.next(file)? else { return Ok(None) };
            if is_comment(&line) {
                continue;
            }
            let wrong = match self.format.line(&line, devices) {
                Ok(line) => return Ok(Some(line)),
                Err(wrong) => wrong,
            };
            if self.heading.as_deref() == Some(&line) {
                continue;
            }
            let words = line.trim_start_matches('"').starts_with(|c: char| c.is_alphabetic());
            if words && !begun && self.skipped < HEADING && self.format.may_have_heading() {
                self.heading.get_or_insert_with(|| line.to_string());
                self.skipped += 1;
                continue;
            }
            drop(line);
            return Err(wrong.in_file(file, self.lines.number));
        }
    }
}

impl Iterator for Reader {
    type Item = Result<Request, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.pull() {
            Ok(request) => request.map(Ok),
            Err(error) => {
                self.ended = true;
                self.requests = self.requests.max(1);
                self.order = Order::default();
                Some(Err(error))
            }
        }
    }
}

impl std::fmt::Debug for Reader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader").field("file", &self.file).field("format", &self.format).finish()
    }
}
