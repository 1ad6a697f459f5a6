//! Programs that do as a test says and note what they were asked.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::TempDir;

/// A program that is still open for writing in a process just forked cannot be started: tests that
/// write programs take turns.
static TURN: Mutex<()> = Mutex::new(());

/// A folder of fake programs.
pub struct FakePrograms {
    directory: TempDir,
    _turn: MutexGuard<'static, ()>,
}

impl FakePrograms {
    pub fn new() -> Self {
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        Self { directory: tempfile::tempdir().expect("made"), _turn }
    }

    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// A program that notes its arguments and does as the script says.
    pub fn add(&self, name: &str, script: &str) {
        let path = self.path().join(name);
        let log = self.path().join("asked").display().to_string();
        fs::write(&path, format!("#!/bin/sh\necho {name} \"$@\" >> '{log}'\n{script}\n"))
            .expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("set");
    }

    /// What has been asked, line by line, with `with` for `what`.
    pub fn asked(&self, what: &str, with: &str) -> Vec<String> {
        let text = fs::read_to_string(self.path().join("asked")).unwrap_or_default();
        text.lines().map(|line| line.replace(what, with)).collect()
    }
}
