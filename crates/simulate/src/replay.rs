//! Recorded traces as loads: laid out on the drive, and played while the simulation continues.

mod player;

use super::scale::Room;
use super::warn::{push_once, warning};
use fio::{Diagnostic, Job};
use iopath::host::workload::{Pace, Replay};
use player::Player;
use stats::Warning;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use trace::{Op, Overflow, Placement, Prepared, Replays, Summary, TraceError};

/// The trace that a job names; it is read if it is not there.
fn of(replays: &Replays, job: &Job, path: &str) -> Result<Arc<Prepared>, Diagnostic> {
    match replays.get(path) {
        Some(known) => Ok(known.clone()),
        None => Replays::read(&find(job, path)?).map_err(|error| diagnostic(&error)),
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
fn diagnostic(error: &TraceError) -> Diagnostic {
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
    let prepared = of(replays, job, &asked.path)?;
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
    let pace = match (prepared.options().dependent, asked.no_stall) {
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
    let prepared = of(replays, job, &asked.path)?;
    // What is larger than the real device is moved at every scale.
    let placement =
        Placement::new(prepared.summary(), room.real_bytes, asked.scale, Overflow::Refuse);
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
