//! The state that a run starts with.

use crate::arguments::State;
use crate::render::Failure;
use fio::job::Job;
use serde_json::json;
use simulate::Rig;
use stats::Warning;
use std::path::Path;

/// What a run starts with.
pub(super) enum Start<'a> {
    /// A state that is made.
    State(State),
    /// A state that was saved.
    Saved(&'a Path),
}

impl Start<'_> {
    /// In a word or two.
    pub(super) fn word(&self) -> &str {
        match self {
            Start::State(state) => state.word(),
            Start::Saved(_) => "a saved state",
        }
    }

    /// As the Record keeps it.
    pub(super) fn describe(&self) -> serde_json::Value {
        match self {
            Start::State(state) => json!(state.word()),
            Start::Saved(path) => json!({ "saved": path.display().to_string() }),
        }
    }

    /// Brings a fresh rig into it.
    pub(super) fn apply(&self, rig: &mut Rig) -> Result<(), Failure> {
        match self {
            Start::State(state) => {
                rig.bring_into(&state.of_drive());
                Ok(())
            }
            Start::Saved(path) => {
                let wrong = |why: String| {
                    Failure::wrong(format!("{}: {why}", path.display())).with_help(
                        "give a file that --save-state wrote for this drive, scale and spare",
                    )
                };
                let file = std::fs::File::open(path).map_err(|e| wrong(e.to_string()))?;
                let mut from = std::io::BufReader::new(file);
                rig.load_state(&mut from).map_err(|e| wrong(e.to_string()))
            }
        }
    }
}

/// The state a run starts with if the user says none: what a drive in use is like, unless the
/// jobs precondition the drive themselves.
pub fn default_state(jobs: &[Job]) -> State {
    if simulate::fill_first(jobs) { State::Fresh } else { State::Filled }
}

/// Random writes on a drive that was filled in sequence are first fast, then slow. That is no
/// mistake, but who did not choose it should know.
pub(super) fn state_warning(given: Option<State>, state: State, jobs: &[Job]) -> Option<Warning> {
    let random_writes = jobs.iter().any(|job| job.rw.write && job.rw.random);
    if given.is_some() || state != State::Filled || !random_writes {
        return None;
    }
    let message = "random writes begin on a drive that was filled in sequence and slow down as \
                   collection begins; --state steady begins in their steady state, --state filled \
                   says that this is meant";
    Some(Warning {
        code: "default-state".to_owned(),
        message: message.to_owned(),
        concerns: "--state".to_owned(),
    })
}
