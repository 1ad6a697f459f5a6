//! Reading health logs: smartctl's JSON, and the JSON logs of nvme-cli.
//!
//! A file may hold several logs one after the other, with lines of text before and between them,
//! as a shell leaves them: nvme-cli prints health log, vendor log and OCP log by three commands.
//! They are merged into one snapshot; two logs of the same kind in one file are refused.

mod heat;
mod nvme_cli;
mod smartctl;
mod source;

use crate::error::{Position, SmartError};
use crate::snapshot::Snapshot;
pub(crate) use nvme_cli::{DEVICE_STATS, OCP_KEY, VENDOR_KEY};
use serde_json::Value;
use source::Source;

/// What a file should be, for help texts.
const WANTED: &str = "give the output of `smartctl --json -x DEVICE`, or of `nvme smart-log -o \
                      json DEVICE`, alone or followed by `nvme ocp smart-add-log -o json DEVICE`";

/// Reads a health log. `file` names it in errors.
///
/// # Errors
/// If the text holds no JSON, JSON of another kind, the words of a tool that failed, or values
/// that are none; with line and column where there is one place to blame.
pub fn snapshot(file: &str, text: &str) -> Result<Snapshot, SmartError> {
    let mut snapshot = Snapshot::default();
    let mut kinds: Vec<&'static str> = Vec::new();
    for (start, value) in documents(file, text)? {
        let source = Source { file, text, start };
        let read = [smartctl::read, nvme_cli::read]
            .iter()
            .find_map(|read| read(&source, &value, &mut snapshot).transpose())
            .transpose()?;
        let Some(found) = read else { continue };
        for kind in found {
            if kinds.contains(&kind) {
                let message = format!("the file holds two logs of the same kind ({kind})");
                return Err(SmartError::new(file, message)
                    .at(Position::of(text, start))
                    .with_help("keep one snapshot a file"));
            }
            kinds.push(kind);
        }
    }
    if kinds.is_empty() {
        let message = "the JSON contains no known health log";
        return Err(SmartError::new(file, message).with_help(WANTED));
    }
    // An identity alone is not health data.
    if kinds == [nvme_cli::IDENTIFY] {
        return Err(SmartError::new(file, "the drive is named, and no health log follows")
            .with_help(WANTED));
    }
    Ok(snapshot)
}

/// All JSON objects of a text with their first bytes. Text before an object is skipped if it is not
/// JSON: warnings of tools, prompts of shells.
fn documents(file: &str, text: &str) -> Result<Vec<(usize, Value)>, SmartError> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = next_object(text, at) {
        let mut stream = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
        match stream.next() {
            Some(Ok(value)) => {
                found.push((start, value));
                at = start + stream.byte_offset().max(1);
            }
            Some(Err(error)) => {
                let position = place_of(text, start, &error);
                let what = if error.is_eof() { "the JSON ends too early" } else { "no valid JSON" };
                let why = error.to_string();
                let why = why.split(" at line ").next().unwrap_or_default();
                return Err(SmartError::new(file, format!("{what}: {why}"))
                    .at(position)
                    .with_help("save the tool's output again, whole"));
            }
            None => break,
        }
    }
    if found.is_empty() {
        return Err(SmartError::new(file, "there is no JSON in it").with_help(WANTED));
    }
    Ok(found)
}

/// The first `{` that begins a line, or else the first of all.
fn next_object(text: &str, from: usize) -> Option<usize> {
    let rest = &text[from..];
    let begins_line = |at: usize| {
        let line = rest[..at].rsplit('\n').next().unwrap_or_default();
        line.chars().all(char::is_whitespace)
    };
    let starts = || rest.match_indices('{').map(|(at, _)| at);
    let at = starts().find(|at| begins_line(*at)).or_else(|| starts().next())?;
    Some(from + at)
}

fn place_of(text: &str, start: usize, error: &serde_json::Error) -> Position {
    let first = Position::of(text, start);
    // serde_json counts columns in bytes of the line, from 1; 0 at the very end of a line.
    let column = error.column().max(1) as u32;
    match error.line() {
        0 | 1 => Position { line: first.line, column: first.column + column - 1 },
        line => Position { line: first.line + line as u32 - 1, column },
    }
}
