//! A private directory for the sockets, mounts and outputs of a crash test, removed in the end.

use crate::error::CrashError;
use std::fs::DirBuilder;
use std::io::ErrorKind;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// Names that are tried.
const TRIES: u32 = 1000;

/// A directory for its owner only.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// Makes one among the temporary files of the system.
    pub(crate) fn new() -> Result<Self, CrashError> {
        let root = std::env::temp_dir();
        let own = std::process::id();
        for number in 0..TRIES {
            let path = root.join(format!("drivelab-crash-{own}-{number}"));
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Folder(path)),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(CrashError::System { path, error }),
            }
        }
        Err(CrashError::Unexpected(format!("{} is full of crash tests", root.display())))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed is told by nobody: it is of no use to anybody.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn folders_are_private_distinct_and_removed() {
        let (a, b) = (Folder::new().expect("one"), Folder::new().expect("another"));
        assert_ne!(a.path(), b.path());
        let mode = a.path().metadata().expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        let path = a.path().to_owned();
        std::fs::write(path.join("file"), "x").expect("written");
        drop(a);
        assert!(!path.exists() && b.path().exists());
    }
}
