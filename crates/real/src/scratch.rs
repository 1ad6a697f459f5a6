//! A directory for one run of fio: job file, output, logs; removed at the end.

use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// Directories of the same process that are tried before giving up.
const ATTEMPTS: u32 = 10_000;

/// A directory that only this user can read, removed with its content when dropped.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    keep: bool,
}

impl Scratch {
    /// Makes a new directory in `root`.
    ///
    /// # Errors
    ///
    /// What the system says when none can be made.
    pub fn new(root: &Path) -> io::Result<Self> {
        let root = fs::canonicalize(root)?;
        for attempt in 0..ATTEMPTS {
            let path = root.join(format!("drivelab-{}-{attempt}", std::process::id()));
            match fs::DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Self { path, keep: false }),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::new(ErrorKind::AlreadyExists, "too many scratch directories; remove some"))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Leaves the directory where it is and yields its path.
    pub fn keep(mut self) -> PathBuf {
        self.keep = true;
        self.path.clone()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !self.keep {
            // Nothing depends on it any more; a rest in the temporary directory is no error.
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}
