//! The journal of a test on real paths: what each step gave, in order, so that a test that was
//! killed goes on with the step that it was in.
//!
//! A line is a JSON text. The first says what the journal is of. A step that has ended is on the
//! disk before the next one begins; between steps it is noted what is seen of the drives, so that
//! whoever goes on can tell whether they were left alone. Methods do the same steps again if each
//! gives what it gave before: taking answers from here brings them to where they were.

use crate::seen::Seen;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// Version of the format.
const FORMAT: u32 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    drivelab_steps: u32,
    /// What was measured, and how.
    of: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    /// A step that ended.
    Step {
        /// What was done.
        what: String,
        /// What it gave.
        gave: Value,
    },
    /// What was seen of the paths.
    Seen(Seen),
}

/// A journal that is open.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    /// The lines that are still to be taken, if there are any; and where the next one begins.
    ahead: Option<(BufReader<File>, u64)>,
    /// Steps that had ended when it was opened.
    steps: usize,
    last: Option<Seen>,
    before: Option<Seen>,
}

impl Journal {
    /// Opens the journal at a place, or begins one. One that is `of` something else is begun anew;
    /// a line that was cut off goes.
    ///
    /// # Errors
    /// What the system says; and a file that is no journal, which is left alone.
    pub fn open(path: &Path, of: &str) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        let file = options.read(true).append(true).create(true).open(path)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("it is no file"));
        }
        let mut journal = Self {
            path: path.to_path_buf(),
            file,
            ahead: None,
            steps: 0,
            last: None,
            before: None,
        };
        match journal.read(of)? {
            Some(begin) if journal.steps > 0 => {
                let mut reader = BufReader::new(File::open(path)?);
                reader.seek(SeekFrom::Start(begin))?;
                journal.ahead = Some((reader, begin));
            }
            _ => journal.begin(of)?,
        }
        Ok(journal)
    }

    /// Reads it to its last whole line, and cuts off what is behind. Where the first line ends, or
    /// `None` if it is of something else.
    fn read(&mut self, of: &str) -> io::Result<Option<u64>> {
        let mut reader = BufReader::new(File::open(&self.path)?);
        let mut text = Vec::new();
        let begin = reader.read_until(b'\n', &mut text)? as u64;
        if begin == 0 {
            return Ok(None);
        }
        let Ok(head) = serde_json::from_slice::<Head>(&text) else {
            let ours = b"{\"drivelab_steps\":";
            let begins = ours.starts_with(&text) || text.starts_with(ours);
            let cut_off = begins && !text.ends_with(b"\n");
            let why = "it is another's file: drivelab would keep the steps of a test here";
            return if cut_off { Ok(None) } else { Err(io::Error::other(why)) };
        };
        if head.of != of || head.drivelab_steps != FORMAT {
            return Ok(None);
        }
        let mut end = begin;
        loop {
            text.clear();
            let bytes = reader.read_until(b'\n', &mut text)? as u64;
            let whole = text.ends_with(b"\n");
            match serde_json::from_slice::<Line>(&text) {
                Ok(Line::Step { .. }) if whole => self.steps += 1,
                Ok(Line::Seen(seen)) if whole => self.saw(seen),
                _ => break,
            }
            end += bytes;
        }
        self.file.set_len(end)?;
        Ok(Some(begin))
    }

    fn begin(&mut self, of: &str) -> io::Result<()> {
        self.file.set_len(0)?;
        (self.steps, self.last, self.before) = (0, None, None);
        self.line(&Head { drivelab_steps: FORMAT, of: of.to_owned() })
    }

    fn saw(&mut self, seen: Seen) {
        self.before = self.last.replace(seen);
    }

    /// Steps that had ended when it was opened.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// What was seen last, and before that.
    pub fn last(&self) -> Option<(&Seen, Option<&Seen>)> {
        self.last.as_ref().map(|last| (last, self.before.as_ref()))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Forgets all steps: the test begins anew. What was measured stays beside it, in a copy whose
    /// path is returned.
    ///
    /// # Errors
    /// What the system says.
    pub fn put_aside(&mut self, of: &str) -> io::Result<PathBuf> {
        let mut name = self.path.as_os_str().to_os_string();
        name.push(".old");
        let aside = PathBuf::from(name);
        // An older one of a test that was begun anew before; anything else is not ours to replace.
        if aside.exists() && !is_journal(&aside) {
            return Err(io::Error::other(format!("{} is another's file", aside.display())));
        }
        std::fs::copy(&self.path, &aside)?;
        self.ahead = None;
        self.begin(of)?;
        Ok(aside)
    }

    /// What the next step gave, if it is `what` and had ended. If another step is next, the test
    /// goes another way than it did: that step and all behind it are forgotten.
    ///
    /// # Errors
    /// What the system says.
    pub fn take<T: DeserializeOwned>(&mut self, what: &str) -> io::Result<Option<T>> {
        let Some((reader, at)) = &mut self.ahead else { return Ok(None) };
        let mut text = Vec::new();
        loop {
            text.clear();
            let bytes = reader.read_until(b'\n', &mut text)? as u64;
            if bytes == 0 {
                self.ahead = None;
                return Ok(None);
            }
            match serde_json::from_slice::<Line>(&text) {
                Ok(Line::Seen(_)) => *at += bytes,
                Ok(Line::Step { what: step, gave }) if step == what => {
                    if let Ok(gave) = serde_json::from_value(gave) {
                        *at += bytes;
                        return Ok(Some(gave));
                    }
                    break;
                }
                _ => break,
            }
        }
        self.file.set_len(*at)?;
        self.ahead = None;
        Ok(None)
    }

    /// Notes that a step ended with what it gave, and what is seen of the paths now. It is on the
    /// disk when this returns.
    ///
    /// # Errors
    /// What the system says.
    pub fn ended(&mut self, what: &str, gave: &impl Serialize, seen: Seen) -> io::Result<()> {
        let gave = serde_json::to_value(gave)?;
        self.line(&Line::Step { what: what.to_owned(), gave })?;
        self.note(seen)?;
        self.file.sync_data()
    }

    /// Notes what is seen of the paths while a step runs.
    ///
    /// # Errors
    /// What the system says.
    pub fn note(&mut self, seen: Seen) -> io::Result<()> {
        self.line(&Line::Seen(seen.clone()))?;
        self.saw(seen);
        Ok(())
    }

    fn line(&mut self, line: &impl Serialize) -> io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        // With one call, so that a kill leaves at most the beginning of one line.
        self.file.write_all(&text)
    }
}

