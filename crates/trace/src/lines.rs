//! Lines of a text of any length, one at a time.

use crate::error::TraceError;
use std::borrow::Cow;
use std::io::{BufRead, Read as _};

/// Longest line, bytes: far more than any format has, and a bound on memory.
const LONGEST: u64 = 1 << 16;

/// A text as lines without their ends.
pub(crate) struct Lines<R> {
    from: R,
    buffer: Vec<u8>,
    /// Lines so far.
    pub(crate) number: u64,
    /// Bytes so far.
    pub(crate) bytes: u64,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(from: R) -> Self {
        Lines { from, buffer: Vec::new(), number: 0, bytes: 0 }
    }

    /// The next line without blanks at both ends; a process name in it may be no UTF-8.
    pub(crate) fn next(&mut self, file: &str) -> Result<Option<Cow<'_, str>>, TraceError> {
        self.buffer.clear();
        let mut limited = (&mut self.from).take(LONGEST);
        let read = limited.read_until(b'\n', &mut self.buffer);
        let read = read.map_err(|e| {
            TraceError::about(file, format!("the trace cannot be read: {e}")).at(self.number + 1)
        })?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        self.bytes += read as u64;
        let wrong = |message: &str| {
            let help = "name the right format, or a file that is a trace";
            Err(TraceError::about(file, message).at(self.number).with_help(help))
        };
        if read as u64 == LONGEST && self.buffer.last() != Some(&b'\n') {
            return wrong("the line is longer than any of a trace: the file is not text");
        }
        if self.buffer.contains(&0) {
            return wrong("the line holds binary data: the file is not text");
        }
        let mut line = self.buffer.as_slice();
        if self.number == 1 {
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        Ok(Some(String::from_utf8_lossy(line.trim_ascii())))
    }
}

/// Whether a line says nothing: blank, or a comment.
pub(crate) fn is_comment(line: &str) -> bool {
    line.is_empty() || line.starts_with(['#', ';', '%']) || line.starts_with("//")
}
