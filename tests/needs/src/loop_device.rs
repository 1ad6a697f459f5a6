//! A block device of a test's own.

use crate::{LOOP, found};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A loop device over a file that is made for it; detached when it is dropped.
pub struct LoopDevice {
    folder: TempDir,
    node: PathBuf,
}

impl LoopDevice {
    /// One of so many bytes, all of them zero. `None` where this user or this machine can make
    /// none: the test is skipped.
    ///
    /// # Panics
    /// If there is no room for the file.
    pub fn new(bytes: u64) -> Option<Self> {
        let folder = tempfile::tempdir().expect("made");
        let image = folder.path().join("image");
        File::create(&image).and_then(|file| file.set_len(bytes)).expect("made");
        let made = Command::new("losetup").args(["-f", "--show"]).arg(&image).output();
        let made = found(LOOP, made.ok().filter(|output| output.status.success()))?;
        let node = String::from_utf8_lossy(&made.stdout).trim().into();
        Some(Self { folder, node })
    }

    /// Where the file lies; nothing else is there.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The device.
    pub fn node(&self) -> &Path {
        &self.node
    }

    /// The file behind it, which is its serial number too.
    ///
    /// # Panics
    /// If it is gone.
    pub fn image(&self) -> PathBuf {
        self.folder.path().join("image").canonicalize().expect("there")
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("-d").arg(&self.node).status();
    }
}
