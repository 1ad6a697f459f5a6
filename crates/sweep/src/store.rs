//! The journal of a sweep: one line for each run that ended, in a directory of its own.
//!
//! The first line of a file says which plan its rows are of. A row is written with one call, so
//! that a kill leaves at most the beginning of one line, which is cut off when the file is opened
//! again. Shards have a file each; whoever works on the whole reads all of them.

use crate::row::Row;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Version of the format.
const FORMAT: u32 = 1;
/// The file of a sweep that is not divided.
const WHOLE: &str = "journal.jsonl";
/// Held by whoever works in the directory.
const LOCK: &str = "lock";

/// The first line of a journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// Version of the format.
    drivelab_sweep: u32,
    /// Version of the program.
    version: String,
    /// Hash of the plan.
    plan: String,
    /// Runs of the whole plan.
    pub runs: usize,
    /// All that the rows follow from, by name.
    about: BTreeMap<String, String>,
}

impl Head {
    /// The head of a plan: what its rows follow from, by name, and how many there will be.
    pub fn new(version: &str, about: BTreeMap<String, String>, runs: usize) -> Self {
        let parts = about.iter().map(|(name, part)| (name.as_str(), part.as_str()));
        let plan = crate::id::id(parts);
        Self { drivelab_sweep: FORMAT, version: version.to_owned(), plan, runs, about }
    }

    /// Why rows of another head are no rows of this plan; `None` if they are.
    fn apart(&self, other: &Head) -> Option<String> {
        if self == other {
            return None;
        }
        if self.version != other.version {
            let (ours, theirs) = (&self.version, &other.version);
            return Some(format!("it is of drivelab {theirs}, and this is {ours}"));
        }
        let names = self.about.keys().chain(other.about.keys());
        let text = |head: &Head, name: &String| match head.about.get(name) {
            Some(text) => format!("`{text}`"),
            None => "nothing".to_owned(),
        };
        let changed = |name: &&String| self.about.get(*name) != other.about.get(*name);
        Some(match names.into_iter().find(changed) {
            Some(name) => {
                let (was, is) = (text(other, name), text(self, name));
                format!("it is of another plan: {name} was {was} and is {is}")
            }
            None => "it is of another plan".to_owned(),
        })
    }
}

/// A part of a sweep: number `number`, from 1, of `of`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its number, from 1.
    pub number: u32,
    /// How many there are.
    pub of: u32,
}

impl Part {
    /// Whether the run of this number, from 0, is in it.
    pub fn has(self, run: usize) -> bool {
        run as u64 % u64::from(self.of) == u64::from(self.number - 1)
    }

    fn file(self) -> String {
        format!("part-{}-of-{}.jsonl", self.number, self.of)
    }
}

/// Why a store cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreError {
    /// The file or directory.
    pub place: String,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: String,
    /// Whether the request is wrong, and not the machine.
    pub is_wrong: bool,
}

impl StoreError {
    fn wrong(path: &Path, message: impl Into<String>, help: &str) -> Self {
        let place = path.display().to_string();
        Self { place, message: message.into(), help: help.to_owned(), is_wrong: true }
    }

    fn failed(path: &Path, what: &str, error: &std::io::Error) -> Self {
        let help = "nothing that ended before is lost; the same command goes on from there";
        let message = format!("the store cannot be {what}: {error}");
        Self { is_wrong: false, ..Self::wrong(path, message, help) }
    }
}

/// A directory with the rows of a sweep, held against others while it is open.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    head: Head,
    path: PathBuf,
    known: BTreeMap<String, Row>,
    writer: Mutex<Writer>,
    /// Held until the store is dropped.
    _lock: File,
}

#[derive(Debug)]
struct Writer {
    file: File,
    /// Bytes of whole lines.
    good: u64,
    unsynced: bool,
    broken: bool,
}

