//! A trace that has been read once, ready to be replayed.
//!
//! A trace is read twice and never held: first to know its devices, its extent and whether it can
//! be read to the end, so that a mistake in it is found before anything runs; then while it is
//! replayed.

use crate::error::TraceError;
use crate::format::Format;
use crate::placement::{Overflow, Placement};
use crate::reader::open;
use crate::request::{Op, Request};
use crate::summary::Summary;
use crate::write::IologWriter;
use std::fs::Metadata;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What a replay is given besides fio's own options.
#[derive(Clone, Debug, Default)]
pub struct TraceOptions {
    /// The format; `None` finds it out.
    pub format: Option<Format>,
    /// Recorded devices to replay; empty: all.
    pub devices: Vec<String>,
    /// What becomes of addresses beyond the end of the target.
    pub overflow: Overflow,
    /// Each I/O waits for the one before, and then for the recorded pause.
    pub dependent: bool,
}

/// Requests of a trace, times from the first one on.
pub type Requests = Box<dyn Iterator<Item = Result<Request, TraceError>> + Send>;

/// A trace that has been read to its end.
#[derive(Debug)]
pub struct Prepared {
    path: PathBuf,
    options: TraceOptions,
    summary: Summary,
    /// By number of the device: whether it is replayed.
    kept: Vec<bool>,
    stamp: Stamp,
}

/// What changes with a file: its length and the time of its last change.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stamp(Option<(u64, SystemTime)>);

impl Stamp {
    fn of(path: &Path) -> Self {
        let changed = |about: Metadata| Some((about.len(), about.modified().ok()?));
        Stamp(std::fs::metadata(path).ok().and_then(changed))
    }
}

impl Prepared {
    /// Reads a trace; `progress` gets the bytes read so far and the bytes of the file.
    ///
    /// # Errors
    /// What is wrong with it; a device that it does not have.
    pub fn read(
        path: &Path,
        options: TraceOptions,
        mut progress: impl FnMut(u64, u64),
    ) -> Result<Prepared, TraceError> {
        let stamp = Stamp::of(path);
        let all_bytes = stamp.0.map_or(0, |(bytes, _)| bytes);
        let mut reader = open(path, options.format)?;
        let wanted = |name: &str| options.devices.is_empty() || has(&options.devices, name);
        let mut kept: Vec<bool> = Vec::new();
        let summary = Summary::of(
            &mut reader,
            |request, devices| {
                kept.extend(devices.names().iter().skip(kept.len()).map(|name| wanted(name)));
                kept[request.device as usize]
            },
            |bytes| progress(bytes, all_bytes),
        )?;
        kept.extend(reader.devices().names().iter().skip(kept.len()).map(|name| wanted(name)));
        let names = reader.devices().names();
        let missing = options.devices.iter().find(|name| !has(names, name));
        if let Some(name) = missing {
            return Err(unknown_device(path, name, names));
        }
        Ok(Prepared { path: path.to_path_buf(), options, summary, kept, stamp })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it is replayed with.
    pub fn options(&self) -> &TraceOptions {
        &self.options
    }

    /// What is replayed, added up.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// Where the devices are on a target of `capacity` bytes.
    ///
    /// # Errors
    /// If the trace does not fit.
    pub fn place(&self, capacity: u64, divisor: u64) -> Result<Placement, String> {
        Placement::new(&self.summary, capacity, divisor, self.options.overflow)
    }

    /// All replayed requests, from the beginning again.
    ///
    /// # Errors
    /// If the file cannot be opened again, or is another one by now.
    pub fn requests(&self) -> Result<Requests, TraceError> {
        self.unchanged()?;
        let reader = open(&self.path, Some(self.summary.format))?;
        let (kept, first_ns) = (self.kept.clone(), self.summary.first_ns);
        let shifted = reader.map(move |request| {
            request.map(|r| Request { at_ns: r.at_ns.saturating_sub(first_ns), ..r })
        });
        let is_kept = move |r: &Request| kept.get(r.device as usize) == Some(&true);
        Ok(Box::new(shifted.filter(move |request| request.as_ref().map_or(true, &is_kept))))
    }

    /// Whether the file is still as it was read.
    ///
    /// # Errors
    /// If its length or the time of its last change differs.
    pub fn unchanged(&self) -> Result<(), TraceError> {
        if Stamp::of(&self.path) == self.stamp {
            return Ok(());
        }
        let name = self.path.display().to_string();
        Err(TraceError::about(&name, "the trace has changed since it was read")
            .with_help("leave it as it is while it is replayed"))
    }

    /// Writes the trace as fio's iolog, laid out by `placement`. `file` names the target in it.
    ///
    /// # Errors
    /// If the trace cannot be read again, or `to` cannot be written.
    pub fn write_iolog(
        &self,
        to: impl Write,
        file: &str,
        placement: &Placement,
    ) -> Result<(), TraceError> {
        let name = self.path.display().to_string();
        let unwritten = |error: io::Error| {
            TraceError::about(&name, format!("fio's form of it cannot be written: {error}"))
        };
        let mut log = IologWriter::new(to, file).map_err(unwritten)?;
        for request in self.requests()? {
            let request = request?;
            let (start, len) = match request.op {
                Op::Flush => (0, 0),
                _ => placement.of(&request),
            };
            log.request(request.at_ns, request.op, start, len).map_err(unwritten)?;
        }
        log.finish().map(drop).map_err(unwritten)
    }
}

fn has(names: &[String], name: &str) -> bool {
    names.iter().any(|known| known == name)
}

fn unknown_device(path: &Path, name: &str, names: &[String]) -> TraceError {
    const SHOWN: usize = 20;
    let shown: Vec<&str> = names.iter().take(SHOWN).map(String::as_str).collect();
    let more = match names.len() {
        count if count > SHOWN => format!(", and {} more", count - SHOWN),
        _ => String::new(),
    };
    TraceError {
        file: path.display().to_string(),
        line: None,
        column: None,
        message: format!("the trace has no device `{name}`"),
        help: Some(format!("its devices are {}{more}", shown.join(", "))),
    }
}
