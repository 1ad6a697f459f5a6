//! The one place where errors and warnings become text on standard error.

use fio::Diagnostic;
use metric::MeasureError;
use real::{InstalledError, OutcomeError, Refusal, RunError, ToolError};
use smart::SmartError;
use stats::RecordError;
use std::io::{IsTerminal, Write as _};

/// The request or a file is wrong; nothing was done.
pub const WRONG: u8 = 2;
/// It was tried and failed.
pub const FAILED: u8 = 1;

/// Why a command ends without success.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Exit code.
    pub exit: u8,
    /// What is wrong, in a sentence.
    pub message: String,
    /// Where: `file:line:column`, or less.
    pub place: Option<String>,
    /// How to fix it.
    pub help: Option<String>,
    /// Other mistakes that were found with this one.
    pub others: Vec<Failure>,
}

impl Failure {
    /// The request is wrong.
    pub fn wrong(message: impl Into<String>) -> Self {
        Self { exit: WRONG, message: message.into(), place: None, help: None, others: Vec::new() }
    }

    /// It was tried and failed.
    pub fn failed(message: impl Into<String>) -> Self {
        Self { exit: FAILED, ..Self::wrong(message) }
    }

    /// The same with a sentence that says how to fix it.
    #[must_use]
    pub fn with_help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// Several mistakes as one, those that are the same once; `None` of none.
    pub fn several(all: Vec<Failure>) -> Option<Self> {
        let mut told: Vec<Failure> = Vec::new();
        for one in all {
            if !told.contains(&one) {
                told.push(one);
            }
        }
        if told.is_empty() {
            return None;
        }
        let first = told.remove(0);
        Some(Self { others: [first.others, told].concat(), ..first })
    }

    /// The same with its place.
    #[must_use]
    pub fn at(self, place: impl Into<String>) -> Self {
        Self { place: Some(place.into()), ..self }
    }
}

impl From<Diagnostic> for Failure {
    fn from(d: Diagnostic) -> Self {
        let place = format!("{}:{}:{}", d.file, d.line, d.column);
        let others = d.others.into_iter().map(Self::from).collect();
        Self { help: d.help, others, ..Self::wrong(d.message).at(place) }
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::wrong(refusal.why).at(refusal.path.display().to_string()).with_help(refusal.help)
    }
}

impl From<SmartError> for Failure {
    fn from(error: SmartError) -> Self {
        let place = error.place();
        Self { place, help: error.help, ..Self::wrong(error.message) }
    }
}

impl From<ToolError> for Failure {
    fn from(error: ToolError) -> Self {
        match error {
            ToolError::BadPath { path, reason } => Self::wrong(reason).at(path),
            // What a tool has printed of a drive is no file of the user's.
            ToolError::Unreadable(error) => Self { exit: FAILED, ..error.into() },
            other => Self::failed(other.to_string()),
        }
    }
}

impl From<InstalledError> for Failure {
    fn from(error: InstalledError) -> Self {
        Self::failed(error.to_string())
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Refused(refusal) => refusal.into(),
            RunError::Installed(error) => error.into(),
            RunError::MissingOption { place, version, option } => {
                Self::wrong(format!("{version} has no option `{option}`"))
                    .at(place)
                    .with_help("leave it out, or install a newer fio")
            }
            other => Self::failed(other.to_string()),
        }
    }
}

impl From<OutcomeError> for Failure {
    fn from(error: OutcomeError) -> Self {
        Self::failed(error.to_string())
    }
}

impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Self {
        Self::failed(error.to_string())
    }
}

impl From<MeasureError> for Failure {
    fn from(error: MeasureError) -> Self {
        match error {
            MeasureError::UnknownMethod(hint) => Self::wrong("unknown method").with_help(hint),
            MeasureError::UnknownTarget(why) => Self::wrong(why),
            MeasureError::NotModelled(why) => Self::wrong(why),
            MeasureError::Failed(why) => Self::failed(format!("the run failed: {why}")),
        }
    }
}

/// Whether standard error shows colours: on a terminal, unless the user has asked for none
/// (`NO_COLOR` set to anything, <https://no-color.org>).
fn colours() -> bool {
    let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    std::io::stderr().is_terminal() && !unwanted
}

fn label(word: &str, code: &str) -> String {
    if colours() { format!("\x1b[1;{code}m{word}\x1b[0m") } else { word.to_owned() }
}

/// What others sent into a message (a section's name, a device's answer) must not reach the
/// terminal as control codes.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c }).collect()
}

/// The text of a failure.
pub fn failure_text(failure: &Failure, word: &str) -> String {
    let mut text = format!("{word}: {}\n", failure.message);
    if let Some(place) = &failure.place {
        text.push_str(&format!("  --> {place}\n"));
    }
    for line in failure.help.iter().flat_map(|help| help.lines()) {
        let line = line.trim_start();
        let line = line.strip_prefix("help: ").unwrap_or(line);
        text.push_str(&format!("  help: {line}\n"));
    }
    for other in &failure.others {
        text.push_str(&failure_text(other, word));
    }
    text
}

/// Shows a failure.
pub fn failure(failure: &Failure) {
    let text = printable(&failure_text(failure, "error"));
    let text = text.replacen("error", &label("error", "31"), 1);
    // Where standard error is closed, nobody is left to read it.
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// A warning about a place: `file:line:column: warning: ...`.
pub fn placed_warning(d: &Diagnostic) -> String {
    let word = label("warning", "33");
    let help: String = d.help.iter().map(|help| format!("\n  help: {help}")).collect();
    let Diagnostic { file, line, column, message, .. } = d;
    let place = printable(file);
    format!("{place}:{line}:{column}: {word}: {}{}", printable(message), printable(&help))
}

/// A warning about a run.
pub fn warning(message: &str) -> String {
    format!("{}: {}", label("warning", "33"), printable(message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fio::Place;

    #[test]
    fn what_is_the_same_is_told_once() {
        let [a, b] = ["a", "b"].map(Failure::wrong);
        let all = Failure::several(vec![a.clone(), b.clone(), a.clone(), a.clone().at("here")]);
        let others = vec![b, Failure::wrong("a").at("here")];
        assert_eq!(all, Some(Failure { others, ..a }));
        assert_eq!(Failure::several(Vec::new()), None);
    }

    #[test]
    fn place_and_help_have_lines_of_their_own() {
        let place = Place { file: "a.fio".into(), line: 3, column: 7 };
        let wrong = Diagnostic::new(&place, "unknown option `rwx`").with_help("did you mean `rw`?");
        let text = failure_text(&wrong.into(), "error");
        assert_eq!(
            text,
            "error: unknown option `rwx`\n  --> a.fio:3:7\n  help: did you mean `rw`?\n"
        );
    }

    #[test]
    fn every_mistake_of_a_file_is_shown() {
        let at = |line| Diagnostic::new(&Place { file: "a".into(), line, column: 1 }, "wrong");
        let both = Diagnostic::several([at(2), at(1)]).unwrap();
        let text = failure_text(&both.into(), "error");
        assert_eq!(text, "error: wrong\n  --> a:1:1\nerror: wrong\n  --> a:2:1\n");
    }

    #[test]
    fn control_codes_do_not_reach_the_terminal() {
        assert_eq!(printable("a\x1b[2Jb\n"), "a\u{fffd}[2Jb\n");
    }
}
