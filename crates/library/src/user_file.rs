//! Files of the user's.

use super::diagnose;
use fio::Diagnostic;
use std::path::Path;

/// Largest file that is read, bytes.
const LARGEST: u64 = 1 << 20;

/// The text of a file that a user named: a `noun` such as "model", with the `help` that shows how
/// one looks.
///
/// # Errors
/// If it cannot be read, is no file, is larger than 1 MiB or is not text.
pub fn read(path: &Path, noun: &str, help: &str) -> Result<String, Diagnostic> {
    let file = path.display().to_string();
    let wrong = |why: String| Diagnostic::new(&diagnose::place(&file, "", 0), why).with_help(help);
    let unreadable = |error| wrong(format!("the {noun} cannot be read: {error}"));
    let about = std::fs::metadata(path).map_err(unreadable)?;
    if !about.is_file() {
        return Err(wrong(format!("the {noun} is not a file")));
    }
    if about.len() > LARGEST {
        return Err(wrong(format!("the {noun} is larger than 1 MiB")));
    }
    let bytes = std::fs::read(path).map_err(unreadable)?;
    String::from_utf8(bytes).map_err(|_| wrong(format!("the {noun} is not text (UTF-8)")))
}

/// The text of a model file of the user's.
pub(super) fn model(path: &Path) -> Result<String, Diagnostic> {
    read(path, "model", "a model is a TOML text; `drivelab show NAME` prints one to start from")
}
