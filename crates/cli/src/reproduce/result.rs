//! The result of a reproduction, as `--json-file` writes it.

use crate::files;
use crate::render::Failure;
use answer::Reproduction;
use serde_json::Value;
use std::path::Path;

/// Reads a result, with its name.
///
/// # Errors
/// A file that is none.
pub fn read(path: &Path) -> Result<(String, Reproduction), Failure> {
    let name = path.display().to_string();
    let help = "`drivelab reproduce --json-file FILE` writes one";
    let text = files::text(path, "a result of a reproduction", help)?;
    let value: Value = serde_json::from_str(&text).map_err(|error| {
        Failure::wrong(format!("{name}: this is no result of a reproduction: {error}"))
            .with_help(help)
    })?;
    let result =
        answer::read(&value).map_err(|error| Failure::wrong(format!("{name}: {error}")))?;
    Ok((name, result))
}
