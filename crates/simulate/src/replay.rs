//! Recorded traces as loads: read once, laid out on the drive, and played.
//!
//! A trace is read twice and never held: first to know its devices, its extent and whether it can
//! be read to the end, so that a mistake in it is found before time 0; then while the simulation
//! continues.

mod player;

use super::scale::Room;
use super::warn::{push_once, warning};
use fio::{Diagnostic, Job};
use iopath::host::workload::{Pace, Replay};
use player::Player;
use stats::Warning;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use trace::{Format, Op, Overflow, Placement, Summary, TraceError};

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
pub type Requests = Box<dyn Iterator<Item = Result<trace::Request, TraceError>> + Send>;

/// A trace that has been read to its end.
#[derive(Debug)]
pub struct Prepared {
    path: PathBuf,
    options: TraceOptions,
    summary: Summary,
    /// By number of the device: whether it is replayed.
    kept: Vec<bool>,
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
        let all_bytes = std::fs::metadata(path).map_or(0, |about| about.len());
        let mut reader = trace::open(path, options.format)?;
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
        Ok(Prepared { path: path.to_path_buf(), options, summary, kept })
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
    /// If the file cannot be opened again.
    pub fn requests(&self) -> Result<Requests, TraceError> {
        let reader = trace::open(&self.path, Some(self.summary.format))?;
        let (kept, first_ns) = (self.kept.clone(), self.summary.first_ns);
        let shifted = reader.map(move |request| {
            request.map(|r| trace::Request { at_ns: r.at_ns.saturating_sub(first_ns), ..r })
        });
        let is_kept = move |r: &trace::Request| kept.get(r.device as usize) == Some(&true);
        Ok(Box::new(shifted.filter(move |request| request.as_ref().map_or(true, &is_kept))))
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

/// Traces that have been read, by the name under which a job asks for them.
#[derive(Clone, Debug, Default)]
pub struct Replays(BTreeMap<String, Arc<Prepared>>);

impl Replays {
    /// True if no trace was added.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a trace under the name that `read_iolog` gives it.
    pub fn insert(&mut self, name: &str, prepared: Prepared) -> Arc<Prepared> {
        let prepared = Arc::new(prepared);
        self.0.insert(name.to_owned(), prepared.clone());
        prepared
    }

    /// The trace that a job names; it is read if it is not there.
    fn of(&self, job: &Job, path: &str) -> Result<Arc<Prepared>, Diagnostic> {
        if let Some(known) = self.0.get(path) {
            return Ok(known.clone());
        }
        let file = find(job, path)?;
        let read = Prepared::read(&file, TraceOptions::default(), |_, _| {});
        read.map(Arc::new).map_err(|error| diagnostic(&error))
    }
}

/// The file: below the working directory, as in fio, or beside the job file.
fn find(job: &Job, path: &str) -> Result<PathBuf, Diagnostic> {
    let beside = Path::new(&*job.place.file).parent().map(|folder| folder.join(path));
    let places = [Some(PathBuf::from(path)), beside];
    if let Some(found) = places.into_iter().flatten().find(|place| place.is_file()) {
        return Ok(found);
    }
    let message = format!("job `{}`: `read_iolog`: there is no trace {path}", job.name);
    Err(Diagnostic::new(&job.place, message)
        .with_help("name one file, below the working directory or beside the job file"))
}

/// An error of a trace as one of a text file.
pub fn diagnostic(error: &TraceError) -> Diagnostic {
    let narrow = |number: Option<u64>| u32::try_from(number.unwrap_or(1)).unwrap_or(u32::MAX);
    Diagnostic {
        file: error.file.as_str().into(),
        line: narrow(error.line),
        column: narrow(error.column),
        message: error.message.clone(),
        help: error.help.clone(),
        others: Vec::new(),
    }
}

/// A job's replay on the drive.
pub(super) struct Placed {
    /// What the thread does.
    pub replay: Replay,
    /// Extents of the drive that may be read: first byte and bytes.
    pub reads: Vec<(u64, u64)>,
}

/// Lays the trace of a job out on the drive; `None` if it replays none.
pub(super) fn place(
    job: &Job,
    replays: &Replays,
    room: &Room,
    warnings: &mut Vec<Warning>,
) -> Result<Option<Placed>, Diagnostic> {
    let Some(asked) = &job.replay else { return Ok(None) };
    let prepared = replays.of(job, &asked.path)?;
    let summary = prepared.summary();
    let wrong = |message: String, help: &str| {
        let message = format!("job `{}`: `read_iolog`: {message}", job.name);
        Err(Diagnostic::new(&job.place, message).with_help(help))
    };
    let placement = match prepared.place(room.simulated_bytes, asked.scale) {
        Ok(placement) => placement,
        Err(why) => return wrong(why, "choose a larger target or --scale, or let it wrap"),
    };
    for text in summary.notes.warnings(summary.format) {
        push_once(warnings, warning("trace", asked.path.clone(), text));
    }
    if let Some(text) = placement.warning() {
        push_once(warnings, warning("trace-moved", asked.path.clone(), text));
    }
    if room.simulated_bytes < room.real_bytes {
        let factor = room.real_bytes as f64 / room.simulated_bytes as f64;
        let message = format!(
            "the trace is replayed as it is on a drive at 1/{factor:.4} of its capacity: what it \
             writes is a share of the drive that is as much larger"
        );
        push_once(warnings, warning("trace-unscaled", asked.path.clone(), message));
    }
    let reads = extents(summary, &placement, room);
    let player = Player::new(prepared.clone(), placement, asked);
    let Some(length) = player.length() else {
        return wrong(
            "the trace lasts longer than the 53 days that can be simulated".to_owned(),
            "say replay_time_scale=1000 to play it ten times as fast",
        );
    };
    let pace = match (prepared.options.dependent, asked.no_stall) {
        (true, _) => Pace::Dependent,
        (_, true) => Pace::Fastest,
        _ => Pace::Recorded,
    };
    let recording = Arc::new(player);
    Ok(Some(Placed { replay: Replay { recording, pace, length }, reads }))
}

/// Bytes of the device of a job that the addresses of its trace need; 0 if even the real one has
/// too few.
pub(super) fn touched_bytes(job: &Job, replays: &Replays, room: &Room) -> Result<u64, Diagnostic> {
    let Some(asked) = &job.replay else { return Ok(0) };
    let prepared = replays.of(job, &asked.path)?;
    // What is larger than the real device is moved at every scale.
    let placement =
        Placement::new(&prepared.summary, room.real_bytes, asked.scale, Overflow::Refuse);
    let total = placement.map_or(0, |placement| placement.total_bytes());
    Ok(u64::try_from(total).unwrap_or(0))
}

/// Where reads may go: a device each, or the whole drive if addresses were moved.
fn extents(summary: &Summary, placement: &Placement, room: &Room) -> Vec<(u64, u64)> {
    if placement.total_bytes() > u128::from(room.simulated_bytes) {
        return vec![(0, room.simulated_bytes)];
    }
    let reading = summary.used().filter(|(_, d)| d.requests[Op::Read.index()] > 0);
    let extent = |(number, device): (u32, &trace::DeviceSummary)| {
        let (start, _) = placement.place(number, device.first_byte, 0);
        (start, device.span_bytes().min(room.simulated_bytes - start))
    };
    reading.map(extent).collect()
}
