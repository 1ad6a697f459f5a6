//! Running the installed fio on the permitted paths.

use crate::guard::Permit;
use crate::installed::{InstalledError, InstalledFio};
use crate::job::Redirected;
use crate::refusal::Refusal;
use crate::scratch::Scratch;
use crate::system::System;
use process::{self, Running};
use rustix::process::Signal;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

/// How often the caller hears from a run that says nothing.
pub const TICK: Duration = Duration::from_millis(200);
/// How long fio may take to end its jobs when it is asked to.
const PATIENCE: Duration = Duration::from_secs(30);
/// Bytes of fio's messages that are kept.
const MESSAGES_MAX: usize = 64 << 10;
/// Job file in the scratch directory.
const JOB_FILE: &str = "job.fio";
/// Output in the scratch directory.
const OUTPUT_FILE: &str = "output.json";

/// News of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Progress {
    /// fio is at work; sent every [`TICK`].
    Tick,
    /// fio's own line about itself, with the percentage in it if there is one.
    Line {
        /// The line.
        text: String,
        /// How much is done, 0 to 100.
        percent: Option<f64>,
    },
}

/// How to run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Where the scratch directory is made.
    pub scratch_root: PathBuf,
    /// Whether the scratch directory is left there.
    pub keep_scratch: bool,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self { scratch_root: std::env::temp_dir(), keep_scratch: false }
    }
}

/// What fio left behind.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Output {
    /// Its JSON+, perhaps with lines of text before it.
    pub json: String,
    /// What it wrote to its error output.
    pub messages: String,
    /// Log files by name in the scratch directory, in order of name.
    pub logs: Vec<(String, String)>,
    /// Version of fio.
    pub version: String,
    /// Whether it ended without an error.
    pub success: bool,
    /// Whether the caller stopped it.
    pub cancelled: bool,
    /// The scratch directory, if it was kept.
    #[serde(skip)]
    pub scratch: Option<PathBuf>,
}

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The path is no longer what was permitted, or cannot be made.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// fio is missing or unusable.
    #[error(transparent)]
    Installed(#[from] InstalledError),
    /// The job uses options that this fio does not have.
    #[error("{place}: {version} has no option `{option}`; leave it out or install a newer fio")]
    MissingOption {
        /// Where it is used.
        place: String,
        /// Version of the installed fio.
        version: String,
        /// The option.
        option: String,
    },
    /// A file could not be read or written.
    #[error("{what}: {source}")]
    Io {
        /// What was attempted.
        what: String,
        /// What the system said.
        source: io::Error,
    },
    /// fio failed before it had any result.
    #[error("fio failed: {messages}")]
    Failed {
        /// What fio wrote.
        messages: String,
    },
}

