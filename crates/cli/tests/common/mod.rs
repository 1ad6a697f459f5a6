//! The program as a user starts it.

use std::path::Path;
use std::process::{Command, Output};

/// The installed fio; without it the test is skipped.
pub fn fio() -> Option<()> {
    let version = Command::new("fio").arg("--version").output();
    needs::found(needs::FIO, version.ok()).map(drop)
}

/// Starts drivelab in a folder and waits for its end.
pub fn drivelab(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_drivelab"))
        .current_dir(folder)
        .args(arguments)
        .output()
        .expect("the program starts")
}
