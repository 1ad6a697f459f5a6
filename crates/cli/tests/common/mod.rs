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

/// The same where it has to succeed; what it printed.
pub fn made(folder: &Path, arguments: &[&str]) -> String {
    let output = drivelab(folder, arguments);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {told}");
    String::from_utf8(output.stdout).expect("UTF-8")
}