impl Store {
    /// Opens the store in a directory, which is made if it is not there, for the whole sweep or a
    /// part of it.
    ///
    /// # Errors
    /// If another process works in it, if it is of another plan or version, if a file in it is
    /// damaged or another's, or if it cannot be read or written.
    pub fn open(folder: &Path, head: &Head, part: Option<Part>) -> Result<Self, StoreError> {
        fs::create_dir_all(folder).map_err(|error| {
            let help = "name a folder that can be made, or one that holds this sweep";
            StoreError::wrong(folder, format!("the store cannot be made: {error}"), help)
        })?;
        let lock = lock(folder, part.is_none())?;
        let path = folder.join(part.map_or(WHOLE.to_owned(), Part::file));
        let read = match part {
            None => journals(folder)?,
            Some(_) => {
                check_heads(&journals(folder)?, &path, head)?;
                vec![folder.join(WHOLE)]
            }
        };
        let mut known = rows_of(&read, &path, head)?;
        let writer = Mutex::new(Writer::open(&path, head, &mut known)?);
        let (folder, head) = (folder.to_owned(), head.clone());
        Ok(Self { folder, head, path, known, writer, _lock: lock })
    }

    /// The rows that other processes have added by now, by id.
    ///
    /// # Errors
    /// If a file cannot be read, or is damaged.
    pub fn others(&self) -> Result<BTreeMap<String, Row>, StoreError> {
        rows_of(&journals(&self.folder)?, &self.path, &self.head)
    }

    /// Bytes of what other processes have written by now: as long as they are as many, so are
    /// their rows.
    ///
    /// # Errors
    /// If a file cannot be found.
    pub fn others_bytes(&self) -> Result<u64, StoreError> {
        let others = journals(&self.folder)?.into_iter().filter(|path| *path != self.path);
        let length = |path: PathBuf| match fs::metadata(&path) {
            Ok(found) => Ok(found.len()),
            Err(error) => Err(StoreError::failed(&path, "read", &error)),
        };
        others.map(length).sum()
    }

    /// The rows that were there when it was opened, by id.
    pub fn known(&self) -> &BTreeMap<String, Row> {
        &self.known
    }

    /// Adds a row. After an error nothing more is written.
    ///
    /// # Errors
    /// If the file cannot be written; what ended before is still there.
    pub fn add(&self, row: &Row) -> Result<(), StoreError> {
        let unwritten = |e: &std::io::Error| StoreError::failed(&self.path, "written", e);
        let text = serde_json::to_string(row).map_err(|e| unwritten(&e.into()))? + "\n";
        let mut writer = self.writer();
        if writer.broken {
            return Err(unwritten(&ErrorKind::BrokenPipe.into()));
        }
        if let Err(error) = writer.file.write_all(text.as_bytes()) {
            writer.broken = true;
            // What was written of the line goes; if that fails too, the next opening cuts it off.
            let _ = writer.file.set_len(writer.good);
            return Err(unwritten(&error));
        }
        writer.good += text.len() as u64;
        writer.unsynced = true;
        Ok(())
    }

    /// Brings what was added to the medium; to be called about once a second, and at the end.
    ///
    /// # Errors
    /// If the system cannot.
    pub fn sync(&self) -> Result<(), StoreError> {
        let mut writer = self.writer();
        if std::mem::take(&mut writer.unsynced) {
            writer.file.sync_data().map_err(|e| StoreError::failed(&self.path, "written", &e))?;
        }
        Ok(())
    }

