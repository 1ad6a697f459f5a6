//! The trace of a job in a form that the installed fio reads.

use crate::source::SourceOptions;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use trace::{Format, Placement, Prepared, Replays, TraceError};

/// What a trace means in a job at a depth above 1, or with pauses of its own.
const PAUSES: &str = "fio keeps recorded pauses between I/Os, not their times, and at a depth \
                      above 1 it sees completions late: its latencies then hold its own pauses";

/// A trace, and the name by which the job file knows it in the scratch directory.
#[derive(Clone, Debug)]
pub struct TraceFile {
    /// Its name in the scratch directory.
    pub scratch_name: String,
    form: Form,
}

#[derive(Clone, Debug)]
enum Form {
    /// A file that fio reads itself.
    Fio(PathBuf),
    /// One that is translated, laid out on the target.
    Laid(Arc<Prepared>, Placement),
}

impl TraceFile {
    /// The trace that a job names, on a target of `capacity` bytes, and what a user should know of
    /// it.
    ///
    /// # Errors
    /// What is wrong with the trace, and a target that it does not fit.
    pub(crate) fn new(
        (name, path): (&str, &Path),
        options: &SourceOptions,
        capacity: u64,
        scratch_name: String,
    ) -> Result<(Self, Vec<String>), TraceProblem> {
        let known = options.replays.get(name).cloned();
        if known.is_none() && is_fios(path)? {
            let form = Form::Fio(path.to_path_buf());
            return Ok((TraceFile { scratch_name, form }, Vec::new()));
        }
        let prepared = known.map_or_else(|| Replays::read(path), Ok)?;
        if capacity == 0 {
            return Err(TraceProblem::Empty);
        }
        // fio divides by `replay_scale` itself.
        let placement = prepared.place(capacity, 1).map_err(TraceProblem::TooLarge)?;
        let summary = prepared.summary();
        let mut told = summary.notes.warnings(summary.format);
        told.extend(placement.warning());
        told.push(PAUSES.to_owned());
        Ok((TraceFile { scratch_name, form: Form::Laid(prepared, placement) }, told))
    }

    /// Writes it into the scratch directory.
    ///
    /// # Errors
    /// If it cannot be read or written.
    pub(crate) fn write(&self, folder: &Path) -> io::Result<()> {
        let to = folder.join(&self.scratch_name);
        match &self.form {
            Form::Fio(path) => fs::copy(path, &to).map(drop),
            Form::Laid(prepared, placement) => {
                let mut log = BufWriter::new(File::create_new(&to)?);
                prepared.write_iolog(&mut log, "target", placement).map_err(io::Error::other)?;
                log.flush()
            }
        }
    }

    /// The file that it comes from.
    pub fn path(&self) -> &Path {
        match &self.form {
            Form::Fio(path) => path,
            Form::Laid(prepared, _) => prepared.path(),
        }
    }
}

/// Whether fio reads the format itself.
fn is_fios(path: &Path) -> Result<bool, TraceError> {
    let format = trace::open(path, None)?.format();
    Ok(matches!(format, Format::Iolog | Format::Blktrace))
}

/// Why a trace cannot be replayed on a real target.
#[derive(Debug)]
pub(crate) enum TraceProblem {
    /// It cannot be read.
    Wrong(TraceError),
    /// It does not fit.
    TooLarge(String),
    /// fio lays no file out for a replay.
    Empty,
}

impl From<TraceError> for TraceProblem {
    fn from(error: TraceError) -> Self {
        TraceProblem::Wrong(error)
    }
}

impl TraceProblem {
    /// What is wrong, and how to fix it.
    pub(crate) fn told(self) -> (String, String) {
        match self {
            TraceProblem::Wrong(error) => {
                let help = error.help.clone().unwrap_or_else(|| "correct the trace".to_owned());
                (format!("{}: {}", error.place(), error.message), help)
            }
            TraceProblem::TooLarge(why) => (why, "choose a larger target".to_owned()),
            TraceProblem::Empty => (
                "there is nothing to read in the target".to_owned(),
                "fio lays no file out for a replay: write it first, with a job of rw=write, or \
                 with `drivelab test ... --state filled`"
                    .to_owned(),
            ),
        }
    }
}