/// Steps that have ended in the journal at a place, if it is of this; none where there is no
/// journal.
pub fn steps_at(path: &Path, of: &str) -> usize {
    let Ok(file) = File::open(path) else { return 0 };
    let mut lines = BufReader::new(file).lines().map_while(Result::ok);
    let head = lines.next().and_then(|line| serde_json::from_str::<Head>(&line).ok());
    if head.is_none_or(|head| head.of != of || head.drivelab_steps != FORMAT) {
        return 0;
    }
    let lines = lines.map_while(|line| serde_json::from_str::<Line>(&line).ok());
    lines.filter(|line| matches!(line, Line::Step { .. })).count()
}

/// Removes the journal at a place, after the result of its test is kept elsewhere; any other file
/// is left alone.
///
/// # Errors
/// What the system says.
pub fn remove(path: &Path) -> io::Result<()> {
    match is_journal(path) {
        true => std::fs::remove_file(path),
        false => Ok(()),
    }
}

fn is_journal(path: &Path) -> bool {
    let mut first = Vec::new();
    let is_file = std::fs::symlink_metadata(path).is_ok_and(|about| about.is_file());
    let mut read = || BufReader::new(File::open(path)?).read_until(b'\n', &mut first);
    is_file && read().is_ok() && serde_json::from_slice::<Head>(&first).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::System;

    fn seen() -> Seen {
        Seen::now(&System::real(), &[])
    }

    fn answers(journal: &mut Journal, steps: &[&str]) -> Vec<Option<u32>> {
        steps.iter().map(|step| journal.take(step).unwrap()).collect()
    }

    #[test]
    fn steps_are_taken_in_order_and_those_behind_another_one_go() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.json.steps");
        let mut journal = Journal::open(&path, "a").unwrap();
        for (number, step) in ["fill", "round", "round"].into_iter().enumerate() {
            assert_eq!(journal.take::<u32>(step).unwrap(), None);
            journal.ended(step, &number, seen()).unwrap();
        }
        let open = || Journal::open(&path, "a").unwrap();
        assert_eq!(open().steps(), 3);
        assert_eq!(
            answers(&mut open(), &["fill", "round", "round", "end"]),
            [Some(0), Some(1), Some(2), None]
        );
        let mut other = open();
        assert_eq!(answers(&mut other, &["fill", "idle", "round"]), [Some(0), None, None]);
        other.ended("idle", &7, seen()).unwrap();
        drop(other);
        assert_eq!(answers(&mut open(), &["fill", "idle", "round"]), [Some(0), Some(7), None]);
        assert_eq!(Journal::open(&path, "b").unwrap().steps(), 0, "another test");
        assert_eq!(open().steps(), 0, "which took its place");
    }

    #[test]
    fn steps_that_are_not_taken_stay_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let mut journal = Journal::open(&path, "a").unwrap();
        journal.ended("one", &1, seen()).unwrap();
        let before = std::fs::read(&path).unwrap();
        let aside = journal.put_aside("a").unwrap();
        assert_eq!(std::fs::read(&aside).unwrap(), before);
        assert_eq!((journal.steps(), steps_at(&path, "a"), steps_at(&aside, "a")), (0, 0, 1));
        journal.ended("two", &2, seen()).unwrap();
        assert_eq!(journal.put_aside("a").unwrap(), aside, "its own older copy goes");
        std::fs::write(&aside, "notes\n").unwrap();
        assert!(journal.put_aside("a").is_err(), "another's file does not");
        assert_eq!(std::fs::read_to_string(&aside).unwrap(), "notes\n");
    }

    /// Wherever it is cut off: each step that is whole is there, and the next one can be noted.
    #[test]
    fn a_journal_that_was_cut_off_keeps_its_whole_steps() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let mut journal = Journal::open(&path, "a").unwrap();
        journal.ended("one", &1, seen()).unwrap();
        journal.ended("two", &2, seen()).unwrap();
        let all = std::fs::read(&path).unwrap();
        for length in 0..=all.len() {
            std::fs::write(&path, &all[..length]).unwrap();
            let mut journal = Journal::open(&path, "a").unwrap();
            let steps = journal.steps();
            let given = answers(&mut journal, &["one", "two"]);
            let whole = given.iter().flatten().count();
            assert_eq!(whole, steps, "{length} bytes");
            journal.ended("next", &3, seen()).unwrap();
            drop(journal);
            assert_eq!(Journal::open(&path, "a").unwrap().steps(), steps + 1, "{length} bytes");
        }
    }

    #[test]
    fn a_file_of_another_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes");
        std::fs::write(&path, "notes\n").unwrap();
        assert!(Journal::open(&path, "a").is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "notes\n");
    }
}
