//! What the user named, as sources: every file is used as far as it can be.

mod documents;
mod fio_result;
mod logs;
mod record;
#[cfg(test)]
mod tests;

use ::report::{Problem, Source};
use answer::Answer;
use documents::Documents;
use serde_json::Value;
use stats::{Outcome, Warning};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Sources in the order of the files, and what could not be used.
#[derive(Debug, Default)]
pub struct Inputs {
    /// What the report is made of.
    pub sources: Vec<Source>,
    /// What is missing in it.
    pub problems: Vec<Problem>,
}

/// Reads all inputs.
pub fn inputs(paths: &[PathBuf]) -> Inputs {
    let mut read = Inputs::default();
    for path in paths {
        let name = match is_standard_input(path) {
            true => "standard input".to_owned(),
            false => path.display().to_string(),
        };
        if read.sources.iter().any(|source| source.name == name) {
            read.problems.push(Problem::new(name, "named twice; it is in the report once"));
            continue;
        }
        let folder = match is_standard_input(path) {
            true => None,
            false => Some(path.parent().unwrap_or(Path::new(""))),
        };
        match bytes(path).and_then(|bytes| source(&name, folder, &bytes)) {
            Ok((source, mut problems)) => {
                read.sources.push(source);
                read.problems.append(&mut problems);
            }
            Err(message) => read.problems.push(Problem::new(name, message)),
        }
    }
    read
}

fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn bytes(path: &Path) -> Result<Vec<u8>, String> {
    let read = if is_standard_input(path) {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else if path.is_dir() {
        return Err("it is a directory; name the files in it".to_owned());
    } else {
        std::fs::read(path)
    };
    read.map_err(|error| format!("it cannot be read: {error}"))
}

/// The text of a file. Windows' shells write UTF-16 when they redirect an output.
fn text(bytes: &[u8]) -> Result<String, String> {
    let text = match bytes {
        [0xff, 0xfe, rest @ ..] => {
            let units = rest.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
            char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
        }
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    };
    if text.contains('\0') {
        return Err("this is no text; Records and results of fio are JSON".to_owned());
    }
    if text.trim().is_empty() {
        return Err("it is empty: did the program that wrote it fail?".to_owned());
    }
    Ok(text)
}

/// What a file is: its source and what of it cannot be used, or why all of it cannot. Logs are
/// looked for in `folder`, if there is one.
pub fn source(
    name: &str,
    folder: Option<&Path>,
    bytes: &[u8],
) -> Result<(Source, Vec<Problem>), String> {
    let text = text(bytes)?;
    let found = Documents::of(&text);
    let Some(value) = found.last() else { return Err(found.why_none()) };
    let mut read = match value {
        value if Answer::is_own(value) => {
            record::own(name, value).map(|source| (source, Vec::new()))
        }
        Value::Object(map) if map.contains_key("schema") => record::proven(name, &text, value),
        Value::Object(map) if map.contains_key("fio version") => {
            fio_result::read(name, folder, &text, &found)
        }
        value => record::unproven(name, value).map(|source| (source, Vec::new())),
    }?;
    record::unknown_metrics(&mut read.0);
    Ok(read)
}

/// Adds a warning that concerns the whole source.
fn warn(outcome: &mut Outcome, code: &str, message: impl Into<String>) {
    let (code, message) = (code.to_owned(), message.into());
    outcome.warnings.push(Warning { code, message, concerns: String::new() });
}
