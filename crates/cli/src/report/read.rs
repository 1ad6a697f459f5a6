//! What the user named, as sources: every file is used as far as it can be.

use crate::render::Failure;
use report::source::code;
use report::{Problem, Source};
use serde_json::Value;
use stats::{Kind, Outcome, Record, RecordError, Warning};
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

/// Reads all inputs. Fails only if none of them could be used.
pub fn inputs(paths: &[PathBuf]) -> Result<Inputs, Failure> {
    let mut read = Inputs::default();
    for path in paths {
        let name = match path.as_os_str() == "-" {
            true => "standard input".to_owned(),
            false => path.display().to_string(),
        };
        if read.sources.iter().any(|source| source.name == name) {
            read.problems.push(Problem::new(name, "named twice; used once"));
            continue;
        }
        match bytes(path).and_then(|bytes| source(&name, path, &bytes)) {
            Ok(source) => read.sources.push(source),
            Err(message) => read.problems.push(Problem::new(name, message)),
        }
    }
    Ok(read)
}

fn bytes(path: &Path) -> Result<Vec<u8>, String> {
    if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        let end = std::io::stdin().lock().read_to_end(&mut bytes);
        return end.map(|_| bytes).map_err(|error| format!("cannot be read: {error}"));
    }
    if path.is_dir() {
        return Err("it is a directory; name the files in it".to_owned());
    }
    std::fs::read(path).map_err(|error| format!("cannot be read: {error}"))
}

/// A file as a source, or why not.
fn source(name: &str, path: &Path, bytes: &[u8]) -> Result<Source, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "this is not a text (UTF-8)".to_owned())?;
    if text.trim().is_empty() {
        return Err("the file is empty".to_owned());
    }
    if let Ok(value) = serde_json::from_str::<Value>(text)
        && value.get("schema").is_some()
    {
        return record(name, path, text);
    }
    let run = fio::json_in::parse(text).map_err(|error| error.to_string())?;
    let outcome = Outcome {
        kind: Kind::FioRun,
        version: run.fio_version.clone(),
        run: Some(run),
        ..Outcome::default()
    };
    Ok(Source { name: name.to_owned(), outcome, ..Source::default() })
}

fn record(name: &str, path: &Path, text: &str) -> Result<Source, String> {
    match Record::from_json(text, path) {
        Ok(record) => Ok(Source::of_record(name, record)),
        Err(error @ RecordError::WrongHash { .. }) => edited(name, text, &error),
        Err(error) => Err(without_path(&error.to_string(), path)),
    }
}

/// A Record whose numbers were changed: it is shown, and says so.
fn edited(name: &str, text: &str, error: &RecordError) -> Result<Source, String> {
    let mut value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let mut outcome: Outcome =
        serde_json::from_value(value["result"].take()).map_err(|error| error.to_string())?;
    let path = Path::new(name);
    outcome.warnings.push(Warning {
        code: code::EDITED.to_owned(),
        message: without_path(&error.to_string(), path),
        concerns: String::new(),
    });
    Ok(Source { name: name.to_owned(), outcome, ..Source::default() })
}

fn without_path(message: &str, path: &Path) -> String {
    let path = path.display().to_string();
    message.strip_prefix(&format!("{path}: ")).unwrap_or(message).to_owned()
}
