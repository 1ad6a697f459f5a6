//! Bytes in a sparse file, which is an image of the device: byte for byte, from its first on.

use super::Medium;
use crate::spaces::KeptSpaces;
use rustix::fs::{FallocateFlags, FlockOperation, SeekFrom, fallocate, flock, seek};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io;
use std::io::Write as _;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// What a note beside a store says that it is.
const FORMAT: &str = "drivelab/store/1";

/// The note beside a store, `FILE.store`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Note {
    drivelab: String,
    /// Bytes of the device.
    bytes: u64,
    /// Whether a server has it open, or ended without closing it.
    open: bool,
    /// The namespaces that hosts have made of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    spaces: Option<KeptSpaces>,
}

/// Files of a store are for its owner, as its sockets are.
const PRIVATE: u32 = 0o600;

/// Why a file cannot be the store of a served drive.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Something else is there.
    #[error(
        "{0} exists and is not the store of a served drive: there is no note `{0}.store` beside it"
    )]
    Foreign(PathBuf),
    /// The note is broken or of another version.
    #[error("the note {0} cannot be read: {1}")]
    BadNote(PathBuf, String),
    /// Another size.
    #[error("{path} is the store of a device of {is} bytes, and this one has {wanted}")]
    OtherSize {
        /// The store.
        path: PathBuf,
        /// Its bytes.
        is: u64,
        /// Those of the device.
        wanted: u64,
    },
    /// Something has cut it.
    #[error("{path} has {is} bytes, and its note says {wanted}: a part of it is gone")]
    Shortened {
        /// The store.
        path: PathBuf,
        /// Its bytes.
        is: u64,
        /// Those that it was made with.
        wanted: u64,
    },
    /// Somebody has it open.
    #[error("another server uses {0}")]
    InUse(PathBuf),
    /// What the system says.
    #[error("{path}: {error}")]
    System {
        /// The file.
        path: PathBuf,
        /// What it said.
        error: io::Error,
    },
}

/// A medium in a file. It survives the end of the server, however that ends; it is synced when it
/// is closed and not at each flush, which would make every answer late by what this machine's own
/// disk takes, so a crash of the machine can leave it older than a flush promised.
pub struct FileMedium {
    file: File,
    path: PathBuf,
    bytes: u64,
    held: Vec<(u64, u64)>,
    is_new: bool,
    was_open: bool,
    spaces: Option<KeptSpaces>,
}

impl FileMedium {
    /// Opens the store of a device of `bytes`, or makes it if there is nothing at `path`.
    ///
    /// # Errors
    /// Anything at `path` that is not such a store: it is left as it is.
    pub fn open(path: &Path, bytes: u64) -> Result<Self, StoreError> {
        let system = |error| StoreError::System { path: path.to_owned(), error };
        let found = path.symlink_metadata();
        let is_new = found.is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
        let note = if is_new { None } else { Some(read_note(path)?) };
        if let Some(note) = note.as_ref().filter(|note| note.bytes != bytes) {
            let path = path.to_owned();
            return Err(StoreError::OtherSize { path, is: note.bytes, wanted: bytes });
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(is_new).mode(PRIVATE);
        let file = options.open(path).map_err(system)?;
        flock(&file, FlockOperation::NonBlockingLockExclusive)
            .map_err(|_| StoreError::InUse(path.to_owned()))?;
        let is = file.metadata().map_err(system)?.len();
        if !is_new && is < bytes {
            return Err(StoreError::Shortened { path: path.to_owned(), is, wanted: bytes });
        }
        let held = if is_new { Vec::new() } else { data(&file, bytes).map_err(system)? };
        file.set_len(bytes).map_err(system)?;
        let was_open = note.as_ref().is_some_and(|note| note.open);
        let (spaces, path) = (note.and_then(|note| note.spaces), path.to_owned());
        let medium = FileMedium { file, path, bytes, held, is_new, was_open, spaces };
        medium.write_note(true).map_err(system)?;
        Ok(medium)
    }

    /// Ranges (first byte, bytes) that hold data from before.
    pub fn held(&self) -> &[(u64, u64)] {
        &self.held
    }

    /// Whether it was made now.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// Whether the server before ended without closing it: it holds all writes that had arrived by
    /// then, acknowledged or not.
    pub fn was_open(&self) -> bool {
        self.was_open
    }

    fn write_note(&self, open: bool) -> io::Result<()> {
        let (drivelab, spaces) = (FORMAT.to_owned(), self.spaces.clone());
        let note = Note { drivelab, bytes: self.bytes, open, spaces };
        // A server that is killed here leaves the old note or the new one, never half of one.
        let (place, begun) = (beside(&self.path, ".store"), beside(&self.path, ".store.new"));
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(PRIVATE);
        options.open(&begun)?.write_all(serde_json::to_string(&note)?.as_bytes())?;
        std::fs::rename(begun, place)
    }
}

impl Drop for FileMedium {
    fn drop(&mut self) {
        // A note that cannot be written says that the store was not closed, which is then true.
        let _ = self.file.sync_data().and_then(|()| self.write_note(false));
    }
}

/// The path with an ending more.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(ending);
    PathBuf::from(name)
}

