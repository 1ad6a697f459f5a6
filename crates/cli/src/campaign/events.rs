//! What happened in a campaign, a line for each test that was begun, in the campaign's directory.

use super::plan::{Plan, Run};
use super::supervise::Watched;
use crate::progress;
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

/// A test that was begun, or how far it was while it ran: a campaign that is killed leaves that.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// When it ended, or was looked at.
    pub date: String,
    /// Its run: where its Record is, in the campaign's directory.
    pub run: String,
    /// Which start of it this is, from 1. Of one start the last line counts.
    pub start: usize,
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
        let mut text = fs::read_to_string(path.join(EVENTS)).unwrap_or_default();
        // A line that was cut off is of a test that is run again, and the next one is not its end.
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        if whole < text.len() {
            let file = OpenOptions::new().write(true).open(path.join(EVENTS)).map_err(failed)?;
            file.set_len(whole as u64).map_err(failed)?;
            text.truncate(whole);
        }
        let mut folder = Self { path: path.to_path_buf(), events: Vec::new(), _lock: lock };
        let lines = text.lines().filter_map(|line| serde_json::from_str(line).ok());
        lines.for_each(|event| folder.note(event));
        Ok(folder)
    }

    fn note(&mut self, event: Event) {
        let same = |known: &&mut Event| (&known.run, known.start) == (&event.run, event.start);
        match self.events.iter_mut().find(same) {
            Some(known) => *known = event,
            None => self.events.push(event),
        }
    }

    /// How often a run was begun.
    pub fn starts(&self, run: &str) -> usize {
        self.events.iter().filter(|event| event.run == run).count()
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
        self.note(event);
        Ok(())
    }
}

/// Why a test has ended of which nothing more was heard.
pub fn cut_off() -> Option<String> {
    Some("it was cut off".to_owned())
}

/// A start of a run.
pub struct Begun {
    run: String,
    start: usize,
    drive: String,
    test: Vec<String>,
}

impl Begun {
    /// That begins now.
    pub fn new(plan: &Plan, run: &Run, folder: &Folder) -> Self {
        let start = folder.starts(&run.key()) + 1;
        let (drive, test) = (plan.drive(run).name.clone(), run.words.clone());
        Self { run: run.key(), start, drive, test }
    }

    /// How it stands.
    pub fn event(&self, state: TestState, why: Option<String>, watched: &Watched) -> Event {
        Event {
            date: progress::date(),
            run: self.run.clone(),
            start: self.start,
            drive: self.drive.clone(),
            test: self.test.clone(),
            state,
            why,
            seconds: watched.seconds(),
            written: watched.written(),
            celsius: watched.warmest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(run: &str, start: usize, seconds: f64) -> Event {
        Event {
            date: String::new(),
            run: run.to_owned(),
            start,
            drive: "d".to_owned(),
            test: vec!["test".to_owned()],
            state: TestState::Ended,
            why: None,
            seconds,
            written: Some(seconds),
            celsius: None,
        }
    }

    /// Wherever its file was cut off, the lines before are there, and so is the next one.
    #[test]
    fn a_line_that_was_cut_off_takes_no_other_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let take = || Folder::take(folder.path()).unwrap();
        let mut all = take();
        all.add(event("a", 1, 3.0)).unwrap();
        all.add(event("b", 1, 4.0)).unwrap();
        drop(all);
        let path = folder.path().join(EVENTS);
        let text = fs::read(&path).unwrap();
        let first = text.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        for length in 0..=text.len() {
            fs::write(&path, &text[..length]).unwrap();
            let mut one = take();
            let known = usize::from(length >= first) + usize::from(length == text.len());
            assert_eq!(one.events().len(), known, "{length} bytes");
            one.add(event("c", 1, 5.0)).unwrap();
            drop(one);
            assert_eq!(take().events().len(), known + 1, "{length} bytes");
        }
    }

    #[test]
    fn of_one_start_the_last_line_counts() {
        let folder = tempfile::tempdir().unwrap();
        let mut all = Folder::take(folder.path()).unwrap();
        for (run, start, seconds) in [("a", 1, 0.0), ("a", 1, 10.0), ("a", 2, 1.0), ("b", 1, 7.0)] {
            all.add(event(run, start, seconds)).unwrap();
        }
        drop(all);
        let again = Folder::take(folder.path()).unwrap();
        let seconds: Vec<f64> = again.events().iter().map(|event| event.seconds).collect();
        assert_eq!(seconds, [10.0, 1.0, 7.0]);
        assert_eq!((again.starts("a"), again.starts("b"), again.starts("c")), (2, 1, 0));
    }
}