/// Runs a redirected job on the permitted paths, those that it was redirected to, and waits for
/// its end.
///
/// The caller hears of the progress and may stop the run: fio then ends in order and its
/// results up to there are returned.
///
/// # Errors
///
/// See [`RunError`]. A job in which single I/Os failed is not an error: see `error` of its result.
pub fn run(
    system: &System,
    fio: &InstalledFio,
    permits: &[Permit],
    job: &Redirected,
    options: &RunOptions,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Output, RunError> {
    check_options(fio, job)?;
    let scratch = lay_out(job, &options.scratch_root)?;
    prepare(permits, system, job)?;
    let may_write = permits.iter().all(Permit::may_write);
    let ended = command(fio, &scratch, may_write)
        .spawn()
        .and_then(|child| {
            watch(Running::new(child, Signal::INT, PATIENCE), scratch.path(), progress)
        })
        .map_err(io_error("fio does not start, or was lost".to_owned()));
    process::end_all_in(scratch.path());
    let complete = ended.as_ref().is_ok_and(|ended| ended.success && !ended.cancelled);
    for permit in permits {
        let about = format!("marker of {}", permit.path().display());
        permit.conclude(complete).map_err(io_error(about))?;
    }
    let ended = ended?;
    let json = read_json(&scratch, &ended)?;
    let logs = read_logs(&scratch, job).map_err(io_error("fio's logs".to_owned()))?;
    Ok(Output {
        json,
        messages: ended.messages,
        logs,
        version: fio.version().to_owned(),
        success: ended.success,
        cancelled: ended.cancelled,
        scratch: options.keep_scratch.then(|| scratch.keep()),
    })
}

/// Refuses options that the installed fio does not have.
fn check_options(fio: &InstalledFio, job: &Redirected) -> Result<(), RunError> {
    let unknown = fio.unknown_options(&job.used, &job.engines)?;
    match unknown.into_iter().next() {
        None => Ok(()),
        Some((option, place)) => {
            let version = fio.version().to_owned();
            Err(RunError::MissingOption { place, version, option })
        }
    }
}

/// A scratch directory with the job file and copies of the traces in it.
fn lay_out(job: &Redirected, root: &Path) -> Result<Scratch, RunError> {
    let scratch = Scratch::new(root)
        .map_err(io_error(format!("no scratch directory in {}", root.display())))?;
    let job_file = scratch.path().join(JOB_FILE);
    fs::write(&job_file, &job.text).map_err(io_error(job_file.display().to_string()))?;
    for trace in &job.traces {
        trace.write(scratch.path()).map_err(io_error(trace.path().display().to_string()))?;
    }
    Ok(scratch)
}

/// Makes the paths ready. All are looked at before the first is touched.
fn prepare(permits: &[Permit], system: &System, job: &Redirected) -> Result<(), RunError> {
    for (number, permit) in permits.iter().enumerate() {
        permit.recheck(system)?;
        if let Some(bytes) = job.lengths.get(&number) {
            permit.check_room(*bytes)?;
        }
    }
    for permit in permits {
        permit.prepare(system)?;
    }
    Ok(())
}

/// fio on the job file in the scratch directory.
fn command(fio: &InstalledFio, scratch: &Scratch, may_write: bool) -> Command {
    let mut command = fio.bound();
    command.current_dir(scratch.path()).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.args(["--output-format=json+", "--eta=always", "--eta-newline=1"]);
    command.arg(format!("--output={OUTPUT_FILE}"));
    if !may_write {
        // The second lock: fio itself refuses writes and trims, also in layout.
        command.arg("--readonly");
    }
    command.arg(JOB_FILE);
    command
}

/// fio's JSON+; without any job in it fio has failed.
fn read_json(scratch: &Scratch, ended: &Ended) -> Result<String, RunError> {
    let json = fs::read_to_string(scratch.path().join(OUTPUT_FILE)).unwrap_or_default();
    if json.contains("\"jobs\"") {
        return Ok(json);
    }
    let mut messages = format!("{}{}", ended.messages, json).trim().to_owned();
    if messages.is_empty() {
        messages = "it said nothing".to_owned();
    }
    Err(RunError::Failed { messages })
}

/// How the process ended.
struct Ended {
    success: bool,
    cancelled: bool,
    messages: String,
}

/// What the reading threads send.
enum Piece {
    Standard(Vec<u8>),
    Error(Vec<u8>),
}

/// Reads both outputs until the process ends. Threads, because a full pipe would block fio.
fn watch(
    mut running: Running,
    folder: &Path,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> io::Result<Ended> {
    let (sender, receiver) = mpsc::channel();
    if let Some(stdout) = running.child().stdout.take() {
        forward(stdout, sender.clone(), Piece::Standard);
    }
    if let Some(stderr) = running.child().stderr.take() {
        forward(stderr, sender.clone(), Piece::Error);
    }
    drop(sender);
    let mut cancelled = false;
    let mut messages = Vec::new();
    let mut line = Vec::new();
    loop {
        let mut news = Vec::new();
        match receiver.recv_timeout(TICK) {
            Ok(Piece::Standard(bytes)) => news = lines(&mut line, &bytes),
            Ok(Piece::Error(bytes)) => {
                let room = MESSAGES_MAX.saturating_sub(messages.len());
                messages.extend(bytes.into_iter().take(room));
            }
            Err(RecvTimeoutError::Timeout) => {
                news.push(Progress::Tick);
                if running.ended().is_some() {
                    // Workers that outlived fio hold its pipes open.
                    process::end_all_in(folder);
                }
            }
            Err(RecvTimeoutError::Disconnected) => break,
        }
        // fio asked to end by drivelab ends its jobs in order and reports, as after Ctrl-C.
        for each in news {
            if progress(each).is_break() && !cancelled {
                cancelled = true;
                running.stop();
            }
        }
    }
    let success = running.wait();
    let messages = String::from_utf8_lossy(&messages).into_owned();
    Ok(Ended { success, cancelled, messages })
}

fn forward(mut from: impl Read + Send + 'static, to: Sender<Piece>, wrap: fn(Vec<u8>) -> Piece) {
    thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(length @ 1..) = from.read(&mut buffer) {
            if to.send(wrap(buffer[..length].to_vec())).is_err() {
                return;
            }
        }
    });
}

/// Cuts what arrived into lines; fio ends its progress lines with a carriage return.
fn lines(pending: &mut Vec<u8>, bytes: &[u8]) -> Vec<Progress> {
    let mut found = Vec::new();
    for byte in bytes {
        if !matches!(byte, b'\r' | b'\n') {
            if pending.len() < MESSAGES_MAX {
                pending.push(*byte);
            }
            continue;
        }
        let text = String::from_utf8_lossy(pending).trim().to_owned();
        pending.clear();
        if !text.is_empty() {
            let percent = percent(&text);
            found.push(Progress::Line { text, percent });
        }
    }
    found
}

/// The percentage in a line such as `Jobs: 1 (f=1): [r(1)][42.9%][r=...]`.
fn percent(line: &str) -> Option<f64> {
    let before = line.split_once("%]")?.0;
    before.rsplit_once('[')?.1.parse().ok().filter(|percent| (0.0..=100.0).contains(percent))
}

/// Reads every log that fio made under the names it was given.
fn read_logs(scratch: &Scratch, job: &Redirected) -> io::Result<Vec<(String, String)>> {
    let mut logs = Vec::new();
    for entry in fs::read_dir(scratch.path())? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let ours = job.logs.iter().any(|log| {
            let rest = name.strip_prefix(log.scratch_name.as_str());
            rest.is_some_and(|rest| rest.starts_with('_') && rest.ends_with(".log"))
        });
        if ours {
            logs.push((name, fs::read_to_string(entry.path())?));
        }
    }
    logs.sort();
    Ok(logs)
}

fn io_error(what: String) -> impl FnOnce(io::Error) -> RunError {
    move |source| RunError::Io { what, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_lines() {
        let mut pending = Vec::new();
        assert!(lines(&mut pending, b"Jobs: 1 (f=1): [r(1)][42").is_empty());
        let found = lines(&mut pending, b".9%][r=1]\r\rnext");
        let text = "Jobs: 1 (f=1): [r(1)][42.9%][r=1]".to_owned();
        assert_eq!(found, [Progress::Line { text, percent: Some(42.9) }]);
        assert_eq!((percent("[-.-%]"), percent("[1e9%]"), percent("%]")), (None, None, None));
    }
}
