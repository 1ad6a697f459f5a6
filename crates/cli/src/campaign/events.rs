//! What happened in a campaign, a line for each test that was begun, in the campaign's directory.

use crate::render::Failure;
use answer::campaign::TestState;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The file.
const EVENTS: &str = "campaign.jsonl";
/// Held by whoever works in the directory.
const LOCK: &str = "lock";

/// A test that was begun.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// When it ended.
    pub date: String,
    /// Name of the drive.
    pub drive: String,
    /// The words of the test.
    pub test: Vec<String>,
    /// How it ended.
    pub state: TestState,
    /// Why it failed or was ended.
    pub why: Option<String>,
    /// Time that it took, s.
    pub seconds: f64,
    /// Bytes that its drive wrote meanwhile.
    pub written: Option<f64>,
    /// The highest temperature of its drive meanwhile, degrees Celsius.
    pub celsius: Option<f64>,
}

/// The directory of a campaign, which nobody else works in.
pub struct Folder {
    path: PathBuf,
    events: Vec<Event>,
    /// Held as long as this lives.
    _lock: File,
}

impl Folder {
    /// Takes a directory, and makes it if it is not there.
    ///
    /// # Errors
    /// If it cannot be made or read, or another campaign works in it.
    pub fn take(path: &Path) -> Result<Self, Failure> {
        let shown = path.display().to_string();
        let failed = |error: std::io::Error| Failure::failed(format!("{shown}: {error}"));
        fs::create_dir_all(path).map_err(failed)?;
        let mut options = OpenOptions::new();
        let lock = options.create(true).truncate(false).write(true).open(path.join(LOCK));
        let lock = lock.map_err(failed)?;
        if lock.try_lock().is_err() {
            let message = format!("{shown}: another campaign works in it");
            return Err(Failure::wrong(message).with_help("wait for it, or name another -o"));
        }
        let text = fs::read_to_string(path.join(EVENTS)).unwrap_or_default();
        // A line that was cut off is of a test that is run again.
        let events = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        Ok(Self { path: path.to_path_buf(), events, _lock: lock })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What happened so far, in order.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Keeps an event.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, event: Event) -> Result<(), Failure> {
        let failed = |error: std::io::Error| Failure::failed(format!("{EVENTS}: {error}"));
        let mut line = serde_json::to_vec(&event).map_err(|error| failed(error.into()))?;
        line.push(b'\n');
        let mut options = OpenOptions::new();
        let file = options.create(true).append(true).open(self.path.join(EVENTS));
        file.and_then(|mut file| file.write_all(&line)).map_err(failed)?;
        self.events.push(event);
        Ok(())
    }
}
