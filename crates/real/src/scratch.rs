//! A directory for one run: job file, output, logs; removed at the end.
//!
//! Each is locked as long as its process lives. One whose lock is free was left behind by a process
//! that was killed, and goes when the next one is made beside it.

use rustix::fs::{FlockOperation, Mode, OFlags};
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Directories of the same process that are tried before giving up.
const ATTEMPTS: u32 = 10_000;
/// What the names of all begin with.
const PREFIX: &str = "drivelab-tmp-";
/// What the names of those begin with that are kept.
const KEPT: &str = "drivelab-kept-";

/// A directory that only this user can read, removed with its content when dropped.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    /// Open and locked; what is at the path must be this one when it is removed.
    directory: File,
    keep: bool,
}

impl Scratch {
    /// Makes a new directory in `root`, and removes those that dead processes left there.
    ///
    /// # Errors
    ///
    /// What the system says when none can be made.
    pub fn new(root: &Path) -> io::Result<Self> {
        let root = fs::canonicalize(root)?;
        tidy(&root);
        for attempt in 0..ATTEMPTS {
            let path = root.join(format!("{PREFIX}{}-{attempt}", std::process::id()));
            match fs::DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(error),
            }
            // Another process that tidies up could take it for one left behind until it is locked.
            if let Ok(directory) = locked(&path) {
                return Ok(Self { path, directory, keep: false });
            }
        }
        Err(io::Error::new(ErrorKind::AlreadyExists, "too many scratch directories; remove some"))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The directory itself, whatever becomes of its path.
    pub(crate) fn directory(&self) -> &File {
        &self.directory
    }

    /// Leaves the directory there under a name that is not tidied up, and yields its path.
    pub fn keep(mut self) -> PathBuf {
        self.keep = true;
        let name = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let kept = self.path.with_file_name(name.replacen(PREFIX, KEPT, 1));
        // Where it cannot be renamed, it stays under its old name.
        match !kept.exists() && fs::rename(&self.path, &kept).is_ok() {
            true => kept,
            false => self.path.clone(),
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !self.keep && is_at(&self.directory, &self.path) {
            // Nothing depends on it any more; a leftover in the temporary directory is not an
            // error.
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// Opens a directory, but not through a link.
fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

/// Opens a directory and locks it; what is at the path must still be it.
fn locked(path: &Path) -> io::Result<File> {
    let directory = open(path)?;
    rustix::fs::flock(&directory, FlockOperation::NonBlockingLockExclusive)?;
    match is_at(&directory, path) {
        true => Ok(directory),
        false => Err(io::Error::from(ErrorKind::NotFound)),
    }
}

/// Whether what is at a path is this open directory.
fn is_at(directory: &File, path: &Path) -> bool {
    let (Ok(open), Ok(there)) = (directory.metadata(), fs::symlink_metadata(path)) else {
        return false;
    };
    (open.dev(), open.ino()) == (there.dev(), there.ino())
}

/// Removes our own directories that nobody has locked. Whatever fails is left as it is.
fn tidy(root: &Path) {
    let own = rustix::process::geteuid().as_raw();
    for entry in fs::read_dir(root).into_iter().flatten().flatten() {
        let path = entry.path();
        if !entry.file_name().to_string_lossy().starts_with(PREFIX) {
            continue;
        }
        let Ok(directory) = locked(&path) else { continue };
        if directory.metadata().is_ok_and(|metadata| metadata.uid() == own) {
            let _ = fs::remove_dir_all(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_dead_process_left_goes_and_the_rest_stays() {
        let root = tempfile::tempdir().unwrap();
        let left = root.path().join("drivelab-tmp-1-0");
        fs::create_dir_all(left.join("data")).unwrap();
        fs::create_dir(root.path().join("drivelab-kept-1-0")).unwrap();
        fs::create_dir(root.path().join("drivelab-notes")).unwrap();
        let first = Scratch::new(root.path()).unwrap();
        assert!(!left.exists());
        let second = Scratch::new(root.path()).unwrap();
        assert!(first.path().exists() && second.path().exists(), "one that is used stays");
        drop(first);
        let kept = second.keep();
        fs::create_dir(&left).unwrap();
        drop(Scratch::new(root.path()).unwrap());
        let mut names: Vec<_> =
            fs::read_dir(root.path()).unwrap().flatten().map(|e| e.path()).collect();
        names.sort();
        let rest = ["drivelab-kept-1-0", "drivelab-notes"].map(|name| root.path().join(name));
        assert_eq!(names.len(), 3, "{names:?}");
        assert!(rest.iter().chain([&kept]).all(|path| path.exists()));
    }

    /// Whoever moves the directory away and puts another in its place does not lose that one.
    #[test]
    fn another_directory_in_its_place_is_left_alone() {
        let root = tempfile::tempdir().unwrap();
        let scratch = Scratch::new(root.path()).unwrap();
        let path = scratch.path().to_path_buf();
        fs::rename(&path, root.path().join("away")).unwrap();
        fs::create_dir(&path).unwrap();
        fs::write(path.join("precious"), "data").unwrap();
        drop(scratch);
        assert_eq!(fs::read_to_string(path.join("precious")).unwrap(), "data");
    }
}