fn read_note(path: &Path) -> Result<Note, StoreError> {
    let place = beside(path, ".store");
    let text = std::fs::read_to_string(&place).map_err(|_| StoreError::Foreign(path.to_owned()))?;
    let bad = |why: String| StoreError::BadNote(place.clone(), why);
    let note: Note = serde_json::from_str(&text).map_err(|error| bad(error.to_string()))?;
    if note.drivelab != FORMAT {
        return Err(bad(format!("it is of the format {}", note.drivelab)));
    }
    Ok(note)
}

/// The ranges of a sparse file that hold data.
fn data(file: &File, bytes: u64) -> io::Result<Vec<(u64, u64)>> {
    let (mut ranges, mut at) = (Vec::new(), 0);
    while at < bytes {
        let start = match seek(file, SeekFrom::Data(at)) {
            Ok(start) => start,
            Err(rustix::io::Errno::NXIO) => break,
            Err(error) => return Err(error.into()),
        };
        let end = seek(file, SeekFrom::Hole(start))?;
        ranges.push((start, end.min(bytes).saturating_sub(start)));
        at = end;
    }
    Ok(ranges)
}

impl Medium for FileMedium {
    fn read(&self, start: u64, to: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(to, start)
    }

    fn write(&mut self, start: u64, from: &[u8]) -> io::Result<()> {
        self.file.write_all_at(from, start)
    }

    fn clear(&mut self, start: u64, len: u64) -> io::Result<()> {
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        Ok(fallocate(&self.file, flags, start, len)?)
    }

    fn spaces(&self) -> Option<&KeptSpaces> {
        self.spaces.as_ref()
    }

    fn keep_spaces(&mut self, spaces: KeptSpaces) -> io::Result<()> {
        self.spaces = Some(spaces);
        self.write_note(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_made_closed_and_opened_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("disk.img");
        let mut medium = FileMedium::open(&path, 1 << 20).expect("new");
        assert!(medium.held().is_empty() && !medium.was_open());
        medium.write(65_536, &[7; 4096]).expect("room");
        let in_use = FileMedium::open(&path, 1 << 20).err().expect("in use");
        assert!(matches!(in_use, StoreError::InUse(_)), "{in_use}");
        drop(medium);
        // What a server that was killed at the wrong moment has left.
        let begun = beside(&path, ".store.new");
        assert!(!begun.exists());
        std::fs::write(&begun, "{\"drive").expect("written");
        let again = FileMedium::open(&path, 1 << 20).expect("again");
        assert!(!again.was_open());
        let inside = |(start, len): &(u64, u64)| *start <= 65_536 && start + len >= 69_632;
        assert!(again.held().iter().any(inside), "{:?}", again.held());
        let mut back = [0; 4096];
        again.read(65_536, &mut back).expect("read");
        assert_eq!(back, [7; 4096]);
    }

    #[test]
    fn foreign_files_and_other_sizes_are_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("mine.txt");
        std::fs::write(&path, "do not touch").expect("written");
        assert!(matches!(FileMedium::open(&path, 4096), Err(StoreError::Foreign(_))));
        assert_eq!(std::fs::read_to_string(&path).expect("there"), "do not touch");
        let store = folder.path().join("disk.img");
        drop(FileMedium::open(&store, 8192).expect("new"));
        assert!(matches!(FileMedium::open(&store, 4096), Err(StoreError::OtherSize { .. })));
        std::fs::write(beside(&store, ".store"), "{}").expect("written");
        assert!(matches!(FileMedium::open(&store, 8192), Err(StoreError::BadNote(..))));
    }

    #[test]
    fn a_store_that_was_cut_is_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("disk.img");
        drop(FileMedium::open(&path, 8192).expect("new"));
        let file = File::options().write(true).open(&path).expect("there");
        file.set_len(8191).expect("cut");
        let cut = FileMedium::open(&path, 8192).err().expect("a byte is gone");
        assert!(matches!(cut, StoreError::Shortened { is: 8191, wanted: 8192, .. }), "{cut}");
        assert_eq!(file.metadata().expect("there").len(), 8191);
    }

    #[test]
    fn a_store_and_its_note_are_for_their_owner() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("disk.img");
        drop(FileMedium::open(&path, 8192).expect("new"));
        for place in [path.clone(), beside(&path, ".store")] {
            let mode = place.metadata().expect("there").permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{}", place.display());
        }
    }
}
