//! What the parts of a system file refer to.

use super::super::diagnose;
use super::super::sourced::Sourced;
use engine::Bytes;
use fio::Diagnostic;
use metric::hint;
use toml::Spanned;

/// The text of a file, for errors.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    /// The file as it is named.
    pub place: &'a str,
    /// What it says.
    pub text: &'a str,
}

impl Source<'_> {
    pub(super) fn wrong(
        &self,
        at: usize,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Diagnostic {
        let place = diagnose::place(self.place, self.text, at);
        Diagnostic::new(&place, message.into()).with_help(help.into())
    }
}

/// The text of a file and the processors that it lists: what a volume of it is resolved with.
pub(super) struct Names<'a> {
    /// For errors.
    pub source: &'a Source<'a>,
    /// The processors, in the order of the file.
    pub processors: Vec<&'a str>,
}

impl Names<'_> {
    /// The place of a processor.
    pub(super) fn pool(&self, name: &Spanned<String>) -> Result<usize, Diagnostic> {
        let known = || self.processors.iter().copied();
        known().position(|other| other == name.get_ref()).ok_or_else(|| {
            let message = format!("no processor is called `{}`", name.get_ref());
            self.source.wrong(
                name.span().start,
                message,
                hint("processors", name.get_ref(), known()),
            )
        })
    }

    /// A size of less than 4 GiB.
    pub(super) fn small(&self, value: &Sourced<Bytes>, what: &str) -> Result<u32, Diagnostic> {
        u32::try_from(value.get().base()).map_err(|_| {
            let message = format!("{what} of {}", value.get());
            self.source.wrong(value.at(), message, "give less than 4 GiB")
        })
    }
}
