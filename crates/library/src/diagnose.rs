//! Errors of model files with file, line, column and a fix.

use engine::narrow;
use fio::{Diagnostic, diagnostic::Place};
use metric::hint;

/// The place of byte `offset` in `text`.
pub fn place(file: &str, text: &str, offset: usize) -> Place {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let before = &text[..offset];
    let line = narrow(before.matches('\n').count() + 1);
    let start = before.rfind('\n').map_or(0, |n| n + 1);
    Place { file: file.into(), line, column: narrow(before[start..].chars().count() + 1) }
}

/// What TOML or serde did not like, in our form. `is_shown`: `drivelab show` prints files of this
/// kind.
pub(super) fn toml(file: &str, text: &str, error: &toml::de::Error, is_shown: bool) -> Diagnostic {
    let at = error.span().map_or(0, |s| s.start);
    let message = error.message().lines().next().unwrap_or("unreadable").to_owned();
    let place = place(file, text, at);
    let diagnostic = Diagnostic::new(&place, message.clone());
    match unknown_field(&message) {
        Some((wrong, known)) => {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            // Without serde's list of all: the help has those that may have been meant.
            let message = message.split(", expected").next().unwrap_or(&message);
            Diagnostic::new(&place, message).with_help(hint("names", &wrong, known.iter().copied()))
        }
        None if is_shown && message.contains("missing field") => {
            diagnostic.with_help("`drivelab show` prints a whole file of this kind")
        }
        None => diagnostic,
    }
}

/// The wrong and the known names of serde's message about an unknown field or variant.
pub fn unknown_field(message: &str) -> Option<(String, Vec<String>)> {
    if !message.starts_with("unknown field") && !message.starts_with("unknown variant") {
        return None;
    }
    let mut quoted = message.split('`').skip(1).step_by(2).map(str::to_owned);
    Some((quoted.next()?, quoted.collect()))
}
