//! A block trace as a job that replays it.

use super::args::{Pace, ReplayArgs};
use crate::render::Failure;
use ::trace::{Format, TraceError, looks_like_a_trace};
use lab::TraceKind;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// I/Os of a trace in flight on a real drive unless the user says it: fio 3.33 looks for
/// completions only when it issues, so that at a greater depth it adds its own pauses to latencies.
pub const REAL_DEPTH: u32 = 1;

/// Bytes of a file that tell whether it is a trace.
const LOOK: u64 = 1 << 16;

/// Whether a file begins like a trace. What cannot be read is left to the reader of job files.
pub fn is_trace(path: &Path) -> bool {
    // A pipe can be read once, and that is the reader's.
    if !path.is_file() {
        return false;
    }
    let mut start = Vec::new();
    let file = File::open(path).map(|file| file.take(LOOK).read_to_end(&mut start));
    matches!(file, Ok(Ok(_))) && looks_like_a_trace(&start)
}

/// The file's own name, as far as it can stand in a job file.
pub fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let plain = |c: char| if c.is_alphanumeric() || "._-+".contains(c) { c } else { '_' };
    let name: String = name.chars().map(plain).collect();
    if name.is_empty() { "trace".to_owned() } else { name }
}

/// The job `name` that replays the trace `file`.
pub fn job(name: &str, file: &str, replay: &ReplayArgs, depth: &str) -> String {
    let mut text =
        format!("[{name}]\nread_iolog={file}\nioengine=libaio\ndirect=1\niodepth={depth}\n");
    if replay.pace == Some(Pace::Fastest) {
        text.push_str("replay_no_stall=1\n");
    }
    if let Some(percent) = replay.time_scale {
        text.push_str(&format!("replay_time_scale={percent}\n"));
    }
    if let Some(align) = replay.align {
        text.push_str(&format!("replay_align={}\n", align.base()));
    }
    if !replay.skip.is_empty() {
        text.push_str(&format!("replay_skip={}\n", replay.skip.join(",")));
    }
    text
}

/// The job that replays a trace at its recorded times, or as fast as its depth allows if it has
/// none, as a method, with its usual depth and what it is.
///
/// # Errors
/// A path that a job file cannot name, and a file that cannot be read.
pub fn method_job(path: &str) -> Result<(String, u32, TraceKind), Failure> {
    let odd = |c: char| c.is_control() || ";#:$".contains(c);
    if path.contains(odd) || path.trim() != path {
        let message = format!("{path}: a job file cannot name this trace");
        return Err(Failure::wrong(message).with_help("rename it, or link to it by a plain name"));
    }
    let failed = |error: TraceError| Failure::wrong(error.to_string()).at(path.to_owned());
    let format = ::trace::open(Path::new(path), None).map_err(failed)?.format();
    let kind = match format {
        Format::Jesd219 => TraceKind::ClientWorkload,
        _ => TraceKind::Timed,
    };
    let replay = ReplayArgs::default().of_format(format);
    let text = job(&name_of(Path::new(path)), path, &replay, "${DEPTH}");
    Ok((text, replay.depth(), kind))
}
