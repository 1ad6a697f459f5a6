//! Model files of the user's.

use super::diagnose;
use fio::Diagnostic;
use std::path::Path;

/// The text of a model file of the user's.
pub(super) fn read(path: &Path) -> Result<String, Diagnostic> {
    let file = path.display().to_string();
    let unreadable = |why: String| {
        Diagnostic::new(&diagnose::place(&file, "", 0), why)
            .with_help("a model is a TOML text; `drivelab show NAME` prints one to start from")
    };
    let bytes =
        std::fs::read(path).map_err(|e| unreadable(format!("the model cannot be read: {e}")))?;
    if bytes.len() > 1 << 20 {
        return Err(unreadable("the model is larger than 1 MiB".to_owned()));
    }
    String::from_utf8(bytes).map_err(|_| unreadable("the model is not text (UTF-8)".to_owned()))
}
