//! Warnings about a run.

use stats::Warning;

/// A warning; `code` is for programs, `concerns` names a job, an option or a percentile.
pub(super) fn warning(
    code: &str,
    concerns: impl Into<String>,
    message: impl Into<String>,
) -> Warning {
    Warning { code: code.to_owned(), message: message.into(), concerns: concerns.into() }
}

/// Adds a warning unless one of the same kind says the same already.
pub(super) fn push_once(warnings: &mut Vec<Warning>, warning: Warning) {
    if !warnings.contains(&warning) {
        warnings.push(warning);
    }
}