    fn writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Writer {
    /// Opens a journal for more rows: a last line that was cut off goes, and a new file begins
    /// with the head.
    fn open(
        path: &Path,
        head: &Head,
        known: &mut BTreeMap<String, Row>,
    ) -> Result<Self, StoreError> {
        let failed = |e: std::io::Error| StoreError::failed(path, "written", &e);
        let opened =
            OpenOptions::new().read(true).append(true).create(true).truncate(false).open(path);
        let mut file = opened.map_err(failed)?;
        if !held(&file, true).map_err(failed)? {
            return Err(busy(path));
        }
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(failed)?;
        let mut good = rows(path, &text, head, known)?;
        if good < text.len() as u64 {
            file.set_len(good).map_err(failed)?;
        }
        if good == 0 {
            let line = serde_json::to_string(head).map_err(|e| failed(e.into()))? + "\n";
            file.seek(SeekFrom::End(0)).map_err(failed)?;
            file.write_all(line.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)?;
            good = line.len() as u64;
        }
        Ok(Self { file, good, unsynced: false, broken: false })
    }
}

/// Reads the rows of a journal into `known`; how many bytes are whole lines.
fn rows(
    path: &Path,
    bytes: &[u8],
    head: &Head,
    known: &mut BTreeMap<String, Row>,
) -> Result<u64, StoreError> {
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    if whole == 0 {
        return match b"{\"drivelab_sweep\":".iter().zip(bytes).all(|(a, b)| a == b) {
            true => Ok(0),
            false => Err(foreign(path)),
        };
    }
    let lines = bytes[..whole - 1].split(|byte| *byte == b'\n');
    for (number, line) in lines.enumerate() {
        if number == 0 {
            let found: Head = serde_json::from_slice(line).map_err(|_| foreign(path))?;
            if let Some(why) = head.apart(&found) {
                let help = "name another directory, or run the plan that the store is of";
                return Err(StoreError::wrong(path, why, help));
            }
            continue;
        }
        let at = || PathBuf::from(format!("{}:{}", path.display(), number + 1));
        let row: Row = serde_json::from_slice(line).map_err(|_| {
            let help = "something else wrote to the file; take the line out, and its run is made \
                        again";
            StoreError::wrong(&at(), "the line is no result of a run", help)
        })?;
        match known.get(&row.id) {
            Some(other) if *other != row => {
                let message = format!("run {} has two results that differ", row.id);
                let help = "machines or builds that disagree have worked on it; begin anew";
                return Err(StoreError::wrong(&at(), message, help));
            }
            Some(_) => {}
            None => drop(known.insert(row.id.clone(), row)),
        }
    }
    Ok(whole as u64)
}

fn foreign(path: &Path) -> StoreError {
    let help = "name another directory, or move the file";
    StoreError::wrong(path, "the file is no journal of a sweep", help)
}

fn busy(path: &Path) -> StoreError {
    let help = "wait for its end, or name another directory";
    StoreError::wrong(path, "another process works on this sweep", help)
}

/// Refuses to work beside journals of another plan or version, but for `own`: nobody could read
/// them together.
fn check_heads(journals: &[PathBuf], own: &Path, head: &Head) -> Result<(), StoreError> {
    for path in journals.iter().filter(|path| *path != own) {
        let mut line = Vec::new();
        let read = File::open(path).and_then(|f| BufReader::new(f).read_until(b'\n', &mut line));
        read.map_err(|e| StoreError::failed(path, "read", &e))?;
        rows(path, &line, head, &mut BTreeMap::new())?;
    }
    Ok(())
}

/// The rows of journals that are there but of `own`.
fn rows_of(
    journals: &[PathBuf],
    own: &Path,
    head: &Head,
) -> Result<BTreeMap<String, Row>, StoreError> {
    let mut known = BTreeMap::new();
    for path in journals.iter().filter(|path| *path != own && path.exists()) {
        let mut text = Vec::new();
        let read = File::open(path).and_then(|mut file| file.read_to_end(&mut text));
        read.map_err(|e| StoreError::failed(path, "read", &e))?;
        rows(path, &text, head, &mut known)?;
    }
    Ok(known)
}

/// The journals in a directory, in the order of their names.
fn journals(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let list = fs::read_dir(folder).map_err(|e| StoreError::failed(folder, "read", &e))?;
    let mut all: Vec<PathBuf> = list.flatten().map(|entry| entry.path()).collect();
    all.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name == WHOLE || name.starts_with("part-") && name.ends_with(".jsonl")
    });
    all.sort();
    Ok(all)
}

/// Holds a directory, alone or together with others that hold it so.
fn lock(folder: &Path, alone: bool) -> Result<File, StoreError> {
    let path = folder.join(LOCK);
    let failed = |e: std::io::Error| StoreError::failed(&path, "written", &e);
    let opened = OpenOptions::new().write(true).create(true).truncate(false).open(&path);
    let file = opened.map_err(failed)?;
    match held(&file, alone).map_err(failed)? {
        true => Ok(file),
        false => Err(busy(folder)),
    }
}

/// Whether a file could be locked.
fn held(file: &File, alone: bool) -> std::io::Result<bool> {
    let tried = if alone { file.try_lock() } else { file.try_lock_shared() };
    match tried {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}
