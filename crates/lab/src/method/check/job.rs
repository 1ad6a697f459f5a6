//! The fio jobs in the file of a method.

use crate::load::Load;
use fio::{Diagnostic, diagnostic::Place};
use library::mistakes::place;
use metric::Params;
use std::ops::Range;

/// Any capacity will do: sizes are shares of it.
const CAPACITY: u64 = 1 << 40;

/// What is wrong in a job with the usual parameters in place of its variables, in lines of its own.
pub(super) fn mistakes(job: &str) -> Vec<Diagnostic> {
    let load = Load::new(job, &Params::default(), CAPACITY);
    match load.parse(1_000, 1_000) {
        Ok(_) => Vec::new(),
        Err(wrong) => wrong.alone().collect(),
    }
}

/// Where the first line of a text in a file is.
pub(super) fn first_line(file: &str, text: &str, span: Range<usize>) -> Place {
    let quoted = text.get(span.clone()).unwrap_or_default();
    // The line break behind three quotation marks is not of the text.
    let behind = ["\"\"\"", "'''"].iter().find_map(|marks| quoted.strip_prefix(marks));
    let at = place(file, text, span.start);
    match behind {
        Some(rest) if rest.starts_with(['\n', '\r']) => {
            Place { line: at.line + 1, column: 1, ..at }
        }
        Some(_) => Place { column: at.column + 3, ..at },
        None => Place { column: at.column + 1, ..at },
    }
}

/// A mistake of a job at its place in the file.
pub(super) fn moved(wrong: Diagnostic, first: &Place) -> Diagnostic {
    let right = if wrong.line == 1 { first.column - 1 } else { 0 };
    Diagnostic {
        file: first.file.clone(),
        line: first.line + wrong.line.saturating_sub(1),
        column: wrong.column + right,
        ..wrong
    }
}
