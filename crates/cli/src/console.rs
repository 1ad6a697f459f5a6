//! What a command says on standard error besides its failure.

use crate::caller::Caller;
use crate::render;
use fio::Diagnostic;
use std::collections::BTreeSet;
use std::io::{IsTerminal, Write as _};

/// Standard error: warnings once each, notes, and whether progress is shown.
#[derive(Debug, Default)]
pub struct Console {
    quiet: bool,
    said: BTreeSet<String>,
}

impl Console {
    /// A console; a quiet one says nothing, and neither does one of a calling program.
    pub fn new(quiet: bool) -> Self {
        Self { quiet: quiet || Caller::here().is_some(), said: BTreeSet::new() }
    }

    /// Whether progress is drawn: on a terminal, unless the user wants quiet.
    pub fn draws(&self) -> bool {
        !self.quiet && std::io::stderr().is_terminal()
    }

    /// Whether anything is said.
    pub fn speaks(&self) -> bool {
        !self.quiet
    }

    /// A line about what is done.
    pub fn note(&mut self, text: &str) {
        self.line(text.to_owned());
    }

    /// A line about something that happens, as often as it does.
    pub fn event(&mut self, text: &str) {
        self.said.remove(text);
        self.line(text.to_owned());
    }

    /// A warning about a place in a file.
    pub fn placed(&mut self, warning: &Diagnostic) {
        self.line(render::placed_warning(warning));
    }

    /// A warning about a run.
    pub fn warn(&mut self, message: &str) {
        self.line(render::warning(message));
    }

    fn line(&mut self, text: String) {
        if self.quiet || !self.said.insert(text.clone()) {
            return;
        }
        say(&text);
    }
}

/// A line on standard error.
pub fn say(text: &str) {
    // Where it is closed, nobody is left to read it.
    let _ = writeln!(std::io::stderr(), "{text}");
}
